// SPDX-License-Identifier: Apache-2.0
// Slips in the head of a `grid` or `for`: parentheses, types, `=` and `;`, a step without `by`, keywords as names.
#pragma once

#include <ParserRuleContext.h>

#include <vector>

#include "base/diagnostics.h"
#include "frontend/antlr/token_list.h"

namespace tessera::antlr {

/// Where the parser stopped: the rule that it is in, the tokens that may follow, and the one that does.
struct StopPlace {
  antlr4::ParserRuleContext& context;
  const std::vector<std::size_t>& expected;
  const TokenList& tokens;
  const antlr4::Token* token;
};

/// Reports the place if it is in the head of a loop and the mistake is one that people make there.
bool report_loop_slip(const StopPlace& place, DiagnosticSink& sink);

}  // namespace tessera::antlr
