// SPDX-License-Identifier: Apache-2.0
// Relations of ranges, `for t in T by BT where t <= s` (R12): which pairs of coordinates exist, and where values are
// filtered for it. A point of a value exists in no tile if a conjunct of one of its ranges, all of whose axes the value
// has, fails there. It suffices to filter where something observes it: at folds, picks, assignments and stores.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/source.h"
#include "frontend/ast.h"
#include "sema/ir/module.h"

namespace tessera::sema {

struct Context;

/// One conjunct of the relation of a range.
struct RelationPart {
  ir::AxisId range;
  ir::ValueId condition;
  std::vector<ir::AxisId> axes;  ///< tile axes of the condition; ranges without a step are there anyway
  Span span;
};

/// The relations of a kernel, and what is known of its values, in the order of definition.
struct Relations {
  std::vector<RelationPart> parts;
  /// The axes that a point of the value has: its own, and the ranges without a step that it mentions. Ascending.
  std::vector<std::vector<ir::AxisId>> point_axes;
  std::vector<std::set<std::size_t>> met;  ///< parts whose axes the value, or one below it, has
};

/// Checks the relation of a range that was just declared. Its conditions are computed in the current block.
void check_relation(Context& context, const ast::Range& range, ir::AxisId id);

/// What a fold or pick sees of a value along the axes that it removes.
ir::ValueId observed(Context& context, ir::ValueId value, const std::vector<ir::AxisId>& removed);

/// The same of two factors: a term is absent if either of them is, so one of them is filtered.
void observe_factors(Context& context, ir::ValueId& left, ir::ValueId& right,
                     const std::vector<ir::AxisId>& removed);

/// What a variable of these axes takes of a value.
ir::ValueId observed_by_variable(Context& context, ir::ValueId value, const std::vector<ir::AxisId>& axes);

/// What a variable of these axes holds of a value: it mentions no range without a step, whatever was assigned.
ir::ValueId held_by_variable(Context& context, ir::ValueId value, const std::vector<ir::AxisId>& axes);

/// What a store at the indices writes of a value.
ir::ValueId observed_by_store(Context& context, ir::ValueId value, const std::vector<ir::ValueId>& indices);

/// A fold of a value, or of a product of two, and how it is called.
struct Fold {
  std::string callee;
  Span callee_span;
  std::vector<ir::ValueId> operands;
  std::vector<Span> operand_spans;
};

/// Reports a fold along a range whose relation has an axis that was not met: `sum[t](x[t])` where t is related to s.
bool refuse_unmet_relation(Context& context, const Fold& fold, const std::vector<ir::AxisId>& axes);

/// The part whose condition this is, or null.
const RelationPart* relation_of(const Context& context, ir::ValueId condition);

}  // namespace tessera::sema
