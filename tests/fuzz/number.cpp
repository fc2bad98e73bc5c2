// SPDX-License-Identifier: Apache-2.0
// Arithmetic of the independent evaluation, by rules R24 to R26; see number.h.
#include "fuzz/number.h"

#include <algorithm>
#include <cmath>

#include "fuzz/evaluate.h"

namespace tessera::fuzz {

namespace {

using Unsigned = unsigned __int128;

int bits_of(DType type) { return info(type).bits; }

__int128 wrapped(DType type, Unsigned value) {
  if (is_bool(type)) return value != 0;
  const Unsigned one = 1;
  const Unsigned low = value & ((one << bits_of(type)) - 1);
  const bool negative = is_signed_integer(type) && (low >> (bits_of(type) - 1)) != 0;
  return negative ? static_cast<__int128>(low) - static_cast<__int128>(one << bits_of(type))
                  : static_cast<__int128>(low);
}

__int128 floor_quotient(__int128 a, __int128 b) {
  if (b == 0) return 0;
  const __int128 quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

__int128 shifted_right(__int128 a, __int128 by, int bits) {
  if (by < 0 || by >= bits) return a < 0 ? -1 : 0;
  return a >> static_cast<int>(by);
}

__int128 shifted_left(__int128 a, __int128 by, int bits) {
  if (by < 0 || by >= bits) return 0;
  return static_cast<__int128>(static_cast<Unsigned>(a) << static_cast<int>(by));
}

Number exact(double value, DType type) {
  if (std::abs(value) > exact_limit(type) || value != std::trunc(value))
    throw NotExact("a " + std::string(spelling(type)) + " of " + std::to_string(value));
  return {0, value};
}

template <typename T>
bool compared(Operation operation, T a, T b) {
  switch (operation) {
    case Operation::equal: return a == b;
    case Operation::unequal: return a != b;
    case Operation::less: return a < b;
    case Operation::less_equal: return a <= b;
    case Operation::greater: return a > b;
    default: return a >= b;
  }
}

bool is_comparison(Operation operation) {
  return operation >= Operation::equal && operation <= Operation::greater_equal;
}

Number whole_result(Operation operation, __int128 a, __int128 b, DType type) {
  const auto x = static_cast<Unsigned>(a), y = static_cast<Unsigned>(b);
  const auto wrap = [&](Unsigned value) { return Number{wrapped(type, value), 0}; };
  switch (operation) {
    case Operation::add:
    case Operation::sum: return wrap(x + y);
    case Operation::subtract: return wrap(x - y);
    case Operation::multiply:
    case Operation::prod: return wrap(x * y);
    case Operation::divide: return wrap(static_cast<Unsigned>(floor_quotient(a, b)));
    case Operation::remainder: return wrap(static_cast<Unsigned>(b == 0 ? 0 : a - b * floor_quotient(a, b)));
    case Operation::minimum:
    case Operation::min: return {std::min(a, b), 0};
    case Operation::maximum:
    case Operation::max: return {std::max(a, b), 0};
    case Operation::bit_and:
    case Operation::logical_and:
    case Operation::all: return wrap(x & y);
    case Operation::bit_or:
    case Operation::logical_or:
    case Operation::any: return wrap(x | y);
    case Operation::bit_xor: return wrap(x ^ y);
    case Operation::shift_left: return wrap(static_cast<Unsigned>(shifted_left(a, b, bits_of(type))));
    case Operation::shift_right: return wrap(static_cast<Unsigned>(shifted_right(a, b, bits_of(type))));
    default: throw NotExact("an operation that integers do not have");
  }
}

}  // namespace

double exact_limit(DType type) {
  switch (type) {
    case DType::fp8_e4m3: return 16;
    case DType::fp8_e5m2: return 8;
    case DType::bf16: return 256;
    case DType::f16: return 2048;
    case DType::f32: return 1 << 24;
    default: return 9007199254740992.0;
  }
}

double greatest(DType type) {
  if (is_bool(type)) return 1;
  return std::ldexp(1.0, bits_of(type) - (is_signed_integer(type) ? 1 : 0));
}

Number from_whole(DType type, __int128 value) {
  if (is_float(type)) return exact(static_cast<double>(value), type);
  return {wrapped(type, static_cast<Unsigned>(value)), 0};
}

Number convert(const Number& value, DType from, DType to) {
  if (is_float(to)) return exact(as_double(value, from), to);
  if (!is_float(from)) return from_whole(to, value.whole);
  const double greatest_value = greatest(to) - 1;
  const double least_value = is_signed_integer(to) ? -greatest(to) : 0;
  if (std::abs(value.real) > 9007199254740992.0) throw NotExact("a float that no integer is near");
  return {static_cast<__int128>(std::clamp(std::trunc(value.real), least_value, greatest_value)), 0};
}

Number apply(Operation operation, const Number& value, DType type) {
  if (is_float(type)) {
    if (operation == Operation::negative) return {0, -value.real};
    return {0, std::abs(value.real)};
  }
  switch (operation) {
    case Operation::negative: return from_whole(type, -value.whole);
    case Operation::complement: return from_whole(type, ~value.whole);
    case Operation::negation: return {value.whole == 0 ? 1 : 0, 0};
    default: return from_whole(type, value.whole < 0 ? -value.whole : value.whole);
  }
}

Number apply(Operation operation, const Number& left, const Number& right, DType type) {
  if (is_comparison(operation)) {
    const bool holds = is_float(type) ? compared(operation, left.real, right.real)
                                      : compared(operation, left.whole, right.whole);
    return {holds ? 1 : 0, 0};
  }
  if (!is_float(type)) return whole_result(operation, left.whole, right.whole, type);
  switch (operation) {
    case Operation::add:
    case Operation::sum: return exact(left.real + right.real, type);
    case Operation::subtract: return exact(left.real - right.real, type);
    case Operation::multiply:
    case Operation::prod: return exact(left.real * right.real, type);
    case Operation::minimum:
    case Operation::min: return {0, std::min(left.real, right.real)};
    case Operation::maximum:
    case Operation::max: return {0, std::max(left.real, right.real)};
    default: throw NotExact("an operation that is not exact on floats");
  }
}

double as_double(const Number& value, DType type) {
  return is_float(type) ? value.real : static_cast<double>(value.whole);
}

}  // namespace tessera::fuzz
