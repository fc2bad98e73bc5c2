// SPDX-License-Identifier: Apache-2.0
// Construction of values with sharing.
#include "sema/builder.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "base/check.h"
#include "sema/fold.h"

namespace tessera::sema {

namespace {

using Key = std::vector<std::uint64_t>;

/// Flattens what distinguishes two operations.
struct Flatten {
  Key& key;

  void put(std::uint64_t word) { key.push_back(word); }
  template <typename Tag>
  void put(Id<Tag> id) {
    key.push_back(id.index());
  }

  void operator()(const ir::Constant& op) {
    put(std::bit_cast<std::uint64_t>(op.value.real));
    put(static_cast<std::uint64_t>(op.value.integer));
  }
  void operator()(const ir::Coordinate& op) { put(op.axis); }
  void operator()(const ir::Extent& op) { put(op.size); }
  void operator()(const ir::ScalarArgument& op) { put(op.scalar); }
  void operator()(const ir::Lookup& op) { put(op.table), put(op.index); }
  void operator()(const ir::Load& op) {
    put(op.tensor);
    for (const ir::ValueId index : op.indices) put(index);
  }
  void operator()(const ir::ReadVariable& op) { put(op.variable); }
  void operator()(const ir::Unary& op) { put(static_cast<std::uint64_t>(op.op)), put(op.operand); }
  void operator()(const ir::Binary& op) {
    put(static_cast<std::uint64_t>(op.op)), put(op.left), put(op.right);
  }
  void operator()(const ir::FusedMultiplyAdd& op) {
    put(op.a), put(op.b), put(op.c), put(op.negate_product), put(op.negate_addend);
  }
  void operator()(const ir::Math& op) {
    put(static_cast<std::uint64_t>(op.function));
    for (const ir::ValueId argument : op.arguments) put(argument);
  }
  void operator()(const ir::Cast& op) { put(op.operand), put(std::uint64_t{op.is_of_factor}); }
  void operator()(const ir::Select& op) { put(op.condition), put(op.if_true), put(op.if_false); }
  void operator()(const ir::Filter& op) { put(op.condition), put(op.operand); }
  void operator()(const ir::Coalesce& op) { put(op.operand), put(op.fallback); }
  void operator()(const ir::Reduce& op) {
    put(static_cast<std::uint64_t>(op.op)), put(op.operand);
    for (const ir::AxisId axis : op.axes) put(axis);
  }
  void operator()(const ir::Dot& op) {
    put(op.left), put(op.right);
    for (const ir::AxisId axis : op.axes) put(axis);
  }
  void operator()(const ir::Pick& op) {
    put(op.operand), put(op.axis), put(static_cast<std::uint64_t>(op.coordinate));
  }
};

std::vector<ir::AxisId> union_of(const std::vector<ir::AxisId>& a, const std::vector<ir::AxisId>& b) {
  std::vector<ir::AxisId> result;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

}  // namespace

std::vector<ir::AxisId> result_axes(const ir::Kernel& kernel, const ir::Op& op) {
  if (const auto* coordinate = std::get_if<ir::Coordinate>(&op)) {
    if (kernel.axes[coordinate->axis].is_tile()) return {coordinate->axis};
    return {};
  }
  if (const auto* read = std::get_if<ir::ReadVariable>(&op)) return kernel.variables[read->variable].axes;
  std::vector<ir::AxisId> axes;
  for (const ir::ValueId operand : ir::operands_of(op)) axes = union_of(axes, kernel.values[operand].axes);
  const std::vector<ir::AxisId> folded = ir::folded_axes(op);
  const auto* pick = std::get_if<ir::Pick>(&op);
  std::erase_if(axes, [&](ir::AxisId axis) {
    if (std::find(folded.begin(), folded.end(), axis) != folded.end()) return true;
    return pick != nullptr && pick->axis == axis;
  });
  return axes;
}

std::size_t Builder::KeyHash::operator()(const Key& key) const {
  std::size_t hash = 0xcbf29ce484222325u;
  for (const std::uint64_t word : key) hash = (hash ^ word) * 0x100000001b3u + (hash >> 29);
  return hash;
}

ir::ValueId Builder::add(ir::Op op, DType dtype, Span span) {
  if (const std::optional<ir::ValueId> folded = fold(*this, op, dtype, span)) return *folded;
  Key key{op.index(), static_cast<std::uint64_t>(dtype)};
  std::visit(Flatten{key}, op);
  for (auto block = shared_.rbegin(); block != shared_.rend(); ++block) {
    const auto entry = block->find(key);
    if (entry != block->end()) return entry->second;
  }
  const ir::ValueId value = define(std::move(op), dtype, span);
  shared_.back().emplace(std::move(key), value);
  return value;
}

ir::ValueId Builder::read(ir::VariableId variable, Span span) {
  return define(ir::ReadVariable{variable}, kernel_.variables[variable].dtype, span);
}

ir::ValueId Builder::copy(ir::ValueId value, Span span) {
  return define(ir::Coalesce{value, value}, kernel_.values[value].dtype, span);
}

ir::ValueId Builder::constant(ir::Literal literal, DType dtype, Span span) {
  return add(ir::Constant{literal}, dtype, span);
}

ir::ValueId Builder::cast(ir::ValueId value, DType dtype, Span span) {
  if (kernel_.values[value].dtype == dtype) return value;
  return add(ir::Cast{value}, dtype, span);
}

ir::ValueId Builder::define(ir::Op op, DType dtype, Span span) {
  std::vector<ir::AxisId> crossed;
  for (const ir::ValueId operand : ir::operands_of(op))
    crossed = union_of(crossed, crossed_[operand.index()]);
  crossed = union_of(crossed, ir::folded_axes(op));
  ir::Value value{std::move(op), dtype, {}, true, "", span};
  value.axes = result_axes(kernel_, value.op);
  const ir::ValueId id = kernel_.values.add(std::move(value));
  crossed_.push_back(std::move(crossed));
  append({ir::Define{id}, span});
  return id;
}

void Builder::open_block() {
  blocks_.emplace_back();
  shared_.emplace_back();
}

ir::Block Builder::close_block() {
  ir::Block block = std::move(blocks_.back());
  blocks_.pop_back();
  shared_.pop_back();
  return block;
}

}  // namespace tessera::sema
