// SPDX-License-Identifier: Apache-2.0
// Statements.
#include "base/check.h"
#include "base/dtype.h"
#include "frontend/antlr/builder.h"
#include "frontend/antlr/foreign_slips.h"

namespace tessera::antlr {

namespace {

using P = TesseraParser;

}  // namespace

ast::Block Builder::build(P::BlockContext* context) {
  ast::Block block;
  block.span = span_of(context);
  block.statements.reserve(context->statements.size());
  for (P::StatementContext* statement : context->statements) {
    if (statement->exception) continue;
    block.statements.push_back(build(statement));
  }
  return block;
}

ast::StmtId Builder::build(P::StatementContext* context) {
  // The node is built before the statement is added, so that a statement's id is larger than those of its parts.
  ast::StmtNode node = build_node(context);
  return file_.stmts.add({span_of(context), std::move(node)});
}

ast::StmtNode Builder::build_node(P::StatementContext* context) {
  if (auto* s = context->grid) return ast::GridStmt{build(s->ranges), build(s->annotations), build(s->body)};
  if (auto* s = context->for_) return ast::ForStmt{build(s->ranges), build(s->annotations), build(s->body)};
  if (auto* s = context->staticFor) {
    ast::StaticForStmt loop;
    for (P::StaticBindingContext* binding : s->bindings) loop.bindings.push_back(build(binding));
    loop.body = build(s->body);
    return loop;
  }
  if (auto* s = context->let) return build(s);
  if (auto* s = context->var) {
    return ast::VarStmt{name_of(s->name), build(s->varType), build_optional(s->initial),
                        build(s->annotations)};
  }
  if (auto* s = context->temp) {
    return ast::TempStmt{name_of(s->name), build(s->tempType), build_optional(s->initial),
                         build(s->annotations)};
  }
  if (auto* s = context->shared) return ast::SharedStmt{build(s->item)};
  if (auto* s = context->channel) return build(s);
  if (auto* s = context->role) return ast::RoleStmt{name_of(s->name), build(s->annotations), build(s->body)};
  if (auto* s = context->if_) return build(s);
  if (auto* s = context->return_) return ast::ReturnStmt{build_optional(s->value), build(s->annotations)};
  if (auto* s = context->inlineCuda) return build(s);
  if (auto* s = context->const_) return ast::DeclStmt{add_decl(s, build(s))};
  if (auto* s = context->fn) return ast::DeclStmt{add_decl(s, build(s))};
  return build(context->assignment);
}

ast::StmtNode Builder::build(P::LetStmtContext* context) {
  if (context->in == nullptr) {
    std::vector<ast::Name> names =
        context->tuple ? names_of(context->names) : std::vector{name_of(context->name)};
    const ast::TypeId type = build_optional(context->valueType);
    const ast::ExprId value = build(context->value);
    return ast::LetStmt{std::move(names), context->tuple != nullptr, type, value,
                        build(context->annotations)};
  }
  const antlr4::Token* last = context->relation ? context->relation->stop
                              : context->stepOf ? context->stepOf->stop
                                                : context->in->stop;
  const Span first_span = merge(span_of(context->name), span_of(last));
  ast::LetRangesStmt let;
  let.ranges.push_back(
      build_range(first_span, context->name, context->in, context->stepOf, context->relation));
  for (ast::Range& range : build(context->ranges)) let.ranges.push_back(std::move(range));
  let.annotations = build(context->annotations);
  const auto refuse_step = [&](P::StepContext* step) {
    if (step != nullptr)
      sink_.report(Diag::step_in_let, span_of(step))
          .note("`let` names a range without iterating over it")
          .help("leave the step out, or iterate with `for`");
  };
  refuse_step(context->stepOf);
  for (P::RangeContext* range : context->ranges) refuse_step(range->stepOf);
  return let;
}

ast::StmtNode Builder::build(P::AssignStmtContext* context) {
  const ast::ExprId target = build(context->target);
  if (context->op == nullptr) {
    const std::size_t first = context->start->getTokenIndex();
    const bool minus = context->start->getType() == P::MINUS && tokens_.get(first + 1)->getType() == P::MINUS;
    if (minus && touch(context->start, tokens_.get(first + 1))) report_increment(tokens_, first, sink_);
    return ast::ExprStmt{target, build(context->annotations)};
  }
  const ast::AssignOp op = build(context->op, context->target);
  const Span op_span = span_of(context->op);
  const ast::ExprId value = build(context->value);
  return ast::AssignStmt{target, op, op_span, value, build(context->annotations)};
}

ast::AssignOp Builder::build(P::AssignOperatorContext* context, P::ExpressionContext* target) {
  if (context->word != nullptr) {
    const std::string_view word = tokens_.text_of(context->word);
    if (word == "max") return ast::AssignOp::max;
    if (word == "min") return ast::AssignOp::min;
    const Span whole = merge(span_of(target), span_of(context->word));
    const std::string_view first = tokens_.source().text_of(span_of(target));
    if (type_of_other_languages(first)) {
      sink_.report(Diag::c_style_declaration, whole, tokens_.source().text_of(whole))
          .fix(whole, fmt::format("let {}", word), "a value is bound by `let`")
          .note("a `var`, which can be assigned, states its type and axes: `var v: f32[i] = …;`");
    } else {
      sink_.report(Diag::unknown_assignment, span_of(context), tokens_.source().text_of(span_of(context)))
          .note("assignments are `=`, `+=`, `-=`, `*=`, `/=`, `max=`, `min=`, `|=` and `&=`");
    }
    return ast::AssignOp::set;
  }
  switch (context->symbol->getType()) {
    case P::ASSIGN: return ast::AssignOp::set;
    case P::PLUS_ASSIGN: return ast::AssignOp::add;
    case P::MINUS_ASSIGN: return ast::AssignOp::subtract;
    case P::STAR_ASSIGN: return ast::AssignOp::multiply;
    case P::SLASH_ASSIGN: return ast::AssignOp::divide;
    case P::OR_ASSIGN: return ast::AssignOp::bit_or;
    case P::AND_ASSIGN: return ast::AssignOp::bit_and;
    default: unreachable("the grammar admits assignment operators only");
  }
}

ast::StmtNode Builder::build(P::IfStmtContext* context) {
  ast::IfStmt statement;
  const ast::ExprId condition = build(context->condition);
  statement.branches.push_back({condition, build(context->body)});
  for (P::ElseBranchContext* branch : context->elses) {
    if (statement.otherwise) {
      sink_.report(Diag::branch_after_else, span_of(branch->start))
          .label(statement.otherwise->span, "the last branch");
      break;
    }
    if (branch->condition == nullptr) {
      statement.otherwise = build(branch->body);
    } else {
      const ast::ExprId next = build(branch->condition);
      statement.branches.push_back({next, build(branch->body)});
    }
  }
  return statement;
}

ast::StmtNode Builder::build(P::ChannelStmtContext* context) {
  ast::ChannelStmt channel{name_of(context->name), build(context->generics), {}};
  for (P::BufferContext* buffer : context->buffers) channel.buffers.push_back(build(buffer));
  return channel;
}

ast::Buffer Builder::build(P::BufferContext* context) {
  return {span_of(context), name_of(context->name), build(context->bufferType), build(context->annotations)};
}

ast::StmtNode Builder::build(P::InlineCudaStmtContext* context) {
  require_word(context->word, "cuda");
  ast::InlineCudaStmt statement;
  std::vector<ast::Name>* list = nullptr;
  for (P::CudaAccessContext* access : context->accesses) {
    const antlr4::Token* name = access->second;
    if (name != nullptr) {
      if (tokens_.text_of(access->first) != "writes") require_word(access->first, "reads");
      list = tokens_.text_of(access->first) == "writes" ? &statement.writes : &statement.reads;
    } else if (list == nullptr) {
      sink_.report(Diag::expected_token, span_of(access), "`reads` or `writes`",
                   fmt::format("`{}`", text_of(access->first)));
      continue;
    } else {
      name = access->first;
    }
    list->push_back(name_of(name));
  }
  statement.text = unquoted(context->text);
  statement.text_span = span_of(context->text);
  return statement;
}

std::vector<ast::Annotation> Builder::build(const std::vector<P::AnnotationContext*>& contexts) {
  std::vector<ast::Annotation> annotations;
  annotations.reserve(contexts.size());
  for (P::AnnotationContext* context : contexts) annotations.push_back(build(context));
  return annotations;
}

ast::Annotation Builder::build(P::AnnotationContext* context) {
  ast::Annotation annotation{span_of(context), name_of(context->name), std::nullopt};
  if (context->args != nullptr) annotation.arguments = build(context->args);
  return annotation;
}

}  // namespace tessera::antlr
