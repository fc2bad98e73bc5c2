// SPDX-License-Identifier: Apache-2.0
// What a constraint says; see module.h.
#include "sema/ir/module.h"

#include <algorithm>
#include <functional>
#include <limits>

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

Relation mirrored(Relation relation) {
  switch (relation) {
    case Relation::less: return Relation::greater;
    case Relation::less_equal: return Relation::greater_equal;
    case Relation::greater: return Relation::less;
    case Relation::greater_equal: return Relation::less_equal;
    default: return relation;
  }
}

namespace {

void raise_minimum(Symbol& symbol, int64_t least) { symbol.minimum = std::max(symbol.minimum, least); }
void lower_maximum(Symbol& symbol, int64_t most) {
  symbol.maximum = std::min(symbol.maximum.value_or(most), most);
}

/// What is allowed lies between the bounds, and bounds them.
void keep_allowed(Symbol& symbol, const std::function<bool(int64_t)>& keeps) {
  if (symbol.allowed.empty()) return;
  std::erase_if(symbol.allowed, [&](int64_t value) {
    return value < symbol.minimum || value > symbol.maximum.value_or(value) || !keeps(value);
  });
  const bool has_any = !symbol.allowed.empty();
  raise_minimum(symbol, has_any ? symbol.allowed.front() : 1);
  lower_maximum(symbol, has_any ? symbol.allowed.back() : 0);
}

void narrow(Symbol& symbol, Relation relation, int64_t bound) {
  if (relation == Relation::equal || relation == Relation::greater_equal) raise_minimum(symbol, bound);
  if (relation == Relation::equal || relation == Relation::less_equal) lower_maximum(symbol, bound);
  constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
  const bool excludes = relation == Relation::not_equal;
  const bool is_raised = relation == Relation::greater || (excludes && bound == symbol.minimum);
  if (is_raised && bound < kLargest) raise_minimum(symbol, bound + 1);
  if (is_raised && bound == kLargest) lower_maximum(symbol, -1);  // nothing is larger
  if (relation == Relation::less) lower_maximum(symbol, std::max<int64_t>(bound, 0) - 1);
  keep_allowed(symbol, [&](int64_t value) { return !excludes || value != bound; });
}

}  // namespace

void narrow(Kernel& kernel, const Constraint& constraint) {
  const auto left = kernel.sizes.as_symbol(constraint.left), right = kernel.sizes.as_symbol(constraint.right);
  if (constraint.relation == Relation::member) {
    if (!left || constraint.values.empty()) return;
    Symbol& symbol = kernel.symbols[*left];
    if (symbol.allowed.empty()) symbol.allowed = constraint.values;
    keep_allowed(symbol, [&](int64_t value) { return std::ranges::count(constraint.values, value) > 0; });
    return;
  }
  const auto below = kernel.sizes.as_constant(constraint.left);
  const auto above = kernel.sizes.as_constant(constraint.right);
  if (left && above) narrow(kernel.symbols[*left], constraint.relation, *above);
  if (right && below) narrow(kernel.symbols[*right], mirrored(constraint.relation), *below);
}

bool has_value(const Symbol& symbol) { return !symbol.maximum || *symbol.maximum >= symbol.minimum; }

}  // namespace tessera::ir
