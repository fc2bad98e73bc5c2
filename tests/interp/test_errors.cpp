// SPDX-License-Identifier: Apache-2.0
// What a run refuses: wrong arguments, and kernels that are not legal by the calculus.
#include <functional>

#include "catch.h"
#include "interp/runs.h"
#include "ir/samples.h"

namespace tessera::interp {

namespace {

using testing::parse_kernel;
using testing::random_array;
using testing::sample;

std::string error_of(const ir::Kernel& kernel, const Arguments& arguments, const Partition& partition = {}) {
  const Result result = run(kernel, arguments, {Numbers::declared, partition});
  REQUIRE_FALSE(result.ok());
  REQUIRE(result.outputs.empty());
  return result.error->message;
}

Arguments layernorm_arguments() {
  return {{},
          {{"x", random_array(DType::f32, {4, 6})},
           {"gain", random_array(DType::f32, {6})},
           {"bias", random_array(DType::f32, {6})}},
          {}};
}

/// A kernel of one grid over i in N by a plan step, with `out y: f32[N]`.
ir::Kernel over_i(const std::string& statements, const std::string& declarations = "") {
  return parse_kernel(
      "kernel k as k {\n symbol N\n in x: f32[N]\n out y: f32[N]\n " + declarations +
      "\n axis i: grid 0 .. N by auto over N\n axis j: let 0 .. N over N\n axis c: let 0 .. 2\n" +
      " grid i {\n %0: index[i] = coordinate i\n %1: f32[i] = load x[%0] in_bounds(0)\n" + statements +
      "\n }\n}\n");
}

Arguments with_x(int64_t n) { return {{}, {{"x", random_array(DType::f32, {n})}}, {}}; }

}  // namespace

TEST_CASE("arguments are checked as the launcher does") {
  const ir::Kernel kernel = sample("layernorm");
  const auto check = [&](const std::function<void(Arguments&)>& damage, const std::string& message) {
    Arguments arguments = layernorm_arguments();
    damage(arguments);
    CHECK(error_of(kernel, arguments) == message);
  };
  check([](Arguments& a) { a.tensors.erase("x"); }, "symbol `R` has no value");
  check([](Arguments& a) { a.tensors.erase("gain"); }, "input `gain` is missing");
  check([](Arguments& a) { a.tensors["z"] = random_array(DType::f32, {1}); },
        "kernel `layernorm` has no input `z`");
  check([](Arguments& a) { a.tensors["y"] = random_array(DType::f32, {1}); },
        "kernel `layernorm` has no input `y`");
  check([](Arguments& a) { a.symbols["D"] = 1; }, "kernel `layernorm` has no symbol `D`");
  check([](Arguments& a) { a.scalars["epsilon"] = {}; }, "kernel `layernorm` has no scalar `epsilon`");
  check([](Arguments& a) { a.tensors["gain"] = random_array(DType::f64, {6}); },
        "argument `gain` has type f64, the parameter has type f32");
  check(
      [](Arguments& a) {
        a.tensors["gain"] = random_array(DType::f32, {6, 1});
      },
      "argument `gain` has 2 dimensions, the parameter has 1");
  check([](Arguments& a) { a.tensors["gain"] = random_array(DType::f32, {7}); },
        "extent 0 of argument `gain` is 7, and `C` is 6");
  check([](Arguments& a) { a.symbols["R"] = 5; }, "extent 0 of argument `x` is 4, and `R` is 5");
  check([](Arguments& a) { a.symbols["R"] = -1; }, "symbol `R` is -1, which is negative");
  check([](Arguments& a) { a.tensors["bias"].data.resize(8); },
        "argument `bias` holds 8 bytes, which its extents do not give");
  Arguments empty{{{"R", 4}, {"C", 0}}, {}, {}};
  for (const char* name : {"gain", "bias"}) empty.tensors[name] = Array::zeros(DType::f32, {0});
  empty.tensors["x"] = Array::zeros(DType::f32, {4, 0});
  CHECK(error_of(kernel, empty) == "`C >= 1` does not hold: C = 0");
  Arguments laplacian{{}, {{"u", random_array(DType::f64, {2, 2})}}, {}};
  CHECK(error_of(sample("laplacian"), laplacian) == "scalar `h` has no value");
}

TEST_CASE("constraints and the values of symbols are checked") {
  const auto transpose = [](int64_t m, int64_t n, int64_t k) {
    return error_of(sample("transpose"), {{{"K", k}}, {{"a", random_array(DType::u8, {m, n}, 0, 9)}}, {}});
  };
  CHECK(transpose(5, 5, 9) == "`M in {4, 8, 130}` does not hold: M = 5");
  CHECK(transpose(4, 4095, 3) == "`(N + 3)/4 <= 2*K*K + N % 7` does not hold: N = 4095, K = 3");
  CHECK(transpose(4, 5000, 100) == "symbol `N` is 5000, and may be at most 4096");
}

TEST_CASE("an element that two instances write is told") {
  const ir::Kernel halves = over_i("%2: index = constant 2\n%3: index[i] = divide %0, %2\nwrite y[%3] = %1");
  for (const Partition& partition : testing::partitions()) {
    CHECK(error_of(halves, with_x(6), partition).find("is written by two instances") != std::string::npos);
  }
  CHECK(error_of(halves, with_x(6)) == "element y[0] is written by two instances");
  const ir::Kernel crossing = over_i("%2: index[j] = coordinate j\n%3: f32 = constant 1.0\nwrite y[%2] = %3");
  CHECK(error_of(crossing, with_x(6)) == "every instance along `i` writes the same elements of `y`");
  CHECK(error_of(crossing, with_x(6), {1, {}, InstanceOrder::forward, 1}) ==
        "element y[0] is written by two instances");
  REQUIRE(run(crossing, with_x(1)).ok());
}

TEST_CASE("one instance may overwrite what it wrote") {
  const ir::Kernel kernel = over_i("%2: f32 = constant 2.0\nwrite y[%0] = %2\nwrite y[%0] = %1");
  const Arguments arguments = with_x(9);
  const Result result = testing::run_at_all_partitions(kernel, arguments);
  REQUIRE(compare_bits(result.outputs.at("y"), arguments.tensors.at("x")).count == 0);
}

TEST_CASE("an element that nobody writes is told") {
  const std::string positive =
      "%2: f32 = constant 0.0\n%3: bool[i] = greater %1, %2\n%4: f32[i]? = filter %3, %1\n";
  const ir::Kernel filtered = over_i(positive + "write y[%0] = %4");
  const Arguments arguments{{}, {{"x", testing::array_of(DType::f32, {4}, {1, 2, -1, 3})}}, {}};
  CHECK(error_of(filtered, arguments) == "element y[2] is not written");
  const ir::Kernel shifted = over_i("%2: index = constant 1\n%3: index[i] = add %0, %2\nwrite y[%3] = %1");
  CHECK(error_of(shifted, with_x(4)) == "element y[0] is not written");
  REQUIRE(run(shifted, with_x(0)).ok());
  const ir::Kernel silent = over_i("");
  CHECK(error_of(silent, with_x(4)) == "element y[0] is not written");
}

TEST_CASE("what was proved is held to") {
  const std::string next = "%2: index = constant 1\n%3: index[i] = add %0, %2\n";
  const ir::Kernel claims_bounds = over_i(next + "%4: f32[i] = load x[%3] in_bounds(0)\nwrite y[%0] = %4");
  CHECK(error_of(claims_bounds, with_x(3)) == "index 0 of `x` was proved to be in bounds and is not");
  const ir::Kernel claims_write = over_i(next + "write y[%3] = %1 in_bounds(0)\nwrite y[%0] = %1");
  CHECK(error_of(claims_write, with_x(3)) == "index 0 of `y` was proved to be in bounds and is not");
  const ir::Kernel claims_total = over_i(
      "%2: bool[i] = equal %1, %1\n%3: bool[i] = not %2\n%4: f32[i] = filter %3, %1\nwrite y[%0] = %4");
  CHECK(error_of(claims_total, with_x(3)) == "%4 was proved to exist everywhere and does not exist at i = 0");
}

TEST_CASE("an unsound kernel is not run") {
  ir::Kernel kernel = sample("add_one");
  kernel.values[ir::ValueId(3)].dtype = DType::f64;
  CHECK(error_of(kernel, with_x(1)) ==
        "the kernel's IR is not sound: %3: the result has type f64 and should have f32");
}

TEST_CASE("more than memory holds is refused") {
  const ir::Kernel kernel = sample("lookup");
  CHECK(error_of(kernel, {{{"N", int64_t{1} << 62}}, {}, {}}) ==
        "`y` would have more elements than can be counted");
  CHECK(error_of(kernel, {{{"N", int64_t{1} << 55}}, {}, {}}) ==
        "the arrays of this run do not fit in memory");
}

TEST_CASE("errors say where") {
  const ir::Kernel kernel = over_i("write y[%0] = %1\n%2: index = constant 0\nwrite y[%2] = %1");
  const Result result = run(kernel, with_x(4));
  REQUIRE(result.error);
  REQUIRE(result.error->span.valid());
}

}  // namespace tessera::interp
