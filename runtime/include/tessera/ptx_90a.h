// SPDX-License-Identifier: Apache-2.0
// Instructions that only code for sm_90a has, or has without a warning.
#pragma once

#include "tessera/device.h"

// `nvcc -arch=sm_90a` also makes code for compute capability 9.0 and later, which has none of these instructions: there a
// kernel says so, and ends. Launchers start it on a chip of capability 9.0 alone.
#if defined(__CUDA_ARCH__) && !defined(__CUDA_ARCH_FEAT_SM90_ALL)
#include <cstdio>
#define TESSERA_ASM_90A(...) tessera::detail::say_compile_for_90a()
namespace tessera::detail {
TESSERA_DEVICE void say_compile_for_90a() {
  printf("tessera: a kernel that multiplies by warpgroups was compiled for sm_90; compile it for sm_90a\n");
  __trap();
  __builtin_unreachable();  // else all that follows would be compiled
}
}  // namespace tessera::detail
#else
#define TESSERA_ASM_90A(...) asm volatile(__VA_ARGS__)
#endif
