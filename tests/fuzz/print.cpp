// SPDX-License-Identifier: Apache-2.0
// The tree as text; see print.h. Operations are in parentheses, so that nothing depends on their strength.
#include "fuzz/print.h"

#include <algorithm>
#include <set>

namespace tessera::fuzz {

namespace {

const char* spelling_of(Operation operation) {
  switch (operation) {
    case Operation::negative: return "-";
    case Operation::complement: return "~";
    case Operation::negation: return "!";
    case Operation::absolute: return "abs";
    case Operation::add: return "+";
    case Operation::subtract: return "-";
    case Operation::multiply: return "*";
    case Operation::divide: return "/";
    case Operation::remainder: return "%";
    case Operation::bit_and: return "&";
    case Operation::bit_or: return "|";
    case Operation::bit_xor: return "^";
    case Operation::shift_left: return "<<";
    case Operation::shift_right: return ">>";
    case Operation::equal: return "==";
    case Operation::unequal: return "!=";
    case Operation::less: return "<";
    case Operation::less_equal: return "<=";
    case Operation::greater: return ">";
    case Operation::greater_equal: return ">=";
    case Operation::logical_and: return "&&";
    case Operation::logical_or: return "||";
    case Operation::sum: return "sum";
    case Operation::prod: return "prod";
    case Operation::minimum:
    case Operation::min: return "min";
    case Operation::maximum:
    case Operation::max: return "max";
    case Operation::any: return "any";
    case Operation::all: return "all";
    case Operation::count: return "count";
    case Operation::argmax: return "argmax";
    case Operation::argmin: return "argmin";
    case Operation::none: break;
  }
  return "";
}

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program) {}

  std::string print() {
    annotations();
    text_ += "kernel " + program_.name + "(" + parameters() + ")";
    text_ += clauses();
    if (program_.rounds_to_tf32) text_ += " precision(multiply = tf32)";
    text_ += " {\n  grid ";
    if (!program_.grid.empty()) text_ += ranges(program_.grid) + " ";
    text_ += "{\n";
    statements(program_.body, 4);
    text_ += "  }\n}\n";
    return text_;
  }

 private:
  void annotations() {
    for (const auto& [name, extent] : program_.tiles)
      text_ += "@tile(" + name + " = " + std::to_string(extent) + ")\n";
    if (program_.warps > 0) text_ += "@warps(" + std::to_string(program_.warps) + ")\n";
    if (program_.stages > 0) text_ += "@stages(" + std::to_string(program_.stages) + ")\n";
    if (program_.raster > 0) text_ += "@raster(" + std::to_string(program_.raster) + ")\n";
  }

  std::string clauses() const {
    std::string list;
    for (const Symbol& one : program_.symbols) {
      if (one.limit > 0)
        list += (list.empty() ? " where " : ", ") + one.name + " <= " + std::to_string(one.limit);
    }
    return list;
  }

  std::string parameters() const {
    std::string list;
    for (const Tensor& tensor : program_.tensors) {
      list += list.empty() ? "" : ", ";
      list +=
          (tensor.is_output ? "out " : "in ") + tensor.name + ": " + std::string(spelling(tensor.type)) + "[";
      for (std::size_t d = 0; d < tensor.dimensions.size(); ++d)
        list += (d == 0 ? "" : ", ") + size(tensor.dimensions[d]);
      list += tensor.is_periodic ? "] periodic" : "]";
    }
    for (const Scalar& scalar : program_.scalars)
      list += (list.empty() ? "" : ", ") + scalar.name + ": " + std::string(spelling(scalar.type));
    return list;
  }

  std::string size(const Size& size) const {
    if (size.symbol < 0) return std::to_string(size.offset);
    std::string result = symbol(size.symbol);
    if (size.scale != 1) result = std::to_string(size.scale) + " * " + result;
    if (size.offset != 0) result += (size.offset < 0 ? " - " : " + ") + std::to_string(std::abs(size.offset));
    if (size.divisor == 1) return result;
    return (size.offset != 0 ? "(" + result + ")" : result) + " / " + std::to_string(size.divisor);
  }

