// SPDX-License-Identifier: Apache-2.0
// Single operations: numbers of R24 to R26, presence of R10, casts, against plain C++.
#include <cmath>
#include <cstring>
#include <limits>

#include "catch.h"
#include "interp/runs.h"
#include "interp/storage.h"
#include "ir/samples.h"

namespace tessera::interp {

namespace {

using testing::array_of;
using testing::numbers_of;
using testing::parse_kernel;
using testing::random_array;
using testing::run_at_all_partitions;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// y[i] = f(a[i], b[i], …) for inputs of one type: `statement` uses %1, %2, … and defines %9.
ir::Kernel pointwise(DType in, size_t inputs, DType out, const std::string& statement) {
  std::string parameters, loads;
  for (size_t i = 0; i < inputs; ++i) {
    parameters +=
        "  in " + std::string(1, static_cast<char>('a' + i)) + ": " + std::string(spelling(in)) + "[N]\n";
    loads += "    %" + std::to_string(i + 1) + ": " + std::string(spelling(in)) + "[i] = load " +
             static_cast<char>('a' + i) + "[%0] in_bounds(0)\n";
  }
  return parse_kernel(
      "kernel k as k {\n  symbol N\n" + parameters + "  out y: " + std::string(spelling(out)) +
      "[N]\n  axis i: grid 0 .. N by auto over N\n  grid i {\n    %0: index[i] = coordinate i\n" + loads +
      "    " + statement + "\n    write y[%0] = %9 in_bounds(0)\n  }\n}\n");
}

std::string result_line(DType dtype, const std::string& op) {
  return "%9: " + std::string(spelling(dtype)) + "[i] = " + op;
}

Arguments inputs(const std::vector<Array>& arrays) {
  Arguments arguments;
  for (size_t i = 0; i < arrays.size(); ++i)
    arguments.tensors[std::string(1, static_cast<char>('a' + i))] = arrays[i];
  return arguments;
}

std::vector<double> apply(DType in, const std::string& op, const std::vector<double>& a,
                          const std::vector<double>& b = {}) {
  std::vector<Array> arrays{array_of(in, {static_cast<int64_t>(a.size())}, a)};
  if (!b.empty()) arrays.push_back(array_of(in, {static_cast<int64_t>(b.size())}, b));
  const std::string operands = b.empty() ? " %1" : " %1, %2";
  const ir::Kernel kernel = pointwise(in, arrays.size(), in, result_line(in, op + operands));
  return numbers_of(run_at_all_partitions(kernel, inputs(arrays)).outputs.at("y"));
}

std::vector<double> cast(DType from, DType to, const std::vector<double>& numbers) {
  const ir::Kernel kernel = pointwise(from, 1, to, result_line(to, "cast %1"));
  const Array a = array_of(from, {static_cast<int64_t>(numbers.size())}, numbers);
  return numbers_of(run_at_all_partitions(kernel, inputs({a})).outputs.at("y"));
}

using Doubles = std::vector<double>;

}  // namespace

TEST_CASE("integers wrap in their own width") {
  CHECK(apply(DType::i8, "add", {127, -128, 1}, {1, -1, 2}) == Doubles{-128, 127, 3});
  CHECK(apply(DType::u8, "subtract", {0, 5}, {1, 3}) == Doubles{255, 2});
  CHECK(apply(DType::i32, "multiply", {65536, 3}, {65536, -4}) == Doubles{0, -12});
  CHECK(apply(DType::u16, "multiply", {300, 2}, {300, 3}) == Doubles{90000 - 65536, 6});
  CHECK(apply(DType::i8, "negate", {-128, 5}) == Doubles{-128, -5});
  CHECK(apply(DType::i16, "abs", {-32768, -7, 7}) == Doubles{-32768, 7, 7});
  CHECK(apply(DType::u8, "bit_not", {0, 5}) == Doubles{255, 250});
}

TEST_CASE("integer division floors, and 0 divides to 0") {
  CHECK(apply(DType::i32, "divide", {7, -7, 7, -7, 5}, {2, 2, -2, -2, 0}) == Doubles{3, -4, -4, 3, 0});
  CHECK(apply(DType::i32, "modulo", {7, -7, 7, -7, 5}, {2, 2, -2, -2, 0}) == Doubles{1, 1, -1, -1, 0});
  CHECK(apply(DType::i8, "divide", {-128}, {-1}) == Doubles{-128});
  CHECK(apply(DType::i64, "divide", {-9223372036854775808.0}, {-1}) == Doubles{-9223372036854775808.0});
  CHECK(apply(DType::u64, "divide", {18446744073709549568.0}, {2}) == Doubles{9223372036854774784.0});
  CHECK(apply(DType::u64, "modulo", {18446744073709549568.0}, {0}) == Doubles{0});
}

TEST_CASE("shifts beyond the width give 0 or the sign") {
  CHECK(apply(DType::i32, "shift_left", {1, 1, 1, -1}, {31, 32, 200, 4}) ==
        Doubles{-2147483648.0, 0, 0, -16});
  CHECK(apply(DType::i32, "shift_right", {-8, -8, 8, 8}, {1, 40, 2, 33}) == Doubles{-4, -1, 2, 0});
  CHECK(apply(DType::u8, "shift_right", {200, 200}, {3, 8}) == Doubles{25, 0});
  CHECK(apply(DType::u8, "shift_left", {200, 200}, {1, 8}) == Doubles{144, 0});
}

TEST_CASE("unsigned 64-bit integers are ordered as such") {
  const Doubles large{18446744073709549568.0, 1}, small{1, 18446744073709549568.0};
  CHECK(apply(DType::u64, "maximum", large, small) == Doubles{large[0], large[0]});
  CHECK(apply(DType::u64, "minimum", large, small) == Doubles{1, 1});
  CHECK(cast(DType::u64, DType::f64, large) == large);
}

TEST_CASE("maximum and minimum hand on a NaN and order zeros") {
  const Doubles top = apply(DType::f32, "maximum", {1, kNan, 2, -0.0}, {kNan, 1, 3, 0.0});
  CHECK((std::isnan(top[0]) && std::isnan(top[1]) && top[2] == 3 && !std::signbit(top[3])));
  const Doubles low = apply(DType::bf16, "minimum", {1, kNan, 2, -0.0}, {kNan, 1, 3, 0.0});
  CHECK((std::isnan(low[0]) && std::isnan(low[1]) && low[2] == 2 && std::signbit(low[3])));
}

TEST_CASE("conversions truncate, saturate, wrap and round once") {
  CHECK(cast(DType::f32, DType::i8, {1.9, -1.9, 300, -300, kNan, kInfinity}) ==
        Doubles{1, -1, 127, -128, 0, 127});
  CHECK(cast(DType::f64, DType::u32, {-1, 4294967296.0, 7.5}) == Doubles{0, 4294967295.0, 7});
  CHECK(cast(DType::i32, DType::u8, {-1, 256, 300}) == Doubles{255, 0, 44});
  CHECK(cast(DType::u32, DType::i32, {4294967295.0, 7}) == Doubles{-1, 7});
  CHECK(cast(DType::i32, DType::f32, {16777217, -3}) == Doubles{16777216, -3});
  CHECK(cast(DType::f32, DType::bf16, {1.00390625, 1.01171875, 3.4e38}) == Doubles{1, 1.015625, kInfinity});
  CHECK(cast(DType::f64, DType::f16, {1 + 0x1p-11 + 0x1p-40}) == Doubles{1 + 0x1p-10});
  CHECK(cast(DType::f32, DType::boolean, {0, -0.0, 0.5, kNan}) == Doubles{0, 0, 1, 1});
  CHECK(cast(DType::boolean, DType::f16, {1, 0}) == Doubles{1, 0});
  CHECK(cast(DType::boolean, DType::i64, {1, 0}) == Doubles{1, 0});
}

TEST_CASE("elementwise f32 kernels give the bits of the same C++") {
  const int64_t n = 1001;
  const Array a = random_array(DType::f32, {n}, -3, 3);
  Array b = Array::zeros(DType::f32, {n}), c = Array::zeros(DType::f32, {n});
  fill_random(b, 11, -3, 3);
  fill_random(c, 12, 0.5, 4);
  const std::string statements =
      "%4: f32[i] = fma %1, %2, %3\n%5: f32[i] = gelu %4\n%6: f32[i] = divide %5, %3\n"
      "%7: f32[i] = fma %6, %6, %1 negate_product\n%8: f32[i] = tanh %7\n%9: f32[i] = subtract %8, %2";
  const Result result =
      run_at_all_partitions(pointwise(DType::f32, 3, DType::f32, statements), inputs({a, b, c}));
  for (int64_t i = 0; i < n; ++i) {
    const float x = a.as<float>()[i], y = b.as<float>()[i], z = c.as<float>()[i];
    const float ratio = math::gelu(std::fma(x, y, z)) / z;
    const float expected = math::tanh(std::fma(-ratio, ratio, x)) - y;
    REQUIRE(result.outputs.at("y").as<float>()[i] == expected);
  }
}

TEST_CASE("narrow floats compute in f32 and are rounded by casts") {
  const Array a = random_array(DType::f16, {300}), b = random_array(DType::f16, {300}, 1, 2);
  const std::string statements =
      "%3: f32[i] = cast %1\n%4: f32[i] = cast %2\n%5: f32[i] = divide %3, %4\n%9: f16[i] = cast %5";
  const Result result =
      run_at_all_partitions(pointwise(DType::f16, 2, DType::f16, statements), inputs({a, b}));
  for (int64_t i = 0; i < 300; ++i) {
    const f16 expected = from_float<f16>(to_float(a.as<f16>()[i]) / to_float(b.as<f16>()[i]));
    REQUIRE(result.outputs.at("y").as<f16>()[i].bits == expected.bits);
  }
}

TEST_CASE("the reference mode rounds nothing on the way") {
  const std::string statements =
      "%2: f32 = constant 0.1\n%3: f32[i] = multiply %1, %2\n%9: f32[i] = multiply %3, %3";
  const ir::Kernel kernel = pointwise(DType::f32, 1, DType::f32, statements);
  const Array a = array_of(DType::f32, {1}, {3});
  const Result result = testing::run_or_fail(kernel, inputs({a}), Numbers::f64);
  REQUIRE(numbers_of(result.outputs.at("y")) == Doubles{(3 * 0.1) * (3 * 0.1)});
}

TEST_CASE("comparisons with a NaN are false, except !=") {
  const auto compared = [](const std::string& op) {
    const ir::Kernel kernel =
        pointwise(DType::f64, 2, DType::boolean, result_line(DType::boolean, op + " %1, %2"));
    const Array a = array_of(DType::f64, {4}, {1, 2, kNan, 2}), b = array_of(DType::f64, {4}, {2, 2, 1, 1});
    return numbers_of(run_at_all_partitions(kernel, inputs({a, b})).outputs.at("y"));
  };
  CHECK(compared("equal") == Doubles{0, 1, 0, 0});
  CHECK(compared("not_equal") == Doubles{1, 0, 1, 1});
  CHECK(compared("less") == Doubles{1, 0, 0, 0});
  CHECK(compared("less_equal") == Doubles{1, 1, 0, 0});
  CHECK(compared("greater") == Doubles{0, 0, 0, 1});
  CHECK(compared("greater_equal") == Doubles{0, 1, 0, 1});
}

TEST_CASE("presence follows the chosen side, and ?? is the way back") {
  // a exists where it is positive, b where it is above 10; -1 stands for absent.
  const std::string statements = R"(%3: i32 = constant 0
    %4: bool[i] = greater %1, %3
    %5: i32[i]? = filter %4, %1
    %6: i32 = constant 10
    %7: bool[i] = greater %2, %6
    %8: i32[i]? = filter %7, %2
    %10: i32 = constant -1
    )";
  const auto result = [&](const std::string& last) {
    const ir::Kernel kernel =
        pointwise(DType::i32, 2, DType::i32, statements + last + "\n%9: i32[i] = coalesce %11, %10");
    const Array a = array_of(DType::i32, {4}, {5, 6, -7, -8}), b = array_of(DType::i32, {4}, {11, 1, 12, 2});
    return numbers_of(run_at_all_partitions(kernel, inputs({a, b})).outputs.at("y"));
  };
  CHECK(result("%11: i32[i]? = add %5, %8") == Doubles{16, -1, -1, -1});
  CHECK(result("%11: i32[i]? = coalesce %5, %8") == Doubles{5, 6, 12, -1});
  CHECK(result("%11: i32[i]? = select %4, %8, %2") == Doubles{11, -1, 12, 2});
  CHECK(result("%11: i32[i]? = select %7, %5, %8") == Doubles{5, -1, -1, -1});
  CHECK(result("%11: i32[i]? = filter %7, %5") == Doubles{5, -1, -1, -1});
  CHECK(result("%11: i32[i]? = negate %5") == Doubles{-5, -6, -1, -1});
}

