// SPDX-License-Identifier: Apache-2.0
// Plain loops of tests/corners/products.tsr and requests.tsr.
#include <algorithm>
#include <cstdint>

#include "corners.h"

namespace tessera::reference {

namespace {

template <class Integer>
double wrapped(double value) {
  return static_cast<double>(static_cast<Integer>(static_cast<int64_t>(value)));
}
double i8(double value) { return wrapped<std::int8_t>(value); }
double i32(double value) { return wrapped<std::int32_t>(value); }

void four_orientations(Problem& problem) {
  const auto a = problem.in("a"), at = problem.in("at"), b = problem.in("b"), bt = problem.in("bt");
  const auto nn = problem.out("nn"), nt = problem.out("nt"), tn = problem.out("tn"), tt = problem.out("tt");
  const int64_t K = problem.dim("K");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    nn(m, n) = total(K, [&](int64_t k) { return a(m, k) * b(k, n); });
    nt(m, n) = total(K, [&](int64_t k) { return a(m, k) * bt(n, k); });
    tn(m, n) = total(K, [&](int64_t k) { return at(k, m) * b(k, n); });
    tt(m, n) = total(K, [&](int64_t k) { return at(k, m) * bt(n, k); });
  });
}

void chosen(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b");
  const auto y = problem.out("y");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    y(m, n) = total(problem.dim("K"), [&](int64_t k) { return a(m, k) * b(k, n); });
  });
}

void gram(Problem& problem) {
  const auto a = problem.in("a");
  const auto y = problem.out("y"), norm = problem.out("norm");
  for_matrix(problem.dim("M"), problem.dim("M"), [&](int64_t i, int64_t j) {
    double product = 0, distance = 0;
    for (int64_t k = 0; k < problem.dim("K"); ++k) {
      product += a(i, k) * a(j, k);
      distance += (a(i, k) - a(j, k)) * (a(i, k) - a(j, k));
    }
    y(i, j) = product;
    norm(i, j) = distance;
  });
}

void turned(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), x = problem.in("x"), z = problem.in("z");
  const auto y = problem.out("y");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    const double product = total(problem.dim("K"), [&](int64_t k) { return a(m, k) * b(k, n); });
    y(n, m) = product + x(m, n) * std::max({z(n, 0, m), z(n, 1, m), z(n, 2, m)});
  });
}

void pooled_factor(Problem& problem) {
  const auto a = problem.in("a"), x = problem.in("x"), z = problem.in("z");
  const auto y = problem.out("y");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    y(m, n) = total(problem.dim("K"), [&](int64_t k) {
      return a(k, n) * std::min<double>(std::max<double>(x(m, 0, k), x(m, 1, k)), z(m, k));
    });
  });
}

void stores_beside(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), u = problem.in("u"), v = problem.in("v");
  const auto y = problem.out("y"), z = problem.out("z");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    const double product = total(problem.dim("K"), [&](int64_t k) { return a(m, k) * b(k, n); });
    for (int64_t p = 0; p < 3; ++p) {
      y(p, m, n) = product * u(m, p);
      z(m, n, p) = v(n, m) - u(m, p);
    }
  });
}

void folded_for_each(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), x = problem.in("x");
  const auto z = problem.out("z");
  for_matrix(problem.dim("M"), 3, [&](int64_t m, int64_t p) {
    z(m, p) = total(problem.dim("N"), [&](int64_t n) {
      return total(problem.dim("K"), [&](int64_t k) { return a(m, k) * b(k, n); }) * x(n, p);
    });
  });
}

void gated(Problem& problem) {
  const auto x = problem.in("x"), up = problem.in("up"), gate = problem.in("gate");
  const auto z = problem.in("z"), w = problem.in("w");
  const auto y = problem.out("y");
  const int64_t K = problem.dim("K"), L = problem.dim("L");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    const double g = 3 - total(K, [&](int64_t k) { return x(m, k) * gate(n, k); });
    double s = total(K, [&](int64_t k) { return x(m, k) * up(k, n); });
    for (int64_t l = 0; l < L; ++l) s += z(m, l) * w(l, n);
    s -= g * static_cast<double>((L + 19) / 20);
    y(m, n) = g > 0 ? s : g;
  });
}