  /// The name of a symbol, or its extent where it has none.
  std::string symbol(int number) const {
    const Symbol& one = program_.symbols[static_cast<std::size_t>(number)];
    return one.name.empty() ? std::to_string(one.extents[0]) : one.name;
  }

  const Binder& binder(int id) const { return program_.binders[static_cast<std::size_t>(id)]; }

  std::string name_of(int id) const {
    return binder(id).kind == BinderKind::colon ? symbol(binder(id).symbol) : binder(id).name;
  }

  std::string names(const std::vector<int>& ids) const {
    std::string list;
    for (const int id : ids) list += (list.empty() ? "" : ", ") + name_of(id);
    return list;
  }

  std::string ranges(const std::vector<int>& ids) const {
    std::string list;
    for (const int id : ids) {
      const Binder& one = binder(id);
      list += (list.empty() ? "" : ", ") + one.name + " in " + symbol(one.symbol);
      if (one.to >= 0) list += "[" + std::to_string(one.from) + " .. " + std::to_string(one.to) + "]";
      if (one.step == Step::plan) list += " by auto";
      if (one.step == Step::named) list += " by B" + one.name;
      if (one.step == Step::semantic) list += " by " + std::to_string(one.step_size);
      list += relation(one);
    }
    return list;
  }

  std::string relation(const Binder& one) const {
    std::string result;
    for (const Conjunct& conjunct : one.relation) {
      result += result.empty() ? " where " : " && ";
      std::string form = affine(conjunct.affine);
      if (conjunct.modulus > 0) form = "(" + form + ") % " + std::to_string(conjunct.modulus);
      result += form + " " + spelling_of(conjunct.operation) + " 0";
    }
    return result;
  }

  std::string affine(const Affine& form) const {
    std::string result;
    for (const auto& [id, scale] : form.terms) {
      if (result.empty()) {
        result = scale == 1 ? name_of(id) : std::to_string(scale) + " * " + name_of(id);
        continue;
      }
      result += scale < 0 ? " - " : " + ";
      if (std::abs(scale) != 1) result += std::to_string(std::abs(scale)) + " * ";
      result += name_of(id);
    }
    if (form.offset != 0) result += (form.offset < 0 ? " - " : " + ") + std::to_string(std::abs(form.offset));
    return result;
  }

  void line(int indent, const std::string& content) {
    text_ += std::string(static_cast<std::size_t>(indent), ' ') + content + "\n";
  }

  void statements(const std::vector<Statement>& body, int indent) {
    for (const Statement& statement : body) {
      for (const int id : statement.lets) line(indent, "let " + ranges({id}) + ";");
      if (statement.kind == StatementKind::ranges) continue;
      if (statement.kind == StatementKind::loop) {
        const std::string rings =
            statement.pipeline > 0 ? "@pipeline(" + std::to_string(statement.pipeline) + ") " : "";
        line(indent, "for " + ranges(statement.ranges) + " " + rings + "{");
        statements(statement.body, indent + 2);
        line(indent, "}");
      } else {
        line(indent, simple(statement));
      }
    }
  }

  std::string simple(const Statement& statement) const {
    const std::string value = " = " + top(statement.value) + ";";
    if (statement.kind == StatementKind::store) {
      const Tensor& tensor = program_.tensors[static_cast<std::size_t>(statement.tensor)];
      return tensor.name + indices(statement.indices) + value;
    }
    const Local& local = program_.locals[static_cast<std::size_t>(statement.local)];
    if (statement.kind == StatementKind::let) return "let " + local.name + value;
    if (statement.kind == StatementKind::assign)
      return local.name + " " + update(statement.operation) + value.substr(1);
    std::string axes = local.axes.empty() ? "" : "[" + names(local.axes) + "]";
    return "var " + local.name + ": " + std::string(spelling(local.type)) + axes + value;
  }

