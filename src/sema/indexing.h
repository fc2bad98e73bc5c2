// SPDX-License-Identifier: Apache-2.0
// `A[m, k + 1]`, `x[r, :]`, `TABLE[c]`, `t[c = 3]` (R1 to R4).
#pragma once

#include <optional>
#include <vector>

#include "sema/context.h"

namespace tessera::sema {

/// An index expression where it is read.
/// Reports `x[r][c]`, indices of one tensor in several pairs of brackets; false if it is none.
bool refuse_separate_brackets(Context& context, const ast::Index& node, Span span);

Operand check_index(Context& context, const ast::Index& node, Span span);

/// The index values of a tensor access, one a dimension; a mistake is reported and the result is absent.
std::optional<std::vector<ir::ValueId>> check_indices(Context& context, ir::TensorId tensor,
                                                      const ast::Index& node, Span span);

/// One pick of `t[c = 3, …]`: the axis and the coordinate.
struct PickedCoordinate {
  ir::AxisId axis;
  std::int64_t coordinate = 0;
  Span span;
};

/// The picks of an index list that consists of picks alone; a mistake is reported.
std::optional<std::vector<PickedCoordinate>> check_picks(Context& context, const ast::Index& node);

/// `range.begin` and its like (R6).
Operand check_member(Context& context, const ast::Member& node, Span span);

}  // namespace tessera::sema
