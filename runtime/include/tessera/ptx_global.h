// SPDX-License-Identifier: Apache-2.0
// The instructions by which blocks pass results to each other through global memory, one function each, named after it.
#pragma once

#include "tessera/device.h"

#if TESSERA_TWIN
#include "tessera/twin/ptx_global.h"
#else

namespace tessera::ptx {

/// st.global.cg, ld.global.cg: four words at a multiple of 16 bytes, past the first-level cache, which knows nothing of what
/// others write.
TESSERA_DEVICE void st_global_cg_v4(void* to, const std::uint32_t (&words)[4]) {
  asm volatile("st.global.cg.v4.b32 [%0], {%1, %2, %3, %4};"
               :
               : "l"(global_address(to)), "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3])
               : "memory");
}
TESSERA_DEVICE void ld_global_cg_v4(std::uint32_t (&words)[4], const void* from) {
  asm volatile("ld.global.cg.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "l"(global_address(from))
               : "memory");
}

/// atom.acq_rel.gpu.inc: counts up to `last`, then from 0 on again; what was there. What others did before they counted has
/// been done, and what this thread did before is done for those who count later.
TESSERA_DEVICE std::uint32_t atom_inc_acq_rel_gpu(std::uint32_t* at, std::uint32_t last) {
  std::uint32_t before;
  asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(global_address(at)), "r"(last)
               : "memory");
  return before;
}

}  // namespace tessera::ptx
#endif
