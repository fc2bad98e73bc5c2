// SPDX-License-Identifier: Apache-2.0
// Statements: definitions, variables, writes and loops.
#include "interp/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "interp/pointwise.h"
#include "interp/presence.h"
#include "interp/storage.h"

namespace tessera::interp {

namespace {

/// The elements of a constant table; as doubles in the reference mode.
Array table_array(const ir::Table& table, Numbers numbers) {
  const bool is_reference = numbers == Numbers::f64 && is_float(table.dtype);
  Array array =
      Array::zeros(is_reference ? DType::f64 : table.dtype, {static_cast<int64_t>(table.elements.size())});
  with_storage(array.dtype, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    T* element = array.as<T>();
    for (const ir::Literal& literal : table.elements) {
      if constexpr (std::is_integral_v<T>) {
        *element++ = static_cast<T>(literal.integer);
      } else {
        *element++ = convert<T>(literal.real);
      }
    }
  });
  return array;
}

template <typename T>
void overwrite_elements(T* elements, const Tile& value, const Frame& part, const Strides& strides) {
  const uint8_t* mask = value.present.get();
  const Loops<2> loops(part, {strides, strides_in(part, *value.frame.axes)});
  loops.run([&](const auto& offsets, int64_t count, const auto& steps) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t from = offsets[1] + i * steps[1];
      if (mask == nullptr || mask[from] != 0) elements[offsets[0] + i * steps[0]] = value.as<T>()[from];
    }
  });
}

}  // namespace

Machine::Machine(const Program& program, const Launch& launch, Numbers numbers,
                 const std::vector<AxisRange>& ranges, std::vector<std::optional<Output>>& outputs)
    : program_(program),
      kernel_(*program.kernel),
      launch_(launch),
      numbers_(numbers),
      ranges_(ranges),
      outputs_(outputs),
      names_(kernel_),
      boxes_(kernel_.axes.size()),
      values_(kernel_.values.size()),
      variables_(kernel_.variables.size()) {
  for (size_t i = 0; i < boxes_.size(); ++i) {
    boxes_[i] = {ranges_[i].lower, ranges_[i].extent()};
    const bool is_let = kernel_.axes[kernel_.axes.id_at(i)].kind == ir::AxisKind::let;
    if (is_let && ranges_[i].extent() == 0) all_lets_have_coordinates_ = false;
  }
  for (const ir::Table& table : kernel_.tables) tables_.push_back(table_array(table, numbers));
}

bool Machine::run_instance(size_t grid, const std::vector<int64_t>& begins) {
  grid_axes_ = &kernel_.grids[grid].axes;
  for (size_t i = 0; i < begins.size(); ++i) set_box((*grid_axes_)[i], begins[i]);
  run(program_.grids[grid]);
  return !error_;
}

void Machine::set_box(ir::AxisId axis, int64_t begin) {
  const AxisRange& range = ranges_[axis.index()];
  boxes_[axis.index()] = {begin, std::min(range.tile, range.upper - begin)};
}

Frame Machine::frame_over(const AxisList& axes) const {
  Frame frame{&axes, {}, 1};
  for (size_t d = 0; d < axes.size(); ++d) {
    frame.extents[d] = boxes_[axes[d].index()].extent;
    frame.volume *= frame.extents[d];
  }
  return frame;
}

int64_t Machine::evaluate(ir::SizeId size) const {
  return kernel_.sizes.evaluate(size,
                                [this](ir::SymbolId symbol) { return launch_.symbols[symbol.index()]; });
}

void Machine::fail(Span span, std::string message) {
  if (!error_) error_ = Error{std::move(message), span};
}

void Machine::run(const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    std::visit([&](const auto& node) { execute(node, step); }, step.statement->node);
    if (error_) return;
    for (const ir::ValueId value : step.released) values_[value.index()] = {};
  }
}

const Tile& Machine::tile(ir::ValueId id) {
  Tile& tile = values_[id.index()];
  if (tile.empty()) {
    tile = affine_tile(*program_.affine[id.index()], frame_over(program_.value_axes[id.index()]), boxes_);
  }
  return tile;
}

void Machine::execute(const ir::Define& define, const Step&) {
  values_[define.value.index()] = {};
  if (program_.affine[define.value.index()]) return;
  const ir::Value& value = kernel_.values[define.value];
  const Frame frame = frame_over(program_.value_axes[define.value.index()]);
  Tile result = std::visit([&](const auto& op) { return compute(op, value, frame); }, value.op);
  if (!error_) check_existence(define.value, result);
  values_[define.value.index()] = std::move(result);
}

/// Drops a mask that hides nothing, and holds the value to what was proved of it.
void Machine::check_existence(ir::ValueId id, Tile& tile) {
  if (!tile.present) return;
  const int64_t absent = first_absent(tile);
  if (absent < 0) {
    tile.present = nullptr;
    return;
  }
  const ir::Value& value = kernel_.values[id];
  if (!value.total || !all_lets_have_coordinates_) return;
  const AxisList& axes = *tile.frame.axes;
  const std::vector<int64_t> extents(tile.frame.extents.begin(),
                                     tile.frame.extents.begin() + static_cast<ptrdiff_t>(axes.size()));
  int64_t rest = absent;
  std::string place;
  for (size_t d = axes.size(); d-- > 0;) {
    place = fmt::format("{} = {}{}{}", names_.of(axes[d]), boxes_[axes[d].index()].begin + rest % extents[d],
                        place.empty() ? "" : ", ", place);
    rest /= extents[d];
  }
  fail(value.span, fmt::format("{} was proved to exist everywhere and does not exist{}{}", names_.of(id),
                               place.empty() ? "" : " at ", place));
}

