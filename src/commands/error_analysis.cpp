// SPDX-License-Identifier: Apache-2.0
// The calculus over numbers with error bounds; see error_analysis.h. Written for shortness: it runs at sizes
// at which a kernel is verified, and shares no code with the interpreter, so that the two check each other.
#include "commands/error_analysis.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "commands/inexact.h"
#include "interp/storage.h"
#include "sema/ir/integer.h"

namespace tessera::commands {

namespace {

/// Coordinates of a grid range that are handled at once; bounds the memory, results do not depend on it.
constexpr int64_t kGridTile = 128;

/// What Tensor Cores may lose of terms of fp8, of their magnitudes: an instruction cuts its 32 terms and the sum before off
/// 13 bits below the largest of them, which is at most the sum of magnitudes; after four of them f32 goes on.
constexpr double kLostOfFp8 = 4 * 33 / 8192.0;
/// What the products of parts that are left out, and bits that Tensor Cores cut off, take of a term of floats in parts.
constexpr double kLostOfParts = 1.0 / (1 << 20);

/// The elements of a value over the current tiles of its axes; the last axis varies fastest.
struct Field {
  std::vector<ir::AxisId> axes;
  std::vector<int64_t> extents;
  std::vector<Inexact> cells;

  /// Distance of neighbours along `axis`; 0 if the field lacks it.
  int64_t stride(ir::AxisId axis) const {
    int64_t stride = 1;
    for (std::size_t d = axes.size(); d-- > 0;) {
      if (axes[d] == axis) return stride;
      stride *= extents[d];
    }
    return 0;
  }
};

/// The coordinates `[lower, upper)` that an axis has now.
struct Tile {
  int64_t lower = 0, upper = 0;
  int64_t extent() const { return std::max<int64_t>(upper - lower, 0); }
};

class Analysis {
 public:
  Analysis(const Problem& problem, const std::vector<interp::Array>& tensors, bool single_steps)
      : problem_(problem),
        kernel_(*problem.kernel),
        tensors_(tensors),
        single_steps_(single_steps),
        tiles_(kernel_.axes.size()),
        coordinates_(kernel_.axes.size()),
        values_(kernel_.values.size()),
        variables_(kernel_.variables.size()),
        outputs_(kernel_.tensors.size()) {
    for (std::size_t i = 0; i < kernel_.axes.size(); ++i) tiles_[i] = whole(kernel_.axes.id_at(i));
    for (std::size_t i = 0; i < kernel_.tensors.size(); ++i) {
      if (kernel_.tensors[kernel_.tensors.id_at(i)].is_output) {
        outputs_[i].resize(static_cast<std::size_t>(tensors_[i].count()));
      }
    }
  }

  std::vector<OutputBounds> run() {
    for (const ir::Grid& grid : kernel_.grids) run_grid(grid, 0);
    std::vector<OutputBounds> result;
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const ir::TensorId id = kernel_.tensors.id_at(i);
      if (!kernel_.tensors[id].is_output) continue;
      OutputBounds bounds{id, {}, {}};
      const bool is_real = is_float(kernel_.tensors[id].dtype);
      for (const Inexact& cell : outputs_[i]) {
        bounds.values.push_back(is_real ? cell.real : static_cast<double>(cell.integer));
        bounds.errors.push_back(cell.error);
      }
      result.push_back(std::move(bounds));
    }
    return result;
  }

 private:
  Tile whole(ir::AxisId id) const {
    const ir::Axis& axis = kernel_.axes[id];
    return {problem_.evaluate(axis.lower), problem_.evaluate(axis.upper)};
  }

  /// Calls `body` for each tile of a range, ascending.
  template <typename Body>
  void for_each_tile(ir::AxisId id, Body&& body) {
    const ir::Axis& axis = kernel_.axes[id];
    const Tile all = whole(id);
    int64_t step = 1;
    if (axis.step == ir::StepKind::semantic) step = axis.step_size;
    if (axis.step == ir::StepKind::plan) {
      step = axis.kind == ir::AxisKind::grid ? kGridTile
             : single_steps_                 ? 1
                                             : std::max<int64_t>(all.extent(), 1);
    }
    for (int64_t lower = all.lower; lower < all.upper; lower += step) {
      tiles_[id.index()] = {lower, std::min(lower + step, all.upper)};
      coordinates_[id.index()] = lower;
      body();
    }
    tiles_[id.index()] = all;
  }

