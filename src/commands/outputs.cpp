// SPDX-License-Identifier: Apache-2.0
// Destinations of generated files; see outputs.h.
#include "commands/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "commands/pipeline.h"

namespace tessera::commands {

namespace {

namespace fs = std::filesystem;

std::string as_folder(const std::string& path) {
  return path.empty() || path.ends_with('/') ? path : path + "/";
}

/// A text of several kinds, or the .cu files of several architectures, do not fit into one file.
bool is_one_text(const std::vector<EmitKind>& kinds, std::size_t architectures) {
  if (kinds.size() != 1) return false;
  return (kinds.front() != EmitKind::cuda && kinds.front() != EmitKind::ptx) || architectures == 1;
}

std::string escaped_for_make(const std::string& path) {
  std::string text;
  for (const char c : path) {
    if (c == ' ' || c == '#' || c == '\\') text += '\\';
    if (c == '$') text += '$';
    text += c;
  }
  return text;
}

}  // namespace

std::optional<Destination> find_destination(const std::string& output, const std::string& emit_folder,
                                            const std::string& source_path,
                                            const std::vector<EmitKind>& kinds, std::size_t architectures,
                                            DiagnosticSink& sink) {
  const auto refuse = [&](std::string message, std::string help) {
    sink.report(Diag::bad_command_line, {}, message).help("{}", help);
    return std::nullopt;
  };
  Destination result;
  result.stem = stem_of(source_path);
  result.folder = as_folder(emit_folder);
  if (output == "-") {
    if (!is_one_text(kinds, architectures)) {
      return refuse("`-o -` prints one text, and more than one was asked for",
                    "choose one with `--emit=cuda --arch=sm_90`, or name a folder");
    }
    result.form = Destination::Form::standard_output;
    return result;
  }
  std::error_code ignored;
  const fs::path path(output);
  if (output.empty() || output.ends_with('/') || fs::is_directory(path, ignored) || !path.has_extension()) {
    if (emit_folder.empty()) result.folder = as_folder(output);
    return result;
  }
  result.path = output;
  if (emit_folder.empty()) result.folder = as_folder(path.parent_path().string());
  if (path.extension() == ".cu" && std::ranges::count(kinds, EmitKind::cuda) > 0) {
    if (architectures != 1) {
      return refuse(fmt::format("`{}` is one file, and there are {} architectures", output, architectures),
                    "choose one with `--arch=sm_90`, or name a folder");
    }
    result.form = Destination::Form::cuda_file;
    result.stem = stem_of(output);
    return result;
  }
  if (!is_one_text(kinds, architectures)) {
    return refuse(fmt::format("`{}` is one file, and more than one text was asked for", output),
                  "name a folder, or choose one text with `--emit=…`");
  }
  result.form = Destination::Form::file;
  return result;
}

bool write_outputs(const std::vector<driver::NamedBytes>& files, const std::string& source_path,
                   DiagnosticSink& sink) {
  for (const driver::NamedBytes& file : files) {
    std::error_code ignored;
    if (source_path != "-" && fs::equivalent(file.name, source_path, ignored)) {
      sink.report(Diag::bad_command_line, {},
                  fmt::format("the output `{}` would replace the source", file.name));
      return false;
    }
    const std::string folder = fs::path(file.name).parent_path().string();
    const auto error = folder.empty() ? std::nullopt : driver::create_folders(folder);
    if (error) {
      sink.report(Diag::file_not_written, {}, file.name, error->reason);
      return false;
    }
  }
  if (const auto error = driver::replace_files(files)) {
    sink.report(Diag::file_not_written, {}, error->path, error->reason);
    return false;
  }
  return true;
}

std::string dependency_text(const std::vector<std::string>& targets,
                            const std::vector<std::string>& sources) {
  std::string text;
  for (const std::string& target : targets) text += (text.empty() ? "" : " ") + escaped_for_make(target);
  text += ":";
  for (const std::string& source : sources) text += " " + escaped_for_make(source);
  return text + "\n";
}

}  // namespace tessera::commands
