// SPDX-License-Identifier: Apache-2.0
// The parts of a kernel in the order in which they need each other.
#include "sema/kernels.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "sema/annotations.h"
#include "sema/clauses.h"
#include "sema/constants.h"
#include "sema/functions.h"
#include "sema/generics.h"
#include "sema/parameters.h"
#include "sema/passes/passes.h"
#include "sema/prove/legality.h"
#include "sema/ranges.h"
#include "sema/statements.h"

namespace tessera::sema {

namespace {

class KernelChecker {
 public:
  KernelChecker(Context& context, const ast::Decl& declaration)
      : context_(context), declaration_(declaration), kernel_(std::get<ast::KernelDecl>(declaration.node)) {}

  void check(const Instantiation& instantiation) {
    const std::size_t errors = context_.sink.errors_raised();
    context_.scope.push();
    bind_generics(context_, kernel_.generics, instantiation.arguments, instantiation.name_span);
    check_parameters(context_, kernel_.parameters, kernel_.body.span);
    if (context_.sink.errors_raised() == errors) check_symbols_bare(context_);
    check_clauses(context_, kernel_.clauses);
    check_kernel_annotations(context_, declaration_.annotations);
    collect_plan_parameters(context_, kernel_.body);
    check_body();
    check_tiles_used(context_);
    if (context_.sink.errors_raised() == errors) warn_unused();  // a mistake may hide a use
    context_.scope.pop();
  }

 private:
  void check_body() {
    context_.scope.push();
    const ast::Stmt* first = nullptr;
    const bool any_grid = std::ranges::any_of(kernel_.body.statements, [this](ast::StmtId id) {
      return std::holds_alternative<ast::GridStmt>(context_.file[id].node);
    });
    for (const ast::StmtId id : kernel_.body.statements) {
      const ast::Stmt& statement = context_.file[id];
      if (const auto* grid = std::get_if<ast::GridStmt>(&statement.node)) {
        if (first == nullptr) {
          check_grid(*grid, statement.span);
        } else {
          not_implemented(context_.sink, grid_head(*grid, statement.span), "a second `grid`", "R16");
        }
        first = &statement;
      } else if (any_grid || !computes(statement)) {
        check_outside_grid(statement);
      }
    }
    context_.scope.pop();
    if (first == nullptr) {
      context_.sink.report(Diag::kernel_without_grid, kernel_.name.span, kernel_.name.text)
          .help(
              "what it computes stands in a grid: `grid i in N by auto {{ … }}`, or `grid {{ … }}` for one "
              "instance");
    }
  }

  /// Whether a statement can only stand in a grid, so that a kernel without one is the mistake.
  static bool computes(const ast::Stmt& statement) {
    return !std::holds_alternative<ast::DeclStmt>(statement.node) &&
           !std::holds_alternative<ast::TempStmt>(statement.node);
  }

  static Span grid_head(const ast::GridStmt& grid, Span span) {
    return {span.file, span.begin, grid.ranges.empty() ? grid.body.span.begin : grid.ranges.back().span.end};
  }

  void check_outside_grid(const ast::Stmt& statement) {
    if (const auto* declared = std::get_if<ast::DeclStmt>(&statement.node)) {
      const ast::DeclNode& node = context_.file[declared->declaration].node;
      if (const auto* constant = std::get_if<ast::ConstDecl>(&node))
        return declare_constant(context_, *constant);
      if (std::holds_alternative<ast::FnDecl>(node)) return declare_function(context_, declared->declaration);
    }
    if (const auto* temp = std::get_if<ast::TempStmt>(&statement.node)) {
      context_.declare(temp->name, ErrorEntity{});
      return not_implemented(context_.sink, statement.span, "`temp`", "R16");
    }
    context_.sink.report(Diag::misplaced_statement, statement.span, "this statement", "in a `grid`");
    if (const auto* let = std::get_if<ast::LetStmt>(&statement.node)) {
      for (const ast::Name& name : let->names) context_.declare(name, ErrorEntity{});
    } else if (const auto* ranges = std::get_if<ast::LetRangesStmt>(&statement.node)) {
      for (const ast::Range& range : ranges->ranges) context_.declare(range.name, ErrorEntity{});
    } else if (const auto* variable = std::get_if<ast::VarStmt>(&statement.node)) {
      context_.declare(variable->name, ErrorEntity{});
    }
  }

  void check_grid(const ast::GridStmt& node, Span span) {
    ir::Grid grid;
    grid.span = grid_head(node, span);
    context_.scope.push();
    context_.builder.open_block();  // relations compute conditions
    for (const ast::Range& range : node.ranges) {
      if (const auto axis = declare_range(context_, range, ir::AxisKind::grid)) grid.axes.push_back(*axis);
    }
    grid.requests = check_grid_annotations(context_, node.annotations);
    check_block(context_, node.body);
    grid.body = context_.builder.close_block();
    context_.scope.pop();
    context_.kernel.grids.push_back(std::move(grid));
  }

  void warn_unused() {
    for (const ast::Parameter& parameter : kernel_.parameters) {
      const Entity* entity = context_.scope.find(parameter.name.text);
      if (entity == nullptr || entity->used || entity->span != parameter.name.span) continue;
      if (std::holds_alternative<ErrorEntity>(entity->node) || parameter.direction == ast::Direction::out)
        continue;
      context_.sink.report(Diag::unused_parameter, parameter.name.span, parameter.name.text);
    }
    for (const ast::GenericParameter& parameter : kernel_.generics) {
      const Entity* entity = context_.scope.find(parameter.name.text);
      if (entity == nullptr || entity->used || std::holds_alternative<ErrorEntity>(entity->node)) continue;
      context_.sink.report(Diag::unused_parameter, parameter.name.span, parameter.name.text);
    }
  }

  Context& context_;
  const ast::Decl& declaration_;
  const ast::KernelDecl& kernel_;
};

}  // namespace

std::optional<ir::Kernel> check_kernel(const ast::File& file, DiagnosticSink& sink, Scope& scope,
                                       const Instantiation& instantiation) {
  const ast::Decl& declaration = file[instantiation.declaration];
  const auto& node = std::get<ast::KernelDecl>(declaration.node);
  ir::Kernel kernel;
  kernel.name = node.name.text;
  kernel.c_name = instantiation.c_name;
  kernel.doc = fmt::format("{}", fmt::join(declaration.documentation, "\n"));
  kernel.span = node.name.span;
  const std::size_t errors = sink.errors_raised();
  Context context(file, sink, kernel, scope);
  KernelChecker(context, declaration).check(instantiation);
  if (sink.errors_raised() != errors || context.incomplete) return std::nullopt;
  check_legality(context);
  if (sink.errors_raised() != errors) return std::nullopt;
  run_passes(kernel);
  return kernel;
}

}  // namespace tessera::sema
