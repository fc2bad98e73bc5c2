// SPDX-License-Identifier: Apache-2.0
// A generated kernel as a small tree of values: typed by construction, with the extents of its problems known, so that
// every number in it is known to be exact. `generate.h` makes one, `print.h` writes it as .tsr, `evaluate.h` says what
// it means, `reduce.h` makes it smaller.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/dtype.h"

namespace tessera::fuzz {

/// A dimension: `D`, with an extent for each problem. A literal extent is a symbol without a name.
struct Symbol {
  std::string name;
  std::vector<std::int64_t> extents;  ///< by problem
  std::int64_t limit = 0;             ///< of a clause `where D <= limit`; 0 is none
  std::int64_t most() const;
  std::int64_t least() const;
};

/// The size `scale * symbol + offset`, rounded down after a division; the symbol -1 leaves `offset` alone.
struct Size {
  int symbol = -1;
  std::int64_t scale = 1;
  std::int64_t offset = 0;
  std::int64_t divisor = 1;
};

enum class Kind {
  literal,     ///< `number`
  coordinate,  ///< of `binder`
  tile_id,     ///< `binder.id`
  extent,      ///< the size of symbol `number`
  scalar,      ///< the parameter `number`
  load,        ///< `tensor` at `arguments`
  local,       ///< the let or var `local`
  unary,       ///< `operation`: - ! ~ abs
  binary,      ///< `operation`: arithmetic, bits, comparisons, logic
  cast,        ///< to the type
  where_else,  ///< condition, value, other
  where_only,  ///< condition, value
  otherwise,   ///< `a ?? b`
  fold,        ///< `operation` over `folded`
  product,     ///< dot over `folded`
  pick         ///< of `binder` at `number`
};

enum class Operation {
  none,
  negative,
  complement,
  negation,
  absolute,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  minimum,
  maximum,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right,
  equal,
  unequal,
  less,
  less_equal,
  greater,
  greater_equal,
  logical_and,
  logical_or,
  sum,
  prod,
  max,
  min,
  any,
  all,
  count,
  argmax,
  argmin
};

struct Expression {
  Kind kind = Kind::literal;
  Operation operation = Operation::none;
  DType type = DType::i32;
  std::int64_t number = 0;
  int binder = -1;
  int tensor = -1;
  int local = -1;
  std::vector<int> folded = {};  ///< binders
  std::vector<Expression> arguments = {};

  double bound = 0;            ///< of the absolute value, in every problem
  bool is_total = true;        ///< whether it exists everywhere
  std::vector<int> axes = {};  ///< binders that it mentions and does not fold, ascending; see `find_axes`
};

/// `left operation right` of affine forms over binders: `scale * binder` summed, and an offset.
struct Affine {
  std::vector<std::pair<int, std::int64_t>> terms = {};  ///< binder, scale
  std::int64_t offset = 0;
};
/// `affine operation 0`, or `affine % modulus operation 0`.
struct Conjunct {
  Affine affine;
  Operation operation = Operation::less_equal;
  std::int64_t modulus = 0;
};

enum class BinderKind { grid, loop, let, colon };
enum class Step { none, plan, named, semantic };

/// A range. `colon` is the axis of a whole dimension, named like its symbol.
struct Binder {
  std::string name;
  BinderKind kind = BinderKind::let;
  int symbol = -1;
  std::int64_t from = 0, to = -1;  ///< a part `S[from .. to]` where `to` is not negative
  Step step = Step::none;
  std::int64_t step_size = 0;  ///< semantic
  std::vector<Conjunct> relation = {};
};

struct Tensor {
  std::string name;
  DType type = DType::i32;
  std::vector<Size> dimensions = {};
  bool is_output = false;
  bool is_periodic = false;
  std::int64_t low = -2, high = 2;  ///< of its values
};

/// A parameter that is one number.
struct Scalar {
  std::string name;
  DType type = DType::i32;
  std::vector<std::int64_t> values;  ///< by problem
};

struct Local {
  std::string name;
  DType type = DType::i32;
  std::vector<int> axes = {};
  bool is_variable = false;
};

/// `ranges` declares `lets` and does nothing else.
enum class StatementKind { ranges, let, variable, assign, store, loop };

struct Statement {
  StatementKind kind = StatementKind::ranges;
  int local = -1;
  int tensor = -1;
  Operation operation = Operation::none;  ///< of an assignment: `+=` and its like
  std::vector<Expression> indices = {};   ///< of a store
  Expression value = {};
  std::vector<int> lets = {};    ///< binders that a `let` before this statement declares
  std::vector<int> ranges = {};  ///< of a loop
  std::vector<Statement> body = {};
  int pipeline = 0;  ///< `@pipeline(n)` of a loop, if any
};

struct Program {
  std::string name = "k";
  std::uint64_t seed = 0;
  int problems = 1;
  std::vector<Symbol> symbols = {};
  std::vector<Tensor> tensors = {};
  std::vector<Scalar> scalars = {};
  std::vector<Binder> binders = {};
  std::vector<Local> locals = {};
  std::vector<int> grid = {};
  std::vector<Statement> body = {};
  std::map<std::string, std::int64_t> tiles = {};  ///< `@tile`, by the name of a step
  int warps = 0, stages = 0, raster = 0;           ///< annotations; 0 is none
  bool rounds_to_tf32 = false;                     ///< precision(multiply = tf32)
};

/// Whether a range takes one value at a time, and is a scalar.
bool is_scalar(const Binder& binder);

/// The extent of a size in a problem.
std::int64_t value_of(const Program& program, const Size& size, int problem);
/// First and last (excluded) coordinate of a binder in a problem.
std::pair<std::int64_t, std::int64_t> range_of(const Program& program, const Binder& binder, int problem);
/// The extents of a tensor in a problem.
std::vector<std::int64_t> shape_of(const Program& program, const Tensor& tensor, int problem);

/// Sets `axes` in an expression and all of its operands, which have to come from `program`.
void find_axes(const Program& program, Expression& expression);
/// The same in all statements, after a change of the tree.
void find_axes(Program& program);

/// About how many points the evaluation of a problem visits, elements of tensors included.
double work_of(const Program& program, int problem);
/// The same for code that computes each fold where it stands, again for every element around it.
double repeated_work_of(const Program& program, int problem);

/// Values of an input of a problem: small whole numbers, always the same ones.
std::vector<double> input_values(const Program& program, int tensor, int problem);

}  // namespace tessera::fuzz
