// SPDX-License-Identifier: Apache-2.0
// Where parts of the language meet (tests/corners). All of it is integer arithmetic, so it is exact.
#include <algorithm>
#include <cmath>

#include "corners.h"

namespace tessera::reference {
namespace {

using std::int64_t;

/// An i32 after arithmetic that wraps.
int64_t i32(int64_t value) { return static_cast<std::int32_t>(value); }

void held_before(Problem& problem) {
  const auto x = problem.in("x");
  const auto y = problem.out("y"), z = problem.out("z");
  for (int64_t n = 0; n < problem.dim("N"); ++n) {
    const auto given = static_cast<int64_t>(x(n));
    const int64_t old = given * given * given;
    int64_t a = old;
    for (int j = 0; j < 3; ++j) {
      const int64_t t = a;
      for (int k = 0; k < 2; ++k) a = i32(a + old + t);
      a = a ^ t;
    }
    y(n) = static_cast<double>(a);
    z(n) = static_cast<double>(old);
  }
}

void held_before_row(Problem& problem) {
  const auto x = problem.in("x");
  const auto y = problem.out("y");
  for (int64_t r = 0; r < problem.dim("R"); ++r) {
    int64_t most = INT32_MIN, total = 0;
    for (int64_t c = 0; c < problem.dim("C"); ++c) {
      most = std::max(most, static_cast<int64_t>(x(r, c)));
      total += static_cast<int64_t>(x(r, c));
    }
    const int64_t old = 1 + 2 * most, t = i32(total * old);
    y(r) = static_cast<double>(i32(3 * (old + t) + 8 * old + t));
  }
}

void others_of_itself(Problem& problem) {
  const auto x = problem.in("x");
  const auto y = problem.out("y");
  for (int64_t n = 0; n < problem.dim("N"); ++n) {
    int64_t v[3][4];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 4; ++j) v[i][j] = static_cast<int64_t>(x(n, i, j));
    for (int t = 0; t < 2; ++t) {
      for (int j = 0; j < 4; ++j) {
        const int64_t most = std::max({v[0][j], v[1][j], v[2][j]});
        for (auto& row : v) row[j] = i32(row[j] - most);
      }
      for (auto& row : v) {
        const int64_t least = *std::min_element(row, row + 4);
        for (int64_t& element : row) element = i32(element * least + t);
      }
    }
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 4; ++j) y(n, i, j) = static_cast<double>(v[i][j]);
  }
}

void picked(Problem& problem) {
  const auto x = problem.in("x");
  const auto y = problem.out("y"), z = problem.out("z");
  for (int64_t n = 0; n < problem.dim("N"); ++n) {
    int64_t v[4], s = 0;
    for (int i = 0; i < 4; ++i) v[i] = static_cast<int64_t>(x(n, i));
    for (int t = 0; t < 3; ++t) {
      const int64_t most = *std::max_element(v, v + 4), first = v[0];
      for (int64_t& element : v) element = i32(element + first);
      for (int64_t& element : v)
        if (element < most) element = i32(element * 3);
      v[2] = i32(v[1] + most);
      s = std::max(s, i32(v[2] - s));
    }
    for (int i = 0; i < 4; ++i) y(n, i) = static_cast<double>(v[i]);
    z(n) = static_cast<double>(s);
  }
}

void picked_of_many(Problem& problem) {
  const auto x = problem.in("x");
  const auto y = problem.out("y"), z = problem.out("z");
  for (int64_t n = 0; n < problem.dim("N"); ++n) {
    int64_t v[40];
    for (int i = 0; i < 40; ++i) v[i] = static_cast<int64_t>(x(n, i));
    for (int t = 0; t < 2; ++t) {
      const int64_t first = v[0];
      for (int64_t& element : v) element = i32(element * 2 + first);
      const int64_t late = v[33];
      for (int64_t& element : v) element = i32(element - late);
    }
    v[5] = 1;
    for (int i = 0; i < 40; ++i) y(n, i) = static_cast<double>(v[i]);
    z(n) = static_cast<double>(v[39]);
  }
}

