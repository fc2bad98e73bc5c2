// SPDX-License-Identifier: Apache-2.0
// Tracks -inf from `where(c, a, -inf)` or `a ?? -inf` to a difference with its maximum.
#include "sema/prove/masks.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::sema {

namespace {

class MaskTracker {
 public:
  explicit MaskTracker(Context& context)
      : context_(context), kernel_(context.kernel), states_(kernel_.values.size()) {}

  void run() {
    for (std::size_t i = 0; i < kernel_.values.size(); ++i) visit(kernel_.values.id_at(i));
  }

 private:
  /// The mask that a value carries element by element, and the one whose maximum it is.
  struct State {
    ir::ValueId masked, maximum;
  };

  bool is_minus_infinity(ir::ValueId value) const {
    const auto* constant = std::get_if<ir::Constant>(&kernel_.values[value].op);
    return constant != nullptr && constant->value.real == -std::numeric_limits<double>::infinity() &&
           is_float(kernel_.values[value].dtype);
  }

  bool makes_mask(const ir::Value& value) const {
    if (value.axes.empty()) return false;
    if (const auto* select = std::get_if<ir::Select>(&value.op)) {
      return is_minus_infinity(select->if_true) || is_minus_infinity(select->if_false);
    }
    const auto* coalesce = std::get_if<ir::Coalesce>(&value.op);
    return coalesce != nullptr && is_minus_infinity(coalesce->fallback);
  }

  void visit(ir::ValueId id) {
    const ir::Value& value = kernel_.values[id];
    State& state = states_[id.index()];
    for (const ir::ValueId operand : ir::operands_of(value.op)) {
      const State& from = states_[operand.index()];
      if (!state.masked.valid()) state.masked = from.masked;
      if (!state.maximum.valid()) state.maximum = from.maximum;
    }
    if (makes_mask(value)) state.masked = id;
    if (const auto* reduce = std::get_if<ir::Reduce>(&value.op)) {
      const ir::ValueId mask = states_[reduce->operand.index()].masked;
      state = {};
      if (reduce->op == ir::ReduceOp::max) state.maximum = mask;
    }
    const auto* binary = std::get_if<ir::Binary>(&value.op);
    if (binary == nullptr || binary->op != ir::BinaryOp::subtract) return;
    const ir::ValueId masked = states_[binary->left.index()].masked;
    if (masked.valid() && masked == states_[binary->right.index()].maximum) warn(masked, value.span);
    state = {};
  }

  void warn(ir::ValueId masked, Span difference) {
    context_.sink.report(Diag::infinite_mask, kernel_.values[masked].span)
        .label(difference, "where everything is masked this is -inf - -inf, which is NaN")
        .note("`where(c, a)` without a third argument leaves out what is masked, and reductions skip it");
  }

  Context& context_;
  ir::Kernel& kernel_;
  std::vector<State> states_;
};

}  // namespace

void warn_infinite_masks(Context& context) { MaskTracker(context).run(); }

}  // namespace tessera::sema
