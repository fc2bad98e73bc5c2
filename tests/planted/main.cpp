// SPDX-License-Identifier: Apache-2.0
// Plants one fault after another, each in a process of its own, and prints what found it.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <stdexcept>

#include "planted/calls.h"
#include "planted/fault.h"
#include "planted/keys.h"
#include "planted/special.h"
#include "planted/trial.h"

namespace tessera::planted {

namespace {

/// The command line.
struct Options {
  std::vector<std::string> only;  ///< faults whose name or group has one of these texts
  std::size_t count = 1000000;    ///< at most so many faults, spread evenly over the table
  int threads = 2;                ///< processes at once
  unsigned seconds = 240;         ///< of processor time for a fault; more is a hang
  bool details = false;
  bool only_table = false;  ///< plant nothing: look whether every edit finds its text
  bool is_sound = false;    ///< the program without a fault need not be tried: it has been
};

/// A set, its problems, and its generated code without a fault.
struct Prepared {
  const KernelSet& set;
  Problems problems;
  SpecialProblems special;
  Texts sound;
};

std::vector<Prepared> prepare_sets() {
  std::vector<Prepared> sets;
  for (const KernelSet* set : all_sets())
    sets.push_back({*set, solve(*set), special_problems(*set), generate(*set, {})});
  return sets;
}

/// What became of a fault.
struct Outcome {
  std::string how;  ///< empty: it survived
  std::string detail;
};

/// Headers that only products read.
bool is_of_products(const Edit& edit) {
  constexpr const char* kHeaders[] = {"plane", "fill_tile", "copy_order", "vector_share", "multiply", "mma"};
  return std::ranges::any_of(
      kHeaders, [&](const char* name) { return edit.file.starts_with(std::string("tessera/") + name); });
}

/// The set that a fault meets first.
std::string first_set(const PlantedFault& fault) {
  const auto is_of_numbers = [](const Edit& edit) {
    return edit.file == "tessera/numbers.h" || edit.file == "tessera/reductions.h";
  };
  if (fault.group == kWarpgroups) return "warpgroups";
  if (fault.group == kTurnedTiles) return "turned";
  if (fault.group == kNumbers || std::ranges::any_of(fault.edits, is_of_numbers)) return "numbers";
  if ((fault.group == kMasks || fault.group == kTails) && std::ranges::any_of(fault.edits, is_of_products))
    return "uneven";
  const bool is_of_tiles = fault.group == kStages || fault.group == kLayouts || fault.group == kBarriers;
  return is_of_tiles ? "products" : "rows";
}

/// Everything that the net has, the quickest first.
std::optional<Kill> try_program(const Program& program, Prepared& prepared) {
  constexpr std::size_t kRounds = 6;
  auto kill = try_problems(program, prepared.problems, 0, 1);
  if (!kill) kill = try_calls(program, prepared.problems);
  if (!kill) kill = try_special(program, prepared.special);
  if (!kill) kill = try_problems(program, prepared.problems, 1, kRounds - 1);
  return kill;
}

/// Shows the fault to the sets, one after the other; for the program without a fault to both.
Outcome try_fault(const PlantedFault& fault, std::vector<Prepared>& sets) {
  if (fault.group == kKeys) {
    const auto kill = try_keys(fault);
    return kill ? Outcome{kill->how, kill->detail} : Outcome{};
  }
  bool planted = fault.name.empty();
  std::size_t first = 0;
  while (sets[first].set.name != first_set(fault)) ++first;
  for (std::size_t k = 0; k < sets.size(); ++k) {
    Prepared& prepared = sets[(first + k) % sets.size()];
    const Texts texts = with_fault(prepared.set, fault, prepared.sound);
    const bool has_it = texts != prepared.sound || is_everywhere(fault);
    if (!has_it && !fault.name.empty()) continue;
    planted = true;
    const Program program = build(prepared.set, fault, texts, prepared.sound);
    if (!program.error.empty()) return {"compile error", program.error};
    if (const auto kill = try_program(program, prepared)) return {kill->how, kill->detail};
  }
  if (!planted) throw std::runtime_error("the fault is nowhere in the generated code");
  return {};
}

/// A process at work on a fault.
struct Worker {
  std::size_t fault;
  int pipe;
};

void write_all(int file, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t now = ::write(file, text.data() + done, text.size() - done);
    if (now <= 0) return;
    done += static_cast<std::size_t>(now);
  }
}

/// In the child: "how\ndetail", "" when the fault survived, and exit code 3 with a reason when the table is wrong.
[[noreturn]] void work(const PlantedFault& fault, std::vector<Prepared>& sets, const Options& options,
                       int pipe) {
  const rlimit limit{options.seconds, options.seconds + 5};
  ::setrlimit(RLIMIT_CPU, &limit);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  try {
    const Outcome outcome = try_fault(fault, sets);
    if (!outcome.how.empty()) write_all(pipe, outcome.how + "\n" + outcome.detail.substr(0, 8192));
    ::_exit(0);
  } catch (const std::exception& error) {
    write_all(pipe, error.what());
    ::_exit(3);
  }
}

std::string read_all(int file) {
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = ::read(file, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  ::close(file);
  return text;
}

Outcome outcome_of(int status, const std::string& text) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return {signal == SIGXCPU || signal == SIGKILL ? "time" : std::string("crash: ") + ::strsignal(signal),
            {}};
  }
  if (WEXITSTATUS(status) == 3) return {"error in the table", text};
  const std::size_t end = text.find('\n');
  return {text.substr(0, end), end == std::string::npos ? "" : text.substr(end + 1)};
}