void running_top(Problem& problem) {
  const auto x = problem.in("x");
  const auto y = problem.out("y"), top = problem.out("top");
  for (int64_t r = 0; r < problem.dim("R"); ++r) {
    int64_t highest = -1000;
    for (int64_t t = 0; t < problem.dim("T"); ++t) {
      int64_t s = 0;
      for (int64_t c = 0; c < problem.dim("C"); ++c) s += static_cast<int64_t>(x(r, t, c));
      highest = std::max(highest, s);
      y(r, t) = static_cast<double>(s - highest);
    }
    top(r) = static_cast<double>(highest);
  }
}

void folded_behind_loop(Problem& problem) {
  const auto x = problem.in("x"), p = problem.in("p");
  const auto y = problem.out("y"), z = problem.out("z");
  for (int64_t r = 0; r < problem.dim("R"); ++r) {
    double squares = 0;
    for (int64_t c = 0; c < problem.dim("C"); ++c) squares += p(r, c) * p(r, c);
    z(r) = squares;
    for (int64_t t = 0; t < problem.dim("T"); ++t) {
      double sum = 0;
      for (int64_t c = 0; c < problem.dim("C"); ++c) sum += x(r, t, c);
      y(r, t) = sum;
    }
  }
}

void blocks(Problem& problem) {
  const auto x = problem.in("x");
  const auto y = problem.out("y"), ends = problem.out("ends");
  for (int64_t p = 0; p < problem.dim("P"); ++p) {
    for (int64_t q = 0; q < problem.dim("Q"); ++q) {
      const int64_t a_end = std::min(3 * p + 3, problem.dim("A"));
      const int64_t b_end = std::min(5 * q + 5, problem.dim("B"));
      int64_t sum = 0;
      for (int64_t a = 3 * p; a < a_end; ++a)
        for (int64_t b = 5 * q; b < b_end; ++b) sum += static_cast<int64_t>(x(a, b));
      y(p, q) = static_cast<double>(sum);
      ends(p, q) = static_cast<double>(i32(a_end * 1000 + b_end + (b_end - 5 * q) * 5 * q));
    }
  }
}

void column_state(Problem& problem) {
  const auto x = problem.in("x");
  const auto y = problem.out("y"), z = problem.out("z");
  for (int64_t r = 0; r < problem.dim("R"); ++r) {
    int64_t s = 0;
    for (int64_t c = 0; c < problem.dim("C"); ++c) {
      const auto given = static_cast<int64_t>(x(c, r));
      int64_t a = given;
      for (int j = 0; j < 2; ++j) a = i32(a * a + given);
      s = i32(s + a);
      z(c, r) = static_cast<double>(a);
    }
    y(r) = static_cast<double>(s);
  }
}

void large_tiles(Problem& problem) {
  const auto u = problem.in("u"), v = problem.in("v"), w = problem.in("w");
  const auto y = problem.out("y");
  for (int64_t r = 0; r < problem.dim("R"); ++r)
    for (int64_t c = 0; c < problem.dim("C"); ++c) y(r, c) = u(c, r) * 3 - v(c, r) * w(c, r);
}

void five_rows(Problem& problem) {
  const auto x = problem.in("x");
  const auto y = problem.out("y"), z = problem.out("z");
  const int64_t C = problem.dim("C");
  const auto e = [&](int64_t r, int64_t k, int64_t c) {
    double most = x(r, 0, c);
    for (int64_t other = 1; other < 5; ++other) most = std::max(most, x(r, other, c));
    return static_cast<int64_t>(x(r, k, c) - most);
  };
  for (int64_t r = 0; r < problem.dim("R"); ++r) {
    int64_t most[5], least[5];
    for (int64_t k = 0; k < 5; ++k) {
      most[k] = INT32_MIN, least[k] = INT32_MAX;
      for (int64_t c = 0; c < C; ++c) {
        most[k] = std::max(most[k], e(r, k, c));
        least[k] = std::min(least[k], e(r, k, c));
      }
    }
    for (int64_t c = 0; c < C; ++c) {
      int64_t best = INT32_MIN;
      for (int64_t k = 0; k < 5; ++k) {
        y(r, k, c) = static_cast<double>(e(r, k, c) * most[k]);
        best = std::max(best, e(r, k, c) * least[k]);
      }
      z(r, c) = static_cast<double>(best);
    }
  }
}

