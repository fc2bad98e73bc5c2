// SPDX-License-Identifier: Apache-2.0
// `tesserac FILE`: source to CUDA C++, or to any step in between.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <regex>

#include "base/explain.h"
#include "commands/outputs.h"
#include "commands/pipeline.h"
#include "commands/target_flags.h"
#include "commands/toolbox.h"
#include "emit/target.h"
#include "frontend/dump.h"
#include "sema/ir/text.h"

namespace tessera::commands {

namespace {

struct CompileOptions {
  CommonOptions common;
  TargetOptions target;
  ToolOptions tools;
  std::string file;
  std::string output;
  std::string emit_folder;
  std::vector<EmitKind> kinds;
  bool write_depfile = false;
  std::string depfile;
  std::vector<std::string> depfile_targets;
  std::string name_space;
  bool maps_to_source = false;
  std::string explained;
  bool list_diagnostics = false;
  bool version = false;
};

const std::map<std::string, EmitKind>& emit_kinds() {
  static const std::map<std::string, EmitKind> kinds = {
      {"ast", EmitKind::ast},   {"ir", EmitKind::ir},         {"plan", EmitKind::plan},
      {"cuda", EmitKind::cuda}, {"header", EmitKind::header}, {"ptx", EmitKind::ptx},
      {"deps", EmitKind::deps}, {"report", EmitKind::report}};
  return kinds;
}

/// One compilation: collects the texts that were asked for, then writes them.
class Compilation {
 public:
  explicit Compilation(const CompileOptions& options)
      : options_(options), session_(options.common), toolbox_(options.tools, session_.sink) {}

  ExitCode run() {
    kinds_ = options_.kinds;
    if (kinds_.empty()) kinds_ = {EmitKind::cuda, EmitKind::header};
    emit_options_ = options_.target.emit_options(options_.file);
    if (!options_.name_space.empty()) emit_options_.name_space = options_.name_space;
    const bool one_file = options_.output.ends_with(".cu") || options_.output == "-";
    // Code for the oldest architecture runs on all of them.
    if (options_.target.architectures.empty() && one_file) emit_options_.architectures.resize(1);

    const auto destination = find_destination(options_.output, options_.emit_folder, options_.file, kinds_,
                                              emit_options_.architectures.size(), session_.sink);
    if (!destination) return session_.finish();
    destination_ = *destination;
    emit_options_.file_stem = destination_.stem;
    if (options_.maps_to_source) emit_options_.line_map = line_map();
    emit_options_.report = wants(EmitKind::report);
    if (make_texts() && !session_.failed()) deliver();
    return session_.finish();
  }

 private:
  bool wants(EmitKind kind) const { return std::ranges::count(kinds_, kind) > 0; }
  bool wants_any(std::initializer_list<EmitKind> kinds) const {
    return std::ranges::any_of(kinds, [&](EmitKind kind) { return wants(kind); });
  }

  /// Paths as they are given: whoever wants absolute ones says so, and the bytes do not depend on the folder.
  emit::LineMap line_map() const {
    return {.source = options_.file == "-" ? "<stdin>" : options_.file,
            .destination = [this](const auto& name) {
              const bool is_named = destination_.form == Destination::Form::cuda_file;
              return is_named ? destination_.path : destination_.place(name);
            }};
  }

  void add(const std::string& name, std::string text) {
    files_.push_back({destination_.place(name), std::move(text)});
  }

  bool make_texts() {
    const auto file = session_.load(options_.file);
    if (!file) return false;
    const auto tree = parse_source(session_, *file);
    if (!tree) return false;
    if (wants(EmitKind::ast)) add(destination_.stem + ".ast", dump(*tree));
    if (!wants_any({EmitKind::ir, EmitKind::plan, EmitKind::cuda, EmitKind::header, EmitKind::ptx,
                    EmitKind::report})) {
      return true;
    }
    const auto module = check_source(session_, *tree);
    if (!module) return false;
    if (wants(EmitKind::ir)) add(destination_.stem + ".ir", ir::print(*module));
    if (!wants_any({EmitKind::plan, EmitKind::cuda, EmitKind::header, EmitKind::ptx, EmitKind::report}))
      return true;
    const auto emission = emit_module(session_, *module, emit_options_);
    return emission && add_emission(*emission);
  }

