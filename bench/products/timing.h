// SPDX-License-Identifier: Apache-2.0
// Launches as graphs, so that nobody waits for the host, and their times in turns.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <vector>

namespace bench {

/// Several launches as one graph; `launch` queues number i of them. It has been called before, so that everything is
/// loaded.
class Graph {
 public:
  Graph(cudaStream_t stream, int launches, const std::function<void(int)>& launch);
  Graph(Graph&& other) noexcept;
  ~Graph();

  void replay() const;
  /// Seconds of one launch, the least of some replays: to choose by, not to report.
  double quick_seconds() const;

  cudaStream_t stream() const { return stream_; }
  int launches() const { return launches_; }

 private:
  cudaStream_t stream_;
  int launches_;
  cudaGraphExec_t executable_ = nullptr;
};

/// The median seconds of one launch of each graph. They take turns, and each round reverses the order; the device does
/// not rest between them.
std::vector<double> median_seconds(const std::vector<const Graph*>& graphs, int rounds);

}  // namespace bench
