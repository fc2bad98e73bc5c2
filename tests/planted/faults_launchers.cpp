// SPDX-License-Identifier: Apache-2.0
// Launchers: conditions of variants, checks of arguments, what a kernel is given.
#include "planted/fault.h"

namespace tessera::planted {

namespace {

constexpr const char* kCheck = "tessera/launch_check.h";

}  // namespace

void add_launcher_faults(std::vector<PlantedFault>& faults) {
  const auto add = [&](const char* name, const char* file, const char* text, const char* replacement,
                       int times = 1) {
    faults.push_back({.name = name, .group = kLaunchers, .edits = {{file, text, replacement, times}}});
  };
  add("variant without its condition on A", kGenerated, "aligned_lines(A, 1, 16)", "true");
  add("variant without its condition on x", kGenerated, "vector_access(x,",
      "sizeof(x) != 0 || vector_access(x,");
  add("condition asks for half of the alignment", kCheck,
      "is_multiple(reinterpret_cast<std::uintptr_t>(tensor.data), bytes)",
      "is_multiple(reinterpret_cast<std::uintptr_t>(tensor.data), bytes > 1 ? bytes / 2 : 1)");
  add("condition ignores where lines begin", kCheck,
      "    if (!detail::is_multiple(static_cast<std::uintptr_t>(apart), bytes)) return false;\n",
      "    static_cast<void>(apart);\n");
  add("condition ignores the stride of lines", kCheck,
      "  if (tensor.extent[dimension] > 1 && tensor.stride[dimension] != 1) return false;\n", "");
  add("condition ignores the length of lines", kCheck, "tensor.extent[dimension] % N == 0 && aligned_lines",
      "aligned_lines");
  add("condition asks for 8 bytes at most", kCheck, "bytes < 16 ? bytes : 16", "bytes < 8 ? bytes : 8");
  add("any variant is chosen", kCheck, " && conditions.begin()[variant]) return variant;",
      ") return variant;");
  add("extents are not compared", kCheck, "if (tensor.extent[dimension] == expected) return;", "return;");
  add("larger extents are accepted", kCheck, "if (tensor.extent[dimension] == expected) return;",
      "if (tensor.extent[dimension] >= expected) return;");
  add("extent of C is not compared", kGenerated, "check.extent(2, \"C\", C, 1, N, \"N\");", "");
  add("a symbol from the wrong dimension", kGenerated, "check.symbol(\"K\", 0, A, 1)",
      "check.symbol(\"K\", 0, A, 0)");
  add("arguments in another order", kGenerated, "view<bf16, 2>(C), M, K, N)", "view<bf16, 2>(C), M, N, K)");
  add("outputs may overlap", kGenerated, "check.outputs_are_disjoint();", "");
  add("overlap of the first byte alone", kCheck, "a_begin < b_begin + b_bytes && b_begin < a_begin + a_bytes",
      "a_begin < b_begin && b_begin < a_begin + a_bytes");
  add("dtypes are not compared", kCheck, "if (!same_dtype) return", "if (false) return");
  add("ranks are not compared", kCheck, "if (tensor.rank != rank) return", "if (false) return");
  add("negative strides are accepted", kCheck, "if (stride < 0) return", "if (false) return");
  add("elements of outputs on each other are accepted", kCheck, "if (stride < reach) return",
      "if (false) return");
  add("null is accepted", kCheck, "if (tensor.data == nullptr) return", "if (false) return");
  add("odd addresses are accepted", kCheck, "if (!detail::is_multiple(address, bytes))", "if (false)");
  add("nothing to write where an input is empty", kCheck,
      "if (argument.access != Access::in && !detail::is_empty(argument.tensor)) return false;",
      "if (detail::is_empty(argument.tensor)) return true;\n      if (argument.access != Access::in) return "
      "false;");
  add("half of the threads", "tessera/launch.h", "{blocks.count, threads.count, shared.bytes,",
      "{blocks.count, threads.count / 2, shared.bytes,");
  add("twice the threads", "tessera/launch.h", "{blocks.count, threads.count, shared.bytes,",
      "{blocks.count, threads.count * 2 > 1024 ? threads.count : threads.count * 2, shared.bytes,");
}

}  // namespace tessera::planted
