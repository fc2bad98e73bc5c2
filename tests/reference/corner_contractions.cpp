// SPDX-License-Identifier: Apache-2.0
// Plain loops of tests/corners/contractions.tsr.
#include <algorithm>
#include <cstdint>

#include "corners.h"

namespace tessera::reference {

namespace {

void padded_convolution(Problem& problem) {
  const auto x = problem.in("x"), w = problem.in("w");
  const auto y = problem.out("y");
  const int64_t H = problem.dim("H"), W = problem.dim("W");
  const auto pixel = [&](int64_t i, int64_t j, int64_t f, int64_t r, int64_t q) {
    const int64_t h = 2 * i + r - 1, v = 2 * j + q - 1;
    if (h < 0 || h >= H || v < 0 || v >= W) return 0.0;
    return total(problem.dim("C"), [&](int64_t c) { return x(h, v, c) * w(f, r, q, c); });
  };
  for_matrix(problem.dim("OH"), problem.dim("OW"), [&](int64_t i, int64_t j) {
    for (int64_t f = 0; f < problem.dim("F"); ++f)
      y(i, j, f) = total(9, [&](int64_t tap) { return pixel(i, j, f, tap / 3, tap % 3); });
  });
}

void contraction(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b");
  const auto y = problem.out("y");
  for (int64_t s = 0; s < problem.dim("B"); ++s) {
    for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
      y(s, m, n) = total(problem.dim("J"), [&](int64_t j) {
        return total(problem.dim("K"), [&](int64_t k) { return a(s, m, j, k) * b(s, j, k, n); });
      });
    });
  }
}

/// The depth in steps, each with a scale.
void scaled(Problem& problem, int64_t step) {
  const auto x = problem.in("x"), w = problem.in("w"), scale = problem.in("scale");
  const auto y = problem.out("y");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    y(m, n) = total(problem.dim("K"), [&](int64_t k) { return x(m, k) * w(n, k) * scale(n, k / step); });
  });
}
void scaled_groups(Problem& problem) { scaled(problem, 40); }
void scaled_steps(Problem& problem) { scaled(problem, 32); }

void nearest_centre(Problem& problem) {
  const auto x = problem.in("x"), centre = problem.in("centre");
  const auto at = problem.out("at"), distance = problem.out("distance");
  const int64_t D = problem.dim("D");
  for (int64_t i = 0; i < problem.dim("N"); ++i) {
    double best = 1000000, where = -1;
    for (int64_t c = 0; c < problem.dim("P"); ++c) {
      const double away = total(D, [&](int64_t d) { return centre(c, d) * (centre(c, d) - 2 * x(i, d)); });
      if (away < best) where = static_cast<double>(c);
      best = std::min(best, away);
    }
    at(i) = where;
    distance(i) = best + total(D, [&](int64_t d) { return x(i, d) * x(i, d); });
  }
}

void folds_beside(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b");
  const auto y = problem.out("y"), z = problem.out("z");
  const int64_t K = problem.dim("K");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    const double ab = total(K, [&](int64_t k) { return a(m, k) * b(n, k); });
    double greatest = -128;
    for (int64_t k = 0; k < K; ++k) greatest = std::max<double>(greatest, b(n, k));
    y(m, n) = ab + total(K, [&](int64_t k) { return a(m, k) * a(m, k) + static_cast<double>(k); });
    z(m, n) = ab - greatest;
  });
}

void centred_rows(Problem& problem) {
  const auto x = problem.in("x"), g = problem.in("g"), w = problem.in("w");
  const auto y = problem.out("y");
  const int64_t K = problem.dim("K");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    double top = K > 0 ? -128 : 0;
    for (int64_t k = 0; k < K; ++k) top = std::max<double>(top, x(m, k));
    y(m, n) =
        total(K, [&](int64_t k) { return std::clamp<double>(x(m, k) - top + g(k), -100, 100) * w(k, n); });
  });
}

/// The largest of `count` values, but at least `least`.
template <typename Value>
double greatest(int64_t count, double least, Value value) {
  for (int64_t i = 0; i < count; ++i) least = std::max<double>(least, value(i));
  return least;
}

void routed(Problem& problem) {
  const auto x = problem.in("x"), gate = problem.in("gate"), w = problem.in("w");
  const auto y = problem.out("y"), z = problem.out("z");
  const int64_t K = problem.dim("K");
  const auto product = [&](const Input& rows, int64_t row, int64_t m) {
    return total(K, [&](int64_t k) { return x(m, k) * rows(row, k); });
  };
  for (int64_t m = 0; m < problem.dim("M"); ++m) {
    for (int64_t c = 0; c < 24; ++c) z(m, c) = product(gate, c, m);
    const double chosen = greatest(24, -1e12, [&](int64_t c) { return product(gate, c, m); });
    y(m) = greatest(problem.dim("V"), -1000000, [&](int64_t v) { return product(w, v, m); }) - chosen;
  }
}

void folded_twice(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b");
  const auto y = problem.out("y"), z = problem.out("z");
  const auto best = [&](const Input& rows, const Input& others, int64_t g, int64_t row) {
    return greatest(32, -1e12, [&](int64_t other) {
      return total(problem.dim("K"), [&](int64_t k) { return rows(g, row, k) * others(g, other, k); });
    });
  };
  for_matrix(problem.dim("G"), 32, [&](int64_t g, int64_t row) {
    y(g, row) = best(a, b, g, row);
    z(g, row) = best(b, a, g, row);
  });
}