void both_dimensions(Problem& problem) {
  const auto x = problem.in("x");
  const auto y = problem.out("y"), z = problem.out("z"), w = problem.out("w");
  const auto C = static_cast<std::size_t>(problem.dim("C")), D = static_cast<std::size_t>(problem.dim("D"));
  for (int64_t r = 0; r < problem.dim("R"); ++r) {
    std::vector<double> m(D, INT32_MIN), k(C, INT32_MIN);
    for (std::size_t c = 0; c < C; ++c) {
      for (std::size_t d = 0; d < D; ++d) {
        const double element = x(r, static_cast<int64_t>(c), static_cast<int64_t>(d));
        m[d] = std::max(m[d], element);
        k[c] = std::max(k[c], element);
      }
    }
    const double least_m = *std::min_element(m.begin(), m.end());
    const double least_k = *std::min_element(k.begin(), k.end());
    for (std::size_t c = 0; c < C; ++c) z(r, static_cast<int64_t>(c)) = k[c] - least_m;
    for (std::size_t d = 0; d < D; ++d) w(r, static_cast<int64_t>(d)) = m[d] - least_k;
    for (int64_t c = 0; c < problem.dim("C"); ++c)
      for (int64_t d = 0; d < problem.dim("D"); ++d)
        y(r, c, d) = x(r, c, d) - m[static_cast<std::size_t>(d)] - k[static_cast<std::size_t>(c)];
  }
}

void later_wins(Problem& problem) {
  const auto x = problem.in("x");
  const auto y = problem.out("y");
  for (int64_t r = 0; r < problem.dim("R"); ++r) {
    double most = INT32_MIN;
    for (int64_t c = 1; c < problem.dim("C"); ++c) most = std::max(most, x(r, c));
    for (int64_t c = 0; c < problem.dim("C"); ++c) {
      double value = c > 0 ? x(r, c - 1) : 0;
      if (x(r, c) > 3 && problem.dim("C") > 1) value = most;
      y(r, c) = value;
    }
  }
}

void interleaved(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b");
  const auto y = problem.out("y"), z = problem.out("z");
  for (int64_t n = 0; n < problem.dim("N"); ++n) {
    y(2 * n) = a(n) + b(n);
    y(2 * n + 1) = a(n) - b(n);
    z(0, n) = a(n);
    z(1, n) = b.has(n + 1) ? std::max(a(n), b(n + 1)) : b(n);
  }
}

void step_beside_row(Problem& problem) {
  const auto x = problem.in("x"), b = problem.in("b");
  const auto z = problem.out("z");
  const int64_t C = problem.dim("C");
  for (int64_t r = 0; r < problem.dim("R"); ++r) {
    double most = 0, all = 0;
    for (int64_t first = 0; first < C; first += 7) {
      double sum = 0;
      for (int64_t c = first; c < std::min(first + 7, C); ++c) sum += b(c) - 3 * x(r, c);
      most = std::max(most, sum);
    }
    for (int64_t c = 0; c < C; ++c) all += x(r, c);
    z(r) = most + all;
  }
}

void kept_in_loop(Problem& problem) {
  const auto x = problem.in("x"), p = problem.in("p"), g = problem.in("g");
  const auto y = problem.out("y");
  const int64_t C = problem.dim("C");
  for (int64_t r = 0; r < problem.dim("R"); ++r) {
    for (int64_t c = 0; c < C; ++c) {
      const double e = std::abs(c >= 1 ? x(r, c - 1) : 1) - x(r, c);
      bool any = false;
      for (int64_t w = 0; w < 3; ++w) any = any || p(r, around(c - w, C)) + static_cast<double>(w) > e;
      double v = x(r, c);
      for (int j = 0; j < 2; ++j) v = std::max(v + e, any ? g(r) : -3);
      y(r, c) = v - e;
    }
  }
}

