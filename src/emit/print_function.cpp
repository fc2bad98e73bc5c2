// SPDX-License-Identifier: Apache-2.0
// Statements and functions as text: one line for one idea, and behind it the place in the source.
#include <fmt/format.h>

#include "emit/print.h"

namespace tessera::emit {

namespace {

class FunctionPrinter {
 public:
  FunctionPrinter(const Locate& locate, const LineDirectives* lines, Writer& writer)
      : locate_(locate), lines_(lines), writer_(writer) {}

  /// Statements and the brace that closes them.
  void body(const lowered::Block& statements) {
    block(statements);
    writer_.outdent();
    line("}");
  }

 private:
  void block(const lowered::Block& statements) {
    for (const lowered::Statement& statement : statements) print_statement(statement);
  }

  void print_statement(const lowered::Statement& statement) {
    if (const int line = lines_ ? lines_->first_line(statement) : 0; line > 0) line_ = line;
    const std::string remark = remark_of(statement.span);
    std::visit([&](const auto& node) { print_node(node, remark); }, statement.node);
  }

  // Only where the line changes: a column of equal remarks says nothing.
  std::string remark_of(Span span) {
    std::string place = locate_(span);
    if (place.empty() || place == last_place_) return {};
    return last_place_ = std::move(place);
  }

  // What has no place of its own, as a brace that closes, belongs to the line before it.
  void line(const std::string& text, const std::string& remark = {}) {
    if (line_ != 0 && line_ != next_line_) {
      // The first one names the file, and the others keep it.
      writer_.raw(next_line_ == 0 ? lines_->directive(line_) : fmt::format("#line {}\n", line_));
      next_line_ = line_;
    }
    writer_.line(text, remark);
    if (next_line_ != 0) ++next_line_;
  }

  void print_node(const lowered::Comment& node, const std::string&) { line("// " + node.text); }
  void print_node(const lowered::Local& node, const std::string& remark) { line(local(node), remark); }
  void print_node(const lowered::Assign& node, const std::string& remark) { line(assignment(node), remark); }
  void print_node(const lowered::Evaluate& node, const std::string& remark) {
    line(print(node.expression) + ";", remark);
  }
  void print_node(const lowered::Barrier& node, const std::string&) {
    using enum lowered::Barrier::Of;
    line(node.threads == cluster      ? "cluster_barrier(cluster);"
         : node.threads == group      ? "team.sync();"
         : node.threads == warpgroups ? "groups_barrier<kGroups>();"
                                      : "barrier();",
         node.reason);
  }
  void print_node(const lowered::Shared& node, const std::string& remark) {
    if (!node.first_byte.empty())
      return line(fmt::format("TESSERA_DYNAMIC_SHARED({}, {}, {}, {});", node.type, node.name,
                              node.first_byte, node.count),
                  remark);
    line(fmt::format("TESSERA_SHARED({}, {}, {});", node.type, node.name, node.count), remark);
  }
  void print_node(const lowered::Using& node, const std::string& remark) {
    line(fmt::format("using {} = {};", node.name, node.type), remark);
  }
  void print_node(const lowered::Lambda& node, const std::string& remark) {
    line(fmt::format("const auto {} = [&]({}) {{", node.name, node.parameters), remark);
    writer_.indent();
    block(node.body);
    writer_.outdent();
    line("};");
  }
  void print_node(const lowered::If& node, const std::string& remark) {
    const std::string head =
        fmt::format("if {}({})", node.is_static ? "constexpr " : "", print(node.condition));
    const std::string& reason = node.reason.empty() ? remark : node.reason;
    if (node.otherwise.empty()) return body(head, node.then, reason);
    line(head + " {", reason);
    writer_.indent();
    block(node.then);
    writer_.outdent();
    line("} else {");
    writer_.indent();
    body(node.otherwise);
  }
  void print_node(const lowered::For& node, const std::string& remark) {
    const std::string before = node.unroll         ? "TESSERA_UNROLL "
                               : node.together > 1 ? fmt::format("TESSERA_UNROLL_BY({}) ", node.together)
                               : node.stays        ? "TESSERA_NO_UNROLL "
                                                   : "";
    body(before + "for (" + header(node) + ")", node.body, remark);
  }

  static std::string header(const lowered::For& node) {
    if (!node.header.empty()) return node.header;
    const std::string step = node.step == "1" ? "++" + node.name : node.name + " += " + node.step;
    return fmt::format("index {0} = {1}; {0} < {2}; {3}", node.name, print(node.first), print(node.end),
                       step);
  }

  static std::string local(const lowered::Local& node) {
    std::string text = (node.is_const ? "const " : "") + node.type + " " + node.name;
    for (const std::string& extent : node.extents) text += "[" + extent + "]";
    if (!node.initial) return text + ";";
    const bool list = node.initial->kind == lowered::Expression::Kind::list && node.initial->text.empty();
    return list ? text + print(node.initial) + ";" : text + " = " + print(node.initial) + ";";
  }

  // `a = a + b` reads better as `a += b`.
  static std::string assignment(const lowered::Assign& node) {
    const std::string target = print(node.target);
    if (lowered::is_vector_element(node.target) && size_in_bytes(node.target->type) < 4)
      return fmt::format("{}.set({}, {});", print(node.target->operands[0]), print(node.target->operands[1]),
                         print(node.value));
    if (node.op == "=" && node.value->kind == lowered::Expression::Kind::binary &&
        node.value->operands.size() == 2) {
      const std::string& op = node.value->text;
      if ((op == "+" || op == "-" || op == "*") && print(node.value->operands[0]) == target)
        return fmt::format("{} {}= {};", target, op, print(node.value->operands[1]));
    }
    return fmt::format("{} {} {};", target, node.op, print(node.value));
  }

  void body(const std::string& head, const lowered::Block& statements, const std::string& remark) {
    if (const std::string one = single_line(head, statements); !one.empty()) {
      const std::string place = remark.empty() ? remark_of(statements[0].span) : remark;
      return line(one, place);
    }
    line(head + " {", remark);
    writer_.indent();
    body(statements);
  }

  // A body of one short statement stays on the line of its head.
  std::string single_line(const std::string& head, const lowered::Block& statements) const {
    if (statements.size() != 1) return {};
    std::string text;
    if (const auto* assign = std::get_if<lowered::Assign>(&statements[0].node)) text = assignment(*assign);
    if (const auto* evaluate = std::get_if<lowered::Evaluate>(&statements[0].node))
      text = print(evaluate->expression) + ";";
    constexpr size_t kRoom = Writer::kColumns - 24;
    return text.empty() || head.size() + text.size() > kRoom ? std::string() : head + " " + text;
  }

  const Locate& locate_;
  const LineDirectives* lines_;
  Writer& writer_;
  std::string last_place_;
  int line_ = 0;       // of the source, of the statement being printed; 0: none yet
  int next_line_ = 0;  // that the next printed line has by itself; 0: its own in the generated file
};

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

}  // namespace

void print(const lowered::Function& function, const Locate& locate, const LineDirectives* lines,
           Writer& writer) {
  writer.line("/// " + function.comment);
  writer.line(fmt::format("template <{}>", joined(function.template_parameters)));
  writer.line(fmt::format("TESSERA_KERNEL({})", function.threads));
  writer.line(fmt::format("void {}({}) {{", function.name, joined(function.parameters)));
  writer.indent();
  writer.keep_whole(lines != nullptr);
  FunctionPrinter(locate, lines, writer).body(function.body);
  writer.keep_whole(false);
  if (lines) writer.raw(LineDirectives::kReturn);
}

}  // namespace tessera::emit