  void run_grid(const ir::Grid& grid, std::size_t next) {
    if (next == grid.axes.size()) return run_block(grid.body);
    for_each_tile(grid.axes[next], [&] { run_grid(grid, next + 1); });
  }

  void run_block(const ir::Block& block) {
    for (const ir::Statement& statement : block) {
      std::visit([this](const auto& node) { run_statement(node); }, statement.node);
    }
  }

  void run_statement(const ir::Define& node) { values_[node.value.index()] = evaluate(node.value); }
  void run_statement(const ir::Loop& node) {
    for_each_tile(node.axis, [&] { run_block(node.body); });
  }
  void run_statement(const ir::Declare& node) {
    const Field& initial = value(node.initial);
    variables_[node.variable.index()] = filled(kernel_.variables[node.variable].axes, {&initial},
                                               [](const auto& cells) { return *cells[0]; });
  }
  void run_statement(const ir::Assign& node) {
    Field& variable = variables_[node.variable.index()];
    const Field& from = value(node.value);
    int64_t start = 0;
    Field frame{variable.axes, variable.extents, {}};
    for (const auto& [axis, coordinate] : node.picks) {
      start += (coordinate - tiles_[axis.index()].lower) * variable.stride(axis);
      for (std::size_t d = 0; d < frame.axes.size(); ++d) {
        if (frame.axes[d] == axis) frame.extents[d] = 1;
      }
    }
    for_each_point(frame, {&variable, &from}, [&](const auto& offsets) {
      const Inexact& cell = from.cells[static_cast<std::size_t>(offsets[1])];
      if (cell.exists) variable.cells[static_cast<std::size_t>(start + offsets[0])] = cell;
    });
  }
  void run_statement(const ir::Write& node) {
    std::vector<const Field*> fields = {&value(node.value)};
    for (const ir::ValueId index : node.indices) fields.push_back(&value(index));
    auto& output = outputs_[node.tensor.index()];
    for_each_point(frame_of(axes_of(fields)), fields, [&](const auto& offsets) {
      const Inexact& cell = fields[0]->cells[static_cast<std::size_t>(offsets[0])];
      const auto position = position_of(node.tensor, fields, offsets, 1);
      if (cell.exists && position) output[static_cast<std::size_t>(*position)] = cell;
    });
  }

  const Field& value(ir::ValueId id) const { return values_[id.index()]; }
  DType dtype_of(ir::ValueId id) const { return kernel_.values[id].dtype; }

  /// A field without elements: axes with their current extents.
  Field frame_of(std::vector<ir::AxisId> axes) const {
    Field frame{std::move(axes), {}, {}};
    for (const ir::AxisId axis : frame.axes) frame.extents.push_back(tiles_[axis.index()].extent());
    return frame;
  }

  static std::vector<ir::AxisId> axes_of(const std::vector<const Field*>& fields) {
    std::vector<ir::AxisId> axes;
    for (const Field* field : fields) axes.insert(axes.end(), field->axes.begin(), field->axes.end());
    std::ranges::sort(axes);
    axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
    return axes;
  }

  /// Calls `body(offsets)` for every point of `frame` in ascending order: where each field has its element.
  template <typename Body>
  void for_each_point(const Field& frame, const std::vector<const Field*>& fields, Body&& body) {
    if (std::ranges::count(frame.extents, 0) > 0) return;
    std::vector<int64_t> offsets(fields.size(), 0), position(frame.axes.size(), 0);
    std::vector<std::vector<int64_t>> strides;
    for (const ir::AxisId axis : frame.axes) {
      coordinates_[axis.index()] = tiles_[axis.index()].lower;
      strides.emplace_back();
      for (const Field* field : fields) strides.back().push_back(field->stride(axis));
    }
    while (true) {
      body(offsets);
      std::size_t d = frame.axes.size();
      while (true) {
        if (d == 0) return;
        --d;
        for (std::size_t n = 0; n < fields.size(); ++n) offsets[n] += strides[d][n];
        ++coordinates_[frame.axes[d].index()];
        if (++position[d] < frame.extents[d]) break;
        for (std::size_t n = 0; n < fields.size(); ++n) offsets[n] -= strides[d][n] * frame.extents[d];
        coordinates_[frame.axes[d].index()] = tiles_[frame.axes[d].index()].lower;
        position[d] = 0;
      }
    }
  }

