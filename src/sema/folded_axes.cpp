// SPDX-License-Identifier: Apache-2.0
// From names in brackets to axes of an operand.
#include "sema/folded_axes.h"

#include <algorithm>

#include "sema/expressions.h"
#include "sema/sizes.h"

namespace tessera::sema {

namespace {

class AxisNames {
 public:
  AxisNames(Context& context, const FoldedOperand& folded) : context_(context), folded_(folded) {}

  std::optional<ir::AxisId> axis_of(const ast::Name& name) {
    Entity* entity = use_name(context_, name.text, name.span);
    if (entity == nullptr) return std::nullopt;
    if (const auto* range = std::get_if<RangeEntity>(&entity->node)) return of_range(range->axis, name);
    if (const auto* symbol = std::get_if<SymbolEntity>(&entity->node)) return of_symbol(symbol->id, name);
    if (!std::holds_alternative<ErrorEntity>(entity->node)) {
      context_.sink.report(Diag::not_a_range, name.span, name.text)
          .label(entity->span, "`{}` is {} here", name.text, describe(*entity));
    }
    return std::nullopt;
  }

 private:
  const ir::Value& operand() const { return context_.builder[folded_.operand]; }

  bool has_axis(ir::AxisId axis) const {
    const std::vector<ir::AxisId>& axes = operand().axes;
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
  }

  std::optional<ir::AxisId> of_range(ir::AxisId id, const ast::Name& name) {
    const ir::Axis& axis = context_.kernel.axes[id];
    if (!axis.is_tile()) {
      context_.sink.report(Diag::scalar_range, name.span, name.text)
          .label(axis.span, "`{}` has no `by`: it takes one value at a time", name.text)
          .help("`by auto` makes it an axis, and the reduction folds a tile at a time");
      return std::nullopt;
    }
    if (axis.kind == ir::AxisKind::grid && axis.step == ir::StepKind::plan) {
      if (context_.in_reduction_store) return std::nullopt;
      context_.sink.report(Diag::crosses_grid_axis, folded_.callee_span, folded_.callee, name.text)
          .label(axis.span, "the instances of the grid share out `{}` here, as the plan likes", name.text)
          .note("instances are independent, so a result over all of `{}` needs a range inside the grid",
                name.text)
          .help("leave `{}` out of the grid, and reduce over `:`, or over a `for` or `let` range", name.text);
      return std::nullopt;
    }
    return has_axis(id) ? std::optional(id) : not_present(name);
  }

  std::optional<ir::AxisId> of_symbol(ir::SymbolId symbol, const ast::Name& name) {
    const auto axis = context_.symbol_axes.find(symbol);
    if (axis != context_.symbol_axes.end() && has_axis(axis->second)) return axis->second;
    return not_present(name);
  }

  std::optional<ir::AxisId> not_present(const ast::Name& name) {
    const std::string axes = describe_axes(context_, operand().axes);
    auto report = context_.sink.report(Diag::not_an_axis, name.span, name.text, axes);
    report.label(folded_.operand_span, "this has {}", axes);
    const Entity* entity = context_.scope.find(name.text);
    if (const auto* symbol = std::get_if<SymbolEntity>(&entity->node)) suggest_range(report, *symbol, name);
    if (const auto* range = std::get_if<RangeEntity>(&entity->node)) tell_apart(report, range->axis);
    return std::nullopt;
  }

  /// Where an index in the operand is the bare name: `sum[C](x[r, C])`.
  std::optional<Span> indexed_by(ast::ExprId id, const std::string& name) const {
    if (!id.valid()) return std::nullopt;
    const ast::ExprNode& node = context_.expr(id).node;
    if (const auto* cast = std::get_if<ast::Cast>(&node)) return indexed_by(cast->operand, name);
    if (const auto* unary = std::get_if<ast::Unary>(&node)) return indexed_by(unary->operand, name);
    if (const auto* binary = std::get_if<ast::Binary>(&node)) {
      const std::optional<Span> left = indexed_by(binary->left, name);
      return left ? left : indexed_by(binary->right, name);
    }
    const auto* index = std::get_if<ast::Index>(&node);
    if (index == nullptr) return std::nullopt;
    for (const ast::IndexElement& element : index->elements) {
      const auto* value = std::get_if<ast::ExprId>(&element.node);
      const auto* used = value != nullptr ? std::get_if<ast::NameRef>(&context_.expr(*value).node) : nullptr;
      if (used != nullptr && used->name == name) return element.span;
    }
    return std::nullopt;
  }

