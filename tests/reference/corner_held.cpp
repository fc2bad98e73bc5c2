// SPDX-License-Identifier: Apache-2.0
// Plain loops of tests/corners/held.tsr.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "corners.h"

namespace tessera::reference {

using std::int64_t;

namespace {

double i32(double value) {
  return static_cast<double>(static_cast<std::int32_t>(static_cast<int64_t>(value)));
}

/// The greatest of `term(k)` for k below `count`, which is not 0.
template <class Term>
double greatest(int64_t count, Term term) {
  double most = term(0);
  for (int64_t k = 1; k < count; ++k) most = std::max<double>(most, term(k));
  return most;
}

void folded_rows(Problem& problem) {
  const auto x = problem.in("x"), w = problem.in("w");
  const auto y = problem.out("y"), z = problem.out("z");
  const int64_t D = problem.dim("D");
  for (int64_t t = 0; t < problem.dim("T"); ++t) {
    for (int64_t h = 0; h < problem.dim("H"); ++h) {
      const double all = total(D, [&](int64_t d) { return x(t, h, d) * w(d); });
      for (int64_t d = 0; d < D; ++d) y(t, h, d) = x(t, h, d) * all - w(d);
      z(t, h) = all;
    }
  }
}

void rows_of_two(Problem& problem) {
  const auto x = problem.in("x"), v = problem.in("v");
  const auto y = problem.out("y"), z = problem.out("z"), w = problem.out("w");
  const int64_t H = problem.dim("H"), D = problem.dim("D");
  for (int64_t t = 0; t < problem.dim("T"); ++t) {
    for (int64_t h = 0; h < H; ++h) {
      const double most = greatest(D, [&](int64_t d) { return x(t, h, d); });
      for (int64_t d = 0; d < D; ++d) y(t, h, d) = x(t, h, d) * most;
    }
    for (int64_t g = 0; g < problem.dim("G"); ++g) {
      const double least = -greatest(D, [&](int64_t d) { return -v(t, g, d); });
      for (int64_t d = 0; d < D; ++d) z(t, g, d) = v(t, g, d) - least;
    }
    for (int64_t d = 0; d < D; ++d) w(t, d) = total(H, [&](int64_t h) { return x(t, h, d); });
  }
}

void rows_folded_twice(Problem& problem) {
  const auto x = problem.in("x");
  const auto y = problem.out("y"), z = problem.out("z");
  const int64_t C = problem.dim("C");
  for (int64_t r = 0; r < problem.dim("R"); ++r) {
    double all[6], far[6];
    for (int64_t k = 0; k < 6; ++k) {
      all[k] = total(C, [&](int64_t c) { return x(r, k, c); });
      far[k] = greatest(C, [&](int64_t c) { return x(r, k, c) * 3 - all[k]; });
      for (int64_t c = 0; c < C; ++c) y(r, k, c) = x(r, k, c) * far[k] - all[k];
    }
    for (int64_t c = 0; c < C; ++c)
      z(r, c) = total(6, [&](int64_t k) { return x(r, k, c) * all[k]; }) +
                greatest(6, [&](int64_t k) { return far[k] - x(r, k, c); });
  }
}

void held_scores(Problem& problem) {
  const auto q = problem.in("q"), k = problem.in("k"), v = problem.in("v");
  const auto y = problem.out("y"), z = problem.out("z");
  const int64_t S = problem.dim("S"), D = problem.dim("D");
  for (int64_t b = 0; b < problem.dim("B"); ++b) {
    std::vector<double> sums(static_cast<std::size_t>(D), 0), score(static_cast<std::size_t>(S));
    double top = -100000, all = 0;
    for (int64_t s = 0; s < S; ++s)
      score[static_cast<std::size_t>(s)] = total(D, [&](int64_t d) { return q(b, d) * k(b, s, d); });
    for (int64_t first = 0; first < S; first += 24) {
      const int64_t end = std::min<int64_t>(first + 24, S);
      for (int64_t s = first; s < end; ++s) top = std::max(top, score[static_cast<std::size_t>(s)]);
      for (int64_t s = first; s < end; ++s) {
        const double weight = top - score[static_cast<std::size_t>(s)];
        all = i32(all + weight);
        for (int64_t d = 0; d < D; ++d) sums[static_cast<std::size_t>(d)] += weight * v(b, s, d);
      }
    }
    for (int64_t d = 0; d < D; ++d) y(b, d) = i32(sums[static_cast<std::size_t>(d)]);
    z(b) = all;
  }
}

void scores_of_some(Problem& problem) {
  const auto k = problem.in("k"), v = problem.in("v");
  const auto y = problem.out("y");
  const int64_t S = problem.dim("S"), D = problem.dim("D");
  for (int64_t b = 0; b < problem.dim("B"); ++b) {
    std::vector<double> sums(static_cast<std::size_t>(D), 1);
    for (int64_t s = 0; s < S; ++s) {
      std::optional<double> most;
      for (int64_t d = 0; d < D; ++d)
        if (k(b, s, d) > 7) most = std::max(most.value_or(INT32_MIN), k(b, s, d) - v(b, s, d));
      for (int64_t d = 0; d < D; ++d) sums[static_cast<std::size_t>(d)] += most.value_or(-3) * v(b, s, d);
    }
    for (int64_t d = 0; d < D; ++d) y(b, d) = sums[static_cast<std::size_t>(d)];
  }
}

void scores_of_state(Problem& problem) {
  const auto k = problem.in("k"), v = problem.in("v");
  const auto y = problem.out("y");
  const int64_t S = problem.dim("S"), D = problem.dim("D");
  for (int64_t b = 0; b < problem.dim("B"); ++b) {
    std::vector<int64_t> state(static_cast<std::size_t>(D), 1), next;
    for (int64_t first = 0; first < S; first += 5) {
      next.clear();
      for (const int64_t value : state) next.push_back(value & 15);
      for (int64_t s = first; s < std::min<int64_t>(first + 5, S); ++s) {
        int64_t score = 0;
        for (int64_t d = 0; d < D; ++d)
          score += state[static_cast<std::size_t>(d)] * static_cast<int64_t>(k(b, s, d));
        for (int64_t d = 0; d < D; ++d)
          next[static_cast<std::size_t>(d)] += (score & 7) * static_cast<int64_t>(v(b, s, d));
      }
      state = next;
    }
    for (int64_t d = 0; d < D; ++d) y(b, d) = static_cast<double>(state[static_cast<std::size_t>(d)]);
  }
}

void picked_rows(Problem& problem) {
  const auto x = problem.in("x");
  const auto y = problem.out("y"), z = problem.out("z");
  const int64_t C = problem.dim("C");
  for (int64_t r = 0; r < problem.dim("R"); ++r) {
    double all[6];
    for (int64_t k = 0; k < 6; ++k) all[k] = total(C, [&](int64_t c) { return x(r, k, c); });
    for (int64_t c = 0; c < C; ++c) {
      for (int64_t k = 0; k < 6; ++k) y(r, k, c) = x(r, k, c) * (all[0] - all[5]) + all[k];
      z(r, c) = x(r, 3, c) * all[2];
    }
  }
}

void rows_of_rows(Problem& problem) {
  const auto x = problem.in("x");
  const auto y = problem.out("y"), z = problem.out("z");
  const int64_t D = problem.dim("D");
  for_matrix(problem.dim("T"), problem.dim("G"), [&](int64_t t, int64_t g) {
    double least = INT32_MAX;
    for (int64_t h = 0; h < problem.dim("H"); ++h) {
      const double most = greatest(D, [&](int64_t d) { return x(t, g, h, d); });
      for (int64_t d = 0; d < D; ++d) y(t, g, h, d) = x(t, g, h, d) - most;
      least = std::min(least, most);
    }
    z(t, g) = least;
  });
}

void rows_of_tile(Problem& problem) {
  const auto x = problem.in("x");
  const auto y = problem.out("y"), z = problem.out("z");
  const int64_t R = problem.dim("R"), C = problem.dim("C");
  for (int64_t first = 0; first < R; first += 16) {
    const int64_t count = std::min<int64_t>(16, R - first);
    const auto all = [&](int64_t r) { return total(C, [&](int64_t c) { return x(first + r, c); }); };
    const double of_tile = total(count, all);
    for (int64_t r = 0; r < count; ++r) {
      z(first + r) = all(r);
      for (int64_t c = 0; c < C; ++c) y(first + r, c) = x(first + r, c) * all(r) - of_tile;
    }
  }
}

void rows_beside_lanes(Problem& problem) {
  const auto x = problem.in("x"), w = problem.in("w");
  const auto y = problem.out("y"), z = problem.out("z");
  const int64_t H = problem.dim("H"), C = problem.dim("C"), D = problem.dim("D");
  for (int64_t t = 0; t < problem.dim("T"); ++t) {
    y(t) = total(H, [&](int64_t h) {
      const double most = greatest(C, [&](int64_t c) { return x(t, h, c); });
      return total(D, [&](int64_t d) { return most * w(d, h); });
    });
    const auto of_row = [&](int64_t h) {
      const double least = -greatest(C, [&](int64_t c) { return -x(t, h, c); });
      return total(D, [&](int64_t d) { return w(d, h) - least; });
    };
    z(t) = H == 0 ? 5 : greatest(H, of_row);
  }
}

/// Problems of many short rows, each of which has a unit, take the twin long.
constexpr std::size_t kUnits = 12;

bool is_short(const Sizes& sizes) { return sizes.at("D") >= 1 && sizes.at("D") <= 260; }

bool is_short_and_small(const Sizes& sizes) { return is_short(sizes) && few_terms(sizes); }

bool has_few_elements(const Sizes& sizes) { return sizes.at("D") >= 1 && few_terms(sizes); }

}  // namespace

void add_held_cases(std::vector<Case>& cases) {
  cases.push_back(corner(
      "held.tsr", "folded_rows", {"T", "H", "D"},
      {small("x", {"T", "H", "D"}), small("w", {"D"}), result("y", {"T", "H", "D"}), result("z", {"T", "H"})},
      folded_rows));
  cases.back().problems = kUnits;
  cases.push_back(
      corner("held.tsr", "rows_of_two", {"T", "H", "G", "D"},
             {small("x", {"T", "H", "D"}), small("v", {"T", "G", "D"}), result("y", {"T", "H", "D"}),
              result("z", {"T", "G", "D"}), result("w", {"T", "D"})},
             rows_of_two));
  cases.back().allowed = has_few_elements;
  cases.back().problems = kUnits;
  cases.push_back(corner("held.tsr", "rows_folded_twice", {"R", "C"},
                         {small("x", {"R", "6", "C"}), result("y", {"R", "6", "C"}), result("z", {"R", "C"})},
                         rows_folded_twice));
  cases.back().allowed = has_columns;
  cases.push_back(corner("held.tsr", "held_scores", {"B", "S", "D"},
                         {small("q", {"B", "D"}), small("k", {"B", "S", "D"}), small("v", {"B", "S", "D"}),
                          result("y", {"B", "D"}), result("z", {"B"})},
                         held_scores));
  cases.back().allowed = is_short;
  cases.push_back(corner("held.tsr", "scores_of_some", {"B", "S", "D"},
                         {small("k", {"B", "S", "D"}), small("v", {"B", "S", "D"}), result("y", {"B", "D"})},
                         scores_of_some));
  cases.back().allowed = is_short;
  cases.push_back(corner("held.tsr", "scores_of_state", {"B", "S", "D"},
                         {small("k", {"B", "S", "D"}), small("v", {"B", "S", "D"}), result("y", {"B", "D"})},
                         scores_of_state));
  cases.back().allowed = is_short_and_small;
  cases.push_back(corner("held.tsr", "picked_rows", {"R", "C"},
                         {small("x", {"R", "6", "C"}), result("y", {"R", "6", "C"}), result("z", {"R", "C"})},
                         picked_rows));
  cases.push_back(
      corner("held.tsr", "rows_of_rows", {"T", "G", "H", "D"},
             {small("x", {"T", "G", "H", "D"}), result("y", {"T", "G", "H", "D"}), result("z", {"T", "G"})},
             rows_of_rows));
  cases.back().allowed = [](const Sizes& sizes) { return has_few_elements(sizes) && sizes.at("H") >= 1; };
  cases.back().problems = kUnits;
  cases.push_back(corner("held.tsr", "rows_of_tile", {"R", "C"},
                         {small("x", {"R", "C"}), result("y", {"R", "C"}), result("z", {"R"})},
                         rows_of_tile));
  cases.push_back(
      corner("held.tsr", "rows_beside_lanes", {"T", "H", "C", "D"},
             {small("x", {"T", "H", "C"}), small("w", {"D", "H"}), result("y", {"T"}), result("z", {"T"})},
             rows_beside_lanes));
  cases.back().allowed = has_columns;
}

}  // namespace tessera::reference
