// SPDX-License-Identifier: Apache-2.0
// Calls that the sweep does not make: tensors whose offsets need more than 32 bits, and calls that have to be refused.
#pragma once

#include <optional>

#include "planted/trial.h"

namespace tessera::planted {

/// Nothing when all calls end as they have to.
std::optional<Kill> try_calls(const Program& program, Problems& problems);

}  // namespace tessera::planted
