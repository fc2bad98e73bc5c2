// SPDX-License-Identifier: Apache-2.0
// The sample kernels of tests/ir against plain loops, at every partition.
#include <cmath>

#include "catch.h"
#include "interp/runs.h"
#include "interp/storage.h"
#include "ir/samples.h"

namespace tessera::interp {

namespace {

using testing::array_of;
using testing::numbers_of;
using testing::random_array;
using testing::run_at_all_partitions;
using testing::run_or_fail;
using testing::sample;

const int64_t kSizes[] = {1, 2, 7, 17, 64};

float bf16_rounded(float x) { return to_float(from_float<bf16>(x)); }

}  // namespace

TEST_CASE("add_one adds one") {
  for (const int64_t n : {0, 1, 7, 1000}) {
    const Array x = random_array(DType::f32, {n});
    const Result result = run_at_all_partitions(sample("add_one"), {{}, {{"x", x}}, {}});
    const Array& y = result.outputs.at("y");
    REQUIRE(y.extents == std::vector<int64_t>{n});
    for (int64_t i = 0; i < n; ++i) REQUIRE(y.as<float>()[i] == x.as<float>()[i] + 1.0f);
  }
}

TEST_CASE("softmax is the loop it stands for, bit by bit") {
  for (const int64_t rows : kSizes) {
    for (const int64_t columns : {1, 5, 130}) {
      const Array x = random_array(DType::bf16, {rows, columns}, -4, 4);
      const Result result = run_at_all_partitions(sample("softmax"), {{}, {{"x", x}}, {}});
      const Array& y = result.outputs.at("y");
      for (int64_t r = 0; r < rows; ++r) {
        const bf16* row = x.as<bf16>() + r * columns;
        float top = -INFINITY, sum = 0;
        for (int64_t c = 0; c < columns; ++c) top = std::max(top, to_float(row[c]));
        for (int64_t c = 0; c < columns; ++c) sum += math::exp(to_float(row[c]) - top);
        for (int64_t c = 0; c < columns; ++c) {
          const float expected = bf16_rounded(math::exp(to_float(row[c]) - top) / sum);
          REQUIRE(to_float(y.as<bf16>()[r * columns + c]) == expected);
        }
      }
    }
  }
}

TEST_CASE("rows without elements write nothing") {
  // The maximum of an empty row does not exist, and nobody asks for it.
  ir::Kernel kernel = sample("softmax");
  kernel.constraints.clear();
  kernel.symbols[ir::SymbolId(1)].minimum = 0;
  const Result result = run_at_all_partitions(kernel, {{}, {{"x", Array::zeros(DType::bf16, {3, 0})}}, {}});
  REQUIRE(result.outputs.at("y").count() == 0);
}

TEST_CASE("layernorm in declared types stays near its reference") {
  for (const int64_t columns : {1, 3, 129, 1000}) {
    const Arguments arguments{{},
                              {{"x", random_array(DType::f32, {5, columns})},
                               {"gain", random_array(DType::f32, {columns})},
                               {"bias", random_array(DType::f32, {columns})}},
                              {}};
    const Result declared = run_at_all_partitions(sample("layernorm"), arguments);
    const Result reference = run_at_all_partitions(sample("layernorm"), arguments, Numbers::f64);
    REQUIRE(reference.outputs.at("y").dtype == DType::f64);
    const double bound = 16.0 * static_cast<double>(columns) * 0x1p-24;
    REQUIRE(compare_within(declared.outputs.at("y"), reference.outputs.at("y"), bound, bound).count == 0);
  }
}

TEST_CASE("a scalar takes its initial value, or the given one") {
  const Arguments arguments{{},
                            {{"x", array_of(DType::f32, {1, 2}, {1, 3})},
                             {"gain", array_of(DType::f32, {2}, {1, 1})},
                             {"bias", array_of(DType::f32, {2}, {0, 0})}},
                            {}};
  Arguments with_eps = arguments;
  with_eps.scalars["eps"] = {3.0, 0};
  REQUIRE(numbers_of(run_or_fail(sample("layernorm"), with_eps).outputs.at("y")) ==
          std::vector<double>{-0.5, 0.5});
  REQUIRE(std::abs(numbers_of(run_or_fail(sample("layernorm"), arguments).outputs.at("y"))[1] - 1) < 1e-4);
}

TEST_CASE("a periodic tensor wraps") {
  for (const int64_t nx : kSizes) {
    for (const int64_t ny : {1, 2, 9}) {
      const Array u = random_array(DType::f64, {nx, ny});
      Arguments arguments{{}, {{"u", u}}, {}};
      arguments.scalars["h"] = {0.5, 0};
      const Result result = run_at_all_partitions(sample("laplacian"), arguments);
      const auto at = [&](int64_t x, int64_t y) {
        return u.as<double>()[(x + nx) % nx * ny + (y + ny) % ny];
      };
      for (int64_t x = 0; x < nx; ++x) {
        for (int64_t y = 0; y < ny; ++y) {
          const double sides = at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1);
          const double expected = (-4.0 * at(x, y) + sides) / (0.5 * 0.5);
          REQUIRE(result.outputs.at("v").as<double>()[x * ny + y] == expected);
        }
      }
    }
  }
}

