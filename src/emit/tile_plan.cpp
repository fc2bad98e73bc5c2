// SPDX-License-Identifier: Apache-2.0
// Which axes lie along rows and columns, and how each factor of a product gets to where it is multiplied.
#include "emit/tile_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "emit/loop_folds.h"
#include "emit/naming.h"
#include "emit/plan_extents.h"
#include "emit/plan_requests.h"
#include "emit/shared_vectors.h"
#include "emit/tile_lines.h"
#include "sema/ir/extents.h"
#include "sema/ir/operands.h"

namespace tessera::emit {

namespace {

constexpr int64_t kSmallExtent = 32;  // of an axis that each thread loops over

class TilePlanner {
 public:
  TilePlanner(const ir::Kernel& kernel, const PhaseAnalysis& analysis, ir::SizeTable& sizes,
              const PlanOverrides& overrides)
      : kernel_(kernel), analysis_(analysis), sizes_(sizes), overrides_(overrides) {}

  TileDecision run() {
    for (const auto& [id, dependence] : analysis_.dependence)
      if (std::holds_alternative<ir::Dot>(kernel_.values[id].op) && !add_product(id)) return fail();
    if (!find_anchored() || !choose_factors() || !add_folds() || !check_axes() || !check_values() ||
        !check_statements())
      return fail();
    return {std::move(plan_), ""};
  }

 private:
  TileDecision fail() { return {std::nullopt, reason_, product_, has_instruction_}; }
  bool refuse(std::string reason) {
    reason_ = std::move(reason);
    return false;
  }
  const std::string& name(ir::AxisId axis) const { return kernel_.axes[axis].name; }

  bool is_free_of_requests(ir::AxisId axis) const { return fixed_tile(kernel_, overrides_, axis) <= 1; }

  /// An axis of the grid that instances may have one coordinate of.
  bool can_be_unit(ir::AxisId axis) const {
    return kernel_.axes[axis].kind == ir::AxisKind::grid && !plan_.role(axis) && is_free_of_requests(axis);
  }

  /// The axis that one factor has and the other lacks: of several the one that is in registers already, or the last.
  std::optional<ir::AxisId> own_axis(const ir::Value& factor, const ir::Value& other) {
    std::vector<ir::AxisId> own;
    std::ranges::set_difference(factor.axes, other.axes, std::back_inserter(own));
    std::erase_if(own, [&](ir::AxisId axis) { return plan_.units.contains(axis); });
    if (own.empty()) return std::nullopt;
    const auto held = std::ranges::find_if(own, [&](ir::AxisId axis) { return plan_.is_in_registers(axis); });
    const auto asked = std::ranges::find_if(own, [&](ir::AxisId axis) { return !is_free_of_requests(axis); });
    const ir::AxisId chosen = held != own.end() ? *held : asked != own.end() ? *asked : own.back();
    return make_units(own, chosen) ? std::optional(chosen) : std::nullopt;
  }
  bool make_units(const std::vector<ir::AxisId>& axes, ir::AxisId except) {
    for (ir::AxisId axis : axes) {
      if (axis == except) continue;
      if (!can_be_unit(axis)) return false;
      plan_.units.insert(axis);
    }
    return true;
  }

  /// The depth is what lies in shared memory: of several axes the last one, and the product loops over the others.
  bool choose_depth(const ir::Dot& dot, TileProduct& product) {
    product.depth = dot.axes.back();
    const ir::Axis& depth = kernel_.axes[product.depth];
    product.has_own_loop =
        depth.kind == ir::AxisKind::let && !ir::greatest_extent(kernel_, sizes_, product.depth);
    if (dot.axes.size() == 1) return true;
    product.has_own_loop = true;
    product.around.assign(dot.axes.begin(), dot.axes.end() - 1);
    for (ir::AxisId axis : dot.axes) {
      if (kernel_.axes[axis].kind != ir::AxisKind::let)
        return refuse(fmt::format("a product sums over several axes, and `{}` is one of a loop", name(axis)));
      if (const auto role = plan_.role(axis); role && (axis != product.depth || *role != TileRole::depth))
        return refuse(
            fmt::format("a product sums over several axes, and another one wants `{}`", name(axis)));
    }
    plan_.looped.insert(product.around.begin(), product.around.end());
    return true;
  }

