// SPDX-License-Identifier: Apache-2.0
// See panel_plan.h.
#include "emit/panel_plan.h"

#include <algorithm>
#include <set>

#include "emit/tile_live.h"
#include "sema/ir/affine.h"
#include "sema/ir/operands.h"
#include "sema/ir/statements.h"

namespace tessera::emit {

namespace {

constexpr int64_t kBytesOfLine = 128, kColumnsOfBytes = 64;
constexpr int64_t kHeldBytes = 4;  // of a value that waits in a panel's place

// Registers of a thread: for a tensor that is read as a panel is stored, for all of them; beside those, for what is read of
// columns ahead.
constexpr int64_t kOfLoad = 32, kMostOfLoads = 48, kOfColumns = 16;

bool is_free(const ir::Op& op) {
  return std::holds_alternative<ir::Constant>(op) || std::holds_alternative<ir::Coordinate>(op) ||
         std::holds_alternative<ir::Extent>(op) || std::holds_alternative<ir::Filter>(op);
}

/// Whether a value is one of rows or of columns, of the same for all loops, and costs more than to name it.
bool is_worth_keeping(const ir::Kernel& kernel, const TilePlan& plan, const ir::Value& value) {
  const auto registers =
      std::ranges::count_if(value.axes, [&](ir::AxisId axis) { return plan.is_in_registers(axis); });
  // A condition is computed again for each element, from what it compares.
  const bool is_kept = !is_bool(value.dtype) || std::holds_alternative<ir::Load>(value.op);
  return registers == 1 && is_kept && value.dtype != DType::index && !is_free(value.op) &&
         std::ranges::all_of(value.axes, [&](ir::AxisId axis) {
           return plan.is_in_registers(axis) || kernel.axes[axis].kind == ir::AxisKind::grid;
         });
}

/// What takes the loads of a phase: threads hold them, read them for each element, or take them as panels are stored.
class UsesOfLoads {
 public:
  UsesOfLoads(const ir::Kernel& kernel, ir::SizeTable& sizes, const TilePlan& plan)
      : kernel_(kernel),
        sizes_(sizes),
        plan_(plan),
        for_tiles_(vectors_for_tiles(kernel, plan)),
        shared_(shared_tiles(kernel, plan)) {
    const ir::Block& body = kernel.grids.at(0).body;
    ir::for_each_statement(body, [&](const ir::Statement& statement) { visit(statement); });
  }

  /// Whether threads have it, as registers or element by element.
  bool is_of_threads(ir::ValueId load) const {
    return held_.contains(load) || read_together_.contains(load) || of_elements_.contains(load);
  }
  /// Whether threads have all values of their columns at once.
  bool is_read_together(ir::ValueId load) const { return read_together_.contains(load); }

  /// Whether a tile is folded: ptxas keeps what is read of columns across that.
  bool have_folds() const { return have_folds_; }

  /// Of tiles, as panels are stored; of columns that their lanes share.
  int64_t tiles_of_panels() const { return tiles_of_panels_; }
  int64_t columns_of_panels() const { return columns_of_panels_; }

 private:
  void visit(const ir::Statement& statement) {
    if (const auto* declare = std::get_if<ir::Declare>(&statement.node))
      set(declare->variable, declare->initial);
    if (const auto* assign = std::get_if<ir::Assign>(&statement.node)) set(assign->variable, assign->value);
    if (const auto* write = std::get_if<ir::Write>(&statement.node)) store(*write);
    const auto* define = std::get_if<ir::Define>(&statement.node);
    if (!define || !is_held(define->value)) return;
    hold(define->value);
    have_folds_ = have_folds_ || std::holds_alternative<ir::Reduce>(kernel_.values[define->value].op);
  }

  /// What is multiplied or folded, and what several take.
  bool is_held(ir::ValueId id) const {
    const ir::Op& op = kernel_.values[id].op;
    return std::holds_alternative<ir::Dot>(op) || std::holds_alternative<ir::Reduce>(op) ||
           shared_.contains(id);
  }

  /// A variable of columns is computed from all of them together.
  void set(ir::VariableId variable, ir::ValueId value) {
    is_of_columns(kernel_.variables[variable].axes, plan_) ? add(value, read_together_) : hold(value);
  }
  void hold(ir::ValueId id) { add(id, held_); }
  void add(ir::ValueId id, std::set<ir::ValueId>& found) {
    if (!found.insert(id).second) return;
    for (ir::ValueId operand : ir::operands_of(kernel_.values[id].op)) add(operand, found);
  }

  /// A panel's place has room for so many values of each of its columns; the other loads are read for elements.
  void store(const ir::Write& write) {
    const bool has_panels = lines_of_panels(kernel_, sizes_, plan_, write).has_value();
    const int64_t columns = columns_of_panel(kernel_.tensors[write.tensor].dtype);
    int64_t left = has_panels ? kPlaceBytes / (columns * kHeldBytes) : 0;
    ir::for_each_below(kernel_, {write.value}, [&](ir::ValueId id) {
      if (is_held(id)) return false;
      const ir::Value& value = kernel_.values[id];
      if (left > 0 && is_shared(id)) {
        --left;
        ++columns_of_panels_;
        return false;
      }
      if (std::holds_alternative<ir::Load>(value.op)) {
        of_elements_.insert(id);
        tiles_of_panels_ += has_panels && is_tile(value.axes, plan_) ? 1 : 0;
      }
      return true;
    });
  }

