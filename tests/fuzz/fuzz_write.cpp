// SPDX-License-Identifier: Apache-2.0
// Writes generated CUDA of many programs into a folder, a few of them in a unit: `unit_0/unit.cu` and so on include
// them, and `unit_0.txt` lists them.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "fuzz/configuration.h"
#include "fuzz/generate.h"
#include "fuzz/seeds.h"
#include "fuzz/unit_index.h"

namespace tessera::fuzz {

namespace {

struct Options {
  std::string seeds = "1..150";
  std::string folder;  ///< empty: nothing is written
  std::string architecture = "sm_80";
  std::size_t unit = 10;
  std::size_t plans = 1;
  Profile profile;
};

/// Collects programs and writes a unit whenever there are enough of them.
class Writer {
 public:
  explicit Writer(const Options& options) : options_(options), folder_(options.folder) {
    if (!folder_.empty()) std::filesystem::create_directories(folder_);
  }

  void add(std::uint64_t seed) {
    const Program program = generate(seed, options_.profile);
    Checked checked;
    check_program(program, checked);
    if (!checked.module) return;
    for (const Configuration& chosen : configurations(*checked.module, seed, options_.plans)) {
      Configuration configuration = chosen;
      configuration.architecture = options_.architecture;
      Emitted emitted = emit_program(checked, configuration, unit_.size(), {});
      if (!emitted.failure.empty()) {
        std::fprintf(stderr, "seed %llu: %s\n", static_cast<unsigned long long>(seed),
                     emitted.failure.c_str());
        ++failures_;
      }
      if (!emitted.program) continue;
      for (const emit::GeneratedFile* file :
           {&emitted.program->emission.header, &emitted.program->emission.cuda[0],
            &emitted.program->emission.dispatcher})
        write(std::filesystem::path(unit_name()) / file->name, file->text);
      ++written_;
      index_ += index_line(seed, options_.profile, unit_.size(), configuration.name());
      unit_.push_back(std::move(*emitted.program));
      if (unit_.size() == options_.unit) flush();
    }
  }

  void flush() {
    if (unit_.empty()) return;
    write(std::filesystem::path(unit_name()) / "unit.cu", sweep::unit_of(unit_).bytes);
    write(unit_name() + ".txt", std::exchange(index_, {}));
    unit_.clear();
    ++units_;
  }

  void write(const std::filesystem::path& path, const std::string& text) const {
    if (folder_.empty()) return;
    std::filesystem::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path, std::ios::binary) << text;
  }

  std::string unit_name() const { return "unit_" + std::to_string(units_); }

  std::size_t written() const { return written_; }
  std::size_t units() const { return units_; }
  std::size_t failures() const { return failures_; }

 private:
  const Options& options_;
  std::filesystem::path folder_;
  std::vector<sweep::UnitProgram> unit_;
  std::string index_;  // of the unit
  std::size_t written_ = 0, units_ = 0, failures_ = 0;
};

}  // namespace

}  // namespace tessera::fuzz

int main(int count, char** arguments) {
  using namespace tessera::fuzz;
  Options options;
  CLI::App app("Writes generated CUDA of many programs");
  app.add_option("--seeds", options.seeds, "first and last seed: 1..150");
  app.add_option("--folder", options.folder,
                 "where to; without one, programs are compiled to text and forgotten");
  app.add_option("--architecture", options.architecture, "sm_80 or sm_90");
  app.add_option("--unit", options.unit, "programs of a unit");
  app.add_option("--plans", options.plans, "plans of a program");
  app.add_option("--problems", options.profile.problems, "sets of extents of a program");
  app.add_option("--large-problems", options.profile.large_problems, "those that make work");
  CLI11_PARSE(app, count, arguments);
  const auto seeds = parse_seeds("fuzz_write", options.seeds);
  if (!seeds) return 2;
  auto [first, last] = *seeds;
  Writer writer(options);
  for (unsigned long long seed = first; seed <= last; ++seed) writer.add(seed);
  writer.flush();
  std::printf("%zu programs in %zu units\n", writer.written(), writer.units());
  return writer.failures() == 0 ? 0 : 1;
}
