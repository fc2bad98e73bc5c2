// SPDX-License-Identifier: Apache-2.0
// See loop_slips.h.
#include "frontend/antlr/loop_slips.h"

#include "TesseraParser.h"
#include "base/dtype.h"
#include "frontend/antlr/foreign_slips.h"

namespace tessera::antlr {

namespace {

using P = TesseraParser;

bool is_keyword(std::size_t type) { return type >= P::KERNEL && type <= P::INF; }
bool is_loop(std::size_t rule) { return rule == P::RuleGridStmt || rule == P::RuleForStmt; }

class LoopSlip {
 public:
  LoopSlip(const StopPlace& place, DiagnosticSink& sink)
      : tokens_(place.tokens),
        sink_(sink),
        context_(&place.context),
        expected_(place.expected),
        token_(place.token),
        type_(token_->getType()),
        rule_(context_->getRuleIndex()),
        span_(tokens_.span_of(token_)) {}

  bool report() {
    return separated_ranges() || assigned_range() || keyword_as_range() || c_style_loop() ||
           c_style_variable_of_loop() || missing_by();
  }

 private:
  const antlr4::Token* at(std::size_t index) const { return tokens_.get(std::min(index, last_index())); }
  const antlr4::Token* previous() const {
    return at(token_->getTokenIndex() - (token_->getTokenIndex() > 0));
  }
  const antlr4::Token* next() const { return at(token_->getTokenIndex() + 1); }
  std::size_t last_index() const { return const_cast<TokenList&>(tokens_).size() - 1; }
  bool waits_for(std::size_t type) const { return expected_.size() == 1 && expected_.front() == type; }
  std::string found() const { return fmt::format("`{}`", tokens_.text_of(token_)); }

  /// The statement `grid` or `for` whose ranges or body are awaited.
  bool in_loop_head() const {
    if (is_loop(rule_) || rule_ == P::RuleRange) return true;
    const auto* parent = dynamic_cast<antlr4::ParserRuleContext*>(context_->parent);
    return rule_ == P::RuleBlock && waits_for(P::OPEN_BRACE) && parent != nullptr &&
           is_loop(parent->getRuleIndex());
  }

  /// `grid m in M; n in N {`.
  bool separated_ranges() {
    if (type_ != P::SEMICOLON || !in_loop_head() || next()->getType() != P::NAME) return false;
    sink_.report(Diag::expected_token, span_, "`,` or `{`", found())
        .fix(span_, ",", "a comma stands between ranges");
    return true;
  }

  /// `grid m = 0 .. M {`.
  bool assigned_range() {
    if (type_ != P::ASSIGN || rule_ != P::RuleRange || !waits_for(P::IN)) return false;
    sink_.report(Diag::expected_token, span_, "`in`", found())
        .fix(span_, "in", "a range runs `in` its bounds");
    return true;
  }

  /// `grid by in N by auto`.
  bool keyword_as_range() {
    if (!in_loop_head() || !is_keyword(type_) || next()->getType() != P::IN) return false;
    sink_.report(Diag::keyword_as_name, span_, tokens_.text_of(token_)).help("choose another name");
    return true;
  }

  /// `for (int j = 0; j < 4; ++j)`, `grid (i in N by auto)`.
  bool c_style_loop() {
    const std::size_t before = previous()->getType();
    if (!in_loop_head() || type_ != P::OPEN_PAREN || (before != P::FOR && before != P::GRID)) return false;
    auto report = sink_.report(Diag::parenthesized_ranges, span_, tokens_.text_of(previous()));
    const std::string range = range_of_c_loop();
    if (const antlr4::Token* close = end_of_ranges()) {
      const Span inside{span_.file, span_.end, tokens_.span_of(close).begin};
      report.fix(merge(span_, tokens_.span_of(close)),
                 (touch(previous(), token_) ? " " : "") + std::string(tokens_.source().text_of(inside)),
                 "leave them out");
    } else if (before == P::FOR && !range.empty()) {
      report.help("write `for {}`", range);
    } else {
      report.help("write `{} i in {}`", tokens_.text_of(previous()), before == P::FOR ? "4" : "N by auto");
    }
    return true;
  }

