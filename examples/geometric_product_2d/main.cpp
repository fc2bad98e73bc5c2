// SPDX-License-Identifier: Apache-2.0
// The gated, normalised geometric product of Cl(2,0) through the C++ interface, compared with a loop in f64.
#include "../common/example.h"
#include "geometric_product_2d.h"

namespace {

const example::Shapes<2> kShapes = {.kernel = "geometric_product_2d",
                                    .symbols = {"B", "N"},
                                    .twin = {{37, 129}, {3, 700}},
                                    .gpu = {{4095, 513}, {16384, 512}}};

constexpr float kEps = 1e-6f;
constexpr int kGrade[4] = {0, 1, 1, 2};  // of the components 1, e1, e2, e12

/// r[k] += sign w[path] p[i] q[j]: the multiplication table of the algebra.
struct Term {
  int k, i, j, sign, path;
};
constexpr Term kTerms[16] = {
    {0, 0, 0, +1, 0}, {0, 1, 1, +1, 3}, {0, 2, 2, +1, 3}, {0, 3, 3, -1, 7},  //
    {1, 0, 1, +1, 1}, {1, 1, 0, +1, 4}, {1, 2, 3, -1, 5}, {1, 3, 2, +1, 8},  //
    {2, 0, 2, +1, 1}, {2, 2, 0, +1, 4}, {2, 1, 3, +1, 5}, {2, 3, 1, -1, 8},  //
    {3, 0, 3, +1, 2}, {3, 1, 2, +1, 6}, {3, 2, 1, -1, 6}, {3, 3, 0, +1, 9},
};

double gate(double t) { return 0.5 * std::erfc(-t / std::sqrt(2.0)); }

/// Row b. The error that R24 and docs/math.md permit, with u = 2^-24: a gate is off by less than 5u (erf
/// has 2 ulp, and its argument two roundings), so a term of the product by 17u of the product of its
/// ungated factors, and a component r by 21u of their sum. The mean square is off by 2 |r| times that and
/// by its own N + 8 roundings per component, rsqrt by half of it relatively and 1.5 ulp, and the last
/// product by u.
class Row {
 public:
  Row(const float* x, const float* y, const float* w, int64_t B, int64_t N, int64_t b)
      : N_(N), r_(4 * N), error_(4 * N) {
    for (int64_t n = 0; n < N; ++n) {
      const auto at = [&](int c) { return (c * B + b) * N + n; };
      const double gates = gate(x[at(0)]) * gate(y[at(0)]);
      for (const Term& term : kTerms) {
        const double factors = term.sign * double(w[n * 10 + term.path]) * x[at(term.i)] * y[at(term.j)];
        r_[term.k * N + n] += gates * factors;
        error_[term.k * N + n] += 21 * u * std::abs(factors);
      }
      for (int c = 0; c < 4; ++c) {
        const double r = r_[c * N + n], error = error_[c * N + n], terms = kGrade[c] == 1 ? 2 * N : N;
        square_[kGrade[c]] += r * r / N;
        square_error_[kGrade[c]] += ((2 * std::abs(r) + error) * error + (terms + 8) * u * r * r) / N;
      }
    }
  }

  void compare(int c, int64_t n, double actual, example::Comparison& comparison) const {
    const double r = r_[c * N_ + n], argument = square_[kGrade[c]] + kEps, inverse = 1 / std::sqrt(argument);
    const double relative = 0.5 * square_error_[kGrade[c]] / argument + 6 * u;
    comparison.add(actual, r * inverse, 1.01 * inverse * (error_[c * N_ + n] + std::abs(r) * relative));
  }

 private:
  static constexpr double u = example::kUnit<float>;
  int64_t N_;
  std::vector<double> r_, error_;
  double square_[3] = {}, square_error_[3] = {};
};

bool geometric_product(const example::Shape<2>& shape) {
  const auto [B, N] = shape;
  const std::vector<float> x = example::random<float>(4 * B * N, -2, 2),
                           y = example::random<float>(4 * B * N, -2, 2),
                           w = example::random<float>(10 * N, -1, 1);
  const example::DeviceArray<float> x_device(x), y_device(y), w_device(w), o_device(4 * B * N);

  const tessera::Tensor x_tensor = x_device.tensor({4, B, N}), y_tensor = y_device.tensor({4, B, N}),
                        w_tensor = w_device.tensor({N, 10}), o_tensor = o_device.tensor({4, B, N});
  const example::Timing timing = example::run([&](const tessera::LaunchOptions& options) {
    return kernels::geometric_product_2d(x_tensor, y_tensor, w_tensor, o_tensor, kEps, options);
  });

  const std::vector<float> o = o_device.read();
  example::Comparison comparison;
  for (int64_t b = 0; b < B; ++b) {
    const Row row(x.data(), y.data(), w.data(), B, N, b);
    for (int c = 0; c < 4; ++c) {
      for (int64_t n = 0; n < N; ++n) row.compare(c, n, o[(c * B + b) * N + n], comparison);
    }
  }
  return example::report(kShapes, shape, timing, comparison,
                         x_device.bytes() + y_device.bytes() + w_device.bytes() + o_device.bytes());
}

}  // namespace

int main(int argc, char** argv) { return example::main(argc, argv, kShapes, geometric_product); }
