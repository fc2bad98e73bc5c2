// SPDX-License-Identifier: Apache-2.0
// Sums of several products as one running sum, to which each product is added where it is computed.
#pragma once

#include <map>
#include <vector>

#include "sema/ir/module.h"

namespace tessera::ir {

/// A term of a sum that is a product. Only floats are subtracted in place: integers have no instruction for it.
struct ProductTerm {
  ValueId product;
  bool is_subtracted = false;
};

/// The terms of a sum, from left to right, and the additions and subtractions that nothing else needs.
struct ProductSum {
  std::vector<ProductTerm> products;
  std::vector<ValueId> others, additions;
  bool subtracts_others = false;
};

/// The sums of products alone, the largest, by their value; not those that an assignment adds to something.
std::map<ValueId, ProductSum> lone_sums(const Kernel& kernel);

/// `v = x + dot(a, b) - dot(c, d)` becomes `v = x + dot(a, b); v = v - dot(c, d)`, and a sum of products alone gets a variable of
/// its own, so that no product has a tile of its own. Products are sums of their terms in any order, and so is a sum of them.
/// Values are numbered in the order of definition.
void sum_products_in_place(Kernel& kernel);

}  // namespace tessera::ir
