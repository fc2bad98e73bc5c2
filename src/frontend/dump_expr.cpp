// SPDX-License-Identifier: Apache-2.0
// See dump_expr.h.
#include "frontend/dump_expr.h"

#include <fmt/format.h>

namespace tessera {

namespace {

/// One overload per node.
struct ExprDumper {
  const ast::File& file;

  std::string operator()(ast::ExprId id) const { return dump_expr(file, id); }
  std::string operator()(const ast::ErrorExpr&) const { return "<error>"; }
  std::string operator()(const ast::IntegerLiteral& e) const { return e.text; }
  std::string operator()(const ast::FloatLiteral& e) const { return e.text; }
  std::string operator()(const ast::BoolLiteral& e) const { return e.value ? "true" : "false"; }
  std::string operator()(const ast::InfLiteral&) const { return "inf"; }
  std::string operator()(const ast::NameRef& e) const { return e.name; }
  std::string operator()(const ast::Unary& e) const {
    return fmt::format("({} {})", spelling(e.op), (*this)(e.operand));
  }
  std::string operator()(const ast::Binary& e) const {
    return fmt::format("({} {} {})", spelling(e.op), (*this)(e.left), (*this)(e.right));
  }
  std::string operator()(const ast::Cast& e) const {
    return fmt::format("(as {} {})", (*this)(e.operand), e.type.text);
  }
  std::string operator()(const ast::Membership& e) const {
    std::string out = "(in " + (*this)(e.operand);
    for (const ast::SetElement& element : e.elements) {
      out += element.end.valid() ? fmt::format(" (.. {} {})", (*this)(element.value), (*this)(element.end))
                                 : " " + (*this)(element.value);
    }
    return out + ")";
  }
  std::string operator()(const ast::WholeIndex&) const { return ":"; }
  std::string operator()(const ast::SliceIndex& e) const {
    return fmt::format("(.. {} {})", (*this)(e.lo), (*this)(e.hi));
  }
  std::string operator()(const ast::PickIndex& e) const {
    return fmt::format("(= {} {})", e.axis.text, (*this)(e.value));
  }
  std::string operator()(const ast::Index& e) const {
    std::string out = "(index " + (*this)(e.base);
    for (const ast::IndexElement& element : e.elements) out += " " + std::visit(*this, element.node);
    return out + ")";
  }
  std::string operator()(const ast::Call& e) const {
    std::string out = "(call " + (*this)(e.callee) + dump_generics(file, e.generics);
    if (e.axes) {
      out += " [";
      for (const ast::Name& axis : *e.axes) out += (&axis == e.axes->data() ? "" : " ") + axis.text;
      out += "]";
    }
    return out + dump_arguments(file, e.arguments) + ")";
  }
  std::string operator()(const ast::Member& e) const {
    return fmt::format("(. {} {})", (*this)(e.base), e.member.text);
  }
  std::string operator()(const ast::Tuple& e) const { return list("(tuple", e.elements); }
  std::string operator()(const ast::ArrayLiteral& e) const { return list("(array", e.elements); }

  std::string list(std::string out, const std::vector<ast::ExprId>& elements) const {
    for (const ast::ExprId element : elements) out += " " + (*this)(element);
    return out + ")";
  }
};

std::string dump_dimension(const ast::File& file, const ast::Dimension& dimension) {
  std::string out = dump_expr(file, dimension.size);
  if (dimension.kind == ast::Dimension::Kind::rest) out = "..";
  if (dimension.kind == ast::Dimension::Kind::leading) out = fmt::format("(leading {})", out);
  return dimension.mesh_axis ? fmt::format("(on {} {})", out, dimension.mesh_axis->text) : out;
}

struct TypeDumper {
  const ast::File& file;

  std::string operator()(const ast::ScalarType& t) const { return t.element.text; }
  std::string operator()(const ast::TensorType& t) const {
    std::string dimensions;
    for (const ast::Dimension& dimension : t.dimensions) {
      dimensions += (dimensions.empty() ? "" : ", ") + dump_dimension(file, dimension);
    }
    return fmt::format("{}[{}]", t.element.text, dimensions);
  }
  std::string operator()(const ast::TupleType& t) const {
    std::string out = "(tuple";
    for (const ast::TypeId element : t.elements) out += " " + dump_type(file, element);
    return out + ")";
  }
  std::string operator()(const ast::ListType& t) const {
    return fmt::format("(list {})", dump_type(file, t.element));
  }
};

}  // namespace

std::string dump_expr(const ast::File& file, ast::ExprId id) {
  if (!id.valid()) return "";
  const ast::Expr& expr = file[id];
  return (expr.parenthesized ? "'" : "") + std::visit(ExprDumper{file}, expr.node);
}

std::string dump_type(const ast::File& file, ast::TypeId id) {
  return id.valid() ? std::visit(TypeDumper{file}, file[id].node) : "";
}

std::string dump_arguments(const ast::File& file, const std::vector<ast::Argument>& arguments) {
  std::string out;
  for (const ast::Argument& argument : arguments) {
    const std::string value = dump_expr(file, argument.value);
    out += argument.name ? fmt::format(" (= {} {})", argument.name->text, value) : " " + value;
  }
  return out;
}

std::string dump_generics(const ast::File& file, const std::vector<ast::GenericArgument>& generics) {
  std::string out;
  for (const ast::GenericArgument& generic : generics) {
    out += fmt::format(" <{} {}>", generic.name.text, dump_expr(file, generic.value));
  }
  return out;
}

}  // namespace tessera
