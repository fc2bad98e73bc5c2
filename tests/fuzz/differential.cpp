// SPDX-License-Identifier: Apache-2.0
// From programs to failures; see differential.h.
#include "fuzz/differential.h"

#include "fuzz/launch.h"

namespace tessera::fuzz {

namespace {

/// A program on its way, with what is expected of each of its problems.
struct Subject {
  const Program* program;
  std::unique_ptr<Checked> checked;
  std::vector<Expected> expected;
};

/// A program under a plan, in the unit: a pair for each of its problems.
struct Pairs {
  const Subject* subject;
  Configuration configuration;
};

class Batch {
 public:
  Batch(const Differential& how, Totals& totals) : how_(how), totals_(totals) {}

  void add(const Program& program) {
    ++totals_.programs;
    Subject subject{&program, std::make_unique<Checked>(), {}};
    check_program(program, *subject.checked);
    if (!subject.checked->module) {
      if (subject.checked->refusal.starts_with("internal"))
        fail(program, "compiler", subject.checked->refusal);
      return;
    }
    ++totals_.accepted;
    if (judge_meaning(subject)) subjects_.push_back(std::make_unique<Subject>(std::move(subject)));
  }

  std::vector<Failure> run() {
    for (const auto& subject : subjects_) emit(*subject);
    if (!units_.empty()) compile_and_run(0, units_.size());
    return std::move(failures_);
  }

 private:
  void fail(const Program& program, std::string kind, std::string detail,
            std::optional<Configuration> configuration = {}) {
    failures_.push_back({program, std::move(kind), std::move(configuration), std::move(detail)});
  }

  /// The evaluation and the interpreter agree on all problems.
  bool judge_meaning(Subject& subject) {
    const Program& program = *subject.program;
    for (int problem = 0; problem < program.problems; ++problem) {
      try {
        subject.expected.push_back(evaluate(program, problem, 7));
      } catch (const NotExact& error) {
        return fail(program, "evaluation", error.what()), false;
      }
      const Expected& expected = subject.expected.back();
      if (!expected.unwritten.empty())
        return fail(program, "coverage", "nothing writes " + expected.unwritten.front()), false;
      const std::string wrong =
          judge_interpreter(program, subject.checked->module->kernels[0], problem, expected);
      if (!wrong.empty()) return fail(program, "interpreter", wrong), false;
    }
    return true;
  }

  void emit(const Subject& subject) {
    const std::vector<Configuration> all =
        how_.only ? std::vector{*how_.only}
                  : configurations(*subject.checked->module, subject.program->seed, how_.plans);
    for (const Configuration& configuration : all) {
      Emitted emitted = emit_program(*subject.checked, configuration, units_.size(), how_.fault);
      totals_.refused += emitted.is_refused ? 1 : 0;
      if (!emitted.failure.empty()) fail(*subject.program, "compiler", emitted.failure, configuration);
      if (!emitted.program) continue;
      units_.push_back(std::move(*emitted.program));
      pairs_.push_back({&subject, configuration});
    }
  }

  /// A unit that the host compiler refuses is halved until the program that it minds is alone.
  void compile_and_run(std::size_t from, std::size_t to) {
    std::string error;
    const std::vector<sweep::UnitProgram> part(units_.begin() + static_cast<std::ptrdiff_t>(from),
                                               units_.begin() + static_cast<std::ptrdiff_t>(to));
    sweep::SharedUnit unit(part, how_.compiler, nullptr, error);
    if (!unit.is_loaded() && to - from > 1) {
      const std::size_t middle = from + (to - from) / 2;
      compile_and_run(from, middle);
      return compile_and_run(middle, to);
    }
    for (std::size_t i = from; i < to; ++i) {
      if (!unit.is_loaded()) {
        fail(*pairs_[i].subject->program, "host compiler", error, pairs_[i].configuration);
        continue;
      }
      run_pairs(pairs_[i], unit.find(i - from, units_[i].kernels[0]));
    }
    unit.unload();
  }

  void run_pairs(const Pairs& pair, sweep::Entry entry) {
    const Program& program = *pair.subject->program;
    for (int problem = 0; problem < program.problems; ++problem) {
      ++totals_.pairs;
      const Expected& expected = pair.subject->expected[static_cast<std::size_t>(problem)];
      const std::string wrong =
          launch_everywhere(entry, program, problem, expected, program.seed, totals_.runs);
      if (wrong.empty()) continue;
      return fail(program, wrong.substr(0, wrong.find(':')), wrong, pair.configuration);
    }
  }

  const Differential& how_;
  Totals& totals_;
  std::vector<std::unique_ptr<Subject>> subjects_;
  std::vector<sweep::UnitProgram> units_;
  std::vector<Pairs> pairs_;  // by unit
  std::vector<Failure> failures_;
};

}  // namespace

void Totals::add(const Totals& more) {
  programs += more.programs;
  accepted += more.accepted;
  pairs += more.pairs;
  refused += more.refused;
  runs += more.runs;
}

std::vector<Failure> run_programs(const Differential& how, const std::vector<Program>& programs,
                                  Totals& totals) {
  Batch batch(how, totals);
  for (const Program& program : programs) batch.add(program);
  return batch.run();
}

}  // namespace tessera::fuzz
