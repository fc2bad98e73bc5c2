// SPDX-License-Identifier: Apache-2.0
// Source to generated code, step by step; see pipeline.h.
#include "commands/pipeline.h"

#include <filesystem>

#include "base/utf8.h"
#include "frontend/parse.h"
#include "sema/check.h"

namespace tessera::commands {

namespace {

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

std::optional<ast::File> parse_source(Session& session, FileId file) {
  return session.timed("parse", [&] { return parse(session.sources.file(file), session.sink); });
}

std::optional<ir::Module> check_source(Session& session, const ast::File& file) {
  return session.timed("check", [&] { return check(file, session.sink); });
}

std::optional<emit::Emission> emit_module(Session& session, const ir::Module& module,
                                          const emit::Options& options) {
  return session.timed("emit", [&] { return emit::emit(module, options, session.sources, session.sink); });
}

std::optional<ir::Module> load_module(Session& session, const std::string& path) {
  const auto file = session.load(path);
  if (!file) return std::nullopt;
  const auto tree = parse_source(session, *file);
  return tree ? check_source(session, *tree) : std::nullopt;
}

std::string stem_of(const std::string& path) {
  if (path == "-") return "kernel";
  std::string stem = std::filesystem::path(path).stem().string();
  for (char& c : stem) {
    if (!is_word_character(c) && c != '.' && c != '-' && c != '+') c = '_';
  }
  if (stem.empty() || stem.front() == '.' || stem.front() == '-') stem.insert(0, "_");
  return stem;
}

std::string source_name_of(const std::string& path) {
  const std::string name = path == "-" ? "stdin" : std::filesystem::path(path).filename().string();
  std::string result;
  for (std::size_t i = 0; i < name.size();) {
    const std::size_t length = utf8_sequence_length(name, i);
    const auto byte = static_cast<unsigned char>(name[i]);
    const bool plain =
        length > 1 || (length == 1 && byte >= 0x20 && byte != 0x7f && byte != '"' && byte != '\\');
    result += plain ? name.substr(i, length) : "_";
    i += plain ? length : 1;
  }
  return result;
}

}  // namespace tessera::commands
