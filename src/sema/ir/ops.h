// SPDX-License-Identifier: Apache-2.0
// The operations of the IR: one small struct each. They say what is computed, never how or where.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/dtype.h"
#include "base/id.h"
#include "sema/ir/size.h"

namespace tessera::ir {

struct AxisTag;
struct TensorTag;
struct ScalarTag;
struct VariableTag;
struct ValueTag;
struct TableTag;
using AxisId = Id<AxisTag>;
using TensorId = Id<TensorTag>;
using ScalarId = Id<ScalarTag>;
using VariableId = Id<VariableTag>;
using ValueId = Id<ValueTag>;
using TableId = Id<TableTag>;

/// The bits of a constant: `real` for floating types, `integer` for the others (bool: 0 or 1).
struct Literal {
  double real = 0;
  int64_t integer = 0;
  bool operator==(const Literal&) const = default;
};

enum class UnaryOp {
  negate,
  logical_not,
  bit_not,
  absolute,
  floor,
  ceil,
  round,
  truncate,
  round_tf32,
  split,  // the same number, which products may take in parts: `multiply = f32_split`
};

enum class BinaryOp {
  add,
  subtract,
  multiply,
  divide,
  modulo,  // integers wrap, divide and modulo floor (R25)
  minimum,
  maximum,  // propagate NaN (R26)
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right,
  logical_and,
  logical_or,  // both sides are evaluated; operands have no effects
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
};

/// Elementary functions, defined by runtime/include/tessera/math.h.
enum class MathFunction {
  exp,
  exp2,
  expm1,
  log,
  log2,
  log1p,
  sqrt,
  rsqrt,
  sin,
  cos,
  tanh,
  erf,
  sigmoid,
  gelu,
  gelu_tanh,
  silu,
  relu,
  pow,
  exp_fast,
  exp2_fast,
};

enum class ReduceOp { sum, prod, max, min, any, all, count, argmax, argmin };

/// A number, the same at every point; no axes.
struct Constant {
  Literal value;
};
/// The coordinate along `axis`, of type index. Has the axis, unless the range takes one value at a time.
struct Coordinate {
  AxisId axis;
};
/// A size as an index value; no axes.
struct Extent {
  SizeId size;
};
/// A scalar parameter; no axes.
struct ScalarArgument {
  ScalarId scalar;
};
/// An element of a constant table; absent when the index lies outside.
struct Lookup {
  TableId table;
  ValueId index;
};
/// The element of a tensor at the indices; absent when one is out of bounds (never along a periodic dimension).
/// Bit d of `in_bounds` says that index d is proved to be inside, given the constraints of the kernel.
struct Load {
  TensorId tensor;
  std::vector<ValueId> indices;
  uint32_t in_bounds = 0;
};
/// The value of a variable at this place in the program.
struct ReadVariable {
  VariableId variable;
};
struct Unary {
  UnaryOp op;
  ValueId operand;
};
/// Operands have one type; comparisons give bool. Integers of type `index` and `i32` were joined by casts before.
struct Binary {
  BinaryOp op;
  ValueId left, right;
};
/// a * b + c with one rounding; `negate_product` gives c - a * b, `negate_addend` gives a * b - c.
struct FusedMultiplyAdd {
  ValueId a, b, c;
  bool negate_product = false, negate_addend = false;
};
struct Math {
  MathFunction function;
  std::vector<ValueId> arguments;
};
/// Conversion to the type of the result (R24, R25).
struct Cast {
  ValueId operand;
  bool is_of_factor = false;  ///< of a product, made by the compiler: the source asks for no wider type
};
/// where(c, a, b): exists where c and the chosen side do.
struct Select {
  ValueId condition, if_true, if_false;
};
/// where(c, a): exists where c is true and a exists.
struct Filter {
  ValueId condition, operand;
};
/// a ?? b
struct Coalesce {
  ValueId operand, fallback;
};
/// Folds what exists of `operand` along `axes`. Sums of nothing are the unit; max, min, argmax, argmin of nothing
/// do not exist. `count` counts what exists of an operand of any type and gives index. argmax and argmin fold
/// exactly one axis and give its coordinate (index). Sums and products have the type of the result.
struct Reduce {
  ReduceOp op;
  std::vector<AxisId> axes;  // ascending
  ValueId operand;
};
/// Σ left · right along `axes`, which both operands have; other axes that they share are batch. A term exists where
/// both factors do. Factors have one type, the sum is of the result's: f32 for narrow floats, else the factors' or
/// i32 for narrow integers (R9).
struct Dot {
  std::vector<AxisId> axes;  // ascending
  ValueId left, right;
};
/// The operand at one coordinate of a `let` axis with constant extent.
struct Pick {
  ValueId operand;
  AxisId axis;
  int64_t coordinate = 0;
};

using Op = std::variant<Constant, Coordinate, Extent, ScalarArgument, Lookup, Load, ReadVariable, Unary,
                        Binary, FusedMultiplyAdd, Math, Cast, Select, Filter, Coalesce, Reduce, Dot, Pick>;

/// The values an operation reads, in order.
std::vector<ValueId> operands_of(const Op& op);

/// The type in which products of factors of a type are summed (R9).
DType sum_type(DType factor);

/// The axes that an operation folds: of a Reduce or a Dot; none for others.
std::vector<AxisId> folded_axes(const Op& op);

/// Spelling in the text form, without operands: "add", "load", "reduce_sum" …
std::string spelling(UnaryOp op);
std::string spelling(BinaryOp op);
std::string spelling(MathFunction function);
std::string spelling(ReduceOp op);

/// The inverse of `spelling`, for OpT one of UnaryOp, BinaryOp, MathFunction and ReduceOp.
template <typename OpT>
std::optional<OpT> op_from_spelling(std::string_view text);
template <>
std::optional<UnaryOp> op_from_spelling(std::string_view text);
template <>
std::optional<BinaryOp> op_from_spelling(std::string_view text);
template <>
std::optional<MathFunction> op_from_spelling(std::string_view text);
template <>
std::optional<ReduceOp> op_from_spelling(std::string_view text);

inline bool is_comparison(BinaryOp op) { return op >= BinaryOp::equal; }
inline bool is_logical(BinaryOp op) { return op == BinaryOp::logical_and || op == BinaryOp::logical_or; }

}  // namespace tessera::ir
