// SPDX-License-Identifier: Apache-2.0
// The checked program: kernels with their axes, values and statements. Sema builds it, everyone after reads it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/dtype.h"
#include "base/id.h"
#include "base/source.h"
#include "sema/ir/conjunct.h"
#include "sema/ir/ops.h"
#include "sema/ir/size.h"

namespace tessera::ir {

/// A dimension symbol of a kernel: `M`.
struct Symbol {
  std::string name;
  Span span;
  std::vector<int64_t> allowed;  // `where D in {64, 128}`, ascending; empty: any
  int64_t minimum = 0;           // `where C >= 1`, or implied (R14)
  std::optional<int64_t> maximum;
};

enum class AxisKind { grid, loop, let };
enum class StepKind {
  none,      // one coordinate at a time: the range is a scalar (grid, loop); a `let` is one tile
  semantic,  // a literal or an <int> generic: part of the meaning
  plan,      // `auto` or a plan parameter: free
};

/// A range binder: half open [lower, upper) in coordinates of its dimension.
struct Axis {
  std::string name;  // as in the source; `:` over a symbol S gives an axis named S
  AxisKind kind = AxisKind::let;
  SizeId lower, upper;
  StepKind step = StepKind::none;
  int64_t step_size = 0;              // semantic: the step; plan: what `@tile` asked for, or 0
  std::string step_name;              // plan: name of the plan parameter, "" for `auto`
  std::optional<SymbolId> dimension;  // the symbol it ranges over, when the domain is a whole dimension
  /// What relates it to ranges around it, all of which must hold (R12). Values are filtered where that is observed;
  /// here it says which tiles may hold a point at all.
  std::vector<Conjunct> relation;
  Span span;
  Span step_span;  // where the size of the step is written: `by 24`, or `@tile(BM = 24)`

  /// True when values carry this axis; a grid or loop without a step binds one coordinate at a time.
  bool is_tile() const { return kind == AxisKind::let || step != StepKind::none; }
};

struct Tensor {
  std::string name;
  DType dtype;
  std::vector<SizeId> dims;
  bool is_output = false;
  bool periodic = false;
  Span span;
};

struct Scalar {
  std::string name;
  DType dtype;
  std::optional<Literal> initial;  // `eps: f32 = 1e-5`
  Span span;
};

/// A `const` table that is indexed by something that is not constant.
struct Table {
  std::string name;
  DType dtype;
  std::vector<Literal> elements;
};

struct Value {
  Op op;
  DType dtype;
  std::vector<AxisId> axes;  // ascending, without repetition
  bool total = true;         // proved to exist wherever something observes it, given the kernel's constraints
  std::string name;          // of the `let` that binds it, or ""
  Span span;
};

/// Of what a loop carries: the registers of a multiprocessor.
inline constexpr int64_t kMostStateElements = 65'536;

/// Per-thread state of a grid instance: total, initialised by its Declare statement.
struct Variable {
  std::string name;
  DType dtype;
  std::vector<AxisId> axes;  // ascending
  Span span;
};

struct Statement;
using Block = std::vector<Statement>;

/// Computes one value; a value is defined once, before its uses.
struct Define {
  ValueId value;
};
struct Declare {
  VariableId variable;
  ValueId initial;
};
/// Overwrites the variable where `value` exists; with picks only at those coordinates (the value lacks these axes).
struct Assign {
  VariableId variable;
  std::vector<std::pair<AxisId, int64_t>> picks;
  ValueId value;
};
/// Writes what exists of `value` at the indices. Bit d of `in_bounds` as in Load; outside nothing is written.
/// The axes of the value are a subset of the axes of the indices.
struct Write {
  TensorId tensor;
  std::vector<ValueId> indices;
  ValueId value;
  uint32_t in_bounds = 0;
};
/// The tiles of one range, ascending. A list `for a in A, b in B` is nested.
struct Loop {
  AxisId axis;
  Block body;
};

struct Statement {
  std::variant<Define, Declare, Assign, Write, Loop> node;
  Span span;
};

/// A request of the user to the planner, checked there: `@warps(4)`.
struct Request {
  std::string name;
  std::vector<int64_t> arguments;
  Span span;
  std::string parameter = {};  // in place of a number: `@stages(S)`; then the number is its default, if any
};

/// The numbers that a request of one number takes.
struct RequestRange {
  int64_t least, most;

