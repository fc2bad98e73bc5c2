// SPDX-License-Identifier: Apache-2.0
// The simplifications, one overload for each operation that has any.
#include "sema/fold.h"

#include <algorithm>
#include <cmath>

#include "base/rounding.h"
#include "sema/builder.h"
#include "sema/ir/integer.h"
#include "sema/number.h"

namespace tessera::sema {

namespace {

using ir::BinaryOp;
using Result = std::optional<ir::ValueId>;

class Folder {
 public:
  Folder(Builder& builder, DType dtype, Span span) : builder_(builder), dtype_(dtype), span_(span) {}

  template <typename OtherOp>
  Result operator()(const OtherOp&) {
    return std::nullopt;
  }

  Result operator()(const ir::Extent& op) {
    const std::optional<std::int64_t> value = kernel().sizes.as_constant(op.size);
    if (!value) return std::nullopt;
    return builder_.index(*value, span_);
  }

  Result operator()(const ir::Binary& op) {
    if (const Result result = of_sizes(op)) return result;
    if (const Result result = of_logic(op)) return result;
    const ir::Literal *left = constant(op.left), *right = constant(op.right);
    if (is_integer(type(op.left))) {
      if (left != nullptr && right != nullptr) return of_integers(op.op, left->integer, right->integer);
      return integer_identity(op, left, right);
    }
    if (left != nullptr && right != nullptr && is_float(type(op.left)))
      return of_reals(op.op, left->real, right->real);
    return std::nullopt;
  }

  Result operator()(const ir::Unary& op) {
    const ir::Literal* operand = constant(op.operand);
    if (operand == nullptr) return std::nullopt;
    if (op.op == ir::UnaryOp::logical_not) return boolean(operand->integer == 0);
    if (op.op != ir::UnaryOp::negate) return std::nullopt;
    if (is_float(dtype_)) return builder_.constant({-operand->real, 0}, dtype_, span_);
    return integer(ir::wrapping_subtract(0, operand->integer));
  }

  Result operator()(const ir::Cast& op) {
    const ir::Literal* operand = constant(op.operand);
    if (operand == nullptr) return of_clamped(op);
    const DType from = type(op.operand);
    if (is_integer(from) && is_integer(dtype_)) return integer(operand->integer);
    if (is_integer(from) && dtype_ == DType::f64) {
      return builder_.constant({static_cast<double>(operand->integer), 0}, dtype_, span_);
    }
    // Through f64 the integer must be exact, or it would be rounded twice.
    const bool exact = std::abs(operand->integer) <= (std::int64_t{1} << 53);
    if (is_integer(from) && dtype_ == DType::f32 && exact) {
      return builder_.constant({round_to(static_cast<double>(operand->integer), dtype_), 0}, dtype_, span_);
    }
    return std::nullopt;
  }

  Result operator()(const ir::Select& op) {
    const ir::Literal* condition = constant(op.condition);
    if (condition == nullptr) return std::nullopt;
    const ir::ValueId chosen = condition->integer != 0 ? op.if_true : op.if_false;
    if (builder_[chosen].axes != result_axes(kernel(), op)) return std::nullopt;
    return chosen;
  }

  Result operator()(const ir::Filter& op) {
    const ir::Literal* condition = constant(op.condition);
    if (condition == nullptr || condition->integer == 0) return std::nullopt;
    return op.operand;
  }

  Result operator()(const ir::Lookup& op) {
    const ir::Literal* index = constant(op.index);
    const std::vector<ir::Literal>& elements = kernel().tables[op.table].elements;
    if (index == nullptr || index->integer < 0 ||
        static_cast<std::size_t>(index->integer) >= elements.size()) {
      return std::nullopt;
    }
    return builder_.constant(elements[static_cast<std::size_t>(index->integer)], dtype_, span_);
  }

  Result operator()(const ir::Pick& op) {
    const ir::Op inner = builder_[op.operand].op;
    if (const auto* coordinate = std::get_if<ir::Coordinate>(&inner);
        coordinate && coordinate->axis == op.axis) {
      return builder_.index(op.coordinate, span_);
    }
    if (const auto* lookup = std::get_if<ir::Lookup>(&inner)) {
      return builder_.add(ir::Lookup{lookup->table, pick(lookup->index, op)}, dtype_, span_);
    }
    if (const auto* select = std::get_if<ir::Select>(&inner)) return picked_select(*select, op);
    return std::nullopt;
  }

 private:
  const ir::Kernel& kernel() const { return builder_.kernel(); }
  DType type(ir::ValueId value) const { return builder_[value].dtype; }

  const ir::Literal* constant(ir::ValueId value) const {
    const auto* op = std::get_if<ir::Constant>(&builder_[value].op);
    return op != nullptr ? &op->value : nullptr;
  }

