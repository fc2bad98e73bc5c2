// SPDX-License-Identifier: Apache-2.0
// Products as sums of what their factors give multiplied: for whoever knows sums and not products.
#pragma once

#include "sema/ir/module.h"

namespace tessera::ir {

/// Replaces every Dot by a Reduce of a multiplication, the factors converted to the type of the sum. Values are
/// numbered anew, in the order of definition.
void expand_products(Kernel& kernel);

/// The same for those whose factors have the same axes: sums for each row, where nothing is multiplied by several.
void expand_row_products(Kernel& kernel);

/// Factors of 8-bit floats become f16, which holds all of their values: for chips without an instruction for them.
void widen_factors(Kernel& kernel);

/// Whether a product has such factors.
bool has_narrow_factors(const Kernel& kernel);

/// Whether the kernel has a Dot.
bool has_products(const Kernel& kernel);

/// Whether it has one whose factors have the same axes.
bool has_row_products(const Kernel& kernel);

}  // namespace tessera::ir
