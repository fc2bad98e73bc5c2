// SPDX-License-Identifier: Apache-2.0
// Products: which axes are contracted, in which type the factors meet and the terms are summed.
#include "sema/products.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "sema/conversion.h"
#include "sema/expressions.h"
#include "sema/folded_axes.h"
#include "sema/relations.h"
#include "sema/sizes.h"

namespace tessera::sema {

namespace {

using AxisList = std::vector<ir::AxisId>;

class Product {
 public:
  Product(Context& context, const ast::Call& node, Span span, Span name_span)
      : context_(context), node_(node), span_(span), name_span_(name_span) {}

  Operand of(const std::vector<Operand>& factors) {
    if (factors[0].is_poison() || factors[1].is_poison()) return poison(span_);
    const std::optional<DType> type = factor_type(factors);
    if (!type) return poison(span_);
    for (std::size_t i = 0; i < 2; ++i) {
      const std::optional<ir::ValueId> value = factor(factors[i], *type);
      if (!value) return poison(span_);
      written_[i] = node_.arguments[i].value;
      factors_[i] = with_declared_axes(context_, *value, written_[i], span_);
      spans_[i] = factors[i].span;
    }
    const std::optional<AxisList> axes = node_.axes ? named_axes() : shared_axes();
    if (!axes || !check_bounded(*axes)) return poison(span_);
    const bool unmet = refuse_unmet_relation(
        context_, {"dot", name_span_, {factors_[0], factors_[1]}, {spans_[0], spans_[1]}}, *axes);
    if (unmet) return poison(span_);
    observe_factors(context_, factors_[0], factors_[1], *axes);
    const DType sum = ir::sum_type(*type);
    if (!check_precision(*type, sum)) return poison(span_);
    if (const auto mode = mode_of_f32()) {
      for (ir::ValueId& factor : factors_)
        factor = context_.builder.add(ir::Unary{*mode, factor}, *type, span_);
    }
    return {context_.builder.add(ir::Dot{*axes, factors_[0], factors_[1]}, sum, span_), span_};
  }

 private:
  const AxisList& axes_of(std::size_t i) const { return context_.builder[factors_[i]].axes; }

  /// One type for both; the two kinds of fp8 meet in f16, which has all numbers of either.
  std::optional<DType> factor_type(const std::vector<Operand>& factors) {
    const std::optional<DType> left = own_type(context_, factors[0]), right = own_type(context_, factors[1]);
    if (left && right && is_fp8(*left) && is_fp8(*right) && *left != *right) return DType::f16;
    const bool are_values = factors[0].is_value() && factors[1].is_value();
    if (are_values && *left != *right) return different_types(factors, *left, *right);
    const std::optional<DType> type = meeting_type(context_, factors, Meeting::storage, name_span_);
    if (!type || !is_bool(*type)) return type;
    context_.sink.report(Diag::operator_type, name_span_, "dot", spelling(*type))
        .help("`count[k](a && b)` counts where both hold");
    return std::nullopt;
  }

  /// A type that has all numbers of both, as an example of what they may become.
  static DType suggested_type(DType left, DType right) {
    if (is_float(left) != is_float(right)) return is_float(left) ? left : right;
    if (is_float(left) && info(left).bits == info(right).bits) return DType::f32;
    const DType wider = info(left).bits >= info(right).bits ? left : right;
    if (is_float(left) || is_unsigned_integer(left) == is_unsigned_integer(right)) return wider;
    if (!is_unsigned_integer(wider) && info(left).bits != info(right).bits) return wider;
    constexpr std::array kSigned = {DType::i16, DType::i32, DType::i64};
    for (const DType type : kSigned)
      if (info(type).bits > info(wider).bits) return type;
    return DType::i64;
  }

  std::optional<DType> different_types(const std::vector<Operand>& factors, DType left, DType right) {
    const DType type = suggested_type(left, right);
    const char* which = type == left || type == right ? "the other one" : "both";
    auto report = context_.sink.report(Diag::mixed_types, name_span_, spelling(left), spelling(right));
    report.label(factors[0].span, "this is `{}`", spelling(left))
        .label(factors[1].span, "this is `{}`", spelling(right))
        .note("the factors of a product have one type, which chooses the instruction that multiplies them");
    const std::size_t wide = info(left).bits > info(right).bits ? 0 : 1;
    if (is_narrow_float(wide == 0 ? right : left) && is_computed_f32(factors[wide])) {
      suggest_rounding(report, wide, wide == 0 ? right : left);
    } else {
      report.help("convert {}: `(… as {})`", which, spelling(type));
    }
    return std::nullopt;
  }

