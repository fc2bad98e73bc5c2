// SPDX-License-Identifier: Apache-2.0
// wgmma.mma_async of f16.
#pragma once

#include "tessera/ptx_wgmma.h"

#if !TESSERA_TWIN
#include "tessera/wgmma/instructions.h"

namespace tessera::ptx::detail {

#define TESSERA_WGMMA_F16(...) TESSERA_WGMMA_TRANSPOSING(f16, "k16.f32.f16.f16", __VA_ARGS__)
TESSERA_WGMMA_EVERY_16(TESSERA_WGMMA_F16)
#undef TESSERA_WGMMA_F16

}  // namespace tessera::ptx::detail

#include "tessera/wgmma/instructions_end.h"
#endif
