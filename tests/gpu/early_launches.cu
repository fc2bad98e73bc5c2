// SPDX-License-Identifier: Apache-2.0
// For a GPU whose launches may begin early (9.0): chains of kernels that do nothing but wait for each other, in streams that stay,
// that are destroyed idle or at work, and in graphs. Exits 1 where a launch waits for ever, 77 without such a GPU. Launches of
// ours, or with `--by-hand` such as allow the next before they wait, in streams that are new: with several copies of this program
// on a GPU, and streams that are destroyed at work, those hang at once.
//   early_launches SECONDS [--by-hand] [WAY]   so long for each way, or for one: stay, idle, work, later, graph
#include <cuda_runtime.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

#include "tessera/kernel.h"
#include "tessera/warpgroups.h"

namespace early_launches {

using namespace tessera;
using tessera::index;

namespace {

constexpr int kSkipped = 77, kStreams = 4;
constexpr unsigned kPatience = 20;  // seconds, of a round that takes a thousandth of one
constexpr int kWholeMultiprocessor = 200 * 1024;

void require(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::printf("%s\n", cudaGetErrorString(error));
  std::exit(2);
}

/// Waits for the launch before, and takes so many clocks.
template <bool kAllowsFirst>
TESSERA_KERNEL(256)
void wait_and_spin(index clocks) {
  if constexpr (kAllowsFirst) {
    ptx::griddepcontrol_launch_dependents();
    ptx::griddepcontrol_wait();
  } else {
    wait_for_launch_before();
  }
  const long long begin = clock64();
  while (clock64() - begin < clocks) {
  }
}

/// As a launch of Tessera does it, or by hand, which begins early in any stream.
void launch_one(bool by_hand, cudaStream_t stream, int blocks, int shared, index clocks) {
  constexpr int kThreads = 256;
  if (!by_hand) {
    const Status status =
        launch(LaunchCheck("wait_and_spin"), {.stream = stream}, wait_and_spin<false>, Blocks{blocks},
               Threads{kThreads, kBeginsEarly}, DynamicShared{shared}, clocks);
    if (!status.ok()) require(cudaErrorUnknown);
    return;
  }
  const auto kernel = wait_and_spin<true>;
  require(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kWholeMultiprocessor));
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(kThreads);
  config.dynamicSmemBytes = static_cast<std::size_t>(shared);
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = 1;
  require(cudaLaunchKernelEx(&config, kernel, clocks));
}

/// Few blocks and many, small and large, as products have whose blocks share terms.
class Chain {
 public:
  explicit Chain(bool by_hand) : by_hand_(by_hand) {}

  void launch(cudaStream_t stream) {
    for (const auto& [blocks, shared, clocks] : kKernels)
      launch_one(by_hand_, stream, blocks, shared, static_cast<index>(random_() % clocks));
  }

 private:
  struct Kernel {
    int blocks, shared;
    unsigned clocks;
  };
  static constexpr Kernel kKernels[] = {{32, 0, 3000},
                                        {8, kWholeMultiprocessor, 20000},
                                        {32, 0, 3000},
                                        {132, kWholeMultiprocessor, 40000},
                                        {32, 0, 3000},
                                        {132, kWholeMultiprocessor, 40000},
                                        {121, kWholeMultiprocessor, 90000}};

  bool by_hand_;
  std::minstd_rand random_{std::random_device{}()};
};

cudaStream_t make_stream() {
  cudaStream_t stream;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

/// What a round does in each of `kStreams` streams, before the device is waited for.
struct Way {
  const char* name;
  int chains;          ///< of launches
  bool makes_streams;  ///< for each round
  bool waits;          ///< for a stream before it is destroyed
  bool in_graphs;
};

constexpr Way kWays[] = {{"stay", 1, false, false, false},
                         {"idle", 1, true, true, false},
                         {"work", 1, true, false, false},
                         {"later", 6, true, false, false},  // more launches than it takes a stream to settle
                         {"graph", 1, true, false, true}};

cudaGraphExec_t capture(Chain& chain, cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  chain.launch(stream);
  require(cudaStreamEndCapture(stream, &graph));
  require(cudaGraphInstantiate(&executable, graph, 0));
  require(cudaGraphDestroy(graph));
  return executable;
}

void run_round(const Way& way, Chain& chain, const cudaStream_t (&streams)[kStreams],
               const cudaGraphExec_t (&graphs)[kStreams]) {
  for (int i = 0; i < kStreams; ++i) {
    const cudaStream_t stream = way.makes_streams ? make_stream() : streams[i];
    for (int number = 0; number < way.chains; ++number) {
      if (way.in_graphs)
        require(cudaGraphLaunch(graphs[i], stream));
      else
        chain.launch(stream);
    }
    if (way.waits) require(cudaStreamSynchronize(stream));
    if (way.makes_streams) require(cudaStreamDestroy(stream));
  }
  require(cudaDeviceSynchronize());
}

const char* running = "";

/// Of SIGALRM.
void give_up(int) {
  constexpr char kText[] = ": a launch waits for ever\n";
  const bool written = write(STDOUT_FILENO, running, std::strlen(running)) > 0 &&
                       write(STDOUT_FILENO, kText, sizeof kText - 1) > 0;
  _exit(written ? 1 : 2);
}

void run(const Way& way, double seconds, bool by_hand) {
  using Clock = std::chrono::steady_clock;
  running = way.name;
  Chain chain(by_hand);
  cudaStream_t streams[kStreams];
  cudaGraphExec_t graphs[kStreams];
  for (int i = 0; i < kStreams; ++i) {
    streams[i] = make_stream();
    graphs[i] = capture(chain, streams[i]);
  }
  long rounds = 0;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  for (; Clock::now() < end; ++rounds) {
    alarm(kPatience);
    run_round(way, chain, streams, graphs);
  }
  alarm(0);
  for (int i = 0; i < kStreams; ++i) {
    require(cudaGraphExecDestroy(graphs[i]));
    require(cudaStreamDestroy(streams[i]));
  }
  std::printf("%s: %ld rounds\n", way.name, rounds);
  std::fflush(stdout);
}

int run_all(int count, char** arguments) {
  cudaDeviceProp device;
  if (cudaGetDeviceProperties(&device, 0) != cudaSuccess || device.major != 9) {
    std::puts("no GPU with warpgroups: skipped");
    return kSkipped;
  }
  double seconds = 1;
  bool by_hand = false;
  std::string only;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--by-hand")
      by_hand = true;
    else if (i == 1)
      seconds = std::atof(arguments[i]);
    else
      only = argument;
  }
  std::signal(SIGALRM, give_up);
  for (const Way& way : kWays) {
    if (only.empty() || only == way.name) run(way, seconds, by_hand);
  }
  return 0;
}

}  // namespace
}  // namespace early_launches

int main(int count, char** arguments) { return early_launches::run_all(count, arguments); }