  /// Axes of both factors that are not summed over.
  bool share_units(const ir::Dot& dot) {
    std::vector<ir::AxisId> shared;
    std::ranges::set_intersection(kernel_.values[dot.left].axes, kernel_.values[dot.right].axes,
                                  std::back_inserter(shared));
    std::erase_if(shared, [&](ir::AxisId axis) { return std::ranges::count(dot.axes, axis) != 0; });
    return make_units(shared, ir::AxisId{});
  }

  bool add_product(ir::ValueId id) {
    product_ = id;
    const auto& dot = std::get<ir::Dot>(kernel_.values[id].op);
    const ir::Value &left = kernel_.values[dot.left], &right = kernel_.values[dot.right];
    if (!share_units(dot)) return refuse("the factors of a product share more than the axis that is summed");
    const auto a = own_axis(left, right), b = own_axis(right, left);
    if (!a || !b) return refuse("a product has not one axis of each factor");
    has_instruction_ = has_instruction(left.dtype);
    if (!has_instruction_) return refuse(fmt::format("no instruction multiplies `{}`", spelling(left.dtype)));
    const auto known_a = plan_.role(*a), known_b = plan_.role(*b);
    const bool swapped = known_a == TileRole::column || known_b == TileRole::row ||
                         (!known_a && !known_b && is_stored_along(kernel_, analysis_, overrides_, *a, *b));
    if ((known_a && known_a == known_b) || (swapped && known_a == TileRole::row))
      return refuse("two products want an axis along rows and along columns");
    TileProduct product{.dot = id, .depth = {}, .around = {}, .rows = {}, .columns = {}};
    if (!choose_depth(dot, product)) return false;
    plan_.roles[swapped ? *b : *a] = TileRole::row;
    plan_.roles[swapped ? *a : *b] = TileRole::column;
    product.rows = {.value = swapped ? dot.right : dot.left,
                    .load = {},
                    .width = swapped ? *b : *a,
                    .depth = product.depth};
    product.columns = {.value = swapped ? dot.left : dot.right,
                       .load = {},
                       .width = swapped ? *a : *b,
                       .depth = product.depth};
    product.is_tf32 =
        is_made_by(ir::UnaryOp::round_tf32, dot.left) && is_made_by(ir::UnaryOp::round_tf32, dot.right);
    product.is_split = is_made_by(ir::UnaryOp::split, dot.left) && is_made_by(ir::UnaryOp::split, dot.right);
    plan_.products.emplace(id, product);
    return true;
  }

  bool is_made_by(ir::UnaryOp op, ir::ValueId value) const {
    const auto* unary = std::get_if<ir::Unary>(&kernel_.values[value].op);
    return unary && unary->op == op;
  }

  static bool has_instruction(DType type) {
    return type == DType::f16 || type == DType::bf16 || type == DType::f32 || type == DType::f64 ||
           type == DType::i8 || type == DType::u8;
  }

  bool is_reduced_in_registers(const ir::Op& op) const {
    const auto* reduce = std::get_if<ir::Reduce>(&op);
    return reduce &&
           std::ranges::any_of(reduce->axes, [&](ir::AxisId axis) { return plan_.role(axis).has_value(); });
  }

  bool find_anchored() {
    for (const auto& [id, product] : plan_.products) {
      if (!plan_.role(product.depth)) plan_.roles[product.depth] = TileRole::depth;
    }
    for (const auto& [id, dependence] : analysis_.dependence) {  // ids ascend from operands to results
      const ir::Op& op = kernel_.values[id].op;
      const auto operands = ir::operands_of(op);
      if (std::holds_alternative<ir::Dot>(op) || std::holds_alternative<ir::ReadVariable>(op) ||
          is_reduced_in_registers(op) ||
          std::ranges::any_of(operands, [&](ir::ValueId o) { return plan_.anchored.contains(o); }))
        plan_.anchored.insert(id);
    }
    return true;
  }

