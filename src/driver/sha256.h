// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4): names cache entries and proves that they are whole.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tessera::driver {

/// Computes the digest of a text that is handed over in pieces.
class Sha256 {
 public:
  void update(std::string_view bytes);
  /// Adds a piece together with its length, so that ("ab", "c") and ("a", "bc") differ.
  void update_field(std::string_view bytes);
  /// The digest in 64 lower-case hexadecimal digits. The object is used up.
  std::string finish();

 private:
  void compress(const unsigned char* block);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> block_{};
  std::size_t filled_ = 0;  // bytes of block_ in use
  std::uint64_t length_ = 0;
};

/// The digest of one text.
std::string sha256(std::string_view bytes);

}  // namespace tessera::driver
