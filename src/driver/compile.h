// SPDX-License-Identifier: Apache-2.0
// Compiles generated code: nvcc or the host compiler, driven safely, with the cache in front.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "driver/cache.h"
#include "driver/files.h"
#include "driver/toolchain.h"

namespace tessera::driver {

enum class Product { shared_object, ptx };

/// One call of a compiler. No text of the user gets into an argument: units are written under fixed names,
/// headers under the names by which the units include them.
struct CompileRequest {
  Product product = Product::shared_object;
  Tool compiler = {};
  bool is_nvcc = false;
  Tool host_compiler = {};        // nvcc only: the compiler it drives, or none
  std::string architecture = {};  // nvcc only: "sm_90"
  std::vector<NamedBytes> units =
      {};  // compiled together; the ending of a name (".cu", ".cpp") decides the language
  std::vector<NamedBytes> headers = {};  // plain file names
  std::vector<std::string> runtime_units =
      {};  // files of the runtime that are compiled with them: "tools/runner.cpp"
  std::vector<std::string> symbols = {};  // what a shared object must define
  std::vector<std::string> options = {};  // further options, fixed texts of the caller
  std::chrono::milliseconds time_limit = std::chrono::seconds(300);
};

/// The compiled file, from the cache if it has been compiled before; `cache` may be null. Everything that the
/// result depends on is in the key. Failures are reported without a place; the result is absent then, and
/// nothing is left.
std::optional<std::string> compile(const CompileRequest& request, const Cache* cache, DiagnosticSink& sink);

/// The key of a request: it covers texts, options, compilers, and this program itself (its runtime included).
/// Absent if the program cannot read its own file.
std::optional<std::string> cache_key(const CompileRequest& request);

}  // namespace tessera::driver