  bool choose_factors() {
    for (auto& [id, product] : plan_.products) {
      product_ = id;
      if (!choose_factor(product, product.rows) || !choose_factor(product, product.columns)) return false;
      limit(product.rows, product.columns);
      limit(product.columns, product.rows);
    }
    product_ = {};
    return true;
  }

  /// A term exists where both factors do: a factor ends where the other one does.
  void limit(TileFactor& factor, const TileFactor& other) {
    if (factor.way != TileFactor::Way::staged || !may_end_along_depth(kernel_, sizes_, other)) return;
    factor.limit = other.load;
    factor.limit_index = other.depth_index;
  }

  bool choose_factor(const TileProduct& product, TileFactor& factor) {
    ir::ValueId below = factor.value;
    if (product.is_tf32 || product.is_split) below = std::get<ir::Unary>(kernel_.values[below].op).operand;
    if (is_plain_part(below, factor)) {
      stage(product.has_own_loop, factor, below);
      return true;
    }
    if (std::set<ir::ValueId> vectors; collect_vectors(kernel_, plan_, factor.value, factor.width, vectors)) {
      factor.way = TileFactor::Way::computed;
      plan_.shared_vectors.merge(vectors);
      collect_parts(product.has_own_loop, factor.value, factor, factor.parts);
      return product.is_tf32 ? refuse("a computed factor is rounded to tf32") : true;
    }
    if (!plan_.is_in_registers(factor.depth))
      return refuse(fmt::format("a factor computed from sums has the axis `{}`, which lies in shared memory",
                                name(factor.depth)));
    const auto* cast = std::get_if<ir::Cast>(&kernel_.values[without_filters(kernel_, factor.value)].op);
    const DType type = kernel_.values[factor.value].dtype;
    const bool converts = cast && kernel_.values[cast->operand].dtype == DType::f32 &&
                          (type == DType::bf16 || type == DType::f16);
    const bool in_order = &factor == &product.rows && plan_.role(factor.depth) == TileRole::column;
    factor.way = converts && in_order ? TileFactor::Way::registers : TileFactor::Way::moved;
    return true;
  }

  void stage(bool has_own_loop, TileFactor& factor, ir::ValueId load) {
    factor.way = TileFactor::Way::staged;
    factor.load = load;
    const auto& loops = analysis_.dependence.at(load).loops;
    factor.in_ring = has_own_loop || std::ranges::any_of(loops, [&](ir::AxisId axis) {
                       return kernel_.axes[axis].is_tile();
                     });
  }

  /// The loads below a computed factor, or what is folded, that can be staged: not those along axes that are folded
  /// below it.
  void collect_parts(bool has_own_loop, ir::ValueId value, const TileFactor& whole,
                     std::vector<TileFactor>& parts, AxisSet folded = {}) {
    if (plan_.shared_vectors.contains(value)) return;
    TileFactor part{.value = value, .load = {}, .width = whole.width, .depth = whole.depth};
    const AxisSet& axes = analysis_.dependence.at(value).axes;
    const bool is_inside_fold =
        std::ranges::any_of(axes, [&](ir::AxisId axis) { return folded.contains(axis); });
    if (kernel_.values[value].total && !is_inside_fold && is_plain_part(value, part)) {
      const bool is_known =
          std::ranges::any_of(parts, [&](const TileFactor& other) { return other.value == value; });
      stage(has_own_loop, part, value);
      if (!is_known) parts.push_back(std::move(part));
      return;
    }
    if (const auto* reduce = std::get_if<ir::Reduce>(&kernel_.values[value].op))
      folded.insert(reduce->axes.begin(), reduce->axes.end());
    for (ir::ValueId operand : ir::operands_of(kernel_.values[value].op))
      collect_parts(has_own_loop, operand, whole, parts, folded);
  }