  bool add_emission(const emit::Emission& emission) {
    if (wants(EmitKind::header)) add(emission.header.name, emission.header.text);
    if (wants(EmitKind::cuda)) {
      for (const emit::GeneratedFile& file : emission.cuda) add(file.name, file.text);
      if (destination_.form == Destination::Form::cuda_file) files_.back().name = destination_.path;
      // A single text is one translation unit; whoever asks for it knows its architecture.
      const bool single = destination_.form == Destination::Form::file ||
                          destination_.form == Destination::Form::standard_output;
      if (!single) add(emission.dispatcher.name, emission.dispatcher.text);
    }
    if (wants(EmitKind::plan)) add(destination_.stem + ".plan", emission.plan);
    if (wants(EmitKind::report)) add(destination_.stem + ".report", emission.report);
    if (!wants(EmitKind::ptx)) return true;
    return session_.timed("nvcc", [&] { return add_ptx(emission); });
  }

  bool add_ptx(const emit::Emission& emission) {
    const driver::Tool* nvcc = toolbox_.nvcc();
    const driver::Tool* host = nvcc == nullptr ? nullptr : toolbox_.host_compiler();
    if (host == nullptr) return false;
    for (std::size_t i = 0; i < emission.cuda.size(); ++i) {
      const std::string& name = emit_options_.architectures[i];
      const driver::CompileRequest request{.product = driver::Product::ptx,
                                           .compiler = *nvcc,
                                           .is_nvcc = true,
                                           .host_compiler = *host,
                                           .architecture = "sm_" + std::string(emit::find_target(name)->nvcc),
                                           .units = {{emission.cuda[i].name, emission.cuda[i].text}},
                                           .headers = {{emission.header.name, emission.header.text}}};
      auto ptx = toolbox_.compile(request);
      if (!ptx) return false;
      add(fmt::format("{}.{}.ptx", destination_.stem, name), std::move(*ptx));
    }
    return true;
  }

  /// The dependency file, when one was asked for.
  void add_dependencies() {
    if (!options_.write_depfile && !wants(EmitKind::deps)) return;
    std::vector<std::string> targets = options_.depfile_targets;
    if (targets.empty()) {
      for (const driver::NamedBytes& file : files_) targets.push_back(file.name);
    }
    if (targets.empty()) targets.push_back(destination_.place(destination_.stem + ".h"));
    const std::string text = dependency_text(
        targets, options_.file == "-" ? std::vector<std::string>() : std::vector{options_.file});
    if (wants(EmitKind::deps)) add(destination_.stem + ".d", text);
    if (!options_.write_depfile) return;
    files_.push_back(
        {options_.depfile.empty() ? destination_.place(destination_.stem + ".d") : options_.depfile, text});
  }

  void deliver() {
    if (destination_.form == Destination::Form::file && !files_.empty())
      files_.front().name = destination_.path;
    add_dependencies();
    if (destination_.form == Destination::Form::file && wants(EmitKind::deps))
      files_.front().name = destination_.path;
    if (destination_.form == Destination::Form::standard_output) {
      print(files_.front().bytes);
      files_.erase(files_.begin());
    }
    session_.timed("write", [&] { return write_outputs(files_, options_.file, session_.sink); });
  }