TEST_CASE("what lies past an edge does not exist") {
  for (const int64_t ny : kSizes) {
    for (const int64_t nx : {1, 2, 10}) {
      const Array x = random_array(DType::f32, {ny, nx}, -2, -1);
      const Result result = run_at_all_partitions(sample("max_window"), {{}, {{"x", x}}, {}});
      for (int64_t i = 0; i < ny; ++i) {
        for (int64_t j = 0; j < nx; ++j) {
          float top = -INFINITY;
          int64_t seen = 0;
          for (int64_t a = std::max<int64_t>(i - 1, 0); a <= std::min(i + 1, ny - 1); ++a) {
            for (int64_t b = std::max<int64_t>(j - 1, 0); b <= std::min(j + 1, nx - 1); ++b) {
              top = std::max(top, x.as<float>()[a * nx + b]);
              ++seen;
            }
          }
          REQUIRE(result.outputs.at("top").as<float>()[i * nx + j] == top);
          REQUIRE(result.outputs.at("seen").as<int64_t>()[i * nx + j] == seen);
        }
      }
    }
  }
}

TEST_CASE("picks read and assign single coordinates") {
  const Array x = array_of(DType::i32, {2, 3}, {1, 2, 3, -2147483648.0, 5, 6});
  const Result result = run_at_all_partitions(sample("pick_channels"), {{}, {{"x", x}}, {}});
  REQUIRE(numbers_of(result.outputs.at("y")) == std::vector<double>{3, 2, -1, 6, 5, -2147483648.0});
}

TEST_CASE("a table ends, and what is absent is replaced") {
  const Result result = run_at_all_partitions(sample("lookup"), {{{"N", 5}}, {}, {}});
  REQUIRE(numbers_of(result.outputs.at("y")) == std::vector<double>{0.5, -1.5, 2.5, 7, 7});
}

TEST_CASE("a loop carries variables, whatever its step") {
  for (const int64_t columns : {0, 1, 3, 64, 65, 1000}) {
    const Array x = random_array(DType::f32, {4, columns}, -8, 8);
    const Arguments arguments{{}, {{"x", x}}, {}};
    const Result reference = run_or_fail(sample("logsumexp"), arguments, Numbers::f64);
    for (int64_t r = 0; r < 4; ++r) {
      double sum = 0;
      for (int64_t c = 0; c < columns; ++c)
        sum += std::exp(static_cast<double>(x.as<float>()[r * columns + c]));
      const double found = reference.outputs.at("y").as<double>()[r];
      REQUIRE((found == std::log(sum) || std::abs(found - std::log(sum)) < 1e-12));
    }
    for (const Partition& partition : testing::partitions()) {
      const Result result = interp::run(sample("logsumexp"), arguments, {Numbers::declared, partition});
      REQUIRE(result.ok());
      REQUIRE(compare_within(result.outputs.at("y"), reference.outputs.at("y"), 1e-4, 1e-4).count == 0);
    }
  }
}

TEST_CASE("several grids, semantic steps, scalar ranges") {
  const int64_t m = 130, n = 7, k = 5;
  const Array a = random_array(DType::u8, {m, n}, 0, 256);
  const Result result = run_at_all_partitions(sample("transpose"), {{{"K", k}}, {{"a", a}}, {}});
  uint32_t total = 0;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      total += a.as<uint8_t>()[i * n + j];
      REQUIRE(result.outputs.at("b").as<uint8_t>()[j * m + i] == a.as<uint8_t>()[i * n + j]);
    }
  }
  for (int64_t i = 0; i < k; ++i) REQUIRE(result.outputs.at("sums").as<uint32_t>()[i] == total + i);
}

TEST_CASE("places and truth values of rows") {
  const double nan = NAN;
  const Array x = array_of(DType::f16, {4, 3}, {1, 5, 5, -1, -2, -3, 0, nan, 2, 3, 1, nan});
  const Result result = run_at_all_partitions(sample("where_and_arguments"), {{}, {{"x", x}}, {}});
  // NaN > 0 is false, so a NaN is filtered out before argmax sees it.
  REQUIRE(numbers_of(result.outputs.at("best")) == std::vector<double>{1, -1, 2, 0});
  REQUIRE(numbers_of(result.outputs.at("positive")) == std::vector<double>{1, 0, 1, 1});
  REQUIRE(numbers_of(result.outputs.at("finite")) == std::vector<double>{1, 1, 0, 0});
  REQUIRE(numbers_of(result.outputs.at("clipped")) ==
          std::vector<double>{1, 5, 5, 0, 0, 0, 0, 0, 2, 3, 1, 0});
}

}  // namespace tessera::interp
