// SPDX-License-Identifier: Apache-2.0
// All words of generated kernels and their launchers. Start reading at view.h and group.h.
#pragma once

#if !defined(__CUDACC__) && defined(__GNUC__) && !defined(__clang__)
// What a guard kept a thread from writing, the same guard keeps it from reading. The compiler loses sight of that in
// unrolled loops; the twin checks it as it runs.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include "tessera/architecture.h"
#include "tessera/convert.h"
#include "tessera/divisor.h"
#include "tessera/group.h"
#include "tessera/launch.h"
#include "tessera/math.h"
#include "tessera/numbers.h"
#include "tessera/reductions.h"
#include "tessera/shared.h"
#include "tessera/tables.h"
#include "tessera/vector_math.h"
#include "tessera/view.h"
