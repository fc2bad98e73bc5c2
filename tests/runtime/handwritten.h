// SPDX-License-Identifier: Apache-2.0
// The kernels written by hand as generated code should look; tests run them on the host twin and on a GPU.
#pragma once

#include "tessera/abi.h"

namespace kernels {

/// y = x + 1, both bf16[R, C].
tessera::Status add_one(const tessera::Tensor& x, const tessera::Tensor& y,
                        const tessera::LaunchOptions& options = {});

/// y[c, r] = x[r, c], f32.
tessera::Status transpose(const tessera::Tensor& x, const tessera::Tensor& y,
                          const tessera::LaunchOptions& options = {});

/// y[r, :] = exp(x[r, :] - max) / sum of that, both bf16[R, C].
tessera::Status softmax(const tessera::Tensor& x, const tessera::Tensor& y,
                        const tessera::LaunchOptions& options = {});

/// y[c] = sum over r of x[r, c], f32[R, C] and f32[C]; of a GPU from compute capability 9.0 on.
tessera::Status sum_rows(const tessera::Tensor& x, const tessera::Tensor& y,
                         const tessera::LaunchOptions& options = {});

/// c = a b: bf16[M, K], bf16[K, N], bf16[M, N].
tessera::Status gemm(const tessera::Tensor& a, const tessera::Tensor& b, const tessera::Tensor& c,
                     const tessera::LaunchOptions& options = {});

/// The same by warpgroups, with variants for each order of a and b in memory; lines begin at multiples of 16 bytes.
tessera::Status gemm_by_warpgroups(const tessera::Tensor& a, const tessera::Tensor& b,
                                   const tessera::Tensor& c, const tessera::LaunchOptions& options = {});

/// c[m, n] = sum over k of a[m, k] * b[n, k] for floats in parts, by warpgroups.
tessera::Status gemm_of_parts(const tessera::Tensor& a, const tessera::Tensor& b, const tessera::Tensor& c,
                              const tessera::LaunchOptions& options = {});

/// The same of at most 128 x 128 elements of c, by Mma<T>: bf16, f16, tf32, float, double, std::int8_t, std::uint8_t.
template <typename T>
tessera::Status product(const tessera::Tensor& a, const tessera::Tensor& b, const tessera::Tensor& c,
                        const tessera::LaunchOptions& options = {});

}  // namespace kernels