/// All faults, some at once.
class Campaign {
 public:
  Campaign(const std::vector<PlantedFault>& faults, const Options& options)
      : faults_(faults), options_(options), sets_(prepare_sets()), outcomes_(faults.size()) {}

  std::vector<Outcome> run() {
    for (std::size_t next = 0; next < faults_.size() || !workers_.empty();) {
      if (next < faults_.size() && workers_.size() < static_cast<std::size_t>(options_.threads)) {
        start(next++);
      } else {
        collect();
      }
    }
    return std::move(outcomes_);
  }

 private:
  void start(std::size_t fault) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    std::fflush(stdout);
    const pid_t child = ::fork();
    if (child < 0) throw std::runtime_error("no process");
    if (child == 0) {
      ::close(ends[0]);
      work(faults_[fault], sets_, options_, ends[1]);
    }
    ::close(ends[1]);
    workers_[child] = {fault, ends[0]};
  }

  /// Texts are shorter than a pipe is long, or are cut here: the child waits for nobody.
  void collect() {
    int status = 0;
    const pid_t child = ::wait(&status);
    const auto worker = workers_.find(child);
    if (worker == workers_.end()) return;
    const PlantedFault& fault = faults_[worker->second.fault];
    Outcome& outcome = outcomes_[worker->second.fault];
    outcome = outcome_of(status, read_all(worker->second.pipe));
    workers_.erase(worker);
    std::printf("%-24s %-60s %s\n", fault.group.c_str(), fault.name.c_str(),
                outcome.how.empty() ? "SURVIVED" : outcome.how.c_str());
    if (options_.details && !outcome.detail.empty())
      std::printf("    %s\n", outcome.detail.substr(0, 600).c_str());
    std::fflush(stdout);
  }

  const std::vector<PlantedFault>& faults_;
  const Options& options_;
  std::vector<Prepared> sets_;
  std::vector<Outcome> outcomes_;
  std::map<pid_t, Worker> workers_;
};

/// Prints the rates by group and names survivors. The exit code: whether the net is as good as is asked for.
int judge(const std::vector<PlantedFault>& faults, const std::vector<Outcome>& outcomes) {
  struct Rate {
    int killed = 0, all = 0, refused = 0;
  };
  std::map<std::string, Rate> rates;
  Rate total;
  bool is_good = true;
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const PlantedFault& fault = faults[i];
    if (outcomes[i].how == "error in the table") {
      std::printf("ERROR in the table: %s: %s\n", fault.name.c_str(), outcomes[i].detail.c_str());
      is_good = false;
    }
    const bool is_killed = !outcomes[i].how.empty();
    if (!fault.equivalent.empty()) {
      if (is_killed) std::printf("ERROR in the table: %s is no equivalent\n", fault.name.c_str());
      is_good &= !is_killed;
      continue;
    }
    for (Rate* rate : {&rates[fault.group], &total}) {
      ++rate->all;
      rate->killed += is_killed ? 1 : 0;
      rate->refused += outcomes[i].how == "compile error" ? 1 : 0;
    }
    if (is_killed) continue;
    std::printf("SURVIVOR: %s (%s, %s)\n", fault.name.c_str(), fault.group.c_str(),
                fault.effect == Effect::wrong_result ? "wrong result" : "hazard");
    is_good &= fault.effect == Effect::hazard;
  }
  std::printf("\n%-26s %8s %8s %16s\n", "group", "faults", "killed", "by the compiler");
  for (const auto& [group, rate] : rates)
    std::printf("%-26s %8d %8d %16d\n", group.c_str(), rate.all, rate.killed, rate.refused);
  std::printf("%-26s %8d %8d %16d\n", "all", total.all, total.killed, total.refused);
  return is_good && total.killed * 100 >= total.all * 95 ? 0 : 4;
}

