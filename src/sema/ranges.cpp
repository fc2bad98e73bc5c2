// SPDX-License-Identifier: Apache-2.0
// Ranges: their bounds, steps and what they may index.
#include "sema/ranges.h"

#include <cctype>

#include "sema/constants.h"
#include "sema/relations.h"
#include "sema/sizes.h"

namespace tessera::sema {

namespace {

struct Bounds {
  ir::SizeId lower, upper;
  std::optional<ir::SizeId> dimension;  ///< what a bare use may index (R4)
  std::optional<ir::SymbolId> symbol;   ///< set when it is a whole dimension
};

class RangeReader {
 public:
  RangeReader(Context& context, const ast::Range& range, ir::AxisKind kind)
      : context_(context), range_(range), kind_(kind) {}

  std::optional<ir::AxisId> declare() {
    const std::optional<Bounds> bounds =
        std::visit([this](const auto& d) { return of(d); }, range_.domain.node);
    ir::Axis axis;
    const bool step_good = read_step(axis) && check_case();
    if (!bounds || !step_good) {
      context_.declare(range_.name, ErrorEntity{});
      return std::nullopt;
    }
    axis.name = range_.name.text;
    axis.kind = kind_;
    axis.lower = bounds->lower;
    axis.upper = bounds->upper;
    axis.dimension = bounds->symbol;
    axis.span = range_.span;
    const ir::AxisId id = context_.kernel.axes.add(std::move(axis));
    context_.declare(range_.name, RangeEntity{id, bounds->dimension});
    check_relation(context_, range_, id);
    return id;
  }

 private:
  ir::SizeTable& sizes() { return context_.kernel.sizes; }

  /// A dimension, a literal, or a size made of them.
  std::optional<Bounds> of(const ast::WholeDomain& domain) {
    if (refuse_range(domain.extent) || refuse_data({}, domain.extent)) return std::nullopt;
    const std::optional<ir::SizeId> extent = size_of(context_, domain.extent);
    if (!extent) return std::nullopt;
    return Bounds{sizes().constant(0), *extent, *extent, sizes().as_symbol(*extent)};
  }

  /// `Dim[lo .. hi]`, clipped to the dimension.
  std::optional<Bounds> of(const ast::PartDomain& domain) {
    Entity* entity = use_name(context_, domain.dimension.text, domain.dimension.span);
    if (entity == nullptr) return std::nullopt;
    const auto* symbol = std::get_if<SymbolEntity>(&entity->node);
    if (symbol == nullptr) {
      context_.sink.report(Diag::not_a_dimension, domain.dimension.span, domain.dimension.text)
          .label(entity->span, "`{}` is {} here", domain.dimension.text, describe(*entity));
      return std::nullopt;
    }
    const ir::SizeId whole = sizes().symbol(symbol->id);
    if (refuse_data(domain.lo, domain.hi)) return std::nullopt;
    const std::optional<ir::SizeId> lower = size_of(context_, domain.lo),
                                    upper = size_of(context_, domain.hi);
    if (!lower || !upper) return std::nullopt;
    return Bounds{sizes().maximum(*lower, sizes().constant(0)), sizes().minimum(*upper, whole), whole,
                  std::nullopt};
  }

  std::optional<Bounds> of(const ast::BoundsDomain& domain) {
    if (refuse_data(domain.lo, domain.hi)) return std::nullopt;
    const std::optional<ir::SizeId> lower = size_of(context_, domain.lo),
                                    upper = size_of(context_, domain.hi);
    if (!lower || !upper) return std::nullopt;
    return Bounds{*lower, *upper, std::nullopt, std::nullopt};
  }

  /// A range over a range.
  bool refuse_range(ast::ExprId id) {
    const auto* name = std::get_if<ast::NameRef>(&context_.expr(id).node);
    const Entity* entity = name != nullptr ? context_.scope.find(name->name) : nullptr;
    if (entity == nullptr || !std::holds_alternative<RangeEntity>(entity->node)) return false;
    not_implemented(context_.sink, context_.expr(id).span, "a range over a range", "R5");
    return true;
  }