void chained(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), c = problem.in("c");
  const auto y = problem.out("y");
  const int64_t K = problem.dim("K"), J = problem.dim("J");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    double sum = 0, greatest = 0;
    for (int64_t j = 0; j < J; ++j) {
      const double h = total(K, [&](int64_t k) { return a(m, k) * b(k, j); });
      greatest = j == 0 ? h : std::max(greatest, h);
      sum += i8(h) * c(j, n);
    }
    y(m, n) = J > 0 ? sum + greatest : -1;
  });
}

void read_both_ways(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b");
  const auto y = problem.out("y");
  const int64_t D = problem.dim("D");
  for_matrix(problem.dim("M"), D, [&](int64_t m, int64_t to) {
    y(m, to) = total(problem.dim("L"), [&](int64_t l) {
      return i8(total(D, [&](int64_t d) { return a(m, d) * b(l, d); })) * b(l, to);
    });
  });
}

void block_totals(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b");
  const auto rows = problem.out("rows"), columns = problem.out("columns"), blocks = problem.out("blocks");
  const int64_t M = problem.dim("M"), N = problem.dim("N"), P = problem.dim("P"), Q = problem.dim("Q");
  const auto block = [&](int64_t m_begin, int64_t m_end, int64_t n_begin, int64_t n_end) {
    double sum = 0;
    for (int64_t m = m_begin; m < std::min(m_end, M); ++m)
      for (int64_t n = n_begin; n < std::min(n_end, N); ++n)
        sum += total(problem.dim("K"), [&](int64_t k) { return a(m, k) * b(k, n); });
    return sum;
  };
  for_matrix(M, P, [&](int64_t m, int64_t p) { rows(m, p) = block(m, m + 1, 32 * p, 32 * p + 32); });
  for_matrix(Q, N, [&](int64_t q, int64_t n) { columns(q, n) = block(16 * q, 16 * q + 16, n, n + 1); });
  for_matrix(Q, P,
             [&](int64_t q, int64_t p) { blocks(q, p) = block(16 * q, 16 * q + 16, 32 * p, 32 * p + 32); });
}

void row_distances(Problem& problem) {
  const auto x = problem.in("x"), z = problem.in("z");
  const auto y = problem.out("y"), far = problem.out("far"), w = problem.out("w");
  const int64_t D = problem.dim("D"), P = problem.dim("P");
  for (int64_t i = 0; i < problem.dim("N"); ++i) {
    const auto distance = [&](int64_t j) {
      return total(D, [&](int64_t d) { return (x(i, d) - z(j, d)) * (x(i, d) - z(j, d)); });
    };
    double greatest = -1;
    for (int64_t j = 0; j < P; ++j) greatest = std::max(greatest, distance(j));
    const double all = total(P, distance), row = total(D, [&](int64_t d) { return x(i, d); });
    y(i) = all;
    far(i) = greatest;
    for (int64_t d = 0; d < D; ++d) w(i, d) = x(i, d) * all - row * greatest;
  }
}

void weighted_rows(Problem& problem) {
  const auto q = problem.in("q"), k = problem.in("k"), v = problem.in("v");
  const auto o = problem.out("o"), top = problem.out("top");
  const int64_t T = problem.dim("T"), D = problem.dim("D");
  for (int64_t s = 0; s < problem.dim("S"); ++s) {
    const auto score = [&](int64_t t) { return total(D, [&](int64_t d) { return q(s, d) * k(t, d); }); };
    double greatest = -100000;
    for (int64_t t = 0; t < T; ++t) greatest = std::max(greatest, score(t));
    for (int64_t e = 0; e < problem.dim("E"); ++e)
      o(s, e) = total(T, [&](int64_t t) { return std::max(score(t) - greatest, -100.0) * v(t, e); });
    top(s) = greatest;
  }
}

