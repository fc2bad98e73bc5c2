// SPDX-License-Identifier: Apache-2.0
// Statements: declarations, loops, and what is not implemented yet.
#include "sema/statements.h"

#include <algorithm>
#include <optional>

#include "sema/annotations.h"
#include "sema/assignments.h"
#include "sema/constants.h"
#include "sema/conversion.h"
#include "sema/expressions.h"
#include "sema/functions.h"
#include "sema/ranges.h"
#include "sema/sizes.h"
#include "sema/types.h"

namespace tessera::sema {

namespace {

/// Iterations that all `static for` of one statement may unroll to.
constexpr std::int64_t kUnrollLimit = 4'096;

/// Type and axes of `f32[m, n]` at a `let` or `var`.
struct TileType {
  DType dtype;
  std::vector<ir::AxisId> axes;
};

class StatementChecker {
 public:
  StatementChecker(Context& context, Span span) : context_(context), span_(span) {}

  void operator()(const ast::ForStmt& node) {
    const std::size_t values = context_.kernel.values.size();
    const std::vector<std::size_t> carried = carry_into_loop(context_, node.body, node.ranges[0].span);
    const std::size_t variable_count = context_.variables.size();
    context_.scope.push();
    context_.builder.open_block();  // relations compute conditions
    std::vector<ir::AxisId> axes;
    bool failed = false;
    for (const ast::Range& range : node.ranges) {
      const std::optional<ir::AxisId> axis = declare_range(context_, range, ir::AxisKind::loop);
      failed = failed || !axis;
      if (!axis) continue;
      axes.push_back(*axis);
      context_.loops.push_back({*axis, variable_count});
    }
    read_carried(context_, carried, span_);
    check_block(context_, node.body);
    write_carried(context_, carried);
    ir::Block body = context_.builder.close_block();
    context_.scope.pop();
    context_.loops.resize(context_.loops.size() - axes.size());
    check_loop_annotations(context_, node.annotations, values);
    if (failed || axes.empty()) return;
    for (std::size_t i = axes.size(); i-- > 1;) {
      ir::Block outer;
      outer.push_back({ir::Loop{axes[i], std::move(body)}, span_});
      body = std::move(outer);
    }
    context_.builder.append({ir::Loop{axes[0], std::move(body)}, span_});
    read_carried(context_, carried, span_);
  }

  void operator()(const ast::StaticForStmt& node) {
    std::int64_t budget = kUnrollLimit;
    unroll(node, 0, budget);
  }

  void operator()(const ast::LetRangesStmt& node) {
    refuse_annotations(context_, node.annotations);
    for (const ast::Range& range : node.ranges) declare_range(context_, range, ir::AxisKind::let);
  }

  void operator()(const ast::LetStmt& node) {
    const bool sound = refuse_annotations(context_, node.annotations);
    Operand value = sound ? check_expression(context_, node.value) : poison(span_);
    if (node.is_tuple) {
      if (!value.is_poison()) not_implemented(context_.sink, span_, "a tuple", "R21");
      for (const ast::Name& name : node.names) context_.declare(name, ErrorEntity{});
      return;
    }
    if (node.type.valid()) value = typed(node, value);
    if (value.is_poison()) return context_.declare(node.names[0], ErrorEntity{});
    if (value.is_value()) context_.name_value(value.value(), node.names[0].text);
    context_.declare(node.names[0], ValueEntity{value});
  }

  void operator()(const ast::VarStmt& node) {
    refuse_annotations(context_, node.annotations);
    VariableState variable;
    variable.name = node.name.text;
    variable.span = node.name.span;
    variable.last_assignment = span_;
    variable.type_span = context_.file[node.type].span;
    variable.axes_before = context_.kernel.axes.size();
    const std::optional<TileType> type = tile_type(node.type);
    variable.failed = !type;
    if (type) {
      variable.dtype = type->dtype;
      variable.axes = type->axes;
    }
    initialise(variable, node);
    context_.variables.push_back(std::move(variable));
    context_.declare(node.name, VariableEntity{context_.variables.size() - 1});
  }

  void operator()(const ast::AssignStmt& node) {
    if (!refuse_annotations(context_, node.annotations)) return;
    check_assignment(context_, node, span_);
  }

  void operator()(const ast::DeclStmt& node) {
    const ast::Decl& declaration = context_.file[node.declaration];
    if (const auto* constant = std::get_if<ast::ConstDecl>(&declaration.node)) {
      declare_constant(context_, *constant);
    } else if (std::holds_alternative<ast::FnDecl>(declaration.node)) {
      declare_function(context_, node.declaration);
    } else {
      context_.sink.report(Diag::misplaced_statement, span_, "this declaration", "at file level");
    }
  }

