// SPDX-License-Identifier: Apache-2.0
// See group_candidates.h.
#include "emit/group_candidates.h"

#include <algorithm>
#include <array>

#include "emit/group_products.h"
#include "emit/held_factors.h"

namespace tessera::emit {

namespace {

using Candidate = GroupCandidate;

constexpr std::array kOfOneGroup = {Candidate{1, 64, 256}, Candidate{1, 64, 128}, Candidate{1, 64, 64}};
constexpr std::array kOfTwoGroups = {Candidate{2, 128, 256}, Candidate{2, 256, 128}, Candidate{2, 128, 192},
                                     Candidate{2, 128, 176}, Candidate{2, 128, 144}, Candidate{2, 128, 128},
                                     Candidate{2, 128, 64}};
constexpr std::array kOfThreeGroups = {Candidate{3, 192, 128}, Candidate{3, 192, 64}};

/// Where nobody asks for a count: two groups share large tiles, or take those in turn that are smaller, if each can hold
/// one; one of them alone keeps a device busy with few rows.
constexpr std::array kOfAnyGroups = {
    Candidate{2, 128, 256},   Candidate{2, 128, 192, 2}, Candidate{2, 128, 192},    Candidate{2, 128, 176, 2},
    Candidate{2, 128, 176},   Candidate{2, 128, 144},    Candidate{2, 128, 128, 2}, Candidate{2, 128, 128},
    Candidate{2, 128, 96, 2}, Candidate{1, 64, 128},     Candidate{1, 64, 64}};

/// The same where columns are computed, of which a tile has few then: each is computed once for all of its rows.
constexpr std::array kOfComputedColumns = {Candidate{2, 256, 128}, Candidate{2, 128, 128},
                                           Candidate{1, 64, 128}, Candidate{1, 64, 64}};

/// The same where rows of a product are sums of another, which each tile along the columns computes again.
constexpr std::array kOfHeldRows = {Candidate{2, 128, 256}, Candidate{2, 128, 192, 1, true},
                                    Candidate{2, 128, 128}, Candidate{1, 64, 64}};

/// The same where a loop goes along columns: sums of one round, beside those of all. Three groups hide more of what each
/// does between its products; for few columns they have the registers.
constexpr std::array kOfLoopsAlongColumns = {Candidate{3, 192, 128}, Candidate{2, 128, 128, 1, true},
                                             Candidate{2, 128, 64, 1, true}, Candidate{1, 64, 64}};

/// The same for turned rows: few, since each is a function more for every factor that may lie across.
constexpr std::array kOfTurnedRows = {Candidate{2, 128, 256},          Candidate{2, 128, 176},
                                      Candidate{2, 128, 144, 1, true}, Candidate{2, 128, 128},
                                      Candidate{1, 64, 128},           Candidate{1, 64, 64, 1, true}};

/// The same of bytes whose parts of sums threads add up: of two groups one multiplies while the other adds. The tile
/// that holds all of few rows has no neighbour to share with.
constexpr std::array kOfPromoted = {Candidate{2, 128, 256},
                                    Candidate{2, 128, 192},
                                    Candidate{2, 128, 176},
                                    Candidate{2, 128, 144},
                                    Candidate{2, 128, 128},
                                    Candidate{2, 128, 96},
                                    Candidate{2, 128, 64, 1, false, true},
                                    Candidate{1, 64, 64}};

/// The same of doubles, which warps multiply by themselves: two on each scheduler, so that one reads while another
/// multiplies; for few results one, whose blocks do not share terms.
constexpr std::array kOfDoubles = {Candidate{2, 128, 128}, Candidate{2, 128, 64}, Candidate{1, 64, 64},
                                   Candidate{1, 64, 32}};

bool computes_columns(const TilePlan& plan) {
  return std::ranges::any_of(
      plan.products, [](const auto& entry) { return entry.second.columns.way == TileFactor::Way::computed; });
}

bool loops_along_columns(const ir::Kernel& kernel, const TilePlan& plan) {
  return std::ranges::any_of(plan.roles, [&](const auto& entry) {
    return entry.second == TileRole::column && kernel.axes[entry.first].kind == ir::AxisKind::loop;
  });
}

/// Whether threads add up what becomes of each tile, of factors of a byte.
bool adds_parts_of_bytes(const ir::Kernel& kernel, const TilePlan& plan) {
  return std::ranges::any_of(plan.products, [&](const auto& entry) {
    return is_promoted(kernel, entry.second) && !entry.second.rows.in_parts;
  });
}

/// Whether a product walks over its terms by itself: what is done between two of them is little beside it.
bool has_walks(const TilePlan& plan) {
  return std::ranges::any_of(plan.products, [](const auto& entry) { return entry.second.has_own_loop; });
}

}  // namespace

std::span<const GroupCandidate> group_candidates(const ir::Kernel& kernel, std::optional<int> groups,
                                                 const TilePlan& plan) {
  if (plan.turned != Turned::none) return kOfTurnedRows;
  if (!groups && has_products_by_warps(kernel, plan)) return kOfDoubles;
  if (groups == 1) return kOfOneGroup;
  if (groups == 2) return kOfTwoGroups;
  if (groups) return kOfThreeGroups;
  if (computes_columns(plan)) return kOfComputedColumns;
  if (loops_along_columns(kernel, plan) && !has_walks(plan)) return kOfLoopsAlongColumns;
  if (has_held_rows(plan)) return kOfHeldRows;
  if (adds_parts_of_bytes(kernel, plan)) return kOfPromoted;
  return kOfAnyGroups;
}

}  // namespace tessera::emit
