// SPDX-License-Identifier: Apache-2.0
// `@tile` and `@autotune`: what plan parameters are, for which launches, and what they may be.
#pragma once

#include "sema/context.h"

namespace tessera::sema {

/// `@tile(BM = 128, BN = 64, when = M > 1024)`.
void check_tile(Context& context, const ast::Annotation& annotation);

/// `@autotune(BM in {64, 128}, when = BM <= BN, key = (M, N), metric = throughput, budget_s = 300)`.
void check_autotune(Context& context, const ast::Annotation& annotation);

}  // namespace tessera::sema
