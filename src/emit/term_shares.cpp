// SPDX-License-Identifier: Apache-2.0
// See term_shares.h.
#include "emit/term_shares.h"

#include <algorithm>
#include <set>

#include "emit/tile_live.h"
#include "sema/ir/without_points.h"

namespace tessera::emit {

namespace {

constexpr int64_t kSumBytes = 4;  // of an element

class AxisFinder {
 public:
  AxisFinder(const ir::Kernel& kernel, const std::map<ir::ValueId, int>& uses, ir::SizeTable& sizes,
             const TilePlan& plan)
      : kernel_(kernel), uses_(uses), sizes_(sizes), plan_(plan) {}

  SharedAxis run() const {
    SharedAxis found;
    if (std::ranges::any_of(plan_.products, [&](const auto& entry) {
          return size_in_bytes(kernel_.values[entry.first].dtype) != kSumBytes;
        }))
      return {{}, "blocks share sums of 4 bytes, and these are of another size"};
    for (const ir::Statement& statement : kernel_.grids.at(0).body) {
      const SharedAxis here = axis_of(statement);
      if (!here.axis && here.reason.empty()) {
        if (!found.axis && std::holds_alternative<ir::Write>(statement.node))
          return {{}, "a store stands before the products"};
        if (!found.axis && std::holds_alternative<ir::Loop>(statement.node))
          return {{}, "a loop stands before the products, which each share would run"};
        continue;
      }
      if (found.axis || !here.axis)
        return {{}, found.axis ? "products stand one after another" : here.reason};
      found = here;
    }
    return found.axis ? found : SharedAxis{{}, "no loop over tiles sums its products"};
  }

 private:
  /// No axis and no reason where a statement has no product.
  SharedAxis axis_of(const ir::Statement& statement) const {
    if (const auto* define = std::get_if<ir::Define>(&statement.node)) {
      if (plan_.way == TileWay::warpgroups && plan_.folds.contains(define->value))
        return {{}, "a reduction stands beside the products"};
      const auto product = plan_.products.find(define->value);
      if (product == plan_.products.end()) return {};
      if (!product->second.has_own_loop || !product->second.around.empty())
        return {{}, "a product sums along several axes"};
      return {product->second.depth};
    }
    const auto* loop = std::get_if<ir::Loop>(&statement.node);
    if (!loop || !has_product(loop->body)) return {};
    if (plan_.role(loop->axis) != TileRole::depth) return {{}, "the loop does not sum its products"};
    if (!ir::ends_of_loop(kernel_, sizes_, *loop).empty())
      return {{}, "instances have different numbers of terms"};
    if (!only_sums(loop->body)) return {{}, "the loop does more than sum its products"};
    return {loop->axis};
  }

  bool has_product(const ir::Block& statements) const {
    return std::ranges::any_of(statements, [&](const ir::Statement& statement) {
      if (const auto* loop = std::get_if<ir::Loop>(&statement.node)) return has_product(loop->body);
      const auto* define = std::get_if<ir::Define>(&statement.node);
      return define && plan_.products.contains(define->value);
    });
  }

  /// Whether all that happens to what lies in registers is `sums += product`.
  bool only_sums(const ir::Block& statements) const {
    std::set<ir::ValueId> assigned;
    for (const ir::Statement& statement : statements) {
      const auto* assign = std::get_if<ir::Assign>(&statement.node);
      if (!assign) continue;
      if (!adds_product(*assign)) return false;
      assigned.insert(assign->value);
    }
    return std::ranges::all_of(statements, [&](const ir::Statement& statement) {
      const auto* define = std::get_if<ir::Define>(&statement.node);
      if (!define) return std::holds_alternative<ir::Assign>(statement.node);
      const auto product = plan_.products.find(define->value);
      if (product != plan_.products.end()) return !product->second.has_own_loop;
      return !plan_.anchored.contains(define->value) || assigned.contains(define->value) ||
             std::holds_alternative<ir::ReadVariable>(kernel_.values[define->value].op);
    });
  }

  /// `v += dot(a, b)`, `v -= dot(a, b)`
  bool adds_product(const ir::Assign& assign) const {
    const auto product = product_summand(kernel_, uses_, assign);
    const auto* sum = std::get_if<ir::Binary>(&kernel_.values[assign.value].op);
    if (!product || !sum || !assign.picks.empty()) return false;
    const ir::ValueId rest = sum->left == *product ? sum->right : sum->left;
    const auto* read = std::get_if<ir::ReadVariable>(&kernel_.values[rest].op);
    return read && read->variable == assign.variable;
  }

  const ir::Kernel& kernel_;
  const std::map<ir::ValueId, int>& uses_;
  ir::SizeTable& sizes_;
  const TilePlan& plan_;
};

}  // namespace

SharedAxis shared_axis(const ir::Kernel& kernel, const std::map<ir::ValueId, int>& uses, ir::SizeTable& sizes,
                       const TilePlan& plan) {
  return AxisFinder(kernel, uses, sizes, plan).run();
}

AxisSet axes_of_terms(const ir::Kernel& kernel, const PhaseAnalysis& analysis, const TilePlan& plan,
                      const TileFactor& tile) {
  const auto is_it = [&](const TileFactor& other) { return other.shares_tile(tile); };
  const auto reads = [&](const TileFactor& factor) {
    return is_it(factor) || std::ranges::any_of(factor.parts, is_it);
  };
  AxisSet axes(kernel.grids.at(0).axes.begin(), kernel.grids.at(0).axes.end());
  const auto add_loops = [&](ir::ValueId value) {
    const AxisSet& loops = analysis.dependence.at(value).loops;
    axes.insert(loops.begin(), loops.end());
  };
  for (const auto& [dot, product] : plan.products) {
    if (!reads(product.rows) && !reads(product.columns)) continue;
    add_loops(dot);
    axes.insert(product.around.begin(), product.around.end());
    axes.insert({product.rows.width, product.columns.width, product.depth});
    return axes;
  }
  for (const auto& [reduce, fold] : plan.folds) {
    if (std::ranges::none_of(fold.parts, is_it)) continue;
    add_loops(reduce);
    axes.insert({fold.width, fold.depth});
  }
  return axes;
}

int64_t bytes_of_sums(const TilePlan& plan, const TileShape& shape) {
  int64_t bytes = 0;
  for (const auto& [dot, product] : plan.products)
    bytes += kSumBytes * shape.extent.at(product.rows.width) * shape.extent.at(product.columns.width);
  return bytes;
}

bool may_share_terms(const TilePlan& plan, const TileShape& shape) {
  constexpr int64_t kMostBytes = 256;  // of sums, for each thread that multiplies
  const bool has_other = std::ranges::any_of(plan.shapes, [&](const TileShape& other) {
    return other.teams < shape.teams && other.extent == shape.extent && other.choice == shape.choice &&
           other.symbols == shape.symbols;
  });
  return !has_other &&
         bytes_of_sums(plan, shape) <= kMostBytes * int64_t{shape.threads()} * int64_t{shape.teams};
}

}  // namespace tessera::emit
