// SPDX-License-Identifier: Apache-2.0
// Numbers of the compiler: reading, arithmetic, conversion to typed constants.
#include "sema/number.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/rounding.h"
#include "sema/ir/integer.h"

namespace tessera::sema {

namespace {

using ast::BinaryOp;

std::int64_t shift(std::int64_t value, std::int64_t count, bool left) {
  const bool beyond = count < 0 || count >= 64;
  if (left) return beyond ? 0 : static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << count);
  return beyond ? (value < 0 ? -1 : 0) : value >> count;
}

std::optional<Number> apply_to_bools(BinaryOp op, bool left, bool right) {
  switch (op) {
    case BinaryOp::logical_and: return Number::of_bool(left && right);
    case BinaryOp::logical_or: return Number::of_bool(left || right);
    case BinaryOp::equal: return Number::of_bool(left == right);
    case BinaryOp::not_equal: return Number::of_bool(left != right);
    default: return std::nullopt;
  }
}

template <typename T>
std::optional<Number> compare(BinaryOp op, T left, T right) {
  switch (op) {
    case BinaryOp::equal: return Number::of_bool(left == right);
    case BinaryOp::not_equal: return Number::of_bool(left != right);
    case BinaryOp::less: return Number::of_bool(left < right);
    case BinaryOp::less_equal: return Number::of_bool(left <= right);
    case BinaryOp::greater: return Number::of_bool(left > right);
    case BinaryOp::greater_equal: return Number::of_bool(left >= right);
    default: return std::nullopt;
  }
}

/// Numbers without a type are exact: what does not fit 64 bits is none of them. The value is written by the test.
std::optional<Number> within_64_bits(bool overflows, const std::int64_t& value) {
  return overflows ? std::nullopt : std::optional(Number::of(value));
}

std::optional<Number> apply_to_integers(BinaryOp op, std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  switch (op) {
    case BinaryOp::add: return within_64_bits(__builtin_add_overflow(left, right, &result), result);
    case BinaryOp::subtract: return within_64_bits(__builtin_sub_overflow(left, right, &result), result);
    case BinaryOp::multiply: return within_64_bits(__builtin_mul_overflow(left, right, &result), result);
    case BinaryOp::divide: return Number::of(ir::floor_divide(left, right));
    case BinaryOp::remainder: return Number::of(ir::floor_modulo(left, right));
    case BinaryOp::bit_and: return Number::of(left & right);
    case BinaryOp::bit_or: return Number::of(left | right);
    case BinaryOp::bit_xor: return Number::of(left ^ right);
    case BinaryOp::shift_left: return Number::of(shift(left, right, true));
    case BinaryOp::shift_right: return Number::of(shift(left, right, false));
    default: return compare(op, left, right);
  }
}

std::optional<double> compute(BinaryOp op, double left, double right) {
  switch (op) {
    case BinaryOp::add: return left + right;
    case BinaryOp::subtract: return left - right;
    case BinaryOp::multiply: return left * right;
    case BinaryOp::divide: return left / right;
    default: return std::nullopt;
  }
}

/// Integers of which one is a quotient with a remainder, or whose quotient has one: both values go on.
std::optional<Number> apply_to_quotients(BinaryOp op, const Number& left, const Number& right) {
  std::optional<Number> result = apply_to_integers(op, left.integer, right.integer);
  const bool inexact =
      op == BinaryOp::divide && right.integer != 0 && ir::floor_modulo(left.integer, right.integer) != 0;
  if (!result || !result->is_integer() || (!inexact && !left.is_fraction() && !right.is_fraction()))
    return result;
  const std::optional<double> exact = compute(op, left.real, right.real);
  if (exact && std::isfinite(*exact)) result->real = *exact;
  return result;
}

/// A result that overflows is left to the type in which the operands meet; a quotient by 0 is infinite.
std::optional<Number> apply_to_reals(BinaryOp op, double left, double right) {
  const std::optional<double> result = compute(op, left, right);
  const bool by_zero = op == BinaryOp::divide && right == 0;
  if (result && std::isinf(*result) && std::isfinite(left) && std::isfinite(right) && !by_zero)
    return std::nullopt;
  return result ? Number::of_real(*result) : compare(op, left, right);
}

bool fits(std::int64_t value, DType dtype) {
  const int bits = info(dtype).bits;
  if (is_unsigned_integer(dtype)) return value >= 0 && (bits >= 64 || value < (std::int64_t{1} << bits));
  return bits >= 64 || (value >= -(std::int64_t{1} << (bits - 1)) && value < (std::int64_t{1} << (bits - 1)));
}

}  // namespace

