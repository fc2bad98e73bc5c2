// SPDX-License-Identifier: Apache-2.0
// Reads at indices.
#include "sema/indexing.h"

#include <algorithm>
#include <set>

#include "sema/constants.h"
#include "sema/conversion.h"
#include "sema/expressions.h"
#include "sema/sizes.h"

namespace tessera::sema {

namespace {

/// The range that an expression consists of, if it is a bare name.
const RangeEntity* bare_range(Context& context, ast::ExprId id) {
  const auto* name = std::get_if<ast::NameRef>(&context.expr(id).node);
  Entity* entity = name != nullptr ? context.scope.find(name->name) : nullptr;
  return entity != nullptr ? std::get_if<RangeEntity>(&entity->node) : nullptr;
}

/// The indices of one access to a tensor.
class Indices {
 public:
  Indices(Context& context, ir::TensorId tensor)
      : context_(context), id_(tensor), tensor_(context.kernel.tensors[tensor]) {}

  std::optional<std::vector<ir::ValueId>> of(const ast::Index& node, Span span) {
    if (node.elements.size() != tensor_.dims.size()) return wrong_count(node, span);
    if (refuse_permuted(node)) return std::nullopt;
    std::vector<ir::ValueId> values;
    bool failed = false;
    for (std::size_t dimension = 0; dimension < node.elements.size(); ++dimension) {
      const std::optional<ir::ValueId> value = of_element(node.elements[dimension], dimension);
      if (value) values.push_back(*value);
      failed = failed || !value;
    }
    if (failed) return std::nullopt;
    return values;
  }

 private:
  Span declared() const { return context_.tensor_types[id_.index()]; }

  std::optional<std::vector<ir::ValueId>> wrong_count(const ast::Index& node, Span span) {
    const std::size_t rank = tensor_.dims.size(), count = node.elements.size();
    auto report =
        context_.sink.report(Diag::wrong_index_count, span, tensor_.name, rank, rank == 1 ? "" : "s", count,
                             count == 1 ? "index was" : "indices were");
    report.label(declared(), "`{}` is declared here", tensor_.name);
    if (count < rank) report.help("every dimension has an index; `:` goes over the whole of one");
    return std::nullopt;
  }

  std::optional<ir::ValueId> of_element(const ast::IndexElement& element, std::size_t dimension) {
    if (std::holds_alternative<ast::WholeIndex>(element.node)) return whole(element.span, dimension);
    if (std::holds_alternative<ast::SliceIndex>(element.node)) {
      context_.sink.report(Diag::anonymous_slice, element.span)
          .help("name the range first: `let w in {}[lo .. hi];`", context_.spell(tensor_.dims[dimension]));
      return std::nullopt;
    }
    if (std::holds_alternative<ast::PickIndex>(element.node)) {
      context_.sink.report(Diag::pick_of_tensor, element.span, tensor_.name)
          .label(declared(), "`{}` is declared here", tensor_.name)
          .note("a pick takes one coordinate of a tile, by the name of its axis");
      return std::nullopt;
    }
    return of_expression(std::get<ast::ExprId>(element.node), dimension);
  }

  /// `:` (R2).
  std::optional<ir::ValueId> whole(Span span, std::size_t dimension) {
    const std::optional<ir::SymbolId> symbol = context_.kernel.sizes.as_symbol(tensor_.dims[dimension]);
    if (!symbol) {
      context_.sink
          .report(Diag::whole_of_expression, span, dimension, tensor_.name,
                  context_.spell(tensor_.dims[dimension]))
          .label(declared(), "`{}` is declared here", tensor_.name)
          .help("name a range: `let i in {};`", context_.spell(tensor_.dims[dimension]));
      return std::nullopt;
    }
    const auto [other, inserted] = wholes_.try_emplace(*symbol, span);
    if (!inserted) {
      context_.sink.report(Diag::symbol_twice, span, context_.kernel.symbols[*symbol].name)
          .label(other->second, "the first `:` over the same dimension")
          .note("`:` is the range named after its dimension, so this would be a diagonal")
          .help("name two ranges, for example `let i in {0}, j in {0};`",
                context_.kernel.symbols[*symbol].name);
      return std::nullopt;
    }
    return context_.builder.coordinate(context_.symbol_axis(*symbol), span);
  }

