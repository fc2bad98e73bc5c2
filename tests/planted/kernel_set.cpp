// SPDX-License-Identifier: Apache-2.0
// The kernels and sizes; see kernel_set.h.
#include "planted/kernel_set.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace tessera::planted {

namespace {

using reference::Case;
using reference::Sizes;

constexpr const char* kProducts = "tests/corners/products.tsr";
constexpr const char* kContractions = "tests/corners/contractions.tsr";
constexpr const char* kNumbers = "tests/corners/numbers.tsr";
constexpr const char* kRelations = "tests/corners/relations.tsr";
constexpr const char* kLines = "tests/corners/lines.tsr";

/// Small tiles: small problems have several, and several trips over K.
emit::PlanOverrides small_tiles(std::int64_t depth, int stages) {
  return {.tiles = {{"m", 32}, {"n", 32}, {"k", depth}}, .warps = 4, .stages = stages};
}

const Case& case_of(const std::string& name) {
  const std::vector<Case>& cases = reference::cases();
  const auto found = std::ranges::find(cases, name, &Case::name);
  if (found == cases.end()) {
    std::fprintf(stderr, "planted: there is no case %s\n", name.c_str());
    std::abort();
  }
  return *found;
}

}  // namespace

namespace {

const KernelSet& plain_products() {
  // One tile and many, 1 and 0 mod 8, odd K; trips below, at and above the number of stages; no trip.
  static const std::vector<Sizes> kGemm = {{{"M", 17}, {"N", 40}, {"K", 104}},
                                           {{"M", 70}, {"N", 33}, {"K", 200}},
                                           {{"M", 32}, {"N", 64}, {"K", 256}},
                                           {{"M", 1}, {"N", 7}, {"K", 15}},
                                           {{"M", 5}, {"N", 8}, {"K", 0}}};
  static const KernelSet set = {
      .name = "products",
      .has_products = true,
      .sources =
          {
              {"examples/gemm/gemm.tsr", {"gemm"}, small_tiles(32, 3)},
              {"examples/gemm/gemm_types.tsr", {"gemm_f16"}, small_tiles(32, 2), "sm_80"},
              {"examples/gemm/gemm_types.tsr", {"gemm_f64"}, small_tiles(16, 4)},
              {"examples/gemm/gemm_types.tsr", {"gemm_i8"}, small_tiles(64, 3)},
          },
      .trials = {{"gemm", kGemm}, {"gemm_f16", kGemm}, {"gemm_f64", kGemm}, {"gemm_i8", kGemm}},
  };
  return set;
}

const KernelSet& other_products() {
  static const std::vector<Sizes> kOthers = {{{"M", 40}, {"N", 65}, {"K", 72}},
                                             {{"M", 17}, {"N", 9}, {"K", 31}}};
  static const KernelSet set = {
      .name = "tiles",
      .has_products = true,
      .sources =
          {
              {"examples/linear/linear.tsr", {"linear_gelu"}, small_tiles(32, 3)},
              {"examples/chain/chain.tsr", {"product_chain"}},
              {kProducts,
               {"masked_terms", "computed_factors", "shortened_factors", "weighted_rows", "chained"}},
              {kContractions, {"nearest_centre", "folds_beside", "padded_convolution", "folded_twice"}},
          },
      .trials =
          {
              {"linear_gelu", kOthers},
              {"product_chain", {{{"M", 33}, {"N", 17}, {"K", 40}, {"R", 24}}}},
              {"masked_terms", {{{"M", 17}, {"N", 9}, {"K", 72}}}},
              {"computed_factors", kOthers},
              {"shortened_factors", kOthers},
              {"weighted_rows", {{{"S", 33}, {"T", 70}, {"D", 40}, {"E", 24}}}},
              {"chained", {{{"M", 17}, {"N", 24}, {"K", 40}, {"J", 33}}}},
              {"nearest_centre", {{{"N", 33}, {"P", 200}, {"D", 40}}, {{"N", 33}, {"P", 200}, {"D", 2}}}},
              {"folds_beside", kOthers},
              {"folded_twice", {{{"G", 3}, {"K", 40}}}},
              {"padded_convolution", {{{"H", 7}, {"W", 9}, {"C", 17}, {"F", 8}}}},
          },
  };
  return set;
}

/// Plans whose tiles are less than the threads can fill or compute at once, fewer lines than a map of chunks repeats after;
/// and sizes at which a tile lacks one line or one position.
const KernelSet& uneven_tiles() {
  static const std::vector<Sizes> kGemm = {{{"M", 15}, {"N", 40}, {"K", 72}},
                                           {{"M", 32}, {"N", 63}, {"K", 47}}};
  const auto plan = [](std::int64_t m, std::int64_t n, std::int64_t k, int warps) {
    return emit::PlanOverrides{.tiles = {{"m", m}, {"n", n}, {"k", k}}, .warps = warps, .stages = 2};
  };
  static const KernelSet set = {
      .name = "uneven",
      .has_products = true,
      .sources =
          {
              {"examples/gemm/gemm.tsr", {"gemm"}, plan(16, 16, 64, 1)},
              {"examples/gemm/gemm_types.tsr", {"gemm_f16"}, plan(16, 64, 32, 4)},
              {"examples/gemm/gemm_types.tsr", {"gemm_f64"}, plan(32, 32, 16, 4)},
              {kProducts, {"computed_factors"}, plan(32, 32, 16, 4)},
              {kNumbers, {"rounded_factors"}, small_tiles(32, 2)},
              {kNumbers, {"widened_bytes"}, plan(32, 16, 32, 4)},
          },
      .trials =
          {
              {"gemm", kGemm},
              {"gemm_f16", kGemm},
              {"gemm_f64", kGemm},
              {"computed_factors", {{{"M", 40}, {"N", 33}, {"K", 40}}}},
              {"rounded_factors", {{{"M", 17}, {"N", 33}, {"K", 40}}}},
              {"widened_bytes", {{{"M", 17}, {"N", 40}, {"K", 72}}, {{"M", 5}, {"N", 9}, {"K", 31}}}},
          },
  };
  return set;
}

const KernelSet& numbers() {
  // Of whole chunks: where lines begin early, there is one more.
  static const std::vector<Sizes> kLine = {{{"N", 512}}, {{"N", 1001}}};
  static const KernelSet set = {
      .name = "numbers",
      .has_products = false,
      .sources = {{kNumbers,
                   {"narrow", "narrowed", "widened", "whole_and_real", "rounded_steps", "floored",
                    "narrow_extremes"}}},
      .trials =
          {
              {"narrow", {{{"R", 5}, {"C", 39}}, {{"R", 3}, {"C", 1001}}}},
              {"narrowed", kLine},
              {"widened", kLine},
              {"whole_and_real", kLine},
              {"rounded_steps", {{{"R", 9}, {"C", 120}}}},
              {"floored", kLine},
              {"narrow_extremes", {{{"R", 33}, {"C", 2}}, {{"R", 17}, {"C", 9}}}},
          },
  };
  return set;
}

const KernelSet& rows() {
  static const std::vector<Sizes> kRows = {{{"R", 5}, {"C", 40}},    {{"R", 9}, {"C", 1}},
                                           {{"R", 3}, {"C", 1001}},  {{"R", 33}, {"C", 16}},
                                           {{"R", 2}, {"C", 20000}}, {{"R", 3}, {"C", 0}}};
  static const std::vector<Sizes> kFewRows = {{{"R", 5}, {"C", 39}}, {{"R", 3}, {"C", 1001}}};
  static const KernelSet set = {
      .name = "rows",
      .has_products = false,
      .sources =
          {
              {"examples/softmax/softmax.tsr", {"softmax"}},
              {"examples/layernorm/layernorm.tsr", {"layernorm"}},
              {"examples/transpose/transpose.tsr", {"transpose"}},
              {"tests/outsider/logit_summary.tsr", {"logit_summary"}},
              {"tests/outsider/quantize_rows.tsr", {"quantize_rows"}, {}, "sm_80"},
          },
      .trials =
          {
              {"softmax", kRows},
              {"layernorm", {{{"R", 5}, {"C", 40}}, {{"R", 3}, {"C", 1001}}, {{"R", 2}, {"C", 20000}}}},
              {"transpose", {{{"M", 37}, {"N", 70}}, {{"M", 130}, {"N", 64}}, {{"M", 1}, {"N", 5}}}},
              {"logit_summary", {{{"R", 5}, {"V", 40}}, {{"R", 3}, {"V", 2001}}}},
              {"quantize_rows", kFewRows},
          },
  };
  return set;
}

const KernelSet& other_lines() {
  static const std::vector<Sizes> kFewRows = {{{"R", 5}, {"C", 39}}, {{"R", 3}, {"C", 1001}}};
  static const std::vector<Sizes> kSquares = {{{"S", 17}, {"T", 40}}, {{"S", 130}, {"T", 70}}};
  static const KernelSet set = {
      .name = "lines",
      .has_products = false,
      .sources =
          {
              {"examples/laplacian/laplacian.tsr", {"laplacian"}},
              {"examples/geometric_product_2d/geometric_product_2d.tsr", {"geometric_product_2d"}},
              {"tests/outsider/adamw.tsr", {"adamw_bf16"}},
              {"tests/outsider/image_to_tensor.tsr", {"image_to_tensor"}},
              {"tests/corners/tiles.tsr", {"column_state", "both_dimensions"}},
              {kLines, {"byte_windows", "narrow_rows", "first_and_last"}},
              {kRelations, {"causal", "band"}},
          },
      .trials =
          {
              {"laplacian", {{{"X", 5}, {"Y", 7}, {"Z", 34}}, {{"X", 2}, {"Y", 3}, {"Z", 64}}}},
              {"geometric_product_2d", {{{"B", 5}, {"N", 17}}, {{"B", 3}, {"N", 32}}}},
              {"adamw_bf16", {{{"N", 1001}}}},
              {"image_to_tensor", {{{"N", 2}, {"H", 3}, {"W", 17}, {"C", 3}}}},
              {"column_state", {{{"C", 17}, {"R", 70}}}},
              {"both_dimensions", {{{"R", 5}, {"C", 9}, {"D", 33}}}},
              {"byte_windows", {{{"H", 5}, {"W", 67}}, {{"H", 3}, {"W", 32}}}},
              {"narrow_rows", {{{"R", 5}, {"C", 50}}}},
              {"first_and_last", kFewRows},
              {"causal", {{{"R", 2}, {"S", 17}, {"T", 40}}, {{"R", 1}, {"S", 70}, {"T", 70}}}},
              {"band", kSquares},
          },
  };
  return set;
}

/// More tiles than blocks, and more rounds than stages, so that rings go on through both; fewer, so that a team's turn ends
/// within its ring; panels of two boxes, and two blocks of rows for each warpgroup.
const KernelSet& warpgroup_products() {
  const auto plan = [](std::int64_t m, std::int64_t n, int groups, int cluster) {
    return emit::PlanOverrides{
        .tiles = {{"m", m}, {"n", n}, {"k", 64}}, .stages = 2, .warpgroups = groups, .cluster = cluster};
  };
  static const KernelSet set = {
      .name = "warpgroups",
      .has_products = true,
      .sources =
          {
              {"examples/gemm/gemm.tsr", {"gemm"}, plan(128, 128, 2, 2)},
              {"examples/gemm/gemm_types.tsr", {"gemm_f16"}, plan(256, 64, 2, 1)},
              {"tests/corners/warpgroups.tsr",
               {"chunks_later_by_groups", "differences_by_groups", "gated_by_groups", "gram_by_groups",
                "later_by_groups", "panels_by_groups", "parts_by_groups", "promoted_by_groups",
                "reversed_by_groups", "rounded_by_groups", "rows_by_groups", "shared_by_groups",
                "shared_in_clusters", "slopes_by_groups", "teams_by_groups", "turns_by_groups"},
               {.stages = 2}},
              {"tests/corners/warpgroups.tsr", {"split_by_groups", "split_twice_by_groups"}, {.stages = 4}},
              {"tests/corners/computed_factors.tsr",
               {"computed_both", "computed_columns", "computed_rows", "quantized_apart"},
               {.stages = 2}},
              {"tests/corners/doubles.tsr", {"doubles_in_turn", "doubles_negated"}, {.stages = 2}},
              {"tests/corners/line_folds.tsr",
               {"folded_ahead", "folded_before", "folded_beside", "folded_each_round"},
               {.stages = 2}},
          },
      .trials =
          {
              {"gemm", {{{"M", 136}, {"N", 136}, {"K", 200}}, {{"M", 264}, {"N", 264}, {"K", 72}}}},
              {"gemm_f16", {{{"M", 264}, {"N", 40}, {"K", 200}}}},
              {"chunks_later_by_groups", {{{"M", 136}, {"N", 96}, {"K", 72}}}},
              {"computed_both", {{{"M", 72}, {"N", 40}, {"K", 136}, {"L", 72}}}},
              {"computed_columns", {{{"M", 136}, {"N", 72}, {"K", 200}}}},
              {"computed_rows", {{{"M", 136}, {"N", 72}, {"K", 200}}}},
              {"differences_by_groups", {{{"M", 72}, {"N", 88}, {"K", 136}}}},
              {"doubles_in_turn", {{{"B", 2}, {"M", 72}, {"N", 136}, {"K", 40}}}},
              {"doubles_negated", {{{"M", 72}, {"N", 40}, {"K", 72}}}},
              {"folded_ahead", {{{"M", 72}, {"N", 40}, {"K", 200}}}},
              {"folded_before", {{{"B", 1}, {"M", 136}, {"N", 40}, {"K", 72}}}},
              {"folded_beside", {{{"M", 136}, {"N", 72}, {"K", 200}}}},
              {"folded_each_round", {{{"M", 72}, {"N", 40}, {"K", 200}}}},
              {"gated_by_groups", {{{"M", 72}, {"N", 104}, {"K", 136}}}},
              {"gram_by_groups", {{{"M", 70}, {"K", 136}}, {{"M", 8}, {"K", 0}}}},
              {"later_by_groups", {{{"M", 130}, {"N", 69}, {"K", 72}}}},
              {"panels_by_groups", {{{"M", 72}, {"N", 201}, {"K", 72}}}},
              {"parts_by_groups", {{{"B", 2}, {"M", 40}, {"N", 24}, {"J", 3}, {"K", 72}}}},
              {"promoted_by_groups", {{{"M", 8}, {"N", 8}, {"K", 264}}}},
              {"quantized_apart", {{{"M", 72}, {"N", 40}, {"K", 712}}}},
              {"reversed_by_groups", {{{"M", 72}, {"N", 200}, {"K", 72}}}},
              {"rounded_by_groups", {{{"M", 40}, {"N", 8}, {"K", 40}}}},
              {"rows_by_groups", {{{"M", 136}, {"K", 200}}}},
              {"shared_by_groups", {{{"B", 2}, {"M", 72}, {"N", 72}, {"K", 264}}}},
              {"shared_in_clusters", {{{"M", 264}, {"N", 72}, {"K", 264}}}},
              {"slopes_by_groups", {{{"M", 72}, {"N", 328}, {"K", 72}}}},
              {"split_by_groups", {{{"M", 72}, {"N", 40}, {"K", 136}}}},
              {"split_twice_by_groups", {{{"B", 2}, {"M", 136}, {"N", 24}, {"K", 40}}}},
              {"teams_by_groups", {{{"M", 72}, {"N", 2320}, {"K", 72}}, {{"M", 264}, {"N", 584}, {"K", 40}}}},
              {"turns_by_groups", {{{"J", 2}, {"M", 136}, {"N", 72}, {"K", 200}, {"L", 72}}}},
          },
      .without_special = {"computed_columns"},
  };
  return set;
}

/// Rows that are turned, of tiles of one warpgroup and of two, and outputs whose lines are columns.
const KernelSet& turned_tiles() {
  static const KernelSet set = {
      .name = "turned",
      .has_products = true,
      .sources = {{"tests/corners/turned.tsr", {"both_ways", "turned_promoted", "turned_words"}}},
      .trials =
          {
              {"both_ways", {{{"M", 72}, {"N", 72}, {"K", 72}}}},
              {"turned_promoted", {{{"B", 2}, {"M", 24}, {"N", 144}, {"K", 264}}}},
              {"turned_words", {{{"M", 24}, {"N", 144}, {"K", 264}}}},
          },
  };
  return set;
}

/// Rows of products in registers, and tiles that stay for an instance, of blocks with several and in clusters.
const KernelSet& held_rows() {
  static const KernelSet set = {
      .name = "held",
      .has_products = true,
      .sources = {{"tests/corners/held_rows.tsr", {"rows_in_rounds", "rows_seen", "rows_weighted"}}},
      .trials =
          {
              {"rows_in_rounds", {{{"L", 2}, {"M", 136}, {"N", 264}, {"K", 72}, {"R", 40}}}},
              {"rows_seen", {{{"B", 2}, {"S", 392}, {"D", 64}}}},
              {"rows_weighted", {{{"P", 3}, {"H", 6}, {"S", 72}, {"T", 72}, {"D", 40}}}},
          },
      .without_special = {"rows_seen"},
  };
  return set;
}

}  // namespace

std::vector<const KernelSet*> all_sets() {
  return {&numbers(),      &rows(),           &other_lines(),        &plain_products(),
          &uneven_tiles(), &other_products(), &warpgroup_products(), &turned_tiles(),
          &held_rows()};
}

Problems solve(const KernelSet& set) {
  Problems problems;
  std::uint64_t seed = 1;
  for (const Trial& trial : set.trials) {
    for (const Sizes& sizes : trial.sizes) {
      problems.push_back(std::make_unique<reference::Problem>(case_of(trial.name), sizes, ++seed));
      problems.back()->solve();
    }
  }
  return problems;
}

}  // namespace tessera::planted