  Result boolean(bool value) { return builder_.constant({0, value ? 1 : 0}, DType::boolean, span_); }

  /// The integer in the result's type; it wraps.
  Result integer(std::int64_t value) {
    const int bits = info(dtype_).bits;
    if (bits < 64) {
      const int unused = 64 - bits;
      const auto shifted = static_cast<std::uint64_t>(value) << unused;
      value = is_signed_integer(dtype_) ? static_cast<std::int64_t>(shifted) >> unused
                                        : static_cast<std::int64_t>(shifted >> unused);
    }
    return builder_.constant({0, value}, dtype_, span_);
  }

  std::optional<ir::SizeId> size(ir::ValueId value) {
    const ir::Value& definition = builder_[value];
    if (definition.dtype != DType::index) return std::nullopt;
    if (const auto* extent = std::get_if<ir::Extent>(&definition.op)) return extent->size;
    if (const ir::Literal* literal = constant(value))
      return builder_.kernel().sizes.constant(literal->integer);
    return std::nullopt;
  }

  Result of_sizes(const ir::Binary& op) {
    const std::optional<ir::SizeId> left = size(op.left), right = size(op.right);
    if (!left || !right) return std::nullopt;
    ir::SizeTable& sizes = builder_.kernel().sizes;
    switch (op.op) {
      case BinaryOp::add: return extent(sizes.add(*left, *right));
      case BinaryOp::subtract: return extent(sizes.subtract(*left, *right));
      case BinaryOp::multiply: return extent(sizes.multiply(*left, *right));
      case BinaryOp::divide: return extent(sizes.floor_divide(*left, *right));
      case BinaryOp::modulo: return extent(sizes.modulo(*left, *right));
      case BinaryOp::minimum: return extent(sizes.minimum(*left, *right));
      case BinaryOp::maximum: return extent(sizes.maximum(*left, *right));
      case BinaryOp::equal:
      case BinaryOp::less_equal:
      case BinaryOp::greater_equal: return left == right ? boolean(true) : Result();
      case BinaryOp::not_equal:
      case BinaryOp::less:
      case BinaryOp::greater: return left == right ? boolean(false) : Result();
      default: return std::nullopt;
    }
  }

  Result extent(ir::SizeId size) { return builder_.add(ir::Extent{size}, DType::index, span_); }

  Result of_logic(const ir::Binary& op) {
    if (op.op != BinaryOp::logical_and && op.op != BinaryOp::logical_or) return std::nullopt;
    const ir::Literal *left = constant(op.left), *right = constant(op.right);
    if (left == nullptr || right == nullptr) return std::nullopt;
    const bool both = left->integer != 0 && right->integer != 0,
               any = left->integer != 0 || right->integer != 0;
    return boolean(op.op == BinaryOp::logical_and ? both : any);
  }

  Result of_integers(BinaryOp op, std::int64_t left, std::int64_t right) {
    const bool is_wide_unsigned = dtype_ == DType::u64;
    switch (op) {
      case BinaryOp::add: return integer(ir::wrapping_add(left, right));
      case BinaryOp::subtract: return integer(ir::wrapping_subtract(left, right));
      case BinaryOp::multiply: return integer(ir::wrapping_multiply(left, right));
      case BinaryOp::equal: return boolean(left == right);
      case BinaryOp::not_equal: return boolean(left != right);
      default: break;
    }
    if (is_wide_unsigned) return std::nullopt;
    switch (op) {
      case BinaryOp::divide: return integer(ir::floor_divide(left, right));
      case BinaryOp::modulo: return integer(ir::floor_modulo(left, right));
      case BinaryOp::less: return boolean(left < right);
      case BinaryOp::less_equal: return boolean(left <= right);
      case BinaryOp::greater: return boolean(left > right);
      case BinaryOp::greater_equal: return boolean(left >= right);
      default: return std::nullopt;
    }
  }

  /// Neighbours that change nothing. Axes cannot get lost: a constant has none.
  Result integer_identity(const ir::Binary& op, const ir::Literal* left, const ir::Literal* right) {
    const bool right_zero = right != nullptr && right->integer == 0,
               left_zero = left != nullptr && left->integer == 0;
    const bool right_one = right != nullptr && right->integer == 1,
               left_one = left != nullptr && left->integer == 1;
    switch (op.op) {
      case BinaryOp::add: return right_zero ? Result(op.left) : left_zero ? Result(op.right) : Result();
      case BinaryOp::subtract: return right_zero ? Result(op.left) : Result();
      case BinaryOp::multiply: return right_one ? Result(op.left) : left_one ? Result(op.right) : Result();
      case BinaryOp::divide: return right_one ? Result(op.left) : Result();
      default: return std::nullopt;
    }
  }

