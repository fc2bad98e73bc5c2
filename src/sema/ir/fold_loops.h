// SPDX-License-Identifier: Apache-2.0
// Loops that do nothing but sum along their axis as sums along all of it.
#pragma once

#include "sema/ir/module.h"

namespace tessera::ir {

/// `for k in K by auto { s += dot(a[m, k], b[n, k]); }` becomes what is written `s += dot(a[m, :], b[n, :]);`, or
/// `let s = dot(a[m, :], b[n, :]);` where s is zero before, and its axis that of other sums along all of K, so that products
/// and folds of one dimension are found to go together. Not of loops whose tiles have a size that somebody asked for, or
/// that are related to others. Whether there were any: values are numbered in the order of definition then.
bool fold_loops(Kernel& kernel);

}  // namespace tessera::ir