TEST_CASE("reductions of nothing are the unit, or do not exist") {
  const auto reduced = [](const std::string& type, const std::string& op, const std::string& fallback) {
    const std::string element = op == "any" || op == "all" ? "bool" : "f32";
    const ir::Kernel kernel =
        parse_kernel("kernel k as k {\n symbol N\n symbol M\n in a: " + element + "[N, M]\n out y: " + type +
                     "[N]\n axis i: grid 0 .. N by auto over N\n axis j: let 0 .. M over M\n grid i {\n %0: "
                     "index[i] = coordinate i\n"
                     " %1: index[j] = coordinate j\n %2: " +
                     element + "[i, j] = load a[%0, %1] in_bounds(0, 1)\n %3: " + type + "[i]? = reduce_" +
                     op + "[j] %2\n %4: " + type + " = constant " + fallback + "\n %5: " + type +
                     "[i] = coalesce %3, %4\n write y[%0] = %5 in_bounds(0)\n }\n}\n");
    const Array empty = Array::zeros(element == "bool" ? DType::boolean : DType::f32, {2, 0});
    return numbers_of(run_at_all_partitions(kernel, {{}, {{"a", empty}}, {}}).outputs.at("y"));
  };
  CHECK(reduced("f32", "sum", "7.0") == Doubles{0, 0});
  CHECK(reduced("f32", "prod", "7.0") == Doubles{1, 1});
  CHECK(reduced("f32", "max", "7.0") == Doubles{7, 7});
  CHECK(reduced("f32", "min", "7.0") == Doubles{7, 7});
  CHECK(reduced("bool", "any", "1") == Doubles{0, 0});
  CHECK(reduced("bool", "all", "0") == Doubles{1, 1});
  CHECK(reduced("index", "count", "7") == Doubles{0, 0});
  CHECK(reduced("index", "argmax", "-7") == Doubles{-7, -7});
}

