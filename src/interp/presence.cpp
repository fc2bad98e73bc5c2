// SPDX-License-Identifier: Apache-2.0
// Masks of the elements that exist.
#include "interp/presence.h"

#include <algorithm>

#include "interp/elementwise.h"

namespace tessera::interp {

namespace {

Mask mask_of(const Tile& tile) { return Mask(tile.data, reinterpret_cast<uint8_t*>(tile.data.get())); }

Tile both(const Frame& frame, const Tile& a, const Tile& b) {
  return map<uint8_t, uint8_t, uint8_t>(frame, Rep::boolean, a, b,
                                        [](uint8_t x, uint8_t y) -> uint8_t { return x & y; });
}

/// A mask as a tile that shares its elements.
Tile as_tile(const Tile& tile) {
  Tile mask{tile.frame, Rep::boolean, nullptr, nullptr};
  mask.data = std::shared_ptr<std::byte[]>(tile.present, reinterpret_cast<std::byte*>(tile.present.get()));
  return mask;
}

}  // namespace

Tile mask_tile(const Tile& tile) {
  if (tile.present) return as_tile(tile);
  Tile mask = Tile::make(tile.frame, Rep::boolean);
  std::fill_n(mask.as<uint8_t>(), tile.frame.volume, uint8_t{1});
  return mask;
}

Mask all_present(const Frame& frame, std::initializer_list<const Tile*> operands) {
  Tile result;
  for (const Tile* operand : operands) {
    if (!operand->present) continue;
    const Tile mask = as_tile(*operand);
    result = result.empty() ? map<uint8_t, uint8_t>(frame, Rep::boolean, mask, [](uint8_t x) { return x; })
                            : both(frame, result, mask);
  }
  return result.empty() ? nullptr : mask_of(result);
}

Mask filter_present(const Frame& frame, const Tile& condition, const Tile& operand) {
  Tile result = map<uint8_t, uint8_t>(frame, Rep::boolean, condition, [](uint8_t x) { return x; });
  for (const Tile* side : {&condition, &operand}) {
    if (side->present) result = both(frame, result, as_tile(*side));
  }
  return mask_of(result);
}

Mask select_present(const Frame& frame, const Tile& condition, const Tile& if_true, const Tile& if_false) {
  if (!if_true.present && !if_false.present) return all_present(frame, {&condition});
  const Tile chosen = map<uint8_t, uint8_t, uint8_t, uint8_t>(
      frame, Rep::boolean, condition, mask_tile(if_true), mask_tile(if_false),
      [](uint8_t c, uint8_t x, uint8_t y) { return c != 0 ? x : y; });
  return condition.present ? mask_of(both(frame, chosen, as_tile(condition))) : mask_of(chosen);
}

Mask coalesce_present(const Frame& frame, const Tile& operand, const Tile& fallback) {
  if (!operand.present || !fallback.present) return nullptr;
  return mask_of(map<uint8_t, uint8_t, uint8_t>(frame, Rep::boolean, as_tile(operand), as_tile(fallback),
                                                [](uint8_t x, uint8_t y) -> uint8_t { return x | y; }));
}

int64_t first_absent(const Tile& tile) {
  if (!tile.present) return -1;
  const uint8_t* begin = tile.present.get();
  const uint8_t* end = begin + tile.frame.volume;
  const uint8_t* found = std::find(begin, end, uint8_t{0});
  return found == end ? -1 : found - begin;
}

}  // namespace tessera::interp
