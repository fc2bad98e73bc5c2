// SPDX-License-Identifier: Apache-2.0
// Reductions: which axes may be folded, and in which type.
#include "sema/reductions.h"

#include <map>

#include "base/check.h"
#include "sema/conversion.h"
#include "sema/expressions.h"
#include "sema/folded_axes.h"
#include "sema/relations.h"

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
    operand_ = with_declared_axes(context_, *value, operand_expr, span_);
    operand_span_ = operand.span;
    const auto folded =
        folded_axes(context_, {name_, name_span_, operand_, operand_span_, operand_expr}, axes);
    if (!folded || refuse_unmet_relation(context_, {name_, name_span_, {operand_}, {operand_span_}}, *folded))
      return poison(span_);
    operand_ = observed(context_, operand_, *folded);
    return typed(*folded);
  }

 private:
  const ir::Value& operand() const { return context_.builder[operand_]; }

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
};

}  // namespace

bool is_reduction(const std::string& name) { return reductions().contains(name); }

Operand check_reduction(Context& context, const std::string& name, Span name_span,
                        const std::vector<ast::Name>& axes, const Operand& operand, ast::ExprId operand_expr,
                        Span span) {
  return Reduction(context, name, name_span, span).of(axes, operand, operand_expr);
}

}  // namespace tessera::sema