TEST_CASE("places of extremes: the first, a NaN before all") {
  const auto place = [](const std::string& op, const Doubles& row) {
    const ir::Kernel kernel = parse_kernel(
        "kernel k as k {\n symbol M\n in a: f32[M]\n out y: index[]\n axis j: let 0 .. M over M\n grid {\n"
        " %0: index[j] = coordinate j\n %1: f32[j] = load a[%0] in_bounds(0)\n %2: index? = reduce_" +
        op + "[j] %1\n write y[] = %2\n }\n}\n");
    const Array a = array_of(DType::f32, {static_cast<int64_t>(row.size())}, row);
    return numbers_of(run_at_all_partitions(kernel, {{}, {{"a", a}}, {}}).outputs.at("y")).front();
  };
  CHECK(place("argmax", {1, 3, 2, 3}) == 1);
  CHECK(place("argmin", {1, 0, 2, 0}) == 1);
  CHECK(place("argmax", {1, kNan, 9, kNan}) == 1);
  CHECK(place("argmin", {1, kNan, -9, kNan}) == 1);
  CHECK(place("argmax", {-kInfinity, -kInfinity}) == 0);
}

TEST_CASE("reductions over outer and several axes fold in ascending order") {
  const int64_t b = 3, n = 5, m = 4;
  const ir::Kernel kernel = parse_kernel(R"(kernel k as k {
  symbol B
  symbol N
  symbol M
  in a: f32[B, N, M]
  out outer: f32[M]
  out both: f32[]
  axis q: let 0 .. B over B
  axis i: let 0 .. N over N
  axis j: let 0 .. M over M
  grid {
    %0: index[q] = coordinate q
    %1: index[i] = coordinate i
    %2: index[j] = coordinate j
    %3: f32[q, i, j] = load a[%0, %1, %2] in_bounds(0, 1, 2)
    %4: f32[j] = reduce_sum[q, i] %3
    %5: f32 = reduce_sum[q, i, j] %3
    write outer[%2] = %4 in_bounds(0)
    write both[] = %5
  }
})");
  const Array a = random_array(DType::f32, {b, n, m});
  const Result result = run_at_all_partitions(kernel, {{}, {{"a", a}}, {}});
  float all = 0;
  std::vector<float> outer(m);
  for (int64_t i = 0; i < b * n * m; ++i) {
    all += a.as<float>()[i];
    outer[static_cast<size_t>(i % m)] += a.as<float>()[i];
  }
  REQUIRE(result.outputs.at("both").as<float>()[0] == all);
  for (int64_t j = 0; j < m; ++j)
    REQUIRE(result.outputs.at("outer").as<float>()[j] == outer[static_cast<size_t>(j)]);
}

