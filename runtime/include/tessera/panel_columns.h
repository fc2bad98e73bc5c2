// SPDX-License-Identifier: Apache-2.0
// PanelColumns<T, Panel>: what the elements of a panel take from their columns.
#pragma once

#include "tessera/pairs.h"
#include "tessera/store_panel.h"

namespace tessera {

/// Values of T for the columns of a panel, which is of type Panel: each lane computes those of a few columns for its whole
/// warp. They lie in the place that the panel itself goes through next, and are gone when it is put there; those of the next
/// panel are on their way by then.
template <typename T, typename Panel>
class PanelColumns {
 public:
  /// Bytes of a place that they take; elements of the array, which is that of the panel's stores.
  static constexpr int kBytes = Panel::kLaneColumns * kWarpThreads * static_cast<int>(sizeof(T));
  static_assert(kBytes <= Panel::kPlaceBytes, "values of a panel's columns have its place");
  static constexpr int kRoom = Panel::kRoom * Panel::kElementBytes / static_cast<int>(sizeof(T));

  explicit TESSERA_DEVICE PanelColumns(const Shared<T>& elements) : elements_(elements) {}

  /// This lane's values for panel number `panel`, if there is one: `value_of(column)` of columns of the tile.
  template <typename ValueOf>
  TESSERA_DEVICE void fetch(int panel, ValueOf value_of) {
    if (panel >= Panel::kCount) return;
    TESSERA_UNROLL
    for (int i = 0; i < Panel::kLaneColumns; ++i) fetched_[i] = value_of(Panel::column_of_lane(panel, i));
  }

  /// What was fetched last goes from `first_byte` of the array on: into the place that Panel::open_place found.
  TESSERA_DEVICE void put(int first_byte, Location where = Location::current()) {
    first_ = first_byte / static_cast<int>(sizeof(T));
    TESSERA_UNROLL
    for (int i = 0; i < Panel::kLaneColumns; ++i)
      elements_.store(first_ + Panel::lane_column(i), fetched_[i], where);
  }

  /// Those for the thread's columns column_slot and column_slot + 1, when a barrier of the warp is behind all of them.
  TESSERA_DEVICE Vector<T, 2> pair(int column_slot, Location where = Location::current()) const {
    return elements_.template load<2>(
        first_ + Panel::pair_of_panel(column_slot) * kPairStep + thread_index() % 4 * 2, where);
  }

 private:
  Shared<T> elements_;
  T fetched_[Panel::kLaneColumns];
  int first_ = 0;
};

}  // namespace tessera