/// A round of a loop takes the twin as long as the threads of its block, however short the line is that they fold.
bool few_rounds(const Sizes& sizes) { return sizes.at("R") * sizes.at("T") <= 10000; }

void sums_of_extremes(Problem& problem) {
  const auto x = problem.in("x"), g = problem.in("g");
  const auto y = problem.out("y"), z = problem.out("z");
  for (int64_t r = 0; r < problem.dim("R"); ++r) {
    double most = problem.dim("C") > 0 ? g(r) : -9;
    for (int64_t c = 0; c < problem.dim("C"); ++c) most = std::max(most, x(r, c));
    y(r) = total(problem.dim("C"), [&](int64_t c) { return std::abs(g(r) - x(r, c)); });
    z(r) = most;
  }
}

void add_state_cases(std::vector<Case>& cases) {
  cases.push_back(corner("state.tsr", "sums_of_extremes", {"R", "C"},
                         {input("x", "f32", {"R", "C"}, -9, 9, 1), input("g", "f32", {"R"}, -9, 9, 1),
                          output("y", "f32", {"R"}), output("z", "f32", {"R"})},
                         sums_of_extremes));
  cases.push_back(corner("state.tsr", "held_before", {"N"},
                         {small("x", {"N"}), result("y", {"N"}), result("z", {"N"})}, held_before));
  cases.push_back(corner("state.tsr", "held_before_row", {"R", "C"},
                         {small("x", {"R", "C"}), result("y", {"R"})}, held_before_row));
  cases.back().allowed = has_columns;
  cases.push_back(
      corner("state.tsr", "kept_in_loop", {"R", "C"},
             {small("x", {"R", "C"}), small("p", {"R", "C"}), small("g", {"R"}), result("y", {"R", "C"})},
             kept_in_loop));
  cases.push_back(corner("state.tsr", "others_of_itself", {"N"},
                         {small("x", {"N", "3", "4"}), result("y", {"N", "3", "4"})}, others_of_itself));
  cases.push_back(corner("state.tsr", "picked", {"N"},
                         {small("x", {"N", "4"}), result("y", {"N", "4"}), result("z", {"N"})}, picked));
  cases.push_back(corner("state.tsr", "picked_of_many", {"N"},
                         {small("x", {"N", "40"}), result("y", {"N", "40"}), result("z", {"N"})},
                         picked_of_many));
  cases.push_back(corner("state.tsr", "running_top", {"R", "T", "C"},
                         {small("x", {"R", "T", "C"}), result("y", {"R", "T"}), result("top", {"R"})},
                         running_top));
  cases.back().allowed = few_rounds;
  cases.push_back(corner(
      "state.tsr", "folded_behind_loop", {"R", "T", "C"},
      {small("x", {"R", "T", "C"}), small("p", {"R", "C"}), result("y", {"R", "T"}), result("z", {"R"})},
      folded_behind_loop));
  cases.back().allowed = few_rounds;
}

void folds_in_both_orders(Problem& problem) {
  const auto x = problem.in("x"), u = problem.in("u"), v = problem.in("v");
  const auto y = problem.out("y"), z = problem.out("z");
  double all_u = 0, all_v = 0;
  for (int64_t k = 0; k < 3; ++k) all_u += u(k);
  for (int64_t l = 0; l < 20; ++l) all_v += v(l);
  for (int64_t i = 0; i < problem.dim("N"); ++i) {
    for (int64_t j = 0; j < problem.dim("P"); ++j) {
      y(i, j) = (20 * x(i, j) + all_v) * all_u;
      z(i, j) = 20 * x(i, j) * all_u - all_v;
    }
  }
}

void state_from_rows(Problem& problem) {
  const auto x = problem.in("x"), z = problem.in("z"), u = problem.in("u");
  const auto y = problem.out("y");
  const int64_t rows = problem.dim("R"), depth = problem.dim("D");
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < problem.dim("C"); ++c)
      for (int64_t n = 0; n < rows; ++n)
        for (int64_t d = 0; d < depth; ++d)
          y(r, c, n, d) =
              u(d, r, n, c) >= z(r, n, d, c) ? 1 : x(r, c) + static_cast<double>((depth + 15) / 16);
}

