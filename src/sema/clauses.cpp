// SPDX-License-Identifier: Apache-2.0
// Clauses of a kernel.
#include "sema/clauses.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

#include "sema/constants.h"
#include "sema/prove/equalities.h"
#include "sema/sizes.h"
#include "sema/types.h"

namespace tessera::sema {

namespace {

/// Values that a half-open element of a set may stand for.
constexpr std::int64_t kSetLimit = 4096;

std::optional<ir::Relation> relation_of(ast::BinaryOp op) {
  switch (op) {
    case ast::BinaryOp::equal: return ir::Relation::equal;
    case ast::BinaryOp::not_equal: return ir::Relation::not_equal;
    case ast::BinaryOp::less: return ir::Relation::less;
    case ast::BinaryOp::less_equal: return ir::Relation::less_equal;
    case ast::BinaryOp::greater: return ir::Relation::greater;
    case ast::BinaryOp::greater_equal: return ir::Relation::greater_equal;
    default: return std::nullopt;
  }
}

class Conditions {
 public:
  explicit Conditions(Context& context) : context_(context) {}
  /// Of an `@tile`: the launcher asks for them, and nothing may rely on them.
  Conditions(Context& context, ir::Tiling& tiling) : context_(context), tiling_(&tiling) {}

  void check(ast::ExprId id) {
    const ast::Expr& expr = context_.expr(id);
    if (const auto* binary = std::get_if<ast::Binary>(&expr.node)) {
      if (binary->op == ast::BinaryOp::logical_and) {
        check(binary->left);
        check(binary->right);
        return;
      }
      if (tiling_ && names_architecture(*binary)) return;
      if (const auto relation = relation_of(binary->op)) return compare(*binary, *relation, expr.span);
    }
    if (const auto* membership = std::get_if<ast::Membership>(&expr.node))
      return member(*membership, expr.span);
    if (std::holds_alternative<ast::Call>(expr.node)) {
      return not_implemented(context_.sink, expr.span, "a data contract", "R28");
    }
    if (std::holds_alternative<ast::ErrorExpr>(expr.node)) return;
    context_.sink.report(Diag::not_a_constraint, expr.span)
        .note("a `{}` compares sizes: `C >= 1`, `W == 2 * D`, `D in {{64, 128}}`; `&&` joins",
              tiling_ ? "when" : "where");
  }

 private:
  ir::SizeTable& sizes() { return context_.kernel.sizes; }

  /// `arch == sm_80`, of an `@tile`.
  bool names_architecture(const ast::Binary& binary) {
    const auto* left = std::get_if<ast::NameRef>(&context_.expr(binary.left).node);
    const auto* right = std::get_if<ast::NameRef>(&context_.expr(binary.right).node);
    if (!left || !right || binary.op != ast::BinaryOp::equal || left->name != "arch") return false;
    tiling_->architectures.push_back(right->name);
    return true;
  }

  /// A clause bounds symbols; a condition says nothing of other launches.
  void add(ir::Constraint constraint) {
    if (!tiling_) narrow(constraint);
    (tiling_ ? tiling_->when : context_.kernel.constraints).push_back(std::move(constraint));
  }

  /// The clause with which a symbol has no value any more is to blame.
  void narrow(const ir::Constraint& constraint) {
    const auto impossible = [&] { return std::ranges::find_if_not(context_.kernel.symbols, ir::has_value); };
    const bool was_possible = impossible() == context_.kernel.symbols.end();
    ir::narrow(context_.kernel, constraint);
    const auto symbol = impossible();
    if (was_possible && symbol != context_.kernel.symbols.end())
      context_.sink.report(Diag::never_holds, constraint.span)
          .note("with what stands before, it leaves no value for `{}`", symbol->name);
  }

  void compare(const ast::Binary& binary, ir::Relation relation, Span span) {
    const std::optional<ir::SizeId> left = size_of(context_, binary.left),
                                    right = size_of(context_, binary.right);
    if (!left || !right) return;
    ir::Constraint constraint{relation, *left, *right, {}, "", false, span};
    constraint.text =
        fmt::format("{} {} {}", context_.spell(*left), ast::spelling(binary.op), context_.spell(*right));
    add(std::move(constraint));
  }

