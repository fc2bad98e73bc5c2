// SPDX-License-Identifier: Apache-2.0
// Many programs in one shared object; see shared_unit.h.
#include "sweep/shared_unit.h"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>

#include "driver/compile.h"

namespace tessera::sweep {

namespace {

constexpr std::chrono::minutes kTimeLimit{30};

/// The C functions of a program, which share a shared object with those of others.
std::string entry_name(std::size_t program, const std::string& kernel) {
  return "program_" + std::to_string(program) + "_" + kernel;
}

/// Loads a shared object. A loaded name is never loaded again, so that each object needs its own.
void* load(const std::string& bytes, std::string& error) {
  static std::atomic<int> number = 0;
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() /
      ("tessera_unit_" + std::to_string(::getpid()) + "_" + std::to_string(number++) + ".so");
  if (driver::write_file(path, bytes)) {
    error = "cannot write " + path.string();
    return nullptr;
  }
  void* object = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) error = ::dlerror();
  std::filesystem::remove(path);
  return object;
}

}  // namespace

driver::NamedBytes unit_of(const std::vector<UnitProgram>& programs) {
  std::string text;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    std::string before, after;
    for (const std::string& kernel : programs[i].kernels) {
      before += "#define tessera_" + kernel + " " + entry_name(i, kernel) + "_typed\n";
      before += "#define tessera_" + kernel + "_invoke " + entry_name(i, kernel) + "\n";
      after += "#undef tessera_" + kernel + "\n#undef tessera_" + kernel + "_invoke\n";
    }
    text += before + "#include \"" + programs[i].emission.cuda[0].name + "\"\n#include \"" +
            programs[i].emission.dispatcher.name + "\"\n" + after;
  }
  return {"programs.cu", text};
}

SharedUnit::SharedUnit(const std::vector<UnitProgram>& programs, const driver::Tool& compiler,
                       const driver::Cache* cache, std::string& error) {
  driver::CompileRequest request{.compiler = compiler, .options = {"-O0"}, .time_limit = kTimeLimit};
  request.units = {unit_of(programs)};
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const emit::Emission& emission = programs[i].emission;
    for (const emit::GeneratedFile* file : {&emission.header, &emission.cuda[0], &emission.dispatcher})
      request.headers.push_back({file->name, file->text});
    for (const std::string& kernel : programs[i].kernels) request.symbols.push_back(entry_name(i, kernel));
  }
  DiagnosticSink sink;
  const std::optional<std::string> bytes = driver::compile(request, cache, sink);
  if (bytes) {
    object_ = load(*bytes, error);
    return;
  }
  for (const Diagnostic& diagnostic : sink.sorted()) {
    error += diagnostic.message + "\n";
    for (const auto& note : diagnostic.notes) error += "  " + note.text + "\n";
  }
}

void SharedUnit::unload() {
  if (object_ != nullptr) ::dlclose(object_);
  object_ = nullptr;
}

Entry SharedUnit::find(std::size_t program, const std::string& kernel) const {
  return find_entry(object_, program, kernel);
}

Entry find_entry(void* object, std::size_t program, const std::string& kernel) {
  return reinterpret_cast<Entry>(::dlsym(object, entry_name(program, kernel).c_str()));
}

}  // namespace tessera::sweep
