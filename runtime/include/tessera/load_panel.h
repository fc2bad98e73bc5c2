// SPDX-License-Identifier: Apache-2.0
// LoadPanel<T, Panel>: what a thread reads for the panels that its warp stores.
#pragma once

#include "tessera/pairs.h"
#include "tessera/store_panel.h"

namespace tessera {

/// The pairs of a tensor of T in a thread's two rows of a panel, which is of type Panel: those of the next panel are under
/// way while one is used, unless they took many registers.
template <typename T, typename Panel>
class LoadPanel {
  using Layout = typename Panel::Layout;
  using Pair = Vector<std::remove_const_t<T>, 2>;
  static constexpr int kPairs = Panel::kPairs;
  static constexpr int kRegisters = 2 * kPairs * ((static_cast<int>(sizeof(Pair)) + 3) / 4);
  static constexpr int kPlaces = sizeof(T) > 1 && kRegisters <= 16 ? 2 : 1;
  // Pairs whose elements are read one by one together. A function that reads eight saves registers of its caller, which ptxas
  // counts as spilled.
  static constexpr int kAtOnce = kPairs < 4 ? kPairs : 4;

 public:
  /// Of a panel, and ahead of the next: of rows before row_count up to column_count. `line_of(row)` is the line of memory of
  /// a row of the tile, whose column 0 is element `first`. For panels one after another.
  template <typename LineOf>
  TESSERA_DEVICE void load(int panel, int row_count, int column_count, index first, LineOf line_of,
                           Location where = Location::current()) {
    if (kPlaces == 1 || panel == 0) load_one(panel, row_count, column_count, first, line_of, where);
    if (kPlaces == 2 && panel + 1 < Panel::kCount)
      load_one(panel + 1, row_count, column_count, first, line_of, where);
  }

  /// The pair of the thread's columns column_slot and column_slot + 1 in one of its rows, of the panel at hand.
  TESSERA_DEVICE Pair pair(int row_slot, int column_slot) const {
    return pairs_[Panel::number(row_slot, column_slot) % kPlaces][row_slot % 2]
                 [Panel::pair_of_panel(column_slot)];
  }

 private:
  template <typename LineOf>
  TESSERA_DEVICE void load_one(int panel, int row_count, int column_count, index first, LineOf line_of,
                               Location where) {
    const int column = Layout::column_of_slot(Panel::first_column_slot(panel));
    TESSERA_UNROLL
    for (int i = 0; i < 2; ++i) {
      const int row = Layout::row_of_slot(Panel::first_row_slot(panel) + i);
      if (row < row_count)
        load_pairs<kAtOnce>(line_of(row), first + column, Part<2, false>(column, 0, column_count),
                            pairs_[panel % kPlaces][i], where);
    }
  }

  Pair pairs_[kPlaces][2][kPairs];
};

}  // namespace tessera
