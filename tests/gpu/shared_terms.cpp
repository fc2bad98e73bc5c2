// SPDX-License-Identifier: Apache-2.0
// For a GPU with warpgroups (9.0): launches whose blocks share terms, and meet through counts in memory, on several streams and
// in graphs that run at the same time, before and after a reset of the device. Each has to give the bits of a launch that runs
// alone. Exits 1 where one does not, 77 without such a GPU.
#include "shared_terms.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

namespace {

using tessera::bf16;
using tessera::index;

constexpr int kSkipped = 77, kStreams = 4, kRounds = 20;

void require(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::printf("%s\n", cudaGetErrorString(error));
  std::exit(2);
}

struct Stream {
  cudaStream_t stream;
  Stream() { require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)); }
  ~Stream() { static_cast<void>(cudaStreamDestroy(stream)); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
};

/// Memory of a device.
template <typename T>
class Device {
 public:
  explicit Device(index count) : bytes_(static_cast<std::size_t>(count) * sizeof(T)) {
    require(cudaMalloc(&data_, bytes_));
  }
  explicit Device(const std::vector<T>& values) : Device(static_cast<index>(values.size())) {
    require(cudaMemcpy(data_, values.data(), bytes_, cudaMemcpyHostToDevice));
  }
  ~Device() { static_cast<void>(cudaFree(data_)); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  T* data() const { return static_cast<T*>(data_); }
  void poison(cudaStream_t stream) const { require(cudaMemsetAsync(data_, 0xff, bytes_, stream)); }
  std::vector<T> values() const {
    std::vector<T> result(bytes_ / sizeof(T));
    require(cudaMemcpy(result.data(), data_, bytes_, cudaMemcpyDeviceToHost));
    return result;
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

std::vector<bf16> random_values(index count, std::mt19937& random) {
  std::uniform_real_distribution<float> values(-1, 1);
  std::vector<bf16> result;
  for (index i = 0; i < count; ++i) result.push_back(tessera::from_float<bf16>(values(random)));
  return result;
}

using Kernel = decltype(&kernels::shared_terms);

/// A product, an output of it for each stream, and what a launch that runs alone gives.
class Product {
 public:
  Product(index m, index n, index k, std::mt19937& random, Kernel kernel = kernels::shared_terms)
      : kernel_(kernel),
        m_(m),
        n_(n),
        k_(k),
        host_a_(random_values(m * k, random)),
        host_b_(random_values(n * k, random)),
        a_(host_a_),
        b_(host_b_),
        c_(m * n * kStreams) {
    launch(nullptr, 0);
    require(cudaDeviceSynchronize());
    const std::vector<float> all = c_.values();
    alone_.assign(all.begin(), all.begin() + m * n);
  }

  void poison(cudaStream_t stream) const { c_.poison(stream); }

  /// To output number `number`.
  void launch(cudaStream_t stream, int number, bool begins_early = false) const {
    const tessera::Status status =
        kernel_(tessera::tensor(a_.data(), {m_, k_}, 0), tessera::tensor(b_.data(), {n_, k_}, 0),
                tessera::tensor(c_.data() + number * m_ * n_, {m_, n_}, 0),
                {.stream = stream, .begins_early = begins_early});
    if (status.ok()) return;
    std::printf("%s\n", status.message().c_str());
    std::exit(2);
  }

  /// How many of the outputs are not what a launch alone has given.
  int count_wrong() const {
    const std::vector<float> all = c_.values();
    int wrong = 0;
    for (int i = 0; i < kStreams; ++i)
      wrong += std::memcmp(all.data() + i * m_ * n_, alone_.data(), alone_.size() * sizeof(float)) != 0;
    return wrong;
  }

  /// The largest error of a launch alone, at some elements, in parts of the sum of the terms' sizes.
  double error() const {
    double largest = 0;
    for (index i = 0; i < 64; ++i) {
      const index m = i * 37 % m_, n = i * 61 % n_;
      double sum = 0, size = 0;
      for (index k = 0; k < k_; ++k) {
        const double term = double{tessera::to_float(host_a_[static_cast<std::size_t>(m * k_ + k)])} *
                            double{tessera::to_float(host_b_[static_cast<std::size_t>(n * k_ + k)])};
        sum += term;
        size += std::abs(term);
      }
      const double found = alone_[static_cast<std::size_t>(m * n_ + n)];
      largest = std::max(largest, std::isnan(found) ? 1 : std::abs(found - sum) / size);
    }
    return largest;
  }

 private:
  Kernel kernel_;
  index m_, n_, k_;
  std::vector<bf16> host_a_, host_b_;
  Device<bf16> a_, b_;
  Device<float> c_;
  std::vector<float> alone_;
};

/// What launches each product once, in the order of a stream.
cudaGraphExec_t capture(const std::vector<Product*>& products, cudaStream_t stream, int number) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (const Product* product : products) product->launch(stream, number);
  require(cudaStreamEndCapture(stream, &graph));
  require(cudaGraphInstantiate(&executable, graph, 0));
  require(cudaGraphDestroy(graph));
  return executable;
}

/// Outputs that are wrong when `launch(number, stream)` has been called for each stream in each of some rounds.
template <typename Launch>
int run(const char* what, const std::vector<Product*>& products, const Launch& launch) {
  Stream streams[kStreams];
  int wrong = 0;
  for (int round = 0; round < kRounds; ++round) {
    for (const Product* product : products) product->poison(nullptr);
    require(cudaDeviceSynchronize());
    for (int number = 0; number < kStreams; ++number) launch(number, streams[number].stream);
    require(cudaDeviceSynchronize());
    for (const Product* product : products) wrong += product->count_wrong();
  }
  std::printf("%s: %d of %d outputs wrong\n", what, wrong,
              static_cast<int>(products.size()) * kStreams * kRounds);
  return wrong;
}

/// Every other stream with launches that begin early, as all those of graphs do.
int run_streams(const std::vector<Product*>& products) {
  return run("streams side by side", products, [&](int number, cudaStream_t stream) {
    for (const Product* product : products) product->launch(stream, number, number % 2 == 0);
  });
}

int run_graphs(const std::vector<Product*>& products) {
  Stream capturing;
  cudaGraphExec_t graphs[kStreams];
  for (int number = 0; number < kStreams; ++number)
    graphs[number] = capture(products, capturing.stream, number);
  const int wrong = run("graphs and streams side by side", products, [&](int number, cudaStream_t stream) {
    if (number % 2 == 0)
      require(cudaGraphLaunch(graphs[number], stream));
    else
      for (const Product* product : products) product->launch(stream, number, number % 4 == 1);
  });
  for (cudaGraphExec_t graph : graphs) require(cudaGraphExecDestroy(graph));
  return wrong;
}

/// Many graphs at once, so that counts are made while one is captured; their successors have the same counts.
void come_and_go(const std::vector<Product*>& products) {
  constexpr int kGraphs = 40;
  Stream stream;
  std::vector<cudaGraphExec_t> graphs;
  for (int i = 0; i < kGraphs; ++i) graphs.push_back(capture(products, stream.stream, i % kStreams));
  for (cudaGraphExec_t graph : graphs) require(cudaGraphLaunch(graph, stream.stream));
  for (cudaGraphExec_t graph : graphs) require(cudaGraphExecDestroy(graph));
  require(cudaDeviceSynchronize());
}

/// A capture whose graph is never run, with launches in another stream beside it.
void abandon(const std::vector<Product*>& products) {
  Stream stream, other;
  cudaGraph_t graph;
  require(cudaStreamBeginCapture(stream.stream, cudaStreamCaptureModeGlobal));
  for (const Product* product : products) {
    product->launch(stream.stream, 0);
    product->launch(other.stream, 1);
  }
  require(cudaStreamEndCapture(stream.stream, &graph));
  require(cudaGraphDestroy(graph));
}

/// More streams than have counts that stay, each for some launches of each product, and destroyed while these are under way.
int run_short_streams(const std::vector<Product*>& products) {
  constexpr int kLaunches = 12;
  return run("streams that come and go", products, [&](int number, cudaStream_t) {
    const Stream own;
    for (int i = 0; i < kLaunches; ++i)
      for (const Product* product : products) product->launch(own.stream, number);
  });
}

/// Outputs that are wrong, all in all.
int run_all(std::mt19937& random) {
  // Of few tiles, of as many as a stream's counts are for at most, of more; of so many that teams take shares in two rounds
  // (88 of an H100 or H200, which have 132 multiprocessors).
  Product few(64, 100, 4096, random), some(500, 2000, 2048, random), many(1000, 2048, 1024, random),
      rounds(1300, 1000, 8192, random, kernels::shared_by_teams);
  const std::vector<Product*> products{&few, &some, &many, &rounds};
  int wrong = 0;
  for (const Product* product : products) {
    const double error = product->error();
    std::printf("alone: error %.2g\n", error);
    wrong += error > 1e-5;
  }
  wrong += run_streams(products);
  wrong += run_graphs(products);
  come_and_go(products);
  abandon(products);
  wrong += run_graphs(products);
  wrong += run_short_streams(products);
  return wrong;
}

}  // namespace

int main() {
  cudaDeviceProp device;
  if (cudaGetDeviceProperties(&device, 0) != cudaSuccess || device.major != 9) {
    std::puts("no GPU with warpgroups: skipped");
    return kSkipped;
  }
  const unsigned seed = std::random_device{}();
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  int wrong = run_all(random);
  require(cudaDeviceReset());
  std::puts("after a reset");
  wrong += run_all(random);
  return wrong == 0 ? 0 : 1;
}
