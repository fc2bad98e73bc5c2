// SPDX-License-Identifier: Apache-2.0
// Plain loops of tests/corners/relations.tsr: a pair that is not related is skipped.
#include <algorithm>
#include <cstdint>
#include <optional>

#include "corners.h"

namespace tessera::reference {

using std::int64_t;

namespace {

int64_t i32(int64_t value) { return static_cast<std::int32_t>(value); }

void causal(Problem& problem) {
  const auto p = problem.in("p");
  const auto y = problem.out("y"), top = problem.out("top");
  for (int64_t r = 0; r < problem.dim("R"); ++r) {
    for (int64_t s = 0; s < problem.dim("S"); ++s) {
      double total = 0, most = -100;
      for (int64_t t = 0; t < std::min(problem.dim("T"), s + 1); ++t) {
        total += p(r, s, t);
        most = std::max(most, p(r, s, t));
      }
      y(r, s) = total;
      top(r, s) = most;
    }
  }
}

void windowed(Problem& problem) {
  const auto p = problem.in("p"), x = problem.in("x");
  const auto y = problem.out("y"), top = problem.out("top"), n = problem.out("n");
  const auto width = static_cast<int64_t>(problem.scalar("width"));
  for (int64_t s = 0; s < problem.dim("S"); ++s) {
    double sum = 0, count = 0;
    std::optional<double> most;
    for (int64_t t = 0; t < problem.dim("T"); ++t) {
      if (t > s || t <= s - width) continue;
      sum += p(s, t) * static_cast<double>(s - t);
      if (p(s, t) > 0) ++count;
      if (s - t >= problem.dim("T")) continue;
      const double here = x(s - t) + p(s, t);
      most = most ? std::max(*most, here) : here;
    }
    y(s) = sum;
    top(s) = most.value_or(-77);
    n(s) = count;
  }
}

void band(Problem& problem) {
  const auto p = problem.in("p");
  const auto y = problem.out("y"), last = problem.out("last");
  for (int64_t s = 0; s < problem.dim("S"); ++s) {
    double sum = 0;
    std::optional<double> least;
    int64_t at = -1;
    for (int64_t t = 0; t < problem.dim("T"); ++t) {
      if (s - 3 > t || t >= s + 2) continue;
      sum += p(s, t);
      least = least ? std::min(*least, p(s, t)) : p(s, t);
      at = t;
    }
    y(s) = least ? sum - *least : 5;
    last(s) = static_cast<double>(at);
  }
}

void online(Problem& problem) {
  const auto p = problem.in("p");
  const auto y = problem.out("y"), top = problem.out("top");
  for (int64_t s = 0; s < problem.dim("S"); ++s) {
    double highest = -1000, sum = 0, count = 0;
    for (int64_t t = 0; t < std::min(problem.dim("T"), s + 1); ++t) {
      if (t % 3 == 1) continue;
      highest = std::max(highest, p(s, t));
      sum += p(s, t);
      ++count;
    }
    y(s) = sum - count * highest + count;
    top(s) = highest;
  }
}

void upsampled(Problem& problem) {
  const auto x = problem.in("x"), w = problem.in("w");
  const auto y = problem.out("y"), n = problem.out("n");
  for (int64_t m = 0; m < problem.dim("M"); ++m) {
    double sum = 0, count = 0;
    for (int64_t i = 0; i < problem.dim("N"); ++i) {
      const int64_t k = m + 2 - 2 * i;
      if (k < 0 || k >= 5) continue;
      sum += w(k) * x(i);
      ++count;
    }
    y(m) = sum;
    n(m) = count;
  }
}

void counted_tiles(Problem& problem) {
  const auto p = problem.in("p");
  const auto y = problem.out("y"), z = problem.out("z");
  for (int64_t s = 0; s < problem.dim("S"); ++s) {
    int64_t acc = 1;
    for (int64_t q = 0; q < problem.dim("Q"); ++q) {
      int64_t part = 0;
      for (int64_t t = 4 * q; t < std::min(4 * q + 4, problem.dim("T")); ++t)
        if (2 * t + s >= 7 && 3 * t <= 40 - s && t != 5) part += static_cast<int64_t>(p(s, t));
      acc = i32(acc * 2 + part);
      y(s, q) = static_cast<double>(part);
    }
    z(s) = static_cast<double>(acc);
  }
}

void one_at_a_time(Problem& problem) {
  const auto p = problem.in("p");
  const auto y = problem.out("y");
  for (int64_t s = 0; s < problem.dim("S"); ++s) {
    int64_t acc = 1;
    for (int64_t t = 0; t < problem.dim("T"); ++t)
      if (t + 2 > s && t <= 2 * s) acc = i32(acc * 3 + static_cast<int64_t>(p(s, t)));
    y(s) = static_cast<double>(acc);
  }
}

void rounds(Problem& problem) {
  const auto p = problem.in("p");
  const auto y = problem.out("y"), z = problem.out("z");
  for (int64_t s = 0; s < problem.dim("S"); ++s) {
    int64_t acc = 1;
    for (int64_t t = 0; t < problem.dim("T"); ++t) {
      if (t > s) acc = i32(acc * 3 + static_cast<int64_t>(p(s, t)));
      acc = i32(acc + 1);
    }
    y(s) = static_cast<double>(acc);
    z(s) = static_cast<double>(problem.dim("T"));
  }
}

void before_one(Problem& problem) {
  const auto x = problem.in("x");
  const auto y = problem.out("y"), z = problem.out("z");
  for (int64_t s = 0; s < problem.dim("S"); ++s) {
    double acc = 0;
    std::optional<double> most;
    for (int64_t t = 0; t < problem.dim("T"); ++t) {
      if (2 * t <= s) acc += x(t);
      if (t >= s) most = most ? std::max(*most, x(t)) : x(t);
    }
    y(s) = acc;
    z(s) = most.value_or(acc);
  }
}

void pairs(Problem& problem) {
  const auto x = problem.in("x");
  const auto y = problem.out("y");
  for (int64_t r = 0; r < problem.dim("R"); ++r) {
    double total = 0;
    for (int64_t a = 0; a < problem.dim("N"); ++a)
      for (int64_t b = 0; b < a; ++b) total += x(r, a) * x(r, b);
    y(r) = total;
  }
}

void met_before(Problem& problem) {
  const auto p = problem.in("p");
  const auto y = problem.out("y");
  const int64_t S = problem.dim("S"), T = problem.dim("T");
  std::optional<double> largest;
  for (int64_t t = 0; t < T; ++t) {
    double sum = 0;
    for (int64_t s = 0; s < S; ++s)
      if (t + s >= 4 && t <= 3 * s) sum += p(s, t);
    largest = largest ? std::max(*largest, sum) : sum;
  }
  y() = largest.value_or(-1);
}

void attended(Problem& problem) {
  const auto q = problem.in("q"), k = problem.in("k"), v = problem.in("v");
  const auto y = problem.out("y");
  for (int64_t s = 0; s < problem.dim("S"); ++s) {
    for (int64_t c = 0; c < 4; ++c) {
      double acc = 0;
      for (int64_t t = std::max<int64_t>(s - 8, 0); t < std::min(problem.dim("T"), s + 1); ++t) {
        double e = 0;
        for (int64_t i = 0; i < 3; ++i) e += q(s, i) * k(t, i);
        acc += e * v(t, c);
      }
      y(s, c) = acc;
    }
  }
}

void triangle(Problem& problem) {
  const auto x = problem.in("x");
  const auto y = problem.out("y"), z = problem.out("z");
  for (int64_t n = 0; n < problem.dim("N"); ++n) {
    double sum = 0;
    for (int64_t i = 0; i < 4; ++i) {
      double most = x(n, i) * x(n, 0);
      for (int64_t j = 0; j <= i; ++j) {
        const double q = x(n, i) * x(n, j);
        sum += i == 2 ? 2 * q + 1 : q;
        most = std::max(most, q);
      }
      z(n, i) = most;
    }
    y(n) = sum;
  }
}

void held_beside(Problem& problem) {
  const auto x = problem.in("x");
  const auto y = problem.out("y"), z = problem.out("z");
  const int64_t T = problem.dim("T");
  for (int64_t s = 0; s < problem.dim("S"); ++s) {
    int64_t a = 0, b = 0;
    for (int64_t t = 0; t < std::min(T, s + 1); ++t) {
      a = i32(a * 2 + static_cast<int64_t>(x(t)));
      b = i32(b * 3 + static_cast<int64_t>(x(t)));
    }
    y(s) = static_cast<double>(a);
    // `last` has no axis s, so the relation does not concern it.
    z(s) = static_cast<double>(i32(b + (T > 0 ? static_cast<int64_t>(x(T - 1)) : 0)));
  }
}

void parts(Problem& problem) {
  const auto p = problem.in("p"), q = problem.in("q");
  const auto y = problem.out("y"), z = problem.out("z");
  const int64_t T = problem.dim("T");
  for (int64_t s = 0; s < problem.dim("S"); ++s) {
    double sum = 0;
    for (int64_t t = 0; t < T; ++t)
      for (int64_t u = t; u < std::min(T, s + 1); ++u)
        if ((t + s) % 2 == 0) sum += p(s, t) * q(t, u);
    std::optional<double> most;
    for (int64_t v = 0; v < std::min(T, s - 1); ++v) most = most ? std::max(*most, p(s, v)) : p(s, v);
    y(s) = sum;
    z(s) = most.value_or(-5);
  }
}

void signs(Problem& problem) {
  const auto p = problem.in("p");
  const auto y = problem.out("y"), top = problem.out("top"), n = problem.out("n"), one = problem.out("one");
  for (int64_t s = 0; s < problem.dim("S"); ++s) {
    double a = 1, b = 0;
    std::optional<double> most, only;
    for (int64_t t = 0; t < problem.dim("T"); ++t) {
      if (-2 * t >= s - 19) a += p(s, t);
      if (s - 3 * t <= -4 && 30 - 2 * s > -t) most = most ? std::max(*most, p(s, t)) : p(s, t);
      if (5 - t <= 2 * s && 3 - s >= -t && t != s) b += p(s, t);
      if (3 * t == 2 * s - 1) only = p(s, t);
    }
    y(s) = a;
    top(s) = most.value_or(9);
    n(s) = b;
    one(s) = only.value_or(-3);
  }
}

void sized(Problem& problem) {
  const auto p = problem.in("p");
  const auto y = problem.out("y"), z = problem.out("z");
  const int64_t S = problem.dim("S"), T = problem.dim("T"), k = static_cast<int64_t>(problem.scalar("k"));
  for (int64_t s = 0; s < S; ++s) {
    double a = 0, b = 0;
    for (int64_t t = 0; t < T; ++t) {
      if (t * S <= s * T && t + k >= s) a += p(s, t);
      if (2 * t + s > S - T && t < S - s) b += p(s, t);
    }
    y(s) = a;
    z(s) = b;
  }
}

void chain(Problem& problem) {
  const auto p = problem.in("p"), q = problem.in("q");
  const auto y = problem.out("y");
  for (int64_t s = 0; s < problem.dim("S"); ++s) {
    double sum = 0;
    for (int64_t t = 0; t < std::min(problem.dim("T"), s + 1); ++t)
      for (int64_t u = 0; u < std::min(problem.dim("U"), t + 1); ++u)
        if (u + s >= 3 && (t - u) % 3 != 1) sum += p(s, t) * q(t, u);
    y(s) = sum;
  }
}

void below_diagonal(Problem& problem) {
  const auto p = problem.in("p");
  const auto y = problem.out("y"), top = problem.out("top");
  for (int64_t t = 0; t < problem.dim("T"); ++t) {
    double sum = 0;
    std::optional<double> most;
    for (int64_t s = t; s < problem.dim("S"); ++s) {
      sum += p(s, t);
      most = most ? std::max(*most, p(s, t)) : p(s, t);
    }
    y(t) = sum;
    top(t) = most.value_or(-50);
  }
}

}  // namespace

void add_relation_cases(std::vector<Case>& cases) {
  const std::size_t before = cases.size();
  const auto add = [&](const char* kernel, std::vector<std::string> symbols, std::vector<TensorSpec> tensors,
                       void reference(Problem&)) {
    cases.push_back(corner("relations.tsr", kernel, std::move(symbols), std::move(tensors), reference));
  };
  const TensorSpec p = small("p", {"S", "T"});
  add("causal", {"R", "S", "T"},
      {small("p", {"R", "S", "T"}), result("y", {"R", "S"}), result("top", {"R", "S"})}, causal);
  add("windowed", {"S", "T"},
      {p, small("x", {"T"}), result("y", {"S"}), result("top", {"S"}), result("n", {"S"})}, windowed);
  cases.back().scalars = {{"width", "i32", 5}};
  add("band", {"S", "T"}, {p, result("y", {"S"}), result("last", {"S"})}, band);
  add("online", {"S", "T"}, {p, result("y", {"S"}), result("top", {"S"})}, online);
  add("upsampled", {"N"}, {small("x", {"N"}), small("w", {"5"}), result("y", {"M"}), result("n", {"M"})},
      upsampled);
  cases.back().derived = {{"M", [](const Sizes& sizes) { return 2 * sizes.at("N"); }}};
  add("counted_tiles", {"S", "T"}, {p, result("y", {"S", "Q"}), result("z", {"S"})}, counted_tiles);
  cases.back().derived = {{"Q", [](const Sizes& sizes) { return (sizes.at("T") + 3) / 4; }}};
  add("one_at_a_time", {"S", "T"}, {p, result("y", {"S"})}, one_at_a_time);
  add("rounds", {"S", "T"}, {p, result("y", {"S"}), result("z", {"S"})}, rounds);
  add("before_one", {"T", "S"}, {small("x", {"T"}), result("y", {"S"}), result("z", {"S"})}, before_one);
  add("pairs", {"R", "N"}, {small("x", {"R", "N"}), result("y", {"R"})}, pairs);
  add("met_before", {"S", "T"}, {p, result("y", {})}, met_before);
  add("attended", {"S", "T"},
      {small("q", {"S", "3"}), small("k", {"T", "3"}), small("v", {"T", "4"}), result("y", {"S", "4"})},
      attended);
  add("triangle", {"N"}, {small("x", {"N", "4"}), result("y", {"N"}), result("z", {"N", "4"})}, triangle);
  add("held_beside", {"S", "T"}, {small("x", {"T"}), result("y", {"S"}), result("z", {"S"})}, held_beside);
  add("parts", {"S", "T"}, {p, small("q", {"T", "T"}), result("y", {"S"}), result("z", {"S"})}, parts);
  add("signs", {"S", "T"},
      {p, result("y", {"S"}), result("top", {"S"}), result("n", {"S"}), result("one", {"S"})}, signs);
  add("sized", {"S", "T"}, {p, result("y", {"S"}), result("z", {"S"})}, sized);
  cases.back().scalars = {{"k", "i32", 2}};
  add("chain", {"S", "T", "U"}, {p, small("q", {"T", "U"}), result("y", {"S"})}, chain);
  add("below_diagonal", {"S", "T"}, {p, result("y", {"T"}), result("top", {"T"})}, below_diagonal);
  // Loops of three levels take long on a host.
  for (std::size_t k = before; k < cases.size(); ++k) cases[k].problems = 9;
}

}  // namespace tessera::reference