std::optional<Number> parse_integer(const std::string& text) {
  errno = 0;
  const bool hexadecimal = text.size() > 2 && (text[1] == 'x' || text[1] == 'X');
  const unsigned long long value = std::strtoull(text.c_str(), nullptr, hexadecimal ? 16 : 10);
  if (errno == ERANGE || value > static_cast<unsigned long long>(std::numeric_limits<std::int64_t>::max())) {
    return std::nullopt;
  }
  return Number::of(static_cast<std::int64_t>(value));
}

std::optional<Number> parse_float(const std::string& text) {
  const double value = std::strtod(text.c_str(), nullptr);
  if (!std::isfinite(value)) return std::nullopt;
  return Number::of_real(value);
}

std::optional<Number> apply(ast::UnaryOp op, const Number& operand) {
  switch (op) {
    case ast::UnaryOp::negate:
      if (operand.is_bool()) return std::nullopt;
      if (operand.is_real()) return Number::of_real(-operand.real);
      return operand.is_fraction()
                 ? Number::of_quotient(ir::wrapping_subtract(0, operand.integer), -operand.real)
                 : Number::of(ir::wrapping_subtract(0, operand.integer));
    case ast::UnaryOp::logical_not:
      if (!operand.is_bool()) return std::nullopt;
      return Number::of_bool(operand.integer == 0);
    case ast::UnaryOp::bitwise_not:
      if (!operand.is_integer()) return std::nullopt;
      return Number::of(~operand.integer);
  }
  return std::nullopt;
}

bool overflows(ast::BinaryOp op, const Number& left, const Number& right) {
  if (left.is_bool() || right.is_bool() || apply(op, left, right)) return false;
  return op == BinaryOp::add || op == BinaryOp::subtract || op == BinaryOp::multiply ||
         op == BinaryOp::divide;
}

std::optional<Number> apply(ast::BinaryOp op, const Number& left, const Number& right) {
  if (left.is_bool() != right.is_bool()) return std::nullopt;
  if (left.is_bool()) return apply_to_bools(op, left.integer != 0, right.integer != 0);
  if (left.is_integer() && right.is_integer()) return apply_to_quotients(op, left, right);
  return apply_to_reals(op, left.real, right.real);
}

std::optional<ir::Literal> to_literal(const Number& number, DType dtype) {
  ir::Literal literal;
  if (is_bool(dtype) || number.is_bool()) {
    if (!is_bool(dtype) || !number.is_bool()) return std::nullopt;
    literal.integer = number.integer;
  } else if (is_float(dtype)) {
    literal.real = round_to(number.real, dtype);
    // A number beyond the type is a mistake; infinity is written `inf`.
    if (std::isfinite(number.real) && std::abs(literal.real) > largest_finite(dtype)) return std::nullopt;
  } else {
    if (number.is_real() || !fits(number.integer, dtype)) return std::nullopt;
    literal.integer = number.integer;
  }
  return literal;
}

std::string spell(const Number& number) {
  if (number.is_bool()) return number.integer != 0 ? "true" : "false";
  if (number.is_integer()) return fmt::format("{}", number.integer);
  const std::string text = fmt::format("{}", number.real);
  return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
}

}  // namespace tessera::sema
