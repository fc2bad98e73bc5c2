// SPDX-License-Identifier: Apache-2.0
// Reductions over tiles.
#include "interp/reduce.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "interp/integer_rules.h"
#include "interp/loops.h"
#include "tessera/math.h"

namespace tessera::interp {

namespace {

using ir::ReduceOp;

Loops<2> loops_over(const Tile& operand, const Frame& frame) {
  return {operand.frame,
          {strides_in(operand.frame, *operand.frame.axes), strides_in(operand.frame, *frame.axes)}};
}

/// acc = f(acc, x) for each element that exists.
template <typename T, typename X, typename F>
void fold_into(Tile& result, const Tile& operand, F f) {
  const uint8_t* mask = operand.present.get();
  loops_over(operand, result.frame).run([&](const auto& offsets, int64_t count, const auto& strides) {
    const X* x = operand.as<X>() + offsets[0];
    const uint8_t* exists = mask != nullptr ? mask + offsets[0] : nullptr;
    T* acc = result.as<T>() + offsets[1];
    if (strides[1] == 0) {
      T folded = *acc;
      for (int64_t i = 0; i < count; ++i) {
        if (exists == nullptr || exists[i] != 0) folded = f(folded, x[i]);
      }
      *acc = folded;
    } else if (exists == nullptr) {
      for (int64_t i = 0; i < count; ++i) acc[i] = f(acc[i], x[i]);
    } else {
      for (int64_t i = 0; i < count; ++i) acc[i] = exists[i] != 0 ? f(acc[i], x[i]) : acc[i];
    }
  });
}

template <typename T, typename X, typename F>
Tile folded(const Tile& operand, Rep rep, const Frame& frame, T unit, F f) {
  Tile result = Tile::make(frame, rep);
  std::fill_n(result.as<T>(), frame.volume, unit);
  fold_into<T, X>(result, operand, f);
  return result;
}

template <typename T, typename F>
Tile folded_same(const Tile& operand, const Frame& frame, T unit, F f) {
  return folded<T, T>(operand, operand.rep, frame, unit, f);
}

/// Marks the results to which at least one element contributed; no mask if all are.
void mark_existing(Tile& result, const Tile& operand) {
  if (!operand.present && operand.frame.volume > 0) return;
  Tile seen = Tile::make(result.frame, Rep::boolean);
  std::fill_n(seen.as<uint8_t>(), result.frame.volume, uint8_t{0});
  Tile any = operand;
  any.rep = Rep::boolean;  // only its mask is read
  if (operand.present) {
    any.data =
        std::shared_ptr<std::byte[]>(operand.present, reinterpret_cast<std::byte*>(operand.present.get()));
    fold_into<uint8_t, uint8_t>(seen, any, [](uint8_t, uint8_t) -> uint8_t { return 1; });
  }
  result.present = std::shared_ptr<uint8_t[]>(seen.data, seen.as<uint8_t>());
}

template <typename T>
Tile reduce_floats(ReduceOp op, const Tile& operand, const Frame& frame) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  switch (op) {
    case ReduceOp::sum: return folded_same<T>(operand, frame, T(0), [](T a, T b) { return a + b; });
    case ReduceOp::prod: return folded_same<T>(operand, frame, T(1), [](T a, T b) { return a * b; });
    case ReduceOp::max:
      return folded_same<T>(operand, frame, -kInfinity, [](T a, T b) { return math::max(a, b); });
    case ReduceOp::min:
      return folded_same<T>(operand, frame, kInfinity, [](T a, T b) { return math::min(a, b); });
    default: break;
  }
  unreachable("a logical reduction takes no float");
}

Tile reduce_integers(ReduceOp op, IntegerType type, const Tile& operand, const Frame& frame) {
  using T = int64_t;
  const auto bits = [](T x) { return static_cast<uint64_t>(x); };
  const T lowest = type.is_signed ? std::numeric_limits<T>::min() : 0;
  const T highest = type.is_wide_unsigned() ? T{-1} : std::numeric_limits<T>::max();
  switch (op) {
    case ReduceOp::sum:
      return folded_same<T>(operand, frame, 0, [=](T a, T b) { return type.wrap(bits(a) + bits(b)); });
    case ReduceOp::prod:
      return folded_same<T>(operand, frame, 1, [=](T a, T b) { return type.wrap(bits(a) * bits(b)); });
    case ReduceOp::max:
      return folded_same<T>(operand, frame, lowest, [=](T a, T b) { return type.less(a, b) ? b : a; });
    case ReduceOp::min:
      return folded_same<T>(operand, frame, highest, [=](T a, T b) { return type.less(b, a) ? b : a; });
    default: break;
  }
  unreachable("a logical reduction takes no integer");
}

Tile reduce_numbers(ReduceOp op, const Tile& operand, DType element, const Frame& frame) {
  switch (operand.rep) {
    case Rep::f32: return reduce_floats<float>(op, operand, frame);
    case Rep::f64: return reduce_floats<double>(op, operand, frame);
    default: return reduce_integers(op, IntegerType(element), operand, frame);
  }
}

/// Whether `x` replaces `best`: a NaN before every number, then the better value; the first of equals stays.
template <typename T, typename Better>
bool replaces(T x, T best, Better better) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(best)) return false;
    if (std::isnan(x)) return true;
  }
  return better(x, best);
}

