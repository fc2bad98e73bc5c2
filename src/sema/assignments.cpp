// SPDX-License-Identifier: Apache-2.0
// Assignments to variables and stores to tensors.
#include "sema/assignments.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/check.h"
#include "sema/calls.h"
#include "sema/cast_suggestion.h"
#include "sema/conversion.h"
#include "sema/expressions.h"
#include "sema/indexing.h"
#include "sema/relations.h"
#include "sema/sizes.h"
#include "sema/types.h"

namespace tessera::sema {

namespace {

bool contains(const std::vector<ir::AxisId>& axes, ir::AxisId axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

/// Where a value gets an axis from: the read or the range behind it.
Span origin_of(const Context& context, ir::ValueId value, ir::AxisId axis) {
  for (;;) {
    const ir::Value& definition = context.builder[value];
    std::optional<ir::ValueId> next;
    const bool is_read = std::holds_alternative<ir::Load>(definition.op);
    if (!is_read) {
      for (const ir::ValueId operand : ir::operands_of(definition.op)) {
        if (!next && contains(context.builder[operand].axes, axis)) next = operand;
      }
    }
    if (!next) return definition.span;
    value = *next;
  }
}

/// `v op e` for `v op= e`.
Operand combined(Context& context, ast::AssignOp op, const Operand& before, const Operand& value,
                 const ast::AssignStmt& node, Span span) {
  const auto binary = [&](ast::BinaryOp binary_op) {
    return check_binary(context, binary_op, before, {}, value, node.value, span, node.op_span);
  };
  switch (op) {
    case ast::AssignOp::set: return value;
    case ast::AssignOp::add: return binary(ast::BinaryOp::add);
    case ast::AssignOp::subtract: return binary(ast::BinaryOp::subtract);
    case ast::AssignOp::multiply: return binary(ast::BinaryOp::multiply);
    case ast::AssignOp::divide: return binary(ast::BinaryOp::divide);
    case ast::AssignOp::bit_or: return binary(ast::BinaryOp::bit_or);
    case ast::AssignOp::bit_and: return binary(ast::BinaryOp::bit_and);
    case ast::AssignOp::max: return call_library(context, "max", {before, value}, span, node.op_span);
    case ast::AssignOp::min: return call_library(context, "min", {before, value}, span, node.op_span);
  }
  unreachable("an assignment has an operator");
}

class Assignment {
 public:
  Assignment(Context& context, const ast::AssignStmt& node, Span span)
      : context_(context), node_(node), span_(span), target_(context.expr(node.target)) {}

  void check() {
    const ast::Expr* base = &target_;
    const auto* index = std::get_if<ast::Index>(&target_.node);
    if (index != nullptr) base = &context_.expr(index->base);
    const auto* name = std::get_if<ast::NameRef>(&base->node);
    if (index != nullptr && refuse_separate_brackets(context_, *index, target_.span)) return;
    if (name == nullptr) return not_assignable(base->span);
    Entity* entity = context_.scope.find(name->name);
    if (entity == nullptr) return assign_to_unknown({name->name, base->span}, index != nullptr);
    if (const auto* variable = std::get_if<VariableEntity>(&entity->node)) {
      return index != nullptr ? assign_picked(variable->index, *index) : assign(variable->index);
    }
    if (const auto* tensor = std::get_if<TensorEntity>(&entity->node)) {
      entity->used = true;
      return index != nullptr ? store(tensor->id, *index) : store_without_indices(tensor->id);
    }
    refuse(*entity, name->name, base->span);
  }

 private:
  /// `v = x[i];` without a declaration.
  void assign_to_unknown(const ast::Name& name, bool indexed) {
    check_expression(context_, node_.value);
    if (nearest(name.text, context_.scope.names()) || context_.plan_parameters.contains(name.text) ||
        context_.lower_case_symbols.contains(name.text)) {
      return report_unknown_name(context_, name.text, name.span);
    }
    auto report = context_.sink.report(Diag::unknown_name, name.span, name.text);
    if (indexed) {
      report.help("what is stored to is a parameter: `out {}: …[…]`", name.text);
    } else if (node_.op == ast::AssignOp::set) {
      report.fix({name.span.file, name.span.begin, name.span.begin}, "let ", "a value is bound by `let`")
          .note("a `var`, which can be assigned again, states its type and axes: `var {}: f32[…] = …;`",
                name.text);
    } else {
      report.help("declare it before, with its axes: `var {}: f32[…] = …;`", name.text);
    }
    context_.declare(name, ErrorEntity{});
  }

  void not_assignable(Span span) {
    check_expression(context_, node_.value);
    context_.sink.report(Diag::not_assignable, span)
        .note("a `var` or an element of an `out` tensor is assigned");
  }

  void refuse(const Entity& entity, const std::string& name, Span span) {
    const bool failed_before = std::holds_alternative<ErrorEntity>(entity.node);
    check_stored_value(failed_before && node_.op != ast::AssignOp::set);
    if (failed_before) return;
    auto report = context_.sink.report(Diag::assigns_value, span, name, describe(entity));
    report.label(entity.span, "`{}` is declared here", name);
    if (std::holds_alternative<ValueEntity>(entity.node)) report.help("declare it `var {}: … = …;`", name);
  }

  // ---- variables ----

  void assign(std::size_t index) {
    const Operand value = check_expression(context_, node_.value);
    VariableState& variable = context_.variables[index];
    if (value.is_poison() || variable.failed) {
      context_.incomplete = true;
      return;
    }
    const Operand before{
        node_.op == ast::AssignOp::set ? variable.current : read_variable(context_, variable, span_),
        target_.span};
    const std::optional<ir::ValueId> result = new_value(variable, index, before, value, variable.axes);
    if (result) assign_variable(context_, variable, *result, span_);
  }

  void assign_picked(std::size_t index, const ast::Index& target) {
    const Operand value = check_expression(context_, node_.value);
    const bool picks_only =
        std::all_of(target.elements.begin(), target.elements.end(),
                    [](const auto& element) { return std::holds_alternative<ast::PickIndex>(element.node); });
    VariableState& variable = context_.variables[index];
    if (!picks_only || target.elements.size() != 1) {
      if (picks_only)
        return not_implemented(context_.sink, target_.span, "a pick of several axes as a target", "R3");
      context_.sink.report(Diag::not_a_tensor, context_.expr(target.base).span)
          .label(variable.span, "`{}` is a `var`: its axes are its ranges", variable.name)
          .help("assign it whole, or one coordinate: `{}[c = 3]`", variable.name);
      return;
    }
    const std::optional<std::vector<PickedCoordinate>> picks = check_picks(context_, target);
    if (!picks || value.is_poison() || variable.failed) return;
    const PickedCoordinate& picked = picks->front();
    if (!contains(variable.axes, picked.axis)) {
      context_.sink
          .report(Diag::not_an_axis, picked.span, context_.name(picked.axis),
                  describe_axes(context_, variable.axes))
          .label(variable.span, "`{}` has {}", variable.name, describe_axes(context_, variable.axes));
      return;
    }
    std::vector<ir::AxisId> axes = variable.axes;
    std::erase(axes, picked.axis);
    const Operand before{read_variable_at(context_, variable, picked.axis, picked.coordinate, span_),
                         target_.span};
    const std::optional<ir::ValueId> result = new_value(variable, index, before, value, axes);
    if (result) assign_variable_at(context_, variable, picked.axis, picked.coordinate, *result, span_);
  }

  /// The value that the variable gets, of its type and within its axes.
  std::optional<ir::ValueId> new_value(const VariableState& variable, std::size_t index,
                                       const Operand& before, const Operand& value,
                                       const std::vector<ir::AxisId>& axes) {
    if (!check_loop_rule(variable, index, value)) return std::nullopt;
    if (refuse_update(variable, value)) return std::nullopt;
    Operand result = combined(context_, node_.op, before, value, node_, span_);
    if (result.is_poison()) return std::nullopt;
    result.span = value.span;
    const std::optional<ir::ValueId> converted =
        convert_for(context_, result, variable.dtype, fmt::format("`{}`", variable.name), variable.span,
                    node_.op == ast::AssignOp::set ? node_.value : ast::ExprId{});
    if (!converted) return std::nullopt;
    const std::string target = fmt::format("`{}`", variable.name);
    const bool whole = axes.size() == variable.axes.size();
    if (whole && refuse_missing_axes(variable, *converted, value.span)) return std::nullopt;
    if (!check_axes_fit(context_, *converted, axes, target, value.span, variable.span)) return std::nullopt;
    return converted;
  }

  /// `acc += e` where the sum has another type than `acc`. Converting `e` would not help a variable that computes in a
  /// wider type or has fewer bits: its declaration is what is wrong.
  bool refuse_update(const VariableState& variable, const Operand& value) {
    if ((!is_computing() && !is_choosing()) || value.is_poison()) return false;
    const DType own = variable.dtype, other = value.is_value() ? *own_type(context_, value) : own;
    if (is_bool(own) || is_bool(other)) return false;
    const bool is_narrow = is_computing() && arithmetic_type(own) != own;
    const std::optional<DType> together = common_type(own, other);
    if (!is_narrow && together && (!is_float(own) || *together == own)) return false;
    const DType wanted = is_narrow && other != DType::f64 ? arithmetic_type(own) : other;
    auto report = context_.sink.report(Diag::needs_cast, value.span, spelling(wanted),
                                       fmt::format("`{}`", variable.name), spelling(own));
    report.label(variable.span, "`{}` is `{}`", variable.name, spelling(own));
    if (is_narrow)
      report.note("arithmetic of `{}` gives `{}`, whatever is converted before it", spelling(own),
                  spelling(wanted));
    if (is_narrow || widens_left(own, other)) {
      report.fix(variable.type_span, type_of(wanted, variable.axes),
                 fmt::format("declare it `{}`, and convert it where it is stored", spelling(wanted)));
    } else {
      suggest_cast(context_, report, node_.value, value.span, other, own);
    }
    return true;
  }

  /// One of two values, which computes nothing new.
  bool is_choosing() const { return node_.op == ast::AssignOp::max || node_.op == ast::AssignOp::min; }

  bool is_computing() const {
    using enum ast::AssignOp;
    return node_.op == add || node_.op == subtract || node_.op == multiply || node_.op == divide;
  }

  std::string type_of(DType dtype, const std::vector<ir::AxisId>& axes) const {
    if (axes.empty()) return std::string(spelling(dtype));
    return fmt::format("{}[{}]", spelling(dtype), context_.spell(axes));
  }

  /// A range that the `var` could have as an axis and has not: its type is what is wrong.
  bool refuse_missing_axes(const VariableState& variable, ir::ValueId value, Span value_span) {
    const std::vector<ir::AxisId>& axes = context_.builder[value].axes;
    const auto could_have = [&](ir::AxisId axis) {
      const bool is_whole =
          std::ranges::any_of(context_.symbol_axes, [&](const auto& entry) { return entry.second == axis; });
      return !contains(variable.axes, axis) && axis.index() < variable.axes_before && !is_whole;
    };
    const auto missing = std::ranges::find_if(axes, could_have);
    if (missing == axes.end()) return false;
    std::vector<ir::AxisId> all = variable.axes;
    std::ranges::copy_if(axes, std::back_inserter(all), could_have);
    const std::string& name = context_.name(*missing);
    const std::string type = type_of(variable.dtype, all);
    context_.sink.report(Diag::axis_left_over, value_span, name, fmt::format("`{}`", variable.name))
        .label(origin_of(context_, value, *missing), "axis `{}` comes from here", name)
        .label(variable.span, "`{}` has {}", variable.name, describe_axes(context_, variable.axes))
        .fix(variable.type_span, type, fmt::format("declare it with its axes: `{}`", type));
    return true;
  }

  /// R6: in a loop with a plan step an update must come from something that crosses its axis.
  bool check_loop_rule(const VariableState& variable, std::size_t index, const Operand& value) {
    for (const OpenLoop& loop : context_.loops) {
      const ir::Axis& axis = context_.kernel.axes[loop.axis];
      if (axis.step != ir::StepKind::plan || index >= loop.variable_count) continue;
      if (value.is_value() && contains(context_.builder.crossed(value.value()), loop.axis)) continue;
      if (value.is_value() && contains(context_.builder[value.value()].axes, loop.axis))
        continue;  // left over: told there
      context_.sink.report(Diag::counts_tiles, span_, variable.name, axis.name)
          .label(axis.span, "the plan chooses how many tiles `{}` has", axis.name)
          .label(variable.span, "`{}` outlives the loop", variable.name)
          .note("the result would depend on the plan: this counts tiles")
          .help(
              "update it with something folded along `{0}`, such as `sum[{0}](…)`, or give the step a number",
              axis.name);
      return false;
    }
    return true;
  }

  // ---- stores ----

  void store_without_indices(ir::TensorId id) {
    const ir::Tensor& tensor = context_.kernel.tensors[id];
    check_expression(context_, node_.value);
    context_.sink.report(Diag::not_a_value, target_.span, tensor.name)
        .label(tensor.span, "`{}` is a tensor", tensor.name)
        .help("store at indices: `{}[{}] = …`", tensor.name, tensor.dims.empty() ? "" : "…");
  }

  Operand check_stored_value(bool is_reduction_store) {
    context_.in_reduction_store = is_reduction_store;
    Operand value = check_expression(context_, node_.value);
    context_.in_reduction_store = false;
    return value;
  }

  void store(ir::TensorId id, const ast::Index& target) {
    const Operand value = check_stored_value(node_.op != ast::AssignOp::set);
    const ir::Tensor& tensor = context_.kernel.tensors[id];
    if (!tensor.is_output) {
      context_.sink.report(Diag::writes_input, target_.span, tensor.name)
          .label(tensor.span, "`{}` is an `in` parameter", tensor.name)
          .help("declare the result `out`");
      return;
    }
    if (node_.op != ast::AssignOp::set) {
      context_.sink.report(Diag::accumulates_into_output, node_.op_span, ast::spelling(node_.op), tensor.name)
          .label(tensor.span, "`{}` is declared without `= …`", tensor.name)
          .note(
              "elements of an `out` have no value before they are stored; stores that reduce into an initial "
              "value are not implemented yet (R15)")
          .help("gather the result in a `var` and store it once");
      return;
    }
    const std::optional<std::vector<ir::ValueId>> indices = check_indices(context_, id, target, target_.span);
    if (!indices || value.is_poison()) {
      context_.incomplete = true;
      return;
    }
    const Span declared = context_.tensor_types[id.index()];
    const std::string name = fmt::format("`{}`", tensor.name);
    const std::optional<ir::ValueId> converted =
        convert_for(context_, value, tensor.dtype, name, declared, node_.value);
    if (!converted) return;
    std::vector<ir::AxisId> axes;
    for (const ir::ValueId index : *indices) {
      const std::vector<ir::AxisId>& more = context_.builder[index].axes;
      axes.insert(axes.end(), more.begin(), more.end());
    }
    if (!check_axes_fit(context_, *converted, axes, name, value.span, target_.span)) return;
    if (!check_store_in_loops(*indices, tensor)) return;
    const ir::ValueId written = observed_by_store(context_, *converted, *indices);
    context_.builder.append({ir::Write{id, *indices, written, 0}, span_});
  }

  /// R6: a store in a loop with a plan step mentions its range, or every tile would write the same elements.
  bool check_store_in_loops(const std::vector<ir::ValueId>& indices, const ir::Tensor& tensor) {
    for (const OpenLoop& loop : context_.loops) {
      const ir::Axis& axis = context_.kernel.axes[loop.axis];
      if (axis.step != ir::StepKind::plan) continue;
      const bool mentioned = std::any_of(indices.begin(), indices.end(), [&](ir::ValueId index) {
        return contains(context_.builder[index].axes, loop.axis);
      });
      if (mentioned) continue;
      context_.sink.report(Diag::store_ignores_loop, target_.span, tensor.name, axis.name)
          .label(axis.span, "the plan chooses the tiles of `{}`", axis.name)
          .note("the last tile would win, and which one that is depends on the plan")
          .help("store behind the loop");
      return false;
    }
    return true;
  }

  Context& context_;
  const ast::AssignStmt& node_;
  Span span_;
  const ast::Expr& target_;
};

}  // namespace

bool check_axes_fit(Context& context, ir::ValueId value, const std::vector<ir::AxisId>& target_axes,
                    const std::string& target, Span value_span, Span target_span,
                    std::optional<DType> declared) {
  for (const ir::AxisId axis : context.builder[value].axes) {
    if (contains(target_axes, axis)) continue;
    const std::string& name = context.name(axis);
    const Span origin = origin_of(context, value, axis);
    auto report = context.sink.report(Diag::axis_left_over, value_span, name, target);
    report.label(origin, "axis `{}` comes from here", name);
    report.label(target_span, "{} has {}", target, describe_axes(context, target_axes));
    if (declared) {
      // `t: f32[N]` for an axis i over N is meant as `f32[i]`.
      std::vector<ir::AxisId> axes;
      std::ranges::copy_if(target_axes, std::back_inserter(axes), [&](ir::AxisId target_axis) {
        const auto& dimension = context.kernel.axes[target_axis].dimension;
        const bool same = dimension && dimension == context.kernel.axes[axis].dimension;
        return !same || contains(context.builder[value].axes, target_axis);
      });
      for (const ir::AxisId more : context.builder[value].axes)
        if (!contains(axes, more)) axes.push_back(more);
      const std::string type = fmt::format("{}[{}]", spelling(*declared), context.spell(axes));
      report.fix(target_span, type, fmt::format("declare it with its axes: `{}`", type));
      return false;
    }
    report.help("fold it, for example `sum[{0}](…)` or `max[{0}](…)`", name);
    return false;
  }
  return true;
}

void check_assignment(Context& context, const ast::AssignStmt& node, Span span) {
  Assignment(context, node, span).check();
}

}  // namespace tessera::sema
