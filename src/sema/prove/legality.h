// SPDX-License-Identifier: Apache-2.0
// What is proved about a whole kernel once its IR stands: initial values exist (R10), instances are independent
// (R11), every element of every output is written (R14).
#pragma once

#include "sema/context.h"

namespace tessera::sema {

/// Reports what cannot be proved. Adds constraints that a proof needs (`C >= 1`, marked implied), and fills in
/// `Value::total` and `in_bounds` of loads and stores.
void check_legality(Context& context);

}  // namespace tessera::sema