  const CompileOptions& options_;
  Session session_;
  Toolbox toolbox_;
  std::vector<EmitKind> kinds_;
  emit::Options emit_options_;
  Destination destination_;
  std::vector<driver::NamedBytes> files_;
};

ExitCode explain_code(const CompileOptions& options) {
  if (const auto text = explain(options.explained)) {
    print(*text);
    return ExitCode::ok;
  }
  Session session(options.common);
  const bool known = diagnostic_from_name(options.explained).has_value();
  session.sink
      .report(Diag::bad_command_line, {},
              fmt::format("`{}` {}", options.explained, known ? "has no explanation" : "is no diagnostic"))
      .help("`tesserac --list-diagnostics` lists them");
  session.finish();
  return ExitCode::usage;
}

ExitCode list_diagnostics() {
  std::string text;
  for (const DiagInfo& row : all_diagnostics()) {
    const char* severity = row.severity == Severity::error     ? "error"
                           : row.severity == Severity::warning ? "warning"
                                                               : "remark";
    text += fmt::format("{}  {:<7}  {:<32}  {}\n", row.code, severity, slug_of(row.kind), row.rule);
  }
  print(text);
  return ExitCode::ok;
}

ExitCode start(const CompileOptions& options) {
  if (options.version) {
    print(fmt::format("tesserac {}\n", TESSERA_VERSION));
    return ExitCode::ok;
  }
  if (!options.explained.empty()) return explain_code(options);
  if (options.list_diagnostics) return list_diagnostics();
  if (options.file.empty()) {
    Session session(options.common);
    session.sink.report(Diag::bad_command_line, {}, "no source file")
        .help("`tesserac --help` lists the flags");
    session.finish();
    return ExitCode::usage;
  }
  return Compilation(options).run();
}

void add_output_flags(CLI::App& app, CompileOptions& options) {
  const std::string group = "Output";
  app.add_option("-o,--output", options.output,
                 "a folder, `x.cu`, another file for a single text, or `-`; default: here")
      ->option_text("OUT")
      ->group(group);
  app.add_option("--emit", options.kinds,
                 "what to make: ast, ir, plan, cuda, header, ptx, deps, report; default: cuda,header")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->transform(CLI::CheckedTransformer(emit_kinds()))
      ->option_text("KIND,…")
      ->group(group);
  app.add_option("--emit-dir", options.emit_folder, "the folder of everything that -o does not name")
      ->option_text("DIR")
      ->group(group);
  static const CLI::Validator name_space(
      [](const std::string& text) {
        static const std::regex names("[A-Za-z_][A-Za-z0-9_]*(::[A-Za-z_][A-Za-z0-9_]*)*");
        return std::regex_match(text, names) ? std::string() : fmt::format("`{}` is no C++ namespace", text);
      },
      "");
  app.add_option("--namespace", options.name_space, "the C++ namespace of the launchers")
      ->check(name_space)
      ->option_text("NAME")
      ->group(group);
  static const std::map<std::string, bool> line_maps = {{"cu", false}, {"tsr", true}};
  app.add_option("--line-map", options.maps_to_source,
                 "what debuggers, profilers and compiler errors name: cu, or tsr by `#line`; default: cu")
      ->transform(CLI::CheckedTransformer(line_maps))
      ->option_text("KIND")
      ->group(group);
  app.add_flag("--write-depfile", options.write_depfile, "-MD: also write what the output was made from")
      ->group(group);
  app.add_option("--depfile", options.depfile, "-MF: to this file")->option_text("FILE")->group(group);
  app.add_option("--depfile-target", options.depfile_targets, "-MT: with this target instead of the outputs")
      ->option_text("NAME")
      ->group(group)
      ->allow_extra_args(false);
}

}  // namespace

Action define_compile(CLI::App& app) {
  const auto options = std::make_shared<CompileOptions>();
  app.add_option("FILE", options->file, "the source, or `-` for standard input")->option_text("FILE");
  add_output_flags(app, *options);
  add_target_flags(app, options->target);
  add_tool_flags(app, options->tools);
  add_common_flags(app, options->common);
  const std::string group = "Information";
  app.add_option("--explain", options->explained, "explain a diagnostic, by code or slug")
      ->option_text("CODE")
      ->group(group);
  app.add_flag("--list-diagnostics", options->list_diagnostics, "list all diagnostics")->group(group);
  app.add_flag("--version", options->version, "print the version")->group(group);
  return [options] { return start(*options); };
}

}  // namespace tessera::commands
