// SPDX-License-Identifier: Apache-2.0
// Lists of programs; see unit_index.h.
#include "fuzz/unit_index.h"

#include <dlfcn.h>

#include <fstream>
#include <sstream>

namespace tessera::fuzz {

std::string index_line(std::uint64_t seed, const Profile& profile, std::size_t number,
                       const std::string& plan) {
  std::ostringstream line;
  line << seed << ' ' << profile.problems << ' ' << profile.large_problems << " program_" << number << "_k "
       << plan << '\n';
  return line.str();
}

std::vector<UnitEntry> load_units(const std::filesystem::path& folder, std::string& error) {
  std::vector<UnitEntry> entries;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".so") continue;
    void* object = ::dlopen(file.path().c_str(), RTLD_NOW | RTLD_LOCAL);
    if (object == nullptr) return error = ::dlerror(), entries;
    std::ifstream index(std::filesystem::path(file.path()).replace_extension(".txt"));
    UnitEntry entry;
    entry.object = object;
    while (index >> entry.seed >> entry.profile.problems >> entry.profile.large_problems >> entry.symbol >>
           entry.plan)
      entries.push_back(entry);
    if (!index.eof()) return error = "no list of programs beside " + file.path().string(), entries;
  }
  return entries;
}

}  // namespace tessera::fuzz
