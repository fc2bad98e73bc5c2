// SPDX-License-Identifier: Apache-2.0
// The canonical layout of files: one statement per line, two spaces per level, at most one blank line, lines of up to
// 100 columns. A block that the author wrote on one line stays on one line while it fits.
#include "frontend/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/utf8.h"
#include "frontend/comment_writer.h"
#include "frontend/format_code.h"

namespace tessera {

namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kIndentation = 2;

class FileFormatter {
 public:
  FileFormatter(const ast::File& file, const SourceFile& source)
      : file_(file), source_(source), code_(file, layout_), writer_(file, source) {}

  std::string format() {
    for (const ast::DeclId id : file_.declarations) declaration(id);
    writer_.flush(static_cast<std::uint32_t>(source_.text().size()) + 1, 0);
    return writer_.take();
  }

  // ---- Heads and simple forms: everything of a node but its body. An overload returns the whole node if it has none.

  LayoutId head(const ast::KernelDecl& d) {
    return code_.concat({text("kernel " + d.name.text), code_.generic_parameters(d.generics),
                         parameters(d.parameters), after_parameters(d.clauses)});
  }
  LayoutId head(const ast::FnDecl& d) {
    return code_.concat({text((d.is_const ? "const fn " : "fn ") + d.name.text),
                         code_.generic_parameters(d.generics), axes(d), parameters(d.parameters),
                         result(d.result), text(" {")});
  }
  LayoutId head(const ast::GraphDecl& d) {
    return code_.concat({text("graph " + d.name.text), code_.generic_parameters(d.generics),
                         parameters(d.parameters), result(d.result),
                         text(d.mesh ? " on " + d.mesh->text : ""), after_parameters(d.clauses)});
  }
  LayoutId head(const ast::MeshDecl& d) {
    return code_.concat({text("mesh " + d.name.text), code_.arguments(d.axes), text(";")});
  }
  LayoutId head(const ast::InstanceDecl& d) {
    return code_.concat({text("instance " + d.kernel.text), code_.generic_arguments(d.generics),
                         text(" as " + d.name.text + ";")});
  }
  LayoutId head(const ast::ImportDecl& d) {
    if (d.names.empty()) return text(fmt::format("import \"{}\";", d.path));
    return code_.concat(
        {text("import "), code_.names(d.names, false), text(fmt::format(" from \"{}\";", d.path))});
  }
  LayoutId head(const ast::ExternFnDecl& d) {
    return code_.concat({text("extern fn " + d.name.text), parameters(d.parameters), result(d.result),
                         text(fmt::format(" from \"{}\";", d.header))});
  }
  LayoutId head(const ast::ConstDecl& d) { return binding("const " + d.name.text, d.type, d.value, {}); }

