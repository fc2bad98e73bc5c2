// SPDX-License-Identifier: Apache-2.0
// Sizes that meet constraints, and numbers with error bounds.
#include <cmath>
#include <limits>
#include <set>

#include "catch.h"
#include "commands/inexact.h"
#include "commands/odd_problems.h"
#include "commands/work.h"

using namespace tessera;
using namespace tessera::commands;

namespace {

const std::vector<int64_t> kCandidates = {250, 64, 8, 1};

/// A kernel with symbols H, R and OH.
struct Sizes {
  ir::Kernel kernel;
  ir::SymbolId h, r, oh;

  Sizes() {
    kernel.c_name = "conv";
    h = kernel.symbols.add({"H", {}, {}, 0, {}});
    r = kernel.symbols.add({"R", {}, {1, 3, 5}, 0, {}});
    oh = kernel.symbols.add({"OH", {}, {}, 1, {}});
  }
  ir::SizeId size(ir::SymbolId id) { return kernel.sizes.symbol(id); }
  void require(ir::Relation relation, ir::SizeId left, ir::SizeId right, std::string text) {
    kernel.constraints.push_back({relation, left, right, {}, std::move(text), false, {}});
  }
};

}  // namespace

TEST_CASE("sizes follow from equalities and lists") {
  Sizes sizes;
  ir::SizeTable& table = sizes.kernel.sizes;
  const auto one = table.constant(1);
  sizes.require(ir::Relation::equal, sizes.size(sizes.oh),
                table.add(table.subtract(sizes.size(sizes.h), sizes.size(sizes.r)), one), "OH == H - R + 1");
  DiagnosticSink sink;
  auto problem = make_problem(sizes.kernel, {}, kCandidates, sink);
  REQUIRE(problem);
  CHECK(problem->spell_sizes() == "H=250 R=1 OH=250");
  problem = make_problem(sizes.kernel, {{"OH", "10"}, {"R", "3"}, {"H", "12"}}, kCandidates, sink);
  REQUIRE(problem);
  CHECK_FALSE(make_problem(sizes.kernel, {{"OH", "10"}, {"R", "3"}, {"H", "13"}}, kCandidates, sink));
  CHECK_FALSE(make_problem(sizes.kernel, {{"R", "4"}}, kCandidates, sink));
  REQUIRE(sink.error_count() == 2);
  CHECK(sink.sorted()[0].message == "the sizes break the constraint `OH == H - R + 1` of kernel `conv`");
  CHECK(sink.sorted()[1].message == "the sizes break the constraint `R in {1, 3, 5}` of kernel `conv`");
}

TEST_CASE("what an equality determines follows what determines it") {
  Sizes sizes;
  ir::SizeTable& table = sizes.kernel.sizes;
  const auto group = table.constant(20);
  sizes.require(ir::Relation::equal, sizes.size(sizes.h), table.multiply(group, sizes.size(sizes.oh)),
                "H == 20 * OH");
  DiagnosticSink sink;
  const auto problem = make_problem(sizes.kernel, {}, kCandidates, sink);  // none is a multiple of 20
  REQUIRE(problem);
  CHECK(problem->spell_sizes() == "H=5000 R=1 OH=250");
  sizes.require(ir::Relation::less, sizes.size(sizes.h), group, "H < 20");
  CHECK_FALSE(make_problem(sizes.kernel, {}, kCandidates, sink));
  REQUIRE(sink.error_count() == 1);
  CHECK(sink.sorted()[0].message == "the sizes break the constraint `H == 20 * OH, H < 20` of kernel `conv`");
}

TEST_CASE("no extent is negative") {
  Sizes sizes;
  ir::SizeTable& table = sizes.kernel.sizes;
  sizes.kernel.tensors.add(
      {"y", DType::f32, {table.subtract(sizes.size(sizes.h), sizes.size(sizes.r))}, true, false, {}});
  DiagnosticSink sink;
  CHECK_FALSE(make_problem(sizes.kernel, {{"H", "2"}, {"R", "3"}}, kCandidates, sink));
  REQUIRE(sink.error_count() == 1);
  CHECK(sink.sorted()[0].message == "the sizes break the constraint `H - R >= 0` of kernel `conv`");
  const auto given = make_problem(sizes.kernel, {}, kCandidates, sink);
  REQUIRE(given);
  for (const Problem& problem : odd_problems(*given, {}, {.bytes = 1 << 20, .terms = 1e9}))
    CHECK(problem.sizes[sizes.h.index()] >= problem.sizes[sizes.r.index()]);
}

