// SPDX-License-Identifier: Apache-2.0
// Plain loops of tests/corners/warpgroups.tsr: whole numbers, whose sums are exact in f32.
#include <algorithm>
#include <functional>

#include "corners.h"

namespace tessera::reference {

namespace {

void gated(Problem& problem) {
  const auto x = problem.in("x"), up = problem.in("up"), gate = problem.in("gate");
  const auto y = problem.out("y");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    const double s = 1 + total(problem.dim("K"), [&](int64_t k) { return x(m, k) * up(k, n); });
    const double g = total(problem.dim("K"), [&](int64_t k) { return x(m, k) * gate(n, k); });
    y(m, n) = std::max(g, 0.0) * s;
  });
}

void gram(Problem& problem) {
  const auto a = problem.in("a"), bias = problem.in("bias");
  const auto y = problem.out("y"), places = problem.out("places");
  for_matrix(problem.dim("M"), problem.dim("M"), [&](int64_t i, int64_t j) {
    y(i, j) = bias(j) + total(problem.dim("K"), [&](int64_t k) { return a(i, k) * a(j, k); });
    places(i, j) = static_cast<double>(i - j);
  });
}

void largest(Problem& problem) {
  constexpr int64_t kBlock = 64;
  const auto a = problem.in("a"), b = problem.in("b");
  const auto y = problem.out("y"), sum = problem.out("total");
  const int64_t K = problem.dim("K");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    double most = -100, all = 0;
    for (int64_t first = 0; first < K; first += kBlock) {
      const double part =
          total(std::min(kBlock, K - first), [&](int64_t k) { return a(first + k, m) * b(first + k, n); });
      most = std::max(most, part);
      all += part;
    }
    y(m, n) = most;
    sum(m, n) = all;
  });
}

void reversed(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b");
  const auto y = problem.out("y"), z = problem.out("z");
  const int64_t M = problem.dim("M");
  for_matrix(M, problem.dim("N"), [&](int64_t m, int64_t n) {
    const double sum = total(problem.dim("K"), [&](int64_t k) { return a(m, k) * b(k, n); });
    y(M - 1 - m, n) = sum;
    z(m, n) = -sum;
  });
}

void alternating(Problem& problem) {
  constexpr int64_t kBlock = 64;
  const auto a = problem.in("a"), b = problem.in("b"), x = problem.in("x");
  const auto y = problem.out("y"), z = problem.out("z");
  const int64_t K = problem.dim("K");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    double s = 0, t = 0;
    for (int64_t first = 0; first < K; first += kBlock) {
      const double part =
          total(std::min(kBlock, K - first), [&](int64_t k) { return a(m, first + k) * b(first + k, n); });
      s = part - s;
      t = part + x(m, n);
    }
    y(m, n) = s;
    z(m, n) = t;
  });
}

void rows(Problem& problem) {
  constexpr int64_t kColumns = 64;
  const auto a = problem.in("a"), b = problem.in("b");
  const auto y = problem.out("y"), most = problem.out("most");
  for (int64_t m = 0; m < problem.dim("M"); ++m) {
    double row[kColumns];
    for (int64_t n = 0; n < kColumns; ++n)
      row[n] = total(problem.dim("K"), [&](int64_t k) { return a(m, k) * b(k, n); });
    const double largest = *std::max_element(row, row + kColumns);
    most(m) = largest;
    for (int64_t n = 0; n < kColumns; ++n) y(m, n) = row[n] - largest;
  }
}

void products_of_bytes(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), c = problem.in("c"), d = problem.in("d");
  const auto y = problem.out("y"), z = problem.out("z");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    y(m, n) = 5 + total(problem.dim("K"), [&](int64_t k) { return a(m, k) * b(n, k); });
    z(m, n) = total(problem.dim("K"), [&](int64_t k) { return c(m, k) * d(k, n); });
  });
}

