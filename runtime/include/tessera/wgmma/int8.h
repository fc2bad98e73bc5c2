// SPDX-License-Identifier: Apache-2.0
// wgmma.mma_async of 8-bit integers.
#pragma once

#include "tessera/ptx_wgmma.h"

#if !TESSERA_TWIN
#include "tessera/wgmma/instructions.h"

namespace tessera::ptx::detail {

#define TESSERA_WGMMA_S8(...)                                                          \
  TESSERA_WGMMA_ALONG_K(std::int8_t, std::int8_t, std::int32_t, "+r", "k32.s32.s8.s8", \
                        TESSERA_WGMMA_NO_SIGNS, __VA_ARGS__)
#define TESSERA_WGMMA_U8(...)                                                            \
  TESSERA_WGMMA_ALONG_K(std::uint8_t, std::uint8_t, std::int32_t, "+r", "k32.s32.u8.u8", \
                        TESSERA_WGMMA_NO_SIGNS, __VA_ARGS__)
TESSERA_WGMMA_EVERY_16(TESSERA_WGMMA_S8)
TESSERA_WGMMA_EVERY_16(TESSERA_WGMMA_U8)
#undef TESSERA_WGMMA_U8
#undef TESSERA_WGMMA_S8

}  // namespace tessera::ptx::detail

#include "tessera/wgmma/instructions_end.h"
#endif
