// SPDX-License-Identifier: Apache-2.0
// What a key has to tell apart; see keys.h.
#include "planted/keys.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "driver/compile.h"
#include "driver/files.h"
#include "driver/process.h"
#include "driver/toolchain.h"
#include "planted/program.h"

namespace tessera::planted {

namespace {

using driver::CompileRequest;
using Key = decltype(&driver::cache_key);

constexpr const char* kSource = "src/driver/compile.cpp";
constexpr const char* kSymbol = "_ZN7tessera6driver9cache_keyB5cxx11ERKNS0_14CompileRequestE";

Key key_in(void* object) {
  const auto key = reinterpret_cast<Key>(::dlsym(object, kSymbol));
  if (key == nullptr) throw std::runtime_error("the driver has no cache_key");
  return key;
}

CompileRequest request() {
  CompileRequest result;
  result.compiler = {"/usr/bin/nvcc", "13.0", "nvcc 13.0"};
  result.is_nvcc = true;
  result.host_compiler = {"/usr/bin/g++", "12", "g++ 12"};
  result.architecture = "sm_90";
  result.units = {{"a.cu", "int a;"}, {"b.cpp", "int b;"}};
  result.headers = {{"a.h", "int h;"}, {"b.h", ""}};
  result.runtime_units = {"tools/runner.cpp"};
  result.symbols = {"tessera_a"};
  result.options = {"-O2"};
  return result;
}

/// Requests that differ from request() in one thing each, by what that is.
std::map<std::string, CompileRequest> changed_requests() {
  std::map<std::string, CompileRequest> all;
  const auto add = [&](const char* what, auto change) {
    CompileRequest one = request();
    change(one);
    all[what] = one;
  };
  add("identity of the compiler", [](CompileRequest& one) { one.compiler.identity = "nvcc 13.1"; });
  add("kind of the compiler", [](CompileRequest& one) { one.is_nvcc = false; });
  add("host compiler", [](CompileRequest& one) { one.host_compiler.path = "/usr/bin/g++-13"; });
  add("host compiler under the same name",
      [](CompileRequest& one) { one.host_compiler.identity = "g++ 12.1"; });
  add("no host compiler", [](CompileRequest& one) { one.host_compiler = {}; });
  add("architecture", [](CompileRequest& one) { one.architecture = "sm_80"; });
  add("product", [](CompileRequest& one) { one.product = driver::Product::ptx; });
  add("text of a unit", [](CompileRequest& one) { one.units[1].bytes = "int c;"; });
  add("kind of a unit", [](CompileRequest& one) { one.units[1].name = "b.cu"; });
  add("one unit less", [](CompileRequest& one) { one.units.pop_back(); });
  add("text of a header", [](CompileRequest& one) { one.headers[0].bytes = "long h;"; });
  add("name of a header", [](CompileRequest& one) { one.headers[0].name = "c.h"; });
  add("end of a header's name", [](CompileRequest& one) { one.headers[0] = {"a.hi", "nt h;"}; });
  add("order of headers", [](CompileRequest& one) { std::swap(one.headers[0], one.headers[1]); });
  add("a header that is a unit", [](CompileRequest& one) {
    one.headers.insert(one.headers.begin(), one.units.back());
    one.units.pop_back();
  });
  add("units of the runtime", [](CompileRequest& one) { one.runtime_units.clear(); });
  add("symbols", [](CompileRequest& one) { one.symbols = {"tessera_b"}; });
  add("options", [](CompileRequest& one) { one.options = {"-O3"}; });
  add("an option more", [](CompileRequest& one) { one.options.emplace_back("-O2"); });
  return all;
}

std::string key_printed_by(const std::string& program, const std::string& object) {
  const driver::ProcessResult result = driver::run_process(
      {.program = program, .arguments = {"--key-of", object}, .environment = {"PATH=/usr/bin:/bin"}});
  if (!result.succeeded()) throw std::runtime_error("no key: " + result.output);
  return result.output;
}

/// Whether another build of this program, which differs in one byte at its end, makes other keys.
bool sees_own_program(const std::string& object, const std::string& folder) {
  const auto own = driver::read_file("/proc/self/exe");
  if (!own) throw std::runtime_error("the program cannot read itself");
  const std::string same = folder + "/same", other = folder + "/other";
  if (driver::write_file(same, *own) || driver::write_file(other, *own + "."))
    throw std::runtime_error("cannot copy the program");
  for (const std::string& copy : {same, other})
    std::filesystem::permissions(copy, std::filesystem::perms::owner_all);
  return key_printed_by(same, object) != key_printed_by(other, object);
}

}  // namespace

std::optional<Kill> try_keys(const PlantedFault& fault) {
  const auto folder = driver::TemporaryFolder::create({});
  const std::string root = TESSERA_SOURCE_DIR;
  const auto source = driver::read_file(root + "/" + kSource);
  if (!folder || !source) throw std::runtime_error("cannot read the driver");
  const std::string unit = folder->path() + "/driver.cpp";
  if (driver::write_file(unit, edited(fault, kSource, *source)))
    throw std::runtime_error("cannot write the driver");
  const Compiled compiled =
      compile_and_load(unit, folder->path(), {"-I" + root + "/src", "-DFMT_HEADER_ONLY=1"});
  if (compiled.object == nullptr) return Kill{"compile error", compiled.error};
  const Key key = key_in(compiled.object);
  const auto base = key(request());
  if (!base) throw std::runtime_error("the driver makes no key");
  if (base != key(request())) return Kill{"key", "two keys of one request"};
  for (const auto& [what, one] : changed_requests()) {
    if (key(one) == base) return Kill{"key", what};
  }
  ::setenv("LD_LIBRARY_PATH", "/opt/elsewhere", 1);
  const auto elsewhere = key(request());
  ::unsetenv("LD_LIBRARY_PATH");
  if (elsewhere == key(request())) return Kill{"key", "environment of the compiler"};
  if (!sees_own_program(folder->path() + "/unit.so", folder->path())) return Kill{"key", "own program"};
  return std::nullopt;
}

int print_key(const char* object) {
  void* loaded = ::dlopen(object, RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) return std::fprintf(stderr, "%s\n", ::dlerror()), 3;
  const auto key = key_in(loaded)(request());
  if (!key) return std::fprintf(stderr, "there is no key\n"), 3;
  std::printf("%s\n", key->c_str());
  return 0;
}

}  // namespace tessera::planted