void met_between(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), c = problem.in("c"), d = problem.in("d"),
             x = problem.in("x");
  const auto y = problem.out("y"), z = problem.out("z"), often = problem.out("often"),
             once = problem.out("once");
  const auto dot = [&](const Input& rows, int64_t row, const Input& columns, int64_t column, int64_t g) {
    return total(problem.dim("K"), [&](int64_t k) { return rows(g, row, k) * columns(g, column, k); });
  };
  for (int64_t g = 0; g < problem.dim("G"); ++g) {
    for_matrix(32, 48, [&](int64_t i, int64_t j) { y(g, i, j) = dot(a, i, b, j, g); });
    for_matrix(64, 32, [&](int64_t r, int64_t t) { z(g, r, t) = dot(c, r, d, t, g); });
    for_matrix(32, 32, [&](int64_t i, int64_t t) {
      for (int64_t q = 0; q < 3; ++q) often(g, q, i, t) = x(g, i, t) * static_cast<double>(q);
      once(g, i, t) = x(g, i, t) * 3;
    });
  }
}

/// Each instance has hundreds of products of K terms.
bool few_instances(const Sizes& sizes) { return sizes.at("G") * sizes.at("K") <= 1 << 9; }

}  // namespace

void add_contraction_cases(std::vector<Case>& cases) {
  const auto add = [&](const char* kernel, std::vector<std::string> symbols, std::vector<TensorSpec> tensors,
                       void reference(Problem&)) {
    cases.push_back(corner("contractions.tsr", kernel, std::move(symbols), std::move(tensors), reference));
    cases.back().allowed = few_terms;
    cases.back().problems = 6;
  };
  add("padded_convolution", {"H", "W", "C", "F"},
      {bytes("x", {"H", "W", "C"}), bytes("w", {"F", "3", "3", "C"}), result("y", {"OH", "OW", "F"})},
      padded_convolution);
  cases.back().derived = {{"OH", [](const Sizes& sizes) { return (sizes.at("H") + 1) / 2; }},
                          {"OW", [](const Sizes& sizes) { return (sizes.at("W") + 1) / 2; }}};
  add("contraction", {"B", "M", "J", "K", "N"},
      {bytes("a", {"B", "M", "J", "K"}), bytes("b", {"B", "J", "K", "N"}), result("y", {"B", "M", "N"})},
      contraction);
  add("scaled_groups", {"M", "N", "G"},
      {bytes("x", {"M", "K"}), bytes("w", {"N", "K"}), small("scale", {"N", "G"}), result("y", {"M", "N"})},
      scaled_groups);
  cases.back().derived = {{"K", [](const Sizes& sizes) { return 40 * sizes.at("G"); }}};
  cases.back().allowed = [](const Sizes& sizes) {
    return few_terms(sizes) && sizes.at("M") * sizes.at("N") * sizes.at("G") <= 1 << 10;
  };
  add("scaled_steps", {"M", "N", "K"},
      {bytes("x", {"M", "K"}), bytes("w", {"N", "K"}), small("scale", {"N", "G"}), result("y", {"M", "N"})},
      scaled_steps);
  cases.back().derived = {{"G", [](const Sizes& sizes) { return (sizes.at("K") + 31) / 32; }}};
  add("nearest_centre", {"N", "P", "D"},
      {bytes("x", {"N", "D"}), bytes("centre", {"P", "D"}), result("at", {"N"}), result("distance", {"N"})},
      nearest_centre);
  add("folds_beside", {"M", "N", "K"},
      {bytes("a", {"M", "K"}), bytes("b", {"N", "K"}), result("y", {"M", "N"}), result("z", {"M", "N"})},
      folds_beside);
  add("centred_rows", {"M", "N", "K"},
      {bytes("x", {"M", "K"}), bytes("g", {"K"}), bytes("w", {"K", "N"}), result("y", {"M", "N"})},
      centred_rows);
  add("routed", {"M", "V", "K"},
      {bytes("x", {"M", "K"}), bytes("gate", {"24", "K"}), bytes("w", {"V", "K"}), result("y", {"M"}),
       result("z", {"M", "24"})},
      routed);
  add("folded_twice", {"G", "K"},
      {bytes("a", {"G", "32", "K"}), bytes("b", {"G", "32", "K"}), result("y", {"G", "32"}),
       result("z", {"G", "32"})},
      folded_twice);
  cases.back().allowed = few_instances;
  add("met_between", {"G", "K"},
      {bytes("a", {"G", "32", "K"}), bytes("b", {"G", "48", "K"}), bytes("c", {"G", "64", "K"}),
       bytes("d", {"G", "32", "K"}), small("x", {"G", "32", "32"}), result("y", {"G", "32", "48"}),
       result("z", {"G", "64", "32"}), result("often", {"G", "3", "32", "32"}),
       result("once", {"G", "32", "32"})},
      met_between);
  cases.back().allowed = few_instances;
}

}  // namespace tessera::reference
