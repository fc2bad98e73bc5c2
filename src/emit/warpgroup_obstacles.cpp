// SPDX-License-Identifier: Apache-2.0
// What keeps a phase in tiles from warpgroups, whatever the tiles.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "emit/group_folds.h"
#include "emit/group_products.h"
#include "emit/plan_requests.h"
#include "emit/tile_lines.h"
#include "emit/tile_memory.h"
#include "emit/warpgroup_plan.h"
#include "sema/ir/affine.h"

namespace tessera::emit {

namespace {

class Obstacles {
 public:
  Obstacles(const GroupQuestion& question, const TilePlan& plan)
      : kernel_(question.kernel),
        sizes_(question.sizes),
        target_(question.target),
        overrides_(question.overrides),
        groups_(question.groups),
        plan_(plan) {}

  std::string run() {
    if (!target_.has(kWarpgroups))
      return fmt::format(
          "{} has no warpgroups that multiply; `@tile(G = {}, when = arch == sm_90)` with "
          "`@warpgroups(G)` asks for them where they are",
          target_.name, groups_.value_or(2));
    if (requested_warps(kernel_, overrides_)) return "`@warps` asks for another way";
    for (const auto& [dot, product] : plan_.products) {
      std::string reason = obstacle(product);
      if (!reason.empty()) return reason;
    }
    if (std::string reason = obstacle_of_all_folds(); !reason.empty()) return reason;
    if (rings_.empty() && plan_.folds.empty()) return "no loop brings tiles of a factor";
    if (turns_inside_of_ring())
      return "a factor or a reduction turns with a loop inside of the one that brings tiles";
    const bool is_one = rings_.size() == 1 && plan_.folds.empty();
    return is_one || loops_around_rings().size() == 1
               ? ""
               : "loops that bring factors or what is folded do not just follow one another";
  }

 private:
  bool depends_on(ir::ValueId value, ir::AxisId axis) const {
    const ir::Op& op = kernel_.values[value].op;
    const auto* coordinate = std::get_if<ir::Coordinate>(&op);
    return (coordinate && coordinate->axis == axis) ||
           std::ranges::any_of(ir::operands_of(op),
                               [&](ir::ValueId operand) { return depends_on(operand, axis); });
  }

  /// Calls visit(value, loops) for what is defined, with the loops around it from the outside in.
  template <typename Visit>
  void for_each_value(const ir::Block& statements, const std::vector<ir::AxisId>& loops,
                      const Visit& visit) const {
    for (const ir::Statement& statement : statements) {
      if (const auto* loop = std::get_if<ir::Loop>(&statement.node)) {
        std::vector<ir::AxisId> deeper = loops;
        deeper.push_back(loop->axis);
        for_each_value(loop->body, deeper, visit);
      }
      if (const auto* define = std::get_if<ir::Define>(&statement.node)) visit(define->value, loops);
    }
  }

  /// Calls visit(product, factor, loops) for the factors of all products that pass rings.
  template <typename Visit>
  void for_each_factor(const Visit& visit) const {
    for_each_value(kernel_.grids.at(0).body, {}, [&](ir::ValueId id, const std::vector<ir::AxisId>& loops) {
      if (const auto product = plan_.products.find(id); product != plan_.products.end())
        for (const TileFactor* factor : factors_of(product->second))
          if (factor->passes_ring()) visit(product->second, *factor, loops);
    });
  }

  std::string obstacle_of_all_folds() {
    std::string reason = obstacle_of_folds(kernel_, plan_);
    for (const auto& [reduce, fold] : plan_.folds)
      for (const TileFactor& part : fold.parts)
        if (reason.empty()) reason = obstacle_of_part(part);
    return reason;
  }

  /// Whether a factor is computed, or other boxes are read, in a loop inside of the one that brings them, once a round.
  bool turns_inside_of_ring() const {
    bool turns = false;
    for_each_factor(
        [&](const TileProduct& product, const TileFactor& factor, const std::vector<ir::AxisId>& loops) {
          const auto own = std::ranges::find(loops, ring_of(kernel_, product, factor).first);
          turns = turns || std::any_of(own, loops.end(), [&](ir::AxisId inner) {
                    return inner != *own &&
                           (!factor.parts.empty() || (factor.load.valid() && depends_on(factor.load, inner)));
                  });
        });
    for_each_value(kernel_.grids.at(0).body, {}, [&](ir::ValueId id, const std::vector<ir::AxisId>& loops) {
      const auto fold = plan_.folds.find(id);
      turns = turns || (fold != plan_.folds.end() && !fold->second.has_own_loop &&
                        (loops.empty() || loops.back() != fold->second.depth));
    });
    return turns;
  }

  /// The loops around each ring. The stages of one row serve all rings that the same loops are around, in turn.
  std::set<std::vector<ir::AxisId>> loops_around_rings() const {
    std::set<std::vector<ir::AxisId>> found;
    for_each_factor([&](const TileProduct& product, const TileFactor& factor, std::vector<ir::AxisId> loops) {
      loops.insert(loops.end(), product.around.begin(), product.around.end());
      std::erase(loops, ring_of(kernel_, product, factor).first);
      found.insert(std::move(loops));
    });
    for_each_value(kernel_.grids.at(0).body, {}, [&](ir::ValueId id, std::vector<ir::AxisId> loops) {
      if (!plan_.folds.contains(id)) return;
      std::erase(loops, plan_.folds.at(id).depth);
      found.insert(std::move(loops));
    });
    return found;
  }