void rounded(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b");
  const auto y = problem.out("y");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    y(m, n) = total(problem.dim("K"), [&](int64_t k) { return shortened(a(m, k)) * b(k, n); });
  });
}

void promoted(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), c = problem.in("c");
  const auto y = problem.out("y"), z = problem.out("z");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    y(m, n) = 1 + total(problem.dim("K"), [&](int64_t k) { return a(m, k) * b(n, k); });
    z(m, n) = total(problem.dim("K"), [&](int64_t k) { return c(m, k) * b(n, k); });
  });
}

void split(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b");
  const auto y = problem.out("y");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    y(m, n) = total(problem.dim("K"), [&](int64_t k) { return a(m, k) * b(k, n); });
  });
}

void split_twice(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), c = problem.in("c"), d = problem.in("d");
  const auto y = problem.out("y"), z = problem.out("z");
  const int64_t K = problem.dim("K");
  for (int64_t t = 0; t < problem.dim("B"); ++t)
    for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
      y(t, m, n) = total(K, [&](int64_t k) { return a(t, m, k) * b(k, n); });
      z(t, m, n) = total(K, [&](int64_t k) { return c(m, k) * d(t, n, k); });
    });
}

void paired(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), c = problem.in("c");
  const auto y = problem.out("y");
  const int64_t K = problem.dim("K");
  for (int64_t z = 0; z < problem.dim("B"); ++z)
    for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
      y(z, m, n) = total(K, [&](int64_t k) { return a(z, m, k) * (b(k, n) - 2 * c(z, n, k)); });
    });
}

void again(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), c = problem.in("c");
  const auto y = problem.out("y");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    double s = 0;
    for (int64_t j = 0; j < problem.dim("J"); ++j) {
      s += total(problem.dim("K"), [&](int64_t k) { return a(m, k) * c(j, k, n); });
      s += total(problem.dim("K"), [&](int64_t k) { return a(m, k) * b(k, n); });
    }
    y(m, n) = s;
  });
}

void panels(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), x = problem.in("x"), z = problem.in("z"),
             t = problem.in("t");
  const auto y = problem.out("y"), w = problem.out("w");
  const int64_t M = problem.dim("M");
  for_matrix(M, problem.dim("N"), [&](int64_t m, int64_t n) {
    const double s = total(problem.dim("K"), [&](int64_t k) { return a(m, k) * b(k, n); });
    y(m, n) = s - x(M - 1 - m, n + 1);
    w(m, n) = s + z(m, n) * t(m, n);
  });
}

void diagonals(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), x = problem.in("x");
  const auto y = problem.out("y");
  const int64_t M = problem.dim("M");
  for_matrix(M, problem.dim("N"), [&](int64_t m, int64_t n) {
    y(m, n) = x(n - m + M - 1) + total(problem.dim("K"), [&](int64_t k) { return a(m, k) * b(k, n); });
  });
}

void teams(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), u = problem.in("u");
  const auto y = problem.out("y");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    const double s = total(problem.dim("K"), [&](int64_t k) { return a(m, k) * b(k, n); });
    y(m, n) = s - u(n) * std::max(u(n), 2.0);
  });
}

void columns(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), w = problem.in("w");
  const auto y = problem.out("y"), z = problem.out("z"), x = problem.out("x");
  const int64_t J = problem.dim("J");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    const double s = total(problem.dim("K"), [&](int64_t k) { return a(m, k) * b(k, n); });
    double largest = 0;
    for (int64_t j = 0; j < J; ++j) {
      largest = std::max(largest, w(j, n));
      z(j, m, n) = s * w(j, n);
      x(j, m, n) = s + w(j, n);
    }
    y(m, n) = s + largest;
  });
}

void whole_columns(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), u = problem.in("u");
  const auto y = problem.out("y");
  for_matrix(problem.dim("M"), 144, [&](int64_t m, int64_t n) {
    y(m, n) = u(n) + total(problem.dim("K"), [&](int64_t k) { return a(m, k) * b(k, n); });
  });
}

