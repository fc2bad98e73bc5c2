// SPDX-License-Identifier: Apache-2.0
// Expressions: the ladder of operators (R23), and argument lists.
#include <optional>

#include "base/check.h"
#include "base/dtype.h"
#include "frontend/antlr/builder.h"

namespace tessera::antlr {

namespace {

using P = TesseraParser;
using ast::BinaryOp;

BinaryOp binary_op(std::size_t token) {
  switch (token) {
    case P::QUESTION_QUESTION: return BinaryOp::coalesce;
    case P::OR_OR: return BinaryOp::logical_or;
    case P::AND_AND: return BinaryOp::logical_and;
    case P::EQUAL: return BinaryOp::equal;
    case P::NOT_EQUAL: return BinaryOp::not_equal;
    case P::LESS: return BinaryOp::less;
    case P::LESS_EQUAL: return BinaryOp::less_equal;
    case P::GREATER: return BinaryOp::greater;
    case P::GREATER_EQUAL: return BinaryOp::greater_equal;
    case P::OR: return BinaryOp::bit_or;
    case P::XOR: return BinaryOp::bit_xor;
    case P::AND: return BinaryOp::bit_and;
    case P::SHIFT_LEFT: return BinaryOp::shift_left;
    case P::SHIFT_RIGHT: return BinaryOp::shift_right;
    case P::PLUS: return BinaryOp::add;
    case P::MINUS: return BinaryOp::subtract;
    case P::STAR: return BinaryOp::multiply;
    case P::SLASH: return BinaryOp::divide;
    case P::PERCENT: return BinaryOp::remainder;
    default: unreachable("the grammar admits binary operators only");
  }
}

const int kComparison = ast::precedence(BinaryOp::equal);

/// Whether `,`, `;`, `)`, `]` or `@` comes next, the only tokens that may follow the type of a cast.
bool may_follow_cast(std::size_t token) {
  return token == P::COMMA || token == P::SEMICOLON || token == P::CLOSE_PAREN || token == P::CLOSE_BRACKET ||
         token == P::AT;
}

}  // namespace

class Builder::Ladder {
 public:
  Ladder(Builder& builder, P::ExpressionContext* context) : builder_(builder), context_(context) {}

  ast::ExprId build() {
    operands_.push_back(builder_.build(context_->first));
    for (std::size_t i = 0; i < context_->rest.size(); ++i) {
      P::OperationContext* operation = context_->rest[i];
      if (operation->castType != nullptr) {
        cast(operation, i);
        // A misplaced cast is reported; what follows it would only be reported again.
        break;
      }
      if (operation->membership != nullptr) {
        membership(operation);
      } else {
        binary(operation);
      }
    }
    reduce_above(-1);
    return operands_.back();
  }

 private:
  struct Pending {
    BinaryOp op;
    Span span;
  };

  const ast::Expr& expr(ast::ExprId id) const { return builder_.file_.exprs[id]; }

  /// Joins operands while the waiting operator binds tighter than `level`; equal levels associate to the left.
  void reduce_above(int level) {
    while (!operators_.empty() && ast::precedence(operators_.back().op) > level) {
      const Pending pending = operators_.back();
      operators_.pop_back();
      const ast::ExprId right = operands_.back();
      operands_.pop_back();
      const ast::ExprId left = operands_.back();
      const Span span = merge(expr(left).span, expr(right).span);
      operands_.back() =
          builder_.add_expr(span, ast::Binary{pending.op, pending.span, left, right}, {left, right});
    }
  }

  void binary(P::OperationContext* operation) {
    const BinaryOp op = binary_op(operation->operator_->getType());
    const int level = ast::precedence(op);
    const Span op_span = builder_.span_of(operation->operator_);
    if (level == kComparison) {
      reduce_above(kComparison);
      refuse_chain(op_span, op);
    }
    reduce_above(level - 1);
    operators_.push_back({op, op_span});
    operands_.push_back(builder_.build(operation->right));
  }

  void membership(P::OperationContext* operation) {
    reduce_above(kComparison);
    refuse_chain(builder_.span_of(operation->membership), std::nullopt);
    reduce_above(kComparison - 1);
    std::vector<ast::SetElement> elements;
    for (P::SetElementContext* element : operation->elements) {
      const ast::ExprId value = builder_.build(element->value);
      elements.push_back({value, builder_.build_optional(element->end)});
    }
    const ast::ExprId operand = operands_.back();
    const Span span = merge(expr(operand).span, builder_.span_of(operation->close));
    const auto depth = [&](const ast::SetElement& e) {
      return std::max(builder_.depth_of(e.value), builder_.depth_of(e.end));
    };
    ast::Membership node{operand, elements};
    operands_.back() = builder_.add_expr(span, std::move(node), operand, elements, depth);
  }

