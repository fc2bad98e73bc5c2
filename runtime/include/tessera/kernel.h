// SPDX-License-Identifier: Apache-2.0
// All words of generated kernels and their launchers. Start reading at view.h and group.h.
#pragma once

#include "tessera/architecture.h"
#include "tessera/convert.h"
#include "tessera/divisor.h"
#include "tessera/fill_tile.h"
#include "tessera/fragment_group.h"
#include "tessera/group.h"
#include "tessera/launch.h"
#include "tessera/math.h"
#include "tessera/multiply.h"
#include "tessera/numbers.h"
#include "tessera/pairs.h"
#include "tessera/ptx_barrier.h"
#include "tessera/reductions.h"
#include "tessera/shared.h"
#include "tessera/tables.h"
#include "tessera/vector_math.h"
#include "tessera/vector_share.h"
#include "tessera/view.h"

// A comparison that is always true, of an unsigned number with 0, is one that the tile program makes.
#ifdef __CUDACC__
#pragma nv_diag_suppress 186
#endif
