// SPDX-License-Identifier: Apache-2.0
// One compiler call in a folder of its own; see compile.h.
#include "driver/compile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "base/check.h"
#include "driver/elf.h"
#include "driver/process.h"
#include "driver/runtime_files.h"
#include "driver/sha256.h"

namespace tessera::driver {

namespace {

/// Lines of a compiler's output that a report shows; more helps nobody.
constexpr std::size_t kShownLines = 30;

std::string_view product_name(Product product) {
  return product == Product::ptx ? "output.ptx" : "output.so";
}

/// "unit0.cu": a fixed name with the ending of the given one.
std::string unit_name(const CompileRequest& request, std::size_t index) {
  const std::string ending = std::filesystem::path(request.units[index].name).extension().string();
  TESSERA_CHECK(ending == ".cu" || ending == ".cpp", "a unit is CUDA or C++");
  return fmt::format("unit{}{}", index, ending);
}

std::vector<std::string> nvcc_arguments(const CompileRequest& request) {
  // Code for the chip alone: `-arch=sm_90a` would compile for compute_90 as well.
  const std::string number = request.architecture.substr(request.architecture.find('_') + 1);
  std::vector<std::string> arguments = {"-std=c++20", "-fmad=false",
                                        fmt::format("-gencode=arch=compute_{0},code={1}_{0}", number,
                                                    request.product == Product::ptx ? "compute" : "sm")};
  if (!request.host_compiler.path.empty()) arguments.push_back("-ccbin=" + request.host_compiler.path);
  if (request.product == Product::ptx) {
    arguments.push_back("-ptx");
  } else {
    // C++ files pass through nvcc as well, so that the headers of the toolkit are found.
    for (const char* text : {"--shared", "-Xptxas=--warn-on-spills", "-Xcompiler=-fPIC",
                             "-Xcompiler=-ffp-contract=off", "-x", "cu"}) {
      arguments.emplace_back(text);
    }
  }
  return arguments;
}

std::vector<std::string> host_arguments() {
  return {"-std=c++20", "-O2", "-ffp-contract=off", "-fPIC", "-shared", "-pthread", "-x", "c++"};
}

/// The arguments, all of them made of fixed texts, checked paths and this request's own fixed names.
std::vector<std::string> arguments_of(const CompileRequest& request, const std::string& folder) {
  std::vector<std::string> arguments = request.is_nvcc ? nvcc_arguments(request) : host_arguments();
  arguments.insert(arguments.end(), request.options.begin(), request.options.end());
  arguments.push_back("-I" + folder + "/runtime/include");
  arguments.push_back("-I" + folder);
  for (std::size_t i = 0; i < request.units.size(); ++i)
    arguments.push_back(folder + "/" + unit_name(request, i));
  for (const std::string& unit : request.runtime_units) arguments.push_back(folder + "/runtime/" + unit);
  arguments.push_back("-o");
  arguments.push_back(folder + "/" + std::string(product_name(request.product)));
  return arguments;
}

/// Writes everything the compiler reads.
std::optional<FileError> write_inputs(const CompileRequest& request, const std::string& folder) {
  for (const RuntimeFile& file : runtime_files()) {
    const std::string path = fmt::format("{}/runtime/{}", folder, file.path);
    if (auto error = create_folders(std::filesystem::path(path).parent_path().string())) return error;
    if (auto error = write_file(path, file.text)) return error;
  }
  for (const NamedBytes& header : request.headers) {
    if (auto error = write_file(folder + "/" + header.name, header.bytes)) return error;
  }
  for (std::size_t i = 0; i < request.units.size(); ++i) {
    if (auto error = write_file(folder + "/" + unit_name(request, i), request.units[i].bytes)) return error;
  }
  return std::nullopt;
}

std::string command_line(const ProcessRequest& process) {
  return fmt::format("{} {}", process.program, fmt::join(process.arguments, " "));
}

/// Keeps what is too long to show beside the cache's entries, for the last failure; says where.
std::string keep_log(const Cache* cache, const std::string& text) {
  if (cache == nullptr) return "… (more lines)";
  const std::string path = cache->folder() + "/last-failure.log";
  return replace_file(path, text) ? "… (more lines)" : fmt::format("… (all of it is in {})", printable(path));
}

/// The first lines of what the tool printed, for the report.
void add_output(DiagnosticBuilder& report, const std::string& output, const Cache* cache) {
  const std::string text = printable(output);
  std::size_t end = 0;
  for (std::size_t lines = 0; lines < kShownLines && end < text.size(); ++lines) {
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  }
  if (end == 0) {
    report.note("it printed nothing");
  } else {
    report.note("it printed:\n{}{}", text.substr(0, end),
                end < text.size() ? keep_log(cache, text) + "\n" : "");
  }
}

void report_failure(const ProcessRequest& process, const ProcessResult& result, const Cache* cache,
                    DiagnosticSink& sink) {
  auto report = sink.report(Diag::tool_failed, {}, process.program, describe(result, process));
  if (result.outcome == ProcessOutcome::interrupted) return;
  report.note("the command was: {}", command_line(process));
  if (result.outcome != ProcessOutcome::not_started) add_output(report, result.output, cache);
  report.help(
      "`tesserac doctor` tries the compilers; if they work, the generated code is at fault, please report "
      "it");
}

/// What ptxas says of machine code that is right and slow: registers that are spilled, products of warpgroups that wait
/// for each other, registers that are not given away. The last two are remarks, which no flag makes warnings.
void warn_of_slow_code(const ProcessResult& result, const Cache* cache, DiagnosticSink& sink) {
  std::string said;
  for (std::size_t from = 0; from < result.output.size();) {
    const std::size_t end = std::min(result.output.find('\n', from), result.output.size() - 1) + 1;
    const std::string line = result.output.substr(from, end - from);
    const bool is_meant = line.find("Registers are spilled") != std::string::npos ||
                          line.find("Potential Performance Loss") != std::string::npos;
    if (is_meant) said += line;
    from = end;
  }
  if (said.empty()) return;
  auto report = sink.report(Diag::slow_code, {});
  add_output(report, said, cache);
  report.help("smaller tiles, or more warps, leave a thread more registers");
}

/// What is wrong with the compiler's output, or nothing.
std::optional<std::string> output_problem(const CompileRequest& request,
                                          const std::optional<std::string>& bytes) {
  if (!bytes) return "there is none";
  if (bytes->empty()) return "the file is empty";
  return request.product == Product::ptx ? ptx_problem(*bytes) : elf_problem(*bytes, request.symbols);
}

std::optional<std::string> run_compiler(const CompileRequest& request, const Cache* cache,
                                        DiagnosticSink& sink) {
  const InterruptGuard guard;  // before the folder: the signal is raised again when the folder is gone
  const auto folder = TemporaryFolder::create(cache == nullptr ? "" : cache->folder() + "/v1/new");
  if (!folder) {
    sink.report(Diag::no_temporary_folder, {})
        .note(
            "tried were the cache folder, $TMPDIR, /tmp and /var/tmp; the path may hold letters, digits and "
            "`._-/` only")
        .help("name a writable folder with `--cache-dir` or TMPDIR");
    return std::nullopt;
  }
  if (const auto error = write_inputs(request, folder->path())) {
    sink.report(Diag::file_not_written, {}, error->path, error->reason);
    return std::nullopt;
  }
  const ProcessRequest process{.program = request.compiler.path,
                               .arguments = arguments_of(request, folder->path()),
                               .environment = tool_environment(folder->path()),
                               .time_limit = request.time_limit};
  const ProcessResult result = run_process(process);
  if (!result.succeeded()) {
    report_failure(process, result, cache, sink);
    return std::nullopt;
  }
  auto bytes = read_file(fmt::format("{}/{}", folder->path(), product_name(request.product)));
  if (const auto problem = output_problem(request, bytes)) {
    auto report = sink.report(Diag::tool_output_damaged, {}, process.program, *problem);
    report.note("the command was: {}", command_line(process));
    add_output(report, result.output, cache);
    report.help("a full disk is the usual cause");
    return std::nullopt;
  }
  warn_of_slow_code(result, cache, sink);
  return bytes;
}

/// Digest of the running program, which covers the embedded runtime and every default.
const std::optional<std::string>& own_digest() {
  static const std::optional<std::string> digest = [] {
    const auto bytes = read_file("/proc/self/exe");
    return bytes ? std::optional(sha256(*bytes)) : std::nullopt;
  }();
  return digest;
}

}  // namespace

std::optional<std::string> cache_key(const CompileRequest& request) {
  if (!own_digest()) return std::nullopt;
  Sha256 hash;
  const auto add_all = [&](std::string_view what, const auto& items, const auto& spell) {
    hash.update_field(what);
    hash.update_field(std::to_string(items.size()));
    for (const auto& item : items) spell(item);
  };
  const auto add_text = [&](const std::string& text) { hash.update_field(text); };
  const auto add_file = [&](const NamedBytes& file) {
    hash.update_field(file.name);
    hash.update_field(file.bytes);
  };
  hash.update_field(*own_digest());
  hash.update_field(request.compiler.identity);
  hash.update_field(request.host_compiler.identity);
  add_all("arguments", arguments_of(request, "/folder"), add_text);
  add_all("environment", tool_environment("/folder"), add_text);
  add_all("units", request.units, add_file);
  add_all("headers", request.headers, add_file);
  add_all("symbols", request.symbols, add_text);
  return hash.finish();
}

std::optional<std::string> compile(const CompileRequest& request, const Cache* cache, DiagnosticSink& sink) {
  const std::string name(product_name(request.product));
  if (cache == nullptr) return run_compiler(request, cache, sink);
  const auto key = cache_key(request);
  if (!key) {
    sink.report(Diag::cache_unusable, {}, cache->folder(),
                "the program cannot read its own file, /proc/self/exe");
    return run_compiler(request, cache, sink);
  }
  if (auto files = cache->load(*key); files && files->size() == 1 && files->front().name == name) {
    return std::move(files->front().bytes);
  }
  auto bytes = run_compiler(request, cache, sink);
  if (bytes) cache->store(*key, {{name, *bytes}});
  return bytes;
}

}  // namespace tessera::driver