  static std::string update(Operation operation) {
    return operation == Operation::none ? "" : spelling_of(operation);
  }

  /// A whole value, where parentheses around it would be for nothing.
  std::string top(const Expression& e) const {
    const std::string result = expression(e);
    const bool is_wrapped = e.kind == Kind::binary || e.kind == Kind::cast || e.kind == Kind::otherwise;
    return is_wrapped && result.front() == '(' ? result.substr(1, result.size() - 2) : result;
  }

  std::string indices(const std::vector<Expression>& list) const {
    std::string result;
    for (const Expression& index : list) {
      result += result.empty() ? "" : ", ";
      const bool is_colon = index.kind == Kind::coordinate && binder(index.binder).kind == BinderKind::colon;
      result += is_colon ? ":" : top(index);
    }
    return "[" + result + "]";
  }

  std::string call(const std::string& function, const Expression& e) const {
    std::string result = function + "(";
    for (const Expression& argument : e.arguments)
      result += (&argument == e.arguments.data() ? "" : ", ") + top(argument);
    return result + ")";
  }

  std::string expression(const Expression& e) const {
    switch (e.kind) {
      case Kind::literal: return literal(e);
      case Kind::coordinate: return name_of(e.binder);
      case Kind::tile_id: return name_of(e.binder) + ".id";
      case Kind::extent: return symbol(static_cast<int>(e.number));
      case Kind::scalar: return program_.scalars[static_cast<std::size_t>(e.number)].name;
      case Kind::load:
        return program_.tensors[static_cast<std::size_t>(e.tensor)].name + indices(e.arguments);
      case Kind::local: return program_.locals[static_cast<std::size_t>(e.local)].name;
      case Kind::unary: {
        if (e.operation == Operation::absolute) return call("abs", e);
        return std::string(spelling_of(e.operation)) + "(" + top(e.arguments[0]) + ")";
      }
      case Kind::binary: return binary(e);
      case Kind::cast: return "(" + expression(e.arguments[0]) + " as " + std::string(spelling(e.type)) + ")";
      case Kind::where_else:
      case Kind::where_only: return call("where", e);
      case Kind::otherwise:
        return "(" + expression(e.arguments[0]) + " ?? " + expression(e.arguments[1]) + ")";
      case Kind::fold: return call(spelling_of(e.operation) + ("[" + names(e.folded) + "]"), e);
      case Kind::product: return call(is_plain(e) ? "dot" : "dot[" + names(e.folded) + "]", e);
      case Kind::pick:
        return expression(e.arguments[0]) + "[" + name_of(e.binder) + " = " + std::to_string(e.number) + "]";
    }
    return "";
  }

  static std::string literal(const Expression& e) {
    if (is_bool(e.type)) return e.number != 0 ? "true" : "false";
    return std::to_string(e.number);
  }

  std::string binary(const Expression& e) const {
    const std::string name = spelling_of(e.operation);
    if (e.operation == Operation::minimum || e.operation == Operation::maximum) return call(name, e);
    return "(" + expression(e.arguments[0]) + " " + name + " " + expression(e.arguments[1]) + ")";
  }

  /// Whether all axes that both factors have are folded, so that `dot` need not name them.
  bool is_plain(const Expression& e) const {
    if (e.number == 0) return false;
    std::vector<int> shared;
    std::ranges::set_intersection(e.arguments[0].axes, e.arguments[1].axes, std::back_inserter(shared));
    std::erase_if(shared, [&](int id) { return is_scalar(binder(id)); });
    return std::set<int>(shared.begin(), shared.end()) == std::set<int>(e.folded.begin(), e.folded.end());
  }

  const Program& program_;
  std::string text_;
};

}  // namespace

std::string print(const Program& program) { return Printer(program).print(); }

}  // namespace tessera::fuzz