  std::optional<ir::ValueId> of_expression(ast::ExprId id, std::size_t dimension) {
    const RangeEntity* range = bare_range(context_, id);
    const bool fits = range == nullptr || bare_fits(*range, dimension);
    const Operand operand = check_expression(context_, id);
    if (!fits) return wrong_range(*bare_range(context_, id), operand.span, dimension);
    if (operand.is_poison()) return std::nullopt;
    const DType dtype = *own_type(context_, operand);
    if (!is_integer(dtype)) {
      auto report = context_.sink.report(Diag::index_not_integer, operand.span, spelling(dtype));
      if (!is_bool(dtype)) report.help("an index counts elements: `(… as index)` rounds towards 0");
      return std::nullopt;
    }
    const std::optional<ir::ValueId> value = materialize(context_, operand, DType::index);
    if (value && reads_data(*value)) {
      not_implemented(context_.sink, operand.span, "an index that is data", "R1");
      return std::nullopt;
    }
    return value;
  }

  /// R4: a bare range indexes a dimension of its own symbol, one equal to it, or a literal.
  bool bare_fits(const RangeEntity& range, std::size_t dimension) {
    const ir::SizeId size = tensor_.dims[dimension];
    if (context_.kernel.sizes.as_constant(size)) return true;
    return range.dimension && context_.canonical(*range.dimension) == context_.canonical(size);
  }

  /// Whether this range at this dimension has been refused already.
  bool told_before(ir::AxisId axis, std::size_t dimension) {
    return !context_.wrong_ranges.insert({axis, id_, dimension}).second;
  }

  std::optional<ir::ValueId> wrong_range(const RangeEntity& range, Span span, std::size_t dimension) {
    const ir::Axis& axis = context_.kernel.axes[range.axis];
    const std::string over =
        range.dimension ? context_.spell(*range.dimension)
                        : fmt::format("{} .. {}", context_.spell(axis.lower), context_.spell(axis.upper));
    if (told_before(range.axis, dimension)) return std::nullopt;
    auto report = context_.sink.report(Diag::range_of_other_dimension, span, axis.name, over, dimension,
                                       tensor_.name, context_.spell(tensor_.dims[dimension]));
    report.label(axis.span, "`{}` ranges over `{}`", axis.name, over)
        .label(declared(), "`{}` is declared here", tensor_.name)
        .note("a bare range may index only a dimension of its own symbol; `{} + 0` says that it is meant",
              axis.name);
    const std::string size = context_.spell(tensor_.dims[dimension]);
    if (!range.dimension || context_.kernel.sizes.as_constant(*range.dimension)) {
      report.help("take a part of the dimension: `{} in {}[{} .. {}]`", axis.name, size,
                  context_.spell(axis.lower), context_.spell(axis.upper));
    } else if (const std::optional<std::string> other = range_over(dimension)) {
      report.fix(span, *other, fmt::format("`{}` ranges over `{}`", *other, size));
    } else {
      report.help("name a range over `{0}`, or say that both are equal: `where {1} == {0}`", size, over);
    }
    return std::nullopt;
  }

  /// The one range in sight that may index the dimension.
  std::optional<std::string> range_over(std::size_t dimension) {
    std::optional<std::string> found;
    for (const std::string& name : context_.scope.names()) {
      const auto* range = std::get_if<RangeEntity>(&context_.scope.find(name)->node);
      if (range == nullptr || !bare_fits(*range, dimension)) continue;
      if (found) return std::nullopt;
      found = name;
    }
    return found;
  }

  /// A bare range at a dimension that it may not index.
  struct Misplaced {
    std::size_t dimension;
    ir::AxisId axis;
    RangeEntity range;
  };

