// SPDX-License-Identifier: Apache-2.0
// Special numbers; see special.h.
#include "planted/special.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>

#include "sweep/interpreter_executor.h"
#include "sweep/judge.h"
#include "sweep/placement.h"

namespace tessera::planted {

namespace {

using reference::Problem;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
/// Ties of bf16 and f16 towards both neighbours, what overflows f16 and bf16, what is denormal in f16 and in f32, and what
/// saturates as an integer.
constexpr double kSpecial[] = {kNaN,       0x1.01p0,   -0x1.03p0, kInfinity, 0x1.002p0,
                               -0x1.006p0, -kInfinity, -0.0,      65519.0,   65520.0,
                               0x1.5p-20,  0x1p-140,   3.4e38,    -3.4e38,   2147483648.0};
/// What the order of a sum cannot turn into something else.
constexpr double kOfSums[] = {kNaN, kInfinity, -kInfinity, -0.0};

template <std::size_t kCount>
void sprinkle(std::vector<double>& values, const double (&special)[kCount], std::size_t distance) {
  for (std::size_t i = distance / 2, number = 0; i < values.size(); i += distance, ++number)
    values[i] = special[number % kCount];
}

/// Whether the language fixes all bits. Products do not feel the order of sums of whole numbers, but factors that are
/// shortened for an instruction feel other numbers.
bool is_bitwise(const Problem& problem, const KernelSet& set) {
  return problem.description().exactness == reference::Exactness::kBitwise && !set.has_products;
}

/// Whether any input is one of floats, in which special numbers are put.
bool put_numbers(Problem& problem, bool bitwise) {
  bool any = false;
  for (const reference::TensorSpec& spec : problem.description().tensors) {
    if (spec.output || !reference::format_of(spec.dtype).is_float()) continue;
    std::vector<double>& values = problem.values(spec.name);
    if (bitwise) {
      sprinkle(values, kSpecial, 5);
    } else {
      sprinkle(values, kOfSums, 53);
    }
    // As the tensor holds them.
    const sweep::Storage& storage = sweep::storage_of(spec.dtype);
    for (double& value : values) {
      std::byte bytes[8];
      storage.store(bytes, value);
      value = storage.load(bytes);
    }
    any = true;
  }
  return any;
}

/// A number for what an element is, where its digits do not count.
double kind_of(double value) { return std::isnan(value) ? 3 : std::isinf(value) ? (value > 0 ? 2 : 1) : 0; }

void keep_kinds(sweep::Outputs& outputs) {
  for (auto& [name, values] : outputs) std::ranges::transform(values, values.begin(), kind_of);
}

}  // namespace

SpecialProblems special_problems(const KernelSet& set) {
  sweep::InterpreterExecutor interpreter;
  SpecialProblems result;
  std::set<std::string> seen;
  for (auto& problem : solve(set)) {
    const bool is_empty =
        std::ranges::any_of(problem->sizes(), [](const auto& size) { return size.second == 0; });
    const bool is_left_out = std::ranges::count(set.without_special, problem->description().name) > 0;
    if (is_empty || is_left_out || seen.contains(problem->description().name) ||
        !put_numbers(*problem, is_bitwise(*problem, set)))
      continue;
    seen.insert(problem->description().name);
    SpecialProblem special{std::move(problem), {}, false};
    special.bitwise = is_bitwise(*special.problem, set);
    interpreter.run(*special.problem, sweep::Layout::dense, [&](sweep::Run run) {
      if (special.expected.empty()) special.expected = std::move(run.outputs);
    });
    if (!special.bitwise) keep_kinds(special.expected);
    result.push_back(std::move(special));
  }
  return result;
}

std::optional<Kill> try_special(const Program& program, SpecialProblems& problems) {
  std::optional<Kill> kill;
  const auto find = [&](const std::string& kernel) { return program.entries.at(kernel); };
  for (SpecialProblem& special : problems) {
    if (kill || !program.entries.contains(special.problem->description().kernel)) continue;
    sweep::LaunchExecutor(find).run(*special.problem, sweep::Layout::dense, [&](sweep::Run run) {
      if (kill) return;
      if (!special.bitwise) keep_kinds(run.outputs);
      const std::string difference =
          run.error.empty()
              ? sweep::first_difference(special.expected, run.outputs, reference::Exactness::kBitwise)
              : run.error;
      if (!difference.empty())
        kill = {"special numbers", special.problem->description().name + ", " + run.how + ": " + difference};
    });
  }
  return kill;
}

}  // namespace tessera::planted
