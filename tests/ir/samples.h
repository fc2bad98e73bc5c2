// SPDX-License-Identifier: Apache-2.0
// Kernels in text form, shared by the tests of the IR and of the interpreter.
#pragma once

#include <string>
#include <vector>

#include "sema/ir/module.h"

namespace tessera::testing {

/// The paths of all samples, sorted.
std::vector<std::string> sample_paths();
/// The text of a file without its leading comment lines.
std::string sample_text(const std::string& path);
/// The one kernel of a text; fails the running test if it cannot be read.
ir::Kernel parse_kernel(const std::string& text);
/// The sample of that name: "softmax".
ir::Kernel sample(const std::string& name);

}  // namespace tessera::testing