TEST_CASE("data may be an index") {
  const ir::Kernel kernel = parse_kernel(R"(kernel gather as gather {
  symbol N
  symbol V
  in a: i32[N]
  in table: f32[V]
  out y: f32[N]
  axis i: grid 0 .. N by auto over N
  grid i {
    %0: index[i] = coordinate i
    %1: i32[i] = load a[%0] in_bounds(0)
    %2: f32[i]? = load table[%1]
    %3: f32 = constant -1.0
    %4: f32[i] = coalesce %2, %3
    write y[%0] = %4 in_bounds(0)
  }
})");
  Arguments arguments{{}, {{"a", array_of(DType::i32, {5}, {2, -1, 0, 3, 1})}}, {}};
  arguments.tensors["table"] = array_of(DType::f32, {3}, {10, 20, 30});
  CHECK(numbers_of(run_at_all_partitions(kernel, arguments).outputs.at("y")) == Doubles{30, -1, 10, -1, 20});
}

TEST_CASE("a var keeps what its new value does not replace") {
  const ir::Kernel kernel = parse_kernel(R"(kernel k as k {
  symbol N
  in a: f32[N]
  out y: f32[N]
  axis i: grid 0 .. N over N
  variable v: f32
  grid i {
    %0: index = coordinate i
    %1: f32 = constant 5.0
    declare v = %1
    %2: f32 = load a[%0] in_bounds(0)
    %3: f32 = constant 0.0
    %4: bool = greater %2, %3
    %5: f32? = filter %4, %2
    assign v = %5
    %6: f32 = read v
    write y[%0] = %6 in_bounds(0)
  }
})");
  const Array a = array_of(DType::f32, {4}, {1, -2, 3, -4});
  CHECK(numbers_of(run_at_all_partitions(kernel, {{}, {{"a", a}}, {}}).outputs.at("y")) ==
        Doubles{1, 5, 3, 5});
}

}  // namespace tessera::interp
