// SPDX-License-Identifier: Apache-2.0
// Makes values of the tree: their types, bounds and where they exist follow from their operands.
#pragma once

#include <vector>

#include "fuzz/program.h"

namespace tessera::fuzz {

Expression make_literal(DType type, std::int64_t number);
Expression make_coordinate(int binder);
Expression make_extent(const Program& program, int symbol);
Expression make_scalar(const Program& program, int scalar);
Expression make_load(const Program& program, int tensor, std::vector<Expression> indices, bool is_inside);
Expression make_local(const Program& program, int local, double bound, bool is_total);
Expression make_unary(Operation operation, Expression value);
/// The type is that in which the operands meet; bool for comparisons.
Expression make_binary(const Program& program, Operation operation, Expression left, Expression right);
Expression make_cast(Expression value, DType type);
Expression make_where(const Program& program, Expression condition, Expression value, Expression other);
Expression make_where(const Program& program, Expression condition, Expression value);
Expression make_otherwise(const Program& program, Expression value, Expression other);
/// `count` is the greatest number of terms, `exists` whether there always is one.
Expression make_fold(const Program& program, Operation operation, std::vector<int> folded, Expression value,
                     double count, bool exists);
Expression make_product(const Program& program, std::vector<int> folded, Expression left, Expression right,
                        double count, bool is_plain);

/// The type in which operands of two types compute.
DType meeting_type(DType a, DType b);
/// The type of a sum of products of factors of a type.
DType product_type(DType factor);
/// The type of a fold.
DType fold_type(Operation operation, DType type);

/// A value whose absolute value is at most `limit`; itself if it is anyway.
Expression clamped(const Program& program, Expression value, std::int64_t limit);
/// A value in another type, clamped before where it would not fit.
Expression fitted(const Program& program, Expression value, DType type);

}  // namespace tessera::fuzz
