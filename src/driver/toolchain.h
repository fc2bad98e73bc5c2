// SPDX-License-Identifier: Apache-2.0
// Finds nvcc and the host compiler, and says which ones they are.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::driver {

/// A compiler that answered when it was asked for its version.
struct Tool {
  std::string path;      // absolute and shell-safe
  std::string version;   // "13.0.88"
  std::string identity;  // changes when the tool changes: version text, size and time of the file
};

/// A tool, or one sentence on why there is none.
struct ToolLookup {
  std::optional<Tool> tool;
  std::string problem;
};

/// nvcc: `requested` (a path, or a name on PATH) if not empty, else $TESSERA_NVCC, else nvcc on PATH, in
/// $CUDA_HOME/bin, $CUDA_PATH/bin, /usr/local/cuda/bin.
ToolLookup find_nvcc(const std::string& requested);

/// The host compiler: `requested` if not empty, else $TESSERA_CXX, else g++, c++ or clang++ on PATH.
ToolLookup find_host_compiler(const std::string& requested);

/// The whole environment of a tool, which inherits nothing: flags in NVCC_APPEND_FLAGS, include paths in
/// CPATH and the like would change what is compiled unseen.
std::vector<std::string> tool_environment(const std::string& temporary_folder);

}  // namespace tessera::driver
