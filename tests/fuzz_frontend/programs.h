// SPDX-License-Identifier: Apache-2.0
// The project's own programs as seeds: right ones and wrong ones.
#pragma once

#include <string>
#include <vector>

namespace tessera::fuzz {

struct SeedProgram {
  std::string name;  // the path below the project, for messages
  std::string text;
};

/// All .tsr files of the project in the order of their paths, or those below the folders that are named.
std::vector<SeedProgram> programs_below(const std::vector<std::string>& folders);

/// Small pieces for mutation: every program cut at its declarations, and the ```tsr blocks of the documentation.
std::vector<std::string> seed_texts();

}  // namespace tessera::fuzz
