// SPDX-License-Identifier: Apache-2.0
// Products that sum along one axis as one loop over it, so that what they share is brought once.
#pragma once

#include "sema/ir/module.h"

namespace tessera::ir {

/// `let g = dot(x[m, :], a[:, n]); let u = dot(x[m, :], b[:, n]);` becomes what is written
/// `for k in K by auto { g += dot(x[m, k], a[k, n]); u += dot(x[m, k], b[k, n]); }`, where nothing but such products has the
/// axis, none needs another, and factors that several of them have connect all of them; sums of them become one variable.
/// Whether there were any: values are numbered in the order of definition then.
bool join_products(Kernel& kernel);

}  // namespace tessera::ir
