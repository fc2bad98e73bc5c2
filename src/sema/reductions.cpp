// SPDX-License-Identifier: Apache-2.0
// Reductions: which axes may be folded, and in which type.
#include "sema/reductions.h"

#include <algorithm>
#include <map>

#include "base/check.h"
#include "sema/conversion.h"
#include "sema/expressions.h"
#include "sema/sizes.h"

namespace tessera::sema {

namespace {

enum class Kind { sum, prod, max, min, mean, any, all, count, argmax, argmin };

const std::map<std::string, Kind, std::less<>>& reductions() {
  static const std::map<std::string, Kind, std::less<>> table = {
      {"sum", Kind::sum},       {"prod", Kind::prod},     {"max", Kind::max}, {"min", Kind::min},
      {"mean", Kind::mean},     {"any", Kind::any},       {"all", Kind::all}, {"count", Kind::count},
      {"argmax", Kind::argmax}, {"argmin", Kind::argmin},
  };
  return table;
}

ir::ReduceOp ir_reduction(Kind kind) {
  switch (kind) {
    case Kind::sum: return ir::ReduceOp::sum;
    case Kind::prod: return ir::ReduceOp::prod;
    case Kind::max: return ir::ReduceOp::max;
    case Kind::min: return ir::ReduceOp::min;
    case Kind::any: return ir::ReduceOp::any;
    case Kind::all: return ir::ReduceOp::all;
    case Kind::count: return ir::ReduceOp::count;
    case Kind::argmax: return ir::ReduceOp::argmax;
    case Kind::argmin: return ir::ReduceOp::argmin;
    case Kind::mean: break;
  }
  unreachable("a mean is a quotient");
}

class Reduction {
 public:
  Reduction(Context& context, std::string name, Span name_span, Span span)
      : context_(context),
        name_(std::move(name)),
        kind_(reductions().at(name_)),
        name_span_(name_span),
        span_(span) {}

  Operand of(const std::vector<ast::Name>& axes, const Operand& operand, ast::ExprId operand_expr) {
    if (operand.is_poison()) return poison(span_);
    const std::optional<ir::ValueId> value = materialize(context_, operand);
    if (!value) return poison(span_);
    written_ = operand_expr;
    operand_ = widened(*value, operand_expr);
    operand_span_ = operand.span;
    std::vector<ir::AxisId> folded;
    for (const ast::Name& axis : axes) {
      const std::optional<ir::AxisId> id = axis_of(axis);
      if (!id) return poison(span_);
      if (std::find(folded.begin(), folded.end(), *id) != folded.end()) {
        context_.sink.report(Diag::axis_twice, axis.span, axis.text);
        return poison(span_);
      }
      folded.push_back(*id);
    }
    std::sort(folded.begin(), folded.end());
    return typed(folded);
  }

 private:
  const ir::Value& operand() const { return context_.builder[operand_]; }

  /// A variable has all its declared axes, even where its value lacks some by being the same along them.
  ir::ValueId widened(ir::ValueId value, ast::ExprId expr) {
    const auto* name = std::get_if<ast::NameRef>(&context_.expr(expr).node);
    const Entity* entity = name != nullptr ? context_.scope.find(name->name) : nullptr;
    const auto* variable = entity != nullptr ? std::get_if<VariableEntity>(&entity->node) : nullptr;
    if (variable == nullptr) return value;
    const VariableState& state = context_.variables[variable->index];
    for (const ir::AxisId axis : state.axes) {
      if (has_axis(value, axis)) continue;
      const ir::ValueId coordinate = context_.builder.coordinate(axis, span_);
      const ir::ValueId always =
          context_.builder.binary(ir::BinaryOp::equal, coordinate, coordinate, DType::boolean, span_);
      value = context_.builder.add(ir::Select{always, value, value}, state.dtype, span_);
    }
    return value;
  }

  bool has_axis(ir::ValueId value, ir::AxisId axis) const {
    const std::vector<ir::AxisId>& axes = context_.builder[value].axes;
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
  }

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
      context_.sink.report(Diag::crosses_grid_axis, name_span_, name_, name.text)
          .label(axis.span, "the instances of the grid share out `{}` here, as the plan likes", name.text)
          .note("instances are independent, so a result over all of `{}` needs a range inside the grid",
                name.text)
          .help("leave `{}` out of the grid, and reduce over `:`, or over a `for` or `let` range", name.text);
      return std::nullopt;
    }
    return has_axis(operand_, id) ? std::optional(id) : not_present(name);
  }

