// SPDX-License-Identifier: Apache-2.0
// Tiles: what a value is at run time, a dense box of elements of which some may not exist.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/dtype.h"
#include "sema/ir/ops.h"

namespace tessera::interp {

/// More axes than this on one value are refused before anything runs.
inline constexpr int kMaxAxes = 16;

/// How elements are held while they are computed with: narrow floats as f32, every integer in 64 bits.
enum class Rep : uint8_t { f32, f64, integer, boolean };

enum class Numbers : uint8_t { f64, declared };

/// In the reference mode every float is a double.
inline Rep rep_of(DType dtype, Numbers numbers) {
  if (is_bool(dtype)) return Rep::boolean;
  if (!is_float(dtype)) return Rep::integer;
  return numbers == Numbers::f64 || dtype == DType::f64 ? Rep::f64 : Rep::f32;
}

inline size_t size_of(Rep rep) { return rep == Rep::boolean ? 1 : rep == Rep::f32 ? 4 : 8; }

using AxisList = std::vector<ir::AxisId>;  // ascending; the last one varies fastest

/// A box of coordinates: axes and how many coordinates of each.
struct Frame {
  const AxisList* axes = nullptr;
  std::array<int64_t, kMaxAxes> extents{};
  int64_t volume = 1;

  int rank() const { return static_cast<int>(axes->size()); }
};

/// The elements over a frame. Copies share them; whoever writes makes them its own first.
struct Tile {
  Frame frame;
  Rep rep = Rep::f64;
  std::shared_ptr<std::byte[]> data;
  std::shared_ptr<uint8_t[]> present;  // null: every element exists; else 1 where one does

  bool empty() const { return data == nullptr; }

  template <typename T>
  T* as() {
    return reinterpret_cast<T*>(data.get());
  }
  template <typename T>
  const T* as() const {
    return reinterpret_cast<const T*>(data.get());
  }

  static Tile make(const Frame& frame, Rep rep) {
    Tile tile{frame, rep, nullptr, nullptr};
    tile.data = std::make_shared_for_overwrite<std::byte[]>(static_cast<size_t>(frame.volume) * size_of(rep));
    return tile;
  }
  static std::shared_ptr<uint8_t[]> make_mask(int64_t volume) {
    return std::make_shared_for_overwrite<uint8_t[]>(static_cast<size_t>(volume));
  }
};

/// The C++ type of a representation.
template <Rep kRep>
struct ElementOf;
template <>
struct ElementOf<Rep::f32> {
  using Type = float;
};
template <>
struct ElementOf<Rep::f64> {
  using Type = double;
};
template <>
struct ElementOf<Rep::integer> {
  using Type = int64_t;
};
template <>
struct ElementOf<Rep::boolean> {
  using Type = uint8_t;
};

}  // namespace tessera::interp
