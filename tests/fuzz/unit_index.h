// SPDX-License-Identifier: Apache-2.0
// Which programs are in the units that `fuzz_write` wrote: a text file beside each unit, with a line for each program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "fuzz/generate.h"

namespace tessera::fuzz {

/// A program under a plan in a unit that is compiled and loaded.
struct UnitEntry {
  std::uint64_t seed = 0;
  Profile profile;     ///< with which the seed gives the program
  std::string plan;    ///< of Configuration
  std::string symbol;  ///< the C function
  void* object = nullptr;
};

/// The line of a program; `number` counts the programs of its unit.
std::string index_line(std::uint64_t seed, const Profile& profile, std::size_t number,
                       const std::string& plan);

/// Loads `unit_*.so` of a folder, and gives the programs that `unit_*.txt` lists. On failure `error` says what.
std::vector<UnitEntry> load_units(const std::filesystem::path& folder, std::string& error);

}  // namespace tessera::fuzz
