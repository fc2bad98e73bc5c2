// SPDX-License-Identifier: Apache-2.0
#include "timing.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "cuda.h"

namespace bench {
namespace {

class Event {
 public:
  Event() { check(cudaEventCreate(&event_), "event"); }
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  ~Event() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }

  void record(cudaStream_t stream) const { check(cudaEventRecord(event_, stream), "event"); }
  double seconds_since(const Event& begin) const {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin.event_, event_), "time");
    return milliseconds / 1e3;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// One replay of a graph.
struct Turn {
  std::size_t side;
  Event begin, end;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

Turn timed(const Graph& graph, std::size_t side) {
  Turn turn{.side = side, .begin = {}, .end = {}};
  turn.begin.record(graph.stream());
  graph.replay();
  turn.end.record(graph.stream());
  return turn;
}

}  // namespace

Graph::Graph(cudaStream_t stream, int launches, const std::function<void(int)>& launch)
    : stream_(stream), launches_(launches) {
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
  try {
    for (int i = 0; i < launches; ++i) launch(i);
  } catch (...) {
    cudaStreamEndCapture(stream, &graph);
    if (graph != nullptr) cudaGraphDestroy(graph);
    throw;
  }
  check(cudaStreamEndCapture(stream, &graph), "capture");
  const cudaError_t made = cudaGraphInstantiate(&executable_, graph, 0);
  cudaGraphDestroy(graph);
  check(made, "graph");
}

Graph::Graph(Graph&& other) noexcept
    : stream_(other.stream_),
      launches_(other.launches_),
      executable_(std::exchange(other.executable_, nullptr)) {}

Graph::~Graph() {
  if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
}

void Graph::replay() const { check(cudaGraphLaunch(executable_, stream_), "replay"); }

double Graph::quick_seconds() const {
  replay();
  double least = std::numeric_limits<double>::max();
  std::vector<Turn> turns;
  for (int i = 0; i < 2; ++i) turns.push_back(timed(*this, 0));
  check(cudaStreamSynchronize(stream_), "replay");
  for (const Turn& turn : turns) least = std::min(least, turn.end.seconds_since(turn.begin) / launches_);
  return least;
}

std::vector<double> median_seconds(const std::vector<const Graph*>& graphs, int rounds) {
  for (const Graph* graph : graphs) graph->replay();
  std::vector<std::size_t> order;
  for (std::size_t side = 0; side < graphs.size(); ++side) order.push_back(side);
  std::vector<Turn> turns;
  for (int round = 0; round < rounds; ++round) {
    for (const std::size_t side : order) turns.push_back(timed(*graphs[side], side));
    std::reverse(order.begin(), order.end());
  }
  check(cudaDeviceSynchronize(), "replay");
  std::vector<std::vector<double>> times(graphs.size());
  for (const Turn& turn : turns) {
    times[turn.side].push_back(turn.end.seconds_since(turn.begin) / graphs[turn.side]->launches());
  }
  std::vector<double> medians;
  for (const std::vector<double>& series : times) medians.push_back(median(series));
  return medians;
}

}  // namespace bench
