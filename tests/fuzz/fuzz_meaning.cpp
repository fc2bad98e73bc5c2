// SPDX-License-Identifier: Apache-2.0
// Generated programs, as far as no generated code is needed: how many are accepted, why others are not, and whether
// the interpreter agrees with the independent evaluation.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <map>

#include "fuzz/generate.h"
#include "fuzz/oracle.h"
#include "fuzz/print.h"
#include "fuzz/seeds.h"

namespace tessera::fuzz {

namespace {

struct Totals {
  int programs = 0, accepted = 0, judged = 0, wrong = 0;
  std::map<std::string, std::pair<int, std::uint64_t>> refusals;  // by code: how many, and a seed
};

void report(const Program& program, const std::string& text, const std::string& reason) {
  std::printf("seed %llu: %s\n%s\n", static_cast<unsigned long long>(program.seed), reason.c_str(),
              text.c_str());
}

void judge(std::uint64_t seed, Totals& totals, bool shows) {
  const Program program = generate(seed);
  Checked checked;
  check_program(program, checked);
  ++totals.programs;
  if (shows) std::printf("%s\n", checked.text.c_str());
  if (!checked.module) {
    auto& [count, example] = totals.refusals[checked.refusal.substr(0, 5)];
    if (count++ == 0) example = seed;
    if (shows) std::printf("%s\n", checked.refusal.c_str());
    if (checked.refusal.starts_with("internal"))
      ++totals.wrong, report(program, checked.text, checked.refusal);
    return;
  }
  ++totals.accepted;
  for (int problem = 0; problem < program.problems; ++problem) {
    std::string wrong;
    try {
      const Expected expected = evaluate(program, problem, 7);
      if (!expected.unwritten.empty()) wrong = "nothing writes " + expected.unwritten.front();
      if (wrong.empty()) wrong = judge_interpreter(program, checked.module->kernels[0], problem, expected);
    } catch (const NotExact& error) {
      wrong = std::string("evaluation: ") + error.what();
    }
    ++totals.judged;
    if (wrong.empty()) continue;
    ++totals.wrong;
    report(program, checked.text, "problem " + std::to_string(problem) + ": " + wrong);
  }
}

}  // namespace

}  // namespace tessera::fuzz

int main(int count, char** arguments) {
  using namespace tessera::fuzz;
  std::string range = "1..200";
  unsigned long long replay = 0;
  CLI::App app("Generated programs on the checker and the interpreter");
  app.add_option("--seeds", range, "first and last seed: 1..200");
  app.add_option("--replay", replay, "this seed alone, with its text");
  CLI11_PARSE(app, count, arguments);
  const std::optional<SeedRange> seeds =
      replay != 0 ? SeedRange{replay, replay} : parse_seeds("fuzz_meaning", range);
  if (!seeds) return 2;
  Totals totals;
  const auto start = std::chrono::steady_clock::now();
  for (unsigned long long seed = seeds->first; seed <= seeds->last; ++seed) judge(seed, totals, replay != 0);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  for (const auto& [code, refusal] : totals.refusals)
    std::printf("%s refuses %d, for instance seed %llu\n", code.c_str(), refusal.first,
                static_cast<unsigned long long>(refusal.second));
  std::printf("%d programs, %d accepted (%.1f %%), %d problems judged, %d wrong, %.1f s\n", totals.programs,
              totals.accepted, 100.0 * totals.accepted / totals.programs, totals.judged, totals.wrong,
              seconds.count());
  return totals.wrong == 0 ? 0 : 1;
}
