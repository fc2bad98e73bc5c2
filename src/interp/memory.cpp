// SPDX-License-Identifier: Apache-2.0
// Loads and stores of whole frames.
#include "interp/memory.h"

#include <algorithm>

#include "interp/storage.h"

namespace tessera::interp {

namespace {

/// An element as it is held in a tile. The held type has every value of the stored one.
template <typename Held, typename Stored>
Held widened(Stored element) {
  if constexpr (kIsNarrowFloat<Stored>) {
    return static_cast<Held>(to_float(element));
  } else {
    return static_cast<Held>(element);
  }
}

/// An element as it is stored; a value of a narrow type was rounded to it before.
template <typename Stored, typename Held>
Stored narrowed(Held value) {
  if constexpr (kIsNarrowFloat<Stored>) {
    return convert<Stored>(value);
  } else {
    return static_cast<Stored>(value);
  }
}

/// Whether a representation holds elements of that storage.
template <typename Stored, typename Held>
constexpr bool kHolds =
    kIsNarrowFloat<Stored> || std::is_floating_point_v<Stored>
        ? std::is_floating_point_v<Held>
        : std::is_same_v<Stored, bool> == std::is_same_v<Held, uint8_t> && !std::is_floating_point_v<Held>;

/// Calls `visit(TypeTag<Stored>, TypeTag<Held>)`.
template <typename Visit>
void with_types(DType dtype, Rep rep, Visit visit) {
  with_storage(dtype, [&](auto stored) {
    using Stored = typename decltype(stored)::Type;
    const auto held = [&](auto tag) {
      if constexpr (kHolds<Stored, typename decltype(tag)::Type>) {
        visit(stored, tag);
      } else {
        unreachable("a representation does not fit its element type");
      }
    };
    switch (rep) {
      case Rep::f32: return held(TypeTag<float>{});
      case Rep::f64: return held(TypeTag<double>{});
      case Rep::integer: return held(TypeTag<int64_t>{});
      case Rep::boolean: return held(TypeTag<uint8_t>{});
    }
  });
}

template <typename Stored, typename Held>
void gather(const Stored* elements, const Address& address, Tile& tile) {
  const Loops<2> loops(tile.frame, {strides_in(tile.frame, *tile.frame.axes), address.strides});
  loops.run([&](const auto& offsets, int64_t count, const auto& strides) {
    Held* result = tile.as<Held>() + offsets[0];
    const Stored* from = elements + address.base + offsets[1];
    if (strides[1] == 1) {
      for (int64_t i = 0; i < count; ++i) result[i] = widened<Held>(from[i]);
    } else {
      for (int64_t i = 0; i < count; ++i) result[i] = widened<Held>(from[i * strides[1]]);
    }
  });
}

template <typename Stored, typename Held>
void gather_existing(const Stored* elements, const int64_t* offsets, Tile& tile) {
  tile.present = Tile::make_mask(tile.frame.volume);
  for (int64_t i = 0; i < tile.frame.volume; ++i) {
    const bool exists = offsets[i] >= 0;
    tile.as<Held>()[i] = exists ? widened<Held>(elements[offsets[i]]) : Held(0);
    tile.present[static_cast<size_t>(i)] = exists;
  }
}

// Stamps count writers from 1; beyond 32 bits they repeat, and a clash of repeating ones goes unseen.
constexpr uint64_t kStampCount = 0xfffffffe;
constexpr uint32_t kEarlierPhase = 0xffffffff;

uint32_t stamp_of(uint64_t writer) { return static_cast<uint32_t>(writer % kStampCount) + 1; }

/// One pass over the points to write: `visit(offset in the tensor, position in the value, writer)`.
template <typename Visit>
void for_each_point(const Address& address, const Tile& value, const Output::Writers& writers,
                    const Frame& frame, Visit visit) {
  const Strides dense = strides_in(frame, *frame.axes);
  const Loops<3> loops(frame, {address.offsets ? dense : address.strides,
                               strides_in(frame, *value.frame.axes), writers.strides});
  loops.run([&](const auto& offsets, int64_t count, const auto& strides) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t to = offsets[0] + i * strides[0];
      const int64_t from = offsets[1] + i * strides[1];
      if (value.present && value.present[static_cast<size_t>(from)] == 0) continue;
      const int64_t offset = address.offsets ? address.offsets[static_cast<size_t>(to)] : address.base + to;
      if (offset < 0) continue;
      visit(offset, from, writers.base + static_cast<uint64_t>(offsets[2] + i * strides[2]));
    }
  });
}

}  // namespace

Tile load_tile(const Array& array, const Address& address, Rep rep, const Frame& frame) {
  Tile tile = Tile::make(frame, rep);
  with_types(array.dtype, rep, [&](auto stored, auto held) {
    using Stored = typename decltype(stored)::Type;
    using Held = typename decltype(held)::Type;
    if (address.offsets) {
      gather_existing<Stored, Held>(array.as<Stored>(), address.offsets.get(), tile);
    } else {
      gather<Stored, Held>(array.as<Stored>(), address, tile);
    }
  });
  return tile;
}

Output::Output(DType dtype, const std::vector<int64_t>& extents)
    : array_(Array::zeros(dtype, extents)), stamps_(static_cast<size_t>(array_.count())) {}

void Output::begin_phase() {
  for (uint32_t& stamp : stamps_) {
    if (stamp != 0) stamp = kEarlierPhase;
  }
}

std::optional<int64_t> Output::write(const Address& address, const Tile& value, const Writers& writers,
                                     const Frame& frame) {
  std::optional<int64_t> clash;
  for_each_point(address, value, writers, frame, [&](int64_t offset, int64_t, uint64_t writer) {
    uint32_t& stamp = stamps_[static_cast<size_t>(offset)];
    const uint32_t mine = stamp_of(writer);
    if (stamp != 0 && stamp != mine && stamp != kEarlierPhase && !clash) clash = offset;
    stamp = mine;
  });
  with_types(array_.dtype, value.rep, [&](auto stored, auto held) {
    using Stored = typename decltype(stored)::Type;
    using Held = typename decltype(held)::Type;
    for_each_point(address, value, writers, frame, [&](int64_t offset, int64_t from, uint64_t) {
      array_.as<Stored>()[offset] = narrowed<Stored>(value.as<Held>()[from]);
    });
  });
  return clash;
}

std::optional<int64_t> Output::first_unwritten() const {
  const auto found = std::find(stamps_.begin(), stamps_.end(), 0u);
  if (found == stamps_.end()) return std::nullopt;
  return found - stamps_.begin();
}

}  // namespace tessera::interp