  void operator()(const ast::GridStmt&) {
    context_.sink.report(Diag::misplaced_statement, span_, "a `grid`", "directly in a kernel's body");
  }
  void operator()(const ast::ReturnStmt&) {
    context_.sink.report(Diag::misplaced_statement, span_, "`return`", "in a function")
        .help("a kernel stores its result: `y[…] = …;`");
  }
  void operator()(const ast::IfStmt& node) {
    const Span head = merge(Span{span_.file, span_.begin, span_.begin},
                            context_.expr(node.branches.front().condition).span);
    context_.sink.report(Diag::not_implemented, head, "`if`", "R18")
        .help("`where(c, a, b)` chooses element by element; what lies outside of a tensor needs no guard");
  }
  void operator()(const ast::TempStmt&) { refuse("`temp`", "R16"); }
  void operator()(const ast::SharedStmt&) { refuse("`shared`", "the explicit layer"); }
  void operator()(const ast::ChannelStmt&) { refuse("`channel`", "the explicit layer"); }
  void operator()(const ast::RoleStmt&) { refuse("`role`", "the explicit layer"); }
  void operator()(const ast::ExprStmt& node) {
    const std::size_t errors = context_.sink.errors_raised();
    const Operand operand = check_expression(context_, node.value);
    if (context_.sink.errors_raised() != errors || operand.is_poison()) return;
    context_.sink.report(Diag::expression_without_effect, span_).help("bind it: `let name = …;`");
  }
  void operator()(const ast::InlineCudaStmt&) { refuse("inline CUDA", "the explicit layer"); }

 private:
  void refuse(const char* construct, const char* rule) {
    not_implemented(context_.sink, span_, construct, rule);
  }

  // ---- static for ----

  void unroll(const ast::StaticForStmt& node, std::size_t depth, std::int64_t& budget) {
    if (depth == node.bindings.size()) return check_block(context_, node.body);
    const ast::StaticBinding& binding = node.bindings[depth];
    const std::optional<std::pair<std::int64_t, std::int64_t>> bounds = static_bounds(binding);
    if (!bounds) return;
    for (std::int64_t i = bounds->first; i < bounds->second; ++i) {
      if (--budget < 0) {
        context_.sink.report(Diag::unrolls_too_far, binding.span, kUnrollLimit)
            .help("a `for` iterates at run time");
        return;
      }
      const std::size_t errors = context_.sink.errors_raised();
      context_.scope.push();
      context_.declare(binding.names[0], NumberEntity{Number::of(i)});
      unroll(node, depth + 1, budget);
      context_.scope.pop();
      // Another iteration would repeat the same mistakes.
      if (context_.sink.errors_raised() != errors) return;
    }
  }

  std::optional<std::pair<std::int64_t, std::int64_t>> static_bounds(const ast::StaticBinding& binding) {
    const auto* bounds = std::get_if<ast::BoundsDomain>(&binding.domain.node);
    const auto* whole = std::get_if<ast::WholeDomain>(&binding.domain.node);
    if (binding.is_tuple || (bounds == nullptr && whole == nullptr)) {
      not_implemented(context_.sink, binding.span, "a `static for` over anything but integers", "R22");
      return std::nullopt;
    }
    if (whole != nullptr) {
      const auto end = constant_integer(context_, whole->extent, "the bound of a `static for`");
      return end ? std::optional(std::pair<std::int64_t, std::int64_t>(0, *end)) : std::nullopt;
    }
    const auto begin = constant_integer(context_, bounds->lo, "the bound of a `static for`");
    const auto end = constant_integer(context_, bounds->hi, "the bound of a `static for`");
    if (!begin || !end) return std::nullopt;
    return std::pair(*begin, *end);
  }

  // ---- let and var ----

  /// The value of a `let` whose type is written.
  Operand typed(const ast::LetStmt& node, const Operand& value) {
    const std::optional<TileType> type = tile_type(node.type);
    if (!type || value.is_poison()) return poison(value.span);
    const std::string name = fmt::format("`{}`", node.names[0].text);
    const Span type_span = context_.file[node.type].span;
    const std::optional<ir::ValueId> converted =
        convert_for(context_, value, type->dtype, name, type_span, node.value);
    if (!converted ||
        !check_axes_fit(context_, *converted, type->axes, name, value.span, type_span, type->dtype)) {
      return poison(value.span);
    }
    return {*converted, value.span};
  }

