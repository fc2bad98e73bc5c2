// SPDX-License-Identifier: Apache-2.0
// The wording of syntax errors.
#pragma once

#include <Parser.h>

#include <optional>
#include <string_view>

#include "base/diagnostics.h"
#include "frontend/antlr/token_list.h"

namespace tessera::antlr {

/// Reports that `offending` cannot stand where the parser is: by the rule it is in and the one token it waits for, or
/// as one of the common slips.
void report_syntax_error(antlr4::Parser& parser, const TokenList& tokens, const antlr4::Token* offending,
                         DiagnosticSink& sink);

/// Reports a `;` that is missing after the last token read.
void report_missing_semicolon(antlr4::Parser& parser, const TokenList& tokens, DiagnosticSink& sink);

/// Reports a token that starts no statement, or no declaration at file level.
void report_not_a_statement(const TokenList& tokens, const antlr4::Token* offending, DiagnosticSink& sink);
void report_not_a_declaration(const TokenList& tokens, const antlr4::Token* offending, DiagnosticSink& sink);

}  // namespace tessera::antlr
