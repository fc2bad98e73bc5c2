// SPDX-License-Identifier: Apache-2.0
// What the C++ examples share: shapes from the command line, arrays on the device, comparison, timing, one
// line of report.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <random>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "device.h"
#include "numbers.h"

namespace example {

using tessera::bf16;
using tessera::f16;
using tessera::index;

/// The unit roundoff of a format, and half of its smallest denormal: storing v rounds by at most the sum of
/// both. Integers hold what they hold.
template <typename T>
inline constexpr double kUnit = std::is_integral_v<T>       ? 0
                                : std::is_same_v<T, double> ? 0x1p-53
                                : std::is_same_v<T, float>  ? 0x1p-24
                                : std::is_same_v<T, f16>    ? 0x1p-11
                                                            : 0x1p-8;
template <typename T>
inline constexpr double kHalfDenormal = std::is_integral_v<T>       ? 0
                                        : std::is_same_v<T, double> ? 0x1p-1074
                                        : std::is_same_v<T, float>  ? 0x1p-150
                                        : std::is_same_v<T, f16>    ? 0x1p-25
                                                                    : 0x1p-134;

template <typename T>
double store_rounding(double value) {
  return kUnit<T> * std::abs(value) + kHalfDenormal<T>;
}

inline double widen(double value) { return value; }
inline double widen(bf16 value) { return tessera::to_float(value); }
inline double widen(f16 value) { return tessera::to_float(value); }

/// `count` numbers between low and high, rounded to the type: the same ones in every run of the program.
template <typename T>
std::vector<T> random(index count, double low, double high) {
  static std::minstd_rand generator;
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) {
    const double number = low + (high - low) * (generator() / double(generator.max()));
    if constexpr (std::is_floating_point_v<T>)
      value = static_cast<T>(number);
    else if constexpr (std::is_integral_v<T>)
      value = static_cast<T>(std::lround(number));
    else
      value = tessera::from_double<T>(number);
  }
  return values;
}