  std::vector<Misplaced> misplaced_ranges(const ast::Index& node) {
    std::vector<Misplaced> result;
    for (std::size_t d = 0; d < node.elements.size(); ++d) {
      const auto* id = std::get_if<ast::ExprId>(&node.elements[d].node);
      const RangeEntity* range = id != nullptr ? bare_range(context_, *id) : nullptr;
      if (range != nullptr && !bare_fits(*range, d)) result.push_back({d, range->axis, *range});
    }
    return result;
  }

  /// The names that belong where misplaced ranges stand, if each place has exactly one among them and each is used.
  std::optional<std::map<std::size_t, std::string>> permuted(const std::vector<Misplaced>& ranges) {
    std::map<std::size_t, std::string> names;
    std::set<ir::AxisId> used;
    for (const Misplaced& place : ranges) {
      const auto fits = [&](const Misplaced& other) { return bare_fits(other.range, place.dimension); };
      const auto found = std::find_if(ranges.begin(), ranges.end(), fits);
      if (found == ranges.end() || std::count_if(ranges.begin(), ranges.end(), fits) != 1)
        return std::nullopt;
      if (!used.insert(found->axis).second) return std::nullopt;
      names[place.dimension] = context_.name(found->axis);
    }
    return names;
  }

  /// `a[k, m]` for `a[m, k]`: ranges that fit when they change places are one mistake.
  bool refuse_permuted(const ast::Index& node) {
    const std::vector<Misplaced> ranges = misplaced_ranges(node);
    const auto names = ranges.size() < 2 ? std::nullopt : permuted(ranges);
    if (!names) return false;
    for (const ast::IndexElement& element : node.elements) {
      if (const auto* id = std::get_if<ast::ExprId>(&element.node)) check_expression(context_, *id);
    }
    const Misplaced& first = ranges.front();
    if (told_before(first.axis, first.dimension)) return true;
    const std::size_t last = ranges.back().dimension;
    auto report =
        context_.sink.report(Diag::range_of_other_dimension, node.elements[first.dimension].span,
                             context_.name(first.axis), context_.spell(*first.range.dimension),
                             first.dimension, tensor_.name, context_.spell(tensor_.dims[first.dimension]));
    report.label(declared(), "`{}` is declared here", tensor_.name)
        .note("a bare range may index only a dimension of its own symbol; `{} + 0` says that it is meant",
              context_.name(first.axis));
    if (const auto text = between(node, first.dimension, last, *names)) {
      report.fix(merge(node.elements[first.dimension].span, node.elements[last].span), *text,
                 "the indices have changed places");
    } else {
      report.help("the indices have changed places: `{}` belongs here", names->at(first.dimension));
    }
    return true;
  }

  /// The indices of some dimensions as text, with names in some places; absent if there is more than bare ranges.
  std::optional<std::string> between(const ast::Index& node, std::size_t first, std::size_t last,
                                     const std::map<std::size_t, std::string>& names) {
    std::string text;
    for (std::size_t d = first; d <= last; ++d) {
      const auto name = names.find(d);
      const auto* id = std::get_if<ast::ExprId>(&node.elements[d].node);
      const RangeEntity* range = id != nullptr ? bare_range(context_, *id) : nullptr;
      if (range == nullptr) return std::nullopt;
      text += (d == first ? "" : ", ") + (name != names.end() ? name->second : context_.name(range->axis));
    }
    return text;
  }

  /// Whether an index depends on an element of a tensor.
  bool reads_data(ir::ValueId value) const {
    const ir::Op& op = context_.builder[value].op;
    if (std::holds_alternative<ir::Load>(op) || std::holds_alternative<ir::ReadVariable>(op)) return true;
    const std::vector<ir::ValueId> operands = ir::operands_of(op);
    return std::any_of(operands.begin(), operands.end(),
                       [this](ir::ValueId operand) { return reads_data(operand); });
  }

