// SPDX-License-Identifier: Apache-2.0
// What a launch of examples/gemm costs its host thread, beside launches by hand of a kernel that does nothing and has the
// same parameters, as much shared memory and as many threads: medians of one process, in turns. On a GPU of sm_90:
//   tesserac examples/gemm/gemm.tsr --arch=sm_90 -o OUT
//   nvcc -O3 -std=c++20 -fmad=false --split-compile=0 -Xcompiler=-ffp-contract=off -gencode=arch=compute_90a,code=sm_90a
//     -Iruntime/include -IOUT bench/launch_overhead.cu OUT/gemm.sm_90.cu OUT/gemm.dispatch.cpp -o OUT/launch_overhead
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "gemm.h"
#include "tessera/kernel.h"
#include "tessera/warpgroups.h"

namespace {

using tessera::bf16;

constexpr int kRounds = 200, kLaunches = 20;  // so few that the queue of the device never is full
constexpr int kThreads = 256, kSharedBytes = 208 * 1024;

/// What gemm_by_warpgroups takes.
struct Parameters {
  tessera::FactorBoxes a, b;
  tessera::StoreBoxes c_boxes;
  tessera::TermShares terms;
  tessera::View<bf16, 2> c;
  tessera::index m, k, n;
};

__global__ void __launch_bounds__(kThreads)
    do_nothing(const __grid_constant__ tessera::FactorBoxes, const __grid_constant__ tessera::FactorBoxes,
               const __grid_constant__ tessera::StoreBoxes, const __grid_constant__ tessera::TermShares,
               const __grid_constant__ tessera::View<bf16, 2>, tessera::index, tessera::index,
               tessera::index) {}

void require(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

void launch_nothing(Parameters& values, cudaStream_t stream, bool begins_early) {
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(kThreads);
  config.dynamicSmemBytes = kSharedBytes;
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = begins_early ? 1 : 0;
  void* parameters[] = {&values.a, &values.b, &values.c_boxes, &values.terms,
                        &values.c, &values.m, &values.k,       &values.n};
  require(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(do_nothing), parameters), "launch");
}

/// A product of matrices of so many rows and columns.
class Product {
 public:
  explicit Product(tessera::index extent) : extent_(extent) {
    for (bf16*& matrix : matrices_) {
      const auto bytes = static_cast<std::size_t>(extent * extent) * sizeof(bf16);
      require(cudaMalloc(reinterpret_cast<void**>(&matrix), bytes), "memory");
      require(cudaMemset(matrix, 0, bytes), "memory");
    }
  }
  ~Product() {
    for (bf16* matrix : matrices_) static_cast<void>(cudaFree(matrix));
  }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  void launch(cudaStream_t stream) const {
    const auto tensor = [this](int i) { return tessera::tensor(matrices_[i], {extent_, extent_}, 0); };
    const tessera::Status status = kernels::gemm(tensor(0), tensor(1), tensor(2), {.stream = stream});
    if (status.ok()) return;
    std::fprintf(stderr, "%s\n", status.message().c_str());
    std::exit(1);
  }

 private:
  tessera::index extent_;
  bf16* matrices_[3] = {};
};

/// The microseconds of a launch, of which a round has several, while the device has nothing else to do.
template <typename Launch>
double microseconds(cudaStream_t stream, Launch launch) {
  using Clock = std::chrono::steady_clock;
  require(cudaStreamSynchronize(stream), "stream");
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < kLaunches; ++i) launch();
  const std::chrono::duration<double, std::micro> passed = Clock::now() - begin;
  require(cudaStreamSynchronize(stream), "stream");
  return passed.count() / kLaunches;
}

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

}  // namespace

int main() {
  cudaStream_t stream;
  require(cudaStreamCreate(&stream), "stream");
  require(cudaFuncSetAttribute(do_nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes),
          "shared memory");
  Parameters values{};
  const Product tiny(64), small(1024);
  std::vector<double> early, plain, of_tiny, of_small;
  for (int round = -10; round < kRounds; ++round) {  // the first rounds warm up
    const double times[] = {microseconds(stream, [&] { launch_nothing(values, stream, true); }),
                            microseconds(stream, [&] { launch_nothing(values, stream, false); }),
                            microseconds(stream, [&] { tiny.launch(stream); }),
                            microseconds(stream, [&] { small.launch(stream); })};
    if (round < 0) continue;
    std::vector<double>* of[] = {&early, &plain, &of_tiny, &of_small};
    for (int i = 0; i < 4; ++i) of[i]->push_back(times[i]);
  }
  std::printf("%zu bytes of parameters, microseconds of the host for a launch, medians of %d rounds of %d:\n",
              sizeof(Parameters), kRounds, kLaunches);
  std::printf("nothing, begins early    %6.2f\n", median(early));
  std::printf("nothing                  %6.2f\n", median(plain));
  std::printf("gemm, 64 x 64 x 64       %6.2f\n", median(of_tiny));
  std::printf("gemm, 1024 x 1024 x 1024 %6.2f\n", median(of_small));
  require(cudaStreamDestroy(stream), "stream");
  return 0;
}
