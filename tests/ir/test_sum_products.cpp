// SPDX-License-Identifier: Apache-2.0
// Products of one sum, and of one axis: IR text in, IR text out.
#include "catch.h"
#include "ir/samples.h"
#include "sema/ir/join_products.h"
#include "sema/ir/sum_products.h"
#include "sema/ir/text.h"
#include "sema/ir/verifier.h"

namespace tessera::ir {

namespace {

const std::string kTensors = R"(  symbol M
  symbol K
  symbol L
  in a: bf16[M, K]
  in b: bf16[M, K]
  in c: bf16[M, L]
  out y: f32[M, M]
  out z: f32[M, M]
  axis m: grid 0 .. M by auto over M
  axis n: grid 0 .. M by auto over M
)";
const std::string kAxes = kTensors + R"(  axis K: let 0 .. K over K
  axis L: let 0 .. L over L
)";

std::string kernel_of(const std::string& head, const std::string& body) {
  return "kernel k as k {\n" + head + body + "}\n";
}

template <typename Pass>
std::string after(const Pass& pass, const std::string& text) {
  Kernel kernel = testing::parse_kernel(text);
  REQUIRE(verify(kernel).empty());
  pass(kernel);
  CHECK(verify(kernel) == std::vector<std::string>{});
  return print(kernel);
}

/// Factors of rows m and columns n: %4 and %5 along K, %7 and %8 along L.
const std::string kFactors = R"(    %0: index[m] = coordinate m
    %1: index[n] = coordinate n
    %2: index[K] = coordinate K
    %3: bf16[m, K] = load a[%0, %2] in_bounds(0, 1)
    %4: bf16[n, K] = load b[%1, %2] in_bounds(0, 1)
    %5: index[L] = coordinate L
    %6: bf16[m, L] = load c[%0, %5] in_bounds(0, 1)
    %7: bf16[n, L] = load c[%1, %5] in_bounds(0, 1)
)";

}  // namespace

TEST_CASE("a sum of products alone gets a variable, other terms keep their place") {
  CHECK(after(sum_products_in_place,
              kernel_of(kAxes, "  grid m, n {\n" + kFactors + R"(    %8: f32[m, n] = dot[K] %3, %4
    %9: f32[m, n] = dot[L] %6, %7
    %10: f32[m, n] = add %8, %9
    %11: f32 = constant 2.0
    %12: f32[m, n] = add %10, %11
    write y[%0, %1] = %12 in_bounds(0, 1)
  }
)")) == kernel_of(kAxes + "  variable sums: f32[m, n]\n",
                  "  grid m, n {\n" + kFactors + R"(    %8: f32[m, n] = dot[K] %3, %4
    %9: f32[m, n] = dot[L] %6, %7
    %10: f32 = constant 0.0
    declare sums = %10
    %11: f32[m, n] = read sums
    %12: f32[m, n] = add %11, %8
    assign sums = %12
    %13: f32[m, n] = read sums
    %14: f32[m, n] = add %13, %9
    assign sums = %14
    %15: f32[m, n] = read sums
    %16: f32 = constant 2.0
    %17: f32[m, n] = add %15, %16
    write y[%0, %1] = %17 in_bounds(0, 1)
  }
)"));
}

