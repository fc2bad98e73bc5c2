// SPDX-License-Identifier: Apache-2.0
// Products as sums: IR text in, IR text out.
#include "catch.h"
#include "ir/samples.h"
#include "sema/ir/expand_products.h"
#include "sema/ir/text.h"
#include "sema/ir/verifier.h"

namespace tessera::ir {

namespace {

const std::string kHead = R"(  symbol M
  symbol K
  in a: i8[M, K]
  in f: f32[M, K]
  out c: i32[M]
  out d: f32[M]
  axis m: grid 0 .. M by auto over M
  axis k: loop 0 .. K by 4 over K
  axis K: let 0 .. K over K
)";

std::string kernel_of(const std::string& grid) { return "kernel k as k {\n" + kHead + grid + "}\n"; }

std::string expanded(const std::string& grid) {
  Kernel kernel = testing::parse_kernel(kernel_of(grid));
  REQUIRE(verify(kernel).empty());
  CHECK(ir::has_products(kernel));
  ir::expand_products(kernel);
  CHECK_FALSE(ir::has_products(kernel));
  CHECK(verify(kernel) == std::vector<std::string>{});
  return print(kernel);
}

}  // namespace

TEST_CASE("a product becomes a sum where it stood, in the type of the sum") {
  CHECK(expanded(R"(  grid m {
    %0: index[m] = coordinate m
    %1: index[K] = coordinate K
    %2: i8[m, K] = load a[%0, %1] in_bounds(0, 1)
    %3 p: i32[m] = dot[K] %2, %2
    write c[%0] = %3 in_bounds(0)
  }
)") == kernel_of(R"(  grid m {
    %0: index[m] = coordinate m
    %1: index[K] = coordinate K
    %2: i8[m, K] = load a[%0, %1] in_bounds(0, 1)
    %3: i32[m, K] = cast %2
    %4: i32[m, K] = cast %2
    %5: i32[m, K] = multiply %3, %4
    %6 p: i32[m] = reduce_sum[K] %5
    write c[%0] = %6 in_bounds(0)
  }
)"));
}

TEST_CASE("terms exist where both factors do, and other axes of the factors stay") {
  CHECK(expanded(R"(  grid m {
    %0: index[m] = coordinate m
    %1: index[K] = coordinate K
    %2: f32[m, K] = load f[%0, %1] in_bounds(0, 1)
    %3: index = constant 1
    %4: index[K] = add %1, %3
    %5: f32[m, K]? = load f[%0, %4] in_bounds(0)
    %6: f32[m] = dot[K] %5, %2
    write d[%0] = %6 in_bounds(0)
  }
)") == kernel_of(R"(  grid m {
    %0: index[m] = coordinate m
    %1: index[K] = coordinate K
    %2: f32[m, K] = load f[%0, %1] in_bounds(0, 1)
    %3: index = constant 1
    %4: index[K] = add %1, %3
    %5: f32[m, K]? = load f[%0, %4] in_bounds(0)
    %6: f32[m, K]? = multiply %5, %2
    %7: f32[m] = reduce_sum[K] %6
    write d[%0] = %7 in_bounds(0)
  }
)"));
}

TEST_CASE("products of loops and of products become sums") {
  Kernel kernel = testing::sample("products");
  ir::expand_products(kernel);
  CHECK_FALSE(ir::has_products(kernel));
  CHECK(verify(kernel) == std::vector<std::string>{});
  CHECK(expanded(R"(  variable s: f32[m]
  grid m {
    %0: f32 = constant 0.0
    declare s = %0
    %1: index[m] = coordinate m
    for k {
      %2: index[k] = coordinate k
      %3: index[K] = coordinate K
      %4: f32[m, K] = load f[%1, %3] in_bounds(0, 1)
      %5: f32[m, k] = load f[%1, %2] in_bounds(0, 1)
      %6: f32[m, k, K] = multiply %5, %4
      %7: f32[m, k] = dot[K] %6, %4
      %8: f32[m] = dot[k] %7, %5
      assign s = %8
    }
    %9: f32[m] = read s
    write d[%1] = %9 in_bounds(0)
  }
)") == kernel_of(R"(  variable s: f32[m]
  grid m {
    %0: f32 = constant 0.0
    declare s = %0
    %1: index[m] = coordinate m
    for k {
      %2: index[k] = coordinate k
      %3: index[K] = coordinate K
      %4: f32[m, K] = load f[%1, %3] in_bounds(0, 1)
      %5: f32[m, k] = load f[%1, %2] in_bounds(0, 1)
      %6: f32[m, k, K] = multiply %5, %4
      %7: f32[m, k, K] = multiply %6, %4
      %8: f32[m, k] = reduce_sum[K] %7
      %9: f32[m, k] = multiply %8, %5
      %10: f32[m] = reduce_sum[k] %9
      assign s = %10
    }
    %11: f32[m] = read s
    write d[%1] = %11 in_bounds(0)
  }
)"));
}

TEST_CASE("only products of rows become sums, and 8-bit factors f16") {
  const std::string head = R"(kernel k as k {
  symbol M
  symbol K
  in a: fp8_e4m3[M, K]
  in b: fp8_e5m2[M, K]
  out c: f32[M, M]
  out d: f32[M]
  axis m: grid 0 .. M by auto over M
  axis n: grid 0 .. M by auto over M
  axis K: let 0 .. K over K
)";
  Kernel kernel = testing::parse_kernel(head + R"(  grid m, n {
    %0: index[m] = coordinate m
    %1: index[n] = coordinate n
    %2: index[K] = coordinate K
    %3: fp8_e4m3[m, K] = load a[%0, %2] in_bounds(0, 1)
    %4: fp8_e5m2[n, K] = load b[%1, %2] in_bounds(0, 1)
    %5: f32[m, n] = dot[K] %3, %4
    %6: f32[m] = dot[K] %3, %3
    %7: f32[m, n] = add %5, %6
    write c[%0, %1] = %7 in_bounds(0, 1)
  }
}
)");
  CHECK(ir::has_row_products(kernel));
  CHECK(ir::has_narrow_factors(kernel));
  ir::expand_row_products(kernel);
  ir::widen_factors(kernel);
  CHECK_FALSE(ir::has_row_products(kernel));
  CHECK_FALSE(ir::has_narrow_factors(kernel));
  CHECK(verify(kernel) == std::vector<std::string>{});
  const std::string text = print(kernel);
  CHECK(text.find("f16[m, K] = cast %3") != std::string::npos);
  CHECK(text.find("f16[n, K] = cast %4") != std::string::npos);
  CHECK(text.find("f32[m] = reduce_sum[K]") != std::string::npos);
  CHECK(text.find("f32[m, n] = dot[K]") != std::string::npos);
}

}  // namespace tessera::ir
