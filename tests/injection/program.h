// SPDX-License-Identifier: Apache-2.0
// tesserac as its users call it, with compilers that are quick, broken or hostile.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "catch.h"
#include "src/driver/process.h"
#include "tests/driver/scratch.h"
#include "tracer.h"

namespace tessera::injection {

inline constexpr const char* kAddOne =
    "kernel add_one(in x: f32[N], out y: f32[N], step: f32 = 1) {\n"
    "  grid i in N by auto { y[i] = x[i] + step; }\n"
    "}\n";

/// Shell text that puts the last argument, the output file, into $out.
inline const std::string kLast = "for out; do :; done\n";

/// The answer of a compiler that is asked for its version, and gets on with `body` if it is not.
inline std::string compiler_text(const std::string& body) {
  return "case $1 in --version) echo 'g++ (fake) 12.2'; exit 0;; esac\n" + kLast + body + "\n";
}

struct Answer {
  int code = -1;     // -1: it was ended by a signal, or hung
  std::string text;  // both streams

  bool says(const std::string& part) const { return text.find(part) != std::string::npos; }
};

/// A folder with a kernel, a home, a cache and a folder for temporary files, and how tesserac is called there.
class Project {
 public:
  /// `name` is a folder below `base`, which it makes.
  explicit Project(const std::string& base = "/tmp", const std::string& name = "project") : scratch_(base) {
    folder_ = scratch_.folder(name);
    home = scratch_.folder("home");
    cache = scratch_ / "cache";
    temporary = scratch_.folder("tmp");
    driver::write_file(folder_ + "/add.tsr", kAddOne);
  }

  std::string home, cache, temporary;
  std::string path = "/usr/local/bin:/usr/bin:/bin";
  std::vector<std::string> variables;  // on top, "NAME=value"

  const driver::test::Scratch& scratch() const { return scratch_; }
  const std::string& folder() const { return folder_; }
  std::string operator/(const std::string& name) const { return folder_ + "/" + name; }

  std::vector<std::string> environment() const {
    std::vector<std::string> result = {"PATH=" + path, "HOME=" + home, "TMPDIR=" + temporary,
                                       "TESSERA_CACHE_DIR=" + cache, "ASAN_OPTIONS=detect_leaks=0"};
    result.insert(result.end(), variables.begin(), variables.end());
    return result;
  }

  Answer operator()(const std::vector<std::string>& arguments) const {
    const auto result = driver::run_process({.program = TESSERA_TESSERAC,
                                             .arguments = arguments,
                                             .environment = environment(),
                                             .folder = folder_});
    return {result.outcome == driver::ProcessOutcome::exited ? result.code : -1, result.output};
  }

  /// The same under a tracer; what it prints goes into the file `printed`.
  Trace traced(const std::vector<std::string>& arguments, const Fault& fault, const TraceOptions& options,
               const std::string& printed) const {
    const auto texts = environment();
    return run_traced(
        [&] {
          const int out = ::open(printed.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
          if (out < 0 || ::dup2(out, 1) != 1 || ::dup2(out, 2) != 2 || ::chdir(folder_.c_str()) != 0)
            return 126;
          if (out > 2) ::close(out);
          std::vector<char*> words = {const_cast<char*>(TESSERA_TESSERAC)}, values;
          for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
          for (const std::string& text : texts) values.push_back(const_cast<char*>(text.c_str()));
          words.push_back(nullptr);
          values.push_back(nullptr);
          ::execve(TESSERA_TESSERAC, words.data(), values.data());
          return 127;
        },
        fault, options);
  }

  /// Names of what temporary files and folders of ours leave, in every folder of this project.
  std::vector<std::string> leftovers() const {
    std::vector<std::string> result;
    for (const std::string& folder : {folder_, home, temporary, cache + "/v1/new", cache + "/v1/old"}) {
      if (::access(folder.c_str(), F_OK) != 0) continue;
      for (const std::string& name : driver::test::names_in(folder)) {
        const bool in_transit = folder.starts_with(cache);
        if (in_transit || name.find("tesserac-") != std::string::npos) result.push_back(folder + "/" + name);
      }
    }
    return result;
  }

  /// Whether the cache holds an entry.
  bool has_entries() const {
    if (::access((cache + "/v1").c_str(), F_OK) != 0) return false;
    return driver::test::names_in(cache + "/v1").size() > 2;
  }

 private:
  driver::test::Scratch scratch_;
  std::string folder_;
};

/// A compiler that copies what it is to make: the host twin that was built with the tests, and a kernel that the
/// real compiler made once.
class QuickCompiler {
 public:
  static const std::string& path() {
    static const QuickCompiler compiler;
    return compiler.path_;
  }

 private:
  QuickCompiler() {
    const std::string twin = "*tools/runner.cpp*) cp '" TESSERA_TWIN "' $out;;";
    const std::string kernel = scratch_ / "kernel.so";
    const std::string real = scratch_.script(
        "real", compiler_text("case \"$*\" in " + twin + " *) g++ \"$@\" && cp $out " + kernel + ";; esac"));
    const Project project;
    const Answer answer = project({"run", "add.tsr", "--set=N=100", "--host-compiler", real});
    INFO(answer.text);
    REQUIRE(answer.code == 0);
    path_ = scratch_.script("quick",
                            compiler_text("case \"$*\" in " + twin + " *) cp " + kernel + " $out;; esac"));
  }

  driver::test::Scratch scratch_;
  std::string path_;
};

}  // namespace tessera::injection