  /// Operations that IEEE rounds correctly, in the type itself.
  Result of_reals(BinaryOp op, double left, double right) {
    if (dtype_ != DType::f32 && dtype_ != DType::f64) return std::nullopt;
    const bool single = dtype_ == DType::f32;
    const auto compute = [&](auto operation) {
      const double result =
          single ? static_cast<double>(operation(static_cast<float>(left), static_cast<float>(right)))
                 : operation(left, right);
      return std::isfinite(result) ? Result(builder_.constant({result, 0}, dtype_, span_)) : Result();
    };
    switch (op) {
      case BinaryOp::add: return compute([](auto a, auto b) { return a + b; });
      case BinaryOp::subtract: return compute([](auto a, auto b) { return a - b; });
      case BinaryOp::multiply: return compute([](auto a, auto b) { return a * b; });
      case BinaryOp::divide: return compute([](auto a, auto b) { return a / b; });
      default: return std::nullopt;
    }
  }

  Result of_clamped(const ir::Cast& op) {
    if (!is_float(type(op.operand)) || !is_integer(dtype_)) return std::nullopt;
    const ir::ValueId free = without_clamps(op.operand);
    return free == op.operand ? Result() : builder_.add(ir::Cast{free, op.is_of_factor}, dtype_, span_);
  }

  /// A float without the bounds that a conversion of it to the result's type has itself. Rounding keeps the order of numbers and
  /// leaves integers as they are, so that it may lie in between.
  ir::ValueId without_clamps(ir::ValueId value) {
    const ir::Op op = builder_[value].op;
    if (const auto* binary = std::get_if<ir::Binary>(&op)) {
      if (bounds_as_conversion(binary->op, binary->right)) return without_clamps(binary->left);
      if (bounds_as_conversion(binary->op, binary->left)) return without_clamps(binary->right);
    }
    const auto* unary = std::get_if<ir::Unary>(&op);
    if (unary == nullptr || !rounds_to_integer(unary->op)) return value;
    const ir::ValueId free = without_clamps(unary->operand);
    return free == unary->operand
               ? value
               : builder_.add(ir::Unary{unary->op, free}, type(value), builder_[value].span);
  }

  /// Whether an extreme with `bound` changes only what saturates anyway. NaN passes through both.
  bool bounds_as_conversion(BinaryOp op, ir::ValueId bound) const {
    const ir::Literal* literal = constant(bound);
    if (literal == nullptr) return false;
    const bool is_signed = is_signed_integer(dtype_);
    const double past_largest = std::ldexp(1.0, info(dtype_).bits - (is_signed ? 1 : 0));
    if (op == BinaryOp::maximum) return literal->real <= (is_signed ? -past_largest : 0.0);
    return op == BinaryOp::minimum && literal->real >= past_largest - 1;
  }

  static bool rounds_to_integer(ir::UnaryOp op) {
    return op == ir::UnaryOp::floor || op == ir::UnaryOp::ceil || op == ir::UnaryOp::round ||
           op == ir::UnaryOp::truncate;
  }

  /// `value` at the coordinate; itself if it does not have the axis.
  ir::ValueId pick(ir::ValueId value, const ir::Pick& op) {
    const std::vector<ir::AxisId>& axes = builder_[value].axes;
    if (std::find(axes.begin(), axes.end(), op.axis) == axes.end()) return value;
    return builder_.add(ir::Pick{value, op.axis, op.coordinate}, type(value), span_);
  }

  /// pick(where(c == 3, a, b)): one side, when the condition compares the picked axis with a constant.
  Result picked_select(const ir::Select& select, const ir::Pick& op) {
    const auto* comparison = std::get_if<ir::Binary>(&builder_[select.condition].op);
    if (comparison == nullptr || comparison->op != BinaryOp::equal) return std::nullopt;
    const auto* coordinate = std::get_if<ir::Coordinate>(&builder_[comparison->left].op);
    const ir::Literal* literal = constant(comparison->right);
    if (coordinate == nullptr || literal == nullptr || coordinate->axis != op.axis) return std::nullopt;
    const ir::Select copy = select;
    const ir::ValueId side = pick(literal->integer == op.coordinate ? copy.if_true : copy.if_false, op);
    std::vector<ir::AxisId> axes = result_axes(kernel(), copy);
    std::erase(axes, op.axis);
    return builder_[side].axes == axes ? Result(side) : Result();
  }

  Builder& builder_;
  DType dtype_;
  Span span_;
};

}  // namespace

std::optional<ir::ValueId> fold(Builder& builder, const ir::Op& op, DType dtype, Span span) {
  return std::visit(Folder(builder, dtype, span), op);
}

}  // namespace tessera::sema
