// SPDX-License-Identifier: Apache-2.0
// Evaluates every elementary function, conversion and integer rule on the GPU and on the host and compares
// bit by bit (NaN with NaN). Prints a line per function with its throughput; the exit code is 1 if anything
// differs.
//
//   nvcc -std=c++17 -O2 -fmad=false -arch=sm_90 -Xcompiler -ffp-contract=off -I runtime/include
//        tests/math/math_gpu.cu -o math_gpu && ./math_gpu
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <type_traits>
#include <vector>

#include "tessera/integer.h"
#include "tessera/math.h"
#include "tessera/math/info.h"
#include "tessera/narrow.h"

namespace {

namespace math = tessera::math;
namespace integer = tessera::integer;

constexpr int kCount = 1 << 24;
constexpr int kRepeats = 5;
constexpr int kThreads = 256;
/// The exit code that CTest takes for a skipped test.
constexpr int kSkipped = 77;

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(2);
}

/// A well mixed 64-bit number for every index (splitmix64).
TESSERA_HD std::uint64_t mixed(std::uint64_t index) {
  std::uint64_t z = (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// The argument number `index` of an operation: half of them any bit pattern, half of moderate size.
TESSERA_HD float argument(std::uint64_t index, float) {
  const std::uint64_t bits = mixed(index);
  if (index % 2 == 0) return math::from_bits(static_cast<std::uint32_t>(bits));
  return static_cast<float>(static_cast<std::int32_t>(bits)) *
         math::from_bits(static_cast<std::uint32_t>(90 + (bits >> 40) % 24) << 23);
}
TESSERA_HD double argument(std::uint64_t index, double) {
  const std::uint64_t bits = mixed(index);
  if (index % 2 == 0) return math::from_bits(bits);
  return static_cast<double>(static_cast<std::int64_t>(bits)) *
         math::from_bits((950 + (mixed(bits) >> 40) % 24) << 52);
}
template <typename I, std::enable_if_t<std::is_integral_v<I>, int> = 0>
TESSERA_HD I argument(std::uint64_t index, I) {
  const std::uint64_t bits = mixed(index);
  return static_cast<I>(bits >> (mixed(bits) % 64));
}

/// One operation of up to three arguments of type In; a functor so that host and device compile the same
/// body.
#define OPERATION(name, In, Out, expression)        \
  struct name {                                     \
    using Input = In;                               \
    using Output = Out;                             \
    static constexpr const char* kName = #name;     \
    TESSERA_HD static Out apply(In a, In b, In c) { \
      static_cast<void>(b), static_cast<void>(c);   \
      return expression;                            \
    }                                               \
  };

#define UNARY(function)                                      \
  OPERATION(function##_f32, float, float, math::function(a)) \
  OPERATION(function##_f64, double, double, math::function(a))

UNARY(exp)
UNARY(exp2)
UNARY(expm1)
UNARY(log)
UNARY(log2)
UNARY(log1p)
UNARY(sqrt)
UNARY(rsqrt)
UNARY(sin)
UNARY(cos)
UNARY(tanh)
UNARY(erf)
UNARY(sigmoid)
UNARY(silu)
UNARY(relu)
UNARY(gelu)
UNARY(gelu_tanh)
UNARY(abs)
UNARY(floor)
UNARY(ceil)
UNARY(round)
UNARY(trunc)
OPERATION(round_tf32, float, float, math::round_tf32(a))
OPERATION(exp_fast, float, float, math::exp_fast(a))
OPERATION(exp2_fast, float, float, math::exp2_fast(a))
OPERATION(div_fast, float, float, math::div_fast(a, b))
OPERATION(divide_f32, float, float, a / b)
OPERATION(divide_f64, double, double, a / b)
OPERATION(pow_f32, float, float, math::pow(a, b))
OPERATION(pow_f64, double, double, math::pow(a, b))
OPERATION(min_f32, float, float, math::min(a, b))
OPERATION(min_f64, double, double, math::min(a, b))
OPERATION(max_f32, float, float, math::max(a, b))
OPERATION(max_f64, double, double, math::max(a, b))
OPERATION(clamp_f32, float, float, math::clamp(a, b, c))
OPERATION(fma_f32, float, float, math::fma(a, b, c))
OPERATION(fma_f64, double, double, math::fma(a, b, c))

/// Two floats as fp8, as vectors of them are rounded.
template <typename T>
TESSERA_HD std::uint32_t pair(float low, float high) {
#if TESSERA_DEVICE_ARCH >= 890
  using namespace tessera::detail;
  if (is_fixed_by_device<T>(low) && is_fixed_by_device<T>(high)) return convert_pair<T>(low, high);
#endif
  return tessera::from_float<T>(low).bits | static_cast<std::uint32_t>(tessera::from_float<T>(high).bits)
                                                << 8;
}

/// One of two numbers of fp8, as vectors of them are widened.
template <typename T>
TESSERA_HD float widened(std::uint32_t bits, bool is_high) {
#if TESSERA_DEVICE_ARCH >= 890
  float low, high;
  tessera::detail::widen_pair<T>(bits, low, high);
  return is_high ? high : low;
#else
  return tessera::to_float(T{static_cast<std::uint8_t>(is_high ? bits >> 8 : bits)});
#endif
}

OPERATION(to_bf16, float, std::uint32_t, tessera::from_float<tessera::bf16>(a).bits)
OPERATION(to_f16, float, std::uint32_t, tessera::from_float<tessera::f16>(a).bits)
OPERATION(to_e4m3, float, std::uint32_t, tessera::from_float<tessera::fp8_e4m3>(a).bits)
OPERATION(to_e5m2, float, std::uint32_t, tessera::from_float<tessera::fp8_e5m2>(a).bits)
OPERATION(pair_to_e4m3, float, std::uint32_t, pair<tessera::fp8_e4m3>(a, b))
OPERATION(pair_to_e5m2, float, std::uint32_t, pair<tessera::fp8_e5m2>(a, b))
OPERATION(pair_of_e4m3, std::uint32_t, float, widened<tessera::fp8_e4m3>(a, b % 2 == 1))
OPERATION(pair_of_e5m2, std::uint32_t, float, widened<tessera::fp8_e5m2>(a, b % 2 == 1))
OPERATION(double_to_bf16, double, std::uint32_t, tessera::from_double<tessera::bf16>(a).bits)
OPERATION(double_to_f16, double, std::uint32_t, tessera::from_double<tessera::f16>(a).bits)
OPERATION(double_to_e4m3, double, std::uint32_t, tessera::from_double<tessera::fp8_e4m3>(a).bits)
OPERATION(from_bf16, std::uint32_t, float, tessera::to_float(tessera::bf16{static_cast<std::uint16_t>(a)}))
OPERATION(from_f16, std::uint32_t, float, tessera::to_float(tessera::f16{static_cast<std::uint16_t>(a)}))
OPERATION(from_e4m3, std::uint32_t, float, tessera::to_float(tessera::fp8_e4m3{static_cast<std::uint8_t>(a)}))
OPERATION(from_e5m2, std::uint32_t, float, tessera::to_float(tessera::fp8_e5m2{static_cast<std::uint8_t>(a)}))

OPERATION(divide_i32, std::int32_t, std::int32_t, integer::divide(a, b))
OPERATION(divide_i64, std::int64_t, std::int64_t, integer::divide(a, b))
OPERATION(divide_i8, std::int8_t, std::int8_t, integer::divide(a, b))
OPERATION(modulo_i32, std::int32_t, std::int32_t, integer::modulo(a, b))
OPERATION(modulo_i64, std::int64_t, std::int64_t, integer::modulo(a, b))
OPERATION(shift_left_i32, std::int32_t, std::int32_t, integer::shift_left(a, b))
OPERATION(shift_right_i16, std::int16_t, std::int16_t, integer::shift_right(a, b))
OPERATION(float_to_i32, float, std::int32_t, integer::from_float<std::int32_t>(a))
OPERATION(float_to_u8, float, std::uint8_t, integer::from_float<std::uint8_t>(a))
OPERATION(float_to_u64, float, std::uint64_t, integer::from_float<std::uint64_t>(a))
OPERATION(double_to_i64, double, std::int64_t, integer::from_float<std::int64_t>(a))
OPERATION(i64_to_float, std::int64_t, float, integer::to_float<float>(a))
OPERATION(u64_to_bf16, std::uint64_t, std::uint32_t, integer::to_float<tessera::bf16>(a).bits)

template <typename Operation>
TESSERA_HD typename Operation::Output evaluate(std::uint64_t index) {
  using Input = typename Operation::Input;
  return Operation::apply(argument(3 * index, Input{}), argument(3 * index + 1, Input{}),
                          argument(3 * index + 2, Input{}));
}

template <typename Operation>
__global__ void evaluate_on_device(typename Operation::Output* results) {
  const std::uint64_t index = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
  if (index < kCount) results[index] = evaluate<Operation>(index);
}

/// For the throughput: the function applied again and again to moderate arguments, nothing but it in the
/// loop.
template <typename Operation>
__global__ void spin(typename Operation::Output* results, int rounds) {
  using Input = typename Operation::Input;
  const std::uint64_t index = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
  constexpr Input kStep = std::is_integral_v<Input> ? Input(1) : Input(0.015625);
  Input x = static_cast<Input>(index % 1024 + 1) / static_cast<Input>(400);
  auto kept = Operation::apply(x, x, x);
  for (int i = 0; i < rounds; ++i) {
    x = static_cast<Input>(x + kStep);
    const auto value = Operation::apply(x, x, x);
    kept = value > kept ? value : kept;
  }
  results[index] = kept;
}

template <typename T>
bool same_bits(T a, T b) {
  if (a != a && b != b) return true;
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// Whether results agree: bit by bit, but for the exponential of a GPU, which shares its bound with the host's and not
/// its bits.
template <typename Operation>
bool agree(typename Operation::Output device, std::uint64_t index) {
  const auto host = evaluate<Operation>(index);
  if constexpr (std::is_same_v<Operation, exp_fast> || std::is_same_v<Operation, exp2_fast>) {
    const double x = argument(3 * index, float{}), largest = 0x1.fp127, least = 0x1p-124;
    if (device != device || host != host) return device != device && host != host;
    if (host >= largest || device >= largest) return host >= largest && device >= largest;
    return std::abs(double{device} - host) <= 0x1p-19 * (1 + std::abs(x)) * host + (host < least ? least : 0);
  }
  return same_bits(device, host);
}

/// The device's results for every index, compared with the host's; returns the number that differ and one of
/// them.
template <typename Operation>
long count_mismatches(const std::vector<typename Operation::Output>& device, std::uint64_t* example) {
  const int workers = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::vector<long> counts(workers, 0);
  std::vector<std::uint64_t> examples(workers, 0);
  std::vector<std::thread> threads;
  for (int worker = 0; worker < workers; ++worker) {
    threads.emplace_back([&, worker] {
      for (std::uint64_t i = worker; i < kCount; i += workers) {
        if (agree<Operation>(device[i], i)) continue;
        counts[worker] += 1;
        examples[worker] = i;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  long total = 0;
  for (int worker = 0; worker < workers; ++worker) {
    total += counts[worker];
    if (counts[worker] > 0) *example = examples[worker];
  }
  return total;
}

template <typename Operation>
double results_per_second(typename Operation::Output* results) {
  constexpr int kRounds = 64;
  cudaEvent_t start, stop;
  check(cudaEventCreate(&start), "event");
  check(cudaEventCreate(&stop), "event");
  float best = INFINITY;
  for (int i = 0; i < kRepeats; ++i) {
    check(cudaEventRecord(start), "record");
    spin<Operation><<<kCount / kThreads, kThreads>>>(results, kRounds);
    check(cudaEventRecord(stop), "record");
    check(cudaEventSynchronize(stop), "throughput kernel");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start, stop), "elapsed time");
    best = milliseconds < best ? milliseconds : best;
  }
  check(cudaEventDestroy(start), "event");
  check(cudaEventDestroy(stop), "event");
  return static_cast<double>(kCount) * (kRounds + 1) / (best * 1e-3);
}

/// Prints the line of one operation; true if host and device agree.
template <typename Operation>
bool compare() {
  using Output = typename Operation::Output;
  Output* results = nullptr;
  check(cudaMalloc(&results, sizeof(Output) * kCount), "cudaMalloc");
  evaluate_on_device<Operation><<<kCount / kThreads, kThreads>>>(results);
  check(cudaGetLastError(), "launch");
  std::vector<Output> on_host(kCount);
  check(cudaMemcpy(on_host.data(), results, sizeof(Output) * kCount, cudaMemcpyDeviceToHost),
        "comparison kernel");
  std::uint64_t example = 0;
  const long mismatches = count_mismatches<Operation>(on_host, &example);
  const double rate = results_per_second<Operation>(results);
  check(cudaFree(results), "cudaFree");
  std::printf("%-16s %10ld %14.1f\n", Operation::kName, mismatches, rate * 1e-9);
  if (mismatches > 0) {
    using Input = typename Operation::Input;
    std::printf("  (%.17g, %.17g): device %.17g, host %.17g\n",
                static_cast<double>(argument(3 * example, Input{})),
                static_cast<double>(argument(3 * example + 1, Input{})),
                static_cast<double>(on_host[example]), static_cast<double>(evaluate<Operation>(example)));
  }
  std::fflush(stdout);
  return mismatches == 0;
}

template <typename... Operations>
bool compare_all() {
  bool all = true;
  ((all = compare<Operations>() && all), ...);
  return all;
}

#define BOTH(function) function##_f32, function##_f64

bool compare_functions() {
  return compare_all<BOTH(exp), BOTH(exp2), BOTH(expm1), BOTH(log), BOTH(log2), BOTH(log1p), BOTH(pow),
                     BOTH(sqrt), BOTH(rsqrt), BOTH(sin), BOTH(cos), BOTH(tanh), BOTH(erf), BOTH(sigmoid),
                     BOTH(silu), BOTH(relu), BOTH(gelu), BOTH(gelu_tanh), BOTH(abs), BOTH(floor), BOTH(ceil),
                     BOTH(round), BOTH(trunc), round_tf32, BOTH(min), BOTH(max), clamp_f32, BOTH(fma),
                     BOTH(divide), exp_fast, exp2_fast, div_fast>();
}

bool compare_conversions() {
  return compare_all<to_bf16, to_f16, to_e4m3, to_e5m2, pair_to_e4m3, pair_to_e5m2, pair_of_e4m3,
                     pair_of_e5m2, double_to_bf16, double_to_f16, double_to_e4m3, from_bf16, from_f16,
                     from_e4m3, from_e5m2, float_to_i32, float_to_u8, float_to_u64, double_to_i64,
                     i64_to_float, u64_to_bf16>();
}

bool compare_integers() {
  return compare_all<divide_i32, divide_i64, divide_i8, modulo_i32, modulo_i64, shift_left_i32,
                     shift_right_i16>();
}

}  // namespace

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("no CUDA device");
    return kSkipped;
  }
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0), "device");
  std::printf("%s, %d arguments each\n%-16s %10s %14s\n", device.name, kCount, "function", "mismatches",
              "10^9 results/s");
  const bool functions = compare_functions();
  const bool conversions = compare_conversions();
  const bool integers = compare_integers();
  const bool all = functions && conversions && integers;
  std::puts(all ? "host and device agree" : "HOST AND DEVICE DISAGREE");
  return all ? 0 : 1;
}
