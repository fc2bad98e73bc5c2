// SPDX-License-Identifier: Apache-2.0
// Numbers: rounding, NaN, overflow, contraction, the type that sums are kept in.
#include "planted/fault.h"

namespace tessera::planted {

namespace {

constexpr const char* kNarrow = "tessera/narrow.h";
constexpr const char* kMma = "tessera/mma.h";
constexpr const char* kInteger = "tessera/integer.h";

}  // namespace

void add_number_faults(std::vector<PlantedFault>& faults) {
  const auto add = [&](const char* name, const char* file, const char* text, const char* replacement,
                       int times = 1) {
    faults.push_back({.name = name, .group = kNumbers, .edits = {{file, text, replacement, times}}});
  };
  add("narrow floats are cut, not rounded", kNarrow,
      "(rebiased + ((1u << (kDropped - 1)) - 1) + ((rebiased >> kDropped) & 1)) >> kDropped",
      "rebiased >> kDropped");
  add("ties away from zero", kNarrow, "((1u << (kDropped - 1)) - 1) + ((rebiased >> kDropped) & 1)",
      "(1u << (kDropped - 1))");
  add("narrow denormals are zero", kNarrow, "return math::to_bits(sum) - kAlignerBits;",
      "return 0 * math::to_bits(sum);");
  add("overflow of narrow floats saturates", kNarrow,
      "(Narrow::kOverflow == Overflow::kSaturates ? Narrow::kLargest : Narrow::kInfinity)",
      "Narrow::kLargest");
  add("a NaN becomes infinity", kNarrow, "if (magnitude > 0x7f800000u) return Narrow::kNan;",
      "if (magnitude > 0x7f800000u) return Narrow::kInfinity;");
  add("infinity becomes the largest", kNarrow, "return sign | Narrow::kInfinity;",
      "return sign | Narrow::kLargest;");
  add("denormals of f16 are read as zero", kNarrow,
      "const float scaled = math::from_bits(magnitude << (23 - Narrow::kMantissaBits));",
      "const float scaled = math::from_bits(magnitude >> Narrow::kMantissaBits == 0 ? 0 : magnitude << (23 - "
      "Narrow::kMantissaBits));");
  add("products of bf16 are summed in bf16", kMma, "ptx::mma_m16n8k16_bf16(sums, a.word, b.word, where);",
      "ptx::mma_m16n8k16_bf16(sums, a.word, b.word, where);\n    for (int q = 0; q < 4; ++q) sums[q] = "
      "to_float(from_float<bf16>(sums[q]));");
  add("products of f16 are summed in f16", kMma, "ptx::mma_m16n8k16_f16(sums, a.word, b.word, where);",
      "ptx::mma_m16n8k16_f16(sums, a.word, b.word, where);\n    for (int q = 0; q < 4; ++q) sums[q] = "
      "to_float(from_float<f16>(sums[q]));");
  add("products of f64 are summed in f32", kMma, "ptx::mma_m16n8k8_f64(sums, a.at, b.at, where);",
      "ptx::mma_m16n8k8_f64(sums, a.at, b.at, where);\n    for (int q = 0; q < 4; ++q) sums[q] = "
      "static_cast<float>(sums[q]);");
  add("bf16 multiplied as f16", kMma, "ptx::mma_m16n8k16_bf16(", "ptx::mma_m16n8k16_f16(");
  add("signed bytes multiplied as unsigned", kMma, "ptx::mma_m16n8k32_s8(", "ptx::mma_m16n8k32_u8(");
  add("tf32 is cut, not rounded", kMma, "words[w] = ptx::cvt_rn_tf32(math::from_bits(words[w])).bits",
      "words[w] &= ~0u");
  faults.push_back({.name = "mul and add are contracted",
                    .group = kNumbers,
                    .options = {"-O2", "-march=haswell", "-ffp-contract=fast"}});
  add("exponent of a softmax in bf16", kGenerated, "argument[j] = to_float(x_row[i][j]) - max_c",
      "argument[j] = to_float(from_float<bf16>(to_float(x_row[i][j]) - max_c))");
  add("quotient by the reciprocal", "tessera/divisor.h",
      "return math::fma(math::fma(-b_, near, a), high_, near);", "return a * high_ + 0 * near;");
  add("quotient of integers towards zero", kInteger, "quotient - (inexact_and_negative ? 1 : 0)", "quotient");
  add("remainder with the sign of the dividend", kInteger,
      "return remainder != 0 && (remainder < 0) != (b < 0) ? static_cast<I>(remainder + b) : remainder;",
      "return remainder;");
  add("floats to integers wrap", kInteger, "if (x >= kPastHigh) return detail::kLargest<I>;",
      "if (x >= kPastHigh) return detail::kSmallest<I>;");
  add("floats to integers are rounded", kInteger, "return x == x ? static_cast<I>(x) : I{0};",
      "return x == x ? static_cast<I>(x + (x < 0 ? F(-0.5) : F(0.5))) : I{0};");
  add("a NaN as an integer is the largest", kInteger, "static_cast<I>(x) : I{0};",
      "static_cast<I>(x) : detail::kLargest<I>;");
  add("vectors of signed bytes as unsigned", "tessera/vector_math.h",
      "constexpr bool kIsSigned = static_cast<T>(-1) < 0;", "constexpr bool kIsSigned = false;");
  add("doubles to narrow floats are rounded twice", kNarrow, "from_float<T>(detail::round_to_odd(x))",
      "from_float<T>(static_cast<float>(x))");
}

}  // namespace tessera::planted