  /// Comparisons do not chain: neither `a < b < c` nor `a < b in {…}`.
  void refuse_chain(Span second, std::optional<BinaryOp> op) {
    const ast::Expr& middle = expr(operands_.back());
    const bool waiting = !operators_.empty() && ast::precedence(operators_.back().op) == kComparison;
    const bool after_set = std::holds_alternative<ast::Membership>(middle.node) && !middle.parenthesized;
    if ((!waiting && !after_set) || chain_reported_) return;
    chain_reported_ = true;
    const Span first = waiting ? operators_.back().span : middle.span;
    if (waiting && operators_.back().op == BinaryOp::less && op == BinaryOp::greater &&
        looks_like_call(second)) {
      const Span whole = merge(first, second);
      const auto type = type_of_other_languages(std::get<ast::NameRef>(middle.node).name);
      const auto* callee = std::get_if<ast::NameRef>(&expr(operands_[operands_.size() - 2]).node);
      auto report = builder_.sink_.report(Diag::unnamed_generic_argument, whole);
      if (type && callee != nullptr && callee->name.ends_with("_cast")) {
        report.help("a conversion stands behind its operand: `(… as {})`", *type);
      } else {
        report.help("name it, as in `dot<T = f16>(a, b)`");
      }
      return;
    }
    auto diagnostic = builder_.sink_.report(Diag::chained_comparison, second);
    diagnostic.label(first, "the first comparison");
    if (after_set) return;
    if (const auto* bits = joined_bits(middle)) {
      const std::string meant = bits->op == BinaryOp::bit_and ? "&&" : "||";
      diagnostic.fix(bits->op_span, meant, "conditions are joined by `" + meant + "`, which binds weaker");
      return;
    }
    const std::string_view text = builder_.tokens_.source().text_of(middle.span);
    diagnostic.fix({second.file, second.begin, second.begin}, fmt::format("&& {} ", text), "compare twice");
  }

  /// `a < b & c < d`: the `&`, which binds tighter than both comparisons.
  static const ast::Binary* joined_bits(const ast::Expr& middle) {
    const auto* binary = middle.parenthesized ? nullptr : std::get_if<ast::Binary>(&middle.node);
    const bool bits =
        binary != nullptr && (binary->op == BinaryOp::bit_and || binary->op == BinaryOp::bit_or);
    return bits ? binary : nullptr;
  }

  /// Whether the `>` at `place` is followed by arguments, as in `f<g>(x)`.
  bool looks_like_call(Span place) const {
    const std::string_view rest = std::string_view(builder_.tokens_.source().text()).substr(place.end);
    return std::holds_alternative<ast::NameRef>(expr(operands_.back()).node) &&
           (rest.starts_with('(') || rest.starts_with('['));
  }

  void cast(P::OperationContext* operation, std::size_t position) {
    const Span last_operand = expr(operands_.back()).span;
    reduce_above(-1);
    const ast::ExprId operand = operands_.back();
    const Span span = merge(expr(operand).span, builder_.span_of(operation->castType));
    operands_.back() =
        builder_.add_expr(span, ast::Cast{operand, builder_.name_of(operation->castType)}, {operand});

    const antlr4::Token* next = builder_.tokens_.get(operation->castType->getTokenIndex() + 1);
    if (position + 1 == context_->rest.size() && may_follow_cast(next->getType())) return;
    const Span cast_span = merge(last_operand, builder_.span_of(operation->castType));
    const std::string_view text = builder_.tokens_.source().text_of(cast_span);
    const std::string shown = next->getType() == antlr4::Token::EOF
                                  ? "the end of the file"
                                  : fmt::format("`{}`", builder_.tokens_.text_of(next));
    builder_.sink_.report(Diag::cast_not_last, builder_.span_of(next), shown)
        .label(builder_.span_of(operation->cast), "this applies to everything before it")
        .fix(cast_span, fmt::format("({})", text), "put the cast in parentheses");
  }

  Builder& builder_;
  P::ExpressionContext* context_;
  std::vector<ast::ExprId> operands_;
  std::vector<Pending> operators_;
  bool chain_reported_ = false;
};

ast::ExprId Builder::build(P::ExpressionContext* context) {
  if (context->rest.empty()) return build(context->first);
  return Ladder(*this, context).build();
}

std::vector<ast::Argument> Builder::build(P::ArgumentsContext* context) {
  std::vector<ast::Argument> arguments;
  arguments.reserve(context->items.size());
  for (P::ArgumentContext* item : context->items) arguments.push_back(build(item));
  return arguments;
}

ast::Argument Builder::build(P::ArgumentContext* context) {
  if (context->value == nullptr) return {span_of(context), std::nullopt, build(context->first)};
  const ast::ExprId left = build(context->first);
  const ast::Expr& expr = file_.exprs[left];
  const auto* name = std::get_if<ast::NameRef>(&expr.node);
  const Span name_span = expr.span;
  if (name == nullptr || expr.parenthesized) {
    sink_.report(Diag::argument_name_expected, name_span).help("compare with `==`");
    return {span_of(context), std::nullopt, build(context->value)};
  }
  ast::Name argument_name{name->name, name_span};
  return {span_of(context), std::move(argument_name), build(context->value)};
}

ast::ExprId Builder::build(P::GenericValueContext* context) {
  if (context->inner != nullptr) {
    const ast::ExprId inner = build(context->inner);
    file_.exprs[inner].parenthesized = true;
    file_.exprs[inner].span = span_of(context);
    return inner;
  }
  const ast::ExprId literal = build_atom(context->literal);
  if (context->sign == nullptr) return literal;
  return add_expr(span_of(context), ast::Unary{ast::UnaryOp::negate, span_of(context->sign), literal},
                  {literal});
}

std::vector<ast::GenericArgument> Builder::build(P::GenericArgumentsContext* context) {
  std::vector<ast::GenericArgument> generics;
  if (context == nullptr) return generics;
  for (P::GenericArgumentContext* item : context->items) {
    ast::Name name = name_of(item->name);
    generics.push_back({std::move(name), build(item->value)});
  }
  return generics;
}

}  // namespace tessera::antlr
