// SPDX-License-Identifier: Apache-2.0
// See programs.h.
#include "programs.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string_view>

namespace tessera::fuzz {

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = TESSERA_SOURCE_DIR;

std::string read(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::vector<fs::path> files_below(const fs::path& folder, std::string_view ending) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().string().ends_with(ending)) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

/// Cuts behind each line that is `}` alone, where kernels and functions end in canonical layout.
void add_declarations(std::string_view text, std::set<std::string>& pieces) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t brace = text.find("\n}\n", begin);
    const std::size_t end = brace == std::string_view::npos ? text.size() : brace + 3;
    pieces.emplace(text.substr(begin, end - begin));
    begin = end;
  }
}

void add_blocks(std::string_view page, std::set<std::string>& pieces) {
  constexpr std::string_view kFence = "```tsr\n";
  for (std::size_t begin = page.find(kFence); begin != std::string_view::npos;
       begin = page.find(kFence, begin)) {
    begin += kFence.size();
    const std::size_t end = std::min(page.find("```", begin), page.size());
    pieces.emplace(page.substr(begin, end - begin));
    begin = end;
  }
}

}  // namespace

std::vector<SeedProgram> programs_below(const std::vector<std::string>& folders) {
  std::vector<SeedProgram> programs;
  for (const std::string& folder : folders) {
    for (const fs::path& path : files_below(kRoot / folder, ".tsr")) {
      programs.push_back({fs::relative(path, kRoot).string(), read(path)});
    }
  }
  return programs;
}

std::vector<std::string> seed_texts() {
  std::set<std::string> pieces;  // sorted, so that a seed number means the same everywhere
  for (const SeedProgram& program : programs_below({"bench", "editors", "examples", "tests"})) {
    pieces.insert(program.text);
    add_declarations(program.text, pieces);
  }
  for (const fs::path& path : files_below(kRoot / "docs", ".md")) add_blocks(read(path), pieces);
  pieces.erase("");
  return {pieces.begin(), pieces.end()};
}

}  // namespace tessera::fuzz
