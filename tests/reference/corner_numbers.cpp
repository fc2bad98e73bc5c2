// SPDX-License-Identifier: Apache-2.0
// Numbers (tests/corners/numbers.tsr): integers of few bits, and floats of all kinds, whose bits the language fixes.
#include <algorithm>
#include <cmath>

#include "corners.h"

namespace tessera::reference {
namespace {

/// An i32 after arithmetic that wraps.
int64_t i32(int64_t value) { return static_cast<std::int32_t>(value); }

void narrow(Problem& problem) {
  const auto x = problem.in("x"), h = problem.in("h");
  const auto y = problem.out("y"), m = problem.out("m"), p = problem.out("p"), at = problem.out("at");
  const auto bits = [&](int64_t r, int64_t c) { return static_cast<std::uint8_t>(x(r, c)); };
  for (int64_t r = 0; r < problem.dim("R"); ++r) {
    int64_t most = problem.dim("C") > 0 ? -1 : 0, place = -1, highest = -1;
    std::int16_t product = 1;
    for (int64_t c = 0; c < problem.dim("C"); ++c) {
      std::uint8_t sum = 0, top = 0;
      for (int64_t w = 0; w < 3; ++w) {
        sum = static_cast<std::uint8_t>(sum + (x.has(r, c + w - 1) ? bits(r, c + w - 1) : 9));
        if (x.has(r, c + w)) top = std::max(top, bits(r, c + w));
      }
      y(r, c) = static_cast<double>(sum ^ top);
      most = std::max<int64_t>(most, (x.has(r, c + 1) ? bits(r, c + 1) : 2) & 127);
      product = static_cast<std::int16_t>(product * (static_cast<std::int16_t>(h(r, c)) | 1));
      if ((bits(r, c) ^ 170) > highest) highest = bits(r, c) ^ 170, place = c;
    }
    m(r) = static_cast<double>(most);
    p(r) = static_cast<double>(product);
    at(r) = static_cast<double>(place);
  }
}

void negated(Problem& problem) {
  const auto x = problem.in("x"), h = problem.in("h"), b = problem.in("b");
  const auto y = problem.out("y"), z = problem.out("z"), w = problem.out("w");
  for (int64_t n = 0; n < problem.dim("N"); ++n) {
    double most = -x(0, n);
    for (int64_t k = 1; k < 5; ++k) most = std::max<double>(most, -x(k, n));
    const double third = std::max<double>({-x(2, n), x(3, n), x(4, n)});
    y(n) = std::max<double>(most, std::min<double>(-x(0, n), -x(1, n))) - third;
    z(n) = std::min<double>({-h(0, n), -h(1, n), -h(2, n)});
    w(n) = std::max<double>({-b(0, n), -b(1, n), -b(2, n), std::abs(b(0, n))});
  }
}

void chosen_extremes(Problem& problem) {
  const auto x = problem.in("x"), h = problem.in("h"), b = problem.in("b");
  const auto y = problem.out("y"), z = problem.out("z"), w = problem.out("w");
  for (int64_t n = 0; n < problem.dim("N"); ++n) {
    const double larger = std::max<double>({-x(0, n), x(1, n), x(4, n)});
    y(n) = larger - std::min<double>({-x(2, n), x(3, n), x(4, n)});
    z(n) = std::max<double>({-h(0, n), h(1, n), h(2, n)});
    const double absolute = std::abs(b(0, n));
    w(n) = -b(1, n) < absolute ? std::max<double>(absolute, b(2, n)) : -b(1, n);
  }
}

void chosen_bits(Problem& problem) {
  const auto x = problem.in("x"), z = problem.in("z"), limit = problem.in("limit");
  const auto y = problem.out("y");
  const auto word = [](double value) { return static_cast<std::int32_t>(value); };
  for (int64_t r = 0; r < problem.dim("R"); ++r)
    for (int64_t c = 0; c < problem.dim("C"); ++c)
      for (int64_t n = 0; n < problem.dim("N"); ++n)
        y(r, c, n) = r < limit(n) ? word(x(r, c, n)) & word(z(r, c, n)) : 0;
}

void chosen_apart(Problem& problem) {
  const auto x = problem.in("x"), b = problem.in("b"), c = problem.in("c"), z = problem.in("z");
  const auto y = problem.out("y");
  const int64_t rows = problem.dim("R");
  for_matrix(rows, problem.dim("C"), [&](int64_t r, int64_t n) {
    const bool is_there = z(n, r) > 0 && r + 3 < rows;
    y(n, r) = is_there ? std::floor((b(r) + x(r + 3, n)) / 3) : c(r, n) > 0 ? x(r, n) - b(r) : x(r, n);
  });
}

void narrow_index(Problem& problem) {
  const auto t = problem.in("t");
  const auto y = problem.out("y"), z = problem.out("z");
  const int64_t scale[] = {1, 2, 4, 8};
  for (int64_t n = 0; n < problem.dim("N"); ++n) {
    const int64_t at = std::min<int64_t>(static_cast<std::int8_t>(n), 3);
    y(n) = t.has(at) ? t(at) : -1.0;
    z(n) = static_cast<double>(i32(scale[n % 4] * scale[3 - n % 4] + n + INT32_MIN));
  }
}

/// Every element of each output is one of an input, rounded by the store: from a name to a name.
void converted(Problem& problem,
               const std::vector<std::pair<const char*, std::vector<const char*>>>& results) {
  for (const auto& [from, names] : results) {
    const auto input = problem.in(from);
    for (const char* name : names) {
      const auto result = problem.out(name);
      for (int64_t n = 0; n < problem.dim("N"); ++n) result(n) = input(n);
    }
  }
}

void narrowed(Problem& problem) {
  converted(problem, {{"x", {"x_f16", "x_bf16", "x_e4m3", "x_e5m2"}},
                      {"d", {"d_f32", "d_f16", "d_bf16", "d_e4m3", "d_e5m2"}}});
}

void widened(Problem& problem) {
  converted(problem, {{"h", {"h_f32"}}, {"b", {"b_f32"}}, {"e", {"e_f32"}}, {"f", {"f_f64"}}});
}

void whole_and_real(Problem& problem) {
  converted(problem, {{"x", {"x_i32", "x_u8"}},
                      {"d", {"d_i16", "d_u32"}},
                      {"h", {"h_i8"}},
                      {"i", {"i_f32", "i_bf16", "i_f16"}},
                      {"s", {"s_e4m3"}}});
}

/// NaN is within all bounds.
double bounded(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

void clamped(Problem& problem) {
  const auto x = problem.in("x"), d = problem.in("d"), h = problem.in("h");
  const auto nearest = problem.out("nearest"), below = problem.out("below"), within = problem.out("within"),
             positive = problem.out("positive"), d_i16 = problem.out("d_i16"), h_i8 = problem.out("h_i8");
  for (int64_t n = 0; n < problem.dim("N"); ++n) {
    nearest(n) = bounded(std::nearbyint(x(n)), -128, 127);
    below(n) = std::floor(bounded(x(n), -0.5, 255.5));
    within(n) = bounded(x(n), -127.5, 100);
    positive(n) = bounded(std::nearbyint(x(n)), 1, 127);
    d_i16(n) = std::ceil(bounded(d(n), -32768, 40000));
    h_i8(n) = bounded(h(n), -128, 127);
  }
}

/// What an operation on floats gives. A double has more than twice their digits, so that rounding it once more is rounding
/// once.
double rounded(double exact) { return round_to(format_of("f32"), exact); }

void rounded_steps(Problem& problem) {
  const auto x = problem.in("x"), y = problem.in("y"), z = problem.in("z"), divisor = problem.in("divisor");
  const auto sum = problem.out("sum"), fused = problem.out("fused");
  const auto quotient = problem.out("quotient"), ratio = problem.out("ratio");
  for_matrix(problem.dim("R"), problem.dim("C"), [&](int64_t r, int64_t c) {
    sum(r, c) = rounded(rounded(x(r, c) * y(r, c)) + z(r, c));
    fused(r, c) =
        std::fma(-static_cast<float>(x(r, c)), static_cast<float>(y(r, c)), static_cast<float>(z(r, c)));
    quotient(r, c) = rounded(x(r, c) / divisor(r));
    ratio(r, c) = rounded(x(r, c) / y(r, c));
  });
}

/// The largest integer not above a / b; 0 where b is 0. Doubles hold all of 32 bits, and their quotients.
double floor_quotient(double a, double b) { return b == 0 ? 0 : std::floor(a / b); }

/// The smallest number over -1 wraps to itself.
double wrapped(double value, double lowest) { return value == -lowest ? lowest : value; }

void floored(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), c = problem.in("c"), d = problem.in("d");
  const auto e = problem.in("e"), f = problem.in("f");
  const auto ab = problem.out("ab"), cd = problem.out("cd"), ef = problem.out("ef");
  const auto rest_ab = problem.out("rest_ab"), rest_cd = problem.out("rest_cd"),
             rest_ef = problem.out("rest_ef");
  const auto rest = [](double x, double y) { return y == 0 ? 0 : x - y * floor_quotient(x, y); };
  for (int64_t n = 0; n < problem.dim("N"); ++n) {
    ab(n) = wrapped(floor_quotient(a(n), b(n)), INT32_MIN);
    cd(n) = wrapped(floor_quotient(c(n), d(n)), -128);
    ef(n) = floor_quotient(e(n), f(n));
    rest_ab(n) = rest(a(n), b(n));
    rest_cd(n) = rest(c(n), d(n));
    rest_ef(n) = rest(e(n), f(n));
  }
}

/// Where the extreme of `sign` times row r is: the first NaN, or the first of the greatest.
int64_t extreme(const Input& tensor, int64_t r, int64_t columns, double sign) {
  int64_t best = 0;
  for (int64_t c = 0; c < columns; ++c) {
    if (std::isnan(tensor(r, c))) return c;
    if (sign * tensor(r, c) > sign * tensor(r, best)) best = c;
  }
  return best;
}

void narrow_extremes(Problem& problem) {
  const auto h = problem.in("h"), b = problem.in("b"), e = problem.in("e"), x = problem.in("x");
  const auto most_h = problem.out("most_h"), least_b = problem.out("least_b");
  const auto most_e = problem.out("most_e"), most_x = problem.out("most_x");
  const auto at_h = problem.out("at_h"), at_b = problem.out("at_b"), at_x = problem.out("at_x");
  for (int64_t r = 0; r < problem.dim("R"); ++r) {
    const auto at = [&](const Input& tensor, double sign) {
      return extreme(tensor, r, problem.dim("C"), sign);
    };
    most_h(r) = h(r, at(h, 1));
    least_b(r) = b(r, at(b, -1));
    most_e(r) = e(r, at(e, 1));
    most_x(r) = x(r, at(x, 1));
    at_h(r) = static_cast<double>(at(h, 1));
    at_b(r) = static_cast<double>(at(b, -1));
    at_x(r) = static_cast<double>(at(x, 1));
  }
}

void rounded_factors(Problem& problem) {
  const auto a = problem.in("a"), u = problem.in("u"), v = problem.in("v"), b = problem.in("b");
  const auto y = problem.out("y"), z = problem.out("z");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    y(m, n) = total(problem.dim("K"), [&](int64_t k) { return shortened(a(m, k)) * u(k, n); });
    z(m, n) = total(problem.dim("K"), [&](int64_t k) { return v(m, k) * shortened(b(k, n)); });
  });
}

