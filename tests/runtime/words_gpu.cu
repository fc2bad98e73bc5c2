// SPDX-License-Identifier: Apache-2.0
// For a GPU: the kernels written by hand and the words they use, compared with loops on the host, and their
// bandwidth beside that of a plain copy. Prints a table; exits 1 when a result is wrong. From the root:
//   nvcc -std=c++20 -fmad=false -O3 -arch=sm_90 -I runtime/include -I . -o words_gpu
//     tests/runtime/words_gpu.cu tests/runtime/handwritten_*.cu && ./words_gpu
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "handwritten.h"
#include "tessera/kernel.h"

namespace words_gpu {

using namespace tessera;
using tessera::index;

namespace {

int wrong = 0;

void check_cuda(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorString(error));
  std::exit(2);
}

void expect(bool right, const std::string& what) {
  std::printf("%-5s %s\n", right ? "ok" : "WRONG", what.c_str());
  if (!right) ++wrong;
}

/// Device memory for a number of elements.
template <typename T>
class Memory {
 public:
  explicit Memory(index count) : count_(count) {
    check_cuda(cudaMalloc(&data_, bytes() + sizeof(T)), "cudaMalloc");
    check_cuda(cudaMemset(data_, 0xff, bytes()), "cudaMemset");
  }
  explicit Memory(const std::vector<T>& host) : Memory(static_cast<index>(host.size())) {
    check_cuda(cudaMemcpy(data_, host.data(), bytes(), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  ~Memory() { cudaFree(data_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  T* data() const { return data_; }
  std::size_t bytes() const { return static_cast<std::size_t>(count_) * sizeof(T); }
  std::vector<T> host() const {
    std::vector<T> result(static_cast<std::size_t>(count_));
    check_cuda(cudaMemcpy(result.data(), data_, bytes(), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return result;
  }

 private:
  index count_;
  T* data_ = nullptr;
};

std::uint32_t random_bits() {
  static std::uint32_t state = 1;
  state = state * 1664525u + 1013904223u;
  return state ^ state >> 15;
}

std::vector<bf16> random_bf16(index count) {
  std::vector<bf16> result(static_cast<std::size_t>(count));
  for (bf16& value : result) value = from_float<bf16>(static_cast<float>(random_bits() % 256) / 32 - 4);
  return result;
}

// Kernels against loops

struct Shape {
  index rows, columns;
};
const Shape kShapes[] = {{1, 1},    {7, 8},    {33, 64},  {5, 127},  {17, 250},  {9, 256},   {4, 1000},
                         {3, 1032}, {5, 4096}, {3, 4099}, {2, 8192}, {1, 10000}, {4099, 31}, {130, 1024}};

std::string text(const char* name, Shape shape, int variant) {
  return std::string(name) + " " + std::to_string(shape.rows) + " x " + std::to_string(shape.columns) +
         ", variant " + std::to_string(variant);
}

using IsRight = bool (*)(Shape shape, const std::vector<bf16>& x, const std::vector<bf16>& y);

bool add_one_is_right(Shape, const std::vector<bf16>& x, const std::vector<bf16>& y) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (y[i].bits != from_float<bf16>(to_float(x[i]) + 1.0f).bits) return false;
  }
  return true;
}

bool softmax_is_right(Shape shape, const std::vector<bf16>& x, const std::vector<bf16>& y) {
  const auto columns = static_cast<std::size_t>(shape.columns);
  for (std::size_t row = 0; row < x.size(); row += columns) {
    double top = -INFINITY, sum = 0;
    for (std::size_t c = row; c < row + columns; ++c) top = std::max<double>(top, to_float(x[c]));
    for (std::size_t c = row; c < row + columns; ++c) sum += std::exp(to_float(x[c]) - top);
    for (std::size_t c = row; c < row + columns; ++c) {
      const double expected = std::exp(to_float(x[c]) - top) / sum;
      const double bound = expected * (static_cast<double>(columns + 8) * 0x1p-24 + 0x1p-8);
      if (!(std::abs(to_float(y[c]) - expected) <= bound)) return false;
    }
  }
  return true;
}

using Kernel = Status (*)(const Tensor&, const Tensor&, const LaunchOptions&);

void check_kernel(const char* name, Kernel kernel, int variants, IsRight is_right) {
  for (const Shape shape : kShapes) {
    for (int variant = 0; variant < variants; ++variant) {
      const std::vector<bf16> host = random_bf16(shape.rows * shape.columns);
      const Memory<bf16> x(host), y(shape.rows * shape.columns);
      const Status status = kernel(tensor(x.data(), {shape.rows, shape.columns}, 0),
                                   tensor(y.data(), {shape.rows, shape.columns}, 0), {.variant = variant});
      if (status.code == TESSERA_UNKNOWN_VARIANT) continue;
      const cudaError_t error = cudaDeviceSynchronize();
      const bool right = status.ok() && error == cudaSuccess && is_right(shape, host, y.host());
      expect(right, text(name, shape, variant) + (status.ok() ? "" : ": " + status.message().c_str()) +
                        (error == cudaSuccess ? "" : std::string(": ") + cudaGetErrorString(error)));
    }
  }
}

void check_transpose() {
  for (const Shape shape : kShapes) {
    std::vector<float> host(static_cast<std::size_t>(shape.rows * shape.columns));
    for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<float>(i);
    const Memory<float> x(host), y(shape.rows * shape.columns);
    const Status status = kernels::transpose(tensor(x.data(), {shape.rows, shape.columns}, 0),
                                             tensor(y.data(), {shape.columns, shape.rows}, 0));
    const std::vector<float> result = y.host();
    bool right = status.ok();
    for (index r = 0; r < shape.rows; ++r) {
      for (index c = 0; c < shape.columns; ++c) {
        right = right && result[static_cast<std::size_t>(c * shape.rows + r)] ==
                             host[static_cast<std::size_t>(r * shape.columns + c)];
      }
    }
    expect(right, text("transpose", shape, 0));
  }
}

void check_sum_rows() {
  for (const Shape shape : kShapes) {
    std::vector<float> host(static_cast<std::size_t>(shape.rows * shape.columns));
    for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<float>(i % 1000);
    const Memory<float> x(host);
    for (int variant = 0; variant < 3; ++variant) {
      const Memory<float> y(shape.columns);
      const Status status = kernels::sum_rows(tensor(x.data(), {shape.rows, shape.columns}, 0),
                                              tensor(y.data(), {shape.columns}, 0), {.variant = variant});
      const std::vector<float> result = y.host();
      bool right = status.ok();
      for (index c = 0; c < shape.columns; ++c) {
        float sum = 0;
        for (index r = 0; r < shape.rows; ++r) sum += host[static_cast<std::size_t>(r * shape.columns + c)];
        right = right && result[static_cast<std::size_t>(c)] == sum;
      }
      expect(right, text("sum_rows", shape, variant));
    }
  }
}

// Words against loops

/// Reduces three values a thread, right after each other; every thread stores what it got.
// clang-format off
template <typename Op, typename T, int kThreads, int kGroups>
TESSERA_KERNEL(kThreads * kGroups)
void reduce_kernel(TESSERA_PARAMETER View<const T, 1> x, TESSERA_PARAMETER View<T, 1> y) {
  Group<kThreads, kGroups> group;
  for (int round = 0; round < 3; ++round) {
    const index i = round * kThreads * kGroups + thread_index();
    y.store({i}, group.reduce(Op{}, x.load({i})));
  }
}
// clang-format on

template <typename Op, typename T, int kThreads, int kGroups>
void check_reduction(const char* name) {
  constexpr index kCount = 3 * kThreads * kGroups;
  std::vector<T> host(kCount);
  for (T& value : host) value = static_cast<T>(static_cast<int>(random_bits() % 201) - 100);
  const Memory<T> x(host), y(kCount);
  const Tensor tx = tensor(x.data(), {kCount}, 0), ty = tensor(y.data(), {kCount}, 0);
  LaunchCheck check("reduce");
  check.tensor<const T, 1>(0, "x", tx);
  check.tensor<T, 1>(1, "y", ty);
  const Status status = launch(check, {}, reduce_kernel<Op, T, kThreads, kGroups>, Blocks{1},
                               Threads{kThreads * kGroups}, view<const T, 1>(tx), view<T, 1>(ty));
  const std::vector<T> result = y.host();
  bool right = status.ok();
  for (std::size_t first = 0; first < host.size(); first += kThreads) {
    T expected = host[first];
    for (std::size_t i = first + 1; i < first + kThreads; ++i) expected = Op{}(expected, host[i]);
    for (std::size_t i = first; i < first + kThreads; ++i) right = right && result[i] == expected;
  }
  expect(right,
         std::string(name) + " of " + std::to_string(kGroups) + " groups of " + std::to_string(kThreads));
}

template <int kThreads, int kGroups>
void check_group() {
  check_reduction<Sum, float, kThreads, kGroups>("sum f32");
  check_reduction<Sum, double, kThreads, kGroups>("sum f64");
  check_reduction<Product, std::int64_t, kThreads, kGroups>("product i64");
  check_reduction<Sum, std::int8_t, kThreads, kGroups>("sum i8");
  check_reduction<Maximum, float, kThreads, kGroups>("max f32");
  check_reduction<Minimum, std::int32_t, kThreads, kGroups>("min i32");
}

/// Counts the quotients by a Divisor that differ from those by `/`.
// clang-format off
TESSERA_KERNEL(256)
void divisor_kernel(TESSERA_PARAMETER View<std::uint32_t, 1> differences) {
  const auto thread = static_cast<std::uint32_t>(block_index() * 256 + thread_index());
  std::uint32_t state = thread * 2654435761u + 12345u, count = 0;
  for (int i = 0; i < 256; ++i) {
    state = state * 1664525u + 1013904223u;
    const float b = math::from_bits(((90u + state % 75u) << 23) | (state >> 9));
    const Divisor divisor(b);
    for (int j = 0; j < 16; ++j) {
      state = state * 1664525u + 1013904223u;
      const std::uint32_t moderate = ((100u + state % 50u) << 23) | (state >> 9);
      const float a = math::from_bits(j % 2 == 0 ? state ^ state >> 16 : moderate);
      const float plain = a / b, quick = a / divisor;
      if (math::to_bits(plain) != math::to_bits(quick) && !(plain != plain && quick != quick)) ++count;
    }
  }
  differences.store({static_cast<index>(thread)}, count);
}
// clang-format on

void check_divisor() {
  constexpr index kBlocks = 64;
  const Memory<std::uint32_t> y(kBlocks * 256);
  const Tensor ty = tensor(y.data(), {kBlocks * 256}, 0);
  LaunchCheck check("divisor");
  check.tensor<std::uint32_t, 1>(0, "differences", ty);
  const Status status =
      launch(check, {}, divisor_kernel, Blocks{kBlocks}, Threads{256}, view<std::uint32_t, 1>(ty));
  std::uint64_t count = 0;
  for (const std::uint32_t differences : y.host()) count += differences;
  expect(status.ok() && count == 0, "67 million quotients by a Divisor are those by /");
}

// Bandwidth

/// The median time of a call in seconds.
double seconds(const std::function<void()>& call) {
  constexpr int kRepeats = 21;
  cudaEvent_t begin, end;
  check_cuda(cudaEventCreate(&begin), "cudaEventCreate");
  check_cuda(cudaEventCreate(&end), "cudaEventCreate");
  std::vector<float> times;
  for (int repeat = -3; repeat < kRepeats; ++repeat) {
    check_cuda(cudaEventRecord(begin), "cudaEventRecord");
    call();
    check_cuda(cudaEventRecord(end), "cudaEventRecord");
    check_cuda(cudaEventSynchronize(end), "a timed kernel");
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
    if (repeat >= 0) times.push_back(milliseconds);
  }
  check_cuda(cudaEventDestroy(begin), "cudaEventDestroy");
  check_cuda(cudaEventDestroy(end), "cudaEventDestroy");
  std::sort(times.begin(), times.end());
  return 1e-3 * static_cast<double>(times[times.size() / 2]);
}

/// Times `run`, which reads x and writes y, beside a copy of x to y.
template <typename T>
void measure(const std::string& name, const Memory<T>& x, const Memory<T>& y,
             const std::function<Status()>& run) {
  const Status status = run();
  if (!status.ok()) return expect(status.code == TESSERA_UNKNOWN_VARIANT, name + ": " + status.message().c_str());
  const double bytes = 2.0 * static_cast<double>(x.bytes());
  const double copy = seconds([&] {
    check_cuda(cudaMemcpyAsync(y.data(), x.data(), x.bytes(), cudaMemcpyDeviceToDevice), "cudaMemcpyAsync");
  });
  const double kernel = seconds([&] { (void)run().ok(); });
  std::printf("%-44s %8.1f us %8.1f GB/s   copy %8.1f GB/s   ratio %.3f\n", name.c_str(), kernel * 1e6,
              bytes / kernel * 1e-9, bytes / copy * 1e-9, copy / kernel);
}

/// add_one over f32, as tests/runtime/handwritten_add_one.cu has it over bf16.
// clang-format off
template <int kThreadRows, int kThreadColumns, int kRows, int kVector>
TESSERA_KERNEL(kThreadRows * kThreadColumns)
void add_one_f32(TESSERA_PARAMETER View<const float, 2> x, TESSERA_PARAMETER View<float, 2> y,
                 index R, index C) {
  constexpr int kColumns = kThreadColumns * kVector;
  const int thread_row = thread_index() / kThreadColumns, thread_column = thread_index() % kThreadColumns;
  const Index<2> tiles{ceil_divide(R, kRows), ceil_divide(C, kColumns)};
  for (index tile = block_index(); tile < tiles[0] * tiles[1]; tile += block_count()) {
    const auto [tile_row, tile_column] = tile_position(tile, tiles).at;
    const index c = tile_column * kColumns + thread_column * kVector;
    TESSERA_UNROLL for (int i = 0; i < kRows / kThreadRows; ++i) {
      const index r = tile_row * kRows + i * kThreadRows + thread_row;
      if (r < R && c < C) {
        const Vector<float, kVector> x_rc = x.load<kVector>({r, c});
        Vector<float, kVector> y_rc;
        TESSERA_UNROLL for (int j = 0; j < kVector; ++j) y_rc[j] = x_rc[j] + 1.0f;
        y.store({r, c}, y_rc);
      }
    }
  }
}
// clang-format on

template <int kThreadRows, int kThreadColumns, int kRows>
void measure_add_one_f32(const Memory<float>& x, const Memory<float>& y) {
  const Tensor tx = tensor(x.data(), {8192, 8192}, 0), ty = tensor(y.data(), {8192, 8192}, 0);
  measure("add_one f32 8192 x 8192, tiles of " + std::to_string(kRows) + " x " +
              std::to_string(4 * kThreadColumns),
          x, y, [&] {
            LaunchCheck check("add_one_f32");
            check.tensor<const float, 2>(0, "x", tx);
            check.tensor<float, 2>(1, "y", ty);
            return launch(check, {}, add_one_f32<kThreadRows, kThreadColumns, kRows, 4>,
                          Blocks{8192 / kRows * 8192 / (4 * kThreadColumns)},
                          Threads{kThreadRows * kThreadColumns}, view<const float, 2>(tx), view<float, 2>(ty),
                          index{8192}, index{8192});
          });
}

void measure_all() {
  {
    const Memory<bf16> x(random_bf16(index{32768} * 4096)), y(index{32768} * 4096);
    const Tensor tx = tensor(x.data(), {32768, 4096}, 0), ty = tensor(y.data(), {32768, 4096}, 0);
    for (int variant = 1; variant < 5; ++variant) {
      measure("softmax bf16 32768 x 4096, variant " + std::to_string(variant), x, y,
              [&] { return kernels::softmax(tx, ty, {.variant = variant}); });
    }
    const Tensor narrow_x = tensor(x.data(), {131072, 1024}, 0),
                 narrow_y = tensor(y.data(), {131072, 1024}, 0);
    measure("softmax bf16 131072 x 1024, a warp a row", x, y,
            [&] { return kernels::softmax(narrow_x, narrow_y, {}); });
  }
  {
    const Memory<bf16> x(random_bf16(index{8192} * 8192)), y(index{8192} * 8192);
    const Tensor tx = tensor(x.data(), {8192, 8192}, 0), ty = tensor(y.data(), {8192, 8192}, 0);
    measure("add_one bf16 8192 x 8192", x, y, [&] { return kernels::add_one(tx, ty, {}); });
    measure("add_one bf16 8192 x 8192, element by element", x, y,
            [&] { return kernels::add_one(tx, ty, {.variant = 1}); });
  }
  {
    const Memory<float> x(index{8192} * 8192), y(index{8192} * 8192);
    measure_add_one_f32<8, 32, 16>(x, y);
    measure_add_one_f32<8, 32, 32>(x, y);
    measure_add_one_f32<16, 16, 32>(x, y);
    measure_add_one_f32<4, 64, 8>(x, y);
    const Tensor tx = tensor(x.data(), {8192, 8192}, 0), ty = tensor(y.data(), {8192, 8192}, 0);
    measure("transpose f32 8192 x 8192", x, y, [&] { return kernels::transpose(tx, ty, {}); });
  }
}

}  // namespace

int main() {
  cudaDeviceProp properties;
  check_cuda(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  std::printf("%s, %d multiprocessors\n", properties.name, multiprocessor_count());
  check_kernel("add_one", kernels::add_one, 2, add_one_is_right);
  check_kernel("softmax", kernels::softmax, 5, softmax_is_right);
  check_transpose();
  check_sum_rows();
  check_group<1, 32>();
  check_group<4, 8>();
  check_group<16, 3>();
  check_group<32, 4>();
  check_group<64, 3>();
  check_group<96, 2>();
  check_group<256, 1>();
  check_group<1024, 1>();
  check_divisor();
  measure_all();
  std::printf("%d wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}

}  // namespace words_gpu

int main() { return words_gpu::main(); }