  /// Whether lanes compute a value for each other: one of columns, from nothing that threads have of columns of their own.
  bool is_shared(ir::ValueId id) const {
    return for_tiles_.contains(id) && is_of_columns(kernel_.values[id].axes, plan_) && !has_variables(id);
  }
  bool has_variables(ir::ValueId id) const {
    bool has_any = false;
    ir::for_each_below(kernel_, {id}, [&](ir::ValueId below) {
      const ir::Value& value = kernel_.values[below];
      has_any = has_any || (std::holds_alternative<ir::ReadVariable>(value.op) && !value.axes.empty());
      return !has_any;
    });
    return has_any;
  }

  const ir::Kernel& kernel_;
  ir::SizeTable& sizes_;
  const TilePlan& plan_;
  const std::set<ir::ValueId> for_tiles_, shared_;
  std::set<ir::ValueId> held_, read_together_, of_elements_;
  int64_t tiles_of_panels_ = 0, columns_of_panels_ = 0;
  bool have_folds_ = false;
};

}  // namespace

bool is_tile(const std::vector<ir::AxisId>& axes, const TilePlan& plan) {
  const auto lies_along = [&](TileRole role) {
    return std::ranges::any_of(axes, [&](ir::AxisId axis) { return plan.role(axis) == role; });
  };
  return lies_along(TileRole::row) && lies_along(TileRole::column);
}

std::vector<ir::AxisId> axes_of(const ir::Kernel& kernel, const ir::Write& write) {
  std::vector<ir::AxisId> axes = kernel.values[write.value].axes;
  for (ir::ValueId index : write.indices) {
    const std::vector<ir::AxisId> more = ir::free_axes(kernel, index);
    axes.insert(axes.end(), more.begin(), more.end());
  }
  return axes;
}

std::set<ir::ValueId> vectors_for_tiles(const ir::Kernel& kernel, const TilePlan& plan) {
  std::vector<ir::ValueId> open;  // what elements of tiles take
  for (const ir::Value& value : kernel.values) {
    if (!is_tile(value.axes, plan)) continue;
    const auto operands = ir::operands_of(value.op);
    open.insert(open.end(), operands.begin(), operands.end());
  }
  const auto visit = [&](const ir::Statement& statement) {
    const auto set = [&](ir::VariableId variable, ir::ValueId value) {
      if (is_tile(kernel.variables[variable].axes, plan)) open.push_back(value);
    };
    if (const auto* declare = std::get_if<ir::Declare>(&statement.node))
      set(declare->variable, declare->initial);
    if (const auto* assign = std::get_if<ir::Assign>(&statement.node)) set(assign->variable, assign->value);
    const auto* write = std::get_if<ir::Write>(&statement.node);
    if (write && is_tile(axes_of(kernel, *write), plan)) open.push_back(write->value);
  };
  for (const ir::Grid& grid : kernel.grids) ir::for_each_statement(grid.body, visit);
  std::set<ir::ValueId> found;
  ir::for_each_below(kernel, std::move(open), [&](ir::ValueId id) {
    const ir::Value& value = kernel.values[id];
    if (is_worth_keeping(kernel, plan, value)) found.insert(id);
    return is_bool(value.dtype);
  });
  return found;
}

int64_t columns_of_panel(DType stored) {
  return std::min(kColumnsOfBytes, kBytesOfLine / size_in_bytes(stored));
}

bool fits_panel(DType type) { return size_in_bytes(type) <= 4; }

bool fits_panel_of_columns(DType type) { return fits_panel(type) && size_in_bytes(type) > 1; }

bool is_in_pairs(const ir::Kernel& kernel, ir::SizeTable& sizes, const std::vector<ir::ValueId>& indices,
                 uint32_t in_bounds, ir::AxisId column) {
  if (indices.empty() || in_bounds + 1 != 1u << indices.size()) return false;
  for (size_t d = 0; d < indices.size(); ++d) {
    const std::vector<ir::AxisId> axes = ir::free_axes(kernel, indices[d]);
    const bool has_column = std::ranges::count(axes, column) > 0;
    if (d + 1 < indices.size() ? has_column : !has_column) return false;
  }
  const auto form = ir::affine_form(kernel, sizes, indices.back());
  const auto step = form ? form->coefficient(column) : std::nullopt;
  return step && sizes.as_constant(*step) == 1;
}

std::optional<StoredLines> lines_of_panels(const ir::Kernel& kernel, ir::SizeTable& sizes,
                                           const TilePlan& plan, const ir::Write& write) {
  const std::vector<ir::AxisId> axes = axes_of(kernel, write);
  const auto along = [&](TileRole role) {
    return std::ranges::find_if(axes, [&](ir::AxisId axis) { return plan.role(axis) == role; });
  };
  const auto row = along(TileRole::row), column = along(TileRole::column);
  const DType type = kernel.tensors[write.tensor].dtype;
  if (row == axes.end() || column == axes.end() || !kernel.values[write.value].total || !fits_panel(type))
    return std::nullopt;
  if (is_in_pairs(kernel, sizes, write.indices, write.in_bounds, *column))
    return StoredLines{*column, *row, true};
  if (fits_panel_of_columns(type) && is_in_pairs(kernel, sizes, write.indices, write.in_bounds, *row))
    return StoredLines{*row, *column, false};
  return std::nullopt;
}

std::vector<ir::AxisId> axes_of_tiles(std::vector<ir::AxisId> axes, const TilePlan& plan) {
  std::erase_if(axes, [&](ir::AxisId axis) { return !plan.role(axis); });
  return axes;
}

bool is_of_columns(const std::vector<ir::AxisId>& axes, const TilePlan& plan) {
  const std::vector<ir::AxisId> own = axes_of_tiles(axes, plan);
  return own.size() == 1 && plan.role(own[0]) == TileRole::column;
}

int64_t registers_along(const std::vector<ir::AxisId>& axes, const TilePlan& plan, const TileShape& shape) {
  const std::vector<ir::AxisId> own = axes_of_tiles(axes, plan);
  if (own.size() != 1 || !plan.is_in_registers(own[0])) return 0;
  const int shares = is_of_columns(axes, plan) ? shape.column_shares() : shape.row_shares();
  return shape.extent.at(own[0]) * shares / shape.threads();
}

namespace {

/// What a grid defines behind its last loop, and what loops declare in each of their turns, which has ended there, unless they
/// store something: then this is not all that stands behind tiles.
struct BehindLoops {
  std::set<ir::ValueId> values;
  std::set<ir::VariableId> ended;
  bool have_stores = false;
};

BehindLoops behind_loops(const ir::Kernel& kernel) {
  BehindLoops found;
  for (const ir::Statement& statement : kernel.grids.at(0).body) {
    const auto* define = std::get_if<ir::Define>(&statement.node);
    const auto* loop = std::get_if<ir::Loop>(&statement.node);
    if (define) found.values.insert(define->value);
    if (!loop) continue;
    found.values.clear();
    for (const ir::Statement& inner : loop->body)
      if (const auto* declare = std::get_if<ir::Declare>(&inner.node)) found.ended.insert(declare->variable);
    ir::for_each_statement(loop->body, [&](const ir::Statement& inner) {
      found.have_stores = found.have_stores || std::holds_alternative<ir::Write>(inner.node);
    });
  }
  if (found.have_stores) found.ended.clear();
  return found;
}

}  // namespace

VectorRegisters registers_of_vectors(const ir::Kernel& kernel, ir::SizeTable& sizes, const TilePlan& plan,
                                     const TileShape& shape) {
  const UsesOfLoads uses(kernel, sizes, plan);
  const std::set<ir::ValueId> behind = behind_loops(kernel).values;
  VectorRegisters sum;
  for (size_t k = 0; k < kernel.values.size(); ++k) {
    const ir::ValueId id = kernel.values.id_at(k);
    const ir::Value& value = kernel.values[id];
    if (!std::holds_alternative<ir::Load>(value.op)) continue;
    const int64_t registers = registers_along(value.axes, plan, shape);
    const bool passes = registers > kMostOfVector && is_of_columns(value.axes, plan) &&
                        !uses.is_of_threads(id) && !uses.have_folds();
    if (passes) continue;
    int64_t& part = behind.contains(id) ? sum.behind_loops : sum.others;
    part += uses.is_read_together(id) ? registers : std::min(kMostOfVector, registers);
  }
  return sum;
}

int64_t registers_of_ended_tiles(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape) {
  int64_t sum = 0;
  for (const ir::VariableId id : behind_loops(kernel).ended) {
    const std::vector<ir::AxisId>& axes = kernel.variables[id].axes;
    int64_t elements = 1;
    for (ir::AxisId axis : axes) elements *= plan.is_in_registers(axis) ? shape.extent.at(axis) : 1;
    if (is_tile(axes, plan)) sum = std::max(sum, elements / shape.threads());
  }
  return sum;
}

int64_t registers_of_variables(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape) {
  int64_t sum = 0;
  for (const ir::Variable& variable : kernel.variables) sum += registers_along(variable.axes, plan, shape);
  return sum;
}

int64_t columns_of_panels(const ir::Kernel& kernel, ir::SizeTable& sizes, const TilePlan& plan) {
  return UsesOfLoads(kernel, sizes, plan).columns_of_panels();
}

int64_t registers_of_panels(const ir::Kernel& kernel, ir::SizeTable& sizes, const TilePlan& plan) {
  const UsesOfLoads uses(kernel, sizes, plan);
  if (uses.tiles_of_panels() == 0) return 0;
  return std::min(kMostOfLoads, uses.tiles_of_panels() * kOfLoad) + uses.columns_of_panels() * kOfColumns;
}

}  // namespace tessera::emit
