// SPDX-License-Identifier: Apache-2.0
// convert<To>(from) for every pair of element types, against a reference that knows values, not bits: it looks for the
// nearest of all values that To has.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

#include "catch.h"
#include "tessera/kernel.h"

namespace {

using namespace tessera;

/// Wide enough for every value of every type: 64 bits of mantissa.
using Exact = long double;
static_assert(std::numeric_limits<Exact>::digits >= 64, "the reference needs 64-bit mantissas");

template <typename T>
Exact exact(T x) {
  if constexpr (kIsNarrowFloat<T>) {
    return static_cast<Exact>(to_float(x));
  } else {
    return static_cast<Exact>(x);
  }
}

/// A value of a narrow type that is finite and not negative, with its bits; in ascending order of both.
template <typename T>
const std::vector<Exact>& finite_values() {
  static const std::vector<Exact> values = [] {
    std::vector<Exact> result;
    for (unsigned bits = 0; bits < 1u << (8 * sizeof(T) - 1); ++bits) {
      const Exact value = exact(T{static_cast<decltype(T::bits)>(bits)});
      if (std::isfinite(value)) result.push_back(value);
    }
    return result;
  }();
  return values;
}

/// The bits of the T nearest to a value, by search: ties to the even number in the list.
template <typename T>
unsigned nearest_bits(Exact x) {
  const std::vector<Exact>& values = finite_values<T>();
  const unsigned sign = std::signbit(x) ? 1u << (8 * sizeof(T) - 1) : 0u;
  const Exact magnitude = std::fabs(x);
  const bool saturates = sizeof(T) == 1;
  const auto largest = static_cast<unsigned>(values.size() - 1);
  const Exact step = values[largest] - values[largest - 1];
  if (std::isinf(x)) return sign | (std::is_same_v<T, fp8_e4m3> ? largest : largest + 1);
  if (magnitude >= values[largest] + step / 2) return sign | (saturates ? largest : largest + 1);
  const auto above =
      static_cast<unsigned>(std::lower_bound(values.begin(), values.end(), magnitude) - values.begin());
  if (above > largest) return sign | largest;
  if (above == 0 || values[above] == magnitude) return sign | above;
  const Exact to_above = values[above] - magnitude, to_below = magnitude - values[above - 1];
  const bool up = to_above < to_below || (to_above == to_below && above % 2 == 0);
  return sign | (up ? above : above - 1);
}

template <typename To>
To truncated(Exact x) {
  if (std::isnan(x)) return 0;
  if (x >= exact(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
  if (x <= exact(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
  return static_cast<To>(std::trunc(x));
}

template <typename To, typename From>
bool is_right(From from, To to) {
  if constexpr (std::is_same_v<To, bool>) {
    return to == (exact(from) != 0);
  } else if constexpr (std::is_integral_v<To>) {
    if constexpr (std::is_integral_v<From>) {
      const auto difference = static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
      return (difference & (~std::uint64_t{0} >> (64 - 8 * sizeof(To)))) == 0;
    } else {
      return to == truncated<To>(exact(from));
    }
  } else if (std::isnan(exact(from))) {
    return std::isnan(exact(to));
  } else if constexpr (kIsNarrowFloat<To>) {
    return to.bits == nearest_bits<To>(exact(from));
  } else {
    const To expected = static_cast<To>(exact(from));
    return to == expected && std::signbit(to) == std::signbit(expected);
  }
}

/// All values of a type of up to 16 bits; for wider ones the ends, values about powers of two, and random ones.
template <typename T>
std::vector<T> values_of() {
  std::vector<T> result;
  if constexpr (std::is_same_v<T, bool>) {
    result = {false, true};
  } else if constexpr (sizeof(T) <= 2) {
    for (unsigned bits = 0; bits < 1u << (8 * sizeof(T)); ++bits) {
      T value;
      std::memcpy(&value, &bits, sizeof value);
      result.push_back(value);
    }
  } else {
    std::mt19937_64 random(sizeof(T));
    for (int i = 0; i < 4000; ++i) {
      std::uint64_t bits = random();
      if (i % 4 == 1) bits = (std::uint64_t{1} << (random() % 64)) + random() % 5 - 2;
      if (i % 4 == 2) bits >>= random() % 64;
      if (i % 4 == 3) bits &= ~std::uint64_t{0} << (random() % 64);
      T value;
      std::memcpy(&value, &bits, sizeof value);
      result.push_back(value);
      if constexpr (std::is_floating_point_v<T>)
        result.push_back(static_cast<T>(static_cast<std::int64_t>(bits)));
    }
    if constexpr (std::is_floating_point_v<T>) {
      for (const Exact value : finite_values<f16>()) {
        for (const Exact scale :
             {1.0L, 1.0L + 0x1p-11L, 1.0L + 0x1p-11L + 0x1p-22L, 1.0L + 0x1p-11L - 0x1p-22L, -1.5L}) {
          result.push_back(static_cast<T>(value * scale));
        }
      }
      for (const T value :
           {T(0), -T(0), T(448), T(464), T(480), T(57344), T(61440), T(65504), T(65520), T(1e30)}) {
        result.push_back(value);
        result.push_back(std::nextafter(value, T(0)));
        result.push_back(std::nextafter(value, std::numeric_limits<T>::infinity()));
      }
      result.insert(result.end(),
                    {std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(),
                     std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::denorm_min()});
    }
  }
  return result;
}

template <typename To, typename From>
int wrong(const std::vector<From>& values) {
  return static_cast<int>(std::count_if(
      values.begin(), values.end(), [](From from) { return !is_right<To, From>(from, convert<To>(from)); }));
}

template <typename From, typename... To>
void check_all(std::tuple<To...>) {
  const std::vector<From> values = values_of<From>();
  INFO("from dtype " << kDType<From>);
  for (const int count : {wrong<To, From>(values)...}) CHECK(count == 0);
}

using Types =
    std::tuple<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
               std::uint32_t, std::uint64_t, fp8_e4m3, fp8_e5m2, f16, bf16, float, double>;

template <typename... From>
void check_all_pairs(std::tuple<From...> all) {
  (check_all<From>(all), ...);
}

}  // namespace

TEST_CASE("all pairs of element types convert to the nearest, wrapped or saturated value") {
  check_all_pairs(Types{});
}