void widened_bytes(Problem& problem) {
  const auto x = problem.in("x"), w = problem.in("w"), v = problem.in("v");
  const auto y = problem.out("y"), z = problem.out("z");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    y(m, n) = total(problem.dim("K"), [&](int64_t k) { return x(m, k) * w(n, k); });
    z(m, n) = total(problem.dim("K"), [&](int64_t k) { return x(m, k) * v(k, n); });
  });
}

/// Tensors of one shape, by name and dtype.
using Names = std::vector<std::pair<const char*, const char*>>;

std::vector<TensorSpec> of_all_kinds(const Names& inputs, const Names& outputs,
                                     const std::vector<std::string>& dims) {
  std::vector<TensorSpec> specs;
  for (const auto& [name, dtype] : inputs) specs.push_back(input_of_all_kinds(name, dtype, dims));
  for (const auto& [name, dtype] : outputs) specs.push_back(output(name, dtype, dims));
  return specs;
}

void add_conversion_cases(std::vector<Case>& cases) {
  const auto add = [&](const char* kernel, const Names& inputs, const Names& outputs,
                       void reference(Problem&)) {
    cases.push_back(corner("numbers.tsr", kernel, {"N"}, of_all_kinds(inputs, outputs, {"N"}), reference));
  };
  add("narrowed", {{"x", "f32"}, {"d", "f64"}},
      {{"x_f16", "f16"},
       {"x_bf16", "bf16"},
       {"x_e4m3", "fp8_e4m3"},
       {"x_e5m2", "fp8_e5m2"},
       {"d_f32", "f32"},
       {"d_f16", "f16"},
       {"d_bf16", "bf16"},
       {"d_e4m3", "fp8_e4m3"},
       {"d_e5m2", "fp8_e5m2"}},
      narrowed);
  add("widened", {{"h", "f16"}, {"b", "bf16"}, {"e", "fp8_e4m3"}, {"f", "fp8_e5m2"}},
      {{"h_f32", "f32"}, {"b_f32", "f32"}, {"e_f32", "f32"}, {"f_f64", "f64"}}, widened);
  add("whole_and_real", {{"x", "f32"}, {"d", "f64"}, {"h", "f16"}, {"i", "i32"}, {"s", "i8"}},
      {{"x_i32", "i32"},
       {"x_u8", "u8"},
       {"d_i16", "i16"},
       {"d_u32", "u32"},
       {"h_i8", "i8"},
       {"i_f32", "f32"},
       {"i_bf16", "bf16"},
       {"i_f16", "f16"},
       {"s_e4m3", "fp8_e4m3"}},
      whole_and_real);
  add("clamped", {{"x", "f32"}, {"d", "f64"}, {"h", "f16"}},
      {{"nearest", "i8"},
       {"below", "u8"},
       {"within", "i8"},
       {"positive", "i8"},
       {"d_i16", "i16"},
       {"h_i8", "i8"}},
      clamped);
  add("floored", {{"a", "i32"}, {"b", "i32"}, {"c", "i8"}, {"d", "i8"}, {"e", "u16"}, {"f", "u16"}},
      {{"ab", "i32"}, {"rest_ab", "i32"}, {"cd", "i8"}, {"rest_cd", "i8"}, {"ef", "u16"}, {"rest_ef", "u16"}},
      floored);
}

