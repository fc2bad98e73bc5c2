// SPDX-License-Identifier: Apache-2.0
// The geometric product of the plane, with or without its norm.
#pragma once

#include "reference.h"

namespace tessera::reference {

/// o = x y in Cl(2,0) for fields [4, B, N] of multivectors 1, e1, e2, e12. Each factor is gated by Phi of its
/// scalar part; w: [N, 10] weights every grade path; `normalize` divides each grade of a row by its root mean
/// square over the features (mean of the sum over the grade's components, plus the scalar eps).
void geometric_product_2d(Problem& problem, bool normalize);

}  // namespace tessera::reference
