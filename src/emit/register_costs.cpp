// SPDX-License-Identifier: Apache-2.0
#include "emit/register_costs.h"

#include <algorithm>
#include <array>
#include <limits>

namespace tessera::emit {

namespace {

using lowered::Expression;

constexpr int kFunction = 15, kDivision = 10;  // instructions, in the middle
constexpr int kVeryLong = 1000;

int instructions_of(const lowered::Expr& e) {
  if (!e) return 0;
  int sum = e->kind == Expression::Kind::name || e->kind == Expression::Kind::literal ? 0 : 1;
  if (e->kind == Expression::Kind::call && scratch_registers(e->text, e->type) > 0) sum = kFunction;
  if (e->kind == Expression::Kind::binary && e->text == "/") sum = kDivision;
  for (const lowered::Expr& operand : e->operands) sum += instructions_of(operand);
  return sum;
}

struct Counter {
  int lanes;
  int operator()(const lowered::Local& node) const { return instructions_of(node.initial); }
  int operator()(const lowered::Assign& node) const { return 1 + instructions_of(node.value); }
  int operator()(const lowered::Evaluate& node) const { return instructions_of(node.expression); }
  int operator()(const lowered::If& node) const {
    return 1 + tessera::emit::instructions_of(node.then, lanes);
  }
  int operator()(const lowered::For& node) const {
    const int64_t turns = node.unroll ? lanes : turns_of(node).value_or(kVeryLong);
    const int64_t sum = turns * std::max(tessera::emit::instructions_of(node.body, lanes), 1);
    return static_cast<int>(std::min<int64_t>(sum, kVeryLong * kVeryLong));
  }
  int operator()(const lowered::Comment&) const { return 0; }
  int operator()(const lowered::Barrier&) const { return 1; }
  int operator()(const lowered::Shared&) const { return 0; }
};

}  // namespace

double scratch_registers(std::string_view function, DType type) {
  struct Row {
    std::string_view function;
    int f32, f64;
  };
#define TESSERA_SCRATCH(...) Row{__VA_ARGS__},
  static constexpr auto kRows = std::to_array<Row>({
#include "emit/scratch_registers.def"
  });
#undef TESSERA_SCRATCH
  for (const Row& row : kRows)
    if (row.function == function) return type == DType::f64 ? row.f64 : row.f32;
  return 0;
}

int instructions_of(const lowered::Block& statements, int lanes) {
  int64_t sum = 0;
  for (const lowered::Statement& each : statements) sum += std::visit(Counter{lanes}, each.node);
  return static_cast<int>(std::min<int64_t>(sum, std::numeric_limits<int>::max()));
}

std::optional<int64_t> turns_of(const lowered::For& loop) {
  if (!loop.first || !loop.end || loop.step != "1") return std::nullopt;
  const auto first = lowered::constant_of(loop.first), end = lowered::constant_of(loop.end);
  return first && end ? std::optional(*end - *first) : std::nullopt;
}

}  // namespace tessera::emit