  /// A result of arithmetic, which is `f32` because narrow floats compute so, rather than stored as such.
  bool is_computed_f32(const Operand& operand) const {
    const ir::Value& value = context_.builder[operand.value()];
    const bool is_stored = std::holds_alternative<ir::Load>(value.op) ||
                           std::holds_alternative<ir::ScalarArgument>(value.op) ||
                           std::holds_alternative<ir::Cast>(value.op);
    return value.dtype == DType::f32 && !is_stored;
  }

  /// The product of a product, and of what softmax makes of one: rounded, it meets the other factor in that one's type.
  void suggest_rounding(DiagnosticBuilder& report, std::size_t factor, DType type) const {
    const Span whole = context_.expr(node_.arguments[factor].value).span;
    report
        .fix({whole.file, whole.end, whole.end}, fmt::format(" as {}", spelling(type)),
             fmt::format("say where it is rounded: `as {}`", spelling(type)))
        .help(
            "`(… as f32)` of the other one keeps the first as it is and multiplies in `f32`, which is "
            "slower");
  }

  std::optional<ir::ValueId> factor(const Operand& operand, DType type) {
    const std::optional<DType> own = own_type(context_, operand);
    if (!own || *own == type || !operand.is_value()) return materialize(context_, operand, type);
    if (is_fp8(*own))  // nobody has written this conversion
      return context_.builder.add(ir::Cast{operand.value(), true}, type, operand.span);
    return context_.builder.cast(operand.value(), type, operand.span);
  }

  std::optional<AxisList> named_axes() {
    const std::string callee = "dot";
    std::optional<AxisList> axes;
    for (std::size_t i = 0; i < 2; ++i) {
      axes = folded_axes(context_, {callee, name_span_, factors_[i], spans_[i], written_[i]}, *node_.axes);
      if (!axes) return std::nullopt;
    }
    return axes;
  }

  std::optional<AxisList> shared_axes() {
    AxisList shared;
    std::ranges::set_intersection(axes_of(0), axes_of(1), std::back_inserter(shared));
    if (shared.empty()) return nothing_shared();
    for (const ir::AxisId id : shared) {
      const ir::Axis& axis = context_.kernel.axes[id];
      if (axis.kind != ir::AxisKind::grid) continue;
      context_.sink.report(Diag::contracts_grid_axis, name_span_, axis.name)
          .label(axis.span, "`{}` is an axis of the grid: each instance has its own part of it", axis.name)
          .label(spans_[0], "this has {}", describe_axes(context_, axes_of(0)))
          .label(spans_[1], "this has {}", describe_axes(context_, axes_of(1)))
          .help("{}", how_to_name(shared));
      return std::nullopt;
    }
    return shared;
  }

  /// What to sum instead of everything that is shared, some of it axes of the grid.
  std::string how_to_name(const AxisList& shared) const {
    AxisList inner = shared;
    std::erase_if(inner, [&](ir::AxisId id) { return context_.kernel.axes[id].kind == ir::AxisKind::grid; });
    if (!inner.empty()) {
      return fmt::format("name what is summed, and the other shared axes stay: `dot[{}](…)`",
                         context_.spell(inner));
    }
    const bool all_semantic = std::ranges::all_of(
        shared, [&](ir::AxisId id) { return context_.kernel.axes[id].step == ir::StepKind::semantic; });
    if (all_semantic) {
      return fmt::format("name it if each instance shall sum its own part: `dot[{}](…)`",
                         context_.spell(shared));
    }
    return fmt::format(
        "leave `{}` out of the grid, and sum over `:`, or over a `for` range; nothing is summed by `a * b`",
        context_.spell(shared));
  }

  std::optional<AxisList> nothing_shared() {
    auto report = context_.sink.report(Diag::nothing_to_contract, name_span_);
    report.label(spans_[0], "this has {}", describe_axes(context_, axes_of(0)))
        .label(spans_[1], "this has {}", describe_axes(context_, axes_of(1)));
    for (const ir::AxisId left : axes_of(0)) {
      for (const ir::AxisId right : axes_of(1)) {
        const ir::Axis &a = context_.kernel.axes[left], &b = context_.kernel.axes[right];
        if (!a.dimension || a.dimension != b.dimension) continue;
        report
            .note("`{}` and `{}` are two ranges over `{}`: an axis is a range, not a dimension", a.name,
                  b.name, context_.kernel.symbols[*a.dimension].name)
            .help("index both factors with one of them");
        return std::nullopt;
      }
    }
    if (const std::optional<ir::AxisId> scalar = shared_scalar()) {
      const ir::Axis& axis = context_.kernel.axes[*scalar];
      report.label(axis.span, "`{}` has no `by`: it takes one value at a time", axis.name)
          .help("`by auto` makes it an axis, and `dot` sums a tile at a time");
    } else {
      report.help("index both factors with the range to sum over: `dot(a[m, k], b[k, n])`");
    }
    return std::nullopt;
  }

