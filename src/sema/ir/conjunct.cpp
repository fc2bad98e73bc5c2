// SPDX-License-Identifier: Apache-2.0
// Conjuncts, read off the operations of a condition.
#include "sema/ir/conjunct.h"

#include <map>

#include "sema/ir/affine.h"

namespace tessera::ir {

namespace {

/// An affine form beside which scalar parameters may stand.
struct Linear {
  Affine form;
  std::map<ScalarId, SizeId> scalars;
};

class Reader {
 public:
  Reader(const Kernel& kernel, SizeTable& sizes) : kernel_(kernel), sizes_(sizes) {}

  bool append(ValueId condition, std::vector<Conjunct>& conjuncts) {
    if (const auto* constant = std::get_if<Constant>(&kernel_.values[condition].op)) {
      const bool holds = constant->value.integer != 0;
      if (!holds) conjuncts.push_back({Sign::at_least_zero, {sizes_.constant(-1), {}}, {}, 0});
      return true;
    }
    const auto* binary = std::get_if<Binary>(&kernel_.values[condition].op);
    if (binary == nullptr) return false;
    if (binary->op == BinaryOp::logical_and) {
      const bool left = append(binary->left, conjuncts);
      return append(binary->right, conjuncts) && left;
    }
    if (!is_comparison(binary->op) || !is_integer(kernel_.values[binary->left].dtype)) return false;
    std::optional<Conjunct> conjunct = congruence(*binary);
    if (!conjunct) conjunct = comparison(*binary);
    if (conjunct) conjuncts.push_back(std::move(*conjunct));
    return conjunct.has_value();
  }

 private:
  std::optional<Conjunct> comparison(const Binary& op) {
    const std::optional<Linear> left = linear(op.left), right = linear(op.right);
    if (!left || !right) return std::nullopt;
    const auto strict = [&](const Linear& form) { return shifted(form, -1); };
    switch (op.op) {
      case BinaryOp::less: return made(Sign::at_least_zero, strict(difference(*right, *left)));
      case BinaryOp::less_equal: return made(Sign::at_least_zero, difference(*right, *left));
      case BinaryOp::greater: return made(Sign::at_least_zero, strict(difference(*left, *right)));
      case BinaryOp::greater_equal: return made(Sign::at_least_zero, difference(*left, *right));
      case BinaryOp::equal: return made(Sign::zero, difference(*left, *right));
      default: return made(Sign::not_zero, difference(*left, *right));
    }
  }

  /// `e % n == r` and `e % n != r`, of constants n > 0 and 0 <= r < n.
  std::optional<Conjunct> congruence(const Binary& op) {
    if (op.op != BinaryOp::equal && op.op != BinaryOp::not_equal) return std::nullopt;
    const auto* remainder = std::get_if<Binary>(&kernel_.values[op.left].op);
    if (remainder == nullptr || remainder->op != BinaryOp::modulo) {
      const auto* other = std::get_if<Binary>(&kernel_.values[op.right].op);
      const bool turned = other != nullptr && other->op == BinaryOp::modulo;
      return turned ? congruence({op.op, op.right, op.left}) : std::nullopt;
    }
    const std::optional<int64_t> modulus = constant(remainder->right), residue = constant(op.right);
    const std::optional<Linear> dividend = linear(remainder->left);
    if (!modulus || !residue || !dividend) return std::nullopt;
    if (*modulus < 1 || *residue < 0 || *residue >= *modulus) return std::nullopt;
    Conjunct result =
        made(op.op == BinaryOp::equal ? Sign::zero : Sign::not_zero, shifted(*dividend, -*residue));
    result.modulus = *modulus;
    return result;
  }

  std::optional<int64_t> constant(ValueId id) {
    const std::optional<Affine> form = affine_form(kernel_, sizes_, id);
    return form && form->terms.empty() ? sizes_.as_constant(form->offset) : std::nullopt;
  }

  std::optional<Linear> linear(ValueId id) {
    if (const std::optional<Affine> form = affine_form(kernel_, sizes_, id)) return Linear{*form, {}};
    const Value& value = kernel_.values[id];
    if (is_unsigned_integer(value.dtype)) return std::nullopt;
    if (const auto* scalar = std::get_if<ScalarArgument>(&value.op))
      return Linear{{sizes_.constant(0), {}}, {{scalar->scalar, sizes_.constant(1)}}};
    if (!is_integer(value.dtype) || info(value.dtype).bits != 64) return std::nullopt;  // narrower ones wrap
    if (const auto* cast = std::get_if<Cast>(&value.op)) {
      return is_integer(kernel_.values[cast->operand].dtype) ? linear(cast->operand) : std::nullopt;
    }
    if (const auto* unary = std::get_if<Unary>(&value.op); unary && unary->op == UnaryOp::negate) {
      const std::optional<Linear> operand = linear(unary->operand);
      return operand ? std::optional(times(*operand, sizes_.constant(-1))) : std::nullopt;
    }
    const auto* binary = std::get_if<Binary>(&value.op);
    return binary != nullptr ? of(*binary) : std::nullopt;
  }

  std::optional<Linear> of(const Binary& op) {
    const std::optional<Linear> left = linear(op.left), right = linear(op.right);
    if (!left || !right) return std::nullopt;
    const auto is_size = [](const Linear& form) { return form.form.terms.empty() && form.scalars.empty(); };
    switch (op.op) {
      case BinaryOp::add: return plus(*left, *right);
      case BinaryOp::subtract: return difference(*left, *right);
      case BinaryOp::multiply:
        if (is_size(*right)) return times(*left, right->form.offset);
        if (is_size(*left)) return times(*right, left->form.offset);
        return std::nullopt;
      default: return std::nullopt;
    }
  }

  Linear plus(const Linear& a, const Linear& b) {
    Linear result{sum(sizes_, a.form, b.form), a.scalars};
    for (const auto& [scalar, coefficient] : b.scalars) {
      const auto [entry, inserted] = result.scalars.try_emplace(scalar, coefficient);
      if (!inserted) entry->second = sizes_.add(entry->second, coefficient);
    }
    return result;
  }

  Linear times(const Linear& a, SizeId factor) {
    Linear result{scaled(sizes_, a.form, factor), {}};
    for (const auto& [scalar, coefficient] : a.scalars)
      result.scalars.emplace(scalar, sizes_.multiply(coefficient, factor));
    return result;
  }

  Linear difference(const Linear& a, const Linear& b) { return plus(a, times(b, sizes_.constant(-1))); }

  Linear shifted(const Linear& a, int64_t by) { return plus(a, Linear{{sizes_.constant(by), {}}, {}}); }

  Conjunct made(Sign sign, const Linear& sum_of) {
    Conjunct result{sign, sum_of.form, {}, 0};
    for (const auto& [scalar, coefficient] : sum_of.scalars)
      if (sizes_.as_constant(coefficient) != 0) result.scalars.emplace_back(scalar, coefficient);
    return result;
  }

  const Kernel& kernel_;
  SizeTable& sizes_;
};

}  // namespace

bool append_conjuncts(const Kernel& kernel, SizeTable& sizes, ValueId condition,
                      std::vector<Conjunct>& conjuncts) {
  return Reader(kernel, sizes).append(condition, conjuncts);
}

}  // namespace tessera::ir