  std::string obstacle(const TileProduct& product) {
    const DType type = tile_type(kernel_, product.rows);
    const bool is_computed = std::ranges::any_of(factors_of(product), [](const TileFactor* factor) {
      return factor->way == TileFactor::Way::computed;
    });
    if (is_computed && (product.is_tf32 || product.is_split || is_by_warps(kernel_, product)))
      return fmt::format("a factor of {} is computed", spelling(kernel_.values[product.rows.value].dtype));
    if (type == DType::f32 && !product.is_tf32 && !product.is_split)
      return fmt::format("warpgroups do not multiply {}", spelling(type));
    if (plan_.is_read_across(product.rows) || plan_.is_read_across(product.columns))
      return fmt::format("a tile of {} is read along both of its axes", spelling(type));
    for (const TileFactor* factor : factors_of(product)) {
      std::string reason = obstacle(*factor);
      if (!reason.empty()) return reason;
    }
    return "";
  }

  static std::array<const TileFactor*, 2> factors_of(const TileProduct& product) {
    return {&product.rows, &product.columns};
  }

  /// Whether an index is a coordinate of the axis and something that is the same for the whole tile.
  bool is_shifted(ir::ValueId index, ir::AxisId axis) const {
    const auto form = ir::affine_form(kernel_, sizes_, index);
    return form && form->coefficient(axis) && sizes_.as_constant(*form->coefficient(axis)) == 1;
  }

  /// Zeros stand in a box wherever the factor has no element along what is summed over, if that is a whole dimension. Along
  /// the sums anything may stand behind the end, where no other product sums over them; what the program reads is inside,
  /// since sums of no terms are 0, and zeros times an infinity are not.
  std::string obstacle(const TileFactor& factor) {
    if (factor.way == TileFactor::Way::computed) return obstacle_of_parts(factor);
    if (factor.way == TileFactor::Way::registers) return "";
    if (factor.way == TileFactor::Way::moved) return "a factor is made of sums whose rows are not its own";
    const auto& load = std::get<ir::Load>(kernel_.values[factor.load].op);
    const ir::Tensor& tensor = kernel_.tensors[load.tensor];
    if (!factor.in_ring && !factor.stays) return fmt::format("no loop brings tiles of `{}`", tensor.name);
    if (factor.in_parts && load.indices.size() > 4)
      return fmt::format("boxes have five dimensions at most, one of them of parts, and `{}` has {}",
                         tensor.name, load.indices.size());
    if (load.indices.size() < 2 || load.indices.size() > 5)
      return fmt::format("boxes have two to five dimensions, and `{}` has {}", tensor.name,
                         load.indices.size());
    for (size_t d = 0; d < load.indices.size(); ++d) {
      const bool is_along = d == factor.width_index || d == factor.depth_index;
      const ir::AxisId axis = d == factor.width_index ? factor.width : factor.depth;
      const bool is_inside = (load.in_bounds >> d & 1u) != 0;
      const bool may_shift = d == factor.width_index && is_inside;
      const bool has_zeros =
          is_along ? is_whole_dimension(kernel_, sizes_, load.indices[d], axis, tensor.dims[d]) : is_inside;
      if (factor.limit.valid() || !(has_zeros || (may_shift && is_shifted(load.indices[d], axis))))
        return fmt::format("`{}` is not read along whole dimensions", tensor.name);
      const bool is_line = factor.lies_as_declared() && !factor.ends_with_depth();  // along the width
      const DType element = tile_type(kernel_, factor);
      if (!has_zeros && is_line && !begins_at_blocks(kernel_, sizes_, factor, d, element))
        return fmt::format("tiles of `{}` do not begin at multiples of 16 bytes of its lines, as boxes do",
                           tensor.name);
    }
    return "";
  }

  bool is_multiplied_too(const TileFactor& source) const {
    return std::ranges::any_of(plan_.factors(), [&](const TileFactor* factor) {
      return factor->way == TileFactor::Way::staged && !factor->is_source && factor->load == source.load;
    });
  }

  std::string obstacle_of_parts(const TileFactor& computed) {
    if (computed.parts.empty())
      return "nothing that a factor is computed from is a part of a tensor that copies bring";
    for (const TileFactor& part : computed.parts) {
      std::string reason = obstacle_of_part(part);
      if (!reason.empty()) return reason;
    }
    return "";
  }

  /// Of a part of a tensor that threads read.
  std::string obstacle_of_part(const TileFactor& part) {
    if (part.is_source && is_multiplied_too(part))
      return "a factor is computed from a part of a tensor that is multiplied as it is, too";
    if (plan_.is_read_across(part)) return "a tile that threads read is read along both of its axes";
    return obstacle(part);
  }

  const ir::Kernel& kernel_;
  ir::SizeTable& sizes_;
  const Target& target_;
  const PlanOverrides& overrides_;
  const std::optional<int> groups_;
  const TilePlan& plan_;
  const std::set<RingKey> rings_ = rings_of(kernel_, plan_);
};

}  // namespace

std::string obstacle_to_groups(const GroupQuestion& question, const TilePlan& plan) {
  return Obstacles(question, plan).run();
}

}  // namespace tessera::emit
