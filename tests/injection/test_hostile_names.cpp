// SPDX-License-Identifier: Apache-2.0
// Folders, files and variables that are commands to a shell, or no text at all: they are names, and nothing else.
#include <sys/stat.h>

#include "program.h"
#include "src/driver/toolchain.h"

using namespace tessera::injection;
using namespace tessera::driver;
using namespace tessera::driver::test;

namespace {

/// Each would make the file `canary`, if a shell ever saw it, or is no name that every program can take.
const std::vector<std::string>& hostile_names() {
  static const std::vector<std::string> names = {"$(touch canary)",
                                                 "`touch canary`",
                                                 "a'; touch canary; '",
                                                 "a\"; touch canary; \"",
                                                 "a\ntouch canary\n",
                                                 "-o canary",
                                                 "--help",
                                                 "a b\\c*?[x]{y}~!#%&|<>",
                                                 "\xff\xfe\x80 not UTF-8",
                                                 std::string(200, 'n')};
  return names;
}

/// Whether the canary was made, anywhere a command could have run.
bool canary_lives(const Project& project) {
  for (const std::string& folder : {project.folder(), project.home, project.temporary, std::string("/"),
                                    std::string("/tmp"), project.scratch().path()}) {
    if (std::filesystem::exists(folder + "/canary")) return true;
  }
  return false;
}

const std::vector<std::string> kHostileVariables = {
    "NVCC_PREPEND_FLAGS=--no-such-flag $(touch canary)",
    "NVCC_APPEND_FLAGS=--no-such-flag `touch canary`",
    "CPATH=/no/such:$(touch canary)",
    "CPLUS_INCLUDE_PATH=/no/such",
    "LIBRARY_PATH=$(touch canary)",
    "COMPILER_PATH=/no/such",
    "GCC_EXEC_PREFIX=/no/such/",
    "LD_LIBRARY_PATH=$(touch canary):/no such",
    "MAKEFLAGS=-j --eval=$(shell touch canary)",
    "CXXFLAGS=--no-such-flag",
    "DEPENDENCIES_OUTPUT=canary",
    "SUNPRO_DEPENDENCIES=canary",
    "BASH_ENV=/tmp/canary",
    "ENV=$(touch canary)",
    "IFS=x",
    "LC_ALL=tr_TR.UTF-8",
};

}  // namespace

TEST_CASE("projects, files and folders with hostile names compile and run") {
  for (const std::string& name : hostile_names()) {
    Project project("/tmp", name);
    project.home = project.scratch().folder("h/" + name);
    project.temporary = project.scratch().folder("t/" + name);
    project.cache = project.scratch() / ("c/" + name);
    project.variables = kHostileVariables;
    INFO("name: " << printable(name));
    // Sources that start with a dash need their folder, as everywhere.
    const std::string source = "./" + name + ".tsr";
    write_file(project / source, kAddOne);
    Answer answer = project({source, "-o", "./" + name + ".out/"});
    INFO(answer.text);
    CHECK(answer.code == 0);
    // Names of generated files are put into rules of make and into `#include`: they are plain.
    const auto outputs = names_in(project / (name + ".out"));
    CHECK(outputs.size() == 4);
    for (const std::string& output : outputs) CHECK(is_shell_safe("/" + output));
    answer = project({"run", source, "--set=N=100", "--output=y=./" + name + ".npy", "--host-compiler",
                      QuickCompiler::path()});
    INFO(answer.text);
    CHECK(answer.code == 0);
    CHECK(std::filesystem::exists(project / (name + ".npy")));
    CHECK(project.has_entries());
    CHECK(project.leftovers().empty());
    CHECK(names_in(project.temporary).empty());
    CHECK_FALSE(canary_lives(project));
  }
}

TEST_CASE("a standard output that takes nothing is an error of its own kind") {
  const Project project;
  const auto into = [&](const std::string& sink) {
    return run_process(
               {.program = "/bin/sh",
                .arguments = {"-c", "{ sleep 0.1; \"$0\" --list-diagnostics; echo code $? >&2; } " + sink,
                              TESSERA_TESSERAC},
                .environment = project.environment()})
        .output;
  };
  const std::string expected = "tesserac: standard output cannot be written\ncode 3\n";
  CHECK(into("| true") == expected);
  CHECK(into("> /dev/full") == expected);
  CHECK(into(">&-") == expected);
}

TEST_CASE("the longest names that a file system takes can be written") {
  const Project project;
  const std::string name(250, 'n');
  CHECK(project({"add.tsr", "--emit=ir", "-o", name + ".ir"}).code == 0);
  CHECK(std::filesystem::exists(project / (name + ".ir")));
  // One longer than a path may be is an error.
  std::string deep;
  for (int i = 0; i < 25; ++i) deep += std::string(200, 'd') + "/";
  const Answer answer = project({"add.tsr", "-o", deep});
  CHECK(answer.code == 3);
  CHECK(answer.says("error[T0834]"));
  CHECK(answer.says("File name too long"));
}

TEST_CASE("real compilers see nothing of the user's names and variables") {
  Project project("/tmp", "$(touch canary) `touch canary`; 'a' \"b\"");
  project.temporary = project.scratch().folder("$(touch canary)");
  project.cache = project.scratch() / "`touch canary`";
  project.variables = kHostileVariables;
  const std::string source = "$(touch canary).tsr";
  write_file(project / source, kAddOne);
  // The host twin takes long to compile, so a script copies it; the kernel goes through the real g++.
  const std::string compiler =
      project.scratch().script("g++", compiler_text("case \"$*\" in *tools/runner.cpp*) cp '" TESSERA_TWIN
                                                    "' $out;; *) exec g++ \"$@\";; esac"));
  Answer answer = project({"run", source, "--set=N=100", "--host-compiler", compiler});
  INFO(answer.text);
  CHECK(answer.code == 0);
  CHECK_FALSE(canary_lives(project));
  if (!find_nvcc("").tool) return;  // no toolkit here
  answer = project({source, "--emit=ptx", "--arch=sm_80", "-o", "$(touch canary).out", "--line-map=tsr",
                    "--nvcc", find_nvcc("").tool->path});
  INFO(answer.text);
  CHECK(answer.code == 0);
  CHECK(std::filesystem::exists(project / "$(touch canary).out"));
  CHECK_FALSE(canary_lives(project));
  CHECK(project.leftovers().empty());
}

TEST_CASE("without PATH and without a home there are still a compiler and a result") {
  Project project;
  project.path = "";
  project.variables = {"HOME=", "TESSERA_CACHE_DIR=", "TMPDIR="};
  const Answer answer = project({"run", "add.tsr", "--set=N=100", "--host-compiler", QuickCompiler::path()});
  INFO(answer.text);
  CHECK(answer.code == 0);
}