template <typename T, typename Better>
Tile extreme_position(const Tile& operand, int64_t first, const Frame& frame, Better better) {
  size_t folded_axis = 0;
  const AxisList& axes = *operand.frame.axes;
  while (folded_axis < frame.axes->size() && axes[folded_axis] == (*frame.axes)[folded_axis]) ++folded_axis;
  const int64_t extent = operand.frame.extents[folded_axis];
  int64_t inner = 1;
  for (size_t d = folded_axis + 1; d < axes.size(); ++d) inner *= operand.frame.extents[d];
  Tile result = Tile::make(frame, Rep::integer);
  result.present = Tile::make_mask(frame.volume);
  for (int64_t point = 0; point < frame.volume; ++point) {
    const int64_t begin = point / inner * extent * inner + point % inner;
    int64_t best = -1;
    for (int64_t c = 0; c < extent; ++c) {
      const int64_t at = begin + c * inner;
      if (operand.present && operand.present[static_cast<size_t>(at)] == 0) continue;
      const T* x = operand.as<T>();
      if (best < 0 || replaces(x[at], x[begin + best * inner], better)) best = c;
    }
    result.as<int64_t>()[point] = best < 0 ? 0 : first + best;
    result.present[static_cast<size_t>(point)] = best >= 0;
  }
  return result;
}

template <typename T, typename Less>
Tile reduce_position(ReduceOp op, const Tile& operand, int64_t first, const Frame& frame, Less less) {
  if (op == ReduceOp::argmin) return extreme_position<T>(operand, first, frame, less);
  return extreme_position<T>(operand, first, frame, [less](T x, T y) { return less(y, x); });
}

Tile reduce_position(ReduceOp op, const Tile& operand, DType element, int64_t first, const Frame& frame) {
  const auto less = [](auto x, auto y) { return x < y; };
  if (operand.rep == Rep::f32) return reduce_position<float>(op, operand, first, frame, less);
  if (operand.rep == Rep::f64) return reduce_position<double>(op, operand, first, frame, less);
  const IntegerType type(element);
  return reduce_position<int64_t>(op, operand, first, frame,
                                  [type](int64_t x, int64_t y) { return type.less(x, y); });
}

/// Counts what exists, whatever its type.
Tile count(const Tile& operand, const Frame& frame) {
  Tile ones = operand;
  ones.data = std::make_shared<std::byte[]>(static_cast<size_t>(operand.frame.volume));  // read and not used
  return folded<int64_t, uint8_t>(ones, Rep::integer, frame, 0, [](int64_t a, uint8_t) { return a + 1; });
}

}  // namespace

Tile reduce(ReduceOp op, const Tile& operand, DType element, int64_t first_coordinate, const Frame& frame) {
  using B = uint8_t;
  switch (op) {
    case ReduceOp::sum:
    case ReduceOp::prod: return reduce_numbers(op, operand, element, frame);
    case ReduceOp::max:
    case ReduceOp::min: {
      Tile result = reduce_numbers(op, operand, element, frame);
      mark_existing(result, operand);
      return result;
    }
    case ReduceOp::any: return folded_same<B>(operand, frame, 0, [](B a, B b) -> B { return a | b; });
    case ReduceOp::all: return folded_same<B>(operand, frame, 1, [](B a, B b) -> B { return a & b; });
    case ReduceOp::count: return count(operand, frame);
    case ReduceOp::argmax:
    case ReduceOp::argmin: return reduce_position(op, operand, element, first_coordinate, frame);
  }
  unreachable("a reduction has an operation");
}

}  // namespace tessera::interp
