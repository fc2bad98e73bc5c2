// SPDX-License-Identifier: Apache-2.0
// Writes the text form of the IR: declarations first, then the grids, one value or statement a line.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "base/check.h"
#include "sema/ir/names.h"
#include "sema/ir/text.h"

namespace tessera::ir {

namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\') {
      result += '\\';
      result += character;
    } else if (character == '\n') {
      result += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += character;
    }
  }
  return result + '"';
}

/// The shortest decimal that reads back as the same number.
std::string spell(const Literal& literal, DType dtype) {
  if (!is_float(dtype)) return fmt::format("{}", literal.integer);
  if (std::isnan(literal.real)) return std::signbit(literal.real) ? "-nan" : "nan";
  std::string text = fmt::format("{}", literal.real);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

std::string_view spell(AxisKind kind) {
  switch (kind) {
    case AxisKind::grid: return "grid";
    case AxisKind::loop: return "loop";
    case AxisKind::let: return "let";
  }
  unreachable("a range has a kind");
}

std::string_view spell(Relation relation) {
  switch (relation) {
    case Relation::equal: return "==";
    case Relation::not_equal: return "!=";
    case Relation::less: return "<";
    case Relation::less_equal: return "<=";
    case Relation::greater: return ">";
    case Relation::greater_equal: return ">=";
    case Relation::member: return "in";
  }
  unreachable("a constraint has a relation");
}

std::string spell(const Request& request) {
  if (!request.parameter.empty())
    return fmt::format("@{}({}{})", request.name, request.parameter,
                       request.arguments.empty() ? "" : fmt::format(" = {}", request.arguments[0]));
  return fmt::format("@{}({})", request.name, fmt::join(request.arguments, ", "));
}

class Printer {
 public:
  explicit Printer(const Kernel& kernel) : kernel_(kernel), names_(kernel) {}

  std::string print() {
    line("kernel {} as {} {{", kernel_.name, kernel_.c_name);
    ++depth_;
    print_declarations();
    for (const Grid& grid : kernel_.grids) print_grid(grid);
    --depth_;
    line("}}");
    return std::move(text_);
  }

 private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_.append(2 * depth_, ' ');
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }

  template <typename IdT>
  std::string list(const std::vector<IdT>& ids) const {
    std::string text;
    for (const IdT id : ids) text += fmt::format("{}{}", text.empty() ? "" : ", ", names_.of(id));
    return text;
  }

  /// `[r, C]`, or nothing for a scalar.
  std::string axes(const std::vector<AxisId>& ids) const {
    return ids.empty() ? "" : fmt::format("[{}]", list(ids));
  }

  static std::string in_bounds(uint32_t bits) {
    std::vector<int> dimensions;
    for (int dimension = 0; dimension < 32; ++dimension) {
      if (bits >> dimension & 1) dimensions.push_back(dimension);
    }
    return dimensions.empty() ? "" : fmt::format(" in_bounds({})", fmt::join(dimensions, ", "));
  }

  void print_declarations() {
    if (!kernel_.generics.empty()) line("generics {}", quoted(kernel_.generics));
    if (!kernel_.doc.empty()) line("doc {}", quoted(kernel_.doc));
    for (size_t i = 0; i < kernel_.symbols.size(); ++i) print_symbol(kernel_.symbols.id_at(i));
    for (const auto& parameter : kernel_.parameters) {
      std::visit([this](auto id) { print_parameter(id); }, parameter);
    }
    for (size_t i = 0; i < kernel_.tables.size(); ++i) print_table(kernel_.tables.id_at(i));
    for (size_t i = 0; i < kernel_.axes.size(); ++i) print_axis(kernel_.axes.id_at(i));
    for (size_t i = 0; i < kernel_.variables.size(); ++i) {
      const VariableId id = kernel_.variables.id_at(i);
      const Variable& variable = kernel_.variables[id];
      line("variable {}: {}{}", names_.of(id), spelling(variable.dtype), axes(variable.axes));
    }
    for (const Constraint& constraint : kernel_.constraints) print_constraint(constraint);
    for (const Request& request : kernel_.requests) line("{}", spell(request));
    for (const Tiling& tiling : kernel_.tilings) print_tiling(tiling);
    if (kernel_.tuning) print_tuning(*kernel_.tuning);
    print_bound("max_rel", kernel_.max_relative_error);
    print_bound("max_abs", kernel_.max_absolute_error);
  }

  void print_symbol(SymbolId id) {
    const Symbol& symbol = kernel_.symbols[id];
    std::string text = names_.of(id);
    if (!symbol.allowed.empty()) text += fmt::format(" among {{{}}}", fmt::join(symbol.allowed, ", "));
    if (symbol.minimum != 0) text += fmt::format(" minimum {}", symbol.minimum);
    if (symbol.maximum) text += fmt::format(" maximum {}", *symbol.maximum);
    line("symbol {}", text);
  }

  void print_parameter(TensorId id) {
    const Tensor& tensor = kernel_.tensors[id];
    line("{} {}: {}[{}]{}", tensor.is_output ? "out" : "in", names_.of(id), spelling(tensor.dtype),
         list(tensor.dims), tensor.periodic ? " periodic" : "");
  }

  void print_parameter(ScalarId id) {
    const Scalar& scalar = kernel_.scalars[id];
    const std::string initial =
        scalar.initial ? fmt::format(" = {}", spell(*scalar.initial, scalar.dtype)) : "";
    line("scalar {}: {}{}", names_.of(id), spelling(scalar.dtype), initial);
  }

  void print_table(TableId id) {
    const Table& table = kernel_.tables[id];
    std::string elements;
    for (const Literal& element : table.elements) {
      elements += fmt::format("{}{}", elements.empty() ? "" : ", ", spell(element, table.dtype));
    }
    line("table {}: {} = [{}]", names_.of(id), spelling(table.dtype), elements);
  }

  void print_axis(AxisId id) {
    const Axis& axis = kernel_.axes[id];
    std::string text;
    switch (axis.step) {
      case StepKind::none: break;
      case StepKind::semantic: text = fmt::format(" by {}", axis.step_size); break;
      case StepKind::plan:
        text = fmt::format(" by {}", axis.step_name.empty() ? "auto" : axis.step_name);
        if (axis.step_size != 0) text += fmt::format(" = {}", axis.step_size);
        break;
    }
    if (axis.dimension) text += fmt::format(" over {}", names_.of(*axis.dimension));
    for (const Conjunct& conjunct : axis.relation) text += " related " + spell_conjunct(conjunct);
    line("axis {}: {} {} .. {}{}", names_.of(id), spell(axis.kind), names_.of(axis.lower),
         names_.of(axis.upper), text);
  }

  /// `[offset; coefficient axis, …; coefficient scalar, …] % modulus == 0`
  std::string spell_conjunct(const Conjunct& conjunct) const {
    const auto terms = [this](const auto& products) {
      std::string text;
      for (const auto& [id, coefficient] : products)
        text += fmt::format("{} {} {}", text.empty() ? "" : ",", names_.of(coefficient), names_.of(id));
      return text;
    };
    const std::string modulus = conjunct.modulus != 0 ? fmt::format(" % {}", conjunct.modulus) : "";
    const char* sign = conjunct.sign == Sign::at_least_zero ? ">="
                       : conjunct.sign == Sign::zero        ? "=="
                                                            : "!=";
    return fmt::format("[{};{};{}]{} {} 0", names_.of(conjunct.form.offset), terms(conjunct.form.terms),
                       terms(conjunct.scalars), modulus, sign);
  }

  std::string spell_constraint(const Constraint& constraint) const {
    const std::string right = constraint.relation == Relation::member
                                  ? fmt::format("{{{}}}", fmt::join(constraint.values, ", "))
                                  : names_.of(constraint.right);
    return fmt::format("{} {} {}{} {}", names_.of(constraint.left), spell(constraint.relation), right,
                       constraint.implied ? " implied" : "", quoted(constraint.text));
  }

  void print_constraint(const Constraint& constraint) { line("where {}", spell_constraint(constraint)); }

  /// `tiling BM = 128, BN = 64 on sm_80 when M > 1024 "M > 1024"`.
  void print_tiling(const Tiling& tiling) {
    std::string text;
    for (const Setting& setting : tiling.settings)
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", setting.name, setting.value);
    for (const std::string& name : tiling.architectures) text += " on " + name;
    for (const Constraint& constraint : tiling.when) text += " when " + spell_constraint(constraint);
    line("tiling {}", text);
  }

  /// `tuning BM, BN: {64, 64}, {64, 128}`.
  void print_tuning(const TuningSpace& space) {
    std::string members;
    for (const std::vector<int64_t>& member : space.members)
      members += fmt::format("{}{{{}}}", members.empty() ? "" : ", ", fmt::join(member, ", "));
    line("tuning {}: {}", fmt::join(space.names, ", "), members);
  }

  void print_bound(std::string_view name, const std::optional<double>& bound) {
    if (bound) line("verify {} = {}", name, spell(Literal{*bound, 0}, DType::f64));
  }

  void print_grid(const Grid& grid) {
    std::string head = "grid";
    if (!grid.axes.empty()) head += fmt::format(" {}", list(grid.axes));
    for (const Request& request : grid.requests) head += fmt::format(" {}", spell(request));
    line("{} {{", head);
    print_block(grid.body);
    line("}}");
  }

  void print_block(const Block& block) {
    ++depth_;
    for (const Statement& statement : block) {
      std::visit([this](const auto& node) { print_statement(node); }, statement.node);
    }
    --depth_;
  }

  void print_statement(const Define& define) {
    const Value& value = kernel_.values[define.value];
    const std::string name = value.name.empty() ? "" : fmt::format(" {}", value.name);
    line("{}{}: {}{}{} = {}", names_.of(define.value), name, spelling(value.dtype), axes(value.axes),
         value.total ? "" : "?", std::visit([&](const auto& op) { return spell_op(op, value); }, value.op));
  }

  void print_statement(const Declare& declare) {
    line("declare {} = {}", names_.of(declare.variable), names_.of(declare.initial));
  }

  void print_statement(const Assign& assign) {
    std::string picks;
    for (const auto& [axis, coordinate] : assign.picks) {
      picks += fmt::format("{}{} = {}", picks.empty() ? "" : ", ", names_.of(axis), coordinate);
    }
    if (!picks.empty()) picks = fmt::format("[{}]", picks);
    line("assign {}{} = {}", names_.of(assign.variable), picks, names_.of(assign.value));
  }

  void print_statement(const Write& write) {
    line("write {}[{}] = {}{}", names_.of(write.tensor), list(write.indices), names_.of(write.value),
         in_bounds(write.in_bounds));
  }

  void print_statement(const Loop& loop) {
    line("for {} {{", names_.of(loop.axis));
    print_block(loop.body);
    line("}}");
  }

  std::string spell_op(const Constant& op, const Value& value) const {
    return fmt::format("constant {}", spell(op.value, value.dtype));
  }
  std::string spell_op(const Coordinate& op, const Value&) const {
    return fmt::format("coordinate {}", names_.of(op.axis));
  }
  std::string spell_op(const Extent& op, const Value&) const {
    return fmt::format("extent {}", names_.of(op.size));
  }
  std::string spell_op(const ScalarArgument& op, const Value&) const {
    return fmt::format("argument {}", names_.of(op.scalar));
  }
  std::string spell_op(const Lookup& op, const Value&) const {
    return fmt::format("lookup {}[{}]", names_.of(op.table), names_.of(op.index));
  }
  std::string spell_op(const Load& op, const Value&) const {
    return fmt::format("load {}[{}]{}", names_.of(op.tensor), list(op.indices), in_bounds(op.in_bounds));
  }
  std::string spell_op(const ReadVariable& op, const Value&) const {
    return fmt::format("read {}", names_.of(op.variable));
  }
  std::string spell_op(const Unary& op, const Value&) const {
    return fmt::format("{} {}", spelling(op.op), names_.of(op.operand));
  }
  std::string spell_op(const Binary& op, const Value&) const {
    return fmt::format("{} {}, {}", spelling(op.op), names_.of(op.left), names_.of(op.right));
  }
  std::string spell_op(const FusedMultiplyAdd& op, const Value&) const {
    return fmt::format("fma {}, {}, {}{}{}", names_.of(op.a), names_.of(op.b), names_.of(op.c),
                       op.negate_product ? " negate_product" : "", op.negate_addend ? " negate_addend" : "");
  }
  std::string spell_op(const Math& op, const Value&) const {
    return fmt::format("{} {}", spelling(op.function), list(op.arguments));
  }
  std::string spell_op(const Cast& op, const Value&) const {
    return fmt::format("cast {}", names_.of(op.operand));
  }
  std::string spell_op(const Select& op, const Value&) const {
    return fmt::format("select {}, {}, {}", names_.of(op.condition), names_.of(op.if_true),
                       names_.of(op.if_false));
  }
  std::string spell_op(const Filter& op, const Value&) const {
    return fmt::format("filter {}, {}", names_.of(op.condition), names_.of(op.operand));
  }
  std::string spell_op(const Coalesce& op, const Value&) const {
    return fmt::format("coalesce {}, {}", names_.of(op.operand), names_.of(op.fallback));
  }
  std::string spell_op(const Reduce& op, const Value&) const {
    return fmt::format("{}[{}] {}", spelling(op.op), list(op.axes), names_.of(op.operand));
  }
  std::string spell_op(const Dot& op, const Value&) const {
    return fmt::format("dot[{}] {}, {}", list(op.axes), names_.of(op.left), names_.of(op.right));
  }
  std::string spell_op(const Pick& op, const Value&) const {
    return fmt::format("pick[{} = {}] {}", names_.of(op.axis), op.coordinate, names_.of(op.operand));
  }

  const Kernel& kernel_;
  Names names_;
  std::string text_;
  size_t depth_ = 0;
};

}  // namespace

std::string print(const Kernel& kernel) { return Printer(kernel).print(); }

std::string print(const Module& module) {
  std::string text;
  for (const Kernel& kernel : module.kernels) {
    if (!text.empty()) text += '\n';
    text += print(kernel);
  }
  return text;
}

}  // namespace tessera::ir
