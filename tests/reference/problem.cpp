// SPDX-License-Identifier: Apache-2.0
// Problems: sizes, reproducible inputs, and the comparison of an output with its bounds.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <utility>

#include "reference.h"

namespace tessera::reference {
namespace {

/// SplitMix64: the same numbers on every machine, which the standard distributions do not promise.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  /// Evenly distributed in [0, 1).
  double next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

/// One of `count` choices.
int pick(Random& random, int count) { return static_cast<int>(random.next() * count); }

/// A float whose first bits are anything and whose last ones are a half, nearly a half, or nothing: shorter formats round
/// it in every way. Half of them are of moderate size, where formats of few exponents have their ends.
double float_of_any_kind(const Format& format, Random& random) {
  const double sign = pick(random, 2) == 0 ? 1 : -1;
  switch (pick(random, 32)) {
    case 0: return std::numeric_limits<double>::quiet_NaN();
    case 1: return sign * std::numeric_limits<double>::infinity();
    case 2: return sign * 0.0;
    case 3: return sign * format.largest;
    default: break;
  }
  const int bits = pick(random, 26);
  const double half = std::ldexp(1.0, -bits - 1),
               little = std::ldexp(1.0, -bits - 2 - pick(random, 50 - bits));
  const double ends[] = {0, half, half + little, half - little, half * random.next()};
  const double mantissa = 1 + std::floor(std::ldexp(random.next(), bits)) * 2 * half + ends[pick(random, 5)];
  const int exponent = pick(random, 2) == 0 ? pick(random, 51) - 32 : pick(random, 282) - 152;
  return sign * std::ldexp(mantissa, exponent);
}

/// An integer of any size; small ones and the ends of the type are common.
double integer_of_any_kind(const Format& format, Random& random) {
  switch (pick(random, 16)) {
    case 0: return format.lowest;
    case 1: return format.largest;
    case 2: return 0;
    default: break;
  }
  const double end = pick(random, 2) == 0 ? format.lowest : format.largest;
  return std::trunc(std::ldexp(end * random.next(), -pick(random, 32)));
}

double of_any_kind(const Format& format, Random& random) {
  return format.is_float() ? float_of_any_kind(format, random) : integer_of_any_kind(format, random);
}

[[noreturn]] void fail(const Case& description, const std::string& name) {
  std::fprintf(stderr, "reference: case %s has nothing called %s\n", description.name.c_str(), name.c_str());
  std::abort();
}

std::int64_t extent(const std::string& dim, const Sizes& sizes) {
  const bool literal = dim[0] >= '0' && dim[0] <= '9';
  return literal ? std::stoll(dim) : sizes.at(dim);
}

}  // namespace

Problem::Problem(const Case& description, Sizes sizes, std::uint64_t seed)
    : case_(&description), sizes_(std::move(sizes)) {
  for (const auto& [symbol, value] : description.derived) sizes_[symbol] = value(sizes_);
  for (const TensorSpec& spec : description.tensors) {
    Tensor tensor;
    tensor.spec = &spec;
    std::int64_t count = 1;
    for (const std::string& dim : spec.dims) {
      tensor.shape.push_back(extent(dim, sizes_));
      count *= tensor.shape.back();
    }
    if (spec.output) {
      tensor.expected.resize(count);
    } else {
      tensor.values.resize(count);
      draw(tensor, seed + 1000003 * tensors_.size());
    }
    tensors_.push_back(std::move(tensor));
  }
}

void Problem::draw(Tensor& tensor, std::uint64_t seed) {
  const TensorSpec& spec = *tensor.spec;
  const Format& format = format_of(spec.dtype);
  const double step = spec.step != 0 ? spec.step : format.is_float() ? 0 : 1;
  Random random(seed);
  for (double& value : tensor.values) {
    if (spec.of_all_kinds) {
      value = of_any_kind(format, random);
    } else if (step == 0) {
      value = spec.low + (spec.high - spec.low) * random.next();
    } else {
      const double choices = std::floor((spec.high - spec.low) / step) + 1;
      value = spec.low + step * std::floor(choices * random.next());
    }
    value = round_to(format, value);
  }
}

std::size_t Problem::index_of(const std::string& name) const {
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    if (tensors_[i].spec->name == name) return i;
  }
  fail(*case_, name);
}

double Problem::scalar(const std::string& name) const {
  for (const ScalarSpec& spec : case_->scalars) {
    if (spec.name == name) return round_to(format_of(spec.dtype), spec.value);
  }
  fail(*case_, name);
}

std::vector<std::int64_t> Problem::shape(const std::string& tensor) const {
  return tensors_[index_of(tensor)].shape;
}

std::vector<double>& Problem::values(const std::string& input) { return tensors_[index_of(input)].values; }

const std::vector<Bounded>& Problem::expected(const std::string& output) const {
  return tensors_[index_of(output)].expected;
}

Input Problem::in(const std::string& name) const {
  const Tensor& tensor = tensors_[index_of(name)];
  if (tensor.spec->output) fail(*case_, "input " + name);
  return {tensor.values.data(), tensor.shape};
}

Output Problem::out(const std::string& name) {
  Tensor& tensor = tensors_[index_of(name)];
  if (!tensor.spec->output) fail(*case_, "output " + name);
  return {View<Bounded>(tensor.expected.data(), tensor.shape), format_of(tensor.spec->dtype)};
}

Comparison compare(const Problem& problem, const std::string& output, const std::vector<double>& actual) {
  const std::vector<Bounded>& expected = problem.expected(output);
  Comparison result;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const bool accepted = i < actual.size() && expected[i].accepts(actual[i]);
    if (!accepted && result.wrong++ == 0) result.first_wrong = static_cast<std::int64_t>(i);
    if (i < actual.size() && expected[i].error > 0) {
      result.worst = std::max(result.worst, std::abs(actual[i] - expected[i].value) / expected[i].error);
    }
  }
  return result;
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all = [] {
    std::vector<Case> list;
    add_elementwise_cases(list);
    add_row_cases(list);
    add_stencil_cases(list);
    add_layout_cases(list);
    add_clifford_cases(list);
    add_product_example_cases(list);
    add_corner_cases(list);
    return list;
  }();
  return all;
}

}  // namespace tessera::reference
