// SPDX-License-Identifier: Apache-2.0
// The kernels that are linked into this program, by name.
#pragma once

#include <string>

#include "sweep/executor.h"

namespace tessera::sweep {

/// Aborts when there is no kernel of that name.
Entry entry_of(const std::string& kernel);

}  // namespace tessera::sweep
