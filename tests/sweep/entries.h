// SPDX-License-Identifier: Apache-2.0
// The kernels that are linked into this program, by name.
#pragma once

#include <string>

#include "tessera/abi.h"

namespace tessera::sweep {

/// The type-erased entry of a kernel.
using Entry = TesseraStatus (*)(const TesseraTensor*, const TesseraScalar*, const TesseraLaunch*);

/// Aborts when there is no kernel of that name.
Entry entry_of(const std::string& kernel);

}  // namespace tessera::sweep
