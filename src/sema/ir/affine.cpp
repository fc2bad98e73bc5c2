// SPDX-License-Identifier: Apache-2.0
// Affine forms, found by walking the operations of integer values.
#include "sema/ir/affine.h"

#include <algorithm>
#include <map>
#include <set>

namespace tessera::ir {

namespace {

class Finder {
 public:
  Finder(const Kernel& kernel, SizeTable& sizes) : kernel_(kernel), sizes_(sizes) {}

  std::optional<Affine> form(ValueId id) {
    const Value& value = kernel_.values[id];
    if (!is_integer(value.dtype)) return std::nullopt;
    std::optional<Affine> result = std::visit([&](const auto& op) { return of(op, value); }, value.op);
    if (!result || info(value.dtype).bits == 64 || fits(*result, value.dtype)) return result;
    return std::nullopt;
  }

 private:
  std::optional<Affine> of(const Constant& op, const Value&) {
    return Affine{sizes_.constant(op.value.integer), {}};
  }
  std::optional<Affine> of(const Extent& op, const Value&) { return Affine{op.size, {}}; }
  std::optional<Affine> of(const Coordinate& op, const Value&) {
    return Affine{sizes_.constant(0), {{op.axis, sizes_.constant(1)}}};
  }

  /// Coordinates and sizes are 64 bits wide; only a cast that keeps them all has the form of its operand.
  std::optional<Affine> of(const Cast& op, const Value& value) {
    const bool keeps_all = value.dtype == DType::index || value.dtype == DType::i64;
    return keeps_all && !is_float(kernel_.values[op.operand].dtype) ? form(op.operand) : std::nullopt;
  }

  std::optional<Affine> of(const Unary& op, const Value&) {
    if (op.op != UnaryOp::negate) return std::nullopt;
    const std::optional<Affine> operand = form(op.operand);
    return operand ? std::optional(scaled(sizes_, *operand, sizes_.constant(-1))) : std::nullopt;
  }

  std::optional<Affine> of(const Binary& op, const Value& value) {
    const std::optional<Affine> left = form(op.left), right = form(op.right);
    if (!left || !right) return std::nullopt;
    switch (op.op) {
      case BinaryOp::add: return sum(sizes_, *left, *right);
      case BinaryOp::subtract: return sum(sizes_, *left, scaled(sizes_, *right, sizes_.constant(-1)));
      case BinaryOp::multiply:
        if (right->terms.empty()) return scaled(sizes_, *left, right->offset);
        if (left->terms.empty()) return scaled(sizes_, *right, left->offset);
        return std::nullopt;
      default: return of_sizes(op.op, *left, *right, value);
    }
  }

  /// Operators that sizes have and axes do not.
  std::optional<Affine> of_sizes(BinaryOp op, const Affine& left, const Affine& right, const Value&) {
    if (!left.terms.empty() || !right.terms.empty()) return std::nullopt;
    switch (op) {
      case BinaryOp::divide: return Affine{sizes_.floor_divide(left.offset, right.offset), {}};
      case BinaryOp::modulo: return Affine{sizes_.modulo(left.offset, right.offset), {}};
      case BinaryOp::minimum: return Affine{sizes_.minimum(left.offset, right.offset), {}};
      case BinaryOp::maximum: return Affine{sizes_.maximum(left.offset, right.offset), {}};
      default: return std::nullopt;
    }
  }

  /// Arithmetic in narrow types wraps, so only a constant in their range is what it seems.
  bool fits(const Affine& form, DType dtype) const {
    const std::optional<int64_t> value = form.terms.empty() ? sizes_.as_constant(form.offset) : std::nullopt;
    if (!value) return false;
    const bool is_signed = is_signed_integer(dtype);
    const int64_t limit = int64_t{1} << (info(dtype).bits - (is_signed ? 1 : 0));
    return *value < limit && *value >= (is_signed ? -limit : 0);
  }

  template <typename OtherOp>
  std::optional<Affine> of(const OtherOp&, const Value&) {
    return std::nullopt;
  }

  const Kernel& kernel_;
  SizeTable& sizes_;
};

void collect_axes(const Kernel& kernel, ValueId id, std::set<ValueId>& seen, std::set<AxisId>& axes) {
  if (!seen.insert(id).second) return;
  const Value& value = kernel.values[id];
  axes.insert(value.axes.begin(), value.axes.end());
  if (const auto* coordinate = std::get_if<Coordinate>(&value.op)) axes.insert(coordinate->axis);
  // What a reduction or a pick removes is bound inside; scalar ranges below it still count.
  std::set<AxisId> inner;
  for (const ValueId operand : operands_of(value.op)) collect_axes(kernel, operand, seen, inner);
  for (const AxisId axis : inner) {
    if (!kernel.axes[axis].is_tile()) axes.insert(axis);
  }
}

}  // namespace

std::optional<SizeId> Affine::coefficient(AxisId axis) const {
  for (const auto& [term_axis, size] : terms) {
    if (term_axis == axis) return size;
  }
  return std::nullopt;
}

Affine sum(SizeTable& sizes, const Affine& a, const Affine& b) {
  std::map<AxisId, SizeId> coefficients;
  for (const Affine* form : {&a, &b}) {
    for (const auto& [axis, coefficient] : form->terms) {
      const auto [entry, inserted] = coefficients.try_emplace(axis, coefficient);
      if (!inserted) entry->second = sizes.add(entry->second, coefficient);
    }
  }
  Affine result{sizes.add(a.offset, b.offset), {}};
  for (const auto& [axis, coefficient] : coefficients)
    if (sizes.as_constant(coefficient) != 0) result.terms.emplace_back(axis, coefficient);
  return result;
}

Affine scaled(SizeTable& sizes, const Affine& form, SizeId factor) {
  Affine result{sizes.multiply(form.offset, factor), {}};
  for (const auto& [axis, coefficient] : form.terms) {
    const SizeId product = sizes.multiply(coefficient, factor);
    if (sizes.as_constant(product) != 0) result.terms.emplace_back(axis, product);
  }
  return result;
}

std::optional<Affine> affine_form(const Kernel& kernel, SizeTable& sizes, ValueId value) {
  return Finder(kernel, sizes).form(value);
}

std::vector<AxisId> free_axes(const Kernel& kernel, ValueId value) {
  std::set<ValueId> seen;
  std::set<AxisId> axes;
  collect_axes(kernel, value, seen, axes);
  return {axes.begin(), axes.end()};
}

}  // namespace tessera::ir