/// Sums of so few whole numbers that none is rounded, whatever their order is.
void add_product_of_number_cases(std::vector<Case>& cases) {
  const auto whole = [](const char* name, const char* dtype, const char* rows, const char* columns,
                        double most) {
    return input(name, dtype, {rows, columns}, -most, most, 1);
  };
  const auto add = [&](const char* kernel, std::vector<TensorSpec> tensors, void reference(Problem&)) {
    for (const char* name : {"y", "z"}) tensors.push_back(output(name, "f32", {"M", "N"}));
    cases.push_back(corner("numbers.tsr", kernel, {"M", "N", "K"}, std::move(tensors), reference));
    cases.back().allowed = few_terms;
  };
  add("rounded_factors",
      {whole("a", "f32", "M", "K", 4000), whole("u", "f32", "K", "N", 1), whole("v", "f32", "M", "K", 1),
       whole("b", "f32", "K", "N", 4000)},
      rounded_factors);
  add("widened_bytes",
      {whole("x", "bf16", "M", "K", 9), input("w", "i8", {"N", "K"}, -128, 127),
       input("v", "u8", {"K", "N"}, 0, 255)},
      widened_bytes);
}

}  // namespace

void add_number_cases(std::vector<Case>& cases) {
  cases.push_back(corner("numbers.tsr", "narrow", {"R", "C"},
                         {input("x", "u8", {"R", "C"}, 0, 255), input("h", "i16", {"R", "C"}, -300, 300),
                          output("y", "u8", {"R", "C"}), output("m", "u8", {"R"}), output("p", "i16", {"R"}),
                          result("at", {"R"})},
                         narrow));
  cases.push_back(corner("numbers.tsr", "narrow_index", {"M", "N"},
                         {small("t", {"M"}), result("y", {"N"}), result("z", {"N"})}, narrow_index));
  const std::vector<TensorSpec> signed_numbers = {input("x", "i32", {"5", "N"}, -1000, 1000),
                                                  input("h", "i16", {"3", "N"}, -300, 300),
                                                  input("b", "i8", {"3", "N"}, -127, 127),
                                                  output("y", "i32", {"N"}),
                                                  output("z", "i16", {"N"}),
                                                  output("w", "i8", {"N"})};
  cases.push_back(corner("numbers.tsr", "negated", {"N"}, signed_numbers, negated));
  cases.push_back(corner("numbers.tsr", "chosen_extremes", {"N"}, signed_numbers, chosen_extremes));
  cases.push_back(corner(
      "numbers.tsr", "chosen_bits", {"R", "C", "N"},
      {input("x", "i32", {"R", "C", "N"}, -1000, 1000), input("z", "i32", {"R", "C", "N"}, -1000, 1000),
       input("limit", "i32", {"N"}, 0, 12), output("y", "i32", {"R", "C", "N"})},
      chosen_bits));
  const auto whole = [](const char* name, std::vector<std::string> dims) {
    return input(name, "i32", std::move(dims), -1000, 1000);
  };
  cases.push_back(corner("numbers.tsr", "chosen_apart", {"R", "C"},
                         {whole("x", {"R", "C"}), whole("b", {"R"}), whole("c", {"R", "C"}),
                          whole("z", {"C", "R"}), output("y", "i32", {"C", "R"})},
                         chosen_apart));
  add_conversion_cases(cases);
  add_product_of_number_cases(cases);
  std::vector<TensorSpec> steps =
      of_all_kinds({{"x", "f32"}, {"y", "f32"}, {"z", "f32"}},
                   {{"sum", "f32"}, {"fused", "f32"}, {"quotient", "f32"}, {"ratio", "f32"}}, {"R", "C"});
  steps.insert(steps.begin() + 3, input_of_all_kinds("divisor", "f32", {"R"}));
  cases.push_back(corner("numbers.tsr", "rounded_steps", {"R", "C"}, steps, rounded_steps));
  cases.back().rounds_between = true;
  std::vector<TensorSpec> extremes =
      of_all_kinds({{"h", "f16"}, {"b", "bf16"}, {"e", "fp8_e4m3"}, {"x", "f32"}}, {}, {"R", "C"});
  for (const auto& [name, dtype] : Names{{"most_h", "f16"},
                                         {"least_b", "bf16"},
                                         {"most_e", "fp8_e4m3"},
                                         {"most_x", "f32"},
                                         {"at_h", "i32"},
                                         {"at_b", "i32"},
                                         {"at_x", "i32"}})
    extremes.push_back(output(name, dtype, {"R"}));
  cases.push_back(corner("numbers.tsr", "narrow_extremes", {"R", "C"}, extremes, narrow_extremes));
  cases.back().allowed = has_columns;
}

}  // namespace tessera::reference