void byte_panels(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), u = problem.in("u"), x = problem.in("x");
  const auto y = problem.out("y"), z = problem.out("z"), w = problem.out("w");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    const double s = total(problem.dim("K"), [&](int64_t k) { return a(m, k) * b(n, k); });
    w(m, n) = s - u(n);
    y(m, n) = std::clamp(s + u(n) + x(m, n), -128.0, 127.0);
    z(m, n) = std::clamp(s - u(n), 0.0, 255.0);
  });
}

void best(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), u = problem.in("u");
  const auto most = problem.out("most"), least = problem.out("least"), same = problem.out("same");
  for (int64_t m = 0; m < problem.dim("M"); ++m) {
    const auto p = [&](int64_t n) {
      return total(problem.dim("K"), [&](int64_t k) { return a(m, k) * b(n, k); });
    };
    int64_t high = -1, low = -1, highest = -1;
    for (int64_t n = 0; n < problem.dim("N"); ++n) {
      if (high < 0 || p(n) > p(high)) high = n;
      if (low < 0 || p(n) - u(n) < p(low) - u(low)) low = n;
      if (highest < 0 || u(n) > u(highest)) highest = n;
    }
    most(m) = static_cast<double>(high);
    least(m) = static_cast<double>(low);
    same(m) = static_cast<double>(2 * highest);
  }
}

void sums_of_products(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), c = problem.in("c"), d = problem.in("d"),
             u = problem.in("u");
  const auto y = problem.out("y"), z = problem.out("z");
  const int64_t K = problem.dim("K");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    y(m, n) = 1 + total(K, [&](int64_t k) { return a(m, k) * b(k, n) + c(m, k) * d(k, n); });
    z(m, n) = u(n) + 2 * total(K, [&](int64_t k) { return (a(m, k) + c(m, k)) * d(k, n); });
  });
}

void differences(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), c = problem.in("c"), d = problem.in("d"),
             u = problem.in("u");
  const auto y = problem.out("y"), z = problem.out("z"), w = problem.out("w");
  const int64_t K = problem.dim("K");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    y(m, n) = total(K, [&](int64_t k) { return a(m, k) * b(k, n) - c(m, k) * d(k, n); });
    z(m, n) = 1 - total(K, [&](int64_t k) { return a(m, k) * d(k, n) + c(m, k) * b(k, n); });
    w(m, n) = u(n) + total(K, [&](int64_t k) { return (c(m, k) - a(m, k)) * d(k, n); });
  });
}

void scaled(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), s = problem.in("s"), u = problem.in("u");
  const auto y = problem.out("y");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    y(m, n) = total(problem.dim("K"), [&](int64_t k) { return a(m, k) * b(k, n); }) * s() + u(1);
  });
}

template <int kFirst>
void difference_from(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b");
  const auto y = problem.out("y");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    y(m, n) = kFirst - total(problem.dim("K"), [&](int64_t k) { return a(m, k) * b(n, k); });
  });
}

void conditions(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), on = problem.in("on"), u = problem.in("u"),
             v = problem.in("v");
  const auto y = problem.out("y"), z = problem.out("z");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    const double s = total(problem.dim("K"), [&](int64_t k) { return a(m, k) * b(k, n); });
    const bool is_on = on(n) != 0;
    y(m, n) = is_on && u(n) > 0 ? 2 * s + u(n) : -(2 * s + u(n));
    z(m, n) = is_on || v(m) < u(n) ? s : std::clamp(5000 * s, -32768.0, 32767.0);
  });
}

void turns(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), c = problem.in("c"), d = problem.in("d");
  const auto y = problem.out("y");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    double s = 0;
    for (int64_t j = 0; j < problem.dim("J"); ++j) {
      s += total(problem.dim("K"), [&](int64_t k) { return a(j, m, k) * b(k, n); });
      s = total(problem.dim("L"), [&](int64_t l) { return c(m, l) * d(j, n, l); }) - s;
    }
    y(m, n) = s;
  });
}