void add_tile_cases(std::vector<Case>& cases) {
  constexpr std::size_t kSlowProblems = 6;  // of what takes long on a host
  cases.push_back(corner("tiles.tsr", "blocks", {"A", "B"},
                         {small("x", {"A", "B"}), result("y", {"P", "Q"}), result("ends", {"P", "Q"})},
                         blocks));
  cases.back().derived = {{"P", [](const Sizes& sizes) { return (sizes.at("A") + 2) / 3; }},
                          {"Q", [](const Sizes& sizes) { return (sizes.at("B") + 4) / 5; }}};
  cases.push_back(corner("tiles.tsr", "column_state", {"C", "R"},
                         {small("x", {"C", "R"}), result("y", {"R"}), result("z", {"C", "R"})},
                         column_state));
  cases.push_back(corner("tiles.tsr", "step_beside_row", {"R", "C"},
                         {small("x", {"R", "C"}), small("b", {"C"}), result("z", {"R"})}, step_beside_row));
  cases.back().problems = kSlowProblems;
  cases.push_back(corner("tiles.tsr", "large_tiles", {"R", "C"},
                         {small("u", {"C", "R"}), input("v", "i8", {"C", "R"}), input("w", "i8", {"C", "R"}),
                          result("y", {"R", "C"})},
                         large_tiles));
  cases.push_back(corner("tiles.tsr", "state_from_rows", {"R", "C", "D"},
                         {small("x", {"R", "C"}), small("z", {"R", "R", "D", "C"}),
                          small("u", {"D", "R", "R", "C"}), result("y", {"R", "C", "R", "D"})},
                         state_from_rows));
  cases.back().problems = kSlowProblems;
  cases.push_back(corner("tiles.tsr", "five_rows", {"R", "C"},
                         {small("x", {"R", "5", "C"}), result("y", {"R", "5", "C"}), result("z", {"R", "C"})},
                         five_rows));
  cases.back().allowed = has_columns;
  cases.back().problems = kSlowProblems;
  cases.push_back(corner("tiles.tsr", "both_dimensions", {"R", "C", "D"},
                         {small("x", {"R", "C", "D"}), result("y", {"R", "C", "D"}), result("z", {"R", "C"}),
                          result("w", {"R", "D"})},
                         both_dimensions));
  cases.back().allowed = [](const Sizes& sizes) { return has_columns(sizes) && sizes.at("D") >= 1; };
  cases.push_back(corner("tiles.tsr", "folds_in_both_orders", {"N", "P"},
                         {small("x", {"N", "P"}), small("u", {"3"}), small("v", {"20"}),
                          result("y", {"N", "P"}), result("z", {"N", "P"})},
                         folds_in_both_orders));
}

}  // namespace

void add_corner_cases(std::vector<Case>& cases) {
  add_state_cases(cases);
  add_tile_cases(cases);
  add_double_cases(cases);
  add_beside_cases(cases);
  add_early_cases(cases);
  add_held_cases(cases);
  add_held_row_cases(cases);
  add_line_fold_cases(cases);
  add_line_cases(cases);
  add_product_cases(cases);
  add_contraction_cases(cases);
  add_turned_cases(cases);
  add_warpgroup_cases(cases);
  add_computed_factor_cases(cases);
  add_number_cases(cases);
  add_relation_cases(cases);
  cases.push_back(corner("stores.tsr", "later_wins", {"R", "C"},
                         {small("x", {"R", "C"}), result("y", {"R", "C"})}, later_wins));
  cases.push_back(corner("stores.tsr", "interleaved", {"N"},
                         {small("a", {"N"}), small("b", {"N"}), result("y", {"M"}), result("z", {"2", "N"})},
                         interleaved));
  cases.back().derived = {{"M", [](const Sizes& sizes) { return 2 * sizes.at("N"); }}};
}

}  // namespace tessera::reference