TEST_CASE("odd sizes meet the constraints and are not repeated") {
  Sizes sizes;
  sizes.require(ir::Relation::greater_equal, sizes.size(sizes.h), sizes.size(sizes.r), "H >= R");
  DiagnosticSink sink;
  const auto given = make_problem(sizes.kernel, {}, kCandidates, sink);
  REQUIRE(given);
  const auto problems = odd_problems(*given, {}, {.bytes = 1 << 20, .terms = 1e9});
  CHECK(problems.size() > 8);
  for (const Problem& problem : problems) {
    CHECK(problem.broken_constraint() == nullptr);
    CHECK(problem.sizes != given->sizes);
  }
}

TEST_CASE("terms are counted along loops and axes, and bound what is tried") {
  Sizes sizes;
  ir::Kernel& kernel = sizes.kernel;
  const auto zero = kernel.sizes.constant(0);
  const auto add_axis = [&](ir::SymbolId symbol) {
    ir::Axis axis;
    axis.lower = zero;
    axis.upper = sizes.size(symbol);
    return kernel.axes.add(axis);
  };
  const ir::AxisId rows = add_axis(sizes.h), columns = add_axis(sizes.oh), loop = add_axis(sizes.oh);
  const auto define = [&](std::vector<ir::AxisId> axes) {
    return ir::Statement{
        ir::Define{kernel.values.add({ir::Constant{}, DType::f32, std::move(axes), true, "", {}})}, {}};
  };
  ir::Grid grid;
  grid.axes = {rows};
  grid.body.push_back(define({rows, columns}));
  grid.body.push_back({ir::Loop{loop, {define({rows, columns, loop}), define({})}}, {}});
  grid.body.push_back(define({loop}));
  kernel.grids.push_back(grid);
  DiagnosticSink sink;
  const auto problem = make_problem(kernel, {{"H", "10"}, {"OH", "4"}}, kCandidates, sink);
  REQUIRE(problem);
  CHECK(count_terms(*problem) == 10 * 4 + 10 * 4 * 4 + 10 * 4 + 10 * 4);

  double all = 0;
  const auto problems = odd_problems(*problem, {}, {.bytes = 1 << 20, .terms = 1e5});
  CHECK(problems.size() > 8);
  bool shrunk = false;
  for (const Problem& one : problems) {
    all += count_terms(one);
    shrunk = shrunk || (one.sizes[sizes.h.index()] == 250 && one.sizes[sizes.oh.index()] < 17);
  }
  CHECK(all <= 1e5);
  CHECK(shrunk);
}

TEST_CASE("the terms of a product count, and tiles end within what is tried") {
  Sizes sizes;
  ir::Kernel& kernel = sizes.kernel;
  const auto add_axis = [&](ir::SymbolId symbol) {
    ir::Axis axis;
    axis.lower = kernel.sizes.constant(0);
    axis.upper = sizes.size(symbol);
    return kernel.axes.add(axis);
  };
  const ir::AxisId rows = add_axis(sizes.h), columns = add_axis(sizes.oh);
  const auto define = [&](ir::Op op, std::vector<ir::AxisId> axes) {
    const auto id = kernel.values.add({std::move(op), DType::f32, std::move(axes), true, "", {}});
    return ir::Statement{ir::Define{id}, {}};
  };
  const auto factor = define(ir::Constant{}, {rows, columns});
  const ir::ValueId value = std::get<ir::Define>(factor.node).value;
  kernel.grids.push_back({});
  kernel.grids[0].body = {factor, define(ir::Dot{{columns}, value, value}, {rows})};
  DiagnosticSink sink;
  const auto problem = make_problem(kernel, {{"H", "10"}, {"OH", "4"}}, kCandidates, sink);
  REQUIRE(problem);
  CHECK(count_terms(*problem) == 10 * 4 + 128 * 64 / 32);  // the factor, and a tile of the product
  std::set<int64_t> extents;
  for (const Problem& one : odd_problems(*problem, {}, {.bytes = 1 << 20, .terms = 1e6}))
    extents.insert(one.sizes[sizes.h.index()]);
  for (const int64_t extent : {17, 65, 129}) CHECK(extents.contains(extent));
}

