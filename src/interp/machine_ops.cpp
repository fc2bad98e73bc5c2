// SPDX-License-Identifier: Apache-2.0
// Operations: each fetches its operands, computes the elements and says which of them exist.
#include "base/check.h"
#include "interp/dot.h"
#include "interp/machine.h"
#include "interp/pointwise.h"
#include "interp/presence.h"
#include "interp/reduce.h"

namespace tessera::interp {

Tile Machine::compute(const ir::Constant& op, const ir::Value& value, const Frame& frame) {
  return constant_tile(frame, op.value, value.dtype, numbers_);
}

Tile Machine::compute(const ir::Coordinate&, const ir::Value&, const Frame&) {
  unreachable("a coordinate is affine, and affine values are not computed here");
}

Tile Machine::compute(const ir::Extent&, const ir::Value&, const Frame&) {
  unreachable("an extent is affine, and affine values are not computed here");
}

Tile Machine::compute(const ir::ScalarArgument& op, const ir::Value& value, const Frame& frame) {
  return constant_tile(frame, launch_.scalars[op.scalar.index()], value.dtype, numbers_);
}

Tile Machine::compute(const ir::Lookup& op, const ir::Value& value, const Frame& frame) {
  const Array& table = tables_[op.table.index()];
  const Address address = resolve(frame, boxes_, {table.extents, false, 0}, index_operands({op.index}));
  return load_tile(table, address, rep_of(value.dtype, numbers_), frame);
}

Tile Machine::compute(const ir::Load& op, const ir::Value& value, const Frame& frame) {
  const ir::Tensor& tensor = kernel_.tensors[op.tensor];
  const Target target{launch_.extents[op.tensor.index()], tensor.periodic, op.in_bounds};
  const Address address = resolve(frame, boxes_, target, index_operands(op.indices));
  check_address(address, op.tensor, value.span);
  return load_tile(*launch_.inputs[op.tensor.index()], address, rep_of(value.dtype, numbers_), frame);
}

Tile Machine::compute(const ir::ReadVariable& op, const ir::Value&, const Frame&) {
  return variables_[op.variable.index()];
}

Tile Machine::compute(const ir::Unary& op, const ir::Value& value, const Frame& frame) {
  const Tile& operand = tile(op.operand);
  Tile result = unary(op.op, value.dtype, operand, frame);
  result.present = all_present(frame, {&operand});
  return result;
}

Tile Machine::compute(const ir::Binary& op, const ir::Value&, const Frame& frame) {
  const Tile &left = tile(op.left), &right = tile(op.right);
  Tile result = binary(op.op, type(op.left), left, right, frame);
  result.present = all_present(frame, {&left, &right});
  return result;
}

Tile Machine::compute(const ir::FusedMultiplyAdd& op, const ir::Value&, const Frame& frame) {
  const Tile &a = tile(op.a), &b = tile(op.b), &c = tile(op.c);
  Tile result = fused(op, a, b, c, frame);
  result.present = all_present(frame, {&a, &b, &c});
  return result;
}

Tile Machine::compute(const ir::Math& op, const ir::Value&, const Frame& frame) {
  const Tile& first = tile(op.arguments[0]);
  if (op.function == ir::MathFunction::pow) {
    const Tile& second = tile(op.arguments[1]);
    Tile result = power(first, second, frame);
    result.present = all_present(frame, {&first, &second});
    return result;
  }
  Tile result = math_function(op.function, first, frame);
  result.present = all_present(frame, {&first});
  return result;
}

Tile Machine::compute(const ir::Cast& op, const ir::Value& value, const Frame& frame) {
  const Tile& operand = tile(op.operand);
  Tile result = cast(operand, type(op.operand), value.dtype, numbers_, frame);
  result.present = all_present(frame, {&operand});
  return result;
}

Tile Machine::compute(const ir::Select& op, const ir::Value&, const Frame& frame) {
  const Tile &condition = tile(op.condition), &if_true = tile(op.if_true), &if_false = tile(op.if_false);
  Tile result = select(condition, if_true, if_false, frame);
  result.present = select_present(frame, condition, if_true, if_false);
  return result;
}

Tile Machine::compute(const ir::Filter& op, const ir::Value&, const Frame& frame) {
  const Tile &condition = tile(op.condition), &operand = tile(op.operand);
  Tile result = repeated(operand, frame);
  result.present = filter_present(frame, condition, operand);
  return result;
}

Tile Machine::compute(const ir::Coalesce& op, const ir::Value&, const Frame& frame) {
  const Tile &operand = tile(op.operand), &fallback = tile(op.fallback);
  if (!operand.present) return repeated(operand, frame);
  Tile result = select(mask_tile(operand), operand, fallback, frame);
  result.present = coalesce_present(frame, operand, fallback);
  return result;
}

Tile Machine::compute(const ir::Reduce& op, const ir::Value&, const Frame& frame) {
  return reduce(op.op, tile(op.operand), type(op.operand), boxes_[op.axes.front().index()].begin, frame);
}

Tile Machine::compute(const ir::Dot& op, const ir::Value& value, const Frame& frame) {
  return dot(op, tile(op.left), tile(op.right), value.dtype, frame);
}

Tile Machine::compute(const ir::Pick& op, const ir::Value&, const Frame& frame) {
  return slice(tile(op.operand), op.axis, op.coordinate - boxes_[op.axis.index()].begin, frame);
}

}  // namespace tessera::interp