void grouped_heads(Problem& problem) {
  const auto q = problem.in("q"), k = problem.in("k");
  const auto y = problem.out("y");
  const int64_t D = problem.dim("D");
  for_matrix(problem.dim("B"), problem.dim("H"), [&](int64_t b, int64_t h) {
    for_matrix(problem.dim("S"), problem.dim("T"), [&](int64_t s, int64_t t) {
      y(b, h, s, t) = total(D, [&](int64_t d) { return q(b, h, s, d) * k(b, h / 3, t, d); });
    });
  });
}

void batches(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b");
  const auto y = problem.out("y"), z = problem.out("z");
  const int64_t M = problem.dim("M"), K = problem.dim("K");
  for (int64_t x = 0; x < problem.dim("B"); ++x) {
    for (int64_t m = 0; m < M; ++m) {
      double products[3];
      for (int64_t c = 0; c < 3; ++c)
        products[c] = total(K, [&](int64_t k) { return a(x, m, k) * b(x, k, c); });
      y(x, m) = *std::max_element(products, products + 3);
    }
    for (int64_t c = 0; c < 3; ++c) {
      z(x, c) = total(K, [&](int64_t k) {
        double greatest = M > 0 ? a(x, int64_t{0}, k) : 0;
        for (int64_t m = 0; m < M; ++m) greatest = std::max(greatest, a(x, m, k));
        return greatest * b(x, k, c);
      });
    }
  }
}

void masked_terms(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), valid = problem.in("valid");
  const auto y = problem.out("y"), z = problem.out("z"), w = problem.out("w"), v = problem.out("v");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    double in_y = 0, in_z = 0, in_w = 0, in_v = 0;
    for (int64_t k = 0; k < problem.dim("K"); ++k) {
      if (valid(m, k) != 0) in_y += a(m, k) * b(k, n);
      if (b.has(k - 1, n)) in_z += (a.has(m, k + 1) ? a(m, k + 1) : 2) * b(k - 1, n);
      if (a.has(m + 1, k - 2) && b(k, n) > 0) in_w += a(m + 1, k - 2) * b(k, n);
      if (k % 3 != 1) in_v += (valid(m, k) != 0 ? a(m, k) : 1) * b(k, n);
    }
    y(m, n) = in_y;
    z(m, n) = in_z;
    w(m, n) = in_w;
    v(m, n) = in_v;
  });
}

void nested_loops(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b");
  const auto y = problem.out("y");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    int64_t acc = 0;
    for (int64_t i = 0; i < problem.dim("I"); ++i) {
      for (int64_t j = 0; j < 3; ++j) {
        double part = static_cast<double>(i - j);
        for (int64_t k = 0; k < problem.dim("K"); ++k)
          if (a.has(m, i, k + j - 1)) part += a(m, i, k + j - 1) * b(i, j, k, n);
        const auto whole = static_cast<int64_t>(part);
        acc = static_cast<std::int32_t>(acc + whole * j) ^ whole;
      }
    }
    y(m, n) = static_cast<double>(acc);
  });
}

void computed_factors(Problem& problem) {
  const auto a = problem.in("a"), shift = problem.in("shift"), row = problem.in("row");
  const auto b = problem.in("b"), scale = problem.in("scale");
  const auto y = problem.out("y");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    y(m, n) = i32(total(problem.dim("K"), [&](int64_t k) {
      return std::max(i8(a(m, k) - shift(k)), row(m)) * wrapped<std::uint8_t>(b(k, n) * scale(n));
    }));
  });
}

