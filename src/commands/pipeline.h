// SPDX-License-Identifier: Apache-2.0
// The steps from source to generated code, timed. Each is absent after an error, and the session holds the
// reason.
#pragma once

#include <optional>
#include <string>

#include "commands/session.h"
#include "emit/emit.h"
#include "frontend/ast.h"
#include "sema/ir/module.h"

namespace tessera::commands {

std::optional<ast::File> parse_source(Session& session, FileId file);
std::optional<ir::Module> check_source(Session& session, const ast::File& file);
std::optional<emit::Emission> emit_module(Session& session, const ir::Module& module,
                                          const emit::Options& options);

/// Reads, parses and checks a file in one go.
std::optional<ir::Module> load_module(Session& session, const std::string& path);

/// "dir/softmax.tsr" → "softmax"; whatever a file or an include directive cannot hold safely becomes `_`.
/// Standard input is called "kernel".
std::string stem_of(const std::string& path);
/// "dir/softmax.tsr" → "softmax.tsr", safe to stand in a comment and in a string literal.
std::string source_name_of(const std::string& path);

}  // namespace tessera::commands