  std::optional<TileType> tile_type(ast::TypeId id) {
    const ast::Type& type = context_.file[id];
    if (const auto* scalar = std::get_if<ast::ScalarType>(&type.node)) {
      const std::optional<DType> dtype = resolve_type(context_, scalar->element);
      return dtype ? std::optional(TileType{*dtype, {}}) : std::nullopt;
    }
    const auto* tile = std::get_if<ast::TensorType>(&type.node);
    if (tile == nullptr) {
      refuse("a tuple or list type", "R21");
      return std::nullopt;
    }
    const std::optional<DType> dtype = resolve_type(context_, tile->element);
    std::vector<ir::AxisId> axes;
    bool failed = !dtype;
    for (const ast::Dimension& dimension : tile->dimensions) {
      const std::optional<ir::AxisId> axis = axis_of(dimension);
      failed = failed || !axis;
      if (axis) axes.push_back(*axis);
    }
    if (failed) return std::nullopt;
    std::sort(axes.begin(), axes.end());
    if (std::adjacent_find(axes.begin(), axes.end()) != axes.end()) {
      const ir::AxisId twice = *std::adjacent_find(axes.begin(), axes.end());
      context_.sink.report(Diag::axis_twice, type.span, context_.name(twice));
      return std::nullopt;
    }
    return TileType{*dtype, std::move(axes)};
  }

  /// A dimension of a tile's type names a range, or a symbol for the range of `:`.
  std::optional<ir::AxisId> axis_of(const ast::Dimension& dimension) {
    const auto* name =
        dimension.size.valid() ? std::get_if<ast::NameRef>(&context_.expr(dimension.size).node) : nullptr;
    if (name == nullptr) {
      context_.sink.report(Diag::tile_type_axis, dimension.span).help("name a range first: `let c in 4;`");
      return std::nullopt;
    }
    Entity* entity = use_name(context_, name->name, dimension.span);
    if (entity == nullptr) return std::nullopt;
    if (const auto* symbol = std::get_if<SymbolEntity>(&entity->node))
      return context_.symbol_axis(symbol->id);
    const auto* range = std::get_if<RangeEntity>(&entity->node);
    if (range == nullptr) {
      if (!std::holds_alternative<ErrorEntity>(entity->node)) {
        context_.sink.report(Diag::not_a_range, dimension.span, name->name)
            .label(entity->span, "`{}` is {} here", name->name, describe(*entity));
      }
      return std::nullopt;
    }
    const ir::Axis& axis = context_.kernel.axes[range->axis];
    if (axis.is_tile()) return range->axis;
    context_.sink.report(Diag::scalar_range, dimension.span, name->name)
        .label(axis.span, "`{}` has no `by`: it takes one value at a time", name->name)
        .help("leave it out of the type, or let it have tiles: `{} in … by auto`", name->name);
    return std::nullopt;
  }

  void initialise(VariableState& variable, const ast::VarStmt& node) {
    if (!node.initial.valid()) {
      variable.failed = true;
      const Span end{span_.file, node.name.span.end, node.name.span.end};
      const Span type_span = context_.file[node.type].span;
      const Span behind{span_.file, std::max(end.end, type_span.end), std::max(end.end, type_span.end)};
      context_.sink.report(Diag::variable_without_value, variable.span, variable.name)
          .fix(behind, " = 0", "give it an initial value");
      return;
    }
    const Operand initial = check_expression(context_, node.initial);
    if (variable.failed || initial.is_poison()) {
      variable.failed = true;
      return;
    }
    const std::string name = fmt::format("`{}`", variable.name);
    const Span type_span = context_.file[node.type].span;
    const std::optional<ir::ValueId> value =
        convert_for(context_, initial, variable.dtype, name, type_span, node.initial);
    if (!value ||
        !check_axes_fit(context_, *value, variable.axes, name, initial.span, type_span, variable.dtype)) {
      variable.failed = true;
      return;
    }
    const ir::ValueId observed = observed_by_variable(context_, *value, variable.axes);
    context_.obligations.push_back({observed, initial.span, variable.name});
    variable.current = held_by_variable(context_, observed, variable.axes);
    context_.name_value(variable.current, variable.name);
  }

  Context& context_;
  Span span_;
};

}  // namespace

void check_block(Context& context, const ast::Block& block) {
  context.scope.push();
  for (const ast::StmtId id : block.statements) {
    const ast::Stmt& statement = context.file[id];
    std::visit(StatementChecker(context, statement.span), statement.node);
  }
  context.scope.pop();
}

bool check_function_statement(Context& context, ast::StmtId id) {
  const ast::Stmt& statement = context.file[id];
  const std::size_t errors = context.sink.errors_raised();
  const bool allowed = std::holds_alternative<ast::LetStmt>(statement.node) ||
                       std::holds_alternative<ast::DeclStmt>(statement.node);
  if (!allowed) {
    context.sink.report(Diag::function_statement, statement.span)
        .note("a function is pure: `let`, `const` and one final `return`");
    return false;
  }
  std::visit(StatementChecker(context, statement.span), statement.node);
  return context.sink.errors_raised() == errors;
}

}  // namespace tessera::sema