void Machine::execute(const ir::Declare& declare, const Step&) {
  const Frame frame = frame_over(program_.variable_axes[declare.variable.index()]);
  const Tile& initial = tile(declare.initial);
  if (initial.present)
    return fail(kernel_.variables[declare.variable].span, "an initial value does not exist");
  variables_[declare.variable.index()] = repeated(initial, frame);
}

void Machine::execute(const ir::Assign& assign, const Step&) {
  const AxisList& axes = program_.variable_axes[assign.variable.index()];
  const Frame frame = frame_over(axes);
  const Tile& value = tile(assign.value);
  Tile& variable = variables_[assign.variable.index()];
  if (!value.present && assign.picks.empty()) {
    variable = repeated(value, frame);
    return;
  }
  Frame part = frame;
  int64_t offset = 0;
  const Strides strides = strides_in(frame, axes);
  for (const auto& [axis, coordinate] : assign.picks) {
    const auto d = static_cast<size_t>(std::lower_bound(axes.begin(), axes.end(), axis) - axes.begin());
    offset += (coordinate - boxes_[axis.index()].begin) * strides[d];
    part.volume = frame.extents[d] == 0 ? 0 : part.volume / frame.extents[d];
    part.extents[d] = 1;
  }
  overwrite(variable, value, part, offset);
}

void Machine::overwrite(Tile& variable, const Tile& value, const Frame& part, int64_t offset) {
  Tile copy = Tile::make(variable.frame, variable.rep);
  const size_t bytes = static_cast<size_t>(variable.frame.volume) * size_of(variable.rep);
  if (bytes != 0) std::memcpy(copy.data.get(), variable.data.get(), bytes);
  const Strides strides = strides_in(variable.frame, *variable.frame.axes);
  switch (copy.rep) {
    case Rep::f32: overwrite_elements(copy.as<float>() + offset, value, part, strides); break;
    case Rep::f64: overwrite_elements(copy.as<double>() + offset, value, part, strides); break;
    case Rep::integer: overwrite_elements(copy.as<int64_t>() + offset, value, part, strides); break;
    case Rep::boolean: overwrite_elements(copy.as<uint8_t>() + offset, value, part, strides); break;
  }
  variable = std::move(copy);
}

void Machine::execute(const ir::Write& write, const Step& step) {
  const Frame frame = frame_over(step.write_axes);
  if (frame.volume == 0) return;
  Output& output = *outputs_[write.tensor.index()];
  const Address address =
      resolve(frame, boxes_, {output.extents(), false, write.in_bounds}, index_operands(write.indices));
  check_address(address, write.tensor, step.statement->span);
  const std::string& name = kernel_.tensors[write.tensor].name;
  if (const std::optional<ir::AxisId> axis = missing_grid_axis(frame)) {
    return fail(
        step.statement->span,
        fmt::format("every instance along `{}` writes the same elements of `{}`", names_.of(*axis), name));
  }
  const std::optional<int64_t> clash = output.write(address, tile(write.value), writers_over(frame), frame);
  if (!clash) return;
  fail(step.statement->span, fmt::format("element {}{} is written by two instances", name,
                                         spell_position(output.extents(), *clash)));
}

Output::Writers Machine::writers_over(const Frame& frame) const {
  Output::Writers writers;
  uint64_t weight = 1;
  for (auto axis = grid_axes_->rbegin(); axis != grid_axes_->rend(); ++axis) {
    const AxisRange& range = ranges_[axis->index()];
    const int64_t position = boxes_[axis->index()].begin - range.lower;
    // A semantic step makes the tile the unit of meaning; otherwise each coordinate is an instance of its
    // own.
    const bool by_tile = kernel_.axes[*axis].step == ir::StepKind::semantic;
    writers.base += weight * static_cast<uint64_t>(by_tile ? position / range.tile : position);
    const auto found = std::lower_bound(frame.axes->begin(), frame.axes->end(), *axis);
    if (!by_tile && found != frame.axes->end() && *found == *axis) {
      writers.strides[static_cast<size_t>(found - frame.axes->begin())] = static_cast<int64_t>(weight);
    }
    weight *= static_cast<uint64_t>(by_tile ? range.tiles() : range.extent());
  }
  return writers;
}

std::optional<ir::AxisId> Machine::missing_grid_axis(const Frame& frame) const {
  for (const ir::AxisId axis : *grid_axes_) {
    const bool by_tile = kernel_.axes[axis].step == ir::StepKind::semantic;
    const bool carried = std::binary_search(frame.axes->begin(), frame.axes->end(), axis);
    if (!carried && !by_tile && boxes_[axis.index()].extent > 1) return axis;
  }
  return std::nullopt;
}

void Machine::check_address(const Address& address, ir::TensorId tensor, Span span) {
  if (!address.broken_claim) return;
  fail(span, fmt::format("index {} of `{}` was proved to be in bounds and is not", *address.broken_claim,
                         kernel_.tensors[tensor].name));
}

void Machine::execute(const ir::Loop& loop, const Step& step) {
  const AxisRange& range = ranges_[loop.axis.index()];
  for (int64_t begin = range.lower; begin < range.upper && !error_; begin += range.tile) {
    set_box(loop.axis, begin);
    run(step.body);
  }
}

std::vector<IndexOperand> Machine::index_operands(const std::vector<ir::ValueId>& indices) {
  std::vector<IndexOperand> operands;
  for (const ir::ValueId index : indices) {
    const std::optional<AffineIndex>& affine = program_.affine[index.index()];
    if (affine) {
      operands.push_back({&*affine, {}});
    } else {
      operands.push_back({nullptr, tile(index)});
    }
  }
  return operands;
}

}  // namespace tessera::interp