  std::optional<ir::AxisId> of_symbol(ir::SymbolId symbol, const ast::Name& name) {
    const auto axis = context_.symbol_axes.find(symbol);
    if (axis != context_.symbol_axes.end() && has_axis(operand_, axis->second)) return axis->second;
    return not_present(name);
  }

  std::optional<ir::AxisId> not_present(const ast::Name& name) {
    const std::string axes = describe_axes(context_, operand().axes);
    auto report = context_.sink.report(Diag::not_an_axis, name.span, name.text, axes);
    report.label(operand_span_, "this has {}", axes);
    const Entity* entity = context_.scope.find(name.text);
    if (const auto* symbol = std::get_if<SymbolEntity>(&entity->node)) suggest_range(report, *symbol, name);
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
    if (const std::optional<Span> index = indexed_by(written_, name.text)) {
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

  Operand typed(const std::vector<ir::AxisId>& axes) {
    const DType own = operand().dtype;
    switch (kind_) {
      case Kind::any:
      case Kind::all: return is_bool(own) ? fold(axes, operand_, own) : refuse(own);
      case Kind::count: return count(axes);
      case Kind::max:
      case Kind::min: return is_bool(own) ? refuse(own) : fold(axes, operand_, own);
      case Kind::argmax:
      case Kind::argmin: return position(axes);
      case Kind::mean: return is_float(own) ? mean(axes) : refuse(own);
      case Kind::sum:
      case Kind::prod: break;
    }
    if (is_bool(own)) return refuse(own);
    return fold(axes, as_arithmetic(), arithmetic_type(own));
  }

  Operand refuse(DType dtype) {
    auto report = context_.sink.report(Diag::operator_type, name_span_, name_, spelling(dtype));
    report.label(operand_span_, "this is `{}`", spelling(dtype));
    if (kind_ == Kind::sum) report.help("`count` counts where a condition holds");
    if (kind_ == Kind::mean) report.help("convert it first, for example `(… as f32)`");
    return poison(span_);
  }

  ir::ValueId as_arithmetic() {
    return context_.builder.cast(operand_, arithmetic_type(operand().dtype), operand_span_);
  }

  Operand fold(const std::vector<ir::AxisId>& axes, ir::ValueId value, DType dtype) {
    return {context_.builder.add(ir::Reduce{ir_reduction(kind_), axes, value}, dtype, span_), span_};
  }

  /// Of a condition the points where it holds are counted, of anything else those that exist.
  Operand count(const std::vector<ir::AxisId>& axes) {
    if (!is_bool(operand().dtype)) return fold(axes, operand_, DType::index);
    const ir::ValueId holds =
        context_.builder.add(ir::Filter{operand_, operand_}, DType::boolean, operand_span_);
    return fold(axes, holds, DType::index);
  }

  Operand position(const std::vector<ir::AxisId>& axes) {
    if (is_bool(operand().dtype)) return refuse(operand().dtype);
    if (axes.size() == 1) return fold(axes, operand_, DType::index);
    context_.sink.report(Diag::one_axis_only, name_span_, name_)
        .note("its result is one coordinate; reduce one axis after the other with `max` and compare");
    return poison(span_);
  }

  /// The sum over the number of what exists; does not exist where nothing does.
  Operand mean(const std::vector<ir::AxisId>& axes) {
    const DType dtype = arithmetic_type(operand().dtype);
    Builder& builder = context_.builder;
    const ir::ValueId terms = as_arithmetic();
    const ir::ValueId sum = builder.add(ir::Reduce{ir::ReduceOp::sum, axes, terms}, dtype, span_);
    const ir::ValueId count = builder.add(ir::Reduce{ir::ReduceOp::count, axes, terms}, DType::index, span_);
    const ir::ValueId quotient =
        builder.binary(ir::BinaryOp::divide, sum, builder.cast(count, dtype, span_), dtype, span_);
    const ir::ValueId some =
        builder.binary(ir::BinaryOp::greater, count, builder.index(0, span_), DType::boolean, span_);
    return {builder.add(ir::Filter{some, quotient}, dtype, span_), span_};
  }

  Context& context_;
  std::string name_;
  Kind kind_;
  Span name_span_, span_, operand_span_;
  ir::ValueId operand_;
  ast::ExprId written_;  ///< the operand
};

}  // namespace

bool is_reduction(const std::string& name) { return reductions().contains(name); }

Operand check_reduction(Context& context, const std::string& name, Span name_span,
                        const std::vector<ast::Name>& axes, const Operand& operand, ast::ExprId operand_expr,
                        Span span) {
  return Reduction(context, name, name_span, span).of(axes, operand, operand_expr);
}

}  // namespace tessera::sema
