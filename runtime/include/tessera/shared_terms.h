// SPDX-License-Identifier: Apache-2.0
// SharedTerms: how many blocks share the terms of each tile of a launch, and the workspace through which they meet.
#pragma once

#include <cmath>
#include <initializer_list>

#include "tessera/early_launch.h"
#include "tessera/launch.h"
#include "tessera/stream_counts.h"
#include "tessera/term_share.h"
#include "tessera/workspace.h"

namespace tessera {

namespace detail {

inline constexpr int kClearThreads = 256;

/// Zeros, before any share is done.
template <typename Count>
TESSERA_KERNEL(kClearThreads)
void clear_counts(Count* counts, index count) {
  wait_for_launch_before();
  const index step = block_count() * kClearThreads;
  for (index i = block_index() * kClearThreads + thread_index(); i < count; i += step) counts[i] = 0;
}

}  // namespace detail

/// Where a launch has fewer tiles than a device has multiprocessors, several blocks sum a share of the terms of each tile, as
/// many as pay. Workspace lives until the launch is queued, in the order of its stream. The counts are the stream's, or those
/// of a graph, and stay.
class SharedTerms {
  // What a block takes to leave its sums and to read those of others, until then and for so many bytes; terms below which
  // a share is not worth it.
  static constexpr double kJoinClocks = 3000, kJoinBytes = 32;
  static constexpr index kFewestTerms = 256;
  static constexpr index kMostTurns = 0xffffffff;  // see TermShare
  static constexpr int kMostWarps = 16;            // that hold the sums of a tile
  // What memory brings in a clock, to one block and to all of them; the part of products that bringing does not hide, or
  // the other way round.
  static constexpr double kBlockBytes = 24, kMemoryBytes = 2000, kNotHidden = 0.1;
  static constexpr double kMemoryOfEach = 15;  // of those bytes, for each multiprocessor

 public:
  /// Each sum has so many terms; the factors have so many bytes.
  SharedTerms(LaunchCheck& check, const LaunchOptions& options, index terms,
              std::initializer_list<double> factors)
      : check_(check), options_(options), terms_(terms), workspace_(options.stream) {
    for (const double bytes : factors) bytes_ += bytes;
  }

  /// The clocks of all tiles of a size.
  index operator()(const TilesOfSize& tiles) const {
    const int shares = shares_of(tiles);
    return static_cast<index>(clocks_until_summed(tiles, shares) + clocks_to_join(tiles, shares) +
                              clocks_without_products(tiles, shares));
  }

  /// Blocks that take one share after another, in clusters of so many, each of which takes one of `units.count` units. The
  /// launch that they are for has this object as an argument: for the kernel it is the shares of these units.
  Blocks blocks(const TilesOfSize& units, int cluster = 1) {
    const TilesOfSize tiles{units.count * cluster, units.clocks, units.behind,
                            units.teams,           units.bytes,  units.asked};
    const int shares = shares_of(tiles);
    if (check_.ok() && shares > 1 && take_workspace(tiles, shares)) shares_.shares = shares;
    const Blocks blocks = persistent_blocks(units.count * shares_.shares, cluster);
    shares_.look_ahead = !blocks.take_many && waits_for_memory(tiles, shares_.shares);
    return blocks;
  }

  operator TermShares() const { return shares_; }

