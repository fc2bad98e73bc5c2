// SPDX-License-Identifier: Apache-2.0
// Promotion of variables to values, and the state of loops.
#include "sema/variables.h"

#include <algorithm>
#include <limits>

#include "sema/context.h"
#include "sema/ir/extents.h"

namespace tessera::sema {

namespace {

bool has_axis(const std::vector<ir::AxisId>& axes, ir::AxisId axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

/// where(c == 0, value0, where(c == 1, value1, … rest)), the rest being needed only if a coordinate has no pick.
ir::ValueId joined(Context& context, const VariableState& variable, Span span) {
  const ir::AxisId axis = *variable.picked_axis;
  auto pick = variable.picks.rbegin();
  ir::ValueId result = variable.current;
  const bool complete = ir::constant_extent(context.kernel, context.kernel.sizes, axis) ==
                        static_cast<std::int64_t>(variable.picks.size());
  if (complete) result = (pick++)->second;
  const ir::ValueId coordinate = context.builder.coordinate(axis, span);
  for (; pick != variable.picks.rend(); ++pick) {
    const ir::ValueId here = context.builder.binary(
        ir::BinaryOp::equal, coordinate, context.builder.index(pick->first, span), DType::boolean, span);
    result = context.builder.add(ir::Select{here, pick->second, result}, variable.dtype, span);
  }
  return result;
}

/// What exists of `value`, else `otherwise`.
ir::ValueId overwritten(Context& context, ir::ValueId value, ir::ValueId otherwise, DType dtype, Span span) {
  if (value == otherwise) return value;
  return context.builder.add(ir::Coalesce{value, otherwise}, dtype, span);
}

/// Names that a block assigns, at any depth, in the order of the source.
void collect_assigned(const ast::File& file, const ast::Block& block, std::vector<std::string>& names);

void collect_target(const ast::File& file, ast::ExprId target, std::vector<std::string>& names) {
  const ast::Expr* expr = &file[target];
  if (const auto* index = std::get_if<ast::Index>(&expr->node)) expr = &file[index->base];
  const auto* name = std::get_if<ast::NameRef>(&expr->node);
  if (name != nullptr && std::find(names.begin(), names.end(), name->name) == names.end())
    names.push_back(name->name);
}

void collect_assigned(const ast::File& file, const ast::Block& block, std::vector<std::string>& names) {
  for (const ast::StmtId id : block.statements) {
    const ast::StmtNode& node = file[id].node;
    if (const auto* assign = std::get_if<ast::AssignStmt>(&node)) collect_target(file, assign->target, names);
    if (const auto* loop = std::get_if<ast::ForStmt>(&node)) collect_assigned(file, loop->body, names);
    if (const auto* loop = std::get_if<ast::StaticForStmt>(&node)) collect_assigned(file, loop->body, names);
  }
}

/// An axis whose extent no plan and no constraint bounds (R19).
std::optional<ir::AxisId> unbounded_axis(const Context& context, const VariableState& variable) {
  for (const ir::AxisId id : variable.axes)
    if (!is_bounded(context, id)) return id;
  return std::nullopt;
}

bool refuse_unbounded(Context& context, const VariableState& variable, Span loop) {
  const std::optional<ir::AxisId> axis = unbounded_axis(context, variable);
  if (!axis) return false;
  const std::string& name = context.name(*axis);
  context.sink.report(Diag::unbounded_variable, variable.span, variable.name, name)
      .label(loop, "this loop carries `{}` from one iteration to the next", variable.name)
      .label(context.kernel.axes[*axis].span, "`{}` comes from here", name)
      .note("state of a loop stays on chip, so each of its axes needs a bound")
      .help(
          "bound it with `where {} <= 4096` (256 if products are added to it), or give the range a step with "
          "`by`",
          context.spell(context.kernel.axes[*axis].upper));
  return true;
}

/// The most elements of a variable that an instance keeps, but for the tiles of the grid, which the planner chooses.
std::int64_t most_elements(const Context& context, const VariableState& variable) {
  std::int64_t product = 1;
  for (const ir::AxisId id : variable.axes) {
    const ir::Axis& axis = context.kernel.axes[id];
    const std::int64_t extent =
        axis.kind == ir::AxisKind::let
            ? ir::greatest_extent(context.kernel, context.kernel.sizes, id).value_or(1)
        : axis.kind == ir::AxisKind::grid ? 1
                                          : axis.step_size;
    if (__builtin_mul_overflow(product, std::max<std::int64_t>(extent, 1), &product))
      return std::numeric_limits<std::int64_t>::max();
  }
  return product;
}

bool refuse_long(Context& context, const VariableState& variable, Span loop) {
  const std::int64_t elements = most_elements(context, variable);
  if (elements <= ir::kMostStateElements) return false;
  context.sink.report(Diag::long_variable, variable.span, variable.name, elements, ir::kMostStateElements)
      .label(loop, "this loop carries `{}` from one iteration to the next", variable.name)
      .note("state of a loop stays on chip")
      .help("make an axis of it one of the grid's, whose tiles are chosen to fit, or bound it by less");
  return true;
}

/// Makes the current value the one that the carried variable holds.
void spill(Context& context, VariableState& variable, Span loop) {
  const ir::ValueId value = read_variable(context, variable, loop);
  if (!variable.carried) {
    variable.failed = refuse_unbounded(context, variable, loop) || refuse_long(context, variable, loop);
    if (variable.failed) return;
    variable.carried =
        context.kernel.variables.add({variable.name, variable.dtype, variable.axes, variable.span});
    context.builder.append({ir::Declare{*variable.carried, value}, variable.span});
  } else if (value != variable.carried_value) {
    context.builder.append({ir::Assign{*variable.carried, {}, value}, variable.last_assignment});
  }
  variable.carried_value = value;
}

}  // namespace

ir::ValueId read_variable(Context& context, VariableState& variable, Span span) {
  if (!variable.picks.empty()) {
    variable.current = joined(context, variable, span);
    context.name_value(variable.current, variable.name);
    variable.picks.clear();
    variable.picked_axis.reset();
  }
  return variable.current;
}

ir::ValueId read_variable_at(Context& context, VariableState& variable, ir::AxisId axis,
                             std::int64_t coordinate, Span span) {
  if (variable.picked_axis == axis) {
    const auto pick = variable.picks.find(coordinate);
    if (pick != variable.picks.end()) return pick->second;
  } else {
    read_variable(context, variable, span);
  }
  // The value may lack the axis, having been initialised with one number.
  if (!has_axis(context.builder[variable.current].axes, axis)) return variable.current;
  const ir::ValueId whole = observed(context, variable.current, {axis});
  return context.builder.add(ir::Pick{whole, axis, coordinate}, variable.dtype, span);
}

void assign_variable(Context& context, VariableState& variable, ir::ValueId value, Span span) {
  const ir::ValueId before = read_variable(context, variable, span);
  value = observed_by_variable(context, value, variable.axes);
  value = overwritten(context, value, before, variable.dtype, span);
  variable.current = held_by_variable(context, value, variable.axes);
  variable.last_assignment = span;
  context.name_value(variable.current, variable.name);
}

void assign_variable_at(Context& context, VariableState& variable, ir::AxisId axis, std::int64_t coordinate,
                        ir::ValueId value, Span span) {
  const ir::ValueId before = read_variable_at(context, variable, axis, coordinate, span);
  variable.picked_axis = axis;
  value = observed_by_variable(context, value, variable.axes);
  value = overwritten(context, value, before, variable.dtype, span);
  variable.picks[coordinate] = held_by_variable(context, value, variable.axes);
  variable.last_assignment = span;
}

std::vector<std::size_t> carry_into_loop(Context& context, const ast::Block& body, Span loop) {
  std::vector<std::string> names;
  collect_assigned(context.file, body, names);
  std::vector<std::size_t> carried;
  for (const std::string& name : names) {
    const Entity* entity = context.scope.find(name);
    const auto* variable = entity != nullptr ? std::get_if<VariableEntity>(&entity->node) : nullptr;
    if (variable == nullptr || context.variables[variable->index].failed) continue;
    spill(context, context.variables[variable->index], loop);
    if (!context.variables[variable->index].failed) carried.push_back(variable->index);
  }
  return carried;
}

void read_carried(Context& context, const std::vector<std::size_t>& carried, Span span) {
  for (const std::size_t index : carried) {
    VariableState& variable = context.variables[index];
    variable.current = context.builder.read(*variable.carried, span);
    variable.carried_value = variable.current;
  }
}

void write_carried(Context& context, const std::vector<std::size_t>& carried) {
  for (const std::size_t index : carried) {
    VariableState& variable = context.variables[index];
    if (variable.failed) continue;
    const ir::ValueId value = read_variable(context, variable, variable.last_assignment);
    if (value == variable.carried_value) continue;
    context.builder.append({ir::Assign{*variable.carried, {}, value}, variable.last_assignment});
  }
}

}  // namespace tessera::sema
