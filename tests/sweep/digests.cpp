// SPDX-License-Identifier: Apache-2.0
// A line holds a number in hexadecimal, a blank, and the result it belongs to.
#include "sweep/digests.h"

#include <fstream>

namespace tessera::sweep {

bool Digests::read(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t digest = 0;
  std::string result;
  while (file >> std::hex >> digest && file.get() == ' ' && std::getline(file, result))
    expected_[result] = digest;
  return file.eof() && !expected_.empty();
}

bool Digests::note(const std::string& result, std::uint64_t digest) {
  const std::lock_guard lock(mutex_);
  noted_[result] = digest;
  const auto expected = expected_.find(result);
  if (expected == expected_.end()) return true;
  ++compared_;
  return expected->second == digest;
}

bool Digests::write(const std::string& path) const {
  std::ofstream file(path);
  for (const auto& [result, digest] : noted_) file << std::hex << digest << ' ' << result << '\n';
  return static_cast<bool>(file.flush());
}

}  // namespace tessera::sweep