  /// Bounds that are known only when the kernel runs. Of a domain without two bounds the lower one is not valid.
  bool refuse_data(ast::ExprId lo, ast::ExprId hi) {
    const bool is_data =
        find_below(lo, &RangeReader::is_data) != nullptr || find_below(hi, &RangeReader::is_data) != nullptr;
    const Entity* lower = find_below(lo, &RangeReader::is_range);
    const Entity* upper = find_below(hi, &RangeReader::is_range);
    if (is_data) {
      not_implemented(context_.sink, range_.domain.span, "a bound of a range that is data", "R5");
    } else if (lower != nullptr || upper != nullptr) {
      refuse_moving(lower, upper, lower != nullptr ? lo : hi);
    }
    return is_data || lower != nullptr || upper != nullptr;
  }

  /// `K[128 * g .. 128 * g + 128]` is a part that moves with another range; one end that moves alone is a relation.
  void refuse_moving(const Entity* lower, const Entity* upper, ast::ExprId moving) {
    const ir::AxisId id = std::get<RangeEntity>((lower != nullptr ? lower : upper)->node).axis;
    const ir::Axis& axis = context_.kernel.axes[id];
    auto report = context_.sink.report(
        Diag::not_implemented, range_.domain.span,
        fmt::format("a bound of a range that depends on the range `{}`", axis.name), "R5");
    report.label(axis.span, "`{}` comes from here", axis.name);
    const std::string& name = range_.name.text;
    if (lower != nullptr && upper != nullptr) {
      report.help(
          "let `{0}` run over the length of the part, and add where the part begins to the index: `x[… + "
          "{0}]`",
          name);
    } else {
      const auto* bound = std::get_if<ast::NameRef>(&context_.expr(moving).node);
      report.help("let `{0}` run over all that it may be, and relate it: `where {0} {1} {2}`", name,
                  lower != nullptr ? ">=" : "<", bound != nullptr ? bound->name : "…");
    }
  }

  /// What a name in the expression stands for, if it is such; null where none is.
  const Entity* find_below(ast::ExprId id, bool (RangeReader::*is_such)(const Entity&) const) const {
    if (!id.valid()) return nullptr;
    const auto in = [&](ast::ExprId below) { return find_below(below, is_such); };
    const ast::ExprNode& node = context_.expr(id).node;
    if (const auto* unary = std::get_if<ast::Unary>(&node)) return in(unary->operand);
    if (const auto* cast = std::get_if<ast::Cast>(&node)) return in(cast->operand);
    if (const auto* index = std::get_if<ast::Index>(&node)) return in(index->base);
    if (const auto* binary = std::get_if<ast::Binary>(&node)) {
      const Entity* left = in(binary->left);
      return left != nullptr ? left : in(binary->right);
    }
    if (const auto* call = std::get_if<ast::Call>(&node)) {
      for (const ast::Argument& argument : call->arguments)
        if (const Entity* found = in(argument.value)) return found;
    }
    const auto* name = std::get_if<ast::NameRef>(&node);
    const Entity* entity = name != nullptr ? context_.scope.find(name->name) : nullptr;
    return entity != nullptr && (this->*is_such)(*entity) ? entity : nullptr;
  }

  bool is_range(const Entity& entity) const { return std::holds_alternative<RangeEntity>(entity.node); }

  bool is_data(const Entity& entity) const {
    if (const auto* value = std::get_if<ValueEntity>(&entity.node)) {
      const Operand& operand = value->operand;
      return operand.is_value() && !std::holds_alternative<ir::Extent>(context_.builder[operand.value()].op);
    }
    return std::holds_alternative<TensorEntity>(entity.node) ||
           std::holds_alternative<ScalarEntity>(entity.node) ||
           std::holds_alternative<VariableEntity>(entity.node);
  }

