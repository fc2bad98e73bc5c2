// SPDX-License-Identifier: Apache-2.0
// TermShare: a share of the terms of a tile. Where a launch has few tiles and many terms of each, several blocks sum a
// share of them each; the last one that is done adds up what all have left in workspace, always in the same order.
#pragma once

#include <cstring>
#include <type_traits>

#include "tessera/fragment.h"
#include "tessera/ptx_global.h"
#include "tessera/ptx_wgmma.h"

namespace tessera {

/// What a kernel knows of them. Each tile has `shares` shares; the sums of each have a place in workspace, and each warp of
/// a tile counts, from 0 on, how many of its shares are done; the last one leaves 0 again.
struct TermShares {
  static constexpr int kMost = 64;

  int shares = 1;
  bool look_ahead = false;  ///< whether blocks ask for what they read first while the launch before ends
  std::uint32_t* counts = nullptr;
  unsigned char* sums = nullptr;
};

/// Rounds of a loop: from `first` to before `end`.
struct Rounds {
  index first, end;
};

/// Takes the turns of a cluster: first the first shares of all tiles, so that neighbouring turns have the same terms; where
/// tiles are shared there are fewer than 2^32 turns. Where kSharesTerms does not hold, each tile is summed alone.
template <bool kSharesTerms>
class TermShare {
 public:
  TESSERA_DEVICE TermShare(const TermShares& shares, index turn, index unit_count)
      : shares_(shares),
        number_(is_alone() ? 0 : static_cast<int>(divide_few(turn, unit_count))),
        unit_(turn - number_ * unit_count) {}

  /// The turns that `unit_count` tiles take.
  static TESSERA_DEVICE index turn_count(const TermShares& shares, index unit_count) {
    return kSharesTerms ? unit_count * shares.shares : unit_count;
  }

  /// The number of its tile.
  TESSERA_DEVICE index unit() const { return unit_; }

  /// Which of all rounds are its own; of those that are left over, the first shares have one each. There are fewer than 2^32,
  /// since boxes have extents below 2^31.
  TESSERA_DEVICE Rounds rounds(index all) const {
    if (is_alone()) return {0, all};
    const auto count = static_cast<std::uint32_t>(all), shares = static_cast<std::uint32_t>(shares_.shares);
    const auto number = static_cast<std::uint32_t>(number_);
    const std::uint32_t of_each = count / shares, more = count - of_each * shares;
    const std::uint32_t first = of_each * number + (number < more ? number : more);
    return {first, first + of_each + (number < more ? 1 : 0)};
  }

  /// Whether sums begin with what they are before all terms; those of other shares begin with zeros.
  TESSERA_DEVICE bool is_first() const { return number_ == 0; }

  /// Leaves the sums of this warp in workspace, unless there is one share. Whether it is the last of its tile to do so:
  /// `sums` are those of all shares then. By all threads of the sums' layout, in block `rank` of a cluster of `blocks`.
  template <typename... Fragments>
  TESSERA_DEVICE bool join(int rank, int blocks, Fragments&... sums) const {
    if (is_alone()) return true;
    constexpr int kThreads = threads_of<Fragments...>();
    constexpr index kPlace = kThreads * (static_cast<index>(sizeof(Fragments)) + ...);
    const index tile = unit_ * blocks + rank;
    unsigned char* places = shares_.sums + tile * shares_.shares * kPlace;
    each(places + number_ * kPlace, Leave{}, sums...);
    if (!is_last(tile * (kThreads / kWarpThreads) + thread_of<Fragments...>() / kWarpThreads)) return false;
    (sums.fill(0), ...);
    // What several shares have left is under way together, as far as registers go beside the sums: a block's only warpgroup
    // has more of them.
    constexpr int kSums = static_cast<int>(kPlace) / (kThreads * 4);  // registers of a thread
    constexpr int kRoom = kThreads == 4 * kWarpThreads ? 160 : 96;
    [[maybe_unused]] constexpr int kTogether = kRoom < 3 * kSums ? 1 : kRoom / kSums - 1;
    TESSERA_UNROLL_BY(kTogether)
    for (int share = 0; share < shares_.shares; ++share) each(places + share * kPlace, Add{}, sums...);
    return true;
  }

 private:
  TESSERA_DEVICE bool is_alone() const { return !kSharesTerms || shares_.shares == 1; }

  template <typename First, typename... Others>
  static TESSERA_HD constexpr int threads_of() {
    return First::Layout::kThreads;
  }

  template <typename First, typename... Others>
  static TESSERA_DEVICE int thread_of() {
    return First::Layout::thread();
  }

  /// Counts this warp's share. For the last one, the sums of all shares are there behind it.
  TESSERA_DEVICE bool is_last(index warp) const {
    warp_barrier();
    const std::uint32_t others = static_cast<std::uint32_t>(shares_.shares) - 1;
    std::uint32_t before = 0;
    if (thread_index() % kWarpThreads == 0) before = ptx::atom_inc_acq_rel_gpu(shares_.counts + warp, others);
    const int last = ptx::shfl_sync_first(before == others ? 1 : 0);
    warp_barrier();
    return last != 0;
  }

  struct Leave {
    template <typename T>
    TESSERA_DEVICE void operator()(unsigned char* at, T* four) const {
      std::uint32_t words[4];
      TESSERA_UNROLL
      for (int i = 0; i < 4; ++i) std::memcpy(&words[i], &four[i], 4);
      ptx::st_global_cg_v4(at, words);
    }
  };
  struct Add {
    template <typename T>
    TESSERA_DEVICE void operator()(unsigned char* at, T* four) const {
      std::uint32_t words[4];
      ptx::ld_global_cg_v4(words, at);
      TESSERA_UNROLL
      for (int i = 0; i < 4; ++i) {
        if constexpr (std::is_integral_v<T>) {  // these wrap
          four[i] = static_cast<T>(static_cast<std::uint32_t>(four[i]) + words[i]);
        } else {
          T more;
          std::memcpy(&more, &words[i], 4);
          four[i] += more;
        }
      }
    }
  };

  /// Calls `use` with each four elements and where they are in a place of workspace.
  template <typename Use, typename First, typename... Others>
  static TESSERA_DEVICE void each(unsigned char* place, Use use, First& tile, Others&... others) {
    constexpr int kThreads = First::Layout::kThreads;
    static_assert(sizeof(tile.value[0]) == 4 && First::kCount % 4 == 0, "sums of four bytes, by fours");
    TESSERA_UNROLL
    for (int i = 0; i < First::kCount; i += 4)
      use(place + (i / 4 * kThreads + First::Layout::thread()) * index{16}, &tile.value[i]);
    if constexpr (sizeof...(Others) > 0)
      each(place + static_cast<index>(sizeof(First)) * kThreads, use, others...);
  }

  const TermShares& shares_;
  const int number_;
  const index unit_;
};

}  // namespace tessera
