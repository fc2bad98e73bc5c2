// SPDX-License-Identifier: Apache-2.0
// The tree of a file, line by line; see dump.h.
#include "frontend/dump.h"

#include <fmt/format.h>

#include "frontend/dump_expr.h"

namespace tessera {

namespace {

/// One overload per node; each writes its line and, one level deeper, its parts.
class Dumper {
 public:
  explicit Dumper(const ast::File& file) : file_(file) {}

  std::string dump() {
    for (const ast::DeclId id : file_.declarations) declaration(id);
    return std::move(out_);
  }

  void operator()(const ast::KernelDecl& d) {
    line("kernel " + d.name.text);
    const Deeper deeper(*this);
    generics(d.generics);
    parameters(d.parameters);
    clauses(d.clauses);
    block(d.body);
  }
  void operator()(const ast::FnDecl& d) {
    std::string axes;
    for (const ast::Name& axis : d.axes) axes += " " + axis.text;
    line((d.is_const ? "const fn " : "fn ") + d.name.text +
         (axes.empty() ? "" : " [" + axes.substr(1) + "]"));
    const Deeper deeper(*this);
    generics(d.generics);
    parameters(d.parameters);
    part("result", dump_type(file_, d.result));
    block(d.body);
  }
  void operator()(const ast::GraphDecl& d) {
    line("graph " + d.name.text);
    const Deeper deeper(*this);
    generics(d.generics);
    parameters(d.parameters);
    part("result", dump_type(file_, d.result));
    if (d.mesh) line("on " + d.mesh->text);
    clauses(d.clauses);
    block(d.body);
  }
  void operator()(const ast::MeshDecl& d) { line("mesh " + d.name.text + dump_arguments(file_, d.axes)); }
  void operator()(const ast::InstanceDecl& d) {
    line(fmt::format("instance {}{} as {}", d.kernel.text, dump_generics(file_, d.generics), d.name.text));
  }
  void operator()(const ast::ImportDecl& d) { line(fmt::format("import{} \"{}\"", names(d.names), d.path)); }
  void operator()(const ast::ExternFnDecl& d) {
    line(fmt::format("extern fn {} \"{}\"", d.name.text, d.header));
    const Deeper deeper(*this);
    parameters(d.parameters);
    part("result", dump_type(file_, d.result));
  }
  void operator()(const ast::ConstDecl& d) {
    line(fmt::format("const {}{} {}", d.name.text, typed(d.type), dump_expr(file_, d.value)));
  }

  void operator()(const ast::GridStmt& s) { loop("grid", s.ranges, s.annotations, s.body); }
  void operator()(const ast::ForStmt& s) { loop("for", s.ranges, s.annotations, s.body); }
  void operator()(const ast::StaticForStmt& s) {
    line("static for");
    const Deeper deeper(*this);
    for (const ast::StaticBinding& binding : s.bindings) {
      line(fmt::format("{}{} {}", binding.is_tuple ? "bind tuple" : "bind", names(binding.names),
                       domain(binding.domain)));
    }
    block(s.body);
  }
  void operator()(const ast::LetRangesStmt& s) {
    line("let");
    const Deeper deeper(*this);
    ranges(s.ranges);
    annotations(s.annotations);
  }
  void operator()(const ast::LetStmt& s) {
    line(fmt::format("{}{}{} {}", s.is_tuple ? "let tuple" : "let", names(s.names), typed(s.type),
                     dump_expr(file_, s.value)));
    deeper_annotations(s.annotations);
  }
  void operator()(const ast::VarStmt& s) { binding("var", s.name, s.type, s.initial, s.annotations); }
  void operator()(const ast::TempStmt& s) { binding("temp", s.name, s.type, s.initial, s.annotations); }
  void operator()(const ast::AssignStmt& s) {
    line(fmt::format("{} {} {}", spelling(s.op), dump_expr(file_, s.target), dump_expr(file_, s.value)));
    deeper_annotations(s.annotations);
  }
  void operator()(const ast::SharedStmt& s) { buffer("shared", s.buffer); }
  void operator()(const ast::ChannelStmt& s) {
    line("channel " + s.name.text + dump_generics(file_, s.generics));
    const Deeper deeper(*this);
    for (const ast::Buffer& item : s.buffers) buffer("buffer", item);
  }
  void operator()(const ast::RoleStmt& s) {
    line("role " + s.name.text);
    const Deeper deeper(*this);
    annotations(s.annotations);
    block(s.body);
  }
  void operator()(const ast::IfStmt& s) {
    for (const auto& branch : s.branches) {
      line((&branch == s.branches.data() ? "if " : "else if ") + dump_expr(file_, branch.condition));
      const Deeper deeper(*this);
      block(branch.body);
    }
    if (!s.otherwise) return;
    line("else");
    const Deeper deeper(*this);
    block(*s.otherwise);
  }
  void operator()(const ast::ReturnStmt& s) {
    line("return " + dump_expr(file_, s.value));
    deeper_annotations(s.annotations);
  }
  void operator()(const ast::ExprStmt& s) {
    line("do " + dump_expr(file_, s.value));
    deeper_annotations(s.annotations);
  }
  void operator()(const ast::DeclStmt& s) { declaration(s.declaration); }
  void operator()(const ast::InlineCudaStmt& s) {
    line(fmt::format("inline cuda reads{} writes{}", names(s.reads), names(s.writes)));
    const Deeper deeper(*this);
    line(fmt::format("text {:?}", s.text));
  }

