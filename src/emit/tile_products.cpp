// SPDX-License-Identifier: Apache-2.0
// Products in tiles, and how the parts of tensors that they multiply get to shared memory.
#include <fmt/format.h>

#include <algorithm>

#include "emit/group_products.h"
#include "emit/tile_lowering.h"

namespace tessera::emit {

using lowered::Expr;

namespace {

/// Adds what is copied to shared memory, each tile once.
void add_staged(const TileFactor& factor, std::vector<const TileFactor*>& staged) {
  const auto shares = [&](const TileFactor* other) { return other->shares_tile(factor); };
  if (factor.way == TileFactor::Way::staged && std::ranges::none_of(staged, shares))
    staged.push_back(&factor);
}

}  // namespace

// What a product or a fold reads that is copied to shared memory.
std::vector<const TileFactor*> TileLowering::staged_by(const Walk& walk) const {
  std::vector<const TileFactor*> staged;
  if (walk.product) {
    for (const TileFactor* factor : {&walk.product->rows, &walk.product->columns}) {
      add_staged(*factor, staged);
      for (const TileFactor& part : factor->parts) add_staged(part, staged);
    }
  }
  for (const TileFold* fold : walk.folds)
    for (const TileFactor& part : fold->parts) add_staged(part, staged);
  return staged;
}

void TileLowering::collect_staged(const ir::Block& statements, std::optional<ir::AxisId> loop,
                                  const AxisSet& inner, std::vector<const TileFactor*>& found) const {
  for (const ir::Statement& statement : statements) {
    const auto* define = std::get_if<ir::Define>(&statement.node);
    if (!define) continue;
    const auto product = tiles_.products.find(define->value);
    const auto fold = tiles_.folds.find(define->value);
    Walk reader;
    if (product != tiles_.products.end() && !product->second.has_own_loop) reader.product = &product->second;
    if (fold != tiles_.folds.end() && !fold->second.has_own_loop) reader.folds = {&fold->second};
    for (const TileFactor* factor : staged_by(reader)) {
      const Dependence& needs = analysis_.dependence.at(factor->load);
      const auto turns_with = [&](ir::AxisId axis) {
        return needs.axes.contains(axis) || needs.loops.contains(axis);
      };
      const bool is_inside = std::ranges::any_of(inner, turns_with);
      const bool is_here = loop ? turns_with(*loop) : std::ranges::none_of(analysis_.loops, turns_with);
      const bool is_known =
          std::ranges::any_of(found, [&](const TileFactor* other) { return other->shares_tile(*factor); });
      if (is_here && !is_inside && !is_known) found.push_back(factor);
    }
  }
  for (const ir::Statement& statement : statements) {
    const auto* nested = std::get_if<ir::Loop>(&statement.node);
    if (!nested) continue;
    AxisSet deeper = inner;
    deeper.insert(nested->axis);
    collect_staged(nested->body, loop, deeper, found);
  }
}

Expr TileLowering::first_of_tile(ir::AxisId axis) { return range_of(axis).first; }

// Where an index of a load is along one of its axes, and which coordinates of that are inside of the tensor.
TileLowering::IndexReach TileLowering::reach_of_index(const ir::Load& load, size_t d, ir::AxisId axis) {
  const auto form = ir::affine_form(kernel_, plan_.sizes, load.indices[d]);
  IndexReach reach{.at = size(form->offset), .step = *plan_.sizes.as_constant(*form->coefficient(axis))};
  for (const auto& [other, coefficient] : form->terms)
    if (other != axis)
      reach.at = lowered::add(reach.at, lowered::multiply(size(coefficient), coordinate(other)));
  reach.first = lower_bound(axis);
  reach.end = upper_bound(axis);
  if ((load.in_bounds >> d & 1u) != 0) return reach;
  // From 0 and to the extent of the tensor, in steps of the index.
  const auto steps_from_at = [&](const Expr& to) {
    const auto known = lowered::constant_of(reach.at);
    const Expr distance = known ? lowered::add(to, lowered::integer(-*known))
                                : lowered::binary("-", to, reach.at, DType::index);
    return reach.step == 1
               ? distance
               : lowered::call("ceil_divide", {distance, lowered::integer(reach.step)}, DType::index);
  };
  const Expr extent = size(kernel_.tensors[load.tensor].dims[d]);
  reach.first =
      lowered::call("maximum<index>", {reach.first, steps_from_at(lowered::integer(0))}, DType::index);
  reach.end = lowered::call("minimum<index>", {reach.end, steps_from_at(extent)}, DType::index);
  return reach;
}

// The part of a tensor that tiles of a factor are copied from, in coordinates of the factor's axes.
void TileLowering::declare_plane(const TileFactor& read) {
  FactorTile& entry = tile_of(read);
  const TileFactor& factor = entry.factor;
  const auto& load = std::get<ir::Load>(kernel_.values[factor.load].op);
  const ir::Tensor& tensor = kernel_.tensors[load.tensor];
  std::vector<Expr> origin, steps[2];
  IndexReach reach[2];
  Expr exists;  // whether the tensor has the coordinates that are the same for all elements
  for (size_t d = 0; d < load.indices.size(); ++d) {
    int64_t step[2] = {0, 0};
    if (d != factor.width_index && d != factor.depth_index) {
      const Expr at = eval_total(load.indices[d]);
      origin.push_back(at);
      if ((load.in_bounds >> d & 1u) == 0)
        exists =
            lowered::conjunction(exists, lowered::call("inside", {at, size(tensor.dims[d])}, DType::boolean));
    } else {
      const size_t along = d == factor.width_index ? 0 : 1;
      reach[along] = reach_of_index(load, d, along == 0 ? factor.width : factor.depth);
      step[along] = reach[along].step;
      origin.push_back(reach[along].at);
    }
    for (int k = 0; k < 2; ++k) steps[k].push_back(lowered::integer(step[k]));
  }
  if (factor.limit.valid()) {
    const auto& other = std::get<ir::Load>(kernel_.values[factor.limit].op);
    const IndexReach limit = reach_of_index(other, factor.limit_index, factor.depth);
    reach[1].first = lowered::call("maximum<index>", {reach[1].first, limit.first}, DType::index);
    reach[1].end = lowered::call("minimum<index>", {reach[1].end, limit.end}, DType::index);
  }
  if (exists) reach[1].end = lowered::ternary(exists, reach[1].end, lowered::integer(0));
  std::vector<Expr> arguments{lowered::name(safe_name(tensor.name), tensor.dtype), lowered::list(origin)};
  for (int k = 0; k < 2; ++k)
    arguments.push_back(lowered::list({lowered::list(steps[k]), reach[k].first, reach[k].end}));
  entry.plane = named(tensor.name + "_plane");
  emit(
      lowered::Local{
          "auto", entry.plane, {}, lowered::call("plane", std::move(arguments), tensor.dtype), true, false},
      kernel_.values[factor.load].span);
}

// Starts the copies of one tile at the current tiles of its axes.
void TileLowering::fill(const TileFactor& read, const std::string& tile) {
  const FactorTile& entry = tile_of(read);
  const TileFactor& factor = entry.factor;
  const std::string callee = fmt::format("fill_tile<kCopy, kThreads, {} == Major::k ? 1 : 0>", entry.major);
  const Expr at = lowered::list({first_of_tile(factor.width), first_of_tile(factor.depth)});
  emit(lowered::Evaluate{lowered::call(
           callee, {lowered::name(tile, DType::index), lowered::name(entry.plane, DType::index), at},
           DType::index)},
       kernel_.values[factor.load].span);
}

// A product that is a value of its own, with the folds that walk with it.
void TileLowering::product(const Walk& walk) {
  const ir::ValueId id = walk.product->dot;
  const ir::Value& value = kernel_.values[id];
  const TilePlace place = place_of({value.axes.begin(), value.axes.end()});
  const HeldTile tile =
      declare_tile(value.name.empty() ? "product" : value.name, value.dtype, place, value.span);
  emit(lowered::Evaluate{lowered::call(tile.name + ".fill", {lowered::zero(value.dtype)}, value.dtype)},
       value.span);
  multiply_into(walk, tile.name);
  held_[id] = tile;
}

// What is called for one step of a product, and the factors that it is passed.
std::string TileLowering::multiply_by_threads(const TileProduct& product, bool is_subtracted,
                                              std::vector<Expr>& arguments) {
  std::string majors = major_of(product.columns);
  if (product.rows.way == TileFactor::Way::registers) {
    arguments.push_back(lowered::name(in_registers(product), DType::f32));
  } else {
    arguments.push_back(lowered::name(tile_of(product.rows).tile, DType::f32));
    majors = major_of(product.rows) + ", " + majors;
  }
  arguments.push_back(lowered::name(tile_of(product.columns).tile, DType::f32));
  return fmt::format("multiply<{}, {}{}>", product_type(kernel_, product), majors,
                     is_subtracted ? ", Sign::minus" : "");
}

// The factors that warpgroups are passed, and the number of the one that calls.
void TileLowering::add_factors(const TileProduct& product, std::vector<Expr>& arguments) {
  for (const TileFactor* factor : {&product.rows, &product.columns}) {
    if (factor->way == TileFactor::Way::registers) {
      arguments.push_back(lowered::name(in_registers(product), DType::f32));
      continue;
    }
    const FactorTile& tile = tile_of(*factor);
    const bool is_across = (!tile.turn.empty() || tile.factor.is_folded) && tile.major == "Major::mn";
    arguments.push_back(lowered::name(is_across           ? fmt::format("across_k({})", tile.tile)
                                      : factor->is_turned ? fmt::format("turned_rows({})", tile.tile)
                                                          : tile.tile,
                                      DType::f32));
  }
  if (!is_by_warps(kernel_, product)) arguments.push_back(lowered::name("group", DType::i32));
}

std::string TileLowering::multiply_by_groups(const TileProduct& product, bool is_subtracted,
                                             std::vector<Expr>& arguments) {
  add_factors(product, arguments);
  const std::string way = product.rows.in_parts           ? "multiply_split"
                          : is_promoted(kernel_, product) ? "multiply_promoted"
                          : is_by_warps(kernel_, product) ? "multiply_by_warps"
                                                          : "multiply_async";
  return way + (is_subtracted ? "<Sign::minus>" : "");
}

// A product of which threads add what becomes of each tile, and compute the next one's factors meanwhile.
void TileLowering::multiply_promoted(const TileProduct& product, const std::string& sums,
                                     bool is_subtracted) {
  TESSERA_CHECK(!product.rows.in_parts, "nothing is computed beside factors in parts");
  const ir::Value& value = kernel_.values[product.dot];
  const HeldTile part =
      declare_tile("part", DType::f32, place_of({value.axes.begin(), value.axes.end()}), value.span);
  std::vector<Expr> arguments{lowered::name(part.name, DType::f32)};
  add_factors(product, arguments);
  arguments.push_back(lowered::name("false", DType::boolean));
  emit(lowered::Evaluate{lowered::call("multiply_async", std::move(arguments), DType::f32)}, value.span);
  std::exchange(boxes_->compute_next, {})();
  emit(lowered::Evaluate{lowered::name(fmt::format("wait_for_products<0>({})", part.name), DType::f32)});
  if (releasing_ == &product) release_tile(boxes_->factors);
  emit(lowered::Evaluate{lowered::name(
      fmt::format("add_part{}({}, {})", is_subtracted ? "<Sign::minus>" : "", sums, part.name), DType::f32)});
}

void TileLowering::multiply_into(const Walk& walk, const std::string& sums, bool is_subtracted) {
  const TileProduct& product = *walk.product;
  const auto step = [&] {
    if (!has_roles())  // else they are there
      for (const TileFactor* factor : {&product.rows, &product.columns})
        if (factor->way == TileFactor::Way::moved || factor->way == TileFactor::Way::computed)
          store_factor(*factor);
    if (std::ranges::count(summed_, sums) == 0) summed_.push_back(sums);
    if (has_roles() && boxes_->compute_next && is_promoted(kernel_, product))
      return multiply_promoted(product, sums, is_subtracted);
    std::vector<Expr> arguments{lowered::name(sums, DType::f32)};
    const bool is_done = !has_roles() || is_done_at_once(kernel_, product);
    const std::string callee = has_roles() ? multiply_by_groups(product, is_subtracted, arguments)
                                           : multiply_by_threads(product, is_subtracted, arguments);
    if (releasing_ == &product) arguments.push_back(lowered::name(release_when_read(), DType::index));
    emit(lowered::Evaluate{lowered::call(callee, std::move(arguments), DType::f32)},
         kernel_.values[product.dot].span);
    if (is_done) return;
    under_way_.push_back(sums);
    if (const auto compute = std::exchange(boxes_->compute_next, {})) compute();
    if (scopes_.size() == boxes_->scopes_of_round) fold_due();
    if (waits_at_once_)
      emit(lowered::Evaluate{lowered::name(fmt::format("wait_for_products<0>({})", sums), DType::f32)});
  };
  if (!product.has_own_loop) return step();
  run_walk(walk, step);
}

// The tile that the product takes from registers, rounded; zero where a term does not exist.
std::string TileLowering::in_registers(const TileProduct& product) {
  const TileFactor& factor = product.rows;
  const ir::Value& value = kernel_.values[factor.value];
  const ir::ValueId below =
      std::get<ir::Cast>(kernel_.values[without_filters(kernel_, factor.value)].op).operand;
  const HeldTile tile =
      declare_tile("factor", DType::f32, place_of({value.axes.begin(), value.axes.end()}), value.span);
  for_whole_and_cut({factor.depth}, factor.value, [&] {
    over(tile.place, [&] {
      const Expr exists = lowered::conjunction(within({factor.depth}), exists_of(factor.value));
      const Expr element = as_float(eval(below));
      const Expr kept = exists ? lowered::ternary(exists, element, lowered::zero(DType::f32)) : element;
      emit(lowered::Assign{element_of(tile), "=", kept}, value.span);
    });
  });
  return fmt::format("operand<{}>({})", type_name(value.dtype), tile.name);
}

}  // namespace tessera::emit
