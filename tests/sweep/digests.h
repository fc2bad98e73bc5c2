// SPDX-License-Identifier: Apache-2.0
// Bits of results, kept in a file, so that programs on different machines can be held against each other.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace tessera::sweep {

/// One number for each result. May be used by several threads at once.
class Digests {
 public:
  /// Results that are expected; false when the file cannot be read.
  bool read(const std::string& path);
  /// Notes a result; false when another number was read for it.
  bool note(const std::string& result, std::uint64_t digest);
  /// Everything that was noted; false when the file cannot be written.
  bool write(const std::string& path) const;

  /// How many results were found among those that were read.
  std::int64_t compared() const { return compared_; }

 private:
  std::mutex mutex_;
  std::map<std::string, std::uint64_t> expected_, noted_;
  std::int64_t compared_ = 0;
};

}  // namespace tessera::sweep
