// SPDX-License-Identifier: Apache-2.0
// From sources to a loaded program; see program.h.
#include "planted/program.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <stdexcept>

#include "base/load_source.h"
#include "driver/files.h"
#include "driver/process.h"
#include "driver/toolchain.h"
#include "frontend/parse.h"
#include "sema/check.h"

namespace tessera::planted {

namespace {

using driver::TemporaryFolder;

[[noreturn]] void fail(const std::string& reason) { throw std::runtime_error(reason); }
[[noreturn]] void fail(std::string reason, const DiagnosticSink& sink) {
  for (const Diagnostic& diagnostic : sink.sorted()) reason += "\n  " + diagnostic.message;
  fail(reason);
}

std::string read(const std::string& path) {
  auto text = driver::read_file(path);
  if (!text) fail("cannot read " + path);
  return std::move(*text);
}

void write(const std::string& path, const std::string& text) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  if (driver::create_folders(folder) || driver::write_file(path, text)) fail("cannot write " + path);
}

std::string source_root() { return TESSERA_SOURCE_DIR; }

std::string stem_of(const KernelSet& set, std::size_t number) {
  return set.name + "_" + std::to_string(number);
}

/// Whether a generated file of one entry of the set differs from what it is without the fault.
bool is_changed(const Texts& texts, const Texts& sound, const std::string& stem) {
  return std::ranges::any_of(texts, [&](const auto& file) {
    return file.first.starts_with(stem + ".") && sound.at(file.first) != file.second;
  });
}

/// The checked kernels of one entry of a set.
ir::Module module_of(const Source& source, SourceManager& sources) {
  DiagnosticSink sink;
  const auto file = load_source(source_root() + "/" + source.file, sources, sink);
  if (!file) fail(source.file, sink);
  const auto tree = parse(sources.file(*file), sink);
  auto module = tree ? check(*tree, sink) : std::nullopt;
  if (!module) fail(source.file, sink);
  const std::set<std::string> wanted(source.kernels.begin(), source.kernels.end());
  std::erase_if(module->kernels, [&](const ir::Kernel& kernel) { return !wanted.contains(kernel.c_name); });
  if (module->kernels.size() != wanted.size()) fail(source.file + " lacks kernels of the set");
  return std::move(*module);
}

/// Adds the generated files of one entry of a set; whether a fault of the lowered program was found is not said: a phase
/// without the construct stays as it is.
void generate(const Source& source, const std::string& stem, const PlantedFault& fault, Texts& texts) {
  SourceManager sources;
  DiagnosticSink sink;
  const ir::Module module = module_of(source, sources);
  emit::Options options;
  options.architectures = {source.architecture};
  options.plan = source.plan;
  options.fault = fault.lowered;
  options.file_stem = stem;
  options.name_space = stem;
  options.source_name = std::filesystem::path(source.file).filename();
  const auto emission = emit::emit(module, options, sources, sink);
  if (!emission) fail(source.file + " cannot be emitted", sink);
  texts[emission->header.name] = emission->header.text;
  texts[emission->dispatcher.name] = emission->dispatcher.text;
  for (const emit::GeneratedFile& file : emission->cuda) texts[file.name] = file.text;
}

/// The headers of the runtime that the fault changes, in a folder that is searched before the runtime's own.
void write_edited_headers(const PlantedFault& fault, const std::string& folder) {
  std::set<std::string> files;
  for (const Edit& edit : fault.edits) {
    if (edit.file.starts_with("tessera/")) files.insert(edit.file);
  }
  for (const std::string& file : files)
    write(folder + "/" + file, edited(fault, file, read(source_root() + "/runtime/include/" + file)));
}

}  // namespace

int replace_all(std::string& text, const std::string& from, const std::string& to) {
  int count = 0;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
    ++count;
  }
  return count;
}

std::string edited(const PlantedFault& fault, const std::string& file, std::string text) {
  for (const Edit& edit : fault.edits) {
    if (edit.file != file) continue;
    const int times = replace_all(text, edit.text, edit.replacement);
    if (times != edit.times) {
      fail(file + " has `" + edit.text + "` " + std::to_string(times) + " times, not " +
           std::to_string(edit.times));
    }
  }
  return text;
}

