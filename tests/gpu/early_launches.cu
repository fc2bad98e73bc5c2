// SPDX-License-Identifier: Apache-2.0
// For a GPU whose launches may begin early (9.0): chains of kernels that do nothing but wait for each other, in the default stream,
// in others that stay, or are destroyed idle or at work, and in graphs. Exits 1 where a launch waits for ever, 77 without such a
// GPU.
//   early_launches RULE WAY SECONDS
// RULE says which launches begin early: `ours` where Tessera lets them; `asked` where LaunchOptions ask for it; `always` in any
// stream, where each allows the next before it waits. Several copies of `asked work` or `always work` at once hang soon.
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

enum class Rule { ours, asked, always };

constexpr int kSkipped = 77, kStreams = 4, kThreads = 256;
constexpr unsigned kPatience = 20;  // seconds for a round, which takes about a millisecond
constexpr int kWholeMultiprocessor = 200 * 1024;

void require(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::printf("%s\n", cudaGetErrorString(error));
  std::exit(2);
}

/// Waits for the launch before, and takes so many clocks.
template <bool kAllowsFirst>
TESSERA_KERNEL(kThreads)
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

/// Few blocks and many, small and large, as products have whose blocks share terms.
struct Kernel {
  int blocks, shared;
  unsigned most_clocks;
};
constexpr Kernel kChain[] = {{32, 0, 3000},
                             {8, kWholeMultiprocessor, 20000},
                             {32, 0, 3000},
                             {132, kWholeMultiprocessor, 40000},
                             {32, 0, 3000},
                             {132, kWholeMultiprocessor, 40000},
                             {121, kWholeMultiprocessor, 90000}};

void launch_ours(cudaStream_t stream, const Kernel& kernel, index clocks, bool is_asked) {
  const Status status =
      launch(LaunchCheck("wait_and_spin"), {.stream = stream, .begins_early = is_asked}, wait_and_spin<false>,
             Blocks{kernel.blocks}, Threads{kThreads, kBeginsEarly}, DynamicShared{kernel.shared}, clocks);
  if (status.ok()) return;
  std::printf("%s\n", status.message().c_str());
  std::exit(2);
}

void launch_by_hand(cudaStream_t stream, const Kernel& kernel, index clocks) {
  const auto function = wait_and_spin<true>;
  require(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, kWholeMultiprocessor));
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(kernel.blocks));
  config.blockDim = dim3(kThreads);
  config.dynamicSmemBytes = static_cast<std::size_t>(kernel.shared);
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = 1;
  require(cudaLaunchKernelEx(&config, function, clocks));
}

void launch_chain(Rule rule, cudaStream_t stream) {
  static std::minstd_rand random{std::random_device{}()};
  for (const Kernel& kernel : kChain) {
    const auto clocks = static_cast<index>(random() % kernel.most_clocks);
    if (rule == Rule::always)
      launch_by_hand(stream, kernel, clocks);
    else
      launch_ours(stream, kernel, clocks, rule == Rule::asked);
  }
}

/// What a round does with each of `kStreams` streams, before the device is waited for.
struct Way {
  const char* name;
  bool is_default;     ///< the default stream in place of each
  bool makes_streams;  ///< for each round
  bool waits;          ///< for a stream before it is destroyed
  bool in_graphs;
  bool
      is_beside;  ///< chains of ours in a stream that is destroyed while it is at work, which the default stream waits for
};

constexpr Way kWays[] = {{"default", true, false, false, false, true},
                         {"stay", false, false, false, false, true},
                         {"idle", false, true, true, false, false},
                         {"work", false, true, false, false, false},
                         {"graph", false, true, false, true, false}};

cudaStream_t make_stream() {
  cudaStream_t stream;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

cudaGraphExec_t capture(Rule rule, cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  launch_chain(rule, stream);
  require(cudaStreamEndCapture(stream, &graph));
  require(cudaGraphInstantiate(&executable, graph, 0));
  require(cudaGraphDestroy(graph));
  return executable;
}

void run_in_short_stream() {
  cudaStream_t stream;
  require(cudaStreamCreate(&stream));
  launch_chain(Rule::ours, stream);
  require(cudaStreamDestroy(stream));
}

void run_round(Rule rule, const Way& way, const cudaStream_t (&streams)[kStreams],
               const cudaGraphExec_t (&graphs)[kStreams]) {
  for (int i = 0; i < kStreams; ++i) {
    const cudaStream_t stream = way.is_default ? nullptr : way.makes_streams ? make_stream() : streams[i];
    if (way.in_graphs)
      require(cudaGraphLaunch(graphs[i], stream));
    else
      launch_chain(rule, stream);
    if (way.is_beside) run_in_short_stream();
    if (way.waits) require(cudaStreamSynchronize(stream));
    if (way.makes_streams) require(cudaStreamDestroy(stream));
  }
  require(cudaDeviceSynchronize());
}

/// Of SIGALRM.
void give_up(int) {
  constexpr char kText[] = "a launch waits for ever\n";
  _exit(write(STDOUT_FILENO, kText, sizeof kText - 1) > 0 ? 1 : 2);
}

void run(Rule rule, const Way& way, double seconds) {
  using Clock = std::chrono::steady_clock;
  cudaStream_t streams[kStreams];
  cudaGraphExec_t graphs[kStreams];
  for (int i = 0; i < kStreams; ++i) {
    streams[i] = make_stream();
    graphs[i] = capture(rule, streams[i]);
  }
  long rounds = 0;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  do {
    alarm(kPatience);
    run_round(rule, way, streams, graphs);
    ++rounds;
  } while (Clock::now() < end);
  alarm(0);
  for (int i = 0; i < kStreams; ++i) {
    require(cudaGraphExecDestroy(graphs[i]));
    require(cudaStreamDestroy(streams[i]));
  }
  std::printf("%s: %ld rounds\n", way.name, rounds);
}

int refuse_arguments() {
  std::puts("early_launches ours|asked|always default|stay|idle|work|graph SECONDS");
  return 2;
}

int run_all(int count, char** arguments) {
  if (count != 4) return refuse_arguments();
  const std::string rule = arguments[1];
  const double seconds = std::atof(arguments[3]);
  if ((rule != "ours" && rule != "asked" && rule != "always") || seconds <= 0) return refuse_arguments();
  cudaDeviceProp device;
  if (cudaGetDeviceProperties(&device, 0) != cudaSuccess || device.major != 9) {
    std::puts("no GPU with warpgroups: skipped");
    return kSkipped;
  }
  std::signal(SIGALRM, give_up);
  for (const Way& way : kWays) {
    if (std::strcmp(way.name, arguments[2]) != 0) continue;
    run(rule == "ours" ? Rule::ours : rule == "asked" ? Rule::asked : Rule::always, way, seconds);
    return 0;
  }
  return refuse_arguments();
}

}  // namespace
}  // namespace early_launches

int main(int count, char** arguments) { return early_launches::run_all(count, arguments); }
