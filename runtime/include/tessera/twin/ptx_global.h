// SPDX-License-Identifier: Apache-2.0
// Host twin of ptx_global.h: blocks run one after another, and see what those before them have written.
#pragma once

#include <cstdint>
#include <cstring>

namespace tessera::ptx {

inline void st_global_cg_v4(void* to, const std::uint32_t (&words)[4]) {
  std::memcpy(to, words, sizeof(words));
}
inline void ld_global_cg_v4(std::uint32_t (&words)[4], const void* from) {
  std::memcpy(words, from, sizeof(words));
}
inline std::uint64_t ld_relaxed_gpu(const std::uint64_t* from) { return *from; }
inline std::uint64_t atom_cas_acq_rel_gpu(std::uint64_t* at, std::uint64_t expected, std::uint64_t value) {
  const std::uint64_t before = *at;
  if (before == expected) *at = value;
  return before;
}

}  // namespace tessera::ptx
