// SPDX-License-Identifier: Apache-2.0
// The list of sizes; see odd_problems.h.
#include "commands/odd_problems.h"

#include <algorithm>
#include <set>

#include "commands/work.h"

namespace tessera::commands {

namespace {

/// Some end shortly behind a tile of 16, of 64 or of 128, one shortly before.
const std::vector<int64_t> kExtents = {0, 1, 7, 17, 65, 127, 129, 250};
/// What the other symbols are: the first list with which a problem stays within the limits.
const std::vector<int64_t> kOthers[] = {{17, 1, 64, 130, 16, 8, 4, 2, 3, 32, 128},
                                        {5, 3, 2, 4, 1, 8, 16, 17, 32, 64},
                                        {2, 1, 3, 4, 5, 8, 16, 32},
                                        {1, 2, 3, 4, 5, 8, 16, 32}};
const std::vector<int64_t> kCombinations[] = {{127, 33, 9, 5},   {65, 129, 3, 2}, {31, 1000, 5, 1}, {1},
                                              {64, 256, 32, 16}, {4, 64, 16, 16}, {128, 48, 16, 8}};

class OddProblems {
 public:
  OddProblems(const Problem& given, const Settings& settings, const ProblemLimits& limits)
      : kernel_(*given.kernel), seen_{given.sizes}, limits_(limits), terms_left_(limits.terms) {
    for (const ir::Scalar& scalar : kernel_.scalars) {
      if (const auto setting = settings.find(scalar.name); setting != settings.end())
        scalars_.insert(*setting);
    }
  }

  std::vector<Problem> make() {
    const std::vector<Settings> all = wanted();
    tries_left_ = all.size();
    for (const Settings& sizes : all) {
      try_sizes(sizes);
      --tries_left_;
    }
    return std::move(problems_);
  }

 private:
  /// Small sizes come first: what they leave of the terms is for the large ones.
  std::vector<Settings> wanted() const {
    std::vector<Settings> all;
    const auto values = [](const ir::Symbol& symbol) -> const std::vector<int64_t>& {
      return symbol.allowed.empty() ? kExtents : symbol.allowed;
    };
    std::size_t most = 0;
    for (const ir::Symbol& symbol : kernel_.symbols) most = std::max(most, values(symbol).size());
    for (std::size_t k = 0; k < most; ++k) {
      for (const ir::Symbol& symbol : kernel_.symbols) {
        if (k < values(symbol).size()) all.push_back({{symbol.name, std::to_string(values(symbol)[k])}});
      }
    }
    for (const std::vector<int64_t>& combination : kCombinations) {
      Settings sizes;
      std::size_t next = 0;
      for (const ir::Symbol& symbol : kernel_.symbols) {
        if (symbol.allowed.empty())
          sizes[symbol.name] = std::to_string(combination[next++ % combination.size()]);
      }
      all.push_back(std::move(sizes));
    }
    return all;
  }

  void try_sizes(Settings sizes) {
    sizes.insert(scalars_.begin(), scalars_.end());
    for (const std::vector<int64_t>& others : kOthers) {
      DiagnosticSink ignored;  // a size that a constraint forbids is left out
      auto problem = make_problem(kernel_, sizes, others, ignored);
      if (!problem || !fits(*problem)) continue;
      if (!seen_.insert(problem->sizes).second) return;
      terms_left_ -= count_terms(*problem);
      problems_.push_back(std::move(*problem));
      return;
    }
  }

  bool fits(const Problem& problem) const {
    const auto bytes = problem.bytes();
    return bytes && *bytes <= limits_.bytes &&
           count_terms(problem) <= terms_left_ / static_cast<double>(tries_left_);
  }

  const ir::Kernel& kernel_;
  Settings scalars_;
  std::set<std::vector<int64_t>> seen_;
  const ProblemLimits& limits_;
  double terms_left_ = 0;
  std::size_t tries_left_ = 0;
  std::vector<Problem> problems_;
};

}  // namespace

std::vector<Problem> odd_problems(const Problem& given, const Settings& settings,
                                  const ProblemLimits& limits) {
  return OddProblems(given, settings, limits).make();
}

}  // namespace tessera::commands
