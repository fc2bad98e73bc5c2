// SPDX-License-Identifier: Apache-2.0
// Which sizes a kernel is tried at; see sizes.h.
#include "sweep/sizes.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

namespace tessera::sweep {

namespace {

using reference::Case;
using reference::Sizes;

constexpr std::int64_t kExtents[] = {0, 1, 7, 17, 40, 104, 127, 250, 1000, 4099};
constexpr std::int64_t kOthers[] = {1, 17, 64, 130};
constexpr std::int64_t kLargeExtent = std::end(kExtents)[-1], kLargestOther = std::end(kOthers)[-1];
constexpr int kRandomCombinations = 20;
/// Problems of at most so many elements are never left out of a sample.
constexpr std::int64_t kSmall = 1 << 13;

std::int64_t extent(const std::string& dim, const Sizes& sizes) {
  const bool literal = dim[0] >= '0' && dim[0] <= '9';
  return literal ? std::stoll(dim) : sizes.at(dim);
}

/// The next smaller one of the extents that other symbols take.
std::int64_t smaller(std::int64_t value) {
  std::int64_t result = 1;
  for (const std::int64_t other : kOthers) {
    if (other < value) result = other;
  }
  return result;
}

/// Makes symbols other than those `kept` smaller, the last one first, until the problem fits.
bool shrink(const Case& description, const std::set<std::string>& kept, std::int64_t largest, Sizes& sizes) {
  while (element_count(description, sizes) > largest) {
    const auto candidate = std::find_if(
        description.symbols.rbegin(), description.symbols.rend(),
        [&](const std::string& symbol) { return !kept.contains(symbol) && sizes.at(symbol) > 1; });
    if (candidate == description.symbols.rend()) return false;
    sizes[*candidate] = smaller(sizes.at(*candidate));
  }
  return true;
}

/// Extents from 1 to about 600, small ones as often as large ones. The generator and the arithmetic give the
/// same numbers everywhere.
std::int64_t random_extent(std::mt19937_64& random) {
  const double uniform = static_cast<double>(random() >> 11) * 0x1p-53;
  return static_cast<std::int64_t>(std::floor(std::exp2(uniform * 9.25)));
}

}  // namespace

std::int64_t element_count(const Case& description, const Sizes& sizes) {
  Sizes all = sizes;
  for (const auto& [symbol, value] : description.derived) all[symbol] = value(all);
  std::int64_t sum = 0;
  for (const reference::TensorSpec& tensor : description.tensors) {
    std::int64_t count = 1;
    for (const std::string& dim : tensor.dims) count *= extent(dim, all);
    sum += count;
  }
  return sum;
}

std::vector<Sizes> all_sizes(const Case& description, std::int64_t largest) {
  std::vector<Sizes> result;
  std::set<Sizes> seen;
  const auto add = [&](const std::set<std::string>& kept, Sizes sizes) {
    if (!shrink(description, kept, largest, sizes)) return;
    if (description.allowed && !description.allowed(sizes)) return;
    if (seen.insert(sizes).second) result.push_back(std::move(sizes));
  };
  for (const std::string& varied : description.symbols) {
    for (const std::int64_t value : kExtents) {
      for (const std::int64_t other : kOthers) {
        Sizes sizes;
        for (const std::string& symbol : description.symbols)
          sizes[symbol] = symbol == varied ? value : other;
        add({varied}, std::move(sizes));
      }
    }
  }
  std::mt19937_64 random(20);
  for (int i = 0; i < kRandomCombinations; ++i) {
    Sizes sizes;
    for (const std::string& symbol : description.symbols) sizes[symbol] = random_extent(random);
    add({}, std::move(sizes));
  }
  for (const std::string& first : description.symbols) {
    for (const std::string& second : description.symbols) {
      if (first >= second) continue;
      Sizes sizes;
      for (const std::string& symbol : description.symbols)
        sizes[symbol] = symbol == first || symbol == second ? kLargeExtent : kLargestOther;
      add({first, second}, std::move(sizes));
    }
  }
  return result;
}

std::vector<Sizes> sample(const Case& description, const std::vector<Sizes>& sizes, std::int64_t budget,
                          std::size_t count) {
  std::int64_t total = 0;
  for (const Sizes& one : sizes) total += element_count(description, one);
  const std::int64_t every = total / std::max<std::int64_t>(budget, 1) + 1;
  std::vector<Sizes> result;
  std::int64_t large = 0;
  for (const Sizes& one : sizes) {
    if (element_count(description, one) <= kSmall || large++ % every == 0) result.push_back(one);
  }
  if (result.size() <= count) return result;
  std::vector<Sizes> fewer;
  for (std::size_t i = 0; i < count; ++i) fewer.push_back(std::move(result[i * result.size() / count]));
  return fewer;
}

std::string spell(const Sizes& sizes) {
  std::string text;
  for (const auto& [symbol, value] : sizes)
    text += (text.empty() ? "" : " ") + symbol + "=" + std::to_string(value);
  return text;
}

}  // namespace tessera::sweep