  /// A load with one index along each axis of the factor, both affine with a constant or a size in front.
  bool is_plain_part(ir::ValueId id, TileFactor& factor) {
    const auto* load = std::get_if<ir::Load>(&kernel_.values[id].op);
    if (!load || kernel_.tensors[load->tensor].periodic) return false;
    int along_width = 0, along_depth = 0;
    for (size_t d = 0; d < load->indices.size(); ++d) {
      const AxisSet& axes = analysis_.dependence.at(load->indices[d]).axes;
      const bool has_width = axes.contains(factor.width), has_depth = axes.contains(factor.depth);
      if (!has_width && !has_depth) {
        if (plan_.anchored.contains(load->indices[d]) || !kernel_.values[load->indices[d]].total)
          return false;
        continue;
      }
      const auto form = ir::affine_form(kernel_, sizes_, load->indices[d]);
      if (!form || (has_width && has_depth)) return false;
      const auto factor_of = form->coefficient(has_width ? factor.width : factor.depth);
      const auto step = factor_of ? sizes_.as_constant(*factor_of) : std::nullopt;
      if (!step || *step < 1) return false;
      (has_width ? factor.width_index : factor.depth_index) = d;
      ++(has_width ? along_width : along_depth);
    }
    return along_width == 1 && along_depth == 1;
  }

  // ---- folds along the depth ----

  bool is_of_no_product(ir::AxisId axis) const {
    return kernel_.axes[axis].kind == ir::AxisKind::let && !plan_.role(axis) && !plan_.looped.contains(axis);
  }

  bool add_folds() {
    for (const auto& [id, dependence] : analysis_.dependence) {
      const auto* reduce = std::get_if<ir::Reduce>(&kernel_.values[id].op);
      const auto is_depth = [&](ir::AxisId axis) { return plan_.role(axis) == TileRole::depth; };
      if (!reduce || first_coordinate(kernel_, id)) continue;
      if (std::ranges::any_of(reduce->axes, is_depth) && !add_fold(id, *reduce)) return false;
    }
    return true;
  }

  bool add_fold(ir::ValueId id, const ir::Reduce& reduce) {
    TileFold fold{.reduce = id, .depth = reduce.axes[0], .width = {}, .parts = {}};
    const auto refuse_fold = [&](const char* why) {
      return refuse(fmt::format("`{}` lies in shared memory only, and {}", name(fold.depth), why));
    };
    if (reduce.axes.size() != 1) return refuse_fold("is folded with other axes at once");
    for (ir::AxisId axis : kernel_.values[reduce.operand].axes) {
      if (is_of_no_product(axis))
        return refuse_fold("is folded for each coordinate of a dimension that no product has");
      if (!plan_.is_in_registers(axis)) continue;
      if (fold.width.valid()) return refuse_fold("what is folded along it has rows and columns");
      fold.width = axis;
    }
    if (!fold.width.valid()) return refuse_fold("what is folded along it has neither rows nor columns");
    if (plan_.looped.contains(fold.depth)) return refuse_fold("a product loops over it");
    fold.has_own_loop = std::ranges::any_of(plan_.products, [&](const auto& entry) {
      return entry.second.depth == fold.depth && entry.second.has_own_loop;
    });
    const TileFactor whole{.value = {}, .load = {}, .width = fold.width, .depth = fold.depth};
    collect_parts(fold.has_own_loop, reduce.operand, whole, fold.parts);
    for (TileFactor& part : fold.parts) share_load(fold, part);
    plan_.folds.emplace(id, std::move(fold));
    return true;
  }

  /// What a product stages is not staged once more, if it was loaded again at another place of the program.
  void share_load(const TileFold& fold, TileFactor& part) {
    if (!fold.has_own_loop) return;
    for (const auto& [id, product] : plan_.products) {
      for (const TileFactor* factor : {&product.rows, &product.columns}) {
        if (factor->way == TileFactor::Way::staged && is_same_load(factor->load, part.load))
          part.load = factor->load;
        for (const TileFactor& other : factor->parts)
          if (is_same_load(other.load, part.load)) part.load = other.load;
      }
    }
  }
  bool is_same_load(ir::ValueId a, ir::ValueId b) const {
    const auto &left = std::get<ir::Load>(kernel_.values[a].op),
               &right = std::get<ir::Load>(kernel_.values[b].op);
    if (left.tensor != right.tensor || left.in_bounds != right.in_bounds) return false;
    for (size_t d = 0; d < left.indices.size(); ++d) {
      const auto at = ir::affine_form(kernel_, sizes_, left.indices[d]);
      if (!at || at != ir::affine_form(kernel_, sizes_, right.indices[d])) return false;
    }
    return true;
  }