  /// A field over `axes` whose elements come from those of `operands` at the same point.
  template <typename Make>
  Field filled(const std::vector<ir::AxisId>& axes, const std::vector<const Field*>& operands, Make&& make) {
    Field result = frame_of(axes);
    std::vector<const Inexact*> cells(operands.size());
    for_each_point(result, operands, [&](const auto& offsets) {
      for (std::size_t n = 0; n < operands.size(); ++n) {
        cells[n] = &operands[n]->cells[static_cast<std::size_t>(offsets[n])];
      }
      result.cells.push_back(make(cells));
    });
    return result;
  }

  /// The same for operations that exist where all their operands do.
  template <typename Make>
  Field pointwise(const std::vector<ir::AxisId>& axes, const std::vector<ir::ValueId>& operands,
                  Make&& make) {
    std::vector<const Field*> fields;
    for (const ir::ValueId operand : operands) fields.push_back(&value(operand));
    return filled(axes, fields, [&](const auto& cells) {
      const bool exists = std::ranges::all_of(cells, [](const Inexact* cell) { return cell->exists; });
      return exists ? make(cells) : Inexact::absent();
    });
  }

  Field evaluate(ir::ValueId id) {
    const ir::Value& value = kernel_.values[id];
    return std::visit([&](const auto& op) { return evaluate(op, value); }, value.op);
  }

