// SPDX-License-Identifier: Apache-2.0
// What the launcher of examples/gemm adds to a launch: beside cudaLaunchKernelExC by hand, of the same kernel with the same
// parameters, which the linker's --wrap shows to this program. Medians of one process, in turns. On a GPU of sm_90:
//   tesserac examples/gemm/gemm.tsr --arch=sm_90 -o OUT
//   nvcc -O3 -std=c++20 -fmad=false --split-compile=0 -Xcompiler=-ffp-contract=off -gencode=arch=compute_90a,code=sm_90a
//     -Xlinker=--wrap=cudaLaunchKernelExC -Iruntime/include -IOUT bench/launch_overhead.cu OUT/gemm.sm_90.cu
//     OUT/gemm.dispatch.cpp -o OUT/launch_overhead
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "gemm.h"
#include "tessera/kernel.h"

namespace {

using tessera::bf16;

constexpr int kRounds = 200, kLaunches = 20;  // so few that the queue of the device never is full

void require(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

/// The last launch of this program, with copies of all that its caller lets go.
struct Launch {
  int count = 0;
  cudaLaunchConfig_t config{};
  const void* function = nullptr;
  std::vector<cudaLaunchAttribute> attributes;
  std::vector<std::byte> bytes;      // of the parameters
  std::vector<std::size_t> offsets;  // of each of them
} last_launch;

void record(const cudaLaunchConfig_t& config, const void* function, void** parameters) {
  ++last_launch.count;
  last_launch.config = config;
  last_launch.function = function;
  last_launch.attributes.assign(config.attrs, config.attrs + config.numAttrs);
  last_launch.bytes.clear();
  last_launch.offsets.clear();
  std::size_t offset, size;
  for (std::size_t i = 0; cudaFuncGetParamInfo(function, i, &offset, &size) == cudaSuccess; ++i) {
    const auto* const first = static_cast<const std::byte*>(parameters[i]);
    last_launch.bytes.resize(offset);
    last_launch.bytes.insert(last_launch.bytes.end(), first, first + size);
    last_launch.offsets.push_back(offset);
  }
  static_cast<void>(cudaGetLastError());  // there is no parameter behind the last
}

bool is_recording = false;

}  // namespace

extern "C" cudaError_t __real_cudaLaunchKernelExC(const cudaLaunchConfig_t*, const void*, void**);

extern "C" cudaError_t __wrap_cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                                  void** parameters) {
  if (is_recording) record(*config, function, parameters);
  return __real_cudaLaunchKernelExC(config, function, parameters);
}

namespace {

/// A product of matrices of so many rows and columns.
class Product {
 public:
  Product(tessera::index extent, const tessera::LaunchOptions& options) : extent_(extent), options_(options) {
    for (bf16*& matrix : matrices_) {
      const auto bytes = static_cast<std::size_t>(extent * extent) * sizeof(bf16);
      require(cudaMalloc(reinterpret_cast<void**>(&matrix), bytes), "memory");
      require(cudaMemset(matrix, 0, bytes), "memory");
    }
    record_launch();
  }
  ~Product() {
    for (bf16* matrix : matrices_) static_cast<void>(cudaFree(matrix));
  }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  void launch() const {
    const auto tensor = [this](int i) { return tessera::tensor(matrices_[i], {extent_, extent_}, 0); };
    const tessera::Status status = kernels::gemm(tensor(0), tensor(1), tensor(2), options_);
    if (status.ok()) return;
    std::fprintf(stderr, "%s\n", status.message().c_str());
    std::exit(1);
  }

  void launch_by_hand() {
    require(__real_cudaLaunchKernelExC(&by_hand_.config, by_hand_.function, parameters_.data()), "launch");
  }

  /// Of the parameters of its kernel.
  std::size_t bytes() const { return by_hand_.bytes.size(); }

 private:
  void record_launch() {
    last_launch = {};
    is_recording = true;
    launch();
    is_recording = false;
    if (last_launch.count != 1) {
      std::fprintf(stderr, "%d launches, where one was expected\n", last_launch.count);
      std::exit(1);
    }
    by_hand_ = last_launch;
    by_hand_.config.attrs = by_hand_.attributes.data();
    for (const std::size_t offset : by_hand_.offsets) parameters_.push_back(by_hand_.bytes.data() + offset);
  }

  tessera::index extent_;
  tessera::LaunchOptions options_;
  bf16* matrices_[3] = {};
  Launch by_hand_;
  std::vector<void*> parameters_;
};

/// The microseconds of a launch, of which a round has several, while the device has nothing else to do.
template <typename Body>
double microseconds(cudaStream_t stream, Body launch) {
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

void compare(tessera::index extent, cudaStream_t stream, bool begins_early) {
  Product product(extent, {.stream = stream, .begins_early = begins_early});
  const auto launcher = [&] { product.launch(); };
  const auto by_hand = [&] { product.launch_by_hand(); };
  std::vector<double> of_launcher, of_hand;
  for (int round = -10; round < kRounds; ++round) {  // the first rounds warm up
    const bool is_first = round % 2 == 0;
    const double some = is_first ? microseconds(stream, launcher) : microseconds(stream, by_hand);
    const double others = is_first ? microseconds(stream, by_hand) : microseconds(stream, launcher);
    if (round < 0) continue;
    of_launcher.push_back(is_first ? some : others);
    of_hand.push_back(is_first ? others : some);
  }
  const double launcher_median = median(of_launcher), hand_median = median(of_hand);
  std::printf("%5lld^3,%s %zu bytes of parameters: %.2f by hand, %.2f by the launcher, %.2f more\n",
              static_cast<long long>(extent), begins_early ? " begins early," : "", product.bytes(),
              hand_median, launcher_median, launcher_median - hand_median);
}

}  // namespace

int main() {
  cudaStream_t stream;
  require(cudaStreamCreate(&stream), "stream");
  std::printf("microseconds of the host for a launch of gemm, medians of %d rounds of %d\n", kRounds,
              kLaunches);
  for (const tessera::index extent : {64, 1024})
    for (const bool begins_early : {false, true}) compare(extent, stream, begins_early);
  require(cudaStreamDestroy(stream), "stream");
  return 0;
}
