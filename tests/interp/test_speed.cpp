// SPDX-License-Identifier: Apache-2.0
// The interpreter is quick enough for full sizes: 2^24 elements in seconds.
#include <chrono>

#include "catch.h"
#include "interp/interpreter.h"
#include "ir/samples.h"

namespace tessera::interp {

namespace {

double seconds_for(const ir::Kernel& kernel, const Arguments& arguments, Numbers numbers) {
  const auto begin = std::chrono::steady_clock::now();
  const Result result = run(kernel, arguments, {numbers, {}});
  REQUIRE(result.ok());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Array random_matrix(DType dtype, int64_t rows, int64_t columns) {
  Array array = Array::zeros(dtype, {rows, columns});
  fill_random(array, 1, -2, 2);
  return array;
}

}  // namespace

TEST_CASE("softmax of 2^24 elements takes seconds") {
  const ir::Kernel kernel = testing::sample("softmax");
  for (const auto& [rows, columns] : {std::pair{4096, 4096}, std::pair{1 << 20, 16}, std::pair{1, 1 << 24}}) {
    const Arguments arguments{{}, {{"x", random_matrix(DType::bf16, rows, columns)}}, {}};
    const double declared = seconds_for(kernel, arguments, Numbers::declared);
    const double reference = seconds_for(kernel, arguments, Numbers::f64);
    WARN(rows << " x " << columns << ": declared " << declared << " s, f64 " << reference << " s");
    CHECK(declared < 20);
    CHECK(reference < 20);
  }
}

TEST_CASE("windows of 2^22 elements take seconds") {
  const ir::Kernel kernel = testing::sample("max_window");
  const Arguments arguments{{}, {{"x", random_matrix(DType::f32, 2048, 2048)}}, {}};
  const double seconds = seconds_for(kernel, arguments, Numbers::declared);
  WARN("max_window: " << seconds << " s");
  CHECK(seconds < 20);
}

}  // namespace tessera::interp