  Field evaluate(const ir::Constant& op, const ir::Value& value) {
    return filled(value.axes, {}, [&](const auto&) { return inexact_constant(op.value, value.dtype); });
  }
  Field evaluate(const ir::Coordinate& op, const ir::Value& value) {
    return filled(value.axes, {},
                  [&](const auto&) { return Inexact{.integer = coordinates_[op.axis.index()]}; });
  }
  Field evaluate(const ir::Extent& op, const ir::Value& value) {
    return filled(value.axes, {},
                  [&](const auto&) { return Inexact{.integer = problem_.evaluate(op.size)}; });
  }
  Field evaluate(const ir::ScalarArgument& op, const ir::Value& value) {
    return filled(value.axes, {}, [&](const auto&) {
      return inexact_constant(problem_.scalars[op.scalar.index()], value.dtype);
    });
  }
  Field evaluate(const ir::Lookup& op, const ir::Value& value) {
    const ir::Table& table = kernel_.tables[op.table];
    return pointwise(value.axes, {op.index}, [&](const auto& cells) {
      const int64_t index = cells[0]->integer;
      if (index < 0 || index >= static_cast<int64_t>(table.elements.size())) return Inexact::absent();
      return inexact_constant(table.elements[static_cast<std::size_t>(index)], table.dtype);
    });
  }
  Field evaluate(const ir::Load& op, const ir::Value& value) {
    std::vector<const Field*> indices;
    for (const ir::ValueId index : op.indices) indices.push_back(&this->value(index));
    const interp::Array& array = tensors_[op.tensor.index()];
    Field result = frame_of(value.axes);
    for_each_point(result, indices, [&](const auto& offsets) {
      const auto position = position_of(op.tensor, indices, offsets, 0);
      result.cells.push_back(position ? element(array, *position) : Inexact::absent());
    });
    return result;
  }
  Field evaluate(const ir::ReadVariable& op, const ir::Value& value) {
    return filled(value.axes, {&variables_[op.variable.index()]},
                  [](const auto& cells) { return *cells[0]; });
  }
  Field evaluate(const ir::Unary& op, const ir::Value& value) {
    return pointwise(value.axes, {op.operand}, [&](const auto& cells) {
      return inexact_unary(op.op, dtype_of(op.operand), *cells[0]);
    });
  }
  Field evaluate(const ir::Binary& op, const ir::Value& value) {
    return pointwise(value.axes, {op.left, op.right}, [&](const auto& cells) {
      return inexact_binary(op.op, dtype_of(op.left), *cells[0], *cells[1]);
    });
  }
  Field evaluate(const ir::FusedMultiplyAdd& op, const ir::Value& value) {
    return pointwise(value.axes, {op.a, op.b, op.c}, [&](const auto& cells) {
      return inexact_fused(op, value.dtype, *cells[0], *cells[1], *cells[2]);
    });
  }
  Field evaluate(const ir::Math& op, const ir::Value& value) {
    return pointwise(value.axes, op.arguments, [&](const auto& cells) {
      std::vector<Inexact> arguments;
      for (const Inexact* cell : cells) arguments.push_back(*cell);
      return inexact_math(op.function, value.dtype, arguments);
    });
  }
  Field evaluate(const ir::Cast& op, const ir::Value& value) {
    return pointwise(value.axes, {op.operand}, [&](const auto& cells) {
      return inexact_cast(dtype_of(op.operand), value.dtype, *cells[0]);
    });
  }
  Field evaluate(const ir::Select& op, const ir::Value& value) {
    return filled(value.axes,
                  {&this->value(op.condition), &this->value(op.if_true), &this->value(op.if_false)},
                  [&](const auto& cells) {
                    if (!cells[0]->exists) return Inexact::absent();
                    return inexact_select(value.dtype, *cells[0], *cells[1], *cells[2]);
                  });
  }
  Field evaluate(const ir::Filter& op, const ir::Value& value) {
    return pointwise(value.axes, {op.condition, op.operand}, [&](const auto& cells) {
      return inexact_select(value.dtype, *cells[0], *cells[1], Inexact::absent());
    });
  }
  Field evaluate(const ir::Coalesce& op, const ir::Value& value) {
    return filled(value.axes, {&this->value(op.operand), &this->value(op.fallback)},
                  [](const auto& cells) { return cells[0]->exists ? *cells[0] : *cells[1]; });
  }
  Field evaluate(const ir::Pick& op, const ir::Value& value) {
    const Field& operand = this->value(op.operand);
    const int64_t start = (op.coordinate - tiles_[op.axis.index()].lower) * operand.stride(op.axis);
    Field result = frame_of(value.axes);
    for_each_point(result, {&operand}, [&](const auto& offsets) {
      result.cells.push_back(operand.cells[static_cast<std::size_t>(start + offsets[0])]);
    });
    return result;
  }
  Field evaluate(const ir::Reduce& op, const ir::Value& value) {
    const bool keeps_type = op.op == ir::ReduceOp::sum || op.op == ir::ReduceOp::prod;
    return fold(op.op, this->value(op.operand), keeps_type ? value.dtype : dtype_of(op.operand), value,
                op.axes.front());
  }
  /// What exists of `operand`, folded to the axes of `value`; `along` is what argmax and argmin fold.
  Field fold(ir::ReduceOp op, const Field& operand, DType dtype, const ir::Value& value,
             ir::AxisId along = ir::AxisId(0)) {
    Field result = frame_of(value.axes);
    int64_t count = 1;
    for (const int64_t extent : result.extents) count *= extent;
    result.cells.resize(static_cast<std::size_t>(count));
    std::vector<InexactFold> folds(result.cells.size(), InexactFold(op, dtype));
    for_each_point(operand, {&operand, &result}, [&](const auto& offsets) {
      const Inexact& cell = operand.cells[static_cast<std::size_t>(offsets[0])];
      if (cell.exists) folds[static_cast<std::size_t>(offsets[1])].take(cell, coordinates_[along.index()]);
    });
    for (std::size_t i = 0; i < folds.size(); ++i) result.cells[i] = folds[i].result();
    return result;
  }

  bool may_be_in_parts(ir::ValueId factor) const {
    const auto* unary = std::get_if<ir::Unary>(&kernel_.values[factor].op);
    return unary && unary->op == ir::UnaryOp::split;
  }

