// SPDX-License-Identifier: Apache-2.0
// The library of scalar functions, `where`, and the way from a callee's name to what it does.
#include "sema/calls.h"

#include <map>
#include <optional>

#include "base/check.h"
#include "sema/conversion.h"
#include "sema/expressions.h"
#include "sema/foreign_names.h"
#include "sema/functions.h"
#include "sema/products.h"
#include "sema/reductions.h"
#include "sema/sizes.h"
#include "sema/types.h"

namespace tessera::sema {

namespace {

using ir::MathFunction;

const std::map<std::string, MathFunction, std::less<>>& math_functions() {
  static const std::map<std::string, MathFunction, std::less<>> table = {
      {"exp", MathFunction::exp},         {"exp2", MathFunction::exp2},
      {"expm1", MathFunction::expm1},     {"log", MathFunction::log},
      {"log2", MathFunction::log2},       {"log1p", MathFunction::log1p},
      {"sqrt", MathFunction::sqrt},       {"rsqrt", MathFunction::rsqrt},
      {"sin", MathFunction::sin},         {"cos", MathFunction::cos},
      {"tanh", MathFunction::tanh},       {"erf", MathFunction::erf},
      {"sigmoid", MathFunction::sigmoid}, {"gelu", MathFunction::gelu},
      {"silu", MathFunction::silu},       {"gelu_tanh", MathFunction::gelu_tanh},
      {"relu", MathFunction::relu},       {"pow", MathFunction::pow},
  };
  return table;
}

const std::map<std::string, ir::UnaryOp, std::less<>>& unary_functions() {
  static const std::map<std::string, ir::UnaryOp, std::less<>> table = {
      {"abs", ir::UnaryOp::absolute}, {"floor", ir::UnaryOp::floor},    {"ceil", ir::UnaryOp::ceil},
      {"round", ir::UnaryOp::round},  {"trunc", ir::UnaryOp::truncate},
  };
  return table;
}

/// Known names that are not implemented yet, with their rules.
const std::map<std::string, std::string, std::less<>>& planned_functions() {
  static const std::map<std::string, std::string, std::less<>> table = {
      {"moments", "R21"},
      {"cumsum", "R10"},
      {"cumprod", "R10"},
      {"cummax", "R10"},
      {"cummin", "R10"},
      {"matmul", "R30"},
      {"all_reduce", "R30"},
      {"all_gather", "R30"},
      {"reduce_scatter", "R30"},
      {"copy_async", "the explicit layer"},
      {"acquire", "the explicit layer"},
      {"commit", "the explicit layer"},
      {"wait", "the explicit layer"},
      {"release", "the explicit layer"},
      {"barrier", "the explicit layer"},
      {"random", "R31"},
  };
  return table;
}

std::size_t arity(const std::string& name) {
  if (name == "clamp") return 3;
  return name == "min" || name == "max" || name == "pow" ? 2 : 1;
}

/// The last axis of an operand, as an example of one to fold.
std::string axis_of(const Context& context, const Operand& operand) {
  const bool any = operand.is_value() && !context.builder[operand.value()].axes.empty();
  return any ? context.name(context.builder[operand.value()].axes.back()) : "c";
}

class LibraryCall {
 public:
  LibraryCall(Context& context, const std::string& name, Span span, Span name_span)
      : context_(context), name_(name), span_(span), name_span_(name_span) {}

  Operand of(const std::vector<Operand>& arguments) {
    if (arguments.size() != arity(name_)) return wrong_count(arguments);
    if (name_ == "identity") return {arguments[0].node, span_};
    if (name_ == "min" || name_ == "max") return extremum(name_, arguments[0], arguments[1]);
    if (name_ == "clamp") return extremum("min", extremum("max", arguments[0], arguments[1]), arguments[2]);
    const std::optional<DType> type = meeting_type(context_, arguments, Meeting::arithmetic, name_span_);
    if (!type) return poison(span_);
    const bool takes_integers = name_ == "abs";
    if (is_float(*type) || (takes_integers && is_integer(*type))) return applied(arguments, *type);
    const bool all_literal = context_arguments_are_literals(arguments);
    if (all_literal && is_integer(*type)) return applied(arguments, lone_type());
    return refuse(*type);
  }

