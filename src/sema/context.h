// SPDX-License-Identifier: Apache-2.0
// What the checks of one kernel share: where names, values and diagnostics go.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/diagnostics.h"
#include "frontend/ast.h"
#include "sema/builder.h"
#include "sema/ir/module.h"
#include "sema/relations.h"
#include "sema/scope.h"
#include "sema/variables.h"

namespace tessera::sema {

/// What `precision(…)` says (R24, R27).
struct Precision {
  bool contract = true;
  bool fast_exp = false;
  std::optional<DType> store;
  std::string multiply;  ///< a type, tf32 or f32_split; "": not stated
  std::optional<DType> accumulate;
  Span multiply_span, accumulate_span;
};

/// A plan parameter that an `@tile` or an `@autotune` sets.
struct TileRequest {
  std::int64_t size = 0;  ///< for all launches; 0: some have one, or none is settled
  Span span, value_span;
  std::string annotation = "tile";
  bool used = false;
};

/// A value that must provably exist: the initial value of a `var` (R10).
struct Obligation {
  ir::ValueId value;
  Span span;
  std::string name;
};

/// A `for` that is open at the current statement.
struct OpenLoop {
  ir::AxisId axis;
  std::size_t variable_count = 0;  ///< variables declared before it
};

struct Context {
  Context(const ast::File& ast_file, DiagnosticSink& diagnostics, ir::Kernel& ir_kernel, Scope& names)
      : file(ast_file), sink(diagnostics), kernel(ir_kernel), scope(names), builder(ir_kernel) {}

  const ast::File& file;
  DiagnosticSink& sink;
  ir::Kernel& kernel;
  Scope& scope;
  Builder builder;

  Precision precision;
  bool is_f64 = false;  ///< the kernel's floating parameters are all f64: so are lone literals
  std::map<std::string, TileRequest> tiles;
  std::map<std::string, ir::Request> requested;  ///< by what they ask for: warps, stages, raster
  std::set<std::string> plan_parameters;     ///< names after `by`, and in annotations, that nothing declares
  std::set<std::string> lower_case_symbols;  ///< names of dimensions that were refused for their case
  std::set<std::string> unknown_names;       ///< each is told once: other uses follow from the first
  /// Ranges at dimensions that they may not index: a mistake that is repeated is told once.
  std::set<std::tuple<ir::AxisId, ir::TensorId, std::size_t>> wrong_ranges;
  std::map<ir::SymbolId, ir::AxisId> symbol_axes;  ///< the ranges that `:` stands for
  std::map<ir::SymbolId, ir::SizeId> equalities;   ///< `where W == 2*D`: what stands for a symbol
  std::deque<VariableState> variables;
  std::vector<OpenLoop> loops;
  Relations relations;                     ///< of the ranges so far
  std::vector<Span> tensor_types;          ///< of each tensor, in order: its type as written
  std::set<std::string> active_functions;  ///< being inlined now: recursion is refused
  std::vector<Obligation> obligations;
  /// Set while the value of `s[] += …` is checked: it may cross axes of the grid (R11), and what is wrong with the
  /// store is told at the store.
  bool in_reduction_store = false;
  /// Something was left out for a mistake that is told elsewhere, perhaps outside the kernel: what the kernel does
  /// as a whole is not judged.
  bool incomplete = false;

  const ast::Expr& expr(ast::ExprId id) const { return file[id]; }

  /// A size with the symbols replaced that a `where` makes equal to others.
  ir::SizeId canonical(ir::SizeId size);
  /// A size, an axis set and a type as the user would write them.
  std::string spell(ir::SizeId size) const;
  std::string spell(const std::vector<ir::AxisId>& axes) const;
  const std::string& name(ir::AxisId axis) const { return kernel.axes[axis].name; }

  /// The range that `:` names at a dimension `symbol` (R2), made at its first use.
  ir::AxisId symbol_axis(ir::SymbolId symbol);

  /// Gives a value the name of the `let` or `var` that holds it, unless it has one or needs none.
  void name_value(ir::ValueId value, const std::string& name);

  /// Declares a name of the kernel; a clash is reported, and uses of the name are silent from then on.
  void declare(const ast::Name& name, EntityNode node);
};

/// Whether a step, a literal or a constraint bounds what a tile has of an axis (R19).
bool is_bounded(const Context& context, ir::AxisId axis);

/// Reports that a construct of the language is not implemented yet.
void not_implemented(DiagnosticSink& sink, Span span, const std::string& construct, const std::string& rule);

}  // namespace tessera::sema
