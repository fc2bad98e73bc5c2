// SPDX-License-Identifier: Apache-2.0
// Loops that only sum: IR text in, IR text out.
#include "catch.h"
#include "ir/samples.h"
#include "sema/ir/fold_loops.h"
#include "sema/ir/text.h"
#include "sema/ir/verifier.h"

namespace tessera::ir {

namespace {

const std::string kHead = R"(kernel k as k {
  symbol M
  symbol K
  in a: bf16[M, K]
  in b: bf16[M, K]
  out y: f32[M, M]
  axis m: grid 0 .. M by auto over M
  axis n: grid 0 .. M by auto over M
)";

/// %4: the sum of a row.
const std::string kRows = R"(  grid m, n {
    %0: index[m] = coordinate m
    %1: index[K] = coordinate K
    %2: bf16[m, K] = load a[%0, %1] in_bounds(0, 1)
    %3: f32[m, K] = cast %2
    %4: f32[m] = reduce_sum[K] %3
)";

std::string after(const std::string& text) {
  Kernel kernel = testing::parse_kernel(text);
  REQUIRE(verify(kernel).empty());
  const bool has_folded = fold_loops(kernel);
  CHECK(verify(kernel) == std::vector<std::string>{});
  CHECK(has_folded == (print(kernel) != text));
  return print(kernel);
}

/// `let rows = sum[K](a[m, :]); var s = 0; for k in K by auto { s += dot(a[m, k], b[n, k]); } y[m, n] = s * rows;`
std::string kernel_of(const std::string& axis, const std::string& initial, const std::string& operation,
                      const std::string& between = "") {
  const auto value = [&](int number) { return "%" + std::to_string(number + (between.empty() ? 0 : 1)); };
  return kHead + "  axis K: let 0 .. K over K\n  axis k: loop 0 .. K " + axis + R"( over K
  variable s: f32[m, n]
)" + kRows +
         "    %5: f32 = constant " + initial + R"(
    declare s = %5
    for k {
      %6: f32[m, n] = read s
      %7: index[n] = coordinate n
      %8: index[k] = coordinate k
      %9: bf16[m, k] = load a[%0, %8] in_bounds(0, 1)
      %10: bf16[n, k] = load b[%7, %8] in_bounds(0, 1)
      %11: f32[m, n] = dot[k] %9, %10
      %12: f32[m, n] = )" +
         operation + " %6, %11\n      assign s = %12\n" + between + "    }\n    " + value(13) +
         ": f32[m, n] = read s\n    " + value(14) + ": f32[m, n] = multiply " + value(13) + ", %4\n    " +
         value(15) + ": index[n] = coordinate n\n    write y[%0, " + value(15) + "] = " + value(14) +
         " in_bounds(0, 1)\n  }\n}\n";
}

}  // namespace

TEST_CASE("a sum from zero in a loop is named, along the axis of others") {
  CHECK(after(kernel_of("by auto", "0.0", "add")) == kHead + R"(  axis K: let 0 .. K over K
  axis k: let 0 .. K over K
  variable s: f32[m, n]
)" + kRows + R"(    %5: f32 = constant 0.0
    %6: index[n] = coordinate n
    %7: index[K] = coordinate K
    %8: bf16[m, K] = load a[%0, %7] in_bounds(0, 1)
    %9: bf16[n, K] = load b[%6, %7] in_bounds(0, 1)
    %10 s: f32[m, n] = dot[K] %8, %9
    %11: f32[m, n] = multiply %10, %4
    %12: index[n] = coordinate n
    write y[%0, %12] = %11 in_bounds(0, 1)
  }
}
)");
}

TEST_CASE("what is subtracted, or added to something, keeps its variable") {
  for (const auto& [initial, operation] : {std::pair{"1.0", "add"}, {"0.0", "subtract"}}) {
    const std::string text = after(kernel_of("by auto", initial, operation));
    CHECK(text.find("for k") == std::string::npos);
    CHECK(text.find("declare s") != std::string::npos);
    CHECK(text.find(std::string(operation) + " %6, %11") != std::string::npos);
    CHECK(text.find("dot[K]") != std::string::npos);
  }
}

TEST_CASE("loops stay whose tiles somebody asked for, and which multiply, or read what they add to") {
  for (const std::string& text : {kernel_of("by 32", "0.0", "add"), kernel_of("by auto = 32", "0.0", "add"),
                                  kernel_of("by BK", "0.0", "add"), kernel_of("by auto", "0.0", "multiply"),
                                  kernel_of("by auto", "0.0", "add", "      %13: f32[m, n] = read s\n")})
    CHECK(after(text) == text);
}

}  // namespace tessera::ir
