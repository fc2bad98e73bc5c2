// SPDX-License-Identifier: Apache-2.0
// What a reduction combines its terms with. Each is commutative, so every order of lanes gives the same bits
// in all of them.
#pragma once

#include "tessera/integer.h"
#include "tessera/numbers.h"

namespace tessera {

namespace detail {

/// x in a type that compares.
template <typename T>
TESSERA_HD auto as_number(T x) {
  if constexpr (kIsNarrowFloat<T>) {
    return to_float(x);
  } else {
    return x;
  }
}

/// Whether `a` comes before `b` as the extreme: a NaN first, then the better value, then the first position.
template <typename T, typename Position>
TESSERA_HD bool precedes(const Indexed<T, Position>& a, const Indexed<T, Position>& b, bool a_is_better) {
  const auto x = as_number(a.value), y = as_number(b.value);
  const bool a_is_nan = x != x, b_is_nan = y != y;
  const bool are_equal = (x == y) | (a_is_nan & b_is_nan);
  return a_is_better | (a_is_nan & !b_is_nan) | (are_equal & (a.position < b.position));  // without a branch
}

/// Whether `b`, whose position is behind that of `a`, comes before it; anything does before none. `a_is_kept`: whether the
/// value of `a` is better or the same.
template <typename T, typename Position>
TESSERA_HD bool replaces(const Indexed<T, Position>& a, bool a_is_kept) {
  const auto x = as_number(a.value);
  return (!a_is_kept & (x == x)) | (a.position == kHighest<Position>);
}

}  // namespace detail

/// a + b and a * b for f32, f64 and the integers, which wrap.
struct Sum {
  template <typename T>
  TESSERA_HD T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return integer::add(a, b);
    } else {
      return a + b;
    }
  }
};
struct Product {
  template <typename T>
  TESSERA_HD T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return integer::multiply(a, b);
    } else {
      return a * b;
    }
  }
};

/// maximum and minimum, for every number.
struct Maximum {
  template <typename T>
  TESSERA_HD T operator()(T a, T b) const {
    return maximum(a, b);
  }
};
struct Minimum {
  template <typename T>
  TESSERA_HD T operator()(T a, T b) const {
    return minimum(a, b);
  }
};

/// Conjunction and disjunction.
struct All {
  TESSERA_HD bool operator()(bool a, bool b) const { return a && b; }
};
struct Any {
  TESSERA_HD bool operator()(bool a, bool b) const { return a || b; }
};

/// The Indexed with the larger (smaller) value, the first position among equals; a NaN wins over every
/// number. Start from {lowest<T>(), kNoPosition} ({highest<T>(), kNoPosition}), in a tile kNoPlace.
struct ArgMaximum {
  template <typename T, typename Position>
  TESSERA_HD Indexed<T, Position> operator()(const Indexed<T, Position>& a,
                                             const Indexed<T, Position>& b) const {
    return detail::precedes(a, b, detail::as_number(a.value) > detail::as_number(b.value)) ? a : b;
  }
  /// The same where the position of `b` is behind that of `a`.
  template <typename T, typename Position>
  TESSERA_HD Indexed<T, Position> in_order(const Indexed<T, Position>& a,
                                           const Indexed<T, Position>& b) const {
    return detail::replaces(a, detail::as_number(a.value) >= detail::as_number(b.value)) ? b : a;
  }
};
struct ArgMinimum {
  template <typename T, typename Position>
  TESSERA_HD Indexed<T, Position> operator()(const Indexed<T, Position>& a,
                                             const Indexed<T, Position>& b) const {
    return detail::precedes(a, b, detail::as_number(a.value) < detail::as_number(b.value)) ? a : b;
  }
  /// The same where the position of `b` is behind that of `a`.
  template <typename T, typename Position>
  TESSERA_HD Indexed<T, Position> in_order(const Indexed<T, Position>& a,
                                           const Indexed<T, Position>& b) const {
    return detail::replaces(a, detail::as_number(a.value) <= detail::as_number(b.value)) ? b : a;
  }
};

}  // namespace tessera
