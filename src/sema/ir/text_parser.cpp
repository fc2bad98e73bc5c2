// SPDX-License-Identifier: Apache-2.0
// Reads the text form of the IR: a recursive descent in the order of text_printer.cpp.
#include <fmt/format.h>

#include "base/limits.h"
#include "sema/ir/text.h"
#include "sema/ir/text_lexer.h"
#include "sema/ir/text_ops.h"
#include "sema/ir/text_scope.h"

namespace tessera::ir {

namespace {

class KernelReader {
 public:
  explicit KernelReader(Lexer& lexer) : lexer_(lexer), scope_(lexer, kernel_) {}

  Kernel read() {
    const Span begin = lexer_.peek().span;
    lexer_.expect("kernel");
    kernel_.name = lexer_.name("the name of a kernel");
    lexer_.expect("as");
    kernel_.c_name = lexer_.name("the name of its functions");
    kernel_.span = merge(begin, lexer_.peek().span);
    lexer_.expect("{");
    while (!lexer_.at_end() && !lexer_.is("}")) read_item();
    lexer_.expect("}");
    return std::move(kernel_);
  }

 private:
  void read_item() {
    const Token token = lexer_.next();
    const std::string_view word = token.spelling;
    if (word == "generics") {
      kernel_.generics = lexer_.text();
    } else if (word == "doc") {
      kernel_.doc = lexer_.text();
    } else if (word == "symbol") {
      read_symbol();
    } else if (word == "in" || word == "out") {
      read_tensor(word == "out");
    } else if (word == "scalar") {
      read_scalar();
    } else if (word == "table") {
      read_table();
    } else if (word == "axis") {
      read_axis();
    } else if (word == "variable") {
      read_variable();
    } else if (word == "where") {
      kernel_.constraints.push_back(read_constraint());
    } else if (word == "tiling") {
      read_tiling(token.span);
    } else if (word == "tuning") {
      read_tuning(token.span);
    } else if (word == "@") {
      kernel_.requests.push_back(read_request(token.span));
    } else if (word == "verify") {
      read_bound();
    } else if (word == "grid") {
      read_grid(token.span);
    } else {
      lexer_.fail(token.span, fmt::format("a line of a kernel cannot begin with `{}`", word));
    }
  }

  /// `verify max_rel = 0.01`.
  void read_bound() {
    const bool relative = lexer_.accept("max_rel");
    if (!relative && !lexer_.accept("max_abs")) lexer_.fail_expected("`max_rel` or `max_abs`");
    lexer_.expect("=");
    (relative ? kernel_.max_relative_error : kernel_.max_absolute_error) =
        read_literal(lexer_, DType::f64).real;
  }

  std::vector<int64_t> read_integers(std::string_view open, std::string_view close) {
    std::vector<int64_t> values;
    lexer_.expect(open);
    if (lexer_.accept(close)) return values;
    do values.push_back(lexer_.integer());
    while (lexer_.accept(","));
    lexer_.expect(close);
    return values;
  }

  void read_symbol() {
    Symbol symbol;
    const Token name = lexer_.peek();
    symbol.span = name.span;
    symbol.name = scope_.declared_name("the name of a symbol");
    if (lexer_.accept("among")) symbol.allowed = read_integers("{", "}");
    if (lexer_.accept("minimum")) symbol.minimum = lexer_.integer();
    if (lexer_.accept("maximum")) symbol.maximum = lexer_.integer();
    scope_.bind(name, kernel_.symbols.add(std::move(symbol)));
  }

  void read_tensor(bool is_output) {
    Tensor tensor;
    const Token name = lexer_.peek();
    tensor.span = name.span;
    tensor.name = scope_.declared_name("the name of a tensor");
    lexer_.expect(":");
    tensor.dtype = scope_.dtype();
    lexer_.expect("[");
    if (!lexer_.is("]")) {
      do tensor.dims.push_back(scope_.size());
      while (lexer_.accept(","));
    }
    lexer_.expect("]");
    tensor.is_output = is_output;
    tensor.periodic = lexer_.accept("periodic");
    const TensorId id = kernel_.tensors.add(std::move(tensor));
    kernel_.parameters.push_back(id);
    scope_.bind(name, id);
  }

  void read_scalar() {
    Scalar scalar;
    const Token name = lexer_.peek();
    scalar.span = name.span;
    scalar.name = scope_.declared_name("the name of a scalar");
    lexer_.expect(":");
    scalar.dtype = scope_.dtype();
    if (lexer_.accept("=")) scalar.initial = read_literal(lexer_, scalar.dtype);
    const ScalarId id = kernel_.scalars.add(std::move(scalar));
    kernel_.parameters.push_back(id);
    scope_.bind(name, id);
  }

