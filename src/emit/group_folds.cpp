// SPDX-License-Identifier: Apache-2.0
// See group_folds.h.
#include "emit/group_folds.h"

#include <algorithm>
#include <array>
#include <set>

#include "emit/group_products.h"
#include "emit/reductions.h"
#include "emit/shared_vectors.h"

namespace tessera::emit {

namespace {

/// Calls visit(factor) for all factors that a plan may change.
template <typename Visit>
void for_each_factor(TilePlan& plan, const Visit& visit) {
  for (auto& [dot, product] : plan.products)
    for (TileFactor* factor : {&product.rows, &product.columns}) visit(*factor);
  for (auto& [reduce, fold] : plan.folds)
    for (TileFactor& part : fold.parts) visit(part);
}

bool is_computed_from(const TilePlan& plan, const TileFactor& part) {
  return std::ranges::any_of(plan.products, [&](const auto& entry) {
    return std::ranges::any_of(std::array{&entry.second.rows, &entry.second.columns},
                               [&](const TileFactor* factor) {
                                 return std::ranges::any_of(factor->parts, [&](const TileFactor& other) {
                                   return other.load == part.load && other.width == part.width;
                                 });
                               });
  });
}

ir::ValueId folded(const ir::Kernel& kernel, const TileFold& fold) {
  return std::get<ir::Reduce>(kernel.values[fold.reduce].op).operand;
}

/// Whether copies leave what a product multiplies as it is, until the next round.
bool keeps_tiles(const ir::Kernel& kernel, const TileProduct& product) {
  return !product.is_tf32 && !product.is_split && !is_by_warps(kernel, product);
}

std::string obstacle(const ir::Kernel& kernel, const TilePlan& plan, const TileFold& fold) {
  if (std::set<ir::ValueId> vectors;
      !collect_vectors(kernel, plan, folded(kernel, fold), fold.width, vectors))
    return "what is folded beside a product is computed from sums, a variable, or what may be absent";
  if (fold.parts.empty()) return "nothing that is folded is a part of a tensor that copies bring";
  const auto sources = std::ranges::count_if(fold.parts, &TileFactor::is_source);
  if (sources == 0) return "";
  if (sources != std::ssize(fold.parts))
    return "what is folded is computed from parts of tensors of which factors are computed, and of others";
  return fold.has_own_loop || fold.meets_behind_loop
             ? ""
             : "each round needs a reduction of what factors are computed from a round ahead";
}

/// Whether all values of a set are defined outside of loops: factors are computed from them a round ahead.
bool stay_the_same(const ir::Kernel& kernel, std::set<ir::ValueId> values) {
  for (const ir::Statement& statement : kernel.grids.at(0).body)
    if (const auto* define = std::get_if<ir::Define>(&statement.node)) values.erase(define->value);
  return values.empty();
}

/// Registers of a slot of a fold's result.
int64_t words_of(const ir::Kernel& kernel, const TileFold& fold) {
  constexpr int64_t kOfPosition = 2;
  constexpr uint32_t kRegisterBytes = 4;
  if (is_argument(std::get<ir::Reduce>(kernel.values[fold.reduce].op).op)) return kOfPosition;
  return std::max(size_in_bytes(kernel.values[fold.reduce].dtype) / kRegisterBytes, 1u);
}

}  // namespace

int64_t registers_of_folds(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape) {
  int64_t sum = 0;
  for (const auto& [reduce, fold] : plan.folds) {
    if (fold.meets_behind_loop) continue;  // variables have these
    const bool is_row = plan.role(fold.width) == TileRole::row;
    const int64_t shares = is_row ? shape.row_shares() : shape.column_shares();
    sum += shape.extent.at(fold.width) * shares / shape.threads() * words_of(kernel, fold);
  }
  return sum;
}

void fold_beside_products(const ir::Kernel& kernel, TilePlan& plan) {
  for (auto& [reduce, fold] : plan.folds) {
    std::set<ir::ValueId> vectors;
    if (collect_vectors(kernel, plan, folded(kernel, fold), fold.width, vectors))
      plan.shared_vectors.merge(vectors);
    for (TileFactor& part : fold.parts) part.is_source = is_computed_from(plan, part);
  }
  std::vector<TileFactor> read;
  for (const auto& [reduce, fold] : plan.folds) read.insert(read.end(), fold.parts.begin(), fold.parts.end());
  for_each_factor(plan, [&](TileFactor& factor) {
    factor.is_folded =
        factor.way == TileFactor::Way::staged && !factor.is_source &&
        has_either_order(tile_type(kernel, factor)) &&
        std::ranges::any_of(read, [&](const TileFactor& part) { return part.shares_tile(factor); });
  });
}

std::string obstacle_of_folds(const ir::Kernel& kernel, const TilePlan& plan) {
  if (!stay_the_same(kernel, plan.shared_vectors))
    return "a factor or a fold is computed from a variable, or from rows or columns of a loop";
  const bool keep = std::ranges::all_of(plan.products,
                                        [&](const auto& entry) { return keeps_tiles(kernel, entry.second); });
  if (!plan.folds.empty() && !keep)
    return "a reduction beside the product reads what copies round or products give back at once";
  for (const auto& [reduce, fold] : plan.folds) {
    std::string reason = obstacle(kernel, plan, fold);
    if (!reason.empty()) return reason;
  }
  return "";
}

}  // namespace tessera::emit