void convolutions(Problem& problem) {
  const auto x = problem.in("x"), f = problem.in("f"), g = problem.in("g");
  const auto y = problem.out("y"), z = problem.out("z");
  const int64_t C = problem.dim("C");
  for_matrix(problem.dim("H"), problem.dim("W"), [&](int64_t h, int64_t w) {
    const auto window = [&](int64_t c, auto weight) {
      double sum = 0;
      for_matrix(3, 3, [&](int64_t i, int64_t j) {
        if (x.has(c, h + i - 1, w + j - 1)) sum += x(c, h + i - 1, w + j - 1) * weight(i, j);
      });
      return sum;
    };
    for (int64_t e = 0; e < problem.dim("F"); ++e) {
      y(e, h, w) =
          total(C, [&](int64_t c) { return window(c, [&](int64_t i, int64_t j) { return f(e, c, i, j); }); });
    }
    for (int64_t c = 0; c < C; ++c) z(c, h, w) = window(c, [&](int64_t i, int64_t j) { return g(c, i, j); });
  });
}

void strided(Problem& problem) {
  const auto x = problem.in("x"), w = problem.in("w"), b = problem.in("b");
  const auto y = problem.out("y"), z = problem.out("z");
  const int64_t K = problem.dim("K"), P = problem.dim("P");
  for (int64_t r = 0; r < problem.dim("R"); ++r) {
    for (int64_t k = 0; k < K; ++k) {
      y(r, k) =
          total(5, [&](int64_t t) { return x.has(2 * r + t - 2, k) ? x(2 * r + t - 2, k) * w(t, k) : 0; });
    }
    for (int64_t n = 0; n < problem.dim("N"); ++n) {
      z(r, n) = total(K, [&](int64_t k) {
        const double next = 2 * r + 1 < P ? x(2 * r + 1, k) : 0;
        return x(2 * r, k) * b(n, 2 * k + 1) - next * b(n, 2 * k);
      });
    }
  }
}

void sums_of_steps(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), u = problem.in("u");
  const auto y = problem.out("y"), z = problem.out("z");
  const int64_t K = problem.dim("K");
  for (int64_t p = 0; p < problem.dim("P"); ++p) {
    const int64_t begin = 24 * p, count = std::min<int64_t>(24, K - begin);
    z(p) = total(count, [&](int64_t k) { return u(begin + k) * u(begin + k); }) - static_cast<double>(begin);
    for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
      y(m, p, n) = total(count, [&](int64_t k) { return a(m, begin + k) * b(begin + k, n); });
    });
  }
}

void whole_floats(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), c = problem.in("c"), d = problem.in("d");
  const auto y = problem.out("y"), z = problem.out("z"), w = problem.out("w");
  const int64_t K = problem.dim("K");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    const double sum = total(K, [&](int64_t k) { return a(m, k) * b(n, k); });
    y(m, n) = sum;
    z(m, n) = total(K, [&](int64_t k) { return c(m, k) * d(k, n); });
    w(m, n) = std::max(sum, 0.0);
  });
}

void scaled_differences(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b"), s = problem.in("s");
  const auto y = problem.out("y");
  const int64_t K = problem.dim("K");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    double sum = 1;
    for (int64_t k = 0; k < K; ++k) sum = (k % 32 == 0 ? sum * s(m) : sum) - a(m, k) * b(k, n);
    y(m, n) = sum;
  });
}

void shortened_factors(Problem& problem) {
  const auto a = problem.in("a"), at = problem.in("at"), b = problem.in("b"), bt = problem.in("bt");
  const auto y = problem.out("y"), z = problem.out("z");
  const int64_t K = problem.dim("K");
  for_matrix(problem.dim("M"), problem.dim("N"), [&](int64_t m, int64_t n) {
    y(m, n) = total(K, [&](int64_t k) { return a(m, k) * b(k, n); });
    z(m, n) = total(K, [&](int64_t k) { return (a(m, k) + at(k, m)) * bt(n, k); }) - 1;
  });
}

