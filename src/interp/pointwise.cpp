// SPDX-License-Identifier: Apache-2.0
// Pointwise operators: one loop for each operation and representation.
#include "interp/pointwise.h"

#include <algorithm>

#include "base/check.h"
#include "interp/elementwise.h"
#include "interp/integer_rules.h"
#include "interp/storage.h"

namespace tessera::interp {

namespace {

using ir::BinaryOp;
using ir::UnaryOp;

template <typename T, typename F>
Tile map_same(const Frame& frame, const Tile& a, F f) {
  return map<T, T>(frame, a.rep, a, f);
}
template <typename T, typename F>
Tile map_same(const Frame& frame, const Tile& a, const Tile& b, F f) {
  return map<T, T, T>(frame, a.rep, a, b, f);
}

template <typename T>
Tile unary_float(UnaryOp op, const Tile& a, const Frame& frame) {
  switch (op) {
    case UnaryOp::negate: return map_same<T>(frame, a, [](T x) { return -x; });
    case UnaryOp::absolute: return map_same<T>(frame, a, [](T x) { return math::abs(x); });
    case UnaryOp::floor: return map_same<T>(frame, a, [](T x) { return math::floor(x); });
    case UnaryOp::ceil: return map_same<T>(frame, a, [](T x) { return math::ceil(x); });
    case UnaryOp::round: return map_same<T>(frame, a, [](T x) { return math::round(x); });
    case UnaryOp::truncate: return map_same<T>(frame, a, [](T x) { return math::trunc(x); });
    case UnaryOp::round_tf32:
      return map_same<T>(frame, a, [](T x) -> T { return math::round_tf32(static_cast<float>(x)); });
    case UnaryOp::split: return map_same<T>(frame, a, [](T x) { return x; });
    case UnaryOp::logical_not:
    case UnaryOp::bit_not: break;
  }
  unreachable("a bit operation takes no float");
}

Tile unary_integer(UnaryOp op, IntegerType type, const Tile& a, const Frame& frame) {
  using T = int64_t;
  const auto negated = [type](T x) { return type.wrap(-static_cast<uint64_t>(x)); };
  switch (op) {
    case UnaryOp::negate: return map_same<T>(frame, a, negated);
    case UnaryOp::absolute:
      return map_same<T>(frame, a, [=](T x) { return type.is_signed && x < 0 ? negated(x) : x; });
    case UnaryOp::bit_not:
      return map_same<T>(frame, a, [=](T x) { return type.wrap(~static_cast<uint64_t>(x)); });
    default: break;
  }
  unreachable("an operation of floats takes no integer");
}

template <typename T>
Tile binary_float(BinaryOp op, const Tile& a, const Tile& b, const Frame& frame) {
  switch (op) {
    case BinaryOp::add: return map_same<T>(frame, a, b, [](T x, T y) { return x + y; });
    case BinaryOp::subtract: return map_same<T>(frame, a, b, [](T x, T y) { return x - y; });
    case BinaryOp::multiply: return map_same<T>(frame, a, b, [](T x, T y) { return x * y; });
    case BinaryOp::divide: return map_same<T>(frame, a, b, [](T x, T y) { return x / y; });
    case BinaryOp::minimum: return map_same<T>(frame, a, b, [](T x, T y) { return math::min(x, y); });
    case BinaryOp::maximum: return map_same<T>(frame, a, b, [](T x, T y) { return math::max(x, y); });
    default: break;
  }
  unreachable("an operation of integers takes no float");
}

Tile binary_integer(BinaryOp op, IntegerType type, const Tile& a, const Tile& b, const Frame& frame) {
  using T = int64_t;
  const auto bits = [](T x) { return static_cast<uint64_t>(x); };
  switch (op) {
    case BinaryOp::add:
      return map_same<T>(frame, a, b, [=](T x, T y) { return type.wrap(bits(x) + bits(y)); });
    case BinaryOp::subtract:
      return map_same<T>(frame, a, b, [=](T x, T y) { return type.wrap(bits(x) - bits(y)); });
    case BinaryOp::multiply:
      return map_same<T>(frame, a, b, [=](T x, T y) { return type.wrap(bits(x) * bits(y)); });
    case BinaryOp::divide: return map_same<T>(frame, a, b, [=](T x, T y) { return type.divide(x, y); });
    case BinaryOp::modulo: return map_same<T>(frame, a, b, [=](T x, T y) { return type.modulo(x, y); });
    case BinaryOp::minimum:
      return map_same<T>(frame, a, b, [=](T x, T y) { return type.less(y, x) ? y : x; });
    case BinaryOp::maximum:
      return map_same<T>(frame, a, b, [=](T x, T y) { return type.less(x, y) ? y : x; });
    case BinaryOp::bit_and: return map_same<T>(frame, a, b, [](T x, T y) { return x & y; });
    case BinaryOp::bit_or: return map_same<T>(frame, a, b, [](T x, T y) { return x | y; });
    case BinaryOp::bit_xor: return map_same<T>(frame, a, b, [](T x, T y) { return x ^ y; });
    case BinaryOp::shift_left:
      return map_same<T>(frame, a, b, [=](T x, T y) { return type.shift_left(x, y); });
    case BinaryOp::shift_right:
      return map_same<T>(frame, a, b, [=](T x, T y) { return type.shift_right(x, y); });
    default: break;
  }
  unreachable("a logical operation takes no integer");
}

Tile binary_boolean(BinaryOp op, const Tile& a, const Tile& b, const Frame& frame) {
  using T = uint8_t;
  switch (op) {
    case BinaryOp::bit_and:
    case BinaryOp::logical_and: return map_same<T>(frame, a, b, [](T x, T y) -> T { return x & y; });
    case BinaryOp::bit_or:
    case BinaryOp::logical_or: return map_same<T>(frame, a, b, [](T x, T y) -> T { return x | y; });
    case BinaryOp::bit_xor: return map_same<T>(frame, a, b, [](T x, T y) -> T { return x ^ y; });
    default: break;
  }
  unreachable("arithmetic takes no bool");
}

/// Comparisons, from the one question `less(x, y)`; a NaN is neither less nor equal.
template <typename T, typename Less>
Tile comparison(BinaryOp op, const Tile& a, const Tile& b, const Frame& frame, Less less) {
  const auto compared = [&](auto f) { return map<uint8_t, T, T>(frame, Rep::boolean, a, b, f); };
  switch (op) {
    case BinaryOp::equal: return compared([](T x, T y) -> uint8_t { return x == y; });
    case BinaryOp::not_equal: return compared([](T x, T y) -> uint8_t { return x != y; });
    case BinaryOp::less: return compared([less](T x, T y) -> uint8_t { return less(x, y); });
    case BinaryOp::less_equal: return compared([less](T x, T y) -> uint8_t { return less(x, y) || x == y; });
    case BinaryOp::greater: return compared([less](T x, T y) -> uint8_t { return less(y, x); });
    case BinaryOp::greater_equal:
      return compared([less](T x, T y) -> uint8_t { return less(y, x) || x == y; });
    default: break;
  }
  unreachable("not a comparison");
}

Tile compare(BinaryOp op, DType dtype, const Tile& a, const Tile& b, const Frame& frame) {
  switch (a.rep) {
    case Rep::f32: return comparison<float>(op, a, b, frame, [](float x, float y) { return x < y; });
    case Rep::f64: return comparison<double>(op, a, b, frame, [](double x, double y) { return x < y; });
    case Rep::boolean:
      return comparison<uint8_t>(op, a, b, frame, [](uint8_t x, uint8_t y) { return x < y; });
    case Rep::integer: break;
  }
  const IntegerType type(dtype);
  return comparison<int64_t>(op, a, b, frame, [type](int64_t x, int64_t y) { return type.less(x, y); });
}

template <typename T>
Tile fused_float(const ir::FusedMultiplyAdd& op, const Tile& a, const Tile& b, const Tile& c,
                 const Frame& frame) {
  const auto fuse = [&](auto f) { return map<T, T, T, T>(frame, a.rep, a, b, c, f); };
  if (op.negate_product && op.negate_addend) return fuse([](T x, T y, T z) { return math::fma(-x, y, -z); });
  if (op.negate_product) return fuse([](T x, T y, T z) { return math::fma(-x, y, z); });
  if (op.negate_addend) return fuse([](T x, T y, T z) { return math::fma(x, y, -z); });
  return fuse([](T x, T y, T z) { return math::fma(x, y, z); });
}

template <typename T>
Tile select_elements(const Tile& condition, const Tile& a, const Tile& b, const Frame& frame) {
  return map<T, uint8_t, T, T>(frame, a.rep, condition, a, b,
                               [](uint8_t c, T x, T y) { return c != 0 ? x : y; });
}

template <typename T>
void copy_slice(T* result, const T* elements, const Frame& frame, const Strides& strides) {
  const Loops<2> loops(frame, {strides_in(frame, *frame.axes), strides});
  loops.run([&](const auto& offsets, int64_t count, const auto& steps) {
    for (int64_t i = 0; i < count; ++i)
      result[offsets[0] + i * steps[0]] = elements[offsets[1] + i * steps[1]];
  });
}

/// `value` as the interpreter holds elements of type `dtype`: floats and doubles, rounded to a narrow type.
template <typename T>
T rounded(double value, DType dtype) {
  if (!is_narrow_float(dtype)) return static_cast<T>(value);
  return with_storage(dtype,
                      [value](auto tag) { return convert<T>(convert<typename decltype(tag)::Type>(value)); });
}

}  // namespace

Tile constant_tile(const Frame& frame, const ir::Literal& literal, DType dtype, Numbers numbers) {
  Tile tile = Tile::make(frame, rep_of(dtype, numbers));
  const auto fill = [&](auto value) { std::fill_n(tile.as<decltype(value)>(), frame.volume, value); };
  switch (tile.rep) {
    case Rep::f32: fill(rounded<float>(literal.real, dtype)); break;
    case Rep::f64: fill(literal.real); break;
    case Rep::integer: fill(literal.integer); break;
    case Rep::boolean: fill(static_cast<uint8_t>(literal.integer != 0)); break;
  }
  return tile;
}

Tile unary(UnaryOp op, DType dtype, const Tile& operand, const Frame& frame) {
  switch (operand.rep) {
    case Rep::f32: return unary_float<float>(op, operand, frame);
    case Rep::f64: return unary_float<double>(op, operand, frame);
    case Rep::integer: return unary_integer(op, IntegerType(dtype), operand, frame);
    case Rep::boolean: break;
  }
  return map_same<uint8_t>(frame, operand, [](uint8_t x) -> uint8_t { return x ^ 1; });
}

Tile binary(BinaryOp op, DType dtype, const Tile& left, const Tile& right, const Frame& frame) {
  if (ir::is_comparison(op)) return compare(op, dtype, left, right, frame);
  switch (left.rep) {
    case Rep::f32: return binary_float<float>(op, left, right, frame);
    case Rep::f64: return binary_float<double>(op, left, right, frame);
    case Rep::integer: return binary_integer(op, IntegerType(dtype), left, right, frame);
    case Rep::boolean: break;
  }
  return binary_boolean(op, left, right, frame);
}

Tile fused(const ir::FusedMultiplyAdd& op, const Tile& a, const Tile& b, const Tile& c, const Frame& frame) {
  return a.rep == Rep::f32 ? fused_float<float>(op, a, b, c, frame) : fused_float<double>(op, a, b, c, frame);
}

Tile select(const Tile& condition, const Tile& if_true, const Tile& if_false, const Frame& frame) {
  switch (if_true.rep) {
    case Rep::f32: return select_elements<float>(condition, if_true, if_false, frame);
    case Rep::f64: return select_elements<double>(condition, if_true, if_false, frame);
    case Rep::integer: return select_elements<int64_t>(condition, if_true, if_false, frame);
    case Rep::boolean: break;
  }
  return select_elements<uint8_t>(condition, if_true, if_false, frame);
}

Tile repeated(const Tile& operand, const Frame& frame) {
  if (*operand.frame.axes == *frame.axes) return operand;
  const auto same = [](auto x) { return x; };
  switch (operand.rep) {
    case Rep::f32: return map_same<float>(frame, operand, same);
    case Rep::f64: return map_same<double>(frame, operand, same);
    case Rep::integer: return map_same<int64_t>(frame, operand, same);
    case Rep::boolean: break;
  }
  return map_same<uint8_t>(frame, operand, same);
}

Tile slice(const Tile& operand, ir::AxisId axis, int64_t position, const Frame& frame) {
  const Strides all = strides_in(operand.frame, *operand.frame.axes);
  Strides strides{};
  int64_t offset = 0;
  size_t rank = 0;
  for (size_t d = 0; d < operand.frame.axes->size(); ++d) {
    if ((*operand.frame.axes)[d] == axis) {
      offset = position * all[d];
    } else {
      strides[rank++] = all[d];
    }
  }
  Tile result = Tile::make(frame, operand.rep);
  switch (operand.rep) {
    case Rep::f32: copy_slice(result.as<float>(), operand.as<float>() + offset, frame, strides); break;
    case Rep::f64: copy_slice(result.as<double>(), operand.as<double>() + offset, frame, strides); break;
    case Rep::integer:
      copy_slice(result.as<int64_t>(), operand.as<int64_t>() + offset, frame, strides);
      break;
    case Rep::boolean:
      copy_slice(result.as<uint8_t>(), operand.as<uint8_t>() + offset, frame, strides);
      break;
  }
  if (operand.present) {
    result.present = Tile::make_mask(frame.volume);
    copy_slice<uint8_t>(result.present.get(), operand.present.get() + offset, frame, strides);
  }
  return result;
}

}  // namespace tessera::interp
