// SPDX-License-Identifier: Apache-2.0
// wgmma.mma_async of tf32.
#pragma once

#include "tessera/ptx_wgmma.h"

#if !TESSERA_TWIN
#include "tessera/wgmma/instructions.h"

namespace tessera::ptx::detail {

#define TESSERA_WGMMA_TF32(...) \
  TESSERA_WGMMA_ALONG_K(tf32, tf32, float, "+f", "k8.f32.tf32.tf32", TESSERA_WGMMA_SIGNS, __VA_ARGS__)
TESSERA_WGMMA_EVERY_16(TESSERA_WGMMA_TF32)
#undef TESSERA_WGMMA_TF32

}  // namespace tessera::ptx::detail

#include "tessera/wgmma/instructions_end.h"
#endif
