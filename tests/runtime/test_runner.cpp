// SPDX-License-Identifier: Apache-2.0
// The runner of tessera/runner.h as it is built for the host twin.
#include <cstring>
#include <string>
#include <vector>

#include "catch.h"
#include "handwritten.h"
#include "tessera/runner.h"
#include "tessera/twin/machine.h"

namespace {

std::string error() { return tessera_runner_last_error(); }

}  // namespace

TEST_CASE("the twin is one device") {
  int count = 0;
  char name[32];
  CHECK(tessera_runner_is_twin() == 1);
  CHECK(tessera_runner_device_count(&count) == 0);
  CHECK(count == 1);
  CHECK(tessera_runner_device_name(0, name, sizeof name) == 0);
  CHECK(std::string(name) == "host twin");
  CHECK(tessera_runner_device_name(0, name, 5) == 0);
  CHECK(std::string(name) == "host");
  CHECK(tessera_runner_device_name(0, name, 0) != 0);
  CHECK(tessera_runner_multiprocessors(0, &count) == 0);
  CHECK(count >= 1);
}

TEST_CASE("a kernel runs on memory of the runner") {
  constexpr std::int64_t kBytes = 64 * 64 * sizeof(float);
  std::vector<float> host(64 * 64);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<float>(i);
  void *x = nullptr, *y = nullptr;
  REQUIRE(tessera_runner_allocate(0, kBytes, &x) == 0);
  REQUIRE(tessera_runner_allocate(0, kBytes, &y) == 0);
  CHECK(reinterpret_cast<std::uintptr_t>(x) % 256 == 0);
  CHECK(tessera_runner_copy_in(0, x, host.data(), kBytes) == 0);
  CHECK(tessera_runner_fill(0, y, 0xff, kBytes) == 0);
  CHECK(kernels::transpose(tessera::tensor(static_cast<float*>(x), {64, 64}),
                           tessera::tensor(static_cast<float*>(y), {64, 64}))
            .ok());
  CHECK(tessera_runner_synchronize(0) == 0);
  std::vector<float> result(host.size());
  CHECK(tessera_runner_copy_out(0, result.data(), y, kBytes) == 0);
  for (std::size_t i = 0; i < result.size(); ++i) REQUIRE(result[i] == host[i % 64 * 64 + i / 64]);
  CHECK(tessera_runner_free(0, x) == 0);
  CHECK(tessera_runner_free(0, y) == 0);
}

TEST_CASE("faults are kept for the caller: a tensor larger than its memory, a dropped barrier") {
  REQUIRE(tessera_runner_twin_options(0, 0, -1) == 0);
  void* x = nullptr;
  REQUIRE(tessera_runner_allocate(0, 32 * 32 * sizeof(float), &x) == 0);
  std::vector<float> y(1 << 24);
  char text[256];
  CHECK(kernels::transpose(tessera::tensor(static_cast<float*>(x), {1, 1 << 24}),
                           tessera::tensor(y.data(), {1 << 24, 1}))
            .code == TESSERA_FAULT);
  REQUIRE(tessera_runner_twin_fault(0, text, sizeof text) == 0);
  CHECK(std::string(text) ==
        "transpose: outside of its allocation: x reaches 67104768 bytes beyond its memory (transpose)");
  CHECK(tessera_runner_free(0, x) == 0);

  std::vector<float> z(32 * 33);
  REQUIRE(tessera_runner_twin_options(2, 5, 0) == 0);
  CHECK(kernels::transpose(tessera::tensor(z.data(), {32, 33}), tessera::tensor(y.data(), {33, 32})).code ==
        TESSERA_FAULT);
  REQUIRE(tessera_runner_twin_options(0, 0, -1) == 0);
  CHECK(kernels::transpose(tessera::tensor(z.data(), {32, 33}), tessera::tensor(y.data(), {33, 32})).ok());
  CHECK(tessera_runner_twin_fault(0, text, sizeof text) != 0);
  CHECK(error() == "there is no such fault");
  CHECK(tessera_runner_twin_options(3, 0, -1) != 0);
}

TEST_CASE("copies may be late and blocks few, until the options are set anew") {
  REQUIRE(tessera_runner_twin_options(0, 0, -1) == 0);
  CHECK(tessera_runner_twin_copies(1) == 0);
  CHECK(tessera_runner_twin_blocks(2) == 0);
  CHECK(tessera::twin::options().copies == tessera::twin::Copies::late);
  CHECK(tessera::twin::options().most_blocks == 2);
  std::vector<float> x(100 * 70, 1.0f), y(70 * 100);
  CHECK(kernels::transpose(tessera::tensor(x.data(), {100, 70}), tessera::tensor(y.data(), {70, 100})).ok());
  REQUIRE(tessera_runner_twin_options(0, 0, -1) == 0);
  CHECK(tessera::twin::options().copies == tessera::twin::Copies::early);
  CHECK(tessera::twin::options().most_blocks == 0);
  CHECK(tessera_runner_twin_copies(2) != 0);
  CHECK(tessera_runner_twin_blocks(-1) != 0);
}

TEST_CASE("the same launch costs as many steps again, and a larger one more") {
  REQUIRE(tessera_runner_twin_options(0, 0, -1) == 0);
  std::vector<float> x(100 * 70, 1.0f), y(70 * 100);
  const auto steps_of = [&](std::int64_t rows) {
    std::int64_t before = 0, after = 0;
    REQUIRE(tessera_runner_twin_steps(&before) == 0);
    CHECK(kernels::transpose(tessera::tensor(x.data(), {rows, 70}), tessera::tensor(y.data(), {70, rows}))
              .ok());
    REQUIRE(tessera_runner_twin_steps(&after) == 0);
    return after - before;
  };
  const std::int64_t steps = steps_of(40);
  CHECK(steps > 0);
  CHECK(steps_of(40) == steps);
  CHECK(steps_of(100) > steps);
}

TEST_CASE("times come in pairs, and the median begins a new series") {
  double milliseconds = -1;
  CHECK(tessera_runner_time_median(&milliseconds) != 0);
  CHECK(error() == "nothing was timed");
  CHECK(tessera_runner_time_stop(0) != 0);
  for (int repeat = 0; repeat < 4; ++repeat) {
    REQUIRE(tessera_runner_time_start(0) == 0);
    CHECK(tessera_runner_time_start(0) != 0);
    REQUIRE(tessera_runner_time_stop(0) == 0);
  }
  REQUIRE(tessera_runner_time_median(&milliseconds) == 0);
  CHECK(milliseconds >= 0);
  CHECK(tessera_runner_time_median(&milliseconds) != 0);
}

TEST_CASE("the bandwidth of a copy") {
  double bandwidth = 0;
  CHECK(tessera_runner_copy_bandwidth(0, 1 << 20, 5, &bandwidth) == 0);
  CHECK(bandwidth > 1e6);
  void* memory = nullptr;
  CHECK(tessera_runner_allocate(0, -1, &memory) != 0);
  CHECK(error() == "a negative number of bytes");
}