  // ---- what the rest of the phase must be like ----

  bool check_axes() {
    for (const auto& [id, product] : plan_.products) {
      for (ir::AxisId axis : {product.rows.width, product.columns.width})
        if (kernel_.axes[axis].kind == ir::AxisKind::let && !ir::greatest_extent(kernel_, sizes_, axis))
          return refuse(fmt::format("the extent of `{}` has no bound", name(axis)));
    }
    for (ir::AxisId axis : analysis_.loops)
      if (kernel_.axes[axis].is_tile() && !plan_.role(axis))
        return refuse(fmt::format("`{}` is a loop over tiles without a product", name(axis)));
    return true;
  }

  /// Axes of a value that are neither in registers nor looped over inside a thread.
  bool check_value_axes(ir::ValueId id) {
    int rows = 0, columns = 0;
    std::optional<ir::AxisId> walked;
    for (ir::AxisId axis : kernel_.values[id].axes) {
      const auto role = plan_.role(axis);
      if (role) {
        rows += *role == TileRole::row;
        columns += *role == TileRole::column;
        continue;
      }
      const bool is_unit = kernel_.axes[axis].kind == ir::AxisKind::grid || plan_.looped.contains(axis);
      const auto extent = ir::constant_extent(kernel_, sizes_, axis);
      if (!is_unit && (!extent || *extent > kSmallExtent)) walked = axis;
    }
    if (walked && rows + columns > 1)
      return refuse(fmt::format("`{}` is an axis of no product", name(*walked)));
    if (walked && is_of_factor(id))
      return refuse(
          fmt::format("a factor is computed from what has `{}`, an axis of no product", name(*walked)));
    plan_.walks_alone = plan_.walks_alone || walked;
    // What is not in registers is computed where both axes have coordinates.
    return (rows <= 1 && columns <= 1) || !plan_.anchored.contains(id) ||
           refuse("a value has two axes along rows, or along columns");
  }

  /// Threads that compute a factor would walk for each of its elements.
  bool is_of_factor(ir::ValueId id) const {
    return std::ranges::any_of(plan_.products, [&](const auto& entry) {
      bool is_below = false;
      ir::for_each_below(kernel_, {entry.second.rows.value, entry.second.columns.value},
                         [&](ir::ValueId value) {
                           is_below = is_below || value == id;
                           return !is_below;
                         });
      return is_below;
    });
  }

  bool check_values() {
    for (const auto& [id, dependence] : analysis_.dependence) {
      const ir::Value& value = kernel_.values[id];
      if (!check_value_axes(id)) return false;
      if (std::holds_alternative<ir::Pick>(value.op)) return refuse("a value is picked from a tile");
      const auto* reduce = std::get_if<ir::Reduce>(&value.op);
      if (reduce && !check_reduction(*reduce)) return false;
    }
    return true;
  }

  bool check_reduction(const ir::Reduce& reduce) {
    int in_registers = 0;
    for (ir::AxisId axis : reduce.axes) {
      const auto role = plan_.role(axis);
      if (role == TileRole::depth) return true;
      in_registers += role.has_value();
    }
    if (in_registers == 0) return true;
    int rows = 0, columns = 0;
    for (ir::AxisId axis : kernel_.values[reduce.operand].axes) {
      rows += plan_.role(axis) == TileRole::row;
      columns += plan_.role(axis) == TileRole::column;
      if (is_of_no_product(axis))
        return refuse(fmt::format("a tile is folded for each coordinate of `{}`", name(axis)));
    }
    if (rows > 1 || columns > 1) return refuse("a tile is folded that is none of rows and columns");
    if (reduce.axes.size() != 1) return refuse("a tile is folded along several axes at once");
    return true;
  }