  void read_table() {
    Table table;
    const Token name = lexer_.peek();
    table.name = scope_.declared_name("the name of a table");
    lexer_.expect(":");
    table.dtype = scope_.dtype();
    lexer_.expect("=");
    lexer_.expect("[");
    if (!lexer_.is("]")) {
      do table.elements.push_back(read_literal(lexer_, table.dtype));
      while (lexer_.accept(","));
    }
    lexer_.expect("]");
    scope_.bind(name, kernel_.tables.add(std::move(table)));
  }

  AxisKind read_axis_kind() {
    if (lexer_.accept("grid")) return AxisKind::grid;
    if (lexer_.accept("loop")) return AxisKind::loop;
    if (!lexer_.accept("let")) lexer_.fail_expected("`grid`, `loop` or `let`");
    return AxisKind::let;
  }

  void read_axis() {
    Axis axis;
    const Token name = lexer_.peek();
    axis.span = name.span;
    axis.name = scope_.declared_name("the name of an axis");
    lexer_.expect(":");
    axis.kind = read_axis_kind();
    axis.lower = scope_.size();
    lexer_.expect("..");
    axis.upper = scope_.size();
    if (lexer_.accept("by")) read_step(axis);
    if (lexer_.accept("over")) axis.dimension = scope_.symbol();
    const AxisId id = kernel_.axes.add(std::move(axis));
    scope_.bind(name, id);
    while (lexer_.accept("related")) {  // it may name the axis itself
      const Conjunct conjunct = read_conjunct();
      if (!lexer_.failed()) kernel_.axes[id].relation.push_back(conjunct);
    }
  }

  Conjunct read_conjunct() {
    Conjunct conjunct;
    lexer_.expect("[");
    conjunct.form.offset = scope_.size();
    lexer_.expect(";");
    while (!lexer_.failed() && !lexer_.is(";")) {
      const SizeId coefficient = scope_.size();
      conjunct.form.terms.emplace_back(scope_.axis(), coefficient);
      if (!lexer_.accept(",")) break;
    }
    lexer_.expect(";");
    while (!lexer_.failed() && !lexer_.is("]")) {
      const SizeId coefficient = scope_.size();
      conjunct.scalars.emplace_back(scope_.scalar(), coefficient);
      if (!lexer_.accept(",")) break;
    }
    lexer_.expect("]");
    if (lexer_.accept("%")) conjunct.modulus = lexer_.integer();
    conjunct.sign = read_sign();
    if (lexer_.integer() != 0) lexer_.fail_expected("0");
    return conjunct;
  }

  Sign read_sign() {
    if (lexer_.accept(">=")) return Sign::at_least_zero;
    if (lexer_.accept("==")) return Sign::zero;
    if (!lexer_.accept("!=")) lexer_.fail_expected("`>=`, `==` or `!=`");
    return Sign::not_zero;
  }

  void read_step(Axis& axis) {
    if (lexer_.peek().kind == Token::Kind::number) {
      axis.step = StepKind::semantic;
      axis.step_size = lexer_.integer();
      return;
    }
    axis.step = StepKind::plan;
    axis.step_name = lexer_.name("a step");
    if (axis.step_name == "auto") axis.step_name.clear();
    if (lexer_.accept("=")) axis.step_size = lexer_.integer();
  }

  void read_variable() {
    Variable variable;
    const Token name = lexer_.peek();
    variable.span = name.span;
    variable.name = scope_.declared_name("the name of a variable");
    lexer_.expect(":");
    variable.dtype = scope_.dtype();
    variable.axes = scope_.axes();
    scope_.bind(name, kernel_.variables.add(std::move(variable)));
  }

  Relation read_relation() {
    constexpr std::pair<std::string_view, Relation> kRelations[] = {
        {"==", Relation::equal},      {"!=", Relation::not_equal}, {"<", Relation::less},
        {"<=", Relation::less_equal}, {">", Relation::greater},    {">=", Relation::greater_equal},
        {"in", Relation::member}};
    for (const auto& [spelling, relation] : kRelations) {
      if (lexer_.accept(spelling)) return relation;
    }
    lexer_.fail_expected("a relation");
    return Relation::equal;
  }

  Constraint read_constraint() {
    Constraint constraint;
    constraint.span = lexer_.peek().span;
    constraint.left = scope_.size();
    constraint.relation = read_relation();
    if (constraint.relation == Relation::member) {
      constraint.values = read_integers("{", "}");
    } else {
      constraint.right = scope_.size();
    }
    constraint.implied = lexer_.accept("implied");
    constraint.text = lexer_.text();
    return constraint;
  }

