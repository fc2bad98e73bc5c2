// SPDX-License-Identifier: Apache-2.0
// The runtime that generated code includes, embedded in the binary: one file is enough to compile and run
// kernels.
#pragma once

#include <span>
#include <string_view>

namespace tessera::driver {

struct RuntimeFile {
  std::string_view path;  // below runtime/: "include/tessera/kernel.h"
  std::string_view text;
};

/// Every file below runtime/include, runtime/src and runtime/tools, sorted by path.
std::span<const RuntimeFile> runtime_files();

}  // namespace tessera::driver
