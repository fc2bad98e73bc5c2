// SPDX-License-Identifier: Apache-2.0
// Statements of a phase in tiles. What several loops need is held in registers from its place in the program on.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "emit/tile_lowering.h"

namespace tessera::emit {

using lowered::Expr;

void TileLowering::block(const ir::Block& statements) {
  for (size_t k = 0; k < statements.size(); ++k) {
    const ir::Statement& statement = statements[k];
    if (const auto* node = std::get_if<ir::Define>(&statement.node)) {
      define(node->value, std::span(statements).subspan(k + 1));
    } else if (const auto* declare = std::get_if<ir::Declare>(&statement.node)) {
      declare_variable(*declare, statement.span);
    } else if (const auto* node = std::get_if<ir::Assign>(&statement.node)) {
      assign(*node, statement.span);
    } else if (const auto* node = std::get_if<ir::Loop>(&statement.node)) {
      run_loop(*node);
    } else {
      write(statement);
    }
  }
}

void TileLowering::define(ir::ValueId id, std::span<const ir::Statement> later) {
  defined_.insert(id);
  if (!analysis_.dependence.contains(id)) return;
  const ir::Op& op = kernel_.values[id].op;
  if (std::holds_alternative<ir::ReadVariable>(op)) return keep_before(id, later);
  if (std::holds_alternative<ir::Dot>(op)) {
    const bool is_added = std::ranges::any_of(later, [&](const ir::Statement& statement) {
      const auto* node = std::get_if<ir::Assign>(&statement.node);
      return node && product_added(*node) == id;
    });
    if (!is_added) product(id);
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
  const ir::Value& value = kernel_.values[id];
  const TilePlace place = place_of({value.axes.begin(), value.axes.end()});
  const bool is_free = std::holds_alternative<ir::Constant>(value.op) ||
                       std::holds_alternative<ir::Coordinate>(value.op) ||
                       std::holds_alternative<ir::Extent>(value.op);
  if (place.is_scalar() || is_free || !value.total || is_bool(value.dtype) || value.dtype == DType::index)
    return false;
  const bool only_registers = std::ranges::all_of(value.axes, [&](ir::AxisId axis) {
    return tiles_.is_in_registers(axis) || kernel_.axes[axis].kind == ir::AxisKind::grid;
  });
  const auto in_registers =
      std::ranges::count_if(value.axes, [&](ir::AxisId axis) { return tiles_.is_in_registers(axis); });
  if (!only_registers || in_registers != (place.is_tile() ? 2 : 1)) return false;
  if (place.is_tile()) return tiles_.anchored.contains(id) && analysis_.uses.at(id) > 1;
  return is_used_in_tiles(id);
}

// Whether tiles need a value of rows or columns for each of their elements.
bool TileLowering::is_used_in_tiles(ir::ValueId id) const {
  const auto is_tile = [&](const auto& axes) { return place_of({axes.begin(), axes.end()}).is_tile(); };
  for (const auto& [user, dependence] : analysis_.dependence) {
    const auto operands = ir::operands_of(kernel_.values[user].op);
    if (std::ranges::find(operands, id) != operands.end() && is_tile(kernel_.values[user].axes)) return true;
  }
  for (const ir::Statement* root : analysis_.roots) {
    const auto* assign = std::get_if<ir::Assign>(&root->node);
    if (assign && assign->value == id && is_tile(kernel_.variables[assign->variable].axes)) return true;
    const auto* declare = std::get_if<ir::Declare>(&root->node);
    if (declare && declare->initial == id && is_tile(kernel_.variables[declare->variable].axes)) return true;
  }
  return std::ranges::any_of(analysis_.accesses, [&](const Access& access) {
    return access.is_write() && access.value == id && is_tile(access.axes);
  });
}

void TileLowering::hold(ir::ValueId id) {
  const ir::Value& value = kernel_.values[id];
  const DType type = is_narrow_float(value.dtype) ? DType::f32 : value.dtype;
  const TilePlace place = place_of({value.axes.begin(), value.axes.end()});
  const HeldTile tile = declare_tile(name_for(id), type, place, value.span);
  set(tile, id, value.span);
  held_[id] = tile;
}

void TileLowering::set(const HeldTile& target, ir::ValueId value, Span span) {
  over(target.place, [&] {
    const auto outer = std::exchange(unnamed_, value);
    const Evaluated computed = eval(value);
    unnamed_ = outer;
    const Expr element = element_of(target);
    guard(computed.exists, "", [&] {
      emit(lowered::Assign{element, "=", as_stored(as_float(computed), target.type)}, span);
    });
  });
}

namespace {

const char* functor(ir::ReduceOp op) {
  switch (op) {
    case ir::ReduceOp::prod: return "Product{}";
    case ir::ReduceOp::max: return "Maximum{}";
    case ir::ReduceOp::min: return "Minimum{}";
    case ir::ReduceOp::any: return "Any{}";
    case ir::ReduceOp::all: return "All{}";
    default: return "Sum{}";
  }
}

std::string unit_of(ir::ReduceOp op, DType type) {
  switch (op) {
    case ir::ReduceOp::max: return fmt::format("lowest<{}>()", type_name(type));
    case ir::ReduceOp::min: return fmt::format("highest<{}>()", type_name(type));
    case ir::ReduceOp::prod: return fmt::format("{}(1)", type_name(type));
    case ir::ReduceOp::all: return "true";
    case ir::ReduceOp::any: return "false";
    default: return fmt::format("{}(0)", type_name(type));
  }
}

}  // namespace

// Each thread folds its own elements of a row; then the threads that share the row.
void TileLowering::reduce(ir::ValueId id, const ir::Reduce& op) {
  const ir::Value& value = kernel_.values[id];
  const DType type = is_narrow_float(value.dtype) ? DType::f32 : value.dtype;
  const ir::AxisId folded = op.axes[0];
  AxisSet axes(value.axes.begin(), value.axes.end());
  const bool along_columns = tiles_.role(folded) == TileRole::column;
  TilePlace place = place_of(axes);
  axes.insert(folded);
  TilePlace whole = place_of(axes);
  for (const auto& [known, name] : layouts_) {
    if (along_columns && whole.column == known.column && !whole.row) whole.row = place.row = known.row;
    if (!along_columns && whole.row == known.row && !whole.column) whole.column = place.column = known.column;
  }
  const std::string layout = layout_of(whole);
  const bool is_scalar = place_of({value.axes.begin(), value.axes.end()}).is_scalar();
  const std::string scalar = is_scalar ? named(name_for(id)) : "";
  const std::string name = named(name_for(id) + (is_scalar ? "_partial" : ""));
  const Expr result = lowered::name(name, type);
  emit(lowered::Local{fmt::format("{}<{}, {}>", along_columns ? "RowFragment" : "ColumnFragment",
                                  type_name(type), layout),
                      name,
                      {},
                      nullptr,
                      false,
                      false},
       value.span);
  emit(lowered::Evaluate{lowered::call(name + ".fill", {lowered::name(unit_of(op.op, type), type)}, type)},
       value.span);
  const HeldTile tile{name, type, along_columns ? TilePlace{whole.row, {}} : TilePlace{{}, whole.column}};
  for_whole_and_cut(folded, [&] {
    over(whole, [&] {
      const Evaluated operand = eval(op.operand);
      const Expr element = op.op == ir::ReduceOp::count ? lowered::name("index{1}", DType::index)
                                                        : as_stored(as_float(operand), type);
      guard(lowered::conjunction(within({folded}), operand.exists), "", [&] {
        emit(lowered::Assign{element_of(tile), "=",
                             lowered::call(functor(op.op), {element_of(tile), element}, type)},
             value.span);
      });
    });
  });
  const std::string member = along_columns ? ".reduce_columns" : ".reduce_rows";
  emit(lowered::Assign{result, "=",
                       lowered::call(groups_.at(layout) + member,
                                     {lowered::name(functor(op.op), DType::index), result}, type)},
       value.span);
  held_[id] = tile;
  if (!is_scalar) return;
  // All rows (columns) have folded the same elements.
  emit(
      lowered::Local{
          type_name(type), scalar, {}, lowered::element(result, lowered::integer(0), type), true, false},
      value.span);
  held_[id] = {scalar, type, {}};
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

// `v = x + dot(a, b)`: the product is added to what v becomes first.
std::optional<ir::ValueId> TileLowering::product_added(const ir::Assign& assign) const {
  const ir::Value& value = kernel_.values[assign.value];
  const ir::Variable& variable = kernel_.variables[assign.variable];
  const auto fits = [&](ir::ValueId id) {
    const ir::Value& dot = kernel_.values[id];
    return std::holds_alternative<ir::Dot>(dot.op) && !held_.contains(id) && analysis_.uses.at(id) == 1 &&
           dot.dtype == variable.dtype && dot.axes == variable.axes;
  };
  if (analysis_.uses.at(assign.value) != 1 || !value.total) return std::nullopt;
  if (const auto* sum = std::get_if<ir::Binary>(&value.op); sum && sum->op == ir::BinaryOp::add) {
    if (fits(sum->right)) return sum->right;
    if (fits(sum->left)) return sum->left;
  }
  const auto* fused = std::get_if<ir::FusedMultiplyAdd>(&value.op);
  if (fused && !fused->negate_addend && fits(fused->c)) return fused->c;
  return std::nullopt;
}

void TileLowering::assign(const ir::Assign& assign, Span span) {
  const HeldTile& tile = state_.at(assign.variable);
  const auto added = product_added(assign);
  if (!added) return set(tile, assign.value, span);
  const ir::Op& op = kernel_.values[assign.value].op;
  if (const auto* sum = std::get_if<ir::Binary>(&op)) {
    const ir::ValueId rest = sum->left == *added ? sum->right : sum->left;
    const auto* read = std::get_if<ir::ReadVariable>(&kernel_.values[rest].op);
    const bool stays = read && read->variable == assign.variable && !before_.contains(rest);
    if (!stays) set(tile, rest, span);
  } else {
    const auto& fused = std::get<ir::FusedMultiplyAdd>(op);
    over(tile.place, [&] {
      Evaluated ignored;
      Expr a = operand(fused.a, ignored);
      const Expr b = operand(fused.b, ignored);
      if (fused.negate_product) a = lowered::unary("-", a, tile.type);
      emit(lowered::Assign{element_of(tile), "=", lowered::binary("*", a, b, tile.type)}, span);
    });
  }
  multiply_into(tiles_.products.at(*added), tile.name);
}

void TileLowering::write(const ir::Statement& statement) {
  const auto& node = std::get<ir::Write>(statement.node);
  const TilePlace place = place_of(write_axes(node));
  if (place.is_tile()) {
    if (is_in_pairs(node, place)) return write_pairs(node, place, statement.span);
    return over_existing(place, [&] { store_element(node, statement.span); });
  }
  // Threads that share a row or a column have the same value, and one of them writes it.
  over_existing(place, [&] {
    Expr first = lowered::call("thread_index", {}, DType::index);
    if (place.row) first = lowered::call(loop_layout_ + "::warp_column", {}, DType::index);
    if (place.column) first = lowered::call(loop_layout_ + "::warp_row", {}, DType::index);
    Expr leads = lowered::binary("==", first, lowered::integer(0), DType::boolean);
    if (place.row)
      leads = lowered::conjunction(leads, lowered::name("thread_index() % 4 == 0", DType::boolean));
    if (place.column)
      leads = lowered::conjunction(leads, lowered::name("thread_index() % 32 < 4", DType::boolean));
    eval(node.value);
    guard(leads, "several threads have it, one writes", [&] { store_element(node, statement.span); });
  });
}

// Neighbours in a row of a tile are neighbours in memory, too, where the last index is the column. What they are computed
// from exists wherever they do.
bool TileLowering::is_in_pairs(const ir::Write& write, const TilePlace& place) {
  if (write.indices.empty() || !kernel_.values[write.value].total ||
      write.in_bounds + 1 != 1u << write.indices.size())
    return false;
  for (size_t d = 0; d < write.indices.size(); ++d) {
    const bool has_column = analysis_.dependence.at(write.indices[d]).axes.contains(*place.column);
    if (d + 1 < write.indices.size() ? has_column : !has_column) return false;
  }
  const auto form = ir::affine_form(kernel_, plan_.sizes, write.indices.back());
  const auto step = form ? form->coefficient(*place.column) : std::nullopt;
  return step && plan_.sizes.as_constant(*step) == 1;
}

void TileLowering::write_pairs(const ir::Write& write, const TilePlace& place, Span span) {
  const ir::Tensor& tensor = kernel_.tensors[write.tensor];
  const std::string layout = layout_of(place), pair = names_.take("pair"), element = strip_;
  const auto count = counts_.find(*place.column);
  const std::string& end = count != counts_.end() ? count->second : extents_.at(*place.column);
  strip_ = pair;
  over(place, pair, fmt::format("int {0} = 0; {0} < {1}::kCount; {0} += 2", pair, layout), [&] {
    const std::string part = named("part"), vector = named(tensor.name + "_pair");
    const Expr cut = lowered::call(
        "Part<2, false>", {places_.at(*place.column), lowered::integer(0), lowered::name(end, DType::index)},
        DType::index);
    emit(lowered::Local{"auto", part, {}, cut, true, false});
    const Expr any = lowered::call(part + ".any", {}, DType::boolean);
    guard(lowered::conjunction(within({*place.row}), any), "guard: tiles end", true, Scope{}, [&] {
      const Expr pair_of = lowered::name(vector, tensor.dtype);
      emit(lowered::Local{
          fmt::format("Vector<{}, 2>", type_name(tensor.dtype)), vector, {}, nullptr, false, false});
      strip_ = element;
      over(place, element, fmt::format("int {0} = {1}; {0} < {1} + 2; ++{0}", element, pair), [&] {
        const Expr value = as_stored(as_float_for(write), tensor.dtype);
        const Expr slot = lowered::binary("-", lowered::name(element, DType::index),
                                          lowered::name(pair, DType::index), DType::index);
        emit(lowered::Assign{lowered::vector_element(pair_of, slot, tensor.dtype), "=", value}, span);
      });
      strip_ = pair;
      Expr exists;
      const Expr store = access(write.tensor, write.indices, write.in_bounds, "store",
                                {pair_of, lowered::name(part, DType::index)}, DType::index, exists);
      emit(lowered::Evaluate{store}, span);
    });
  });
  strip_ = element;
  names_.release(pair);
}

void TileLowering::run_loop(const ir::Loop& statement) {
  std::vector<const TileFactor*> staged;
  collect_staged(statement.body, statement.axis, {}, staged);
  const ir::Axis& axis = kernel_.axes[statement.axis];
  if (axis.is_tile()) return ring(statement.axis, staged, [&] { block(statement.body); });
  const std::string name = named(axis.name);
  Scope bindings;
  bindings.axes.insert(statement.axis);
  bindings.loops.insert(statement.axis);
  bindings.coordinates[statement.axis] = lowered::name(name, DType::index);
  count_loop(name, {lower_bound(statement.axis), upper_bound(statement.axis)}, "1", std::move(bindings), [&] {
    fill_once(staged);
    block(statement.body);
  });
}

}  // namespace tessera::emit