  void read_tiling(Span at) {
    Tiling tiling{.settings = {}, .when = {}, .architectures = {}, .span = at};
    do {
      const Span span = lexer_.peek().span;
      std::string name = lexer_.name("the name of a plan parameter");
      lexer_.expect("=");
      tiling.settings.push_back({std::move(name), lexer_.integer(), span});
    } while (lexer_.accept(","));
    while (lexer_.accept("on")) tiling.architectures.push_back(lexer_.name("the name of an architecture"));
    while (lexer_.accept("when")) tiling.when.push_back(read_constraint());
    kernel_.tilings.push_back(std::move(tiling));
  }

  void read_tuning(Span at) {
    TuningSpace space{.names = {}, .members = {}, .span = at};
    do space.names.push_back(lexer_.name("the name of a plan parameter"));
    while (lexer_.accept(","));
    lexer_.expect(":");
    do {
      space.members.push_back(read_integers("{", "}"));
      if (space.members.back().size() != space.names.size()) lexer_.fail_expected("a value for each name");
    } while (!lexer_.failed() && lexer_.accept(","));
    kernel_.tuning = std::move(space);
  }

  void read_arguments(Request& request) {
    lexer_.expect("(");
    if (lexer_.peek().kind == Token::Kind::name) {
      request.parameter = lexer_.name("a plan parameter");
      if (lexer_.accept("=")) request.arguments.push_back(lexer_.integer());
      return lexer_.expect(")");
    }
    if (lexer_.accept(")")) return;
    do request.arguments.push_back(lexer_.integer());
    while (lexer_.accept(","));
    lexer_.expect(")");
  }

  Request read_request(Span at) {
    Request request;
    request.name = lexer_.name("the name of an annotation");
    read_arguments(request);
    request.span = merge(at, lexer_.peek().span);
    return request;
  }

  void read_grid(Span begin) {
    Grid grid;
    grid.span = begin;
    if (lexer_.peek().kind == Token::Kind::name) grid.axes = scope_.axis_list();
    while (lexer_.is("@")) {
      const Span at = lexer_.next().span;
      grid.requests.push_back(read_request(at));
    }
    grid.body = read_block();
    kernel_.grids.push_back(std::move(grid));
  }

  Block read_block() {
    Block block;
    if (++depth_ > limits::kNestingDepth) lexer_.fail(lexer_.peek().span, "blocks are nested too deep");
    lexer_.expect("{");
    while (!lexer_.at_end() && !lexer_.is("}")) block.push_back(read_statement());
    lexer_.expect("}");
    --depth_;
    return block;
  }

  Statement read_statement() {
    Statement statement;
    statement.span = lexer_.peek().span;
    if (lexer_.peek().kind == Token::Kind::value) {
      statement.node = read_define();
    } else if (lexer_.accept("declare")) {
      const VariableId variable = scope_.variable();
      lexer_.expect("=");
      statement.node = Declare{variable, scope_.value()};
    } else if (lexer_.accept("assign")) {
      statement.node = read_assign();
    } else if (lexer_.accept("write")) {
      statement.node = read_write();
    } else if (lexer_.accept("for")) {
      const AxisId axis = scope_.axis();
      statement.node = Loop{axis, read_block()};
    } else {
      lexer_.fail_expected("a statement");
    }
    return statement;
  }

  Define read_define() {
    const Span span = lexer_.peek().span;
    const ValueId id = scope_.defined_value();
    Value value;
    value.span = span;
    if (!lexer_.is(":")) value.name = lexer_.name("a name or `:`");
    lexer_.expect(":");
    value.dtype = scope_.dtype();
    value.axes = scope_.axes();
    value.total = !lexer_.accept("?");
    lexer_.expect("=");
    value.op = read_op(lexer_, scope_, value.dtype);
    if (!lexer_.failed()) kernel_.values[id] = std::move(value);
    return {id};
  }

  Assign read_assign() {
    Assign assign;
    assign.variable = scope_.variable();
    if (lexer_.accept("[")) {
      do {
        const AxisId axis = scope_.axis();
        lexer_.expect("=");
        assign.picks.emplace_back(axis, lexer_.integer());
      } while (lexer_.accept(","));
      lexer_.expect("]");
    }
    lexer_.expect("=");
    assign.value = scope_.value();
    return assign;
  }

  Write read_write() {
    Write write;
    write.tensor = scope_.tensor();
    write.indices = read_indices(lexer_, scope_);
    lexer_.expect("=");
    write.value = scope_.value();
    write.in_bounds = read_in_bounds(lexer_);
    return write;
  }

  Lexer& lexer_;
  Kernel kernel_;
  TextScope scope_;
  size_t depth_ = 0;
};

}  // namespace

std::optional<Module> parse(const SourceFile& source, DiagnosticSink& sink) {
  Lexer lexer(source, sink);
  Module module;
  while (!lexer.at_end()) module.kernels.push_back(KernelReader(lexer).read());
  if (lexer.failed()) return std::nullopt;
  return module;
}

}  // namespace tessera::ir
