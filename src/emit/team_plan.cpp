// SPDX-License-Identifier: Apache-2.0
// See team_plan.h.
#include "emit/team_plan.h"

#include <algorithm>

#include "emit/plan_extents.h"
#include "emit/term_shares.h"
#include "emit/warpgroup_plan.h"

namespace tessera::emit {

namespace {

// Registers of a thread: for values of a row or a column; for a tensor that is read as a panel is stored, or a tile that is
// stored twice; for a function that needs many.
constexpr int64_t kMostOfVector = 32, kOfPanel = 32, kOfMath = 4;

constexpr int kMath = 40, kExponential = 15, kTanh = 100, kDivision = 10, kAccess = 6;  // instructions
constexpr int kLanes = 128;  // of a multiprocessor, whose schedulers have several warps of a tile
constexpr int kLatency = 6;  // clocks of an instruction, where each has one that has no registers to spare

/// The axes of a value that tiles lie along.
std::vector<ir::AxisId> axes_of_tiles(const ir::Value& value, const TilePlan& plan) {
  std::vector<ir::AxisId> axes = value.axes;
  std::erase_if(axes, [&](ir::AxisId axis) { return !plan.role(axis); });
  return axes;
}
/// Whether what elements take from their columns passes through shared memory: beside outputs of these types.
bool has_panels(const ir::Kernel& kernel) {
  return std::ranges::all_of(kernel.grids.at(0).body, [&](const ir::Statement& statement) {
    const auto* write = std::get_if<ir::Write>(&statement.node);
    const int bytes = write ? size_in_bytes(kernel.tensors[write->tensor].dtype) : 0;
    return !write || bytes == 2 || bytes == 4;
  });
}

bool is_tile(const ir::Value& value, const TilePlan& plan) {
  return std::ranges::count_if(value.axes, [&](ir::AxisId axis) { return plan.is_in_registers(axis); }) == 2;
}

/// Functions that need more registers while they run than others.
bool needs_more(ir::MathFunction function) {
  using enum ir::MathFunction;
  return function == tanh || function == sin || function == cos || function == pow;
}

int instructions_of(ir::MathFunction function) {
  using enum ir::MathFunction;
  switch (function) {
    case relu: return 1;
    case exp_fast:
    case exp2_fast: return 2;
    case exp:
    case exp2:
    case sqrt:
    case rsqrt: return kExponential;
    case tanh: return kTanh;
    default: return kMath;
  }
}
int instructions_of(const ir::Op& op) {
  if (std::holds_alternative<ir::Load>(op)) return kAccess;
  if (const auto* math = std::get_if<ir::Math>(&op)) return instructions_of(math->function);
  const auto* binary = std::get_if<ir::Binary>(&op);
  return binary && binary->op == ir::BinaryOp::divide ? kDivision : 1;
}

}  // namespace

bool may_have_teams(const ir::Kernel& kernel, const std::map<ir::ValueId, int>& uses, ir::SizeTable& sizes,
                    const PlanOverrides& overrides, const TilePlan& plan) {
  const bool has_request = std::ranges::any_of(plan.roles, [&](const auto& role) {
    return role.second != TileRole::depth && fixed_tile(kernel, overrides, role.first) > 0;
  });
  const bool is_quick = std::ranges::none_of(
      plan.products, [&](const auto& entry) { return is_promoted(kernel, entry.second); });
  return !has_request && is_quick && requested_split(kernel, overrides).value_or(1) <= 1 &&
         shared_axis(kernel, uses, sizes, plan).axis.has_value();
}

int64_t registers_beside_tiles(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape) {
  const auto is_write = [](const ir::Statement& statement) {
    return std::holds_alternative<ir::Write>(statement.node);
  };
  const bool columns_are_free = has_panels(kernel);
  int64_t sum = kOfPanel * (std::ranges::count_if(kernel.grids.at(0).body, is_write) - 1);
  for (const ir::Value& value : kernel.values) {
    if (const auto* math = std::get_if<ir::Math>(&value.op); math && needs_more(math->function))
      sum += kOfMath;
    if (!std::holds_alternative<ir::Load>(value.op)) continue;
    const std::vector<ir::AxisId> axes = axes_of_tiles(value, plan);
    if (axes.size() == 2 && is_tile(value, plan)) sum += kOfPanel;
    if (axes.size() != 1 || !plan.is_in_registers(axes[0])) continue;
    const bool is_of_rows = plan.role(axes[0]) == TileRole::row;
    if (!is_of_rows && columns_are_free) continue;
    const int shares = is_of_rows ? shape.row_shares() : shape.column_shares();
    sum += std::min(kMostOfVector, shape.extent.at(axes[0]) * shares / shape.threads());
  }
  return sum;
}

int64_t clocks_behind_products(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape) {
  int64_t instructions = 0;
  for (const ir::Value& value : kernel.values)
    if (is_tile(value, plan)) instructions += instructions_of(value.op);
  for (const ir::Statement& statement : kernel.grids.at(0).body)
    if (std::holds_alternative<ir::Write>(statement.node)) instructions += kAccess;
  int64_t elements = 0;
  for (const auto& [dot, product] : plan.products)
    elements =
        std::max(elements, shape.extent.at(product.rows.width) * shape.extent.at(product.columns.width));
  return shape.teams == 1 ? elements * instructions / kLanes
                          : elements / shape.threads() * instructions * kLatency;
}

}  // namespace tessera::emit