 private:
  DType lone_type() const { return context_.is_f64 ? DType::f64 : DType::f32; }

  static bool context_arguments_are_literals(const std::vector<Operand>& arguments) {
    for (const Operand& argument : arguments) {
      if (argument.is_value()) return false;
    }
    return true;
  }

  Operand wrong_count(const std::vector<Operand>& arguments) {
    const std::size_t expected = arity(name_), count = arguments.size();
    auto report = context_.sink.report(Diag::wrong_argument_count, span_, name_, expected,
                                       expected == 1 ? "" : "s", count);
    const bool folds = is_reduction(name_) && count == 1;
    if (folds) report.help("to fold an axis, name it: `{}[{}](…)`", name_, axis_of(context_, arguments[0]));
    if (name_ == "clamp") report.help("write `clamp(x, low, high)`");
    if (is_reduction(name_) && count > 2) report.help("nest them: `{0}(a, {0}(b, c))`", name_);
    return poison(span_);
  }

  Operand refuse(DType dtype) {
    auto report = context_.sink.report(Diag::operator_type, name_span_, name_, spelling(dtype));
    if (!is_bool(dtype)) report.help("convert the argument first, for example `(… as f32)`");
    return poison(span_);
  }

  Operand extremum(const std::string& name, const Operand& left, const Operand& right) {
    if (left.is_poison() || right.is_poison()) return poison(span_);
    const std::optional<DType> type = meeting_type(context_, {left, right}, Meeting::storage, name_span_);
    if (!type) return poison(span_);
    if (is_bool(*type)) return refuse(*type);
    const std::optional<ir::ValueId> a = materialize(context_, left, *type),
                                     b = materialize(context_, right, *type);
    if (!a || !b) return poison(span_);
    const ir::BinaryOp op = name == "min" ? ir::BinaryOp::minimum : ir::BinaryOp::maximum;
    return {context_.builder.binary(op, *a, *b, *type, span_), span_};
  }

  Operand applied(const std::vector<Operand>& arguments, DType type) {
    std::vector<ir::ValueId> values;
    for (const Operand& argument : arguments) {
      const std::optional<ir::ValueId> value = materialize(context_, argument, type);
      if (!value) return poison(span_);
      values.push_back(*value);
    }
    const auto unary = unary_functions().find(name_);
    if (unary != unary_functions().end()) {
      return {context_.builder.add(ir::Unary{unary->second, values[0]}, type, span_), span_};
    }
    MathFunction function = math_functions().at(name_);
    if (context_.precision.fast_exp && function == MathFunction::exp) function = MathFunction::exp_fast;
    if (context_.precision.fast_exp && function == MathFunction::exp2) function = MathFunction::exp2_fast;
    return {context_.builder.add(ir::Math{function, std::move(values)}, type, span_), span_};
  }

  Context& context_;
  const std::string& name_;
  Span span_, name_span_;
};

Operand check_where(Context& context, const std::vector<Operand>& arguments, Span span, Span name_span) {
  if (arguments.size() != 2 && arguments.size() != 3) {
    context.sink.report(Diag::wrong_argument_count, span, "where", "2 or 3", "s", arguments.size());
    return poison(span);
  }
  const std::optional<ir::ValueId> condition = check_condition(context, arguments[0], "`where`");
  if (arguments.size() == 2) {
    const std::optional<ir::ValueId> value = materialize(context, arguments[1]);
    if (!condition || !value) return poison(span);
    return {context.builder.add(ir::Filter{*condition, *value}, context.builder[*value].dtype, span), span};
  }
  const std::optional<DType> type =
      meeting_type(context, {arguments[1], arguments[2]}, Meeting::storage, name_span);
  if (!type || !condition) return poison(span);
  const std::optional<ir::ValueId> if_true = materialize(context, arguments[1], *type),
                                   if_false = materialize(context, arguments[2], *type);
  if (!if_true || !if_false) return poison(span);
  return {context.builder.add(ir::Select{*condition, *if_true, *if_false}, *type, span), span};
}

/// A call whose callee is a name.
class NamedCall {
 public:
  NamedCall(Context& context, const ast::Call& node, const std::string& name, Span span, Span name_span)
      : context_(context), node_(node), name_(name), span_(span), name_span_(name_span) {}

