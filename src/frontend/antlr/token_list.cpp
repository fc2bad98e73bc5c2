// SPDX-License-Identifier: Apache-2.0
// See token_list.h.
#include "frontend/antlr/token_list.h"

#include <ParserRuleContext.h>
#include <misc/Interval.h>

#include <algorithm>

#include "base/check.h"

namespace tessera::antlr {

TokenList::TokenList(const SourceFile& source, std::vector<TokenPtr> tokens,
                     std::set<std::size_t> after_error)
    : source_(source), tokens_(std::move(tokens)), after_error_(std::move(after_error)) {
  TESSERA_CHECK(!tokens_.empty() && tokens_.back()->getType() == antlr4::Token::EOF,
                "the tokens end with the file");
  for (std::size_t i = 0; i < tokens_.size(); ++i)
    static_cast<antlr4::CommonToken&>(*tokens_[i]).setTokenIndex(i);
}

antlr4::Token* TokenList::LT(ssize_t k) {
  const ssize_t at = static_cast<ssize_t>(position_) + (k > 0 ? k - 1 : k);
  if (at < 0) return nullptr;
  return tokens_[std::min(static_cast<std::size_t>(at), tokens_.size() - 1)].get();
}

std::size_t TokenList::LA(ssize_t k) { return LT(k)->getType(); }

void TokenList::consume() {
  if (position_ + 1 < tokens_.size()) ++position_;
}

std::string TokenList::getText(const antlr4::misc::Interval& interval) {
  return getText(tokens_[static_cast<std::size_t>(interval.a)].get(),
                 tokens_[static_cast<std::size_t>(interval.b)].get());
}

std::string TokenList::getText(antlr4::RuleContext* context) { return getText(context->getSourceInterval()); }

std::string TokenList::getText(antlr4::Token* start, antlr4::Token* stop) {
  return std::string(source_.text_of(merge(span_of(start), span_of(stop))));
}

Span TokenList::span_of(const antlr4::Token* token) const {
  const auto begin = static_cast<std::uint32_t>(token->getStartIndex());
  const auto end =
      token->getType() == antlr4::Token::EOF ? begin : static_cast<std::uint32_t>(token->getStopIndex() + 1);
  return {source_.id(), begin, end};
}

}  // namespace tessera::antlr
