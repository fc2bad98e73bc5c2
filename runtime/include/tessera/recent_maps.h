// SPDX-License-Identifier: Apache-2.0
// RecentMaps: maps of tensors that launches of a thread had lately.
#pragma once

#include "tessera/boxes_of_tensor.h"

namespace tessera::detail {

/// Programs launch again and again with the tensors that they have, and no driver need make their maps anew. What boxes a
/// map is of says all about it: addresses belong to one device of a process, and all devices that have maps are of one
/// architecture. Memory is no part of a map: where memory was given back, or a device reset, it is as right as before.
template <typename Map>
class RecentMaps {
 public:
  /// The map of `boxes`: one of before, or what `encode(map, boxes)` makes, which is kept if that holds. False if not.
  template <typename Encode>
  bool find(Map& map, const BoxesOfTensor& boxes, Encode encode) {
    Set& set = sets_[number_of_set(boxes)];
    for (const Entry& entry : set.entries) {
      if (!(entry.boxes == boxes)) continue;
      map = entry.map;
      return true;
    }
    if (!encode(map, boxes)) return false;
    set.entries[set.oldest] = {boxes, map};
    set.oldest = (set.oldest + 1) % kEntries;
    return true;
  }

 private:
  static constexpr int kSets = 16, kEntries = 4;
  struct Entry {
    BoxesOfTensor boxes;  // none, of no dimensions, until there is a map
    Map map;
  };
  struct Set {
    Entry entries[kEntries];
    int oldest;
  };

  static std::size_t number_of_set(const BoxesOfTensor& boxes) {
    auto mixed = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(boxes.data));
    for (int i = 0; i < boxes.rank; ++i) {
      mixed ^= static_cast<std::uint64_t>(boxes.extent[i]) << 16 ^ static_cast<std::uint64_t>(boxes.box[i]);
      mixed *= 0x9e3779b97f4a7c15;  // 2^64 by the golden ratio: neighbours lie far apart
    }
    return static_cast<std::size_t>(mixed >> 60);
  }

  Set sets_[kSets];
};

}  // namespace tessera::detail