TEST_CASE("an assignment adds one product after the other") {
  const std::string head = kAxes + "  variable v: f32[m, n]\n";
  CHECK(after(sum_products_in_place,
              kernel_of(head, "  grid m, n {\n" + kFactors + R"(    %8: f32 = constant 1.0
    declare v = %8
    %9: f32[m, n] = read v
    %10: f32[m, n] = dot[K] %3, %4
    %11: f32[m, n] = dot[L] %6, %7
    %12: f32[m, n] = add %10, %11
    %13: f32[m, n] = add %9, %12
    assign v = %13
    %14: f32[m, n] = read v
    write y[%0, %1] = %14 in_bounds(0, 1)
  }
)")) == kernel_of(head, "  grid m, n {\n" + kFactors + R"(    %8: f32 = constant 1.0
    declare v = %8
    %9: f32[m, n] = read v
    %10: f32[m, n] = dot[K] %3, %4
    %11: f32[m, n] = dot[L] %6, %7
    %12: f32[m, n] = add %9, %10
    assign v = %12
    %13: f32[m, n] = read v
    %14: f32[m, n] = add %13, %11
    assign v = %14
    %15: f32[m, n] = read v
    write y[%0, %1] = %15 in_bounds(0, 1)
  }
)"));
}

TEST_CASE("products are subtracted one after the other, but only of floats, and nothing else is") {
  CHECK(after(sum_products_in_place,
              kernel_of(kAxes, "  grid m, n {\n" + kFactors + R"(    %8: f32[m, n] = dot[K] %3, %4
    %9: f32[m, n] = dot[L] %6, %7
    %10: f32[m, n] = subtract %8, %9
    write y[%0, %1] = %10 in_bounds(0, 1)
  }
)")) == kernel_of(kAxes + "  variable sums: f32[m, n]\n",
                  "  grid m, n {\n" + kFactors + R"(    %8: f32[m, n] = dot[K] %3, %4
    %9: f32[m, n] = dot[L] %6, %7
    %10: f32 = constant 0.0
    declare sums = %10
    %11: f32[m, n] = read sums
    %12: f32[m, n] = add %11, %8
    assign sums = %12
    %13: f32[m, n] = read sums
    %14: f32[m, n] = subtract %13, %9
    assign sums = %14
    %15: f32[m, n] = read sums
    write y[%0, %1] = %15 in_bounds(0, 1)
  }
)"));
  const std::string head = kAxes + "  variable v: f32[m, n]\n";
  const std::string begin = "  grid m, n {\n" + kFactors + R"(    %8: f32 = constant 1.0
    declare v = %8
    %9: f32[m, n] = read v
    %10: f32[m, n] = dot[K] %3, %4
    %11: f32[m, n] = dot[L] %6, %7
)";
  CHECK(after(sum_products_in_place, kernel_of(head, begin + R"(    %12: f32[m, n] = add %10, %11
    %13: f32[m, n] = subtract %9, %12
    assign v = %13
    %14: f32[m, n] = read v
    write y[%0, %1] = %14 in_bounds(0, 1)
  }
)")) == kernel_of(head, begin + R"(    %12: f32[m, n] = subtract %9, %10
    assign v = %12
    %13: f32[m, n] = read v
    %14: f32[m, n] = subtract %13, %11
    assign v = %14
    %15: f32[m, n] = read v
    write y[%0, %1] = %15 in_bounds(0, 1)
  }
)"));
  const std::string turned = kernel_of(head, begin + R"(    %12: f32[m, n] = add %10, %11
    %13: f32[m, n] = subtract %12, %9
    assign v = %13
    %14: f32[m, n] = read v
    write y[%0, %1] = %14 in_bounds(0, 1)
  }
)");
  CHECK(after(sum_products_in_place, turned).find("subtract") != std::string::npos);
  std::string of_integers =
      kernel_of(kAxes, "  grid m, n {\n" + kFactors + R"(    %8: i32[m, n] = dot[K] %3, %4
    %9: i32[m, n] = dot[L] %6, %7
    %10: i32[m, n] = subtract %8, %9
    %11: f32[m, n] = cast %10
    write y[%0, %1] = %11 in_bounds(0, 1)
  }
)");
  for (size_t at = of_integers.find("bf16"); at != std::string::npos; at = of_integers.find("bf16"))
    of_integers.replace(at, 4, "i8");
  CHECK(after(sum_products_in_place, of_integers) == of_integers);
}

TEST_CASE("a product that something else needs stays as it is") {
  const std::string text =
      kernel_of(kAxes, "  grid m, n {\n" + kFactors + R"(    %8: f32[m, n] = dot[K] %3, %4
    %9: f32[m, n] = dot[L] %6, %7
    %10: f32[m, n] = add %8, %9
    write y[%0, %1] = %10 in_bounds(0, 1)
    write z[%0, %1] = %8 in_bounds(0, 1)
  }
)");
  CHECK(after(sum_products_in_place, text) == text);
  CHECK(after(join_products, text) == text);
}

namespace {

/// Factors along K alone.
const std::string kAlongK = R"(    %0: index[m] = coordinate m
    %1: index[n] = coordinate n
    %2: index[K] = coordinate K
    %3: bf16[m, K] = load a[%0, %2] in_bounds(0, 1)
    %4: bf16[n, K] = load b[%1, %2] in_bounds(0, 1)
)";
const std::string kAxis = "  axis K: let 0 .. K over K\n";

}  // namespace

