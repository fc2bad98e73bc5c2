// SPDX-License-Identifier: Apache-2.0
// What a constraint says; see module.h.
#include "sema/ir/module.h"

#include <algorithm>

#include "base/check.h"

namespace tessera::ir {

bool holds(const Constraint& constraint, int64_t left, int64_t right) {
  switch (constraint.relation) {
    case Relation::equal: return left == right;
    case Relation::not_equal: return left != right;
    case Relation::less: return left < right;
    case Relation::less_equal: return left <= right;
    case Relation::greater: return left > right;
    case Relation::greater_equal: return left >= right;
    case Relation::member: return std::ranges::count(constraint.values, left) > 0;
  }
  unreachable("a relation has a case");
}

}  // namespace tessera::ir
