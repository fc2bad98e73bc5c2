// SPDX-License-Identifier: Apache-2.0
// Names, literals and the dispatch over the kinds of expressions.
#include "sema/expressions.h"

#include <limits>

#include "sema/arithmetic.h"
#include "sema/calls.h"
#include "sema/conversion.h"
#include "sema/indexing.h"
#include "sema/sizes.h"
#include "sema/types.h"

namespace tessera::sema {

namespace {

/// What a name gives as a value.
class NameUse {
 public:
  NameUse(Context& context, const std::string& name, Span span)
      : context_(context), name_(name), span_(span) {}

  Operand operator()(const ErrorEntity&) {
    context_.incomplete = true;
    return poison(span_);
  }
  Operand operator()(const SymbolEntity& symbol) {
    const ir::SizeId size = context_.kernel.sizes.symbol(symbol.id);
    return {context_.builder.add(ir::Extent{size}, DType::index, span_), span_};
  }
  Operand operator()(const ScalarEntity& scalar) {
    const DType dtype = context_.kernel.scalars[scalar.id].dtype;
    return {context_.builder.add(ir::ScalarArgument{scalar.id}, dtype, span_), span_};
  }
  Operand operator()(const NumberEntity& number) { return {number.number, span_}; }
  Operand operator()(const RangeEntity& range) {
    return {context_.builder.coordinate(range.axis, span_), span_};
  }
  Operand operator()(const ValueEntity& value) { return {value.operand.node, span_}; }
  Operand operator()(const VariableEntity& entity) {
    VariableState& variable = context_.variables[entity.index];
    if (variable.failed) return poison(span_);
    return {read_variable(context_, variable, span_), span_};
  }
  Operand operator()(const PlanParameterEntity&) {
    report_unknown_name(context_, name_, span_);
    return poison(span_);
  }
  Operand operator()(const TensorEntity& tensor) {
    const ir::Tensor& declared = context_.kernel.tensors[tensor.id];
    std::string all;
    for (std::size_t i = 0; i < declared.dims.size(); ++i) all += i == 0 ? ":" : ", :";
    return not_a_value("a tensor is read at indices; `:` goes over the whole of a dimension",
                       fmt::format("write `{}[…]`, for example `{}[{}]`", name_, name_, all));
  }
  Operand operator()(const TableEntity&) {
    return not_a_value("a table is read at an index", fmt::format("write `{}[…]`", name_));
  }
  Operand operator()(const TypeEntity&) { return not_a_value("a type is not a value", ""); }
  Operand operator()(const FunctionEntity&) {
    return not_a_value("a function is called", fmt::format("write `{}(…)`", name_));
  }

 private:
  Operand not_a_value(const std::string& rule, const std::string& help) {
    auto report = context_.sink.report(Diag::not_a_value, span_, name_);
    if (const Entity* entity = context_.scope.find(name_)) {
      report.label(entity->span, "`{}` is {} here", name_, describe(*entity));
    }
    report.note("{}", rule);
    if (!help.empty()) report.help("{}", help);
    return poison(span_);
  }

  Context& context_;
  const std::string& name_;
  Span span_;
};

class Checker {
 public:
  Checker(Context& context, ast::ExprId id) : context_(context), span_(context.expr(id).span) {}

  Operand operator()(const ast::ErrorExpr&) { return poison(span_); }
  Operand operator()(const ast::IntegerLiteral& node) {
    if (const auto number = parse_integer(node.text)) return {*number, span_};
    report_too_large(context_, node.text, span_, DType::i64);
    return poison(span_);
  }
  Operand operator()(const ast::FloatLiteral& node) {
    if (const auto number = parse_float(node.text)) return {*number, span_};
    report_too_large(context_, node.text, span_, DType::f64);
    return poison(span_);
  }
  Operand operator()(const ast::BoolLiteral& node) { return {Number::of_bool(node.value), span_}; }
  Operand operator()(const ast::InfLiteral&) {
    return {Number::of_real(std::numeric_limits<double>::infinity()), span_};
  }
  Operand operator()(const ast::NameRef& node) {
    Entity* entity = use_name(context_, node.name, span_);
    if (entity == nullptr) return poison(span_);
    return std::visit(NameUse(context_, node.name, span_), entity->node);
  }
  Operand operator()(const ast::Unary& node) { return check_unary(context_, node, span_); }
  Operand operator()(const ast::Binary& node) {
    const Operand left = check_expression(context_, node.left);
    const Operand right = check_expression(context_, node.right);
    return check_binary(context_, node.op, left, node.left, right, node.right, span_, node.op_span);
  }
  Operand operator()(const ast::Cast& node) {
    const Operand operand = check_expression(context_, node.operand);
    const std::optional<DType> dtype = resolve_type(context_, node.type);
    return dtype ? cast_operand(context_, operand, *dtype, span_) : poison(span_);
  }
  Operand operator()(const ast::Membership& node) { return check_membership(context_, node, span_); }
  Operand operator()(const ast::Index& node) { return check_index(context_, node, span_); }
  Operand operator()(const ast::Call& node) { return check_call(context_, node, span_); }
  Operand operator()(const ast::Member& node) { return check_member(context_, node, span_); }
  Operand operator()(const ast::Tuple&) {
    not_implemented(context_.sink, span_, "a tuple", "R21");
    return poison(span_);
  }
  Operand operator()(const ast::ArrayLiteral&) {
    context_.sink.report(Diag::list_is_not_a_value, span_).help("name the list first: `const table = […];`");
    return poison(span_);
  }

 private:
  Context& context_;
  Span span_;
};

}  // namespace

Operand check_expression(Context& context, ast::ExprId id) {
  return std::visit(Checker(context, id), context.expr(id).node);
}

std::optional<ir::ValueId> check_condition(Context& context, const Operand& operand,
                                           const std::string& of_what) {
  const std::optional<ir::ValueId> value = materialize(context, operand);
  if (!value) return std::nullopt;
  const DType dtype = context.builder[*value].dtype;
  if (is_bool(dtype)) return value;
  auto report = context.sink.report(Diag::condition_not_bool, operand.span, of_what, spelling(dtype));
  report.help("compare it, for example `… {} 0`", is_float(dtype) ? ">" : "!=");
  return std::nullopt;
}

std::string describe_axes(const Context& context, const std::vector<ir::AxisId>& axes) {
  if (axes.empty()) return "no axes";
  return fmt::format("{} {}", axes.size() == 1 ? "axis" : "axes", context.spell(axes));
}

}  // namespace tessera::sema