  LayoutId head(const ast::GridStmt& s) {
    const LayoutId ranges = s.ranges.empty() ? text("") : code_.concat({text(" "), code_.ranges(s.ranges)});
    return code_.concat({text("grid"), ranges, code_.annotations_after(s.annotations), text(" {")});
  }
  LayoutId head(const ast::ForStmt& s) {
    return code_.concat(
        {text("for "), code_.ranges(s.ranges), code_.annotations_after(s.annotations), text(" {")});
  }
  LayoutId head(const ast::StaticForStmt& s) {
    return code_.concat({text("static for "), code_.static_bindings(s.bindings), text(" {")});
  }
  LayoutId head(const ast::RoleStmt& s) {
    return code_.concat({text("role " + s.name.text), code_.annotations_after(s.annotations), text(" {")});
  }
  LayoutId head(const ast::ChannelStmt& s) {
    return code_.concat({text("channel " + s.name.text), code_.generic_arguments(s.generics), text(" {")});
  }
  LayoutId head(const ast::LetRangesStmt& s) {
    return code_.concat(
        {text("let "), code_.ranges(s.ranges), code_.annotations_after(s.annotations), text(";")});
  }
  LayoutId head(const ast::LetStmt& s) {
    return code_.concat(
        {text("let "), code_.names(s.names, s.is_tuple), binding("", s.type, s.value, s.annotations)});
  }
  LayoutId head(const ast::VarStmt& s) {
    return binding("var " + s.name.text, s.type, s.initial, s.annotations);
  }
  LayoutId head(const ast::TempStmt& s) {
    return binding("temp " + s.name.text, s.type, s.initial, s.annotations);
  }
  LayoutId head(const ast::AssignStmt& s) {
    return code_.concat({code_.expr(s.target), text(fmt::format(" {} ", spelling(s.op))), code_.expr(s.value),
                         code_.annotations_after(s.annotations), text(";")});
  }
  LayoutId head(const ast::SharedStmt& s) { return code_.concat({text("shared "), buffer(s.buffer)}); }
  LayoutId head(const ast::IfStmt& s) { return if_head("if ", s.branches.front().condition); }
  LayoutId head(const ast::ReturnStmt& s) {
    const LayoutId value = s.value.valid() ? code_.concat({text(" "), code_.expr(s.value)}) : text("");
    return code_.concat({text("return"), value, code_.annotations_after(s.annotations), text(";")});
  }
  LayoutId head(const ast::ExprStmt& s) {
    return code_.concat({code_.expr(s.value), code_.annotations_after(s.annotations), text(";")});
  }
  LayoutId head(const ast::DeclStmt& s) {
    return std::visit([this](const auto& d) { return head(d); }, file_[s.declaration].node);
  }
  LayoutId head(const ast::InlineCudaStmt& s) {
    std::string accesses = access_list("reads", s.reads);
    const std::string writes = access_list("writes", s.writes);
    accesses += accesses.empty() || writes.empty() ? writes : ", " + writes;
    return text(fmt::format("inline cuda({}) \"\"\"{}\"\"\";", accesses, s.text));
  }

  // ---- Bodies

  static const ast::Block* body(const ast::KernelDecl& d) { return &d.body; }
  static const ast::Block* body(const ast::FnDecl& d) { return &d.body; }
  static const ast::Block* body(const ast::GraphDecl& d) { return &d.body; }
  static const ast::Block* body(const ast::GridStmt& s) { return &s.body; }
  static const ast::Block* body(const ast::ForStmt& s) { return &s.body; }
  static const ast::Block* body(const ast::StaticForStmt& s) { return &s.body; }
  static const ast::Block* body(const ast::RoleStmt& s) { return &s.body; }
  const ast::Block* body(const ast::DeclStmt& s) {
    return std::visit([](const auto& d) { return body(d); }, file_[s.declaration].node);
  }
  template <typename Node>
  static const ast::Block* body(const Node&) {
    return nullptr;
  }

 private:
  LayoutId text(std::string text) { return layout_.text(std::move(text)); }

  LayoutId binding(std::string start, ast::TypeId type, ast::ExprId value,
                   const std::vector<ast::Annotation>& annotations) {
    std::vector<LayoutId> parts{text(std::move(start))};
    if (type.valid()) {
      parts.push_back(text(": "));
      parts.push_back(code_.type(type));
    }
    if (value.valid()) {
      parts.push_back(text(" = "));
      parts.push_back(code_.expr(value));
    }
    parts.push_back(code_.annotations_after(annotations));
    parts.push_back(text(";"));
    return code_.concat(std::move(parts));
  }
  LayoutId buffer(const ast::Buffer& buffer) {
    return binding(buffer.name.text, buffer.type, {}, buffer.annotations);
  }
  LayoutId axes(const ast::FnDecl& d) {
    return d.axes.empty() ? text("") : code_.concat({text("["), code_.names(d.axes, false), text("]")});
  }
  LayoutId result(ast::TypeId type) {
    return type.valid() ? code_.concat({text(" -> "), code_.type(type)}) : text("");
  }
  LayoutId if_head(const std::string& start, ast::ExprId condition) {
    return code_.concat({text(start), code_.expr(condition), text(" {")});
  }
  static std::string access_list(const std::string& word, const std::vector<ast::Name>& names) {
    std::string out;
    for (const ast::Name& name : names) out += (out.empty() ? word + " " : ", ") + name.text;
    return out;
  }

  LayoutId parameters(const std::vector<ast::Parameter>& list) {
    if (list.empty()) return text("()");
    std::vector<LayoutId> items;
    for (const ast::Parameter& parameter : list) items.push_back(code_.parameter(parameter));
    const LayoutId inside = code_.concat({layout_.soft_line(), layout_.join(items, ",")});
    return layout_.group(
        code_.concat({text("("), layout_.indent(kIndentation, inside), layout_.soft_line(), text(")")}));
  }

