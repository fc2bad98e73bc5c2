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
  static constexpr double kJoinClocks = 2000, kJoinBytes = 32;
  static constexpr index kFewestTerms = 256;
  static constexpr index kMostTurns = 0xffffffff;  // see TermShare
  static constexpr int kMostWarps = 16;            // that hold the sums of a tile
  // As measured on an H200: what memory brings in a clock to a block, to one of a last round, which begins while others still
  // multiply, and for each multiprocessor to all of them; the part of products that bringing does not hide, or the other way
  // round; the clocks that begin later where blocks cannot look ahead.
  static constexpr double kBlockBytes = 24, kLastBytes = 40, kMemoryBytes = 18.5;
  static constexpr double kNotHidden = 0.1, kLateClocks = 5000;
  // How much longer a clock is where all multiprocessors multiply, and share power and the second-level cache; what counts of
  // the shorter one, of rounds and of work.
  static constexpr double kBusy = 1.25, kOfShorter = 0.25;
  // What 64 terms take longer of a team that multiplies alone, while another does what follows its products.
  static constexpr double kLoneClocks = 48;
  // As kMemoryBytes: blocks look ahead where products take less time than memory does for the factors at this rate.
  static constexpr double kLookAheadBytes = 15;

 public:
  /// Each sum has so many terms; the factors have so many bytes.
  SharedTerms(LaunchCheck& check, const LaunchOptions& options, index terms,
              std::initializer_list<double> factors, index multiprocessors = multiprocessor_count())
      : check_(check),
        options_(options),
        terms_(terms),
        multiprocessors_(multiprocessors),
        workspace_(options.stream) {
    for (const double bytes : factors) bytes_ += bytes;
  }

  /// The clocks of all tiles of a size.
  index operator()(const TilesOfSize& tiles) const {
    return static_cast<index>(split_of(tiles).clocks + clocks_behind(tiles));
  }

  /// Blocks that take one share after another, in clusters of so many, each of which takes one of so many units of tiles of a
  /// size. The launch that they are for has this object as an argument: for the kernel it is the shares of these units.
  Blocks blocks(index units, const TilesOfSize& size, int cluster = 1) {
    TilesOfSize tiles = size;
    tiles.count = units * cluster;
    const int shares = split_of(tiles).shares;
    if (check_.ok() && shares > 1 && take_workspace(tiles, shares)) shares_.shares = shares;
    const Blocks blocks = persistent_blocks(units * shares_.shares, cluster);
    shares_.look_ahead =
        !blocks.take_many && waits_for_memory(tiles, shares_.shares) && detail::may_begin_early(options_);
    return blocks;
  }

  operator TermShares() const { return shares_; }

 private:
  /// How many blocks share the terms of each tile, and the clocks until all of them are summed.
  struct Split {
    int shares;
    double clocks;
  };

  Split split_of(const TilesOfSize& tiles) const {
    if (tiles.count <= 0) return {1, 0};
    if (tiles.bytes > 0 && tiles.asked > 0)
      return split_into(tiles, tiles.count <= kMostTurns / tiles.asked ? tiles.asked : 1);
    const Split alone = split_into(tiles, 1);
    const index most = most_shares(tiles);
    if (most < 2) return alone;
    // The share of each and what the last one reads of all are least where both take as long.
    const double best = std::sqrt(clocks_of_tile(tiles) * kJoinBytes / static_cast<double>(tiles.bytes));
    const int shares = best < static_cast<double>(most) ? static_cast<int>(best) : static_cast<int>(most);
    if (shares < 2) return alone;
    const Split split = split_into(tiles, shares);
    return split.clocks < alone.clocks ? split : alone;
  }
  /// As many as blocks take in one round; where one round has room for one of each tile, but leaves a third of the blocks
  /// without any, three in two rounds.
  index most_shares(const TilesOfSize& tiles) const {
    if (tiles.bytes == 0) return 1;
    index most = multiprocessors_ / tiles.count;
    if (most == 1) return 3 * tiles.count <= 2 * multiprocessors_ && terms_ >= 3 * kFewestTerms ? 3 : 1;
    if (most > terms_ / kFewestTerms) most = terms_ / kFewestTerms;
    return most < TermShares::kMost ? most : TermShares::kMost;
  }

  /// The rounds in which all blocks take so many shares of each tile.
  index rounds_of(const TilesOfSize& tiles, int shares) const {
    return ceil_divide(tiles.count * shares, multiprocessors_);
  }
  double clocks_of_tile(const TilesOfSize& tiles) const {
    constexpr double kTermsOfClocks = 64;
    return static_cast<double>(tiles.clocks) * static_cast<double>(terms_) / kTermsOfClocks;
  }
  double clocks_of_rounds(const TilesOfSize& tiles, int shares) const {
    return clocks_of_tile(tiles) * static_cast<double>(rounds_of(tiles, shares)) / shares;
  }
  /// That of their rounds or, where all multiprocessors are busy, of the work: whatever is longer, and a part of the other.
  double clocks_of_products(const TilesOfSize& tiles, int shares) const {
    const double of_rounds = clocks_of_rounds(tiles, shares);
    const double of_work = kBusy * clocks_of_tile(tiles) * static_cast<double>(tiles.count) /
                           static_cast<double>(multiprocessors_);
    const double longer = of_rounds < of_work ? of_work : of_rounds;
    const double shorter = of_rounds < of_work ? of_rounds : of_work;
    return longer > 0 ? longer + kOfShorter * shorter * (shorter / longer) * (shorter / longer) : 0;
  }
  /// Until memory has brought the factors once: to all blocks in each round but the last one.
  double clocks_of_memory(const TilesOfSize& tiles, int shares) const {
    const index units = tiles.count * shares, full = rounds_of(tiles, shares) - 1;
    const double of_all = kMemoryBytes * static_cast<double>(multiprocessors_);
    const auto clocks_of_round = [&](index blocks, double of_block) {
      const double together = static_cast<double>(blocks) / of_all;
      return together < 1 / of_block ? 1 / of_block : together;
    };
    const index last = units - full * multiprocessors_;
    const double clocks = full == 0
                              ? clocks_of_round(last, kBlockBytes)
                              : static_cast<double>(full) * clocks_of_round(multiprocessors_, kBlockBytes) +
                                    clocks_of_round(last, kLastBytes);
    return clocks * bytes_ / static_cast<double>(units);
  }
  /// Whether memory, and not what it brings to each block, takes longer than the products; never of sizes whose terms are not
  /// shared, whose functions do not look ahead.
  bool waits_for_memory(const TilesOfSize& tiles, int shares) const {
    const double memory = bytes_ / (kLookAheadBytes * static_cast<double>(multiprocessors_));
    return tiles.bytes > 0 && memory > clocks_of_rounds(tiles, shares);
  }

  /// As long as the products take, or memory; of the shorter one a part is not hidden. Then sums meet.
  Split split_into(const TilesOfSize& tiles, int shares) const {
    const double products = clocks_of_products(tiles, shares), memory = clocks_of_memory(tiles, shares);
    const double begins_late = tiles.bytes > 0 ? 0 : kLateClocks;
    const double summed =
        products < memory ? memory + kNotHidden * products + begins_late : products + kNotHidden * memory;
    return {shares, summed + clocks_to_join(tiles, shares)};
  }
  /// Each round leaves sums; the last one reads those of all. Beside them a second round costs twice kJoinClocks, as measured.
  double clocks_to_join(const TilesOfSize& tiles, int shares) const {
    if (shares == 1) return 0;
    const double more_rounds = static_cast<double>(rounds_of(tiles, shares) - 1);
    const double bytes = static_cast<double>(tiles.bytes) / kJoinBytes;
    return kJoinClocks + shares * bytes + more_rounds * (2 * kJoinClocks + bytes);
  }
  /// What follows the products of each tile in turn, or with teams those of the last: before that, the products beside it are
  /// those of a lone team, and one which has more to do there than another takes for its products is waited for. Of a tile that
  /// is shared, one block does it.
  double clocks_behind(const TilesOfSize& tiles) const {
    const auto rounds = static_cast<double>(rounds_of(tiles, 1)), behind = static_cast<double>(tiles.behind);
    if (tiles.teams == 1 || tiles.clocks <= 0) return rounds * behind;
    const double products = clocks_of_tile(tiles);
    const double waited = behind > products ? (behind - products) / tiles.teams : 0;
    const double alone = (behind < products ? behind : products) / static_cast<double>(tiles.clocks);
    return behind + (rounds - 1) * (waited + kLoneClocks * alone);
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
  const index terms_, multiprocessors_;
  double bytes_ = 0;
  TermShares shares_;
  Workspace workspace_;
};

}  // namespace tessera
