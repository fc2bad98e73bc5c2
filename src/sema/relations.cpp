// SPDX-License-Identifier: Apache-2.0
// Checking relations, and filtering what is observed.
#include "sema/relations.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>

#include "sema/context.h"
#include "sema/conversion.h"
#include "sema/expressions.h"

namespace tessera::sema {

namespace {

using AxisList = std::vector<ir::AxisId>;

bool contains(const AxisList& axes, ir::AxisId axis) {
  return std::binary_search(axes.begin(), axes.end(), axis);
}

bool includes(const AxisList& axes, const AxisList& part) {
  return std::includes(axes.begin(), axes.end(), part.begin(), part.end());
}

AxisList union_of(const AxisList& a, const AxisList& b) {
  AxisList result;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

/// Whether all that the conjunct is about is there at points of these axes.
bool covers(const AxisList& axes, const RelationPart& part) {
  return contains(axes, part.range) && includes(axes, part.axes);
}

AxisList point_axes_of(const Context& context, ir::ValueId id) {
  const ir::Value& value = context.builder[id];
  if (const auto* coordinate = std::get_if<ir::Coordinate>(&value.op)) return {coordinate->axis};
  AxisList axes = value.axes;
  for (const ir::ValueId operand : ir::operands_of(value.op)) {
    for (const ir::AxisId axis : context.relations.point_axes[operand.index()])
      if (!context.kernel.axes[axis].is_tile()) axes = union_of(axes, {axis});
  }
  return axes;
}

/// Works out what is known of the values up to one; iteratively, since chains of operations may be long.
void learn(Context& context, ir::ValueId up_to) {
  Relations& relations = context.relations;
  for (std::size_t i = relations.point_axes.size(); i <= up_to.index(); ++i) {
    const ir::ValueId id = context.kernel.values.id_at(i);
    relations.point_axes.push_back(point_axes_of(context, id));
    std::set<std::size_t> met;
    for (const ir::ValueId operand : ir::operands_of(context.builder[id].op)) {
      const std::set<std::size_t>& below = relations.met[operand.index()];
      met.insert(below.begin(), below.end());
    }
    for (std::size_t p = 0; p < relations.parts.size(); ++p)
      if (covers(relations.point_axes[i], relations.parts[p])) met.insert(p);
    relations.met.push_back(std::move(met));
  }
}

AxisList axes_at_points(Context& context, ir::ValueId value) {
  learn(context, value);
  return context.relations.point_axes[value.index()];
}

/// Whether a part says something about one of the axes.
bool concerns(const RelationPart& part, const AxisList& axes) {
  return std::ranges::any_of(
      axes, [&](ir::AxisId axis) { return axis == part.range || contains(part.axes, axis); });
}

/// R12: `sum[t]` where t is related to s, and no s is there to say which t exist.
void report_unmet(Context& context, const Fold& fold, const RelationPart& part, const AxisList& present) {
  AxisList missing;
  for (const ir::AxisId axis : part.axes)
    if (axis != part.range && !contains(present, axis)) missing.push_back(axis);
  const std::string &range = context.name(part.range), names = context.spell(missing);
  auto report = context.sink.report(Diag::crosses_relation, fold.callee_span, fold.callee, range,
                                    missing.size() > 1 ? "axes" : "axis", names);
  report.label(part.span, "`{}` is related to `{}` here", range, names);
  for (std::size_t i = 0; i < fold.operands.size(); ++i) {
    report.label(fold.operand_spans[i], "this has {}",
                 describe_axes(context, context.builder[fold.operands[i]].axes));
  }
  report.note("which coordinates of `{}` exist depends on `{}`, and a fold skips the others", range, names)
      .help("fold a value that has `{}`, or fold a range without a relation", names);
}

/// Whether a value is filtered by a condition already.
bool is_filtered(const Context& context, ir::ValueId value, ir::ValueId condition) {
  while (const auto* filter = std::get_if<ir::Filter>(&context.builder[value].op)) {
    if (filter->condition == condition) return true;
    value = filter->operand;
  }
  return false;
}

ir::ValueId filtered(Context& context, ir::ValueId value,
                     const std::function<bool(const RelationPart&)>& wanted) {
  const Span span = context.builder[value].span;
  for (const RelationPart& part : context.relations.parts) {
    if (!wanted(part) || is_filtered(context, value, part.condition)) continue;
    value = context.builder.add(ir::Filter{part.condition, value}, context.builder[value].dtype, span);
  }
  return value;
}

class RelationReader {
 public:
  RelationReader(Context& context, ir::AxisId id) : context_(context), id_(id) {}

  void read(ast::ExprId id) {
    const ast::Expr& expr = context_.expr(id);
    const auto* binary = std::get_if<ast::Binary>(&expr.node);
    if (binary != nullptr && binary->op == ast::BinaryOp::logical_and) {
      read(binary->left);
      read(binary->right);
      return;
    }
    const Operand operand = check_expression(context_, id);
    const std::optional<ir::ValueId> condition = check_condition(context_, operand, "a relation");
    if (condition) add(*condition, expr.span);
  }

 private:
  const std::string& name() const { return context_.name(id_); }

  void add(ir::ValueId condition, Span span) {
    // A function may give a conjunction: each part of it filters by itself.
    const auto* binary = std::get_if<ir::Binary>(&context_.builder[condition].op);
    if (binary != nullptr && binary->op == ir::BinaryOp::logical_and) {
      const ir::ValueId right = binary->right;
      add(binary->left, span);
      return add(right, span);
    }
    if (is_data(condition)) {
      return not_implemented(context_.sink, span, "a relation that depends on data", "R18");
    }
    std::vector<ir::Conjunct> conjuncts;
    if (!ir::append_conjuncts(context_.kernel, context_.kernel.sizes, condition, conjuncts)) {
      context_.sink.report(Diag::relation_not_affine, span, name())
          .note(
              "a relation joins by `&&` comparisons of sums of ranges, each times a constant or a size, and "
              "congruences `… % 3 == 0` by a constant, with a remainder below it")
          .help("any other condition stands where the values are: `where(c, a)`");
      return;
    }
    context_.relations.parts.push_back({id_, condition, context_.builder[condition].axes, span});
    auto& relation = context_.kernel.axes[id_].relation;
    relation.insert(relation.end(), conjuncts.begin(), conjuncts.end());
  }

  /// Whether a condition reads an element of a tensor or a variable.
  bool is_data(ir::ValueId value) const {
    const ir::Op& op = context_.builder[value].op;
    if (std::holds_alternative<ir::Load>(op) || std::holds_alternative<ir::ReadVariable>(op)) return true;
    const std::vector<ir::ValueId> operands = ir::operands_of(op);
    return std::ranges::any_of(operands, [this](ir::ValueId operand) { return is_data(operand); });
  }

  Context& context_;
  ir::AxisId id_;
};

}  // namespace

void check_relation(Context& context, const ast::Range& range, ir::AxisId id) {
  if (range.relation.valid()) RelationReader(context, id).read(range.relation);
}

ir::ValueId observed(Context& context, ir::ValueId value, const std::vector<ir::AxisId>& removed) {
  if (context.relations.parts.empty()) return value;
  const AxisList axes = axes_at_points(context, value);
  return filtered(context, value,
                  [&](const RelationPart& part) { return covers(axes, part) && concerns(part, removed); });
}

ir::ValueId observed_by_variable(Context& context, ir::ValueId value,
                                 const std::vector<ir::AxisId>& variable_axes) {
  if (context.relations.parts.empty()) return value;
  const AxisList axes = union_of(axes_at_points(context, value), variable_axes);
  // What the variable's own axes cover is filtered where the variable is read.
  return filtered(context, value, [&](const RelationPart& part) {
    return covers(axes, part) && !covers(variable_axes, part);
  });
}

ir::ValueId held_by_variable(Context& context, ir::ValueId value, const std::vector<ir::AxisId>& axes) {
  if (context.relations.parts.empty() || includes(axes, axes_at_points(context, value))) return value;
  // Others that compute the same still mention the range, so what is known of this one is not theirs.
  const ir::ValueId held = context.builder.copy(value, context.builder[value].span);
  learn(context, held);
  AxisList& known = context.relations.point_axes[held.index()];
  std::erase_if(known, [&](ir::AxisId axis) { return !contains(axes, axis); });
  return held;
}

ir::ValueId observed_by_store(Context& context, ir::ValueId value, const std::vector<ir::ValueId>& indices) {
  if (context.relations.parts.empty()) return value;
  AxisList axes = axes_at_points(context, value);
  for (const ir::ValueId index : indices) axes = union_of(axes, axes_at_points(context, index));
  return filtered(context, value, [&](const RelationPart& part) { return covers(axes, part); });
}

void observe_factors(Context& context, ir::ValueId& left, ir::ValueId& right,
                     const std::vector<ir::AxisId>& removed) {
  if (context.relations.parts.empty()) return;
  const AxisList left_axes = axes_at_points(context, left), right_axes = axes_at_points(context, right);
  const AxisList all = union_of(left_axes, right_axes);
  const auto wanted = [&](const RelationPart& part) { return covers(all, part) && concerns(part, removed); };
  const auto of_right = [&](const RelationPart& part) {
    return covers(right_axes, part) && !covers(left_axes, part);
  };
  left = filtered(context, left, [&](const RelationPart& part) { return wanted(part) && !of_right(part); });
  right = filtered(context, right, [&](const RelationPart& part) { return wanted(part) && of_right(part); });
}

bool refuse_unmet_relation(Context& context, const Fold& fold, const std::vector<ir::AxisId>& axes) {
  if (context.relations.parts.empty()) return false;
  AxisList all;
  std::set<std::size_t> met;
  for (const ir::ValueId operand : fold.operands) {
    all = union_of(all, axes_at_points(context, operand));
    const std::set<std::size_t>& below = context.relations.met[operand.index()];
    met.insert(below.begin(), below.end());
  }
  for (std::size_t p = 0; p < context.relations.parts.size(); ++p) {
    const RelationPart& part = context.relations.parts[p];
    if (!contains(axes, part.range) || met.contains(p) || covers(all, part)) continue;
    report_unmet(context, fold, part, all);
    return true;
  }
  return false;
}

const RelationPart* relation_of(const Context& context, ir::ValueId condition) {
  const auto is_it = [&](const RelationPart& part) { return part.condition == condition; };
  const auto found = std::ranges::find_if(context.relations.parts, is_it);
  return found != context.relations.parts.end() ? &*found : nullptr;
}

}  // namespace tessera::sema