  bool check_statements() {
    for (const ir::Variable& variable : kernel_.variables)
      for (ir::AxisId axis : variable.axes)
        if (!plan_.is_in_registers(axis) && kernel_.axes[axis].kind != ir::AxisKind::grid)
          return refuse(
              fmt::format("`{}` keeps the axis `{}`, which is not in registers", variable.name, name(axis)));
    for (const ir::Statement* root : analysis_.roots) {
      const auto* assign = std::get_if<ir::Assign>(&root->node);
      if (assign && !assign->picks.empty()) return refuse("a coordinate of a variable is assigned");
      const auto* write = std::get_if<ir::Write>(&root->node);
      if (write && !check_write(*write)) return false;
    }
    return true;
  }

  bool check_write(const ir::Write& write) {
    std::vector<ir::ValueId> values = write.indices;
    values.push_back(write.value);
    AxisSet axes;
    for (ir::ValueId value : values)
      for (ir::AxisId axis : kernel_.values[value].axes)
        if (plan_.role(axis)) axes.insert(axis);
    int rows = 0;
    for (ir::AxisId axis : axes) {
      if (!plan_.is_in_registers(axis)) return refuse(fmt::format("a store goes along `{}`", name(axis)));
      rows += plan_.role(axis) == TileRole::row;
    }
    const int columns = static_cast<int>(axes.size()) - rows;
    return (rows <= 1 && columns <= 1) || refuse("a store has two axes along rows, or along columns");
  }

  const ir::Kernel& kernel_;
  const PhaseAnalysis& analysis_;
  ir::SizeTable& sizes_;
  const PlanOverrides& overrides_;
  TilePlan plan_;
  std::string reason_;
  ir::ValueId product_;  // that is looked at
  bool has_instruction_ = true;
};

}  // namespace

std::vector<const TileFactor*> TilePlan::factors() const {
  std::vector<const TileFactor*> all;
  const auto add_parts = [&](const std::vector<TileFactor>& parts) {
    for (const TileFactor& part : parts) all.push_back(&part);
  };
  for (const auto& [id, product] : products) {
    for (const TileFactor* factor : {&product.rows, &product.columns}) {
      add_parts(factor->parts);
      all.push_back(factor);
    }
  }
  for (const auto& [id, fold] : folds) add_parts(fold.parts);
  return all;
}

std::vector<const TileFactor*> TilePlan::factors_with_own_tiles() const {
  std::vector<const TileFactor*> own;
  for (const TileFactor* factor : factors()) {
    const bool is_shared =
        std::ranges::any_of(own, [&](const TileFactor* other) { return other->shares_tile(*factor); });
    if (!is_shared) own.push_back(factor);
  }
  return own;
}
bool TilePlan::folds_tile_of(const TileFactor& factor) const {
  const auto shares = [&](const TileFactor& part) { return part.shares_tile(factor); };
  return std::ranges::any_of(
      folds, [&](const auto& entry) { return std::ranges::any_of(entry.second.parts, shares); });
}

std::optional<ir::AxisId> first_coordinate(const ir::Kernel& kernel, ir::ValueId value) {
  const auto* fold = std::get_if<ir::Reduce>(&kernel.values[value].op);
  if (!fold || fold->op != ir::ReduceOp::min || fold->axes.size() != 1) return std::nullopt;
  const auto* coordinate = std::get_if<ir::Coordinate>(&kernel.values[fold->operand].op);
  const bool is_first = coordinate && coordinate->axis == fold->axes[0] && kernel.values[value].total;
  return is_first ? std::optional(coordinate->axis) : std::nullopt;
}

ir::ValueId without_filters(const ir::Kernel& kernel, ir::ValueId value) {
  while (const auto* filter = std::get_if<ir::Filter>(&kernel.values[value].op)) value = filter->operand;
  return value;
}

std::string product_type(const ir::Kernel& kernel, const TileProduct& product) {
  if (product.is_tf32) return "tf32";
  const DType type = kernel.values[product.rows.value].dtype;
  return std::string(type_name(type));
}

TileDecision plan_tiles(const ir::Kernel& kernel, const PhaseAnalysis& analysis, ir::SizeTable& sizes,
                        const PlanOverrides& overrides) {
  TileDecision decision = TilePlanner(kernel, analysis, sizes, overrides).run();
  if (decision.plan) note_loop_folds(kernel, analysis.uses, *decision.plan);
  return decision;
}

}  // namespace tessera::emit
