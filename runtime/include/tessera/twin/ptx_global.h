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
inline std::uint32_t atom_inc_acq_rel_gpu(std::uint32_t* at, std::uint32_t last) {
  const std::uint32_t before = *at;
  *at = before >= last ? 0 : before + 1;
  return before;
}

}  // namespace tessera::ptx