void shared_by_groups(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), turn = problem.in("turn");
  const auto y = problem.out("y");
  for (int64_t z = 0; z < problem.dim("B"); ++z)
    for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
      y(z, m, n) = turn(n) + total(problem.dim("K"), [&](int64_t k) { return a(z, m, k) * b(k, n); });
    });
}

void shared_in_clusters(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), c = problem.in("c");
  const auto y = problem.out("y"), z = problem.out("z");
  const int64_t K = problem.dim("K");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    y(m, n) = total(K, [&](int64_t k) { return a(m, k) * b(k, n); });
    z(m, n) = 1 + total(K, [&](int64_t k) { return a(m, k) * (c(n, k) - b(k, n)); });
  });
}

void later(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b");
  const auto y = problem.out("y");
  for_matrix(problem.dim("P"), problem.dim("Q"), [&](int64_t m, int64_t n) {
    y(m, n) = total(problem.dim("K"), [&](int64_t k) { return a(m + 3, k) * b(n + 2, k); });
  });
}

/// The extent of what begins so far behind the first coordinate.
std::function<int64_t(const Sizes&)> behind(const char* symbol, int64_t first) {
  return [=](const Sizes& sizes) { return sizes.at(symbol) - first; };
}

/// Of factors whose lines run along rows and columns, which begin so far behind the first ones.
void later_along_lines(Problem& problem, int64_t rows, int64_t columns) {
  const auto a = problem.in("a"), b = problem.in("b");
  const auto y = problem.out("y");
  for_matrix(problem.dim("P"), problem.dim("Q"), [&](int64_t m, int64_t n) {
    y(m, n) = total(problem.dim("K"), [&](int64_t k) { return a(k, m + rows) * b(k, n + columns); });
  });
}

void squared(Problem& problem) {
  const auto a = problem.in("a");
  const auto y = problem.out("y");
  for_matrix(problem.dim("M"), problem.dim("M"), [&](int64_t i, int64_t j) {
    y(i, j) = 2 * a(i, j) - total(problem.dim("M"), [&](int64_t k) { return a(i, k) * a(k, j); });
  });
}

void scaled_by_groups(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), u = problem.in("u"), v = problem.in("v");
  const auto y = problem.out("y");
  const auto part = [&](int64_t m, int64_t n, int64_t j) {
    return total(problem.dim("K"), [&](int64_t k) { return a(m, j, k) * b(n, j, k); }) * u(m, j) * v(n, j);
  };
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    y(m, n) = total(problem.dim("J"), [&](int64_t j) { return part(m, n, j); });
  });
}

void shared_walk(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), share = problem.in("share");
  const auto y = problem.out("y");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    y(m, n) = 2 * share(m) * total(problem.dim("K"), [&](int64_t k) { return a(m, k) * b(n, k); });
  });
}

void shared_lines(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b");
  const auto y = problem.out("y");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    y(m, n) = total(problem.dim("K"), [&](int64_t k) { return a(m, k) * b(n, k); });
  });
}

TensorSpec whole(std::string name, std::vector<std::string> dims) {
  return input(std::move(name), "bf16", std::move(dims), -3, 3, 1);
}
TensorSpec sums(std::string name, std::vector<std::string> dims) {
  return output(std::move(name), "f32", std::move(dims));
}

}  // namespace

