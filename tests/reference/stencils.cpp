// SPDX-License-Identifier: Apache-2.0
// Kernels that look at a neighbourhood: periodic ones wrap, the others find nothing beyond the edge.
#include "reference.h"

namespace tessera::reference {
namespace {

std::int64_t wrap(std::int64_t i, std::int64_t extent) { return ((i % extent) + extent) % extent; }

void laplacian(Problem& problem) {
  const auto u = problem.in("u");
  const auto v = problem.out("v");
  const F64 h = problem.scalar("h");
  const auto X = problem.dim("X"), Y = problem.dim("Y"), Z = problem.dim("Z");
  const F64 c[] = {-205.0 / 72.0, 8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0};
  const auto at = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    return F64(u(wrap(x, X), wrap(y, Y), wrap(z, Z)));
  };
  for (std::int64_t x = 0; x < X; ++x) {
    for (std::int64_t y = 0; y < Y; ++y) {
      for (std::int64_t z = 0; z < Z; ++z) {
        F64 acc = F64(3) * c[0] * at(x, y, z);
        for (std::int64_t i = 1; i < 5; ++i) {
          acc += c[i] * (at(x - i, y, z) + at(x + i, y, z) + at(x, y - i, z) + at(x, y + i, z) +
                         at(x, y, z - i) + at(x, y, z + i));
        }
        v(x, y, z) = acc / (h * h);
      }
    }
  }
}

void wave(Problem& problem) {
  const auto now = problem.in("now"), before = problem.in("before"), speed = problem.in("speed");
  const auto next = problem.out("next");
  const F64 dt = problem.scalar("dt"), h = problem.scalar("h");
  const auto X = problem.dim("X"), Y = problem.dim("Y");
  const F64 weight[3][3] = {{1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0},
                            {2.0 / 3.0, -10.0 / 3.0, 2.0 / 3.0},
                            {1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0}};
  for (std::int64_t x = 0; x < X; ++x) {
    for (std::int64_t y = 0; y < Y; ++y) {
      F64 acc = 0;
      for (std::int64_t i = 0; i < 3; ++i) {
        for (std::int64_t j = 0; j < 3; ++j) {
          acc += weight[i][j] * F64(now(wrap(x + i - 1, X), wrap(y + j - 1, Y)));
        }
      }
      const F64 courant = F64(speed(x, y)) * dt / h;
      next(x, y) = F64(2) * F64(now(x, y)) - F64(before(x, y)) + courant * courant * acc;
    }
  }
}

/// Windows of 2 Q + 1 by 2 Q + 1.
template <std::int64_t Q>
void hole_fill(Problem& problem) {
  const auto depth = problem.in("depth"), valid = problem.in("valid");
  const auto filled = problem.out("filled"), seen = problem.out("seen");
  const auto Y = problem.dim("Y"), X = problem.dim("X");
  for (std::int64_t y = 0; y < Y; ++y) {
    for (std::int64_t x = 0; x < X; ++x) {
      Sum<F32> near;
      for (std::int64_t v = y - Q; v <= y + Q; ++v) {
        for (std::int64_t u = x - Q; u <= x + Q; ++u) {
          if (valid.has(v, u) && valid(v, u) != 0) near.add(depth(v, u));
        }
      }
      seen(y, x) = static_cast<double>(near.count());
      if (valid(y, x) != 0) {
        filled(y, x) = depth(y, x);
      } else if (near.count() > 0) {
        filled(y, x) = near.mean();
      } else {
        filled(y, x) = 0.0;
      }
    }
  }
}

Case hole_fill_case(const std::string& kernel, void reference(Problem&)) {
  return {
      .name = kernel,
      .file = "tests/outsider/hole_fill.tsr",
      .kernel = kernel,
      .symbols = {"Y", "X"},
      .tensors = {input("depth", "f32", {"Y", "X"}, 0.5, 8), input("valid", "bool", {"Y", "X"}, 0, 1),
                  output("filled", "f32", {"Y", "X"}), output("seen", "i32", {"Y", "X"})},
      .exactness = Exactness::kBounded,
      .reference = reference,
  };
}

}  // namespace

void add_stencil_cases(std::vector<Case>& cases) {
  cases.push_back({
      .name = "laplacian",
      .file = "examples/laplacian/laplacian.tsr",
      .kernel = "laplacian",
      .symbols = {"X", "Y", "Z"},
      .tensors = {input("u", "f64", {"X", "Y", "Z"}), output("v", "f64", {"X", "Y", "Z"})},
      .scalars = {{"h", "f64", 0.1}},
      .reference = laplacian,
  });
  cases.push_back({
      .name = "wave",
      .file = "tests/outsider/wave.tsr",
      .kernel = "wave",
      .symbols = {"X", "Y"},
      .tensors = {input("now", "f64", {"X", "Y"}), input("before", "f64", {"X", "Y"}),
                  input("speed", "f64", {"X", "Y"}, 0.5, 3), output("next", "f64", {"X", "Y"})},
      .scalars = {{"dt", "f64", 0.03}, {"h", "f64", 0.1}},
      .reference = wave,
  });
  cases.push_back(hole_fill_case("hole_fill_3x3", hole_fill<1>));
  cases.push_back(hole_fill_case("hole_fill_5x5", hole_fill<2>));
}

}  // namespace tessera::reference
