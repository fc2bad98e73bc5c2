// SPDX-License-Identifier: Apache-2.0
// Numbers that the compiler knows: literals, `const`, `<int>` generics, `static for` variables. They have no type
// until they meet one (R24).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/dtype.h"
#include "frontend/ast.h"
#include "sema/ir/ops.h"

namespace tessera::sema {

struct Number {
  enum class Kind : std::uint8_t { integer, real, boolean };
  Kind kind = Kind::integer;
  std::int64_t integer = 0;  ///< also of a boolean: 0 or 1
  /// What it is where a float is meant; of an integer the value without the floors of `/`: `1 / 2` is 0 among
  /// integers and 0.5 among floats.
  double real = 0;

  static Number of(std::int64_t value) { return of_quotient(value, static_cast<double>(value)); }
  static Number of_quotient(std::int64_t floored, double exact) { return {Kind::integer, floored, exact}; }
  static Number of_real(double value) { return {Kind::real, 0, value}; }
  static Number of_bool(bool value) { return {Kind::boolean, value ? 1 : 0, 0}; }

  bool is_integer() const { return kind == Kind::integer; }
  bool is_real() const { return kind == Kind::real; }
  bool is_bool() const { return kind == Kind::boolean; }
  /// An integer that came of a division with a remainder.
  bool is_fraction() const { return is_integer() && real != static_cast<double>(integer); }
};

/// The value of a literal as written; absent when an integer does not fit 64 bits.
std::optional<Number> parse_integer(const std::string& text);
std::optional<Number> parse_float(const std::string& text);

/// Arithmetic on numbers: integers floor as R25 says and keep the exact quotient, reals are doubles. Absent when the
/// operator does not take these kinds, or the result is beyond 64 bits or the doubles.
std::optional<Number> apply(ast::UnaryOp op, const Number& operand);
std::optional<Number> apply(ast::BinaryOp op, const Number& left, const Number& right);
/// Whether `apply` gives nothing because the result is too large.
bool overflows(ast::BinaryOp op, const Number& left, const Number& right);

/// The number as a constant of a type; absent when the type cannot hold it (1.5 or 300 as u8).
std::optional<ir::Literal> to_literal(const Number& number, DType dtype);

/// As it may be written in a message: `3`, `0.5`, `true`.
std::string spell(const Number& number);

}  // namespace tessera::sema