void sizes(Problem& problem) {
  const auto a = problem.in("tile"), b = problem.in("tile_"), scale = problem.in("size"),
             bias = problem.in("unit_");
  const auto y = problem.out("run");
  for_matrix(problem.dim("Tile"), problem.dim("Blocks"), [&](int64_t m, int64_t n) {
    const double sum = total(problem.dim("TilesOfSize"), [&](int64_t k) { return a(m, k) * b(k, n); });
    y(m, n) = sum * scale(m) + bias(n);
  });
}

void products_as_values(Problem& problem) {
  const auto a = problem.in("a"), b = problem.in("b");
  const auto y = problem.out("y"), best = problem.out("best"), n = problem.out("n");
  for (int64_t r = 0; r < problem.dim("R"); ++r) {
    double above = 0;
    for (int64_t m = 0; m < problem.dim("M"); ++m) {
      double p[4], squares = 0;
      for (int64_t c = 0; c < 4; ++c) {
        p[c] = total(problem.dim("K"), [&](int64_t k) { return a(r, m, k) * b(k, c); });
        squares += p[c] * p[c];
        above += p[c] > 3 ? 1 : 0;
      }
      y(r, m) = i32(squares - p[2]);
      best(r, m) = static_cast<double>(std::max_element(p, p + 4) - p);
    }
    n(r) = above;
  }
}

TensorSpec words(std::string name, std::vector<std::string> dims) {
  return input(std::move(name), "i16", std::move(dims), -90, 90);
}
TensorSpec whole(std::string name, const char* dtype, std::vector<std::string> dims) {
  return input(std::move(name), dtype, std::move(dims), -3, 3, 1);
}

