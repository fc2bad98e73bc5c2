// SPDX-License-Identifier: Apache-2.0
// Attention, full and causal, through the C++ interface; every element is compared with a loop in f64.
#include "../common/products.h"
#include "attention.h"

using example::bf16;
using example::widen;

namespace {

using example::index;

const example::Shapes<4> kShapes = {
    .kernel = "attention",
    .symbols = {"B", "H", "S", "D"},
    .twin = {{1, 2, 70, 64}, {1, 1, 33, 128}, {1, 1, 20, 256}},
    .gpu = {{1, 16, 4096, 128}, {2, 16, 4000, 64}, {1, 16, 2047, 256}},
};

/// Values lie between -1 and 1, which the bound uses; queries are longer, so that some keys matter more.
constexpr double kLargestQuery = 4;

/// The weights of a row's keys, how much all of them may be off when keys arrive in tiles, and their sum.
struct Weights {
  std::vector<double> weight;
  double sum = 0, sum_error = 0;  ///< of the weights
  double error = 0;               ///< of any sum of weights, as bf16, times values
};

/// The error that R9, R24 and docs/math.md permit, with u = 2^-24 and the distance d from the greatest logit
/// P: a logit is off by its sum of D products and the scale, x - P by u d, and that turns into a relative
/// error of exp, which adds 2^-20 (1 + d) of its own. Weights are scaled again whenever the maximum rises:
/// the distances on that way add up to d, and each step has an exp and a product. Shifts of all logits cancel.
Weights weigh(const bf16* q, double q_length, const bf16* keys, const double* key_lengths, double scale,
              index count, index D) {
  constexpr double u = example::kUnit<float>, fast = 0x1p-20, narrow = example::kUnit<bf16>;
  std::vector<double> logit(count), logit_error(count);
  double top = -INFINITY, top_error = 0, rises = 0;
  for (index t = 0; t < count; ++t) {
    double sum = 0;
    for (index d = 0; d < D; ++d) sum += widen(q[d]) * widen(keys[t * D + d]);
    logit[t] = scale * sum;
    logit_error[t] = scale * product_error(D, q_length * key_lengths[t]) + u * std::abs(logit[t]);
    if (logit[t] + logit_error[t] >= top - top_error) ++rises;  // perhaps: the tiles decide
    if (logit[t] > top) top = logit[t], top_error = logit_error[t];
  }
  Weights result;
  result.weight.resize(count);
  for (index t = 0; t < count; ++t) {
    const double distance = top - logit[t], weight = std::exp(-distance);
    const double relative =
        std::expm1(logit_error[t] + u * distance + fast * (1 + distance) + rises * (fast + 2 * u));
    result.weight[t] = weight;
    result.sum += weight;
    result.sum_error += weight * relative;
    result.error += weight * (relative + narrow * (1 + relative));
  }
  result.sum_error += static_cast<double>(count + 2) * u * (result.sum + result.sum_error);
  result.error += product_error(count, result.sum + result.error);
  return result;
}

/// Compares a row with the sum of the values by their weights.
void compare_row(const Weights& weights, const bf16* values, const bf16* row, index count, index D,
                 example::Comparison& comparison) {
  std::vector<double> sum(D);
  for (index t = 0; t < count; ++t) {
    for (index d = 0; d < D; ++d) sum[d] += weights.weight[t] * widen(values[t * D + d]);
  }
  for (index d = 0; d < D; ++d) {
    const double expected = sum[d] / weights.sum;
    const double error =
        (weights.error + std::abs(expected) * weights.sum_error) / (weights.sum - weights.sum_error) +
        example::kUnit<float> * std::abs(expected);
    comparison.add(widen(row[d]), expected,
                   error + example::store_rounding<bf16>(std::abs(expected) + error));
  }
}

/// The lengths of the rows of D elements.
std::vector<double> lengths(const std::vector<bf16>& x, index D) {
  std::vector<double> result(x.size() / D);
  for (std::size_t i = 0; i < x.size(); ++i) result[i / D] += widen(x[i]) * widen(x[i]);
  for (double& length : result) length = std::sqrt(length);
  return result;
}

/// What a kernel sees: all keys, or those up to the query's own.
struct Mask {
  const char* kernel;
  tessera::Status (*launch)(const tessera::Tensor& Q, const tessera::Tensor& K, const tessera::Tensor& V,
                            const tessera::Tensor& O, float scale, const tessera::LaunchOptions& options);
  bool causal;
};
const Mask kMasks[] = {{"attention", kernels::attention, false},
                       {"attention_causal", kernels::attention_causal, true}};

bool attention(const Mask& mask, const example::Shape<4>& shape) {
  const index B = shape[0], H = shape[1], S = shape[2], D = shape[3], rows = B * H * S;
  const float scale = 1 / std::sqrt(static_cast<float>(D));
  const std::vector<bf16> Q = example::random<bf16>(rows * D, -kLargestQuery, kLargestQuery),
                          K = example::random<bf16>(rows * D, -1, 1),
                          V = example::random<bf16>(rows * D, -1, 1);
  const example::DeviceArray<bf16> q_device(Q), k_device(K), v_device(V), o_device(rows * D);
  const tessera::Tensor q = q_device.tensor({B, H, S, D}), k = k_device.tensor({B, H, S, D}),
                        v = v_device.tensor({B, H, S, D}), o = o_device.tensor({B, H, S, D});

  const example::Timing timing = example::run(
      [&](const tessera::LaunchOptions& options) { return mask.launch(q, k, v, o, scale, options); });

  const std::vector<bf16> O = o_device.read();
  const std::vector<double> q_lengths = lengths(Q, D), k_lengths = lengths(K, D);
  const auto compare = [&](index row, example::Comparison& comparison) {
    const index head = row / S * S;  // the first row of its keys and values
    const index seen = mask.causal ? row - head + 1 : S;
    const Weights weights =
        weigh(&Q[row * D], q_lengths[row], &K[head * D], &k_lengths[head], scale, seen, D);
    compare_row(weights, &V[head * D], &O[row * D], seen, D, comparison);
  };
  example::Shapes<4> shapes = kShapes;
  shapes.kernel = mask.kernel;
  const index pairs = mask.causal ? B * H * (S * (S + 1) / 2) : rows * S;
  return example::report_products(shapes, shape, timing, example::compare_rows(rows, compare), 2 * pairs * D);
}

bool all_masks(const example::Shape<4>& shape) {
  bool right = true;
  for (const Mask& mask : kMasks) right = attention(mask, shape) && right;
  return right;
}

}  // namespace

int main(int argc, char** argv) { return example::main(argc, argv, kShapes, all_masks); }