  void member(const ast::Membership& membership, Span span) {
    const std::optional<ir::SizeId> left = size_of(context_, membership.operand);
    if (!left) return;
    std::vector<std::int64_t> values;
    for (const ast::SetElement& element : membership.elements) {
      if (!collect(element, context_.spell(*left), values)) return;
    }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    ir::Constraint constraint{ir::Relation::member, *left, sizes().constant(0), values, "", false, span};
    constraint.text = fmt::format("{} in {{{}}}", context_.spell(*left), fmt::join(values, ", "));
    add(std::move(constraint));
  }

  /// `of`: what is to be one of the values.
  bool collect(const ast::SetElement& element, const std::string& of, std::vector<std::int64_t>& values) {
    const auto value = constant_integer(context_, element.value, "an element of a set");
    if (!value) return false;
    if (!element.end.valid()) {
      values.push_back(*value);
      return true;
    }
    const auto end = constant_integer(context_, element.end, "an element of a set");
    if (!end) return false;
    if (*end - *value > kSetLimit) {
      context_.sink.report(Diag::set_too_large, context_.expr(element.value).span, kSetLimit)
          .help("compare instead: `{0} <= {1} && {1} < {2}`", *value, of, *end);
      return false;
    }
    for (std::int64_t i = *value; i < *end; ++i) values.push_back(i);
    return true;
  }

  Context& context_;
  ir::Tiling* tiling_ = nullptr;
};

/// The keys that a clause has given so far: of two values one would be lost.
class Keys {
 public:
  Keys(Context& context, const char* clause) : context_(context), clause_(clause) {}

  bool refuse_second(const ast::Argument& argument) {
    const auto [first, is_new] = spans_.try_emplace(argument.name->text, argument.span);
    if (is_new) return false;
    context_.sink.report(Diag::clause_key_twice, argument.span, clause_, argument.name->text)
        .label(first->second, "first here");
    return true;
  }

 private:
  Context& context_;
  const char* clause_;
  std::map<std::string, Span> spans_;
};

class PrecisionReader {
 public:
  explicit PrecisionReader(Context& context) : context_(context), keys_(context, "precision") {}

  void read(const ast::Argument& argument) {
    if (!argument.name) {
      context_.sink.report(Diag::clause_argument, argument.span, "precision(exp = fast)");
      return;
    }
    if (keys_.refuse_second(argument)) return;
    const std::string& key = argument.name->text;
    if (key == "exp") return read_choice(argument, "ulp", "fast", context_.precision.fast_exp);
    if (key == "contract") return read_choice(argument, "off", "on", context_.precision.contract);
    if (key == "store") return read_store(argument);
    if (key == "multiply") return read_multiply(argument);
    if (key == "accumulate") return read_accumulate(argument);
    constexpr std::array kPlanned = {"div", "compute", "safe", "scale", "amax"};
    if (std::find(kPlanned.begin(), kPlanned.end(), key) != kPlanned.end()) {
      return not_implemented(context_.sink, argument.span, "`precision(" + key + " = …)`", "R24");
    }
    auto report = context_.sink.report(Diag::unknown_clause_key, argument.name->span, key, "precision");
    if (const auto suggestion = nearest(key, {"exp", "contract", "store", "div", "multiply", "accumulate"})) {
      report.fix(argument.name->span, *suggestion, fmt::format("did you mean `{}`?", *suggestion));
    }
    report.note(
        "`precision` takes `exp = fast`, `contract = off`, `store = T`, `multiply = T` and `accumulate = T`");
  }

 private:
  /// What is written as the value; an expression that is no word is none that a clause takes.
  std::string word(const ast::Argument& argument) const {
    const ast::ExprNode& node = context_.expr(argument.value).node;
    if (const auto* name = std::get_if<ast::NameRef>(&node)) return name->name;
    if (const auto* number = std::get_if<ast::IntegerLiteral>(&node)) return number->text;
    return "(…)";
  }

