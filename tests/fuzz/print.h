// SPDX-License-Identifier: Apache-2.0
// A generated program as .tsr text.
#pragma once

#include <string>

#include "fuzz/program.h"

namespace tessera::fuzz {

std::string print(const Program& program);

}  // namespace tessera::fuzz
