// SPDX-License-Identifier: Apache-2.0
// Statements of a phase in tiles. What several loops need is held in registers from its place in the program on.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>

#include "emit/panel_plan.h"
#include "emit/tile_live.h"
#include "emit/tile_lowering.h"

namespace tessera::emit {

using lowered::Expr;

void TileLowering::block(const ir::Block& statements) {
  const std::vector<Walk> outer = std::exchange(walks_, walks_of(statements));
  const std::vector<ir::ValueId> outer_waiting = std::exchange(waiting_, {});
  const bool is_instance = has_roles() && &statements == &phase_.grid->body;
  for (size_t k = 0; k < statements.size(); ++k) {
    const ir::Statement& statement = statements[k];
    const auto later = std::span(statements).subspan(k + 1);
    if (is_instance) receive_staying(statements, k);
    if (const auto* node = std::get_if<ir::Define>(&statement.node);
        node != nullptr && waits_for_loop(node->value, later)) {
      wait_for_loop(node->value);
      continue;
    }
    spread_waiting(statement);
    if (const auto* node = std::get_if<ir::Define>(&statement.node)) {
      if (walks_alone(node->value)) load_early(later);
      define(node->value, later);
    } else if (const auto* declare = std::get_if<ir::Declare>(&statement.node)) {
      declare_variable(*declare, statement.span);
    } else if (const auto* node = std::get_if<ir::Assign>(&statement.node)) {
      if (!is_fold_of_loop(*node)) assign(*node, statement.span);
    } else if (const auto* node = std::get_if<ir::Loop>(&statement.node)) {
      load_early(later);
      run_loop(*node);
    } else {
      write(statement);
    }
    if (is_instance) release_staying(statements, k);
  }
  walks_ = outer;
  for (const ir::ValueId id : std::exchange(waiting_, outer_waiting)) fetched_by_lanes_.erase(id);
}

// A product that has a loop of its own.
bool TileLowering::walks_alone(ir::ValueId id) const {
  const auto product = tiles_.products.find(id);
  return product != tiles_.products.end() && product->second.has_own_loop && !held_.contains(id);
}

TilePlace TileLowering::place_of_value(ir::ValueId id) const {
  const ir::Value& value = kernel_.values[id];
  return place_of({value.axes.begin(), value.axes.end()});
}

DType TileLowering::type_in_registers(ir::ValueId id) const {
  const DType type = kernel_.values[id].dtype;
  return is_narrow_float(type) ? DType::f32 : type;
}

// What a thread has of a vector, at most.
int64_t TileLowering::words_of(const TilePlace& place) const {
  if (place.is_tile()) return std::numeric_limits<int64_t>::max();
  int64_t most = 0;
  for (const TileShape& shape : tiles_.shapes) {
    if (place.row) most = std::max(most, shape.extent.at(*place.row) * shape.row_shares() / shape.threads());
    if (place.column)
      most = std::max(most, shape.extent.at(*place.column) * shape.column_shares() / shape.threads());
  }
  return most;
}

bool TileLowering::is_added(ir::ValueId dot, std::span<const ir::Statement> later) const {
  return std::ranges::any_of(later, [&](const ir::Statement& statement) {
    const auto* node = std::get_if<ir::Assign>(&statement.node);
    return node && product_added(*node) == dot;
  });
}

// A product, or a fold along what lies in shared memory: the first of those that walk together takes all of them along.
void TileLowering::define_walker(ir::ValueId id) {
  if (held_.contains(id)) return;
  const auto product = tiles_.products.find(id);
  const auto fold = tiles_.folds.find(id);
  const bool walks =
      product != tiles_.products.end() ? product->second.has_own_loop : fold->second.has_own_loop;
  if (!walks && product != tiles_.products.end()) return this->product({&product->second, false, {}});
  if (open_folds_.contains(id))
    return has_roles() ? void() : fold_tile(fold->second);  // the loop around ends it
  if (!walks) {
    begin_fold(fold->second);
    fold_tile(fold->second);
    return end_fold(fold->second);
  }
  const auto walk = std::ranges::find_if(walks_, [&](const Walk& entry) {
    return product != tiles_.products.end() ? entry.product == &product->second
                                            : std::ranges::count(entry.folds, &fold->second) != 0;
  });
  TESSERA_CHECK(walk != walks_.end(), "what walks over a dimension is defined in this block");
  const Walk found = *walk;
  found.product ? this->product(found) : run_walk(found, [] {});
}

void TileLowering::define(ir::ValueId id, std::span<const ir::Statement> later) {
  if (early_.erase(id) != 0) return;
  define_here(id, later);
  if (tiles_.shared_vectors.contains(id)) share_vector(id);
}

void TileLowering::define_here(ir::ValueId id, std::span<const ir::Statement> later) {
  defined_.insert(id);
  if (fetched_by_lanes_.contains(id)) return spread_lanes(id);
  if (!analysis_.dependence.contains(id)) return;
  const ir::Op& op = kernel_.values[id].op;
  if (std::holds_alternative<ir::ReadVariable>(op)) return keep_before(id, later);
  if (std::holds_alternative<ir::Dot>(op)) {
    if (!is_added(id, later)) define_walker(id);
    return;
  }
  if (tiles_.folds.contains(id)) return define_walker(id);
  if (const auto axis = first_coordinate(kernel_, id); axis && tiles_.role(*axis)) {
    const HeldTile first{named(name_for(id)), DType::index, {}};
    emit(lowered::Local{"index", first.name, {}, range_of(*axis).first, true, false},
         kernel_.values[id].span);
    held_[id] = first;
    return;
  }
  const auto* fold = std::get_if<ir::Reduce>(&op);
  if (fold && std::ranges::any_of(fold->axes, [&](ir::AxisId axis) { return tiles_.is_in_registers(axis); }))
    return reduce(id, *fold);
  const auto* cast = std::get_if<ir::Cast>(&op);
  const auto widened = cast ? held_.find(cast->operand) : held_.end();
  if (widened != held_.end() && widened->second.type == kernel_.values[id].dtype) {
    held_[id] = widened->second;  // held widened already
  } else if (is_worth_holding(id)) {
    hold(id);
  }
}

bool TileLowering::is_worth_holding(ir::ValueId id) const {
  if (!is_worth_registers(id)) return false;
  const TilePlace place = place_of_value(id);
  // A warp of a warpgroup has all columns of a tile: what is read of so many for two rows is read where it is needed.
  return place.is_tile() || !has_roles() || words_of(place) <= kMostOfVector;
}

// Whether it pays to compute a value once, before what needs it, if there are registers for it.
bool TileLowering::is_worth_registers(ir::ValueId id) const {
  // Whether it exists is computed again, from conditions and from what is known of folds.
  const bool is_clear = std::ranges::all_of(
      sources_of(id), [&](ir::ValueId source) { return is_condition(source) || held_.contains(source); });
  if (!is_clear || vectors_for_tiles_.contains(id)) return is_clear;
  const ir::Value& value = kernel_.values[id];
  const auto is_own = [&](ir::AxisId axis) {
    return tiles_.is_in_registers(axis) || kernel_.axes[axis].kind == ir::AxisKind::grid;
  };
  return shared_tiles_.contains(id) && value.dtype != DType::index &&
         !std::holds_alternative<ir::Filter>(value.op) && std::ranges::all_of(value.axes, is_own);
}

void TileLowering::hold(ir::ValueId id) {
  const Span span = kernel_.values[id].span;
  const HeldTile tile = declare_tile(name_for(id), type_in_registers(id), place_of_value(id), span);
  set(tile, id, span);
  held_[id] = tile;
}

void TileLowering::set(const HeldTile& target, ir::ValueId value, Span span) {
  if (!target.place.is_scalar() && std::holds_alternative<ir::Constant>(kernel_.values[value].op)) {
    const Expr constant = as_stored(as_float(eval(value)), target.type);
    return emit(lowered::Evaluate{lowered::call(target.name + ".fill", {constant}, target.type)}, span);
  }
  over(target.place, [&] { set_element(target, value, span); });
}

void TileLowering::set_element(const HeldTile& target, ir::ValueId value, Span span) {
  const auto outer = std::exchange(unnamed_, value);
  const Evaluated computed = eval(value);
  unnamed_ = outer;
  emit(lowered::Assign{element_of(target), "=", as_stored(as_float(computed), target.type)}, span);
}

void TileLowering::keep_before(ir::ValueId read, std::span<const ir::Statement> later) {
  if (!is_assigned_before_use(read, later)) return;
  const HeldTile original = state_.at(std::get<ir::ReadVariable>(kernel_.values[read].op).variable);
  HeldTile copy = original;
  copy.name = named(original.name + "_before");
  emit(lowered::Local{"auto", copy.name, {}, lowered::name(original.name, original.type), true, false});
  before_[read] = copy;
}

void TileLowering::declare_variable(const ir::Declare& declare, Span span) {
  const ir::Variable& variable = kernel_.variables[declare.variable];
  const DType type = variable.dtype;
  const HeldTile tile =
      declare_tile(variable.name, type, place_of({variable.axes.begin(), variable.axes.end()}), span);
  declared_at_[declare.variable] = scopes_.size() - 1;
  set(tile, declare.initial, span);
  state_[declare.variable] = tile;
}

// The product that is added to what the variable becomes first.
std::optional<ir::ValueId> TileLowering::product_added(const ir::Assign& assign) const {
  const auto dot = product_summand(kernel_, analysis_.uses, assign);
  if (!dot || held_.contains(*dot)) return std::nullopt;
  const auto* kept = std::get_if<ir::Coalesce>(&kernel_.values[assign.value].op);
  return !kept || is_added_everywhere(assign, *kept, *dot) ? dot : std::nullopt;
}

// Of `v = (v * x + dot(a, b)) ?? v`: no term of the product exists where v stays as it is.
bool TileLowering::is_added_everywhere(const ir::Assign& assign, const ir::Coalesce& op,
                                       ir::ValueId dot) const {
  const auto* fallback = std::get_if<ir::ReadVariable>(&kernel_.values[op.fallback].op);
  if (!fallback || fallback->variable != assign.variable || before_.contains(op.fallback)) return false;
  const TileProduct& product = tiles_.products.at(dot);
  const auto rows = sources_of(product.rows.value), columns = sources_of(product.columns.value);
  return std::ranges::all_of(sources_of(op.operand), [&](ir::ValueId source) {
    return rows.contains(source) || columns.contains(source);
  });
}

const ir::Op& TileLowering::sum_with_product(const ir::Assign& assign) const {
  const auto* kept = std::get_if<ir::Coalesce>(&kernel_.values[assign.value].op);
  return kernel_.values[kept ? kept->operand : assign.value].op;
}

// `v += dot(a, b)`, `v -= dot(a, b)`: of an assignment that adds or subtracts a product.
bool TileLowering::adds_to_itself(const ir::Assign& assign) const {
  const auto* sum = std::get_if<ir::Binary>(&sum_with_product(assign));
  if (!sum) return false;
  const ir::ValueId rest = sum->left == product_added(assign) ? sum->right : sum->left;
  const auto* read = std::get_if<ir::ReadVariable>(&kernel_.values[rest].op);
  return read && read->variable == assign.variable && !before_.contains(rest);
}

void TileLowering::assign(const ir::Assign& assign, Span span) {
  const HeldTile& tile = state_.at(assign.variable);
  const auto added = product_added(assign);
  if (!added) return set(tile, assign.value, span);
  const ir::Op& op = sum_with_product(assign);
  if (const auto* sum = std::get_if<ir::Binary>(&op)) {
    if (!adds_to_itself(assign)) set(tile, sum->left == *added ? sum->right : sum->left, span);
  } else {
    const auto& fused = std::get<ir::FusedMultiplyAdd>(op);
    over(tile.place, [&] {
      Evaluated scaled;
      Expr a = operand(fused.a, scaled);
      const Expr b = operand(fused.b, scaled);
      if (fused.negate_product) a = lowered::unary("-", a, tile.type);
      guard(scaled.exists, "", [&] {
        emit(lowered::Assign{element_of(tile), "=", lowered::binary("*", a, b, tile.type)}, span);
      });
    });
  }
  const TileProduct& product = tiles_.products.at(*added);
  const bool has_zeros = adds_to_itself(assign) && begins_with_zeros(assign.variable, 1);
  if (product.has_own_loop && product.depth == tiles_.shared_axis && !has_zeros) begin_share(tile);
  multiply_into({&product, true, {}}, tile.name, subtracts(op, tile.type));
}

}  // namespace tessera::emit