Texts generate(const KernelSet& set, const PlantedFault& fault) {
  Texts texts;
  for (std::size_t number = 0; number < set.sources.size(); ++number)
    generate(set.sources[number], stem_of(set, number), fault, texts);
  return texts;
}

Texts with_fault(const KernelSet& set, const PlantedFault& fault, const Texts& sound) {
  Texts texts = fault.lowered ? generate(set, fault) : sound;
  for (const Edit& edit : fault.edits) {
    if (edit.file != kGenerated) continue;
    for (auto& [name, text] : texts) replace_all(text, edit.text, edit.replacement);
  }
  return texts;
}

bool is_everywhere(const PlantedFault& fault) {
  return !fault.options.empty() ||
         std::ranges::any_of(fault.edits, [](const Edit& edit) { return edit.file != kGenerated; });
}

Compiled compile_and_load(const std::string& unit, const std::string& folder,
                          const std::vector<std::string>& options) {
  const driver::ToolLookup compiler = driver::find_host_compiler({});
  if (!compiler.tool) fail(compiler.problem);
  const std::string object = folder + "/unit.so";
  // References to its own functions stay inside the object: this program has the same ones without a fault.
  std::vector<std::string> arguments = {"-std=c++20", "-O0",        "-ffp-contract=off",        "-fPIC",
                                        "-shared",    "-pthread",   "-Wl,-Bsymbolic-functions", "-x",
                                        "c++",        "-I" + folder};
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.insert(arguments.end(), {unit, "-o", object});
  const driver::ProcessResult result = driver::run_process({.program = compiler.tool->path,
                                                            .arguments = arguments,
                                                            .environment = driver::tool_environment(folder),
                                                            .time_limit = std::chrono::minutes(20)});
  if (!result.succeeded()) return {.error = result.output.empty() ? "the compiler failed" : result.output};
  void* loaded = ::dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) fail(::dlerror());
  return {.error = {}, .object = loaded};
}

std::string mistake_of(const PlantedFault& fault, const std::vector<Texts>& sound) {
  std::string mistakes;
  for (const Edit& edit : fault.edits) {
    int times = 0;
    const auto count_in = [&](std::string text) { times += replace_all(text, edit.text, edit.replacement); };
    if (edit.file == kGenerated) {
      for (const Texts& texts : sound) {
        for (const auto& [name, text] : texts) count_in(text);
      }
      if (times == 0) mistakes += "nothing that is generated has `" + edit.text + "`\n";
      continue;
    }
    const std::string folder = edit.file.starts_with("tessera/") ? "/runtime/include/" : "/";
    count_in(read(source_root() + folder + edit.file));
    if (times != edit.times)
      mistakes += edit.file + " has `" + edit.text + "` " + std::to_string(times) + " times\n";
  }
  return mistakes;
}

Program build(const KernelSet& set, const PlantedFault& fault, const Texts& texts, const Texts& sound) {
  const auto folder = TemporaryFolder::create({});
  if (!folder) fail("no temporary folder");
  const bool everywhere = is_everywhere(fault) || fault.name.empty();
  write_edited_headers(fault, folder->path());
  std::vector<const Source*> sources;
  std::string unit;
  for (std::size_t number = 0; number < set.sources.size(); ++number) {
    const std::string stem = stem_of(set, number);
    if (!everywhere && !is_changed(texts, sound, stem)) continue;
    sources.push_back(&set.sources[number]);
    for (const auto& [name, text] : texts) {
      if (!name.starts_with(stem + ".")) continue;
      write(folder->path() + "/" + name, text);
      if (!name.ends_with(".h")) unit += "#include \"" + name + "\"\n";
    }
  }
  const std::string path = folder->path() + "/unit.cu";
  write(path, unit);
  std::vector<std::string> options = {"-I" + source_root() + "/runtime/include"};
  options.insert(options.end(), fault.options.begin(), fault.options.end());
  const Compiled compiled = compile_and_load(path, folder->path(), options);
  Program program{compiled.error, {}};
  if (compiled.object == nullptr) return program;
  for (const Source* source : sources) {
    for (const std::string& kernel : source->kernels) {
      const std::string name = "tessera_" + kernel + "_invoke";
      program.entries[kernel] = reinterpret_cast<sweep::Entry>(::dlsym(compiled.object, name.c_str()));
      if (program.entries[kernel] == nullptr) fail("there is no " + name);
    }
  }
  return program;
}

}  // namespace tessera::planted
