// SPDX-License-Identifier: Apache-2.0
// The kernels written by hand on the host twin against plain loops: every variant, odd shapes, strided and misaligned
// views, all schedules. The twin must find nothing wrong.
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "catch.h"
#include "handwritten.h"
#include "tessera/math.h"
#include "tessera/twin/machine.h"

namespace {

using tessera::bf16;
using tessera::from_float;
using tessera::LaunchOptions;
using tessera::Status;
using tessera::strided_tensor;
using tessera::Tensor;
using tessera::tensor;
using tessera::to_float;

constexpr float kPoison = -12345.0f;

/// A matrix inside of a larger allocation: rows `pitch` elements apart, the first one `shift` elements in.
template <typename T>
struct Matrix {
  Matrix(tessera::index rows, tessera::index columns, tessera::index pitch, tessera::index shift)
      : rows(rows),
        columns(columns),
        pitch(pitch),
        shift(shift),
        data(static_cast<std::size_t>(rows * pitch + shift + 16)) {}

  T& at(tessera::index row, tessera::index column) {
    return data[static_cast<std::size_t>(shift + row * pitch + column)];
  }
  Tensor view() { return strided_tensor(data.data() + shift, {rows, columns}, {pitch, 1}); }

  tessera::index rows, columns, pitch, shift;
  std::vector<T> data;
};

struct Shape {
  tessera::index rows, columns, padding, shift;
};

const Shape kShapes[] = {{0, 5, 0, 0},     {5, 0, 0, 0},      {1, 1, 0, 0},    {3, 7, 0, 0},
                         {7, 8, 0, 0},     {33, 64, 0, 0},    {5, 127, 1, 0},  {17, 250, 0, 0},
                         {9, 256, 8, 8},   {9, 256, 8, 3},    {4, 1000, 0, 0}, {2, 1024, 0, 0},
                         {3, 1032, 0, 0},  {2, 4096, 16, 16}, {3, 4099, 0, 0}, {2, 8192, 0, 0},
                         {1, 10000, 0, 0}, {130, 31, 3, 1},   {64, 96, 0, 0},  {1, 8200, 0, 8}};

/// Whether nothing around the elements of the matrix was touched.
template <typename T, typename IsPoison>
bool surroundings_intact(Matrix<T>& matrix, IsPoison is_poison) {
  std::vector<bool> inside(matrix.data.size());
  for (tessera::index r = 0; r < matrix.rows; ++r) {
    for (tessera::index c = 0; c < matrix.columns; ++c)
      inside[static_cast<std::size_t>(matrix.shift + r * matrix.pitch + c)] = true;
  }
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (!inside[i] && !is_poison(matrix.data[i])) return false;
  }
  return true;
}

std::string text(const Shape& shape) {
  return std::to_string(shape.rows) + " x " + std::to_string(shape.columns) + ", padding " +
         std::to_string(shape.padding) + ", shift " + std::to_string(shape.shift);
}

using Kernel = std::function<Status(const Tensor&, const Tensor&, const LaunchOptions&)>;
using Check = std::function<bool(Matrix<bf16>& x, Matrix<bf16>& y)>;

/// Runs a kernel from bf16 to bf16 of the same shape in every variant that takes the shape.
void run_variants(const Kernel& kernel, int variants, const Check& is_right) {
  for (const Shape& shape : kShapes) {
    int accepted = 0;
    for (int variant = -1; variant < variants; ++variant) {
      Matrix<bf16> x(shape.rows, shape.columns, shape.columns + shape.padding, shape.shift);
      Matrix<bf16> y(shape.rows, shape.columns, shape.columns + shape.padding, shape.shift);
      std::uint32_t state = 1;
      for (bf16& value : x.data)
        value = from_float<bf16>(static_cast<float>((state = state * 1664525u + 1013904223u) >> 24) / 32 - 4);
      for (bf16& value : y.data) value = from_float<bf16>(kPoison);
      const Status status = kernel(x.view(), y.view(), {.variant = variant});
      INFO(text(shape) << ", variant " << variant << ": " << status.message().c_str());
      if (status.code == TESSERA_UNKNOWN_VARIANT) continue;
      ++accepted;
      REQUIRE(status.ok());
      CHECK(is_right(x, y));
      const float poison = to_float(from_float<bf16>(kPoison));
      CHECK(surroundings_intact(y, [poison](bf16 value) { return to_float(value) == poison; }));
    }
    CHECK(accepted >= 2);  // the chosen variant, and the same one by number
  }
}

/// y = x + 1, to the bit.
bool add_one_is_right(Matrix<bf16>& x, Matrix<bf16>& y) {
  for (tessera::index r = 0; r < x.rows; ++r) {
    for (tessera::index c = 0; c < x.columns; ++c) {
      if (y.at(r, c).bits != from_float<bf16>(to_float(x.at(r, c)) + 1.0f).bits) return false;
    }
  }
  return true;
}