void add_warpgroup_cases(std::vector<Case>& cases) {
  const auto add = [&](const char* kernel, std::vector<std::string> symbols, std::vector<TensorSpec> tensors,
                       void reference(Problem&)) {
    cases.push_back(corner("warpgroups.tsr", kernel, std::move(symbols), std::move(tensors), reference));
    cases.back().allowed = few_terms;
  };
  add("gated_by_groups", {"M", "N", "K"},
      {whole("x", {"M", "K"}), whole("up", {"K", "N"}), whole("gate", {"N", "K"}), sums("y", {"M", "N"})},
      gated);
  add("gram_by_groups", {"M", "K"},
      {input("a", "f16", {"M", "K"}, -3, 3, 1), input("bias", "f32", {"M"}, -9, 9, 1), sums("y", {"M", "M"}),
       result("places", {"M", "M"})},
      gram);
  cases.back().allowed = [](const Sizes& sizes) {
    return few_terms(sizes) && sizes.at("M") * sizes.at("M") * sizes.at("K") <= int64_t{1} << 13;
  };
  add("parts_by_groups", {"B", "M", "N", "J", "K"},
      {whole("a", {"B", "M", "J", "K"}), whole("b", {"J", "N", "K"}), input("scale", "f32", {"J"}, -2, 2, 1),
       sums("y", {"B", "N", "M"})},
      scaled_parts);
  cases.back().allowed = [](const Sizes& sizes) {  // each of them takes a whole tile
    return few_terms(sizes) && sizes.at("B") * sizes.at("J") <= 7;
  };
  add("largest_by_groups", {"M", "N", "K"},
      {whole("a", {"K", "M"}), whole("b", {"K", "N"}), sums("y", {"M", "N"}), sums("total", {"M", "N"})},
      largest);
  add("reversed_by_groups", {"M", "N", "K"},
      {whole("a", {"M", "K"}), whole("b", {"K", "N"}), output("y", "f16", {"M", "N"}), sums("z", {"M", "N"})},
      reversed);
  add("alternating_by_groups", {"M", "N", "K"},
      {whole("a", {"M", "K"}), whole("b", {"K", "N"}), input("x", "f32", {"M", "N"}, -9, 9, 1),
       sums("y", {"M", "N"}), sums("z", {"M", "N"})},
      alternating);
  add("rows_by_groups", {"M", "K"},
      {whole("a", {"M", "K"}), whole("b", {"K", "64"}), sums("y", {"M", "64"}), sums("most", {"M"})}, rows);
  add("bytes_by_groups", {"M", "N", "K"},
      {input("a", "i8", {"M", "K"}, -128, 127, 1), input("b", "i8", {"N", "K"}, -128, 127, 1),
       input("c", "u8", {"M", "K"}, 0, 255, 1), input("d", "u8", {"K", "N"}, 0, 255, 1),
       result("y", {"M", "N"}), result("z", {"M", "N"})},
      products_of_bytes);
  add("rounded_by_groups", {"M", "N", "K"},
      {input("a", "f32", {"M", "K"}, 4097, 4297, 1), input("b", "f32", {"K", "N"}, -3, 3, 1),
       sums("y", {"M", "N"})},
      rounded);
  // 250 terms pass 2^14, 128 do not.
  add("promoted_by_groups", {"M", "N", "K"},
      {input("a", "fp8_e4m3", {"M", "K"}, 12, 15, 1), input("b", "fp8_e5m2", {"N", "K"}, 5, 7, 1),
       input("c", "fp8_e5m2", {"M", "K"}, -8, 8, 4), sums("y", {"M", "N"}), sums("z", {"M", "N"})},
      promoted);
  add("paired_by_groups", {"B", "M", "N", "K"},
      {whole("a", {"B", "M", "K"}), whole("b", {"K", "N"}), whole("c", {"B", "N", "K"}),
       sums("y", {"B", "M", "N"})},
      paired);
  cases.back().allowed = [](const Sizes& sizes) { return few_terms(sizes) && sizes.at("B") <= 7; };
  add("turns_by_groups", {"J", "M", "N", "K", "L"},
      {whole("a", {"J", "M", "K"}), whole("b", {"K", "N"}), whole("c", {"M", "L"}),
       whole("d", {"J", "N", "L"}), sums("y", {"M", "N"})},
      turns);
  cases.back().exactness = Exactness::kEqual;  // where L is 0, nothing or a zero is added to -0
  cases.back().allowed = [](const Sizes& sizes) { return few_terms(sizes) && sizes.at("J") <= 7; };
  add("again_by_groups", {"J", "M", "N", "K"},
      {whole("a", {"M", "K"}), whole("b", {"K", "N"}), whole("c", {"J", "K", "N"}), sums("y", {"M", "N"})},
      again);
  cases.back().allowed = [](const Sizes& sizes) { return few_terms(sizes) && sizes.at("J") <= 7; };
  add("panels_by_groups", {"M", "N", "K"},
      {whole("a", {"M", "K"}), whole("b", {"K", "N"}), input("x", "f16", {"M", "C"}, -9, 9, 1),
       input("z", "f32", {"M", "N"}, -9, 9, 1), input("t", "f16", {"M", "N"}, -9, 9, 1),
       output("y", "f16", {"M", "N"}), sums("w", {"M", "N"})},
      panels);
  cases.back().derived = {{"C", [](const Sizes& sizes) { return sizes.at("N") + 1; }}};
  add("teams_by_groups", {"M", "N", "K"},
      {whole("a", {"M", "K"}), whole("b", {"K", "N"}), input("u", "f32", {"N"}, -9, 9, 1),
       output("y", "f16", {"M", "N"})},
      teams);
  add("slopes_by_groups", {"M", "N", "K"},
      {whole("a", {"M", "K"}), whole("b", {"K", "N"}), input("u", "f32", {"N"}, -9, 9, 1),
       output("y", "f16", {"M", "N"})},
      teams);
  add("columns_by_groups", {"M", "N", "K", "J"},
      {whole("a", {"M", "K"}), whole("b", {"K", "N"}), input("w", "f32", {"J", "N"}, -9, 9, 1),
       output("y", "f16", {"M", "N"}), sums("z", {"J", "M", "N"}), output("x", "f16", {"J", "M", "N"})},
      columns);
  cases.back().allowed = [](const Sizes& sizes) { return few_terms(sizes) && sizes.at("J") <= 7; };
  add("whole_columns_by_groups", {"M", "K"},
      {whole("a", {"M", "K"}), whole("b", {"K", "144"}), input("u", "f32", {"144"}, -9, 9, 1),
       output("y", "f16", {"M", "144"})},
      whole_columns);
  add("byte_panels_by_groups", {"M", "N", "K"},
      {input("a", "i8", {"M", "K"}, -3, 3, 1), input("b", "i8", {"N", "K"}, -3, 3, 1),
       input("u", "i32", {"N"}, -9, 9, 1), input("x", "i8", {"M", "N"}, -128, 127, 1),
       output("y", "i8", {"M", "N"}), output("z", "u8", {"M", "N"}), result("w", {"M", "N"})},
      byte_panels);
  add("best_by_groups", {"M", "N", "K"},
      {input("a", "i8", {"M", "K"}, -3, 3, 1), input("b", "i8", {"N", "K"}, -3, 3, 1),
       input("u", "i32", {"N"}, -9, 9, 1), result("most", {"M"}), result("least", {"M"}),
       result("same", {"M"})},
      best);
  cases.back().allowed = [](const Sizes& sizes) { return few_terms(sizes) && sizes.at("N") <= 80; };
  add("sums_by_groups", {"M", "N", "K"},
      {whole("a", {"M", "K"}), whole("b", {"K", "N"}), whole("c", {"M", "K"}), whole("d", {"K", "N"}),
       input("u", "f32", {"N"}, -9, 9, 1), sums("y", {"M", "N"}), sums("z", {"M", "N"})},
      sums_of_products);
  add("scaled_by_groups", {"M", "N", "K"},
      {whole("a", {"M", "K"}), whole("b", {"K", "N"}), input("s", "f32", {}, -9, 9, 1),
       input("u", "f32", {"2"}, -9, 9, 1), sums("y", {"M", "N"})},
      scaled);
  add("differences_by_groups", {"M", "N", "K"},
      {whole("a", {"M", "K"}), whole("b", {"K", "N"}), whole("c", {"M", "K"}), whole("d", {"K", "N"}),
       input("u", "f32", {"N"}, -9, 9, 1), sums("y", {"M", "N"}), sums("z", {"M", "N"}),
       sums("w", {"M", "N"})},
      differences);
  add("promoted_difference_by_groups", {"M", "N", "K"},
      {input("a", "fp8_e4m3", {"M", "K"}, -8, 8, 1), input("b", "fp8_e4m3", {"N", "K"}, -8, 8, 1),
       sums("y", {"M", "N"})},
      difference_from<3>);
  // Nine bits each: 160 terms stay below 2^24.
  add("split_difference_by_groups", {"M", "N", "K"},
      {input("a", "f32", {"M", "K"}, 257, 319, 1), input("b", "f32", {"N", "K"}, -319, -257, 1),
       sums("y", {"M", "N"})},
      difference_from<0>);
  cases.back().allowed = [](const Sizes& sizes) { return few_terms(sizes) && sizes.at("K") <= 160; };
  add("conditions_by_groups", {"M", "N", "K"},
      {whole("a", {"M", "K"}), whole("b", {"K", "N"}), input("on", "bool", {"N"}, 0, 1, 1),
       input("u", "f32", {"N"}, -9, 9, 1), input("v", "f32", {"M"}, -9, 9, 1), sums("y", {"M", "N"}),
       output("z", "i16", {"M", "N"})},
      conditions);
  add("diagonals_by_groups", {"M", "N", "K"},
      {whole("a", {"M", "K"}), whole("b", {"K", "N"}), input("x", "f32", {"R"}, -9, 9, 1),
       sums("y", {"M", "N"})},
      diagonals);
  cases.back().derived = {{"R", [](const Sizes& sizes) { return sizes.at("M") + sizes.at("N") - 1; }}};
  cases.back().allowed = [](const Sizes& sizes) {
    return few_terms(sizes) && sizes.at("M") >= 1 && sizes.at("N") >= 1;
  };
  // Nine bits each: 160 terms stay below 2^24.
  add("split_by_groups", {"M", "N", "K"},
      {input("a", "f32", {"M", "K"}, 257, 319, 1), input("b", "f32", {"K", "N"}, -319, -257, 1),
       sums("y", {"M", "N"})},
      split);
  cases.back().allowed = [](const Sizes& sizes) { return few_terms(sizes) && sizes.at("K") <= 160; };
  // Eighteen bits, of which all parts have some: 40 terms stay below 2^24.
  add("split_twice_by_groups", {"B", "M", "N", "K"},
      {input("a", "f32", {"B", "M", "K"}, 131585, 131785, 1), input("b", "f32", {"K", "N"}, -3, 3, 1),
       input("c", "f32", {"M", "K"}, -3, 3, 1), input("d", "f32", {"B", "N", "K"}, -131785, -131585, 1),
       sums("y", {"B", "M", "N"}), sums("z", {"B", "M", "N"})},
      split_twice);
  cases.back().allowed = [](const Sizes& sizes) {
    return few_terms(sizes) && sizes.at("B") <= 7 && sizes.at("K") <= 40;
  };
  add("shared_by_groups", {"B", "M", "N", "K"},
      {whole("a", {"B", "M", "K"}), whole("b", {"K", "N"}), input("turn", "f32", {"N"}, -9, 9, 1),
       sums("y", {"B", "M", "N"})},
      shared_by_groups);
  cases.back().allowed = [](const Sizes& sizes) { return few_terms(sizes) && sizes.at("B") <= 7; };
  add("shared_in_clusters", {"M", "N", "K"},
      {input("a", "f16", {"M", "K"}, -2, 2, 1), input("b", "f16", {"K", "N"}, -2, 2, 1),
       input("c", "f16", {"N", "K"}, -2, 2, 1), sums("y", {"M", "N"}), output("z", "f16", {"M", "N"})},
      shared_in_clusters);
  add("later_by_groups", {"M", "N", "K"},
      {input("a", "f16", {"M", "K"}, -8, 8, 1), input("b", "f16", {"N", "K"}, -8, 8, 1),
       sums("y", {"P", "Q"})},
      later);
  cases.back().derived = {{"P", behind("M", 3)}, {"Q", behind("N", 2)}};
  cases.back().allowed = [](const Sizes& sizes) {
    return few_terms(sizes) && sizes.at("M") >= 3 && sizes.at("N") >= 2;
  };
  add("chunks_later_by_groups", {"M", "N", "K"},
      {input("a", "f16", {"K", "M"}, -8, 8, 1), input("b", "f16", {"K", "N"}, -8, 8, 1),
       sums("y", {"P", "Q"})},
      [](Problem& problem) { later_along_lines(problem, 8, 16); });
  cases.back().derived = {{"P", behind("M", 8)}, {"Q", behind("N", 16)}};
  cases.back().allowed = [](const Sizes& sizes) {
    return few_terms(sizes) && sizes.at("M") >= 8 && sizes.at("N") >= 16;
  };
  add("parts_later_by_groups", {"M", "N", "K"},
      {input("a", "f32", {"K", "M"}, 257, 319, 1), input("b", "f32", {"K", "N"}, -319, -257, 1),
       sums("y", {"P", "Q"})},
      [](Problem& problem) { later_along_lines(problem, 4, 8); });
  cases.back().derived = {{"P", behind("M", 4)}, {"Q", behind("N", 8)}};
  cases.back().allowed = [](const Sizes& sizes) {
    return few_terms(sizes) && sizes.at("K") <= 160 && sizes.at("M") >= 4 && sizes.at("N") >= 8;
  };
  add("squared_by_groups", {"M"}, {input("a", "f16", {"M", "M"}, -8, 8, 1), sums("y", {"M", "M"})}, squared);
  cases.back().allowed = [](const Sizes& sizes) { return sizes.at("M") <= 72; };
  add("scales_by_groups", {"M", "N", "J", "K"},
      {input("a", "i8", {"M", "J", "K"}, -8, 8, 1), input("b", "i8", {"N", "J", "K"}, -8, 8, 1),
       input("u", "f32", {"M", "J"}, -2, 2, 1), input("v", "f32", {"N", "J"}, -2, 2, 1),
       sums("y", {"M", "N"})},
      scaled_by_groups);
  cases.back().allowed = [](const Sizes& sizes) { return few_terms(sizes) && sizes.at("J") <= 7; };
  add("shared_walk", {"M", "N", "K"},
      {input("a", "i8", {"M", "K"}, -128, 127, 1), input("b", "i8", {"N", "K"}, -128, 127, 1),
       input("share", "i32", {"M"}, -9, 9, 1), result("y", {"M", "N"})},
      shared_walk);
  add("shared_promoted", {"M", "N", "K"},
      {input("a", "fp8_e4m3", {"M", "K"}, -8, 8, 1), input("b", "fp8_e4m3", {"N", "K"}, -8, 8, 1),
       sums("y", {"M", "N"})},
      shared_lines);
  add("shared_parts", {"M", "N", "K"},
      {input("a", "f32", {"M", "K"}, 257, 319, 1), input("b", "f32", {"K", "N"}, -319, -257, 1),
       sums("y", {"M", "N"})},
      split);
  cases.back().allowed = [](const Sizes& sizes) { return few_terms(sizes) && sizes.at("K") <= 160; };
}

}  // namespace tessera::reference
