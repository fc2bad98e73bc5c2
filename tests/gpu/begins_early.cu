// SPDX-License-Identifier: Apache-2.0
// For a GPU whose launches may begin early (9.0): which do, by their stream and LaunchOptions. A kernel that runs looks out for the
// next, which says that it has begun before it waits. Exits 1 where one begins too early or too late, 77 without such a GPU.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#include "tessera/kernel.h"
#include "tessera/warpgroups.h"

namespace begins_early {

using namespace tessera;
using tessera::index;

namespace {

constexpr int kSkipped = 77, kThreads = 32;

void require(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::printf("%s\n", cudaGetErrorString(error));
  std::exit(2);
}

/// What kernels tell each other.
struct Signals {
  int has_begun, was_seen;
};

/// Watches for the next launch for so many clocks.
TESSERA_KERNEL(kThreads)
void watch(Signals* signals, index clocks) {
  wait_for_launch_before();
  const volatile int& has_begun = signals->has_begun;
  const long long begin = clock64();
  while (has_begun == 0 && clock64() - begin < clocks) {
  }
  signals->was_seen = has_begun;
}

/// The next.
TESSERA_KERNEL(kThreads)
void begin(Signals* signals) {
  *const_cast<volatile int*>(&signals->has_begun) = 1;
  __threadfence();
  wait_for_launch_before();
}

void launch_must(const Status& status) {
  if (status.ok()) return;
  std::printf("%s\n", status.message().c_str());
  std::exit(2);
}

void launch_both(Signals* signals, const LaunchOptions& options) {
  constexpr index kClocks = 50'000'000;  // some tens of milliseconds
  const LaunchCheck check("begins_early");
  const Threads threads{kThreads, kBeginsEarly};
  launch_must(launch(check, options, watch, Blocks{1}, threads, signals, kClocks));
  launch_must(launch(check, options, begin, Blocks{1}, threads, signals));
}

/// Both in a graph.
void replay_both(Signals* signals, cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  launch_both(signals, {.stream = stream});
  require(cudaStreamEndCapture(stream, &graph));
  require(cudaGraphInstantiate(&executable, graph, 0));
  require(cudaGraphLaunch(executable, stream));
  require(cudaStreamSynchronize(stream));
  require(cudaGraphExecDestroy(executable));
  require(cudaGraphDestroy(graph));
}

/// 1 where the second of the launches that `launch_them` queues does not begin as is expected.
template <typename Launch>
int check(const char* where, bool is_expected, Signals* signals, const Launch& launch_them) {
  require(cudaMemset(signals, 0, sizeof(Signals)));
  require(cudaDeviceSynchronize());
  launch_them();
  Signals found;
  require(cudaMemcpy(&found, signals, sizeof found, cudaMemcpyDeviceToHost));
  std::printf("%s: %s\n", where, found.was_seen != 0 ? "early" : "when the one before has ended");
  return (found.was_seen != 0) != is_expected ? 1 : 0;
}

#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
constexpr bool kIsDefaultShared = false;
#else
constexpr bool kIsDefaultShared = true;
#endif

int run() {
  cudaStream_t stream;
  Signals* signals;
  require(cudaStreamCreate(&stream));
  require(cudaMalloc(&signals, sizeof(Signals)));
  const auto in = [&](const LaunchOptions& options) {
    return [=] {
      launch_both(signals, options);
      require(cudaDeviceSynchronize());
    };
  };
  in({})();  // loads the kernels, during which nothing can begin
  int wrong = check("default stream", kIsDefaultShared, signals, in({}));
  wrong += check("default stream of all threads", true, signals, in({.stream = cudaStreamLegacy}));
  wrong += check("default stream of a thread", false, signals, in({.stream = cudaStreamPerThread}));
  wrong += check("stream of the caller", false, signals, in({.stream = stream}));
  wrong += check("stream of the caller, asked", true, signals, in({.stream = stream, .begins_early = true}));
  wrong += check("graph", true, signals, [&] { replay_both(signals, stream); });
  require(cudaFree(signals));
  require(cudaStreamDestroy(stream));
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace begins_early

int main() {
  cudaDeviceProp device;
  if (cudaGetDeviceProperties(&device, 0) != cudaSuccess || device.major != 9) {
    std::puts("no GPU with warpgroups: skipped");
    return begins_early::kSkipped;
  }
  return begins_early::run();
}