  Operand check() {
    Entity* entity = context_.scope.find(name_);
    if (entity != nullptr && std::holds_alternative<ErrorEntity>(entity->node)) return check_and_drop();
    const auto* function = entity != nullptr ? std::get_if<FunctionEntity>(&entity->node) : nullptr;
    if (function != nullptr) {
      entity->used = true;
      const FunctionEntity callee = *function;
      if (callee.declaration.valid()) return user_function(callee);
      return library(callee.library_name);
    }
    if (is_library_function(name_) || name_ == "where") return library(name_);
    if (entity != nullptr) return not_a_function(*entity);
    return unknown();
  }

 private:
  Operand user_function(const FunctionEntity& callee) {
    if (!plain(false)) return poison(span_);
    return call_function(context_, callee, name_, arguments(), span_);
  }

  Operand library(const std::string& name) {
    const auto planned = planned_functions().find(name);
    if (planned != planned_functions().end()) {
      auto report =
          context_.sink.report(Diag::not_implemented, name_span_, "`" + name + "`", planned->second);
      if (name == "matmul") report.help("in a kernel, a product of matrices is `dot(a[m, :], b[:, n])`");
      return check_and_drop();
    }
    if (name == "dot") return product();
    if (node_.axes) {
      if (!is_reduction(name)) {
        context_.sink.report(Diag::not_a_reduction, name_span_, name)
            .note("axes in brackets are what a reduction folds");
        return check_and_drop();
      }
      return reduction(name);
    }
    if (!plain(true)) return poison(span_);
    if (name == "where") return check_where(context_, arguments(), span_, name_span_);
    const bool pointwise = name == "min" || name == "max" || !is_reduction(name);
    if (!pointwise) {
      const std::vector<Operand> operands = arguments();
      context_.sink.report(Diag::reduction_needs_axes, name_span_, name)
          .help("name the axes that it folds: `{}[{}](…)`", name,
                operands.empty() ? "c" : axis_of(context_, operands[0]));
      return poison(span_);
    }
    return call_library(context_, name, arguments(), span_, name_span_);
  }

  Operand product() {
    if (!node_.generics.empty()) {
      not_implemented(context_.sink, node_.generics.front().name.span,
                      "`dot<T = …>`, a type for one product,", "R9");
      return check_and_drop();
    }
    if (!plain(true)) return poison(span_);
    if (node_.axes && node_.axes->empty()) {
      context_.sink.report(Diag::reduction_needs_axes, name_span_, "dot")
          .help("`dot(a, b)` sums over all axes that both have, `dot[k](a, b)` over those that it names");
      return check_and_drop();
    }
    return check_dot(context_, node_, arguments(), span_, name_span_);
  }

  Operand reduction(const std::string& name) {
    if (!plain(true)) return poison(span_);
    const std::vector<Operand> operands = arguments();
    if (operands.size() == 1 && !node_.axes->empty()) {
      return check_reduction(context_, name, name_span_, *node_.axes, operands[0], node_.arguments[0].value,
                             span_);
    }
    if (node_.axes->empty()) {
      context_.sink.report(Diag::reduction_needs_axes, name_span_, name)
          .help("name the axes that it folds: `{}[c](…)`", name);
    } else {
      context_.sink.report(Diag::wrong_argument_count, span_, name, 1, "", operands.size());
    }
    return poison(span_);
  }

  /// No generic and no named arguments; no axes either unless they are handled elsewhere.
  bool plain(bool axes_handled) {
    for (const ast::Argument& argument : node_.arguments) {
      if (!argument.name) continue;
      auto report = context_.sink.report(Diag::named_argument, argument.span, argument.name->text, name_);
      if ((is_reduction(name_) || name_ == "dot") && !node_.axes) {
        report.help("the axis stands in brackets, by its name: `{}[c](…)`", name_);
      } else {
        report.help("arguments go by their place: leave out `{} =`", argument.name->text);
      }
      return false;
    }
    if (!node_.generics.empty()) {
      not_implemented(context_.sink, name_span_, "generic arguments at a call", "R22");
      return false;
    }
    if (node_.axes && !axes_handled) {
      not_implemented(context_.sink, name_span_, "a function of tiles", "R21");
      return false;
    }
    return true;
  }

