// SPDX-License-Identifier: Apache-2.0
// See team_plan.h.
#include "emit/team_plan.h"

#include <algorithm>
#include <set>

#include "emit/group_products.h"
#include "emit/panel_plan.h"
#include "emit/plan_extents.h"
#include "emit/term_shares.h"
#include "sema/ir/statements.h"

namespace tessera::emit {

namespace {

// Registers of a thread: for a tile that is stored twice; for one that is read as panels are stored, which teams spilled
// beside f32 that are stored, or behind shares of terms; for a function that needs many, twice where a grid has a third axis.
constexpr int64_t kOfSecondStore = 32, kOfLoadedTile = 36, kOfMath = 4;
// For what lanes fetch of columns after the first; of all of them where elements of four bytes are stored.
constexpr int64_t kOfColumns = 4, kOfWideColumns = 8;
// For a coordinate of the grid after the third, which an instance keeps; for those of elements, which have 64 bits.
constexpr int64_t kOfAxis = 4, kFewAxes = 3, kOfElements = 16;

constexpr int kMath = 40, kExponential = 15, kTanh = 100, kDivision = 10;  // instructions
constexpr int kAccess = 8;   // the same of an access to 2 bytes or fewer; of more in proportion
constexpr int kLanes = 128;  // of a multiprocessor, whose schedulers have several warps of a tile
// Clocks of an instruction where each scheduler has one warp, in a chain that has no registers to overlap with.
constexpr int kLatency = 7;

int64_t stores_of(const ir::Kernel& kernel) {
  int64_t count = 0;
  ir::for_each_statement(kernel.grids.at(0).body, [&](const ir::Statement& statement) {
    count += std::holds_alternative<ir::Write>(statement.node) ? 1 : 0;
  });
  return count;
}

bool has_wide_stores(const ir::Kernel& kernel) {
  bool found = false;
  ir::for_each_statement(kernel.grids.at(0).body, [&](const ir::Statement& statement) {
    const auto* write = std::get_if<ir::Write>(&statement.node);
    found = found || (write && size_in_bytes(kernel.tensors[write->tensor].dtype) >= 4);
  });
  return found;
}

int64_t clocks_of_access(DType type) { return kAccess * std::max<int64_t>(1, size_in_bytes(type) / 2); }
int64_t clocks_of_stores(const ir::Kernel& kernel) {
  int64_t clocks = 0;
  ir::for_each_statement(kernel.grids.at(0).body, [&](const ir::Statement& statement) {
    const auto* write = std::get_if<ir::Write>(&statement.node);
    if (write) clocks += clocks_of_access(kernel.tensors[write->tensor].dtype);
  });
  return clocks;
}

bool is_tile(const ir::Value& value, const TilePlan& plan) {
  return std::ranges::count_if(value.axes, [&](ir::AxisId axis) { return plan.is_in_registers(axis); }) == 2;
}

/// Whether a value of each element is made of where the element is, as `i == j` is.
bool reads_coordinates(const ir::Kernel& kernel, const ir::Value& value, const TilePlan& plan) {
  if (std::holds_alternative<ir::Load>(value.op) || !is_tile(value, plan)) return false;
  return std::ranges::any_of(ir::operands_of(value.op), [&](ir::ValueId operand) {
    const auto* coordinate = std::get_if<ir::Coordinate>(&kernel.values[operand].op);
    return coordinate && plan.is_in_registers(coordinate->axis);
  });
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
  if (std::holds_alternative<ir::Load>(op) || std::holds_alternative<ir::ReadVariable>(op)) return 0;
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
  // Threads that add up what becomes of each tile hold sums twice; those that multiply doubles hold what they read.
  const auto is_staged = [&](const auto& entry) {
    const TileProduct& product = entry.second;
    return product.rows.way == TileFactor::Way::staged && product.columns.way == TileFactor::Way::staged &&
           !is_done_at_once(kernel, product);
  };
  return !has_request && plan.turned == Turned::none && std::ranges::all_of(plan.products, is_staged) &&
         requested_split(kernel, overrides).value_or(1) <= 1 &&
         shared_axis(kernel, uses, sizes, plan).axis.has_value();
}

int64_t registers_beside_tiles(const ir::Kernel& kernel, ir::SizeTable& sizes, const TilePlan& plan,
                               const TileShape& shape) {
  int64_t sum = registers_of_vectors(kernel, sizes, plan, shape).all() +
                registers_of_variables(kernel, plan, shape) +
                kOfSecondStore * std::max<int64_t>(0, stores_of(kernel) - 1);
  const auto axes = static_cast<int64_t>(kernel.grids.at(0).axes.size());
  sum += kOfAxis * std::max<int64_t>(0, axes - kFewAxes);
  if (std::ranges::any_of(kernel.values,
                          [&](const ir::Value& value) { return reads_coordinates(kernel, value, plan); }))
    sum += kOfElements;
  for (const ir::Value& value : kernel.values) {
    if (const auto* math = std::get_if<ir::Math>(&value.op); math && needs_more(math->function))
      sum += kOfMath * (axes < kFewAxes ? 1 : 2);
    const bool is_load = std::holds_alternative<ir::Load>(value.op);
    if (is_load && axes_of_tiles(value.axes, plan).size() == 2 && is_tile(value, plan)) sum += kOfLoadedTile;
  }
  const int64_t columns = columns_of_panels(kernel, sizes, plan);
  return sum + (has_wide_stores(kernel) ? kOfWideColumns * columns
                                        : kOfColumns * std::max<int64_t>(0, columns - 1));
}

int64_t clocks_behind_products(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape) {
  std::set<ir::ValueId> sums;  // products are added up where they are multiplied
  ir::for_each_statement(kernel.grids.at(0).body, [&](const ir::Statement& statement) {
    const auto* assign = std::get_if<ir::Assign>(&statement.node);
    if (assign) sums.insert(assign->value);
  });
  int64_t accesses = clocks_of_stores(kernel), others = 0;
  ir::for_each_statement(kernel.grids.at(0).body, [&](const ir::Statement& statement) {
    const auto* define = std::get_if<ir::Define>(&statement.node);
    if (!define || plan.products.contains(define->value) || sums.contains(define->value)) return;
    const ir::Value& value = kernel.values[define->value];
    if (!is_tile(value, plan)) return;
    accesses += std::holds_alternative<ir::Load>(value.op) ? clocks_of_access(value.dtype) : 0;
    others += instructions_of(value.op);
  });
  int64_t elements = 0;
  for (const auto& [dot, product] : plan.products)
    elements =
        std::max(elements, shape.extent.at(product.rows.width) * shape.extent.at(product.columns.width));
  return shape.teams == 1 ? elements * (accesses + others) / kLanes
                          : elements / shape.threads() * (accesses + others * kLatency);
}

bool shares_terms_together(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& of_team,
                           const TileShape& of_all) {
  constexpr int64_t kLate = 2048;  // clocks: about what groups lose that begin 64 rounds together
  constexpr size_t kMostAxes = 2;  // whose coordinates have registers while sums are added
  return kernel.grids.at(0).axes.size() > kMostAxes ||
         clocks_behind_products(kernel, plan, of_team) - clocks_behind_products(kernel, plan, of_all) > kLate;
}

}  // namespace tessera::emit