  Context& context_;
  ir::TensorId id_;
  const ir::Tensor& tensor_;
  std::map<ir::SymbolId, Span> wholes_;
};

Operand load(Context& context, ir::TensorId id, const ast::Index& node, Span span) {
  const ir::Tensor& tensor = context.kernel.tensors[id];
  if (tensor.is_output) {
    context.sink.report(Diag::reads_output, span, tensor.name)
        .label(tensor.span, "`{}` is declared `out` here", tensor.name)
        .help("keep what you stored in a `let`");
    return poison(span);
  }
  std::optional<std::vector<ir::ValueId>> indices = check_indices(context, id, node, span);
  if (!indices) return poison(span);
  return {context.builder.add(ir::Load{id, std::move(*indices), 0}, tensor.dtype, span), span};
}

Operand lookup(Context& context, const std::string& name, const TableEntity& table, const ast::Index& node,
               Span span) {
  const auto* index = node.elements.size() == 1 ? std::get_if<ast::ExprId>(&node.elements[0].node) : nullptr;
  if (index == nullptr) {
    context.sink.report(Diag::wrong_index_count, span, name, 1, "", node.elements.size(), "indices were");
    return poison(span);
  }
  const TableEntity copy = table;  // the scope may grow while the index is checked
  const Operand position = check_expression(context, *index);
  if (position.is_poison()) return poison(span);
  if (position.is_number() && position.number().is_integer()) {
    const std::int64_t at = position.number().integer;
    if (at >= 0 && static_cast<std::size_t>(at) < copy.elements.size()) {
      const Number number = copy.elements[static_cast<std::size_t>(at)];
      if (!copy.dtype) return {number, span};
      return {context.builder.constant(*to_literal(number, *copy.dtype), *copy.dtype, span), span};
    }
    context.sink.report(Diag::outside_table, position.span, at, name, copy.elements.size());
    return poison(span);
  }
  if (!is_integer(*own_type(context, position))) {
    context.sink.report(Diag::index_not_integer, position.span, spelling(*own_type(context, position)));
    return poison(span);
  }
  const std::optional<ir::ValueId> value = materialize(context, position, DType::index);
  if (!value) return poison(span);
  Operand element{TableElement{name, copy.elements, *value}, span};
  if (!copy.dtype) return element;
  const std::optional<ir::ValueId> typed = materialize(context, element, *copy.dtype);
  return typed ? Operand{*typed, span} : poison(span);
}

bool all_picks(const ast::Index& node) {
  return !node.elements.empty() &&
         std::all_of(node.elements.begin(), node.elements.end(), [](const auto& element) {
           return std::holds_alternative<ast::PickIndex>(element.node);
         });
}

bool has_axis(const Context& context, ir::ValueId value, ir::AxisId axis) {
  const std::vector<ir::AxisId>& axes = context.builder[value].axes;
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

/// `t[c = 3]` of any tile that is not a variable.
Operand pick(Context& context, const ast::Index& node, Span span) {
  const Operand base = check_expression(context, node.base);
  const std::optional<std::vector<PickedCoordinate>> picks = check_picks(context, node);
  if (!picks || base.is_poison()) return poison(span);
  const std::optional<ir::ValueId> value = materialize(context, base);
  if (!value) return poison(span);
  ir::ValueId result = *value;
  for (const PickedCoordinate& picked : *picks) {
    if (!has_axis(context, result, picked.axis)) {
      context.sink
          .report(Diag::not_an_axis, picked.span, context.name(picked.axis),
                  describe_axes(context, context.builder[result].axes))
          .label(base.span, "this has {}", describe_axes(context, context.builder[result].axes))
          .label(context.kernel.axes[picked.axis].span, "`{}` comes from here", context.name(picked.axis));
      return poison(span);
    }
    const DType dtype = context.builder[result].dtype;
    result = observed(context, result, {picked.axis});
    result = context.builder.add(ir::Pick{result, picked.axis, picked.coordinate}, dtype, span);
  }
  return {result, span};
}

Operand pick_variable(Context& context, std::size_t index, const ast::Index& node, Span span) {
  const std::optional<std::vector<PickedCoordinate>> picks = check_picks(context, node);
  VariableState& variable = context.variables[index];
  if (!picks || variable.failed) return poison(span);
  if (picks->size() != 1) return pick(context, node, span);
  const PickedCoordinate& picked = picks->front();
  if (std::find(variable.axes.begin(), variable.axes.end(), picked.axis) == variable.axes.end()) {
    context.sink
        .report(Diag::not_an_axis, picked.span, context.name(picked.axis),
                describe_axes(context, variable.axes))
        .label(variable.span, "`{}` has {}", variable.name, describe_axes(context, variable.axes));
    return poison(span);
  }
  return {read_variable_at(context, variable, picked.axis, picked.coordinate, span), span};
}

}  // namespace

std::optional<std::vector<ir::ValueId>> check_indices(Context& context, ir::TensorId tensor,
                                                      const ast::Index& node, Span span) {
  return Indices(context, tensor).of(node, span);
}

std::optional<std::vector<PickedCoordinate>> check_picks(Context& context, const ast::Index& node) {
  std::vector<PickedCoordinate> picks;
  for (const ast::IndexElement& element : node.elements) {
    const auto& pick = std::get<ast::PickIndex>(element.node);
    Entity* entity = use_name(context, pick.axis.text, pick.axis.span);
    if (entity == nullptr) return std::nullopt;
    const auto* range = std::get_if<RangeEntity>(&entity->node);
    const ir::SizeTable& sizes = context.kernel.sizes;
    const ir::Axis* axis = range != nullptr ? &context.kernel.axes[range->axis] : nullptr;
    const bool literal = axis != nullptr && axis->kind == ir::AxisKind::let &&
                         sizes.as_constant(axis->lower) && sizes.as_constant(axis->upper);
    if (!literal) {
      if (std::holds_alternative<ErrorEntity>(entity->node)) return std::nullopt;
      context.sink.report(Diag::pick_needs_literal_range, pick.axis.span, pick.axis.text)
          .label(entity->span, "`{}` is {} here", pick.axis.text, describe(*entity))
          .note("a pick takes one coordinate of a `let` range with a literal extent, as `let c in 4`");
      return std::nullopt;
    }
    const std::optional<std::int64_t> coordinate =
        constant_integer(context, pick.value, "the coordinate of a pick");
    if (!coordinate) return std::nullopt;
    const std::int64_t lower = *sizes.as_constant(axis->lower), upper = *sizes.as_constant(axis->upper);
    if (*coordinate < lower || *coordinate >= upper) {
      context.sink.report(Diag::pick_outside, element.span, *coordinate, axis->name, lower, upper)
          .label(axis->span, "`{}` ranges over {} .. {}", axis->name, lower, upper);
      return std::nullopt;
    }
    picks.push_back({range->axis, *coordinate, element.span});
  }
  return picks;
}

bool refuse_separate_brackets(Context& context, const ast::Index& node, Span span) {
  const auto* inner = std::get_if<ast::Index>(&context.expr(node.base).node);
  const auto* name = inner != nullptr ? std::get_if<ast::NameRef>(&context.expr(inner->base).node) : nullptr;
  Entity* entity = name != nullptr ? context.scope.find(name->name) : nullptr;
  const auto* declared = entity != nullptr ? std::get_if<TensorEntity>(&entity->node) : nullptr;
  if (declared == nullptr || inner->elements.empty() || node.elements.empty()) return false;
  const ir::Tensor& tensor = context.kernel.tensors[declared->id];
  const std::size_t rank = tensor.dims.size(), count = inner->elements.size();
  if (count >= rank) return false;
  entity->used = true;
  const Span between{span.file, inner->elements.back().span.end, node.elements.front().span.begin};
  context.sink
      .report(Diag::wrong_index_count, context.expr(node.base).span, tensor.name, rank, rank == 1 ? "" : "s",
              count, count == 1 ? "index was" : "indices were")
      .fix(between, ", ", "all indices stand in one pair of brackets");
  return true;
}

Operand check_index(Context& context, const ast::Index& node, Span span) {
  const ast::Expr& base = context.expr(node.base);
  if (refuse_separate_brackets(context, node, span)) return poison(span);
  if (const auto* name = std::get_if<ast::NameRef>(&base.node)) {
    Entity* entity = context.scope.find(name->name);
    if (entity != nullptr) {
      entity->used = true;
      if (const auto* tensor = std::get_if<TensorEntity>(&entity->node))
        return load(context, tensor->id, node, span);
      if (const auto* table = std::get_if<TableEntity>(&entity->node)) {
        return lookup(context, name->name, *table, node, span);
      }
      const auto* variable = std::get_if<VariableEntity>(&entity->node);
      if (variable != nullptr && all_picks(node)) return pick_variable(context, variable->index, node, span);
    }
  }
  if (all_picks(node)) return pick(context, node, span);
  const Operand operand = check_expression(context, node.base);
  if (!operand.is_poison()) {
    context.sink.report(Diag::not_a_tensor, base.span)
        .note("only tensors and tables are indexed; a tile already is at its coordinates")
        .help("`t[c = 3]` takes one coordinate of a tile");
  }
  return poison(span);
}

namespace {

Operand unknown_member(Context& context, const ast::Member& node, Span span) {
  const std::string& member = node.member.text;
  const auto* name = std::get_if<ast::NameRef>(&context.expr(node.base).node);
  Entity* entity = name != nullptr ? context.scope.find(name->name) : nullptr;
  const auto* tensor = entity != nullptr ? std::get_if<TensorEntity>(&entity->node) : nullptr;
  if (tensor == nullptr && check_expression(context, node.base).is_poison()) return poison(span);
  auto report = context.sink.report(Diag::unknown_member, node.member.span, member);
  if (tensor == nullptr) {
    report.note("a range with a semantic step has `.begin`, `.end`, `.size` and `.id`");
    return poison(span);
  }
  entity->used = true;
  report.label(context.tensor_types[tensor->id.index()], "`{}` is declared here", name->name);
  if (member == "T") {
    report.help("there are no transposes: index in the other order, `x[n, m]`");
  } else {
    report.help("the extents of a tensor are the names of its dimensions");
  }
  return poison(span);
}

}  // namespace

Operand check_member(Context& context, const ast::Member& node, Span span) {
  const RangeEntity* range = bare_range(context, node.base);
  const std::string& member = node.member.text;
  const bool known = member == "begin" || member == "end" || member == "size" || member == "id";
  if (range == nullptr || !known) return unknown_member(context, node, span);
  const ir::Axis& axis = context.kernel.axes[range->axis];
  if (axis.step != ir::StepKind::semantic) {
    context.sink.report(Diag::member_needs_semantic_step, node.member.span, member, axis.name)
        .label(axis.span, "`{}` {}", axis.name,
               axis.step == ir::StepKind::plan ? "has a step that the plan chooses" : "has no step")
        .note("what a tile begins with would depend on the plan");
    return poison(span);
  }
  // The first coordinate of a tile is the least one; all else follows from it.
  Builder& builder = context.builder;
  const ir::AxisId id = range->axis;
  const ir::ValueId coordinate = builder.coordinate(id, span);
  if (member == "size")
    return {builder.add(ir::Reduce{ir::ReduceOp::count, {id}, coordinate}, DType::index, span), span};
  if (member == "end") {
    const ir::ValueId last = builder.add(ir::Reduce{ir::ReduceOp::max, {id}, coordinate}, DType::index, span);
    return {builder.binary(ir::BinaryOp::add, last, builder.index(1, span), DType::index, span), span};
  }
  const ir::ValueId begin = builder.add(ir::Reduce{ir::ReduceOp::min, {id}, coordinate}, DType::index, span);
  if (member == "begin") return {begin, span};
  const ir::ValueId lower = builder.add(ir::Extent{axis.lower}, DType::index, span);
  const ir::ValueId distance = builder.binary(ir::BinaryOp::subtract, begin, lower, DType::index, span);
  const ir::ValueId step = builder.index(axis.step_size, span);
  return {builder.binary(ir::BinaryOp::divide, distance, step, DType::index, span), span};
}

}  // namespace tessera::sema
