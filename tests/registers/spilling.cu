// SPDX-License-Identifier: Apache-2.0
// More registers than a thread of so many blocks has: what check_code.sh must find.
__global__ __launch_bounds__(1024, 2) void spilling(float* p) {
  constexpr int kCount = 64;
  float kept[kCount];
  for (int i = 0; i < kCount; ++i) kept[i] = p[i * 1024 + threadIdx.x];
  __syncthreads();
  for (int j = 0; j < 100; ++j) {
    for (int i = 0; i < kCount; ++i) kept[i] = kept[i] * p[j] + kept[(i + 7) % kCount];
    __syncthreads();
  }
  for (int i = 0; i < kCount; ++i) p[i * 1024 + threadIdx.x] = kept[i];
}