  /// Whether a factor is multiplied as fp8: it is, or was until the other kind of fp8 made both f16.
  bool is_fp8_factor(ir::ValueId factor) const {
    const auto* cast = std::get_if<ir::Cast>(&kernel_.values[factor].op);
    return is_fp8(dtype_of(cast && cast->is_of_factor ? cast->operand : factor));
  }

  Field evaluate(const ir::Dot& op, const ir::Value& value) {
    std::vector<ir::AxisId> axes = value.axes;
    axes.insert(axes.end(), op.axes.begin(), op.axes.end());
    std::sort(axes.begin(), axes.end());
    const DType factor = dtype_of(op.left);
    const double lost = is_fp8_factor(op.left) && is_fp8_factor(op.right)       ? kLostOfFp8
                        : may_be_in_parts(op.left) && may_be_in_parts(op.right) ? kLostOfParts
                                                                                : 0;
    const Field terms = pointwise(axes, {op.left, op.right}, [&](const auto& cells) {
      Inexact term =
          inexact_binary(ir::BinaryOp::multiply, value.dtype, inexact_cast(factor, value.dtype, *cells[0]),
                         inexact_cast(factor, value.dtype, *cells[1]));
      if (lost > 0) term.error += lost * std::abs(term.real);
      return term;
    });
    return fold(ir::ReduceOp::sum, terms, value.dtype, value);
  }

  /// The element of a tensor that index fields name at a point, if it lies inside; `first` is the first index
  /// field.
  std::optional<int64_t> position_of(ir::TensorId id, const std::vector<const Field*>& fields,
                                     const std::vector<int64_t>& offsets, std::size_t first) const {
    const interp::Array& array = tensors_[id.index()];
    int64_t position = 0;
    for (std::size_t d = 0; d < array.extents.size(); ++d) {
      const Inexact& cell = fields[first + d]->cells[static_cast<std::size_t>(offsets[first + d])];
      int64_t index = cell.integer;
      if (kernel_.tensors[id].periodic) index = ir::floor_modulo(index, array.extents[d]);
      if (!cell.exists || index < 0 || index >= array.extents[d]) return std::nullopt;
      position = position * array.extents[d] + index;
    }
    return position;
  }

  static Inexact element(const interp::Array& array, int64_t position) {
    return interp::with_storage(array.dtype, [&]<typename Tag>(Tag) {
      using Element = typename Tag::Type;
      const Element stored = array.as<Element>()[position];
      if constexpr (std::is_integral_v<Element>) {
        return Inexact{.integer = static_cast<int64_t>(stored)};
      } else {
        return Inexact{.real = convert<double>(stored)};
      }
    });
  }

  const Problem& problem_;
  const ir::Kernel& kernel_;
  const std::vector<interp::Array>& tensors_;
  bool single_steps_;
  std::vector<Tile> tiles_;           // by axis: the current one
  std::vector<int64_t> coordinates_;  // by axis: the current one
  std::vector<Field> values_;
  std::vector<Field> variables_;
  std::vector<std::vector<Inexact>> outputs_;  // by tensor; empty for inputs
};

bool has_planned_loop(const ir::Kernel& kernel) {
  return std::ranges::any_of(kernel.axes, [](const ir::Axis& axis) {
    return axis.kind == ir::AxisKind::loop && axis.step == ir::StepKind::plan;
  });
}

}  // namespace

std::vector<OutputBounds> bound_errors(const Problem& problem, const std::vector<interp::Array>& tensors) {
  std::vector<OutputBounds> bounds = Analysis(problem, tensors, false).run();
  if (!has_planned_loop(*problem.kernel)) return bounds;
  const std::vector<OutputBounds> single = Analysis(problem, tensors, true).run();
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    for (std::size_t j = 0; j < bounds[i].errors.size(); ++j) {
      const double distance = std::abs(bounds[i].values[j] - single[i].values[j]);
      const double other = single[i].errors[j] + (distance > 0 ? distance : 0);
      bounds[i].errors[j] = std::max(bounds[i].errors[j], other);
    }
  }
  return bounds;
}

}  // namespace tessera::commands
