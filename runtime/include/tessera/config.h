// SPDX-License-Identifier: Apache-2.0
// What every runtime header needs to know about its compiler: host or device, and how to spell a function of
// both.
#pragma once

// The elementary functions are bitwise the same on host and device only under IEEE arithmetic without
// contraction: g++ -ffp-contract=off, nvcc -fmad=false with its default -ftz=false -prec-div=true
// -prec-sqrt=true.
#if defined(__FAST_MATH__) || defined(__USE_FAST_MATH__)
#error "the tessera headers need IEEE arithmetic: compile without -ffast-math and -use_fast_math"
#endif

/// TESSERA_HD marks a function usable on host and device, defined in a header.
#if defined(__CUDACC__)
#define TESSERA_HD __host__ __device__ inline
#else
#define TESSERA_HD inline
#endif

/// TESSERA_OUT_OF_LINE marks what launchers call many times and no time depends on: compilers are done sooner where it is
/// compiled once.
#define TESSERA_OUT_OF_LINE __attribute__((noinline))

/// TESSERA_ON_DEVICE is 1 in the pass that compiles for a GPU; TESSERA_DEVICE_ARCH is then its architecture
/// (900 for sm_90), and 0 on the host.
#if defined(__CUDA_ARCH__)
#define TESSERA_ON_DEVICE 1
#define TESSERA_DEVICE_ARCH __CUDA_ARCH__
#else
#define TESSERA_ON_DEVICE 0
#define TESSERA_DEVICE_ARCH 0
#endif
