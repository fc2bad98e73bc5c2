// SPDX-License-Identifier: Apache-2.0
// Affine forms of index expressions, and the axes on which a value depends.
#include "catch.h"
#include "ir/samples.h"
#include "sema/ir/affine.h"

namespace tessera::ir {

namespace {

const char kKernel[] = R"(kernel k as k {
  symbol M
  in x: i32[M]
  axis m: grid 0 .. M over M
  axis n: grid 0 .. M by auto over M
  axis c: let 0 .. 3
  grid m, n {
    %0: index = coordinate m
    %1: index[n] = coordinate n
    %2: index[c] = coordinate c
    %3: index = extent M
    %4: index = constant 2
    %5: index = multiply %4, %3
    %6: index[n] = multiply %5, %1
    %7: index[n] = add %6, %0
    %8: index[n, c] = subtract %7, %2
    %9: index[n] = multiply %1, %0
    %10: i32[n]? = load x[%1]
    %11: index[n]? = cast %10
    %12: index[n] = negate %1
    %13: index[n] = add %12, %1
    %14: i32 = constant 2147483647
    %15: i32 = add %14, %14
    %16: index = cast %14
    %17: index = divide %3, %4
    %18: index[n] = divide %1, %4
    %19: index[n] = reduce_sum[c] %8
  }
})";

struct Fixture {
  Kernel kernel = testing::parse_kernel(kKernel);
  const AxisId m{0}, n{1}, c{2};

  std::optional<Affine> form(uint32_t value) { return affine_form(kernel, kernel.sizes, ValueId(value)); }
  std::string spell(SizeId id) {
    return kernel.sizes.spell(id, [](SymbolId) { return "M"; });
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "affine forms gather coefficients by axis") {
  const std::optional<Affine> sum = form(8);  // 2*M*n + m - c
  REQUIRE(sum);
  REQUIRE(sum->terms.size() == 3);
  REQUIRE(spell(sum->offset) == "0");
  REQUIRE(spell(*sum->coefficient(m)) == "1");
  REQUIRE(spell(*sum->coefficient(n)) == "2*M");
  REQUIRE(spell(*sum->coefficient(c)) == "-1");
}

TEST_CASE_METHOD(Fixture, "terms that cancel are gone") {
  REQUIRE(form(13));
  REQUIRE(form(13)->terms.empty());
  REQUIRE_FALSE(form(13)->coefficient(n));
}

TEST_CASE_METHOD(Fixture, "sizes may be divided, axes may not") {
  REQUIRE(spell(form(17)->offset) == "M/2");
  REQUIRE_FALSE(form(18));
  REQUIRE_FALSE(form(9));
}

TEST_CASE_METHOD(Fixture, "data and wrapping arithmetic have no affine form") {
  REQUIRE_FALSE(form(10));
  REQUIRE_FALSE(form(11));
  REQUIRE_FALSE(form(15));
  REQUIRE(spell(form(16)->offset) == "2147483647");
}

TEST_CASE_METHOD(Fixture, "free axes include the scalar ranges below a value") {
  REQUIRE(free_axes(kernel, ValueId(8)) == std::vector{m, n, c});
  REQUIRE(free_axes(kernel, ValueId(1)) == std::vector{n});
  REQUIRE(free_axes(kernel, ValueId(19)) == std::vector{m, n});
  REQUIRE(free_axes(kernel, ValueId(3)).empty());
}

}  // namespace tessera::ir