/// |error| <= (n + 2) u sum of terms, the ulps of exp and the division, and the rounding of the store.
bool softmax_is_right(Matrix<bf16>& x, Matrix<bf16>& y) {
  for (tessera::index r = 0; r < x.rows; ++r) {
    double top = -INFINITY, sum = 0;
    for (tessera::index c = 0; c < x.columns; ++c) top = std::max<double>(top, to_float(x.at(r, c)));
    for (tessera::index c = 0; c < x.columns; ++c) sum += std::exp(to_float(x.at(r, c)) - top);
    for (tessera::index c = 0; c < x.columns; ++c) {
      const double expected = std::exp(to_float(x.at(r, c)) - top) / sum;
      const double bound = expected * (static_cast<double>(x.columns + 8) * 0x1p-24 + 0x1p-8);
      if (!(std::abs(to_float(y.at(r, c)) - expected) <= bound)) return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("add_one agrees with a loop, to the bit") { run_variants(kernels::add_one, 2, add_one_is_right); }

TEST_CASE("softmax agrees with a loop in double, within its bound") {
  run_variants(kernels::softmax, 5, softmax_is_right);
}

TEST_CASE("results do not depend on the schedule") {
  const tessera::twin::Options before = tessera::twin::options();
  std::vector<bf16> x(7 * 2048), y(x.size()), first;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = from_float<bf16>(std::sin(static_cast<float>(i)));
  for (int seed = -2; seed < 6; ++seed) {
    tessera::twin::options().schedule = seed == -2   ? tessera::twin::Schedule::forward
                                        : seed == -1 ? tessera::twin::Schedule::reverse
                                                     : tessera::twin::Schedule::random;
    tessera::twin::options().seed = static_cast<std::uint64_t>(seed + 2);
    REQUIRE(kernels::softmax(tensor(x.data(), {7, 2048}), tensor(y.data(), {7, 2048})).ok());
    if (first.empty()) first = y;
    for (std::size_t i = 0; i < y.size(); ++i) REQUIRE(y[i].bits == first[i].bits);
  }
  tessera::twin::options() = before;
}

TEST_CASE("NaN and infinities go through softmax as through the formula") {
  std::vector<bf16> x(3 * 64), y(x.size());
  x[5] = from_float<bf16>(NAN);
  x[64 + 9] = from_float<bf16>(-INFINITY);
  x[128 + 9] = from_float<bf16>(INFINITY);
  REQUIRE(kernels::softmax(tensor(x.data(), {3, 64}), tensor(y.data(), {3, 64})).ok());
  for (int c = 0; c < 64; ++c) CHECK(std::isnan(to_float(y[static_cast<std::size_t>(c)])));
  CHECK(to_float(y[64 + 9]) == 0.0f);
  CHECK(to_float(y[64]) == to_float(from_float<bf16>(1.0f / 63)));
  CHECK(std::isnan(to_float(y[128 + 9])));
  CHECK(std::isnan(to_float(y[128])));  // 0 over a sum that is NaN
}

TEST_CASE("transpose agrees with a loop, on strided views too") {
  for (const Shape& shape : kShapes) {
    Matrix<float> x(shape.rows, shape.columns, shape.columns + shape.padding, shape.shift);
    Matrix<float> y(shape.columns, shape.rows, shape.rows + shape.padding, shape.shift);
    for (std::size_t i = 0; i < x.data.size(); ++i) x.data[i] = static_cast<float>(i);
    for (float& value : y.data) value = kPoison;
    INFO(text(shape));
    REQUIRE(kernels::transpose(x.view(), y.view()).ok());
    bool equal = true;
    for (tessera::index r = 0; r < shape.rows; ++r) {
      for (tessera::index c = 0; c < shape.columns; ++c) equal = equal && y.at(c, r) == x.at(r, c);
    }
    CHECK(equal);
    CHECK(surroundings_intact(y, [](float value) { return value == kPoison; }));
  }
}

TEST_CASE("a transposed view of the input: any strides will do") {
  std::vector<bf16> x(40 * 24), y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = from_float<bf16>(static_cast<float>(i % 100));
  REQUIRE(kernels::add_one(strided_tensor(x.data(), {24, 40}, {1, 24}), tensor(y.data(), {24, 40})).ok());
  for (std::size_t r = 0; r < 24; ++r) {
    for (std::size_t c = 0; c < 40; ++c) REQUIRE(to_float(y[r * 40 + c]) == to_float(x[c * 24 + r]) + 1.0f);
  }
}

TEST_CASE("an input that is broadcast") {
  std::vector<bf16> x(64), y(10 * 64);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = from_float<bf16>(static_cast<float>(i));
  REQUIRE(kernels::add_one(strided_tensor(x.data(), {10, 64}, {0, 1}), tensor(y.data(), {10, 64})).ok());
  for (std::size_t i = 0; i < y.size(); ++i) REQUIRE(to_float(y[i]) == static_cast<float>(i % 64) + 1.0f);
}