template <typename Number>
bool parse(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number > 0;
}

bool take(std::string_view argument, Options& options) {
  const auto value = [&](std::string_view flag) {
    return argument.starts_with(flag) ? argument.substr(flag.size()) : std::string_view();
  };
  if (argument == "--details") return options.details = true;
  if (argument == "--table") return options.only_table = true;
  if (argument == "--sound") return options.is_sound = true;
  if (const auto text = value("--only="); !text.empty()) return options.only.emplace_back(text), true;
  if (const auto text = value("--count="); !text.empty()) return parse(text, options.count);
  if (const auto text = value("--threads="); !text.empty()) return parse(text, options.threads);
  if (const auto text = value("--seconds="); !text.empty()) return parse(text, options.seconds);
  return false;
}

/// The faults that are asked for.
std::vector<PlantedFault> chosen(const Options& options) {
  std::vector<PlantedFault> all = all_faults();
  const auto is_asked_for = [&](const PlantedFault& fault) {
    return options.only.empty() || std::ranges::any_of(options.only, [&](const std::string& text) {
             return fault.name.find(text) != std::string::npos || fault.group.find(text) != std::string::npos;
           });
  };
  std::erase_if(all, [&](const PlantedFault& fault) { return !is_asked_for(fault); });
  if (all.size() <= options.count) return all;
  std::vector<PlantedFault> some;
  for (std::size_t i = 0; i < options.count; ++i) some.push_back(all[i * all.size() / options.count]);
  return some;
}

/// The program without a fault has to pass, or nothing that is found means anything.
bool is_sound(Options options) {
  options.seconds = 1200;
  const std::vector<PlantedFault> none = {{.name = {}, .group = "no fault"}, {.name = {}, .group = kKeys}};
  const std::vector<Outcome> outcomes = Campaign(none, options).run();
  const Outcome& outcome = outcomes[outcomes[0].how.empty() ? 1 : 0];
  if (!outcome.how.empty())
    std::printf("without a fault: %s: %s\n", outcome.how.c_str(), outcome.detail.c_str());
  return outcome.how.empty();
}

/// Whether every edit of the table finds its text.
int check_table(const Options& options) {
  std::vector<Texts> sound;
  for (const KernelSet* set : all_sets()) sound.push_back(generate(*set, {}));
  int wrong = 0;
  const std::vector<PlantedFault> faults = chosen(options);
  for (const PlantedFault& fault : faults) {
    const std::string mistake = mistake_of(fault, sound);
    if (!mistake.empty()) std::printf("%s: %s", fault.name.c_str(), mistake.c_str()), ++wrong;
  }
  std::printf("%zu faults, %d do not fit\n", faults.size(), wrong);
  return wrong == 0 ? 0 : 4;
}

int run(const Options& options) {
  if (options.only_table) return check_table(options);
  const auto begin = std::chrono::steady_clock::now();
  if (!options.is_sound && !is_sound(options)) return 4;
  const std::vector<PlantedFault> faults = chosen(options);
  const std::vector<Outcome> outcomes = Campaign(faults, options).run();
  const int code = judge(faults, outcomes);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::printf("%zu faults in %.0f s\n", faults.size(), seconds.count());
  return code;
}

}  // namespace

}  // namespace tessera::planted

int main(int count, char** arguments) {
  using namespace tessera::planted;
  if (count == 3 && std::string_view(arguments[1]) == "--key-of") return print_key(arguments[2]);
  Options options;
  for (int i = 1; i < count; ++i) {
    if (take(arguments[i], options)) continue;
    std::fputs(
        "planted [--only=TEXT] [--count=N] [--threads=N] [--seconds=N of a fault] [--details] [--sound] "
        "[--table]\n",
        stderr);
    return 2;
  }
  try {
    return run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "planted: %s\n", error.what());
    return 3;
  }
}
