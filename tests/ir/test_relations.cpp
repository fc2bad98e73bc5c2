// SPDX-License-Identifier: Apache-2.0
// Relations in the IR: their text, what a condition says about axes, and which loops end by one.
#include "catch.h"
#include "ir/samples.h"
#include "sema/ir/text.h"
#include "sema/ir/verifier.h"
#include "sema/ir/without_points.h"

namespace tessera::ir {

namespace {

std::string kernel_with(const std::string& axis, const std::string& round) {
  return "kernel k as k {\n"
         "  symbol S\n"
         "  symbol T\n"
         "  in p: f32[S, T]\n"
         "  out y: f32[S]\n"
         "  scalar w: i32\n"
         "  axis s: grid 0 .. S by auto over S\n"
         "  axis t: loop 0 .. T by BT over T" +
         axis +
         "\n"
         "  variable total: f32[s]\n"
         "  grid s {\n"
         "    %0: index[s] = coordinate s\n"
         "    %1: f32 = constant 0.0\n"
         "    declare total = %1\n"
         "    for t {\n"
         "      %2: index[t] = coordinate t\n"
         "      %3: index = constant 3\n"
         "      %4: bool[s, t] = less_equal %2, %0\n"
         "      %5: index[t] = modulo %2, %3\n"
         "      %6: index = constant 2\n"
         "      %7: bool[t] = equal %5, %6\n"
         "      %8: bool[s, t] = and %4, %7\n"
         "      %9: i32 = argument w\n"
         "      %10: f32[s, t] = load p[%0, %2] in_bounds(0, 1)\n"
         "      %11: f32[s, t]? = filter %4, %10\n"
         "      %12: f32[s] = read total\n" +
         round +
         "    }\n"
         "    %90: f32[s] = read total\n"
         "    write y[%0] = %90 in_bounds(0)\n"
         "  }\n"
         "}\n";
}

/// How many conditions end the loop of a kernel with this body.
size_t ends(const std::string& round) {
  const std::string text = kernel_with("", round);
  Kernel kernel = testing::parse_kernel(text);
  const auto& loop = std::get<Loop>(kernel.grids[0].body[3].node);
  return ends_of_loop(kernel, kernel.sizes, loop).size();
}

constexpr const char* kRelation =
    " related [0; 1 s, -1 t; 2 w] >= 0 related [2*S - 1;; 1 w] != 0 related [-2; 1 t;] % 3 == 0";

}  // namespace

TEST_CASE("a relation is written behind its axis and reads back") {
  const std::string text = kernel_with(kRelation, "");
  const Kernel kernel = testing::parse_kernel(text);
  CHECK(print(kernel).find(kRelation) != std::string::npos);
  CHECK(print(testing::parse_kernel(print(kernel))) == print(kernel));
  const std::vector<Conjunct>& relation = kernel.axes[AxisId(1)].relation;
  REQUIRE(relation.size() == 3);
  CHECK(relation[0].sign == Sign::at_least_zero);
  CHECK(relation[0].form.terms.size() == 2);
  CHECK(relation[1].scalars.size() == 1);
  CHECK(relation[2].modulus == 3);
}

TEST_CASE("the verifier holds a relation to what exists") {
  const std::string text = kernel_with(kRelation, "");
  Kernel kernel = testing::parse_kernel(text);
  auto& relation = kernel.axes[AxisId(1)].relation;
  relation[0].form.terms[0].first = AxisId(9);
  REQUIRE(verify(kernel).size() == 1);
  CHECK(verify(kernel)[0] == "the relation of axis `t` names what does not exist");
  relation.erase(relation.begin());
  relation[1].modulus = -3;
  REQUIRE(verify(kernel).size() == 1);
  CHECK(verify(kernel)[0] == "the relation of axis `t` has a remainder modulo -3");
}

TEST_CASE("a condition is a conjunction of comparisons and congruences, or it is not") {
  const std::string text = kernel_with("", "");
  Kernel kernel = testing::parse_kernel(text);
  std::vector<Conjunct> both;
  REQUIRE(append_conjuncts(kernel, kernel.sizes, ValueId(8), both));
  REQUIRE(both.size() == 2);
  CHECK(both[0].sign == Sign::at_least_zero);
  CHECK(kernel.sizes.as_constant(*both[0].form.coefficient(AxisId(0))) == 1);
  CHECK(kernel.sizes.as_constant(*both[0].form.coefficient(AxisId(1))) == -1);
  CHECK(both[1].sign == Sign::zero);
  CHECK(both[1].modulus == 3);
  CHECK(kernel.sizes.as_constant(both[1].form.offset) == -2);
  CHECK_FALSE(append_conjuncts(kernel, kernel.sizes, ValueId(5), both));
}

TEST_CASE("a loop ends where a round that nothing exists in has no effect") {
  const char* sum = "      %13: f32[s] = reduce_sum[t] %11\n";
  const char* most = "      %13: f32[s]? = reduce_max[t] %11\n";
  const auto assign = [](const char* value) {
    return "      %20: f32[s] = " + std::string(value) + "\n      assign total = %20\n";
  };
  CHECK(ends(sum + assign("add %12, %13")) == 1);
  CHECK(ends(sum + assign("subtract %12, %13")) == 1);
  CHECK(ends(sum + assign("subtract %13, %12")) == 0);
  CHECK(ends(sum + assign("multiply %12, %13")) == 0);
  CHECK(ends(sum + assign("fma %12, %12, %13")) == 0);  // the variable counts tiles
  CHECK(ends(sum + assign("maximum %12, %13")) == 0);   // a sum of nothing is 0, and may be the larger one
  CHECK(ends(std::string(most) + "      %15: f32[s]? = maximum %12, %13\n" + assign("coalesce %15, %12")) ==
        1);
  CHECK(ends(std::string(most) + assign("coalesce %13, %1")) == 0);
  CHECK(ends("      %13: f32[s] = reduce_sum[t] %10\n" + assign("add %12, %13")) == 0);  // not filtered
  CHECK(ends("      %13: f32[s] = reduce_prod[t] %11\n" + assign("multiply %12, %13")) == 1);
  CHECK(ends("      write y[%0] = %12 in_bounds(0)\n") == 0);
}

}  // namespace tessera::ir