  bool contains(int64_t number) const { return number >= least && number <= most; }
};
inline constexpr RequestRange kWarpsRange{1, 32}, kStagesRange{1, 7}, kRasterRange{1, 64},
    kWarpgroupsRange{0, 3}, kClusterRange{1, 2}, kSplitRange{1, 64};

/// One phase: the body runs for every combination of tiles of the axes, instances are independent.
struct Grid {
  std::vector<AxisId> axes;
  Block body;
  std::vector<Request> requests;
  Span span;
};

enum class Relation { equal, not_equal, less, less_equal, greater, greater_equal, member };

/// What the launcher checks before anything runs.
struct Constraint {
  Relation relation = Relation::equal;
  SizeId left, right;           // right is unused by `member`
  std::vector<int64_t> values;  // of `member`
  std::string text;             // as the user would write it: "C >= 1"
  bool implied = false;         // found by sema (R14) rather than written
  Span span;
};

/// Whether a constraint holds for the values of its sides; `right` is not looked at by `member`.
bool holds(const Constraint& constraint, int64_t left, int64_t right);

/// `b > a` for `a < b`.
Relation mirrored(Relation relation);

/// `BM = 128` of an `@tile`: what a plan parameter is.
struct Setting {
  std::string name;
  int64_t value = 0;
  Span span;  // of the value
};

/// `@tile(BM = 128, when = M > 1024)`: settings for some launches, or for some chips.
struct Tiling {
  std::vector<Setting> settings;
  std::vector<Constraint> when;            // all of them hold
  std::vector<std::string> architectures;  // of `arch == sm_80`: all of them; the chip is each of them
  Span span;
};

/// `@autotune(BM in {64, 128})`: what plan parameters may be together. The planner picks a member.
struct TuningSpace {
  std::vector<std::string> names;
  std::vector<std::vector<int64_t>> members;  // a value for each name
  Span span;
};

struct Kernel {
  std::string name;      // name in the source
  std::string c_name;    // name of the generated functions: `instance … as c_name`, else name
  std::string generics;  // what an instance or defaults bind: "Q = 2, act = gelu", or ""
  std::string doc;
  Span span;
  SizeTable sizes;
  Store<SymbolId, Symbol> symbols;
  Store<TensorId, Tensor> tensors;
  Store<ScalarId, Scalar> scalars;
  /// Parameters in the order of the source, which is the order of the generated functions' arguments.
  std::vector<std::variant<TensorId, ScalarId>> parameters;
  Store<TableId, Table> tables;
  Store<AxisId, Axis> axes;
  Store<ValueId, Value> values;
  Store<VariableId, Variable> variables;
  std::vector<Constraint> constraints;
  std::vector<Grid> grids;
  std::vector<Request>
      requests;  // before the kernel, and `@pipeline`; an `@tile` for all launches is in the axes
  std::vector<Tiling> tilings;  // with a condition, in the order of the source: the first that holds counts
  std::optional<TuningSpace> tuning;
  /// What `verify(max_rel = …, max_abs = …)` allows a result to be off; changes no result.
  std::optional<double> max_relative_error, max_absolute_error;
};

/// What a constraint says of a symbol by itself bounds the symbol. A symbol without a value has a maximum below its
/// minimum.
void narrow(Kernel& kernel, const Constraint& constraint);
bool has_value(const Symbol& symbol);

struct Module {
  std::vector<Kernel> kernels;
};

}  // namespace tessera::ir