void add_matrix_cases(std::vector<Case>& cases) {
  const auto add = [&](const char* kernel, std::vector<std::string> symbols, std::vector<TensorSpec> tensors,
                       void reference(Problem&)) {
    cases.push_back(corner("products.tsr", kernel, std::move(symbols), std::move(tensors), reference));
    cases.back().allowed = few_terms;
  };
  add("four_orientations", {"M", "N", "K"},
      {bytes("a", {"M", "K"}), bytes("at", {"K", "M"}), bytes("b", {"K", "N"}), bytes("bt", {"N", "K"}),
       result("nn", {"M", "N"}), result("nt", {"M", "N"}), result("tn", {"M", "N"}),
       result("tt", {"M", "N"})},
      four_orientations);
  add("chosen", {"M", "N", "K"}, {bytes("a", {"M", "K"}), bytes("b", {"K", "N"}), result("y", {"M", "N"})},
      chosen);
  cases.back().file = "tests/corners/requests.tsr";
  cases.back().allowed = [](const Sizes& sizes) {  // on both sides of its conditions
    return sizes.at("M") * sizes.at("N") * sizes.at("K") <= int64_t{1} << 18;
  };
  add("gram", {"M", "K"}, {bytes("a", {"M", "K"}), result("y", {"M", "M"}), result("norm", {"M", "M"})},
      gram);
  cases.back().allowed = [](const Sizes& sizes) {
    return few_terms(sizes) && sizes.at("M") * sizes.at("M") * sizes.at("K") <= int64_t{1} << 13;
  };
  add("turned", {"M", "N", "K"},
      {bytes("a", {"M", "K"}), bytes("b", {"K", "N"}), input("x", "i32", {"M", "N"}, -1000, 1000),
       input("z", "i32", {"N", "3", "M"}, -1000, 1000), result("y", {"N", "M"})},
      turned);
  add("pooled_factor", {"M", "N", "K"},
      {bytes("a", {"K", "N"}), bytes("x", {"M", "2", "K"}), bytes("z", {"M", "K"}), result("y", {"M", "N"})},
      pooled_factor);
  add("stores_beside", {"M", "N", "K"},
      {bytes("a", {"M", "K"}), bytes("b", {"K", "N"}), input("u", "i32", {"M", "3"}, -1000, 1000),
       input("v", "i32", {"N", "M"}, -1000, 1000), result("y", {"3", "M", "N"}),
       result("z", {"M", "N", "3"})},
      stores_beside);
  add("folded_for_each", {"M", "N", "K"},
      {bytes("a", {"M", "K"}), bytes("b", {"K", "N"}), input("x", "i32", {"N", "3"}, -100, 100),
       result("z", {"M", "3"})},
      folded_for_each);
  cases.back().allowed = [](const Sizes& sizes) { return few_terms(sizes) && sizes.at("N") <= 64; };
  add("gated", {"M", "N", "K", "L"},
      {bytes("x", {"M", "K"}), bytes("up", {"K", "N"}), bytes("gate", {"N", "K"}), words("z", {"M", "L"}),
       words("w", {"L", "N"}), result("y", {"M", "N"})},
      gated);
  add("masked_terms", {"M", "N", "K"},
      {bytes("a", {"M", "K"}), bytes("b", {"K", "N"}), input("valid", "bool", {"M", "K"}, 0, 1),
       result("y", {"M", "N"}), result("z", {"M", "N"}), result("w", {"M", "N"}), result("v", {"M", "N"})},
      masked_terms);
  add("computed_factors", {"M", "N", "K"},
      {input("a", "i8", {"M", "K"}, -128, 127), input("shift", "i8", {"K"}, -128, 127),
       input("row", "i8", {"M"}, -128, 127), input("b", "u8", {"K", "N"}, 0, 255),
       input("scale", "u8", {"N"}, 0, 255), result("y", {"M", "N"})},
      computed_factors);
  add("nested_loops", {"M", "N", "K", "I"},
      {bytes("a", {"M", "I", "K"}), bytes("b", {"I", "3", "K", "N"}), result("y", {"M", "N"})}, nested_loops);
  add("sums_of_steps", {"M", "N", "K"},
      {bytes("a", {"M", "K"}), bytes("b", {"K", "N"}), input("u", "i32", {"K"}, -1000, 1000),
       result("y", {"M", "P", "N"}), result("z", {"P"})},
      sums_of_steps);
  cases.back().derived = {{"P", [](const Sizes& sizes) { return (sizes.at("K") + 23) / 24; }}};
  add("whole_floats", {"M", "N", "K"},
      {whole("a", "bf16", {"M", "K"}), whole("b", "bf16", {"N", "K"}), whole("c", "fp8_e4m3", {"M", "K"}),
       whole("d", "fp8_e5m2", {"K", "N"}), output("y", "f32", {"M", "N"}), output("z", "f32", {"M", "N"}),
       output("w", "bf16", {"M", "N"})},
      whole_floats);
  add("shortened_factors", {"M", "N", "K"},
      {whole("a", "f32", {"M", "K"}), whole("at", "f32", {"K", "M"}), whole("b", "f32", {"K", "N"}),
       whole("bt", "f32", {"N", "K"}), output("y", "f32", {"M", "N"}), output("z", "f32", {"M", "N"})},
      shortened_factors);
  add("scaled_differences", {"M", "N", "K"},
      {whole("a", "bf16", {"M", "K"}), whole("b", "bf16", {"K", "N"}), input("s", "f32", {"M"}, -1, 1, 1),
       output("y", "f32", {"M", "N"})},
      scaled_differences);
}

