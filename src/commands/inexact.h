// SPDX-License-Identifier: Apache-2.0
// Numbers with a bound on their error: the arithmetic behind `tesserac verify`.
//
// An Inexact holds the value that exact arithmetic gives (computed in f64, whose roundings count where results
// are f64) and a bound on how far the result of a correct implementation may be from it: |computed - value| <=
// error. The rules are those of a running error analysis, first order and upwards: each operation passes on the
// errors of its operands and adds its own rounding. What may come out as anything (a comparison that rounding
// can tip, an overflow) has the error infinity.
#pragma once

#include <cstdint>
#include <span>

#include "base/dtype.h"
#include "sema/ir/ops.h"

namespace tessera::commands {

struct Inexact {
  double real = 0;      // floats
  int64_t integer = 0;  // integers in 64 bits, bools as 0 or 1
  double error = 0;     // integers and bools: 0 (exact) or infinity (unknown)
  bool exists = true;

  static Inexact absent() { return {0, 0, 0, false}; }
};

/// A literal or an argument: its error is that of rounding it to its type.
Inexact inexact_constant(const ir::Literal& literal, DType dtype);

/// `dtype` is the type of the operands; operands exist.
Inexact inexact_unary(ir::UnaryOp op, DType dtype, const Inexact& a);
Inexact inexact_binary(ir::BinaryOp op, DType dtype, const Inexact& a, const Inexact& b);
Inexact inexact_fused(const ir::FusedMultiplyAdd& op, DType dtype, const Inexact& a, const Inexact& b,
                      const Inexact& c);
Inexact inexact_math(ir::MathFunction function, DType dtype, std::span<const Inexact> arguments);
Inexact inexact_cast(DType from, DType to, const Inexact& a);

/// One of two: the chosen side, which is uncertain when the condition is.
Inexact inexact_select(DType dtype, const Inexact& condition, const Inexact& if_true,
                       const Inexact& if_false);

/// Folds elements in any order.
class InexactFold {
 public:
  /// `dtype` is the type of the result, except for argmax, argmin and count: the type of the operand.
  InexactFold(ir::ReduceOp op, DType dtype) : op_(op), dtype_(dtype) {}

  /// Takes an element that exists; `coordinate` is for argmax and argmin, taken in ascending order.
  void take(const Inexact& element, int64_t coordinate);
  Inexact result() const;

 private:
  void take_extreme(const Inexact& element, int64_t coordinate);

  ir::ReduceOp op_;
  DType dtype_;
  int64_t count_ = 0;
  double sum_ = 0, magnitude_ = 0, error_ = 0;  // sums; magnitude: of the terms
  double product_ = 1, product_bound_ = 1;      // products
  int64_t integer_ = 0;                         // sums, products, bools of integers
  Inexact best_;                                // max, min and their positions
  int64_t position_ = 0;
  bool uncertain_ = false;
};

}  // namespace tessera::commands