  /// `mean[C](x[r, c])`: c is another range over the dimension of C.
  void suggest_range(DiagnosticBuilder& report, const SymbolEntity& symbol, const ast::Name& name) {
    if (const std::optional<Span> index = indexed_by(folded_.written, name.text)) {
      report.note("`{}` is the extent, and as an index one past the end", name.text)
          .fix(*index, ":", "`:` goes over the whole dimension");
      return;
    }
    for (const ir::AxisId id : operand().axes) {
      const ir::Axis& axis = context_.kernel.axes[id];
      if (axis.dimension != symbol.id) continue;
      if (axis.kind == ir::AxisKind::grid && axis.step == ir::StepKind::plan) {
        report.label(axis.span, "`{}` takes `{}` apart", axis.name, name.text)
            .help("leave `{}` out of the grid, and index by `:` in its place", axis.name);
        return;
      }
      report.label(axis.span, "`{}` is another range over `{}`", axis.name, name.text)
          .note("an axis is a range, not a dimension: `{}` stands for the axis of `:`", name.text)
          .fix(name.span, axis.name, fmt::format("reduce along `{}`", axis.name));
      return;
    }
  }

  /// `sum[i](x[r, j])`, both ranges over one dimension.
  void tell_apart(DiagnosticBuilder& report, ir::AxisId named) {
    const ir::Axis& wanted = context_.kernel.axes[named];
    for (const ir::AxisId id : operand().axes) {
      const ir::Axis& axis = context_.kernel.axes[id];
      if (!axis.dimension || axis.dimension != wanted.dimension) continue;
      report.note("`{}` and `{}` are two ranges over `{}`: an axis is a range, not a dimension", wanted.name,
                  axis.name, context_.kernel.symbols[*axis.dimension].name);
      return;
    }
  }

  Context& context_;
  const FoldedOperand& folded_;
};

}  // namespace

std::optional<std::vector<ir::AxisId>> folded_axes(Context& context, const FoldedOperand& folded,
                                                   const std::vector<ast::Name>& names) {
  std::vector<ir::AxisId> axes;
  for (const ast::Name& name : names) {
    const std::optional<ir::AxisId> id = AxisNames(context, folded).axis_of(name);
    if (!id) return std::nullopt;
    if (std::find(axes.begin(), axes.end(), *id) != axes.end()) {
      context.sink.report(Diag::axis_twice, name.span, name.text);
      return std::nullopt;
    }
    axes.push_back(*id);
  }
  std::sort(axes.begin(), axes.end());
  return axes;
}

ir::ValueId with_declared_axes(Context& context, ir::ValueId value, ast::ExprId written, Span span) {
  if (!written.valid()) return value;
  const auto* name = std::get_if<ast::NameRef>(&context.expr(written).node);
  const Entity* entity = name != nullptr ? context.scope.find(name->name) : nullptr;
  const auto* variable = entity != nullptr ? std::get_if<VariableEntity>(&entity->node) : nullptr;
  if (variable == nullptr) return value;
  const VariableState& state = context.variables[variable->index];
  for (const ir::AxisId axis : state.axes) {
    const std::vector<ir::AxisId>& axes = context.builder[value].axes;
    if (std::find(axes.begin(), axes.end(), axis) != axes.end()) continue;
    const ir::ValueId coordinate = context.builder.coordinate(axis, span);
    const ir::ValueId always =
        context.builder.binary(ir::BinaryOp::equal, coordinate, coordinate, DType::boolean, span);
    value = context.builder.add(ir::Select{always, value, value}, state.dtype, span);
  }
  return value;
}

}  // namespace tessera::sema
