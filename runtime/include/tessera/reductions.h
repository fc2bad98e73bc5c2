// SPDX-License-Identifier: Apache-2.0
// What a reduction combines its terms with. Each is commutative, so every order of lanes gives the same bits in all of
// them.
#pragma once

#include "tessera/numbers.h"

namespace tessera {

namespace detail {

/// The unsigned type in which T's arithmetic wraps without promotion to int.
template <typename T>
using Wrapping = std::conditional_t<sizeof(T) <= 4, std::uint32_t, std::uint64_t>;

template <typename T>
TESSERA_HD bool is_nan(T x) {
  if constexpr (kIsNarrowFloat<T>) {
    return is_nan(to_float(x));
  } else {
    return x != x;
  }
}

/// Whether `a` comes before `b` as the extreme: NaN first, then the better value, then the first position.
template <typename T, typename Better>
TESSERA_HD bool precedes(const Indexed<T>& a, const Indexed<T>& b, Better better) {
  const bool a_is_nan = is_nan(a.value), b_is_nan = is_nan(b.value);
  if (a_is_nan != b_is_nan) return a_is_nan;
  if (a_is_nan || (!better(a.value, b.value) && !better(b.value, a.value))) return a.position < b.position;
  return better(a.value, b.value);
}

}  // namespace detail

/// a + b and a * b for f32, f64 and the integers, which wrap.
struct Sum {
  template <typename T>
  TESSERA_HD T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<detail::Wrapping<T>>(a) + static_cast<detail::Wrapping<T>>(b));
    } else {
      return a + b;
    }
  }
};
struct Product {
  template <typename T>
  TESSERA_HD T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<detail::Wrapping<T>>(a) * static_cast<detail::Wrapping<T>>(b));
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

/// The Indexed with the larger (smaller) value, the first position among equals; a NaN wins over every number. Start
/// from {lowest<T>(), kNoPosition} ({highest<T>(), kNoPosition}).
struct ArgMaximum {
  template <typename T>
  TESSERA_HD Indexed<T> operator()(const Indexed<T>& a, const Indexed<T>& b) const {
    return detail::precedes(a, b, [](T x, T y) { return as_number(x) > as_number(y); }) ? a : b;
  }
  template <typename T>
  TESSERA_HD static auto as_number(T x) {
    if constexpr (kIsNarrowFloat<T>) {
      return to_float(x);
    } else {
      return x;
    }
  }
};
struct ArgMinimum {
  template <typename T>
  TESSERA_HD Indexed<T> operator()(const Indexed<T>& a, const Indexed<T>& b) const {
    return detail::precedes(a, b, [](T x, T y) { return ArgMaximum::as_number(x) < ArgMaximum::as_number(y); }) ? a : b;
  }
};

}  // namespace tessera