/// Memory on the device, given back at the end of its scope.
template <typename T>
class DeviceArray {
 public:
  /// Poisoned with NaN.
  explicit DeviceArray(index count) : count_(count), memory_(device_poisoned(bytes())) {}
  /// A copy of `values`.
  explicit DeviceArray(const std::vector<T>& values)
      : count_(static_cast<index>(values.size())), memory_(device_copy(values.data(), bytes())) {}
  ~DeviceArray() { device_free(memory_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  std::size_t bytes() const { return sizeof(T) * static_cast<std::size_t>(count_); }

  /// The array as a row-major tensor: what a kernel takes.
  tessera::Tensor tensor(std::initializer_list<index> extents) const {
    return tessera::tensor(static_cast<T*>(memory_), extents, device_ordinal());
  }
  /// The array in another order: `strides` are steps of the extents, in elements.
  tessera::Tensor tensor(std::initializer_list<index> extents, std::initializer_list<index> strides) const {
    return tessera::strided_tensor(static_cast<T*>(memory_), extents, strides, device_ordinal());
  }

  /// The elements, once every kernel has ended.
  std::vector<T> read() const {
    std::vector<T> values(static_cast<std::size_t>(count_));
    device_read(values.data(), memory_, bytes());
    return values;
  }

 private:
  index count_;
  void* memory_;
};

/// Calls body(i) for every i below `count`, on all cores: loops of f64 over products take their time.
template <typename Body>
void parallel(index count, const Body& body) {
  const index threads = std::max<index>(1, std::thread::hardware_concurrency());
  std::vector<std::thread> workers;
  for (index worker = 0; worker < threads; ++worker) {
    workers.emplace_back([&, worker] {
      for (index i = worker; i < count; i += threads) body(i);
    });
  }
  for (std::thread& worker : workers) worker.join();
}

/// The largest error of the elements, and the largest share of its bound that one took.
class Comparison {
 public:
  /// |actual - expected| must not exceed `bound`; NaN is never right.
  void add(double actual, double expected, double bound) {
    const double error = std::abs(actual - expected);
    largest_ = std::max(largest_, std::isnan(error) ? INFINITY : error);
    ratio_ = std::max(ratio_, error_ratio(error, bound));
  }
  /// The elements that another one saw.
  void add(const Comparison& other) {
    largest_ = std::max(largest_, other.largest_);
    ratio_ = std::max(ratio_, other.ratio_);
  }
  double largest() const { return largest_; }
  double ratio() const { return ratio_; }

 private:
  double largest_ = 0, ratio_ = 0;
};

/// Which variant a launcher chose, and the median time of its launches.
struct Timing {
  int variant;
  double milliseconds;
};

/// Launches and times; `launch(options)` returns the status. A launcher chooses the first variant that it
/// would also accept by number.
template <typename Launch>
Timing run(const Launch& launch) {
  launch_must(launch(tessera::LaunchOptions{}));
  Timing timing{0, 0};
  while (launch({.variant = timing.variant}).code == TESSERA_UNKNOWN_VARIANT) ++timing.variant;
  for (int repeat = 0; repeat < (tessera_runner_is_twin() ? 1 : 50); ++repeat) {
    device_must(tessera_runner_time_start(0));
    launch_must(launch(tessera::LaunchOptions{}));
    device_must(tessera_runner_time_stop(0));
  }
  device_must(tessera_runner_time_median(&timing.milliseconds));
  return timing;
}

/// Bytes per second that a plain copy reaches on this device, measured once.
inline double copy_bandwidth() {
  static const double measured = [] {
    double bytes_per_second = 0;
    device_must(tessera_runner_copy_bandwidth(0, index{1} << 29, 20, &bytes_per_second));
    return bytes_per_second;
  }();
  return measured;
}

/// Extents of a kernel's symbols.
template <std::size_t N>
using Shape = std::array<index, N>;

/// A kernel, its symbols, and their values to run with: small ones on the twin, large ones on a GPU.
template <std::size_t N>
struct Shapes {
  const char* kernel;
  std::array<const char*, N> symbols;
  std::vector<Shape<N>> twin, gpu;

  /// "softmax [R=7, C=129]"
  std::string title(const Shape<N>& shape) const {
    std::string text = std::string(kernel) + " [";
    for (std::size_t n = 0; n < N; ++n) {
      text += (n == 0 ? "" : ", ") + std::string(symbols[n]) + "=" + std::to_string(shape[n]);
    }
    return text + "]";
  }
};

/// Prints the start of the line of one run, and returns whether it was right.
template <std::size_t N>
bool report_errors(const Shapes<N>& shapes, const Shape<N>& shape, const Timing& timing,
                   const Comparison& comparison) {
  const bool right = comparison.ratio() <= 1;
  char device[256];
  device_must(tessera_runner_device_name(0, device, sizeof device));
  std::printf("%s on %s, variant %d: largest error %.2g, %.2f of its bound%s; %.3f ms, ",
              shapes.title(shape).c_str(), device, timing.variant, comparison.largest(), comparison.ratio(),
              right ? "" : " (WRONG)", timing.milliseconds);
  if (tessera_runner_is_twin()) std::printf("which means nothing on the twin\n");
  return right;
}

/// Prints the line of one run, which moved `bytes` bytes, and returns whether it was right.
template <std::size_t N>
bool report(const Shapes<N>& shapes, const Shape<N>& shape, const Timing& timing,
            const Comparison& comparison, std::size_t bytes) {
  const bool right = report_errors(shapes, shape, timing, comparison);
  if (tessera_runner_is_twin()) return right;
  const double achieved = static_cast<double>(bytes) / (timing.milliseconds * 1e-3);
  std::printf("%.0f%% of the %.2f TB/s of a copy\n", 100 * achieved / copy_bandwidth(),
              copy_bandwidth() * 1e-12);
  return right;
}

/// The same for a run whose time goes into products: `multiplications`, each with its addition.
template <std::size_t N>
bool report_products(const Shapes<N>& shapes, const Shape<N>& shape, const Timing& timing,
                     const Comparison& comparison, index multiplications) {
  const bool right = report_errors(shapes, shape, timing, comparison);
  if (tessera_runner_is_twin()) return right;
  std::printf("%.1f TFLOP/s\n", 2e-9 * static_cast<double>(multiplications) / timing.milliseconds);
  return right;
}

/// Reads `R=7` into the extent of symbol R; false if that is not what the argument says.
template <std::size_t N>
bool set_extent(const char* argument, const Shapes<N>& shapes, Shape<N>& shape) {
  const std::string text = argument;
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return false;
  for (std::size_t n = 0; n < N; ++n) {
    if (text.substr(0, equals) != shapes.symbols[n]) continue;
    char* end = nullptr;
    shape[n] = std::strtoll(text.c_str() + equals + 1, &end, 10);
    return *end == '\0' && shape[n] > 0;
  }
  return false;
}

/// Runs `program(shape)` for each shape, or for one that `--set R=7 --set C=129` changes. Returns the exit
/// code: 0 if all are right, 1 if one is wrong, 2 for arguments that make no sense.
template <std::size_t N, typename Program>
int main(int argc, char** argv, const Shapes<N>& shapes, const Program& program) {
  std::vector<Shape<N>> chosen = tessera_runner_is_twin() ? shapes.twin : shapes.gpu;
  for (int i = 1; i < argc; i += 2) {
    chosen.resize(1);
    if (std::string(argv[i]) != "--set" || i + 1 == argc || !set_extent(argv[i + 1], shapes, chosen[0])) {
      std::fprintf(stderr, "usage: %s [--set %s=7] ...\n", argv[0], shapes.symbols[0]);
      return 2;
    }
  }
  bool right = true;
  for (const Shape<N>& shape : chosen) right = program(shape) && right;
  return right ? 0 : 1;
}

}  // namespace example
