// SPDX-License-Identifier: Apache-2.0
// A total order on sizes by structure. Ids follow the order of interning, which texts must not show.
#pragma once

#include <compare>
#include <vector>

#include "sema/ir/size.h"

namespace tessera::ir {

std::strong_ordering compare(const SizeTable& table, SizeId a, SizeId b);

/// Factors of a term, symbols before operators.
std::vector<uint32_t> structural_order(const SizeTable& table, std::vector<uint32_t> atoms);

/// Terms of a polynomial; a longer product precedes its prefixes, so the constant comes last.
SizeTable::Polynomial ordered_terms(const SizeTable& table, SizeId id);

}  // namespace tessera::ir
