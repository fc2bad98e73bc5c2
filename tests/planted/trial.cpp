// SPDX-License-Identifier: Apache-2.0
// The ways to run a program; see trial.h.
#include "planted/trial.h"

#include <algorithm>
#include <iterator>

#include "sweep/judge.h"
#include "sweep/sizes.h"

namespace tessera::planted {

namespace {

using reference::Problem;
using sweep::Layout;
using sweep::TwinOrder;

constexpr Layout kOtherLayouts[] = {Layout::misaligned, Layout::padded, Layout::transposed,
                                    Layout::mixed,      Layout::spread, Layout::pitched};

/// What the twin calls its faults, in the order in which they name the kill.
constexpr const char* kTwinFaults[] = {
    "divergent barrier",  "divergent shuffle",     "out of bounds",        "outside of its allocation",
    "misaligned",         "without unit stride",   "written twice",        "never written",
    "nobody initialised", "race in shared memory", "copy still under way", "read before it was written"};

/// One word for the text of a run that failed.
std::string kind_of(const std::string& error) {
  if (error.starts_with("memory that is not")) return "canary";
  for (const char* fault : kTwinFaults) {
    if (error.find(fault) != std::string::npos) return std::string("twin: ") + fault;
  }
  return "status";
}

/// The problem in one layout, under one order.
std::optional<Kill> try_problem(const Program& program, Problem& problem, Layout layout, TwinOrder order) {
  std::optional<Kill> kill;
  const auto find = [&](const std::string& kernel) { return program.entries.at(kernel); };
  sweep::LaunchExecutor(find, {}, order).run(problem, layout, [&](sweep::Run run) {
    if (kill) return;
    const std::string place = problem.description().name + " " + sweep::spell(problem.sizes()) + ", " +
                              sweep::to_string(layout) + ", " + run.how + ": ";
    if (!run.error.empty()) {
      kill = {kind_of(run.error), place + run.error};
      return;
    }
    const sweep::Verdict verdict = sweep::judge(problem, run.outputs);
    if (!verdict.mistakes.empty()) kill = {"mismatch", place + verdict.mistakes};
  });
  return kill;
}

/// Every problem once in a round: layouts and orders take turns.
std::optional<Kill> try_round(const Program& program, Problems& problems, std::size_t round) {
  for (std::size_t i = 0; i < problems.size(); ++i) {
    if (!program.entries.contains(problems[i]->description().kernel)) continue;
    const Layout layout =
        round % 2 == 0 ? Layout::dense : kOtherLayouts[(round / 2 + i) % std::size(kOtherLayouts)];
    const sweep::NamedOrder& order = sweep::kTwinOrders[(round + i) % std::size(sweep::kTwinOrders)];
    if (auto kill = try_problem(program, *problems[i], layout, order.order)) return kill;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Kill> try_problems(const Program& program, Problems& problems, std::size_t first_round,
                                 std::size_t rounds) {
  for (std::size_t round = first_round; round < first_round + rounds; ++round) {
    if (auto kill = try_round(program, problems, round)) return kill;
  }
  return std::nullopt;
}

}  // namespace tessera::planted
