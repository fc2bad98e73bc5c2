// SPDX-License-Identifier: Apache-2.0
// The verifier names every invariant that a broken kernel breaks.
#include <functional>

#include "catch.h"
#include "ir/samples.h"
#include "sema/ir/verifier.h"

namespace tessera::ir {

namespace {

using Sentences = std::vector<std::string>;

/// A sound kernel with a place for statements that break it.
std::string kernel_with(const std::string& statements) {
  return R"(kernel k as k {
  symbol M
  in x: f32[M, M]
  in h: bf16[M]
  out y: f32[M]
  scalar s: f32
  table t: f32 = [1.0]
  axis i: grid 0 .. M by auto over M
  axis k: loop 0 .. M by 4 over M
  axis c: let 0 .. 3
  axis M: let 0 .. M over M
  axis g: grid 0 .. M over M
  axis q: loop 0 .. M over M
  variable v: f32[i, c]
  variable w: f32
  grid i, g {
    %0: index[i] = coordinate i
    %1: index[c] = coordinate c
    %2: f32 = constant 1.0
    %3: f32[i] = load x[%0, %0] in_bounds(0, 1)
    %4: f32[c]? = load x[%1, %1]
    %5: bf16[i] = load h[%0] in_bounds(0)
    %6: i32 = constant 1
    %7: bool = constant 1
    %8: f32[i, c]? = add %3, %4
    declare w = %2
)" + statements +
         "\n  }\n}\n";
}

Sentences broken(const std::string& statements) {
  return verify(testing::parse_kernel(kernel_with(statements)));
}

/// One broken statement and the one sentence it must give.
struct Broken {
  const char* statements;
  const char* sentence;
};

const Broken kBroken[] = {
    {"%9: f32 = add %20, %2", "%9 uses %20, which is not defined there"},
    {"for k { %9: f32 = add %2, %2 } %10: f32 = add %9, %2", "%10 uses %9, which is not defined there"},
    {"%9: f32 = add %2, %6", "%9: the operands have types f32 and i32"},
    {"%9: f32 = equal %2, %2", "%9: the result has type f32 and should have bool"},
    {"%9: f32 = add %3, %2", "%9: the axes of the result are not those that its operands give"},
    {"%9: f32[c, i]? = add %3, %4", "the axes of %9 are not ascending"},
    {"%9: index[k] = coordinate k", "%9 has the axis `k`, which is not bound there"},
    {"%9: index = coordinate q", "%9 has the axis `q`, which is not bound there"},
    {"%9: i32 = coordinate g", "%9: the result has type i32 and should have index"},
    {"for k { for k { } }", "axis `k` is bound twice"},
    {"for i { }", "axis `i` is bound by the wrong kind of statement"},
    {"%9: bf16[i] = add %5, %5", "%9: add does not take bf16"},
    {"%9: f32 = modulo %2, %2", "%9: modulo does not take f32"},
    {"%9: f32 = and %2, %2", "%9: and does not take f32"},
    {"%9: i32 = floor %6", "%9: floor does not take i32"},
    {"%9: i32 = exp %6", "%9: exp does not take i32"},
    {"%9: f32 = pow %2", "%9: pow takes 2 arguments and gets 1"},
    {"%9: f32 = fma %2, %2, %6", "%9: operand %6 has type i32 and should have f32"},
    {"%9: f32[c] = add %4, %2", "%9: the result claims to exist everywhere, and operand %4 does not"},
    {"%9: f32[i] = load x[%0, %0] in_bounds(0)",
     "%9: the result claims to exist everywhere, and an index of `x` is not proved to be in bounds"},
    {"%9: f32[i] = load y[%0] in_bounds(0)", "%9: `y` is an output and is read"},
    {"%9: f32[i]? = load x[%0]", "%9: `x` has 2 dimensions and gets 1 indices"},
    {"%9: f32? = load x[%2, %6]", "%9: index %2 has type f32, which is not an integer"},
    {"%9: f32? = load x[%6, %6] in_bounds(4)", "%9: in_bounds names a dimension that `x` does not have"},
    {"%9: f32 = lookup t[%2]", "%9: index %2 has type f32, which is not an integer"},
    {"%9: f64 = argument s", "%9: the result has type f64 and should have f32"},
    {"%9: f32 = read v", "%9 uses variable `v`, which is not declared there"},
    {"%9: f32[i] = select %6, %3, %2", "%9: operand %6 has type i32 and should have bool"},
    {"%9: f32[c] = coalesce %4, %4", "%9: the result claims to exist everywhere, and neither operand does"},
    {"%9: f32[i, c] = reduce_sum[M] %8", "%9: a folded axis is not an axis of operand %8"},
    {"%9: f32[i] = reduce_sum[i] %3", "%9: the axes of the result are not those that its operands give"},
    {"%9: bf16 = reduce_sum[i] %5", "%9: the result has type bf16 and should have f32"},
    {"%9: bool = reduce_any[i] %3", "%9: operand %3 has type f32 and should have bool"},
    {"%9: index? = reduce_argmax[i, c] %8", "%9: reduce_argmax folds exactly one axis, not 2"},
    {"%9: f32 = dot[i] %3, %4", "%9: a folded axis is not an axis of operand %4"},
    {"%9: f32[c] = dot[i] %4, %3", "%9: a folded axis is not an axis of operand %4"},
    {"%9: f32 = dot[c, i] %8, %8", "%9: the folded axes are not ascending"},
    {"%9: f32[i] = dot[i] %3, %3", "%9: the axes of the result are not those that its operands give"},
    {"%9: f32 = dot[i] %8, %3", "%9: the axes of the result are not those that its operands give"},
    {"%9: f32 = dot[i] %3, %5", "%9: the factors have types f32 and bf16"},
    {"%9: bf16 = dot[i] %5, %5", "%9: the result has type bf16 and should have f32"},
    {"%9: bool[i] = equal %3, %3 %10: bool = dot[i] %9, %9", "%10: a product does not take bool"},
    {"%9: i8[i] = cast %0 %10: i8 = dot[i] %9, %9", "%10: the result has type i8 and should have i32"},
    {"%9: i32 = dot[i] %0, %0", "%9: the result has type i32 and should have index"},
    {"%9: f64[i] = cast %3 %10: f64[i] = round_tf32 %9", "%10: round_tf32 does not take f64"},
    {"%9: bf16[i] = split %5", "%9: split does not take bf16"},
    {"%9: bf16[i] = round_tf32 %5", "%9: round_tf32 does not take bf16"},
    {"%9: f32[c]? = pick[i = 0] %8", "%9: the picked axis `i` is not a `let` of constant extent"},
    {"%9: f32[i]? = pick[c = 3] %8", "%9: coordinate 3 lies outside axis `c`"},
    {"declare v = %8", "variable `v` begins with %8, which may not exist"},
    {"declare w = %2", "variable `w` is declared twice"},
    {"assign w = %3", "variable `w` gets %3, which has an axis more"},
    {"assign w = %6", "variable `w` has type f32 and gets %6 of type i32"},
    {"assign v = %2", "an assignment uses variable `v`, which is not declared there"},
    {"declare v = %3 assign v[M = 0] = %3", "variable `v` is picked at axis `M`, which it lacks"},
    {"declare v = %3 assign v[c = 0] = %8", "variable `v` is picked at axis `c`, which its value has"},
    {"declare v = %3 assign v[c = 5] = %3",
     "variable `v` is picked at coordinate 5, which no `let` axis of constant extent has"},
    {"write x[%0, %0] = %3 in_bounds(0, 1)", "the write to `x` goes to an input"},
    {"write y[%0, %0] = %3", "the write to `y` has 2 indices for 1 dimensions"},
    {"write y[%0] = %8", "the write to `y` has an axis left over in %8"},
    {"write y[%0] = %5", "the write to `y` stores bf16 as f32"},
    {"write y[%2] = %2", "the write to `y` has the index %2, which is not an integer"},
    {"write y[%0] = %3 in_bounds(2)", "the write to `y` names a dimension in in_bounds that does not exist"},
};

}  // namespace

TEST_CASE("the kernel that the cases break is sound") { REQUIRE(broken("") == Sentences{}); }

TEST_CASE("a broken statement gives its sentence") {
  for (const Broken& broken_case : kBroken) {
    INFO(broken_case.statements);
    const Sentences sentences = broken(broken_case.statements);
    CHECK(std::find(sentences.begin(), sentences.end(), broken_case.sentence) != sentences.end());
    for (const std::string& sentence : sentences) UNSCOPED_INFO(sentence);
    CHECK(sentences.size() <= 2);
  }
}

TEST_CASE("broken declarations give their sentence") {
  const auto check = [](const std::function<void(Kernel&)>& damage, const std::string& sentence) {
    Kernel kernel = testing::sample("transpose");
    damage(kernel);
    CHECK(verify(kernel) == Sentences{sentence});
  };
  check([](Kernel& kernel) { kernel.symbols[SymbolId(1)].maximum = 0; },
        "symbol `N` has a minimum above its maximum");
  check(
      [](Kernel& kernel) {
        kernel.symbols[SymbolId(0)].allowed = {8, 4};
      },
      "the values that symbol `M` may have are not ascending");
  check([](Kernel& kernel) { kernel.tensors[TensorId(0)].dtype = DType::i4; },
        "tensor `a` has the packed type i4");
  check([](Kernel& kernel) { kernel.tensors[TensorId(0)].dims[0] = SizeId(); },
        "a dimension of `a` is not in the kernel's table");
  check([](Kernel& kernel) { kernel.parameters.pop_back(); },
        "the parameters are not every tensor and every scalar, once each");
  check([](Kernel& kernel) { kernel.axes[AxisId(3)].step_size = 0; }, "axis `m` has a step of 0");
  check([](Kernel& kernel) { kernel.axes[AxisId(4)].step = StepKind::plan; },
        "axis `n` is a `let` with a step");
  check([](Kernel& kernel) { kernel.axes[AxisId(0)].upper = SizeId(9999); },
        "a bound of axis `m` is not in the kernel's table");
  check([](Kernel& kernel) { kernel.axes[AxisId(0)].dimension = SymbolId(77); },
        "axis `m` ranges over a symbol that does not exist");
  check([](Kernel& kernel) { kernel.variables[VariableId(0)].axes = {AxisId(77)}; },
        "variable `total` has an axis that does not exist");
  check([](Kernel& kernel) { kernel.variables[VariableId(0)].axes = {AxisId(2)}; },
        "variable `total` has the axis `k`, which takes one coordinate at a time");
  check([](Kernel& kernel) { kernel.constraints[1].right = SizeId(); },
        "constraint `(N + 3)/4 <= 2*K*K + N % 7` has a size that is not in the kernel's table");
}

TEST_CASE("a product folds some axis, and one of both factors") {
  const auto damaged = [](std::vector<AxisId> axes) {
    Kernel kernel = testing::sample("products");
    std::get<Dot>(kernel.values[ValueId(21)].op).axes = std::move(axes);
    return verify(kernel);
  };
  CHECK(damaged({AxisId(4), AxisId(5)}).empty());
  CHECK(damaged({}) == Sentences{"%21: a reduction folds no axis", "%21: a reduction folds no axis",
                                 "%21: the axes of the result are not those that its operands give"});
  CHECK(damaged({AxisId(4)}) ==
        Sentences{"%21: the axes of the result are not those that its operands give"});
  CHECK(damaged({AxisId(3), AxisId(4), AxisId(5)}) ==
        Sentences{"%21: a folded axis is not an axis of operand %20",
                  "%21: a folded axis is not an axis of operand %20"});
}

TEST_CASE("ids that name nothing are told, not followed") {
  const auto damaged = [](const std::function<void(Kernel&)>& damage) {
    Kernel kernel = testing::sample("transpose");
    damage(kernel);
    const Sentences sentences = verify(kernel);
    REQUIRE_FALSE(sentences.empty());
    return sentences.front();
  };
  CHECK(damaged([](Kernel& kernel) {
          kernel.values[ValueId(2)].op = Load{TensorId(9), {}, 0};
        }) == "%2: no tensor has the id of the load");
  CHECK(damaged([](Kernel& kernel) { kernel.values[ValueId(2)].op = Cast{ValueId(900)}; }) ==
        "%2: no value has the id of an operand");
  CHECK(damaged([](Kernel& kernel) {
          kernel.values[ValueId(2)].op = Dot{{AxisId(900)}, ValueId(0), ValueId(1)};
        }) == "%2: no axis has the id that is used");
  CHECK(damaged([](Kernel& kernel) {
          kernel.values[ValueId(2)].op = Dot{{AxisId(0)}, ValueId(0), ValueId(900)};
        }) == "%2: no value has the id of an operand");
  CHECK(damaged([](Kernel& kernel) { kernel.values[ValueId(2)].op = Extent{SizeId(900)}; }) ==
        "%2: a size is not in the kernel's table");
  CHECK(damaged([](Kernel& kernel) { kernel.values[ValueId(2)].axes = {AxisId(900)}; }) ==
        "%2 has an axis that does not exist");
  CHECK(damaged([](Kernel& kernel) { kernel.grids[0].axes = {AxisId(900)}; }) ==
        "a grid or loop binds an axis that does not exist");
  CHECK(damaged([](Kernel& kernel) { kernel.grids[0].body.push_back(kernel.grids[0].body[0]); }) ==
        "%0 is defined twice");
}

}  // namespace tessera::ir
