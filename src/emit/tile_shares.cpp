// SPDX-License-Identifier: Apache-2.0
// Terms of an instance that several blocks share: each walks over its rounds, the last that is done goes on with all sums.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "emit/print.h"
#include "emit/tile_lowering.h"

namespace tessera::emit {

using lowered::Expr;

// The rounds of a loop of so many: all, or those of the share at hand.
Range TileLowering::share_of(ir::AxisId axis, const std::string& rounds) {
  if (axis != tiles_.shared_axis) return {lowered::integer(0), lowered::name(rounds, DType::index)};
  const std::string own = named(lowercase(kernel_.axes[axis].name) + "_rounds");
  const std::string of_share = fmt::format("{}.rounds({})", share_, rounds);
  emit(lowered::Local{"Rounds", own, {}, lowered::name(of_share, DType::index), true, false});
  return {lowered::name(own + ".first", DType::index), lowered::name(own + ".end", DType::index)};
}

namespace {

int times_assigned(const ir::Block& statements, ir::VariableId variable) {
  int times = 0;
  for (const ir::Statement& statement : statements) {
    if (const auto* loop = std::get_if<ir::Loop>(&statement.node))
      times += times_assigned(loop->body, variable);
    const auto* assign = std::get_if<ir::Assign>(&statement.node);
    times += assign && assign->variable == variable ? 1 : 0;
  }
  return times;
}

}  // namespace

// Declared as zero, and assigned in so many places alone: where products are added to it.
bool TileLowering::begins_with_zeros(ir::VariableId variable, int places) const {
  const ir::Block& statements = phase_.grid->body;
  return times_assigned(statements, variable) == places &&
         std::ranges::all_of(statements, [&](const ir::Statement& statement) {
           const auto* declare = std::get_if<ir::Declare>(&statement.node);
           if (!declare || declare->variable != variable) return true;
           const auto* constant = std::get_if<ir::Constant>(&kernel_.values[declare->initial].op);
           return constant && constant->value.real == 0 && constant->value.integer == 0;
         });
}

// What sums are before all terms counts once.
void TileLowering::begin_share(const HeldTile& sums) {
  const Expr is_other = lowered::name(fmt::format("!{}.is_first()", share_), DType::boolean);
  guard(is_other, "the first share has what is there before", false, Scope{}, [&] {
    emit(lowered::Evaluate{lowered::call(sums.name + ".fill", {lowered::zero(sums.type)}, sums.type)});
  });
}

// Of what a loop adds to.
void TileLowering::begin_shares_of(const ir::Block& statements) {
  std::set<ir::VariableId> variables;
  for (const ir::Statement& statement : statements) {
    const auto* assign = std::get_if<ir::Assign>(&statement.node);
    if (!assign || !variables.insert(assign->variable).second) continue;
    if (!begins_with_zeros(assign->variable, times_assigned(statements, assign->variable)))
      begin_share(state_.at(assign->variable));
  }
}

void TileLowering::join_shares() {
  const std::string block = cluster_axis_ ? "cluster_rank(), cluster" : "0, 1";
  const std::string joined = fmt::format("!{}.join({}, {})", share_, block, fmt::join(summed_, ", "));
  guard(lowered::name(joined, DType::boolean), "the share that is done last has the sums of all", false,
        Scope{}, [&] { emit(lowered::Evaluate{lowered::name("continue", DType::index)}); });
  summed_.clear();
}

}  // namespace tessera::emit