 private:
  struct Deeper {
    explicit Deeper(Dumper& dumper) : dumper(dumper) { ++dumper.depth_; }
    ~Deeper() { --dumper.depth_; }
    Dumper& dumper;
  };

  void line(const std::string& text) { out_ += std::string(2 * depth_, ' ') + text + "\n"; }
  void part(const std::string& word, const std::string& text) {
    if (!text.empty()) line(word + " " + text);
  }
  std::string typed(ast::TypeId type) const { return type.valid() ? ": " + dump_type(file_, type) : ""; }
  static std::string names(const std::vector<ast::Name>& list) {
    std::string out;
    for (const ast::Name& name : list) out += " " + name.text;
    return out;
  }

  void declaration(ast::DeclId id) {
    const ast::Decl& decl = file_[id];
    for (const std::string& text : decl.documentation) line("/// " + text);
    annotations(decl.annotations);
    std::visit(*this, decl.node);
  }

  void annotations(const std::vector<ast::Annotation>& list) {
    for (const ast::Annotation& annotation : list) {
      const std::string arguments =
          annotation.arguments ? "()" + dump_arguments(file_, *annotation.arguments) : "";
      line(fmt::format("@{}{}", annotation.name.text, arguments));
    }
  }
  void deeper_annotations(const std::vector<ast::Annotation>& list) {
    const Deeper deeper(*this);
    annotations(list);
  }

  void generics(const std::vector<ast::GenericParameter>& list) {
    constexpr const char* kKinds[] = {"type", "int", "fn"};
    for (const ast::GenericParameter& generic : list) {
      line(fmt::format("generic {} {}{}{}", kKinds[static_cast<int>(generic.kind)], generic.name.text,
                       generic.bound ? ": " + generic.bound->text : "",
                       generic.default_value.valid() ? " = " + dump_expr(file_, generic.default_value) : ""));
    }
  }

  void parameters(const std::vector<ast::Parameter>& list) {
    constexpr const char* kDirections[] = {"", " in", " out", " inout"};
    for (const ast::Parameter& parameter : list) {
      std::string text =
          fmt::format("parameter{} {}: {}{}", kDirections[static_cast<int>(parameter.direction)],
                      parameter.name.text, dump_type(file_, parameter.type), parameter.nullable ? "?" : "");
      for (const ast::Property& property : parameter.properties) {
        text += " " + property.name.text;
        for (const ast::ExprId value : property.values) text += ":" + dump_expr(file_, value);
      }
      line(text + (parameter.initial.valid() ? " = " + dump_expr(file_, parameter.initial) : ""));
    }
  }

  void clauses(const std::vector<ast::Clause>& list) {
    for (const ast::Clause& clause : list) {
      if (const auto* where = std::get_if<ast::WhereClause>(&clause.node)) {
        line("where");
        const Deeper deeper(*this);
        for (const ast::ExprId condition : where->conditions) line(dump_expr(file_, condition));
      } else if (const auto* precision = std::get_if<ast::PrecisionClause>(&clause.node)) {
        line("precision" + dump_arguments(file_, precision->arguments));
      } else {
        line("verify" + dump_arguments(file_, std::get<ast::VerifyClause>(clause.node).arguments));
      }
    }
  }

  void block(const ast::Block& body) {
    for (const ast::StmtId id : body.statements) std::visit(*this, file_[id].node);
  }
  void loop(const std::string& word, const std::vector<ast::Range>& list,
            const std::vector<ast::Annotation>& notes, const ast::Block& body) {
    line(word);
    const Deeper deeper(*this);
    ranges(list);
    annotations(notes);
    line("body");
    const Deeper inside(*this);
    block(body);
  }
  void binding(const std::string& word, const ast::Name& name, ast::TypeId type, ast::ExprId initial,
               const std::vector<ast::Annotation>& notes) {
    line(fmt::format("{} {}{} {}", word, name.text, typed(type), dump_expr(file_, initial)));
    deeper_annotations(notes);
  }
  void buffer(const std::string& word, const ast::Buffer& item) {
    line(fmt::format("{} {}{}", word, item.name.text, typed(item.type)));
    deeper_annotations(item.annotations);
  }

  void ranges(const std::vector<ast::Range>& list) {
    for (const ast::Range& range : list) {
      std::string text = fmt::format("range {} {}", range.name.text, domain(range.domain));
      if (std::holds_alternative<ast::AutoStep>(range.step)) text += " by auto";
      if (const auto* step = std::get_if<ast::ExprId>(&range.step)) text += " by " + dump_expr(file_, *step);
      line(text + (range.relation.valid() ? " where " + dump_expr(file_, range.relation) : ""));
    }
  }
  std::string domain(const ast::Domain& domain) const {
    if (const auto* whole = std::get_if<ast::WholeDomain>(&domain.node))
      return dump_expr(file_, whole->extent);
    if (const auto* part = std::get_if<ast::PartDomain>(&domain.node)) {
      return fmt::format("(part {} {} {})", part->dimension.text, dump_expr(file_, part->lo),
                         dump_expr(file_, part->hi));
    }
    const auto& bounds = std::get<ast::BoundsDomain>(domain.node);
    return fmt::format("(.. {} {})", dump_expr(file_, bounds.lo), dump_expr(file_, bounds.hi));
  }

  const ast::File& file_;
  std::string out_;
  std::size_t depth_ = 0;
};

}  // namespace

std::string dump(const ast::File& file) { return Dumper(file).dump(); }

}  // namespace tessera
