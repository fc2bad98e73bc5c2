// SPDX-License-Identifier: Apache-2.0
// Runs the program under test in a folder of its own.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <vector>

#include "catch.h"
#include "driver/files.h"
#include "driver/process.h"

namespace tessera::commands::test {

inline constexpr const char* kSoftmax =
    "kernel softmax(in x: bf16[R, C], out y: bf16[R, C]) {\n"
    "  grid r in R by auto {\n"
    "    let e = exp(x[r, :] - max[C](x[r, :]));\n"
    "    y[r, :] = e / sum[C](e) as bf16;\n"
    "  }\n"
    "}\n";

inline constexpr const char* kAddOne =
    "kernel add_one(in x: f32[N], out y: f32[N], step: f32 = 1) {\n"
    "  grid i in N by auto {\n"
    "    y[i] = x[i] + step;\n"
    "  }\n"
    "}\n";

/// What a run printed, on both streams, and its exit code; -1 when it did not exit by itself.
struct Answer {
  int code = -1;
  std::string text;

  bool says(const std::string& part) const { return text.find(part) != std::string::npos; }
};

/// A folder with a program to run in it. Caches and temporary files stay inside.
class Tesserac {
 public:
  Tesserac() {
    if (::mkdtemp(folder_.data()) == nullptr) std::abort();
    write("add.tsr", kAddOne);
    write("softmax.tsr", kSoftmax);
  }
  Tesserac(const Tesserac&) = delete;
  ~Tesserac() { driver::remove_tree(folder_); }

  std::string operator/(const std::string& name) const { return folder_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    driver::write_file(*this / name, text);
  }
  std::string read(const std::string& name) const {
    return driver::read_file(*this / name).value_or("(no such file)");
  }
  bool exists(const std::string& name) const { return std::filesystem::exists(*this / name); }

  /// Runs the program in the folder; `variables` come on top of a small environment.
  Answer operator()(const std::vector<std::string>& arguments,
                    const std::vector<std::string>& variables = {}) const {
    driver::ProcessRequest request{.program = TESSERA_TESSERAC, .arguments = arguments, .folder = folder_};
    request.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + folder_, "TMPDIR=" + folder_,
                           "TESSERA_CACHE_DIR=" + cache_};
    request.environment.insert(request.environment.end(), variables.begin(), variables.end());
    const driver::ProcessResult result = driver::run_process(request);
    return {result.outcome == driver::ProcessOutcome::exited ? result.code : -1, result.output};
  }

 private:
  static std::string shared_cache() {
    static struct Folder {
      std::string path = "/tmp/tessera-cli-cache.XXXXXX";
      Folder() {
        if (::mkdtemp(path.data()) == nullptr) std::abort();
      }
      ~Folder() { driver::remove_tree(path); }
    } folder;
    return folder.path;
  }

  std::string folder_ = "/tmp/tessera-cli.XXXXXX";
  std::string cache_ = shared_cache();
};

}  // namespace tessera::commands::test
