// SPDX-License-Identifier: Apache-2.0
// Conversions between element types, by the runtime's own `convert`.
#include "interp/elementwise.h"
#include "interp/pointwise.h"
#include "interp/storage.h"

namespace tessera::interp {

namespace {

/// Converts each element to the storage type To, and back to how such elements are held here.
template <typename To, typename From, typename Held>
Tile converted(const Tile& operand, const Frame& frame, Numbers numbers) {
  const auto held = [](Held x) { return static_cast<From>(x); };
  if constexpr (std::is_same_v<To, bool>) {
    return map<uint8_t, Held>(frame, Rep::boolean, operand,
                              [=](Held x) -> uint8_t { return convert<bool>(held(x)); });
  } else if constexpr (std::is_integral_v<To>) {
    return map<int64_t, Held>(frame, Rep::integer, operand,
                              [=](Held x) { return static_cast<int64_t>(convert<To>(held(x))); });
  } else {
    if (numbers == Numbers::f64 || std::is_same_v<To, double>) {
      return map<double, Held>(frame, Rep::f64, operand, [=](Held x) { return convert<double>(held(x)); });
    }
    return map<float, Held>(frame, Rep::f32, operand,
                            [=](Held x) { return convert<float>(convert<To>(held(x))); });
  }
}

template <typename To>
Tile converted_to(const Tile& operand, DType from, const Frame& frame, Numbers numbers) {
  switch (operand.rep) {
    case Rep::f32: return converted<To, float, float>(operand, frame, numbers);
    case Rep::f64: return converted<To, double, double>(operand, frame, numbers);
    case Rep::boolean: return converted<To, bool, uint8_t>(operand, frame, numbers);
    case Rep::integer: break;
  }
  return from == DType::u64 ? converted<To, uint64_t, int64_t>(operand, frame, numbers)
                            : converted<To, int64_t, int64_t>(operand, frame, numbers);
}

}  // namespace

Tile cast(const Tile& operand, DType from, DType to, Numbers numbers, const Frame& frame) {
  return with_storage(to, [&](auto tag) {
    return converted_to<typename decltype(tag)::Type>(operand, from, frame, numbers);
  });
}

}  // namespace tessera::interp