TEST_CASE("a difference of products over one axis is summed in its loop") {
  CHECK(after(join_products,
              kernel_of(kTensors + kAxis, "  grid m, n {\n" + kAlongK + R"(    %5: f32[m, n] = dot[K] %3, %4
    %6: bf16[m, K] = load b[%0, %2] in_bounds(0, 1)
    %7: f32[m, n] = dot[K] %6, %4
    %8: f32[m, n] = subtract %5, %7
    write y[%0, %1] = %8 in_bounds(0, 1)
  }
)")) == kernel_of(kTensors + "  axis K: loop 0 .. K by auto over K\n  variable sums: f32[m, n]\n",
                  R"(  grid m, n {
    %0: index[m] = coordinate m
    %1: index[n] = coordinate n
    %2: f32 = constant 0.0
    declare sums = %2
    for K {
      %3: index[K] = coordinate K
      %4: bf16[m, K] = load a[%0, %3] in_bounds(0, 1)
      %5: bf16[n, K] = load b[%1, %3] in_bounds(0, 1)
      %6: f32[m, n] = dot[K] %4, %5
      %7: f32[m, n] = read sums
      %8: f32[m, n] = add %7, %6
      assign sums = %8
      %9: bf16[m, K] = load b[%0, %3] in_bounds(0, 1)
      %10: f32[m, n] = dot[K] %9, %5
      %11: f32[m, n] = read sums
      %12: f32[m, n] = subtract %11, %10
      assign sums = %12
    }
    %13: f32[m, n] = read sums
    write y[%0, %1] = %13 in_bounds(0, 1)
  }
)"));
}

TEST_CASE("products over one axis share its loop, and what needs one of them stands behind it") {
  CHECK(after(join_products,
              kernel_of(kTensors + kAxis, "  grid m, n {\n" + kAlongK + R"(    %5 g: f32[m, n] = dot[K] %3, %4
    %6: f32[m, n] = exp %5
    %7: bf16[m, K] = load b[%0, %2] in_bounds(0, 1)
    %8: f32[m, n] = dot[K] %7, %4
    %9: f32[m, n] = multiply %6, %8
    write y[%0, %1] = %9 in_bounds(0, 1)
  }
)")) ==
        kernel_of(
            kTensors +
                "  axis K: loop 0 .. K by auto over K\n  variable g: f32[m, n]\n  variable sums: f32[m, n]\n",
            R"(  grid m, n {
    %0: index[m] = coordinate m
    %1: index[n] = coordinate n
    %2: f32 = constant 0.0
    declare g = %2
    %3: f32 = constant 0.0
    declare sums = %3
    for K {
      %4: index[K] = coordinate K
      %5: bf16[m, K] = load a[%0, %4] in_bounds(0, 1)
      %6: bf16[n, K] = load b[%1, %4] in_bounds(0, 1)
      %7: f32[m, n] = dot[K] %5, %6
      %8: f32[m, n] = read g
      %9: f32[m, n] = add %8, %7
      assign g = %9
      %10: bf16[m, K] = load b[%0, %4] in_bounds(0, 1)
      %11: f32[m, n] = dot[K] %10, %6
      %12: f32[m, n] = read sums
      %13: f32[m, n] = add %12, %11
      assign sums = %13
    }
    %14 g: f32[m, n] = read g
    %15: f32[m, n] = exp %14
    %16: f32[m, n] = read sums
    %17: f32[m, n] = multiply %15, %16
    write y[%0, %1] = %17 in_bounds(0, 1)
  }
)"));
}

TEST_CASE("products do not share a loop with what else walks over the axis, nor where one needs another") {
  const std::string folded =
      kernel_of(kTensors + kAxis, "  grid m, n {\n" + kAlongK + R"(    %5: f32[m, n] = dot[K] %3, %4
    %6: f32[m, n] = dot[K] %4, %3
    %7: f32[m, K] = cast %3
    %8: f32[m] = reduce_sum[K] %7
    %9: f32[m, n] = multiply %5, %6
    %10: f32[m, n] = multiply %9, %8
    write y[%0, %1] = %10 in_bounds(0, 1)
  }
)");
  CHECK(after(join_products, folded) == folded);
  const std::string chained =
      kernel_of(kTensors + kAxis, "  grid m, n {\n" + kAlongK + R"(    %5: f32[m, n] = dot[K] %3, %4
    %6: bf16[m, n] = cast %5
    %7: bf16[n, K] = load a[%1, %2] in_bounds(0, 1)
    %8: f32[m, K] = dot[n] %6, %7
    %9: bf16[m, K] = cast %8
    %10: f32[m, n] = dot[K] %9, %4
    write y[%0, %1] = %10 in_bounds(0, 1)
  }
)");
  CHECK(after(join_products, chained) == chained);
}

}  // namespace tessera::ir