TEST_CASE("exact operations keep an error of zero") {
  const Inexact a{.real = 0.1f}, b{.real = 0.2f};
  CHECK(inexact_binary(ir::BinaryOp::maximum, DType::f32, a, b).error == 0);
  CHECK(inexact_unary(ir::UnaryOp::negate, DType::f32, a).error == 0);
  CHECK(inexact_cast(DType::bf16, DType::f32, a).error == 0);
  CHECK(inexact_constant({.real = 0.5}, DType::f32).error == 0);
  CHECK(inexact_constant({.real = 0.1}, DType::f32).error > 0);
}

TEST_CASE("bounds hold for f32 arithmetic, and are not far off") {
  const float x = 1.2345f, y = 7.891f;
  const Inexact a{.real = x}, b{.real = y};
  const auto check = [](const Inexact& bound, float computed) {
    CHECK(std::fabs(bound.real - static_cast<double>(computed)) <= bound.error);
    CHECK(bound.error <= 4 * 0x1p-24 * std::fabs(bound.real));
  };
  check(inexact_binary(ir::BinaryOp::add, DType::f32, a, b), x + y);
  check(inexact_binary(ir::BinaryOp::multiply, DType::f32, a, b), x * y);
  check(inexact_binary(ir::BinaryOp::divide, DType::f32, a, b), x / y);
  check(inexact_math(ir::MathFunction::sqrt, DType::f32, std::vector{a}), std::sqrt(x));
}

TEST_CASE("bounds of f64 leave room for two roundings, since the value is f64 itself") {
  const Inexact a{.real = 1.2345}, b{.real = 7.891};
  const auto has_room = [](const Inexact& bound, double times) {
    CHECK(bound.error >= 2 * times * 0x1p-53 * std::fabs(bound.real));
    CHECK(bound.error <= 2.01 * times * 0x1p-53 * std::fabs(bound.real));
  };
  has_room(inexact_binary(ir::BinaryOp::subtract, DType::f64, a, b), 1);
  InexactFold fold(ir::ReduceOp::sum, DType::f64);
  for (int i = 0; i < 6; ++i) fold.take(a, i);
  has_room(fold.result(), 8);  // six and those of a start and a store
}

TEST_CASE("sums are bounded in any order") {
  InexactFold fold(ir::ReduceOp::sum, DType::f32);
  float forward = 0, backward = 0;
  for (int i = 1; i <= 1000; ++i) {
    fold.take({.real = 1.0f / static_cast<float>(i)}, i);
    forward += 1.0f / static_cast<float>(i);
    backward += 1.0f / static_cast<float>(1001 - i);
  }
  const Inexact sum = fold.result();
  CHECK(std::fabs(sum.real - static_cast<double>(forward)) <= sum.error);
  CHECK(std::fabs(sum.real - static_cast<double>(backward)) <= sum.error);
  CHECK(sum.error <= 1010 * 0x1p-24 * sum.real);
}

TEST_CASE("what rounding can tip is unknown") {
  const Inexact near{.real = 1, .error = 1e-6}, same{.real = 1}, far{.real = 2};
  CHECK(std::isinf(inexact_binary(ir::BinaryOp::less, DType::f32, near, same).error));
  CHECK(inexact_binary(ir::BinaryOp::less, DType::f32, near, far).error == 0);
  CHECK(std::isinf(inexact_binary(ir::BinaryOp::divide, DType::f32, same, {.real = 0, .error = 1e-9}).error));
  const Inexact large{.real = 3e38};
  CHECK(std::isinf(inexact_binary(ir::BinaryOp::add, DType::f32, large, large).error));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(inexact_binary(ir::BinaryOp::add, DType::f32, {.real = nan}, same).error == 0);
}

TEST_CASE("nothing summed is exactly zero") {
  const Inexact sum = InexactFold(ir::ReduceOp::sum, DType::f32).result();
  CHECK(sum.real == 0);
  CHECK(sum.error == 0);
  CHECK_FALSE(InexactFold(ir::ReduceOp::max, DType::f32).result().exists);
}