  /// The `)` of ranges that are right but for their parentheses: `(m in M, n in N)`.
  const antlr4::Token* end_of_ranges() const {
    if (next()->getType() != P::NAME || at(token_->getTokenIndex() + 2)->getType() != P::IN) return nullptr;
    int depth = 0;
    for (std::size_t i = token_->getTokenIndex(); i <= last_index(); ++i) {
      const std::size_t type = tokens_.get(i)->getType();
      if (type == P::SEMICOLON || type == P::OPEN_BRACE) return nullptr;
      if (type == P::OPEN_PAREN) ++depth;
      if (type == P::CLOSE_PAREN && --depth == 0) return tokens_.get(i);
    }
    return nullptr;
  }

  /// `j in a .. b` for `(int j = a; j < b; …)` with `a` and `b` of one token each; empty for anything else.
  std::string range_of_c_loop() const {
    std::size_t i = token_->getTokenIndex() + 1;
    const auto next_is = [&](std::size_t type) {
      return i <= last_index() && tokens_.get(i)->getType() == type;
    };
    const auto take = [&] { return tokens_.text_of(at(i++)); };
    if (i + 1 <= last_index() && tokens_.get(i + 1)->getType() == P::NAME) ++i;  // the type
    if (!next_is(P::NAME)) return "";
    const std::string_view name = take();
    if (!next_is(P::ASSIGN)) return "";
    ++i;
    const std::string_view begin = take();
    if (!next_is(P::SEMICOLON)) return "";
    i += 2;
    if (!next_is(P::LESS)) return "";
    ++i;
    const std::string_view end = take();
    if (!next_is(P::SEMICOLON)) return "";
    return begin == "0" ? fmt::format("{} in {}", name, end)
                        : fmt::format("{} in {} .. {}", name, begin, end);
  }

  /// `for int j = 0; j < 4; j++ {`
  bool c_style_variable_of_loop() {
    if (rule_ != P::RuleRange || !waits_for(P::IN) || type_ != P::NAME ||
        !type_of_other_languages(tokens_.text_of(previous())))
      return false;
    const Span whole = merge(tokens_.span_of(previous()), span_);
    sink_.report(Diag::c_style_declaration, whole, tokens_.source().text_of(whole))
        .help("a loop names a range, without a type: `for {} in 4`", tokens_.text_of(token_));
    return true;
  }

  /// `grid m in M 64 {`, where a `{`, a `,` or `by` may follow.
  bool missing_by() {
    const bool in_range = rule_ == P::RuleGridStmt || rule_ == P::RuleForStmt || rule_ == P::RuleBlock;
    if (!in_range || (type_ != P::NAME && type_ != P::INTEGER && type_ != P::AUTO)) return false;
    const auto* head =
        rule_ == P::RuleBlock ? dynamic_cast<antlr4::ParserRuleContext*>(context_->parent) : context_;
    if (head == nullptr ||
        (head->getRuleIndex() != P::RuleGridStmt && head->getRuleIndex() != P::RuleForStmt))
      return false;
    if (rule_ == P::RuleBlock && !waits_for(P::OPEN_BRACE)) return false;
    const std::string_view word = tokens_.text_of(token_);
    if (word == "and" || word == "or") return false;  // of a condition, as other languages spell it
    auto report = sink_.report(Diag::missing_by, span_, found());
    const std::size_t after = next()->getType();
    if (type_ == P::NAME && (after == P::INTEGER || after == P::NAME || after == P::AUTO)) {
      report.fix(span_, "by", "write `by` before the step");
    } else {
      report.fix({span_.file, span_.begin, span_.begin}, "by ", "write `by` before the step");
    }
    return true;
  }

  const TokenList& tokens_;
  DiagnosticSink& sink_;
  antlr4::ParserRuleContext* context_;
  const std::vector<std::size_t>& expected_;
  const antlr4::Token* token_;
  std::size_t type_;
  std::size_t rule_;
  Span span_;
};

}  // namespace

bool report_loop_slip(const StopPlace& place, DiagnosticSink& sink) { return LoopSlip(place, sink).report(); }

}  // namespace tessera::antlr