  std::vector<Operand> arguments() {
    std::vector<Operand> operands;
    for (const ast::Argument& argument : node_.arguments)
      operands.push_back(check_expression(context_, argument.value));
    return operands;
  }

  /// The arguments may hold mistakes of their own.
  Operand check_and_drop() {
    arguments();
    return poison(span_);
  }

  Operand not_a_function(const Entity& entity) {
    auto report = context_.sink.report(Diag::not_a_function, name_span_, "`" + name_ + "`");
    report.label(entity.span, "`{}` is {} here", name_, describe(entity));
    if (std::holds_alternative<TensorEntity>(entity.node) || std::holds_alternative<TableEntity>(entity.node))
      report.help("an element is read with brackets: `{}[…]`", name_);
    return check_and_drop();
  }

  Operand unknown() {
    auto report = context_.sink.report(Diag::unknown_function, name_span_, name_);
    if (suggest_function(report, name_, name_span_)) return check_and_drop();
    std::vector<std::string> candidates = context_.scope.names();
    for (const auto& [name, function] : math_functions()) candidates.push_back(name);
    for (const auto& [name, function] : unary_functions()) candidates.push_back(name);
    for (const char* name : {"where", "dot", "min", "max", "clamp", "sum", "prod", "mean", "any", "all",
                             "count", "argmax", "argmin"}) {
      candidates.emplace_back(name);
    }
    if (const auto suggestion = nearest(name_, candidates)) {
      report.fix(name_span_, *suggestion, fmt::format("did you mean `{}`?", *suggestion));
    }
    return check_and_drop();
  }

  Context& context_;
  const ast::Call& node_;
  const std::string& name_;
  Span span_, name_span_;
};

/// `np.exp(x)`, `x.sum()`: functions here belong to nothing.
Operand check_method(Context& context, const ast::Call& node, const ast::Member& member, Span span) {
  const Span callee_span = context.expr(node.callee).span;
  const auto* base = std::get_if<ast::NameRef>(&context.expr(member.base).node);
  const std::string& name = member.member.text;
  const bool module = base != nullptr && is_foreign_module(base->name) && !context.scope.find(base->name);
  const std::string written = base != nullptr ? base->name + "." + name : name;
  auto report = context.sink.report(Diag::unknown_function, callee_span, written);
  if (module && is_library_function(name)) {
    report.fix(callee_span, name, "functions of the library have no prefix");
  } else if (module) {
    suggest_function(report, name, callee_span);
  } else if (is_reduction(name)) {
    report.help("a reduction stands before its operand and names the axes that it folds: `{}[c](…)`", name);
  } else if (name == "dot" || name == "matmul") {
    report.help("a product of matrices is `dot(a[m, :], b[:, n])`");
  } else if (is_library_function(name) || !suggest_function(report, name, callee_span)) {
    report.help("a function stands before its arguments: `{}(…)`", is_library_function(name) ? name : "exp");
  }
  for (const ast::Argument& argument : node.arguments) check_expression(context, argument.value);
  return poison(span);
}

}  // namespace

bool is_library_function(const std::string& name) {
  return math_functions().contains(name) || unary_functions().contains(name) ||
         planned_functions().contains(name) || is_reduction(name) || name == "dot" || name == "clamp" ||
         name == "identity";
}

Operand call_library(Context& context, const std::string& name, const std::vector<Operand>& arguments,
                     Span span, Span name_span) {
  for (const Operand& argument : arguments) {
    if (argument.is_poison()) return poison(span);
  }
  return LibraryCall(context, name, span, name_span).of(arguments);
}

Operand check_call(Context& context, const ast::Call& node, Span span) {
  const ast::Expr& callee = context.expr(node.callee);
  if (const auto* name = std::get_if<ast::NameRef>(&callee.node)) {
    return NamedCall(context, node, name->name, span, callee.span).check();
  }
  if (const auto* member = std::get_if<ast::Member>(&callee.node))
    return check_method(context, node, *member, span);
  if (!std::holds_alternative<ast::ErrorExpr>(callee.node))
    context.sink.report(Diag::not_a_function, callee.span, "this expression")
        .help("a product is written `a * b`");
  return poison(span);
}

}  // namespace tessera::sema