  /// Upper case is for dimensions, so that `max[C]` and `max[c]` are told apart at sight (R2).
  bool check_case() {
    const std::string& name = range_.name.text;
    if (std::isupper(static_cast<unsigned char>(name[0])) == 0) return true;
    std::string lower = name;
    lower[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(name[0])));
    context_.sink.report(Diag::range_upper_case, range_.name.span, name)
        .note("dimension symbols start upper case, ranges lower case")
        .fix(range_.name.span, lower, fmt::format("name it `{}`", lower));
    return false;
  }

  bool read_step(ir::Axis& axis) {
    if (std::holds_alternative<ast::NoStep>(range_.step)) return true;
    if (std::holds_alternative<ast::AutoStep>(range_.step)) {
      axis.step = ir::StepKind::plan;
      return true;
    }
    return read_step_expression(axis, std::get<ast::ExprId>(range_.step));
  }

  bool read_step_expression(ir::Axis& axis, ast::ExprId id) {
    const ast::Expr& expr = context_.expr(id);
    if (std::holds_alternative<ast::ErrorExpr>(expr.node)) return false;
    const auto* name = std::get_if<ast::NameRef>(&expr.node);
    const bool declared = name != nullptr && context_.scope.find(name->name) != nullptr;
    if (name != nullptr && !declared && context_.plan_parameters.contains(name->name)) {
      axis.step = ir::StepKind::plan;
      axis.step_name = name->name;
      const auto tile = context_.tiles.find(name->name);
      if (tile != context_.tiles.end()) {
        axis.step_size = tile->second.size;
        axis.step_span = tile->second.value_span;
        tile->second.used = true;
      }
      return true;
    }
    const std::optional<std::int64_t> step = constant_integer(context_, id, "a step");
    if (!step) return false;
    if (*step < 1) {
      context_.sink.report(Diag::step_not_positive, expr.span, *step);
      return false;
    }
    axis.step = ir::StepKind::semantic;
    axis.step_size = *step;
    axis.step_span = expr.span;
    return true;
  }

  Context& context_;
  const ast::Range& range_;
  ir::AxisKind kind_;
};

void collect_from(Context& context, const std::vector<ast::Range>& ranges) {
  for (const ast::Range& range : ranges) {
    const auto* step = std::get_if<ast::ExprId>(&range.step);
    const auto* name = step != nullptr ? std::get_if<ast::NameRef>(&context.expr(*step).node) : nullptr;
    if (name != nullptr && context.scope.find(name->name) == nullptr)
      context.plan_parameters.insert(name->name);
  }
}

}  // namespace

std::optional<ir::AxisId> declare_range(Context& context, const ast::Range& range, ir::AxisKind kind) {
  return RangeReader(context, range, kind).declare();
}

void collect_plan_parameters(Context& context, const ast::Block& body) {
  for (const ast::StmtId id : body.statements) {
    const ast::StmtNode& node = context.file[id].node;
    if (const auto* grid = std::get_if<ast::GridStmt>(&node)) {
      collect_from(context, grid->ranges);
      collect_plan_parameters(context, grid->body);
    } else if (const auto* loop = std::get_if<ast::ForStmt>(&node)) {
      collect_from(context, loop->ranges);
      collect_plan_parameters(context, loop->body);
    } else if (const auto* unrolled = std::get_if<ast::StaticForStmt>(&node)) {
      collect_plan_parameters(context, unrolled->body);
    }
  }
}

void check_tiles_used(Context& context) {
  for (const auto& [name, tile] : context.tiles) {
    if (tile.used) continue;
    auto report = context.sink.report(Diag::tile_name_unused, tile.span, tile.annotation, name);
    std::vector<std::string> steps;  // that nothing sets
    for (const std::string& step : context.plan_parameters)
      if (!context.tiles.contains(step)) steps.push_back(step);
    if (steps.size() == 1) {
      const Span name_span{tile.span.file, tile.span.begin,
                           tile.span.begin + static_cast<std::uint32_t>(name.size())};
      report.fix(name_span, steps[0], fmt::format("did you mean `{}`?", steps[0]));
    }
    report.note("`@{}` binds the names of plan steps: `for k in K by {}`", tile.annotation, name);
  }
}

}  // namespace tessera::sema