  void read_choice(const ast::Argument& argument, const std::string& no, const std::string& yes,
                   bool& target) {
    const std::string value = word(argument);
    if (value == yes || value == no) {
      target = value == yes;
      return;
    }
    context_.sink.report(Diag::clause_value, context_.expr(argument.value).span, argument.name->text, yes,
                         no);
  }

  /// What factors of `dot` are multiplied as.
  void read_multiply(const ast::Argument& argument) {
    const Span span = context_.expr(argument.value).span;
    const std::string mode = word(argument);
    const bool is_mode = mode == "tf32" || mode == "f32_split";
    const std::optional<DType> type =
        is_mode ? std::nullopt : resolve_type(context_, {mode, span}, {"tf32", "f32_split"});
    if (!is_mode && !type) return;
    context_.precision.multiply = type ? std::string(spelling(*type)) : mode;
    context_.precision.multiply_span = span;
  }

  /// What the products of `dot` are summed in.
  void read_accumulate(const ast::Argument& argument) {
    const Span span = context_.expr(argument.value).span;
    context_.precision.accumulate = resolve_type(context_, {word(argument), span});
    context_.precision.accumulate_span = span;
  }

  void read_store(const ast::Argument& argument) {
    const Span span = context_.expr(argument.value).span;
    context_.precision.store = resolve_type(context_, {word(argument), span});
    if (!context_.precision.store) return;
    for (const ir::Tensor& tensor : context_.kernel.tensors) {
      if (!tensor.is_output || tensor.dtype == *context_.precision.store) continue;
      context_.sink
          .report(Diag::store_type, span, spelling(*context_.precision.store), tensor.name,
                  spelling(tensor.dtype))
          .label(tensor.span, "`{}` is `{}`", tensor.name, spelling(tensor.dtype))
          .note("`store` states what is written; it converts nothing");
    }
  }

  Context& context_;
  Keys keys_;
};

void check_verify(Context& context, const ast::VerifyClause& clause) {
  Keys keys(context, "verify");
  for (const ast::Argument& argument : clause.arguments) {
    const bool known =
        argument.name && (argument.name->text == "max_rel" || argument.name->text == "max_abs");
    if (!argument.name) {
      context.sink.report(Diag::clause_argument, argument.span, "verify(max_rel = 1e-2)");
    } else if (!known) {
      context.sink.report(Diag::unknown_clause_key, argument.name->span, argument.name->text, "verify")
          .note("`verify` takes `max_rel` and `max_abs`");
    } else if (keys.refuse_second(argument)) {
      continue;
    } else if (const auto bound = constant_value(context, argument.value); !bound || !(bound->real > 0)) {
      context.sink.report(Diag::verify_bound, context.expr(argument.value).span, argument.name->text);
    } else if (argument.name->text == "max_rel") {
      context.kernel.max_relative_error = bound->real;
    } else {
      context.kernel.max_absolute_error = bound->real;
    }
  }
}

}  // namespace

void check_when(Context& context, ast::ExprId condition, ir::Tiling& tiling) {
  Conditions(context, tiling).check(condition);
}

void check_clauses(Context& context, const std::vector<ast::Clause>& clauses) {
  std::array<const ast::Clause*, 3> seen{};
  constexpr std::array kNames = {"where", "precision", "verify"};
  for (const ast::Clause& clause : clauses) {
    const std::size_t kind = clause.node.index();
    if (seen[kind] != nullptr) {
      context.sink.report(Diag::clause_twice, clause.span, kNames[kind])
          .label(seen[kind]->span, "the first one");
      continue;
    }
    seen[kind] = &clause;
    if (const auto* where = std::get_if<ast::WhereClause>(&clause.node)) {
      for (const ast::ExprId condition : where->conditions) Conditions(context).check(condition);
    } else if (const auto* precision = std::get_if<ast::PrecisionClause>(&clause.node)) {
      PrecisionReader reader(context);
      for (const ast::Argument& argument : precision->arguments) reader.read(argument);
    } else {
      check_verify(context, std::get<ast::VerifyClause>(clause.node));
    }
  }
  context.equalities = find_equalities(context.kernel);
}

}  // namespace tessera::sema
