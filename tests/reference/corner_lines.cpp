// SPDX-License-Identifier: Apache-2.0
// Plain loops of tests/corners/lines.tsr.
#include <algorithm>
#include <cstdint>

#include "corners.h"

namespace tessera::reference {

using std::int64_t;

namespace {

void weighted_rest(Problem& problem) {
  const auto x = problem.in("x"), w = problem.in("w");
  const auto y = problem.out("y");
  double weight = 0;
  for (int64_t c = 0; c < problem.dim("C"); ++c) weight += w(c);
  for (int64_t r = 0; r < problem.dim("R"); ++r) {
    double sum = 0;
    for (int64_t c = 0; c < problem.dim("C"); ++c) sum += x(r, c) * w(c);
    for (int64_t c = 0; c < problem.dim("C"); ++c) y(r, c) = x(r, c) * weight - sum;
  }
}

void narrow_rows(Problem& problem) {
  const auto x = problem.in("x"), p = problem.in("p"), g = problem.in("g");
  const auto y = problem.out("y"), z = problem.out("z"), top = problem.out("top"), most = problem.out("most");
  const int64_t R = problem.dim("R"), C = problem.dim("C");
  const auto i16 = [](double value) {
    return static_cast<double>(static_cast<std::int16_t>(static_cast<int64_t>(value)));
  };
  for (int64_t r = 0; r < R; ++r) {
    int64_t best = 0;
    double greatest = -32768;
    for (int64_t c = 0; c < C; ++c) {
      const double left = c >= 1 ? x(r, c - 1) : 0, right = c + 2 < C ? x(r, c + 2) : 5;
      const double below = p(around(r + 1, R), around(c - 3, C));
      y(r, c) = i16(left + 2 * x(r, c) + right + p(r, around(c + 1, C)) - below * g(c + 1));
      z(r, c) = static_cast<std::uint8_t>(static_cast<int64_t>(x(r, c)));
      if (x(r, c) > x(r, best)) best = c;
      greatest = std::max(greatest, i16(x(r, c) - g(c)));
    }
    top(r) = static_cast<double>(best);
    most(r) = greatest;
  }
}

void byte_windows(Problem& problem) {
  const auto x = problem.in("x");
  const auto y = problem.out("y"), n = problem.out("n");
  const int64_t H = problem.dim("H"), W = problem.dim("W");
  const auto at = [&](int64_t h, int64_t w, double other) {
    return h >= 0 && h < H && w >= 0 && w < W ? x(h, w) : other;
  };
  for (int64_t h = 0; h < H; ++h) {
    for (int64_t w = 0; w < W; ++w) {
      const double sum = at(h - 1, w, 7) + at(h, w - 1, 9) - x(h, w);
      y(h, w) = static_cast<std::uint8_t>(static_cast<int64_t>(sum));
      double greater = 0;
      for (int64_t i = -1; i <= 1; ++i)
        for (int64_t j = -1; j <= 1; ++j) greater += at(h + i, w + j, 0) > x(h, w) ? 1 : 0;
      n(h, w) = greater;
    }
  }
}

void first_and_last(Problem& problem) {
  const auto x = problem.in("x"), p = problem.in("p"), q = problem.in("q");
  const auto y = problem.out("y"), z = problem.out("z"), w = problem.out("w");
  const int64_t C = problem.dim("C");
  for (int64_t r = 0; r < problem.dim("R"); ++r) {
    double sum = 0;
    for (int64_t c = 0; c < C; ++c) {
      y(r, c) = x(r, c) + p(around(3, C)) - q(C - 1);
      sum += x(r, c);
    }
    z(r) = sum;
    w(r) = C > 0 ? p(around(2, C)) : 8;
  }
}

void shared_by_tile(Problem& problem) {
  const auto x = problem.in("x"), b = problem.in("b");
  const auto y = problem.out("y");
  for (int64_t r = 0; r < problem.dim("R"); ++r) {
    for (int64_t c = 0; c < problem.dim("C"); ++c) {
      const double v = 3 * (3 * b(c) + x(r, c)) + x(r, c);
      y(r, c) = static_cast<double>(static_cast<std::int16_t>(static_cast<int64_t>(v - b(c))));
    }
  }
}

void short_windows(Problem& problem) {
  const auto x = problem.in("x"), p = problem.in("p"), q = problem.in("q");
  const auto y = problem.out("y"), z = problem.out("z");
  const int64_t X = problem.dim("X"), P = problem.dim("P");
  for (int64_t w = 0; w < problem.dim("W"); ++w) {
    const double sum = (w < X ? x(w) : 3) + (w + 1 < X ? x(w + 1) : 5);
    y(w) = static_cast<std::uint8_t>(static_cast<int64_t>(sum));
    z(w) = p(around(w + 1, P)) - p(around(w - 1, P)) + q(2 * w);
  }
}

void counted(Problem& problem) {
  const auto x = problem.in("x");
  const auto y = problem.out("y");
  for (int64_t h = 0; h < problem.dim("H"); ++h)
    for (int64_t w = 0; w < problem.dim("W"); ++w)
      y(h, w) = static_cast<std::uint8_t>(static_cast<int64_t>(x(h, w) + 6));
}

void long_steps(Problem& problem) {
  const auto x = problem.in("x");
  const auto y = problem.out("y"), n = problem.out("n");
  const int64_t C = problem.dim("C");
  for (int64_t r = 0; r < problem.dim("R"); ++r) {
    double high = -1000, score = 0, all = 0;
    for (int64_t first = 0; first < C; first += 3000) {
      const int64_t end = std::min<int64_t>(first + 3000, C);
      double sum = 0;
      for (int64_t c = first; c < end; ++c) high = std::max(high, x(r, c));
      for (int64_t c = first; c < end; ++c) sum += x(r, c) * high;
      for (int64_t c = first; c < end; ++c) all += x(r, c);
      score = sum - score;
    }
    y(r) = score;
    n(r) = all;
  }
}

void narrow_columns(Problem& problem) {
  const auto x = problem.in("x"), u = problem.in("u");
  const auto y = problem.out("y"), z = problem.out("z"), w = problem.out("w");
  for (int64_t r = 0; r < problem.dim("R"); ++r) {
    double most = 0, least = 255;
    for (int64_t c = 0; c < problem.dim("C"); ++c) {
      y(r, c) = x(r, c) * 2;
      most = std::max(most, u(c, r));
      least = std::min(least, u(c, r));
    }
    z(r) = most;
    w(r) = least - 100;
  }
}

void filtered_loads(Problem& problem) {
  const auto x = problem.in("x"), c = problem.in("c"), u = problem.in("u");
  const auto y = problem.out("y"), z = problem.out("z");
  const int64_t R = problem.dim("R"), C = problem.dim("C");
  for (int64_t n = 0; n < C; ++n) {
    const double here = c(n) > 0 && n + 1 < R ? u(n + 1) : 0;
    double sum = 0;
    for (int64_t r = 0; r < R; ++r) {
      y(n, r) = (c(n) > 0 && n + 1 < C ? x(r, n + 1) : 0) + here;
      if (x(r, n) > 0 && r + 1 < R) sum += x(r + 1, n);
    }
    z(n) = sum;
  }
}

void counted_part(Problem& problem) {
  const auto y = problem.out("y");
  const int64_t count = std::max<int64_t>(0, std::min<int64_t>(problem.dim("C"), 9) - 3);
  for_matrix(problem.dim("R"), problem.dim("C"),
             [&](int64_t r, int64_t c) { y(r, c) = static_cast<double>(count % 5); });
}

void picked_of_few(Problem& problem) {
  const auto x = problem.in("x");
  const auto y = problem.out("y");
  for (int64_t r = 0; r < problem.dim("R"); ++r) y(r) = x(r, 3) * 2;
}

void long_rows(Problem& problem) {
  constexpr int64_t kLength = 20000;
  const auto x = problem.in("x");
  const auto y = problem.out("y"), z = problem.out("z");
  for (int64_t r = 0; r < problem.dim("R"); ++r) {
    const double all = total(kLength, [&](int64_t c) { return x(r, c) * 3; });
    double most = x(r, 0) * 3;
    for (int64_t c = 0; c < kLength; ++c) {
      most = std::max<double>(most, x(r, c) * 3);
      y(r, c) = x(r, c) * 3 - all;
    }
    z(r) = x(r, 4) * 3 + most;
  }
}

void around_a_loop(Problem& problem) {
  const auto f = problem.in("f"), z = problem.in("z");
  const auto y = problem.out("y"), w = problem.out("w");
  for (int64_t m = 0; m < problem.dim("M"); ++m) {
    const double all = total(problem.dim("K"), [&](int64_t k) { return z(k, m); });
    for (int64_t n = 0; n < problem.dim("N"); ++n) {
      y(m, n) = all * f(n, m);
      w(m, n) = 4 * f(n, m);
    }
  }
}

void beside_state(Problem& problem) {
  const auto x = problem.in("x"), z = problem.in("z");
  const auto y = problem.out("y"), w = problem.out("w");
  for (int64_t r = 0; r < problem.dim("R"); ++r) {
    w(r) = total(problem.dim("D"), [&](int64_t d) { return z(r, d); });
    for (int64_t c = 0; c < problem.dim("C"); ++c) y(r, c) = 15 * x(r, c);
  }
}

}  // namespace

void add_line_cases(std::vector<Case>& cases) {
  cases.push_back(
      corner("lines.tsr", "narrow_columns", {"R", "C"},
             {input("x", "f32", {"R", "C"}, -9, 9), input("u", "u8", {"C", "R"}, 0, 255),
              output("y", "f32", {"R", "C"}), output("z", "u8", {"R"}), output("w", "i16", {"R"})},
             narrow_columns));
  cases.back().allowed = [](const Sizes& sizes) {
    return sizes.at("C") >= 1 && sizes.at("R") * sizes.at("C") <= 2048;
  };
  cases.push_back(corner("lines.tsr", "long_rows", {"R"},
                         {small("x", {"R", "20000"}), result("y", {"R", "20000"}), result("z", {"R"})},
                         long_rows));
  cases.back().allowed = [](const Sizes& sizes) { return sizes.at("R") <= 8; };
  cases.push_back(corner("lines.tsr", "picked_of_few", {"R"}, {small("x", {"R", "4"}), result("y", {"R"})},
                         picked_of_few));
  cases.push_back(corner("lines.tsr", "around_a_loop", {"N", "M", "K"},
                         {input("f", "i16", {"N", "M"}, -9, 9), small("z", {"K", "M"}),
                          result("y", {"M", "N"}), result("w", {"M", "N"})},
                         around_a_loop));
  cases.push_back(
      corner("lines.tsr", "beside_state", {"R", "C", "D"},
             {small("x", {"R", "C"}), small("z", {"R", "D"}), result("y", {"R", "C"}), result("w", {"R"})},
             beside_state));
  cases.back().allowed = [](const Sizes& sizes) { return sizes.at("C") <= 40; };
  cases.push_back(corner("lines.tsr", "filtered_loads", {"R", "C"},
                         {small("x", {"R", "C"}), small("c", {"C"}), small("u", {"R"}),
                          result("y", {"C", "R"}), result("z", {"C"})},
                         filtered_loads));
  cases.push_back(corner("lines.tsr", "counted_part", {"R", "C"},
                         {small("x", {"R", "C"}), result("y", {"R", "C"})}, counted_part));
  cases.push_back(corner("lines.tsr", "long_steps", {"R", "C"},
                         {input("x", "i16", {"R", "C"}, -9, 9), result("y", {"R"}), result("n", {"R"})},
                         long_steps));
  cases.push_back(
      corner("lines.tsr", "short_windows", {"X", "P", "W"},
             {input("x", "u8", {"X"}, 0, 255), input("p", "i16", {"P"}, -300, 300),
              input("q", "i16", {"Q"}, -300, 300), output("y", "u8", {"W"}), output("z", "i16", {"W"})},
             short_windows));
  cases.back().derived = {{"Q", [](const Sizes& sizes) { return 2 * sizes.at("W") - 1; }}};
  cases.back().allowed = [](const Sizes& sizes) { return sizes.at("P") >= 1 && sizes.at("W") >= 1; };
  cases.push_back(corner("lines.tsr", "counted", {"H", "W"},
                         {input("x", "u8", {"H", "W"}, 0, 255), output("y", "u8", {"H", "W"})}, counted));
  cases.push_back(corner("lines.tsr", "shared_by_tile", {"R", "C"},
                         {input("x", "i16", {"R", "C"}, -300, 300), input("b", "i16", {"C"}, -300, 300),
                          output("y", "i16", {"R", "C"})},
                         shared_by_tile));
  cases.push_back(corner("lines.tsr", "first_and_last", {"R", "C"},
                         {small("x", {"R", "C"}), small("p", {"C"}), small("q", {"C"}),
                          result("y", {"R", "C"}), result("z", {"R"}), result("w", {"R"})},
                         first_and_last));
  cases.push_back(corner("lines.tsr", "weighted_rest", {"R", "C"},
                         {small("x", {"R", "C"}), small("w", {"C"}), result("y", {"R", "C"})},
                         weighted_rest));
  cases.push_back(corner("lines.tsr", "narrow_rows", {"R", "C"},
                         {input("x", "i16", {"R", "C"}, -300, 300), input("p", "i16", {"R", "C"}, -300, 300),
                          input("g", "i16", {"G"}, -300, 300), output("y", "i16", {"R", "C"}),
                          output("z", "u8", {"R", "C"}), result("top", {"R"}), output("most", "i16", {"R"})},
                         narrow_rows));
  cases.back().derived = {{"G", [](const Sizes& sizes) { return sizes.at("C") + 1; }}};
  cases.back().allowed = has_columns;
  cases.push_back(
      corner("lines.tsr", "byte_windows", {"H", "W"},
             {input("x", "u8", {"H", "W"}, 0, 255), output("y", "u8", {"H", "W"}), result("n", {"H", "W"})},
             byte_windows));
}

}  // namespace tessera::reference