 private:
  double clocks_of_tile(const TilesOfSize& tiles) const {
    constexpr double kTermsOfClocks = 64;
    return static_cast<double>(tiles.clocks) * static_cast<double>(terms_) / kTermsOfClocks;
  }
  double clocks_of_products(const TilesOfSize& tiles, int shares) const {
    return clocks_of_tile(tiles) * static_cast<double>(ceil_divide(tiles.count * shares, wave_)) / shares;
  }
  /// Until memory has brought the factors once.
  double clocks_of_memory(const TilesOfSize& tiles, int shares) const {
    const index blocks = tiles.count * shares < wave_ ? tiles.count * shares : wave_;
    const double of_blocks = kBlockBytes * static_cast<double>(blocks);
    return bytes_ / (of_blocks < kMemoryBytes ? of_blocks : kMemoryBytes);
  }
  /// Whether memory, and not what it brings to each block, takes longer than the products; never of sizes whose terms are not
  /// shared, of which the launcher says no clocks.
  bool waits_for_memory(const TilesOfSize& tiles, int shares) const {
    const double memory = bytes_ / (kMemoryOfEach * static_cast<double>(wave_));
    return tiles.bytes > 0 && memory > clocks_of_products(tiles, shares);
  }
  /// As long as the products take, or memory; of the shorter one a part is not hidden.
  double clocks_until_summed(const TilesOfSize& tiles, int shares) const {
    const double products = clocks_of_products(tiles, shares), memory = clocks_of_memory(tiles, shares);
    return products < memory ? memory + kNotHidden * products : products + kNotHidden * memory;
  }
  /// What follows the products of each round, or with teams of the last: before that, a team which has more to do there than
  /// another takes for its products is waited for.
  double clocks_without_products(const TilesOfSize& tiles, int shares) const {
    const auto rounds = static_cast<double>(ceil_divide(tiles.count * shares, wave_));
    const auto behind = static_cast<double>(tiles.behind);
    if (tiles.teams == 1) return rounds * behind;
    const double waited = behind - clocks_of_tile(tiles);
    return waited > 0 ? behind + (rounds - 1) * waited / tiles.teams : behind;
  }
  static double clocks_to_join(const TilesOfSize& tiles, int shares) {
    return shares == 1 ? 0 : kJoinClocks + shares * static_cast<double>(tiles.bytes) / kJoinBytes;
  }

  int shares_of(const TilesOfSize& tiles) const {
    if (tiles.bytes == 0 || tiles.count <= 0) return 1;
    if (tiles.asked > 0) return tiles.count <= kMostTurns / tiles.asked ? tiles.asked : 1;
    index most = wave_ / tiles.count;
    if (most > terms_ / kFewestTerms) most = terms_ / kFewestTerms;
    if (most > TermShares::kMost) most = TermShares::kMost;
    if (most < 2) return 1;
    // The share of each and what the last one reads of all are least where both take as long.
    const double all = clocks_of_tile(tiles);
    const double best = std::sqrt(all * kJoinBytes / static_cast<double>(tiles.bytes));
    const int shares = best < static_cast<double>(most) ? static_cast<int>(best) : static_cast<int>(most);
    const double alone = clocks_until_summed(tiles, 1);
    return shares > 1 && clocks_until_summed(tiles, shares) + clocks_to_join(tiles, shares) < alone ? shares
                                                                                                    : 1;
  }

  bool take_workspace(const TilesOfSize& tiles, int shares) {
    const index counts = tiles.count * kMostWarps;
    index sums;
    if (__builtin_mul_overflow(tiles.count * shares, tiles.bytes, &sums)) return false;
    shares_.counts = detail::StreamCounts::of(options_.stream, check_.device(), counts);
    const bool are_zero = shares_.counts != nullptr;
    const index count_bytes = are_zero ? 0 : counts * static_cast<index>(sizeof(std::uint32_t));
    void* const memory = workspace_.take(count_bytes + sums);
    if (memory == nullptr) return false;
    shares_.sums = static_cast<unsigned char*>(memory) + count_bytes;
    if (are_zero) return true;
    shares_.counts = static_cast<std::uint32_t*>(memory);
    clear(counts);
    return true;
  }

  void clear(index counts) {
    LaunchCheck check(check_.kernel());
    check_.pass_on(launch(check, options_, detail::clear_counts<std::uint32_t>,
                          Blocks{ceil_divide(counts, detail::kClearThreads)},
                          Threads{detail::kClearThreads, kBeginsEarly}, shares_.counts, counts));
  }

  LaunchCheck& check_;
  const LaunchOptions& options_;
  const index wave_ = multiprocessor_count();
  const index terms_;
  double bytes_ = 0;
  TermShares shares_;
  Workspace workspace_;
};

}  // namespace tessera