  /// The clauses and the `{`: on the line of the `)`, or each on a line of its own.
  LayoutId after_parameters(const std::vector<ast::Clause>& clauses) {
    std::vector<LayoutId> parts;
    for (const ast::Clause& clause : clauses) {
      parts.push_back(layout_.line());
      parts.push_back(code_.clause(clause));
    }
    return layout_.group(code_.concat(
        {layout_.indent(kIndentation, code_.concat(std::move(parts))), layout_.line(), text("{")}));
  }

  // ---- One line

  bool is_one_line_in_source(Span span) const {
    return source_.text_of(span).find('\n') == std::string_view::npos && !writer_.has_comments(span);
  }

  std::optional<std::string> block_on_one_line(std::string head, const ast::Block& block) {
    if (block.statements.empty()) return head + "}";
    head += " ";
    for (const ast::StmtId id : block.statements) {
      const auto statement =
          std::visit([this](const auto& s) { return node_on_one_line(s); }, file_[id].node);
      if (!statement) return std::nullopt;
      head += *statement + " ";
    }
    return head + "}";
  }

  template <typename Node>
  std::optional<std::string> node_on_one_line(const Node& node) {
    const std::string start = layout_.print(head(node), 0);
    const ast::Block* inner = body(node);
    return inner == nullptr ? std::optional(start) : block_on_one_line(start, *inner);
  }
  std::optional<std::string> node_on_one_line(const ast::IfStmt& statement) {
    std::optional<std::string> out = "";
    for (const auto& branch : statement.branches) {
      const std::string start = out->empty() ? "if " : " else if ";
      const auto part = block_on_one_line(layout_.print(if_head(start, branch.condition), 0), branch.body);
      if (!part) return std::nullopt;
      *out += *part;
    }
    if (!statement.otherwise) return out;
    const auto part = block_on_one_line(" else {", *statement.otherwise);
    return part ? std::optional(*out + *part) : std::nullopt;
  }
  std::optional<std::string> node_on_one_line(const ast::ChannelStmt& channel) {
    std::string out = layout_.print(head(channel), 0);
    for (const ast::Buffer& item : channel.buffers) out += " " + layout_.print(buffer(item), 0);
    return out + (channel.buffers.empty() ? "}" : " }");
  }

  /// Writes a node with a body on one line if it was written so, holds no comments and fits.
  template <typename Node>
  bool try_one_line(const Node& node, Span span) {
    if (!is_one_line_in_source(span)) return false;
    const auto line = node_on_one_line(node);
    if (!line || line->find('\n') != std::string::npos || utf8_length(*line) + depth_ * kIndentation > kWidth)
      return false;
    writer_.line(column(), *line);
    return true;
  }

  // ---- Lines

  std::size_t column() const { return depth_ * kIndentation; }
  void write(LayoutId layout, const std::string& after = "") {
    writer_.line(column(), layout_.print(layout, column()) + after);
  }

  void declaration(ast::DeclId id) {
    const ast::Decl& decl = file_[id];
    for (const ast::Annotation& annotation : decl.annotations) {
      writer_.lead(annotation.span.begin, column());
      write(code_.annotation(annotation));
      writer_.trail(annotation.span.end);
    }
    writer_.lead(decl.span.begin, column());
    std::visit([&](const auto& d) { write_node(d, decl.span); }, decl.node);
    writer_.trail(decl.span.end);
  }

  void block(const ast::Block& block) {
    writer_.trail(block.span.begin + 1);
    writer_.begin_block();
    ++depth_;
    for (const ast::StmtId id : block.statements) statement(id);
    writer_.flush(block.span.end - 1, column());
    --depth_;
  }

  void statement(ast::StmtId id) {
    const ast::Stmt& statement = file_[id];
    std::visit([&](const auto& s) { write_statement(s, statement.span); }, statement.node);
    writer_.trail(statement.span.end);
  }

  /// Comments inside a statement without a body come before it; others wait for the body.
  template <typename Node>
  void write_statement(const Node& node, Span span) {
    const bool simple = body(node) == nullptr && !std::is_same_v<Node, ast::IfStmt> &&
                        !std::is_same_v<Node, ast::ChannelStmt> && !std::is_same_v<Node, ast::DeclStmt>;
    writer_.lead(span.begin, column(), simple ? span.end : 0);
    write_node(node, span);
  }