void add_tile_cases(std::vector<Case>& cases) {
  const auto add = [&](const char* kernel, std::vector<std::string> symbols, std::vector<TensorSpec> tensors,
                       void reference(Problem&)) {
    cases.push_back(corner("products.tsr", kernel, std::move(symbols), std::move(tensors), reference));
    cases.back().allowed = few_terms;
  };
  add("chained", {"M", "N", "K", "J"},
      {bytes("a", {"M", "K"}), bytes("b", {"K", "J"}), bytes("c", {"J", "N"}), result("y", {"M", "N"})},
      chained);
  cases.back().allowed = [](const Sizes& sizes) { return few_terms(sizes) && sizes.at("J") <= 96; };
  add("read_both_ways", {"M", "D", "L"},
      {bytes("a", {"M", "D"}), bytes("b", {"L", "D"}), result("y", {"M", "D"})}, read_both_ways);
  cases.back().allowed = [](const Sizes& sizes) { return few_terms(sizes) && sizes.at("D") <= 64; };
  add("block_totals", {"M", "N", "K"},
      {bytes("a", {"M", "K"}), bytes("b", {"K", "N"}), result("rows", {"M", "P"}),
       result("columns", {"Q", "N"}), result("blocks", {"Q", "P"})},
      block_totals);
  cases.back().derived = {{"P", [](const Sizes& sizes) { return (sizes.at("N") + 31) / 32; }},
                          {"Q", [](const Sizes& sizes) { return (sizes.at("M") + 15) / 16; }}};
  add("row_distances", {"N", "P", "D"},
      {bytes("x", {"N", "D"}), bytes("z", {"P", "D"}), result("y", {"N"}), result("far", {"N"}),
       result("w", {"N", "D"})},
      row_distances);
  add("weighted_rows", {"S", "T", "D", "E"},
      {bytes("q", {"S", "D"}), bytes("k", {"T", "D"}), bytes("v", {"T", "E"}), result("o", {"S", "E"}),
       result("top", {"S"})},
      weighted_rows);
  cases.back().allowed = [](const Sizes& sizes) {
    return few_terms(sizes) && sizes.at("D") <= 64 && sizes.at("E") <= 80;
  };
  add("grouped_heads", {"B", "G", "S", "T", "D"},
      {bytes("q", {"B", "H", "S", "D"}), bytes("k", {"B", "G", "T", "D"}), result("y", {"B", "H", "S", "T"})},
      grouped_heads);
  cases.back().derived = {{"H", [](const Sizes& sizes) { return 3 * sizes.at("G"); }}};
  add("batches", {"B", "M", "K"},
      {words("a", {"B", "M", "K"}), words("b", {"B", "K", "3"}), result("y", {"B", "M"}),
       result("z", {"B", "3"})},
      batches);
  add("convolutions", {"C", "H", "W", "F"},
      {bytes("x", {"C", "H", "W"}), bytes("f", {"F", "C", "3", "3"}), bytes("g", {"C", "3", "3"}),
       result("y", {"F", "H", "W"}), result("z", {"C", "H", "W"})},
      convolutions);
  add("strided", {"P", "N", "K"},
      {words("x", {"P", "K"}), words("w", {"5", "K"}), words("b", {"N", "Q"}), result("y", {"R", "K"}),
       result("z", {"R", "N"})},
      strided);
  cases.back().derived = {{"R", [](const Sizes& sizes) { return (sizes.at("P") + 1) / 2; }},
                          {"Q", [](const Sizes& sizes) { return 2 * sizes.at("K") + 1; }}};
  add("sizes", {"Tile", "Blocks", "TilesOfSize"},
      {bytes("tile", {"Tile", "TilesOfSize"}), bytes("tile_", {"TilesOfSize", "Blocks"}),
       input("size", "i32", {"Tile"}, -9, 9), input("unit_", "i32", {"Blocks"}, -1000, 1000),
       result("run", {"Tile", "Blocks"})},
      sizes);
  add("products_as_values", {"R", "M", "K"},
      {bytes("a", {"R", "M", "K"}), bytes("b", {"K", "4"}), result("y", {"R", "M"}),
       result("best", {"R", "M"}), result("n", {"R"})},
      products_as_values);
  cases.back().allowed = [](const Sizes& sizes) { return few_terms(sizes) && sizes.at("M") <= 140; };
}

}  // namespace

void add_product_cases(std::vector<Case>& cases) {
  const std::size_t before = cases.size();
  add_matrix_cases(cases);
  add_tile_cases(cases);
  for (std::size_t k = before; k < cases.size(); ++k) cases[k].problems = 6;
}

}  // namespace tessera::reference
