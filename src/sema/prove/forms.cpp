// SPDX-License-Identifier: Apache-2.0
// The prover's part about affine forms: finding them and bounding them over boxes of axes.
#include <algorithm>

#include "sema/prove/prover.h"

namespace tessera::sema {

ir::AxisId Prover::tile_axis(ir::AxisId axis) const {
  return ir::AxisId(static_cast<std::uint32_t>(kernel_.axes.size()) + axis.index());
}

ir::AxisId Prover::base_axis(ir::AxisId axis) const {
  const auto count = static_cast<std::uint32_t>(kernel_.axes.size());
  return axis.index() < count ? axis : ir::AxisId(axis.index() - count);
}

ir::SizeId Prover::lower(ir::AxisId axis) {
  return base_axis(axis) == axis ? facts_.canonical(kernel_.axes[axis].lower) : kernel_.sizes.constant(0);
}

ir::SizeId Prover::upper(ir::AxisId axis) {
  const ir::AxisId base = base_axis(axis);
  const ir::Axis& range = kernel_.axes[base];
  if (base == axis) return facts_.canonical(range.upper);
  ir::SizeTable& sizes = kernel_.sizes;
  const ir::SizeId extent = sizes.subtract(range.upper, range.lower);
  const ir::SizeId rounded = sizes.add(extent, sizes.constant(range.step_size - 1));
  return facts_.canonical(sizes.floor_divide(rounded, sizes.constant(range.step_size)));
}

ir::Affine Prover::scaled(const ir::Affine& a, ir::SizeId factor) {
  ir::Affine result{kernel_.sizes.multiply(a.offset, factor), {}};
  for (const auto& [axis, coefficient] : a.terms) {
    const ir::SizeId product = kernel_.sizes.multiply(coefficient, factor);
    if (kernel_.sizes.as_constant(product) != 0) result.terms.emplace_back(axis, product);
  }
  return result;
}

/// a + sign * b.
ir::Affine Prover::sum(const ir::Affine& a, const ir::Affine& b, std::int64_t sign) {
  const ir::Affine right = scaled(b, kernel_.sizes.constant(sign));
  std::map<ir::AxisId, ir::SizeId> terms(a.terms.begin(), a.terms.end());
  for (const auto& [axis, coefficient] : right.terms) {
    const auto [entry, inserted] = terms.try_emplace(axis, coefficient);
    if (!inserted) entry->second = kernel_.sizes.add(entry->second, coefficient);
  }
  ir::Affine result{kernel_.sizes.add(a.offset, right.offset), {}};
  for (const auto& [axis, coefficient] : terms) {
    if (kernel_.sizes.as_constant(coefficient) != 0) result.terms.emplace_back(axis, coefficient);
  }
  return result;
}

const std::optional<ir::Affine>& Prover::plain_form(ir::ValueId value) {
  const auto known = forms_.find(value);
  if (known != forms_.end()) return known->second;
  std::optional<ir::Affine> result = make_form(value);
  return forms_.emplace(value, std::move(result)).first->second;
}

std::optional<ir::Affine> Prover::make_form(ir::ValueId id) {
  const ir::Value& value = kernel_.values[id];
  if (!is_integer(value.dtype)) return std::nullopt;
  if (const auto* constant = std::get_if<ir::Constant>(&value.op)) {
    return ir::Affine{kernel_.sizes.constant(constant->value.integer), {}};
  }
  if (const auto* extent = std::get_if<ir::Extent>(&value.op))
    return ir::Affine{facts_.canonical(extent->size), {}};
  if (const auto* coordinate = std::get_if<ir::Coordinate>(&value.op)) {
    return ir::Affine{kernel_.sizes.constant(0), {{coordinate->axis, kernel_.sizes.constant(1)}}};
  }
  if (info(value.dtype).bits != 64) return std::nullopt;  // narrower arithmetic wraps
  if (const auto* cast = std::get_if<ir::Cast>(&value.op)) return plain_form(cast->operand);
  if (const auto* unary = std::get_if<ir::Unary>(&value.op); unary && unary->op == ir::UnaryOp::negate) {
    const auto& operand = plain_form(unary->operand);
    return operand ? std::optional(scaled(*operand, kernel_.sizes.constant(-1))) : std::nullopt;
  }
  if (const auto* binary = std::get_if<ir::Binary>(&value.op)) return form_of_binary(*binary, id);
  return std::nullopt;
}

std::optional<ir::Affine> Prover::form_of_binary(const ir::Binary& op, ir::ValueId) {
  // (min over a tile of its coordinates - lower) / step is the number of the tile.
  if (op.op == ir::BinaryOp::divide) {
    ir::ValueId first = op.left;
    if (const auto* distance = std::get_if<ir::Binary>(&kernel_.values[first].op);
        distance && distance->op == ir::BinaryOp::subtract) {
      first = distance->left;
    }
    const auto* reduce = std::get_if<ir::Reduce>(&kernel_.values[first].op);
    const auto* step = std::get_if<ir::Constant>(&kernel_.values[op.right].op);
    if (reduce != nullptr && step != nullptr && reduce->op == ir::ReduceOp::min && reduce->axes.size() == 1) {
      const ir::Axis& axis = kernel_.axes[reduce->axes[0]];
      const auto* coordinate = std::get_if<ir::Coordinate>(&kernel_.values[reduce->operand].op);
      const bool from_lower = first != op.left || kernel_.sizes.as_constant(axis.lower) == 0;
      if (coordinate != nullptr && from_lower && axis.step == ir::StepKind::semantic &&
          step->value.integer == axis.step_size) {
        return ir::Affine{kernel_.sizes.constant(0),
                          {{tile_axis(reduce->axes[0]), kernel_.sizes.constant(1)}}};
      }
    }
  }
  const std::optional<ir::Affine> left = plain_form(op.left), right = plain_form(op.right);
  if (!left || !right) return std::nullopt;
  switch (op.op) {
    case ir::BinaryOp::add: return sum(*left, *right, 1);
    case ir::BinaryOp::subtract: return sum(*left, *right, -1);
    case ir::BinaryOp::multiply:
      if (right->terms.empty()) return scaled(*left, right->offset);
      if (left->terms.empty()) return scaled(*right, left->offset);
      return std::nullopt;
    case ir::BinaryOp::divide:
      if (!left->terms.empty() || !right->terms.empty()) return std::nullopt;
      return ir::Affine{kernel_.sizes.floor_divide(left->offset, right->offset), {}};
    case ir::BinaryOp::modulo:
      if (!left->terms.empty() || !right->terms.empty()) return std::nullopt;
      return ir::Affine{kernel_.sizes.modulo(left->offset, right->offset), {}};
    default: return std::nullopt;
  }
}

std::optional<ir::Affine> Prover::form(ir::ValueId value, const Situation& situation) {
  const std::optional<ir::Affine>& plain = plain_form(value);
  if (!plain || situation.pins.empty()) return plain;
  ir::Affine result{plain->offset, {}};
  for (const auto& [axis, coefficient] : plain->terms) {
    const auto pin = situation.pins.find(axis);
    if (pin == situation.pins.end()) {
      result.terms.emplace_back(axis, coefficient);
    } else {
      result.offset = kernel_.sizes.add(result.offset, kernel_.sizes.multiply(coefficient, pin->second));
    }
  }
  return result;
}

/// The least value of the form over the boxes of its axes is at least 0.
bool Prover::minimum_nonnegative(const ir::Affine& form, const Situation&) {
  ir::SizeTable& sizes = kernel_.sizes;
  ir::SizeId least = form.offset;
  for (const auto& [axis, coefficient] : form.terms) {
    ir::SizeId at;
    if (facts_.nonnegative(coefficient)) {
      at = lower(axis);
    } else if (facts_.nonnegative(sizes.subtract(sizes.constant(0), coefficient))) {
      at = sizes.subtract(upper(axis), sizes.constant(1));
    } else {
      return false;
    }
    least = sizes.add(least, sizes.multiply(coefficient, at));
  }
  return facts_.nonnegative(least);
}

bool Prover::nonnegative(const ir::Affine& form, const Situation& situation) {
  // The point exists, so the boxes of the axes are not empty.
  const std::size_t mark = facts_.mark();
  for (const auto& [axis, coefficient] : form.terms) {
    facts_.assume_nonnegative(
        kernel_.sizes.subtract(kernel_.sizes.subtract(upper(axis), lower(axis)), kernel_.sizes.constant(1)));
  }
  bool result = minimum_nonnegative(form, situation);
  for (std::size_t i = 0; !result && i < situation.facts.size(); ++i) {
    const ir::Affine rest = sum(form, situation.facts[i], -1);
    result = minimum_nonnegative(rest, situation);
    for (std::size_t j = i; !result && j < situation.facts.size(); ++j) {
      result = minimum_nonnegative(sum(rest, situation.facts[j], -1), situation);
    }
  }
  facts_.release(mark);
  return result;
}

}  // namespace tessera::sema