  template <typename Node>
  void write_node(const Node& node, Span span) {
    const ast::Block* inner = body(node);
    if (inner == nullptr) return write(head(node));
    if (try_one_line(node, span)) return;
    write_head(node);
    if (inner->statements.empty() && !writer_.has_comments({span.file, span.begin, inner->span.end})) {
      // `write_head` left the `{` at the end of its line.
      return writer_.line(column(), "}");
    }
    block(*inner);
    writer_.line(column(), "}");
  }
  void write_node(const ast::DeclStmt& statement, Span span) {
    std::visit([&](const auto& d) { write_node(d, span); }, file_[statement.declaration].node);
  }
  void write_node(const ast::IfStmt& statement, Span span) {
    if (try_one_line(statement, span)) return;
    std::string start = "if ";
    for (const auto& branch : statement.branches) {
      write(if_head(start, branch.condition));
      block(branch.body);
      start = "} else if ";
    }
    if (statement.otherwise) {
      writer_.line(column(), "} else {");
      block(*statement.otherwise);
    }
    writer_.line(column(), "}");
  }
  void write_node(const ast::ChannelStmt& channel, Span span) {
    if (try_one_line(channel, span)) return;
    write(head(channel));
    writer_.begin_block();
    ++depth_;
    for (const ast::Buffer& item : channel.buffers) {
      writer_.lead(item.span.begin, column(), item.span.end);
      write(buffer(item));
      writer_.trail(item.span.end);
    }
    writer_.flush(span.end - 1, column());
    --depth_;
    writer_.line(column(), "}");
  }

  template <typename Node>
  void write_head(const Node& node) {
    write(head(node));
  }
  void write_head(const ast::KernelDecl& d) {
    write_head_with_parameters(d, "kernel ", text(""), after_parameters(d.clauses));
  }
  void write_head(const ast::FnDecl& d) {
    const std::string word = d.is_const ? "const fn " : "fn ";
    write_head_with_parameters(d, word, axes(d), code_.concat({result(d.result), text(" {")}));
  }
  void write_head(const ast::GraphDecl& d) {
    const LayoutId mesh = text(d.mesh ? " on " + d.mesh->text : "");
    write_head_with_parameters(d, "graph ", text(""),
                               code_.concat({result(d.result), mesh, after_parameters(d.clauses)}));
  }

  /// Parameters with comments among them stand one to a line, with their comments.
  template <typename Node>
  void write_head_with_parameters(const Node& d, const std::string& word, LayoutId axes, LayoutId after) {
    const Span list = d.parameters.empty() ? Span{} : merge(d.name.span, d.parameters.back().span);
    if (!list.valid() || !writer_.has_comments({list.file, list.begin, end_of_line(list.end)}))
      return write(head(d));
    write(code_.concat({text(word + d.name.text), code_.generic_parameters(d.generics), axes, text("(")}));
    writer_.begin_block();
    ++depth_;
    for (const ast::Parameter& parameter : d.parameters) {
      writer_.lead(parameter.span.begin, column(), parameter.span.end);
      write(code_.parameter(parameter), &parameter == &d.parameters.back() ? "" : ",");
      writer_.trail(parameter.span.end);
    }
    --depth_;
    write(code_.concat({text(")"), after}));
  }

  /// The end of the line, if nothing but a comment follows there.
  std::uint32_t end_of_line(std::uint32_t offset) const {
    const std::string_view rest = std::string_view(source_.text()).substr(offset);
    const std::size_t next = rest.find_first_not_of(" \t,");
    const bool comment = next != std::string_view::npos && rest.substr(next).starts_with("//");
    return comment ? offset + static_cast<std::uint32_t>(std::min(rest.find('\n'), rest.size())) : offset;
  }

  const ast::File& file_;
  const SourceFile& source_;
  Layout layout_{kWidth};
  CodeFormatter code_;
  CommentWriter writer_;
  std::size_t depth_ = 0;
};

}  // namespace

std::string format(const ast::File& file, const SourceFile& source) {
  return FileFormatter(file, source).format();
}

}  // namespace tessera