  /// A range of a loop that takes one value at a time and stands in both factors.
  std::optional<ir::AxisId> shared_scalar() const {
    const std::set<ir::AxisId> left = loops_below(factors_[0]), right = loops_below(factors_[1]);
    for (const ir::AxisId id : left)
      if (right.contains(id)) return id;
    return std::nullopt;
  }

  std::set<ir::AxisId> loops_below(ir::ValueId value) const {
    std::set<ir::AxisId> found;
    std::set<ir::ValueId> visited;
    std::vector<ir::ValueId> work{value};
    while (!work.empty()) {
      const ir::ValueId id = work.back();
      work.pop_back();
      if (!visited.insert(id).second) continue;
      const ir::Op& op = context_.builder[id].op;
      if (const auto* coordinate = std::get_if<ir::Coordinate>(&op)) {
        const ir::Axis& axis = context_.kernel.axes[coordinate->axis];
        if (!axis.is_tile() && axis.kind == ir::AxisKind::loop) found.insert(coordinate->axis);
      }
      for (const ir::ValueId operand : ir::operands_of(op)) work.push_back(operand);
    }
    return found;
  }

  /// R19: an operand's tile has bounded axes, those that are summed excepted.
  bool check_bounded(const AxisList& contracted) {
    for (std::size_t i = 0; i < 2; ++i) {
      for (const ir::AxisId id : axes_of(i)) {
        const bool is_contracted = std::ranges::find(contracted, id) != contracted.end();
        if (is_contracted || is_bounded(context_, id)) continue;
        report_unbounded(i, id);
        return false;
      }
    }
    return true;
  }

  void report_unbounded(std::size_t factor, ir::AxisId id) {
    const ir::Axis& axis = context_.kernel.axes[id];
    auto report = context_.sink.report(Diag::unbounded_factor, spans_[factor], axis.name);
    report.label(axis.span, "`{}` comes from here", axis.name)
        .note("the factors lie in tiles on the chip, so each of their axes that is not summed has a bound");
    if (axis.dimension) {
      const std::string& symbol = context_.kernel.symbols[*axis.dimension].name;
      report.help(
          "go over `{0}` in tiles, with a range in the grid or a `for` and `by auto`, or bound it: `where "
          "{0} <= 256`",
          symbol);
    } else {
      report.help("go over it in tiles, with a range in the grid or a `for` and `by auto`");
    }
  }

  /// How factors of f32 are multiplied, where that is stated and not as they are.
  std::optional<ir::UnaryOp> mode_of_f32() const {
    if (context_.precision.multiply == "tf32") return ir::UnaryOp::round_tf32;
    if (context_.precision.multiply == "f32_split") return ir::UnaryOp::split;
    return std::nullopt;
  }

  /// What `precision(multiply = …, accumulate = …)` says must be what happens (R27).
  bool check_precision(DType factor, DType sum) {
    const Precision& precision = context_.precision;
    const bool is_of_f32 = mode_of_f32().has_value();
    if (!precision.multiply.empty() && precision.multiply != spelling(factor) &&
        !(is_of_f32 && factor == DType::f32)) {
      auto report =
          context_.sink.report(Diag::multiply_type, name_span_, precision.multiply, spelling(factor));
      report.label(precision.multiply_span, "`multiply` is stated here")
          .label(spans_[0], "this is `{}`", spelling(factor));
      if (is_of_f32 && is_narrow_float(factor)) {
        report.help("leave `multiply` out: factors of `{}` are multiplied as they are", spelling(factor));
      } else if (is_float(factor)) {
        report.help("convert the factors: `(… as {})`", is_of_f32 ? "f32" : precision.multiply);
      }
      return false;
    }
    if (!precision.accumulate || *precision.accumulate == sum) return true;
    context_.sink.report(Diag::accumulate_type, name_span_, spelling(*precision.accumulate), spelling(sum))
        .label(precision.accumulate_span, "`accumulate` is stated here")
        .label(spans_[0], "factors of `{}` are summed in `{}`", spelling(factor), spelling(sum));
    return false;
  }

  Context& context_;
  const ast::Call& node_;
  Span span_, name_span_;
  ir::ValueId factors_[2];
  ast::ExprId written_[2];
  Span spans_[2];
};

}  // namespace

Operand check_dot(Context& context, const ast::Call& node, const std::vector<Operand>& factors, Span span,
                  Span name_span) {
  if (factors.size() != 2) {
    auto report = context.sink.report(Diag::wrong_argument_count, span, "dot", 2, "s", factors.size());
    if (factors.size() > 2) {
      report
          .help("products one after another are `dot(dot(a, b) as bf16, c)`, which says where it is rounded")
          .help("a weight along the same axis belongs to a factor: `dot(a * w as bf16, b)`");
    }
    return poison(span);
  }
  return Product(context, node, span, name_span).of(factors);
}

}  // namespace tessera::sema
