// SPDX-License-Identifier: Apache-2.0
// See format_code.h. Parentheses are those of the source: the tree remembers them.
#include "frontend/format_code.h"

#include <fmt/format.h>

namespace tessera {

namespace {

constexpr std::size_t kContinuation = 4;

}  // namespace

/// One overload per node.
struct ExprLayouter {
  CodeFormatter& code;

  LayoutId operator()(const ast::ErrorExpr&) const { return code.text("<error>"); }
  LayoutId operator()(const ast::IntegerLiteral& e) const { return code.text(e.text); }
  LayoutId operator()(const ast::FloatLiteral& e) const { return code.text(e.text); }
  LayoutId operator()(const ast::BoolLiteral& e) const { return code.text(e.value ? "true" : "false"); }
  LayoutId operator()(const ast::InfLiteral&) const { return code.text("inf"); }
  LayoutId operator()(const ast::NameRef& e) const { return code.text(e.name); }
  LayoutId operator()(const ast::Unary& e) const {
    // `--` at the beginning of a statement would be taken for C's.
    const ast::Expr& operand = code.file_[e.operand];
    const auto* inner = operand.parenthesized ? nullptr : std::get_if<ast::Unary>(&operand.node);
    const bool is_doubled = e.op == ast::UnaryOp::negate && inner && inner->op == e.op;
    return code.concat({code.text(spelling(e.op)), code.text(is_doubled ? " " : ""), code.expr(e.operand)});
  }
  LayoutId operator()(const ast::Binary& e) const { return code.binary_chain(e); }
  LayoutId operator()(const ast::Cast& e) const {
    return code.concat({code.expr(e.operand), code.text(" as " + e.type.text)});
  }
  LayoutId operator()(const ast::Membership& e) const {
    std::vector<LayoutId> elements;
    for (const ast::SetElement& element : e.elements) {
      elements.push_back(element.end.valid() ? code.concat({code.expr(element.value), code.text(" .. "),
                                                            code.expr(element.end)})
                                             : code.expr(element.value));
    }
    return code.concat({code.expr(e.operand), code.text(" in "), code.bracketed("{", elements, "}")});
  }
  LayoutId operator()(const ast::Index& e) const {
    std::vector<LayoutId> elements;
    for (const ast::IndexElement& element : e.elements) elements.push_back(code.index_element(element));
    return code.concat({code.expr(e.base), code.bracketed("[", elements, "]")});
  }
  LayoutId operator()(const ast::Call& e) const {
    std::vector<LayoutId> parts{code.expr(e.callee), code.generic_arguments(e.generics)};
    if (e.axes) {
      parts.push_back(code.text("["));
      parts.push_back(code.names(*e.axes, false));
      parts.push_back(code.text("]"));
    }
    parts.push_back(code.arguments(e.arguments));
    return code.concat(std::move(parts));
  }
  LayoutId operator()(const ast::Member& e) const {
    // A point right behind a number would be one of the number.
    const char* point = code.is_bare_number(e.base) ? " ." : ".";
    return code.concat({code.expr(e.base), code.text(point + e.member.text)});
  }
  LayoutId operator()(const ast::Tuple& e) const { return code.expr_list(e.elements, "(", ")"); }
  LayoutId operator()(const ast::ArrayLiteral& e) const { return code.expr_list(e.elements, "[", "]"); }
};

bool CodeFormatter::is_bare_number(ast::ExprId id) const {
  const ast::Expr& expr = file_[id];
  return !expr.parenthesized && (std::holds_alternative<ast::IntegerLiteral>(expr.node) ||
                                 std::holds_alternative<ast::FloatLiteral>(expr.node));
}

LayoutId CodeFormatter::expr(ast::ExprId id) {
  const ast::Expr& expr = file_[id];
  const LayoutId inner = std::visit(ExprLayouter{*this}, expr.node);
  return expr.parenthesized ? concat({text("("), inner, text(")")}) : inner;
}

/// Operators of one level form one group, so that a long sum breaks before each of its terms or nowhere.
LayoutId CodeFormatter::binary_chain(const ast::Binary& binary) {
  const int level = ast::precedence(binary.op);
  std::vector<const ast::Binary*> chain{&binary};
  while (true) {
    const ast::Expr& left = file_[chain.back()->left];
    const auto* next = std::get_if<ast::Binary>(&left.node);
    if (next == nullptr || left.parenthesized || ast::precedence(next->op) != level) break;
    chain.push_back(next);
  }
  const LayoutId first = expr(chain.back()->left);
  std::vector<LayoutId> rest;
  for (auto link = chain.rbegin(); link != chain.rend(); ++link) {
    rest.push_back(layout_.line());
    rest.push_back(text(fmt::format("{} ", spelling((*link)->op))));
    rest.push_back(expr((*link)->right));
  }
  return layout_.group(concat({first, layout_.indent(kContinuation, concat(std::move(rest)))}));
}

LayoutId CodeFormatter::bracketed(const std::string& open, const std::vector<LayoutId>& items,
                                  const std::string& close) {
  if (items.empty()) return text(open + close);
  const LayoutId inside = concat({layout_.soft_line(), layout_.join(items, ",")});
  return layout_.group(concat({text(open), layout_.indent(kContinuation, inside), text(close)}));
}

LayoutId CodeFormatter::expr_list(const std::vector<ast::ExprId>& list, const std::string& open,
                                  const std::string& close) {
  std::vector<LayoutId> items;
  for (const ast::ExprId id : list) items.push_back(expr(id));
  return bracketed(open, items, close);
}

LayoutId CodeFormatter::index_element(const ast::IndexElement& element) {
  if (const auto* value = std::get_if<ast::ExprId>(&element.node)) return expr(*value);
  if (const auto* slice = std::get_if<ast::SliceIndex>(&element.node)) {
    return concat({expr(slice->lo), text(" .. "), expr(slice->hi)});
  }
  if (const auto* pick = std::get_if<ast::PickIndex>(&element.node)) {
    return concat({text(pick->axis.text + " = "), expr(pick->value)});
  }
  return text(":");
}

LayoutId CodeFormatter::arguments(const std::vector<ast::Argument>& arguments) {
  std::vector<LayoutId> items;
  for (const ast::Argument& argument : arguments) {
    const LayoutId value = expr(argument.value);
    items.push_back(argument.name ? concat({text(argument.name->text + " = "), value}) : value);
  }
  return bracketed("(", items, ")");
}

LayoutId CodeFormatter::generic_arguments(const std::vector<ast::GenericArgument>& generics) {
  if (generics.empty()) return text("");
  std::vector<LayoutId> items;
  for (const ast::GenericArgument& generic : generics) {
    items.push_back(concat({text(generic.name.text + " = "), expr(generic.value)}));
  }
  return bracketed("<", items, ">");
}

LayoutId CodeFormatter::generic_parameters(const std::vector<ast::GenericParameter>& generics) {
  constexpr const char* kKinds[] = {"type ", "int ", "fn "};
  if (generics.empty()) return text("");
  std::vector<LayoutId> items;
  for (const ast::GenericParameter& generic : generics) {
    std::string head = kKinds[static_cast<int>(generic.kind)] + generic.name.text;
    if (generic.bound) head += ": " + generic.bound->text;
    items.push_back(generic.default_value.valid() ? concat({text(head + " = "), expr(generic.default_value)})
                                                  : text(head));
  }
  return bracketed("<", items, ">");
}

LayoutId CodeFormatter::names(const std::vector<ast::Name>& names, bool in_parentheses) {
  std::string out;
  for (const ast::Name& name : names) out += (out.empty() ? "" : ", ") + name.text;
  return text(in_parentheses ? "(" + out + ")" : out);
}

LayoutId CodeFormatter::type(ast::TypeId id) {
  const ast::Type& type = file_[id];
  std::vector<LayoutId> items;
  if (const auto* scalar = std::get_if<ast::ScalarType>(&type.node)) return text(scalar->element.text);
  if (const auto* tensor = std::get_if<ast::TensorType>(&type.node)) {
    for (const ast::Dimension& d : tensor->dimensions) items.push_back(dimension(d));
    return concat({text(tensor->element.text), bracketed("[", items, "]")});
  }
  if (const auto* tuple = std::get_if<ast::TupleType>(&type.node)) {
    for (const ast::TypeId element : tuple->elements) items.push_back(this->type(element));
    return bracketed("(", items, ")");
  }
  return concat({text("["), this->type(std::get<ast::ListType>(type.node).element), text("]")});
}

LayoutId CodeFormatter::dimension(const ast::Dimension& dimension) {
  if (dimension.kind == ast::Dimension::Kind::rest) return text("..");
  std::string after = dimension.kind == ast::Dimension::Kind::leading ? ".." : "";
  if (dimension.mesh_axis) after += " on " + dimension.mesh_axis->text;
  return concat({expr(dimension.size), text(after)});
}

LayoutId CodeFormatter::domain(const ast::Domain& domain) {
  if (const auto* whole = std::get_if<ast::WholeDomain>(&domain.node)) return expr(whole->extent);
  if (const auto* part = std::get_if<ast::PartDomain>(&domain.node)) {
    return concat(
        {text(part->dimension.text + "["), expr(part->lo), text(" .. "), expr(part->hi), text("]")});
  }
  const auto& bounds = std::get<ast::BoundsDomain>(domain.node);
  return concat({expr(bounds.lo), text(" .. "), expr(bounds.hi)});
}

LayoutId CodeFormatter::range(const ast::Range& range) {
  std::vector<LayoutId> parts{text(range.name.text + " in "), domain(range.domain)};
  if (std::holds_alternative<ast::AutoStep>(range.step)) parts.push_back(text(" by auto"));
  if (const auto* step = std::get_if<ast::ExprId>(&range.step)) {
    parts.push_back(text(" by "));
    parts.push_back(expr(*step));
  }
  if (range.relation.valid()) {
    parts.push_back(text(" where "));
    parts.push_back(expr(range.relation));
  }
  return concat(std::move(parts));
}

LayoutId CodeFormatter::ranges(const std::vector<ast::Range>& ranges) {
  std::vector<LayoutId> items;
  for (const ast::Range& r : ranges) items.push_back(range(r));
  return layout_.group(layout_.indent(kContinuation, layout_.join(items, ",")));
}

LayoutId CodeFormatter::static_bindings(const std::vector<ast::StaticBinding>& bindings) {
  std::vector<LayoutId> items;
  for (const ast::StaticBinding& binding : bindings) {
    items.push_back(concat({names(binding.names, binding.is_tuple), text(" in "), domain(binding.domain)}));
  }
  return layout_.group(layout_.indent(kContinuation, layout_.join(items, ",")));
}

LayoutId CodeFormatter::parameter(const ast::Parameter& parameter) {
  constexpr const char* kDirections[] = {"", "in ", "out ", "inout "};
  std::vector<LayoutId> parts{
      text(kDirections[static_cast<int>(parameter.direction)] + parameter.name.text + ": "),
      type(parameter.type)};
  if (parameter.nullable) parts.push_back(text("?"));
  for (const ast::Property& property : parameter.properties) {
    parts.push_back(text(" " + property.name.text));
    for (std::size_t i = 0; i < property.values.size(); ++i) {
      parts.push_back(text(i == 0 ? "(" : ":"));
      parts.push_back(expr(property.values[i]));
    }
    if (!property.values.empty()) parts.push_back(text(")"));
  }
  if (parameter.initial.valid()) {
    parts.push_back(text(" = "));
    parts.push_back(expr(parameter.initial));
  }
  return concat(std::move(parts));
}

LayoutId CodeFormatter::clause(const ast::Clause& clause) {
  if (const auto* precision = std::get_if<ast::PrecisionClause>(&clause.node)) {
    return concat({text("precision"), arguments(precision->arguments)});
  }
  if (const auto* verify = std::get_if<ast::VerifyClause>(&clause.node)) {
    return concat({text("verify"), arguments(verify->arguments)});
  }
  std::vector<LayoutId> conditions;
  for (const ast::ExprId id : std::get<ast::WhereClause>(clause.node).conditions)
    conditions.push_back(expr(id));
  return layout_.group(
      concat({text("where "), layout_.indent(kContinuation, layout_.join(conditions, ","))}));
}

LayoutId CodeFormatter::annotation(const ast::Annotation& annotation) {
  const LayoutId name = text("@" + annotation.name.text);
  return annotation.arguments ? concat({name, arguments(*annotation.arguments)}) : name;
}

LayoutId CodeFormatter::annotations_after(const std::vector<ast::Annotation>& annotations) {
  std::vector<LayoutId> parts;
  for (const ast::Annotation& a : annotations) {
    parts.push_back(text(" "));
    parts.push_back(annotation(a));
  }
  return concat(std::move(parts));
}

}  // namespace tessera
