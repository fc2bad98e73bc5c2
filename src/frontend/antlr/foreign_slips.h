// SPDX-License-Identifier: Apache-2.0
// What people write who know other languages: operators, conversions and slices that are spelled otherwise here.
#pragma once

#include "base/diagnostics.h"
#include "frontend/antlr/token_list.h"

namespace tessera::antlr {

/// Reports `offending`, at which the parser stopped, if it or what stands around it is the spelling of another language.
bool report_foreign_slip(const TokenList& tokens, const antlr4::Token* offending, DiagnosticSink& sink);

/// Reports `++n` or `--n`, whose sign is at `sign` and `sign + 1`.
void report_increment(const TokenList& tokens, std::size_t sign, DiagnosticSink& sink);

/// The innermost bracket that is open before the token.
const antlr4::Token* innermost_opener(const TokenList& tokens, const antlr4::Token* token);

/// Whether the token is the first one of its line.
bool starts_line(const TokenList& tokens, const antlr4::Token* token);

/// Whether two tokens touch.
bool touch(const antlr4::Token* left, const antlr4::Token* right);

}  // namespace tessera::antlr
