// SPDX-License-Identifier: Apache-2.0
// Source text to syntax tree: limits, tokens, the generated parser, the builder.
#include "frontend/parse.h"

#include <memory>
#include <utility>

#include "TesseraParser.h"
#include "frontend/antlr/builder.h"
#include "frontend/antlr/syntax_errors.h"
#include "frontend/antlr/token_list.h"
#include "frontend/scan_limits.h"

namespace tessera {

std::optional<ast::File> parse(const SourceFile& source, DiagnosticSink& sink) {
  const std::size_t errors_before = sink.errors_raised();
  const auto text = scan_limits(source, sink);
  if (!text) return std::nullopt;

  ast::File file;
  file.file = source.id();
  antlr::TokenList tokens = antlr::lex(source, *text, sink, file.comments);
  TesseraParser parser(&tokens);
  parser.removeErrorListeners();
  parser.setErrorHandler(std::make_shared<antlr::SyntaxErrorStrategy>(tokens, sink));
  // The contexts keep what their labels name; the list of all children is never read.
  parser.setBuildParseTree(false);
  antlr::Builder(tokens, sink, file).build_file(parser.file());

  if (sink.errors_raised() > errors_before) return std::nullopt;
  return file;
}

}  // namespace tessera
