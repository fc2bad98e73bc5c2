// SPDX-License-Identifier: Apache-2.0
// wgmma.mma_async of fp8, of the one kind or the other.
#pragma once

#include "tessera/ptx_wgmma.h"

#if !TESSERA_TWIN
#include "tessera/wgmma/instructions.h"

namespace tessera::ptx::detail {

#define TESSERA_WGMMA_E4M3(...)                                                                    \
  TESSERA_WGMMA_ALONG_K(fp8_e4m3, fp8_e4m3, float, "+f", "k32.f32.e4m3.e4m3", TESSERA_WGMMA_SIGNS, \
                        __VA_ARGS__)
#define TESSERA_WGMMA_E4M3_E5M2(...)                                                               \
  TESSERA_WGMMA_ALONG_K(fp8_e4m3, fp8_e5m2, float, "+f", "k32.f32.e4m3.e5m2", TESSERA_WGMMA_SIGNS, \
                        __VA_ARGS__)
#define TESSERA_WGMMA_E5M2_E4M3(...)                                                               \
  TESSERA_WGMMA_ALONG_K(fp8_e5m2, fp8_e4m3, float, "+f", "k32.f32.e5m2.e4m3", TESSERA_WGMMA_SIGNS, \
                        __VA_ARGS__)
#define TESSERA_WGMMA_E5M2(...)                                                                    \
  TESSERA_WGMMA_ALONG_K(fp8_e5m2, fp8_e5m2, float, "+f", "k32.f32.e5m2.e5m2", TESSERA_WGMMA_SIGNS, \
                        __VA_ARGS__)
TESSERA_WGMMA_EVERY_16(TESSERA_WGMMA_E4M3)
TESSERA_WGMMA_EVERY_16(TESSERA_WGMMA_E4M3_E5M2)
TESSERA_WGMMA_EVERY_16(TESSERA_WGMMA_E5M2_E4M3)
TESSERA_WGMMA_EVERY_16(TESSERA_WGMMA_E5M2)
#undef TESSERA_WGMMA_E5M2
#undef TESSERA_WGMMA_E5M2_E4M3
#undef TESSERA_WGMMA_E4M3_E5M2
#undef TESSERA_WGMMA_E4M3

}  // namespace tessera::ptx::detail

#include "tessera/wgmma/instructions_end.h"
#endif
