// SPDX-License-Identifier: Apache-2.0
// The proofs about a kernel, and how their failures are told.
#include "sema/prove/legality.h"

#include <algorithm>
#include <optional>

#include "sema/prove/coverage.h"
#include "sema/prove/injectivity.h"
#include "sema/prove/masks.h"
#include "sema/prove/presence.h"
#include "sema/relations.h"

namespace tessera::sema {

std::vector<Store> stores_to(Prover& prover, const ir::Grid& grid, ir::TensorId tensor) {
  std::vector<Store> stores;
  std::vector<ir::AxisId> loops;
  const auto visit = [&](const ir::Block& block, const auto& self) -> void {
    for (const ir::Statement& statement : block) {
      if (const auto* loop = std::get_if<ir::Loop>(&statement.node)) {
        loops.push_back(loop->axis);
        self(loop->body, self);
        loops.pop_back();
      }
      const auto* write = std::get_if<ir::Write>(&statement.node);
      if (write == nullptr || write->tensor != tensor) continue;
      Store store{write, statement.span, {}, loops, loops};
      store.axes.insert(store.axes.end(), grid.axes.begin(), grid.axes.end());
      for (const ir::ValueId index : write->indices) {
        store.indices.push_back(prover.form(index, {}));
        const std::vector<ir::AxisId>& axes = prover.kernel().values[index].axes;
        store.axes.insert(store.axes.end(), axes.begin(), axes.end());
      }
      std::sort(store.axes.begin(), store.axes.end());
      store.axes.erase(std::unique(store.axes.begin(), store.axes.end()), store.axes.end());
      stores.push_back(std::move(store));
    }
  };
  visit(grid.body, visit);
  return stores;
}

namespace {

class Legality {
 public:
  explicit Legality(Context& context)
      : context_(context), kernel_(context.kernel), facts_(context.kernel), prover_(context.kernel, facts_) {}

  void check() {
    mark_presence(prover_);
    const std::size_t errors = context_.sink.errors_raised();
    check_initial_values();
    if (context_.sink.errors_raised() != errors) return;  // what is stored may be lacking for the same reason
    for (std::size_t i = 0; i < kernel_.tensors.size(); ++i) {
      if (kernel_.tensors[kernel_.tensors.id_at(i)].is_output) check_output(kernel_.tensors.id_at(i));
    }
    if (!implied_any_) return;
    // What was proved before may now be proved of more.
    SizeFacts facts(kernel_);
    Prover prover(kernel_, facts);
    mark_presence(prover);
  }

 private:
  void check_initial_values() {
    for (const Obligation& obligation : context_.obligations) {
      if (exists_or_implies(obligation.value)) continue;
      auto report = context_.sink.report(Diag::initial_value_absent, obligation.span, obligation.name);
      explain(report, prover_.absence());
      report.note("a `var` has a value everywhere, from the beginning");
      const std::optional<Absence>& absence = prover_.absence();
      if (absence && absence->value.valid() && relation_behind(absence->value) != nullptr) {
        report.help("begin with a number, and assign the value: that takes what exists");
      } else {
        report.help("`… ?? 0` gives one where there is none");
      }
    }
  }

  bool exists_or_implies(ir::ValueId value) {
    return satisfy([&] { return prover_.exists(value, {}) ? std::optional<Absence>() : prover_.absence(); });
  }

  /// In the symbols of the source, whatever stands for them in proofs.
  struct Extent {
    ir::SizeId size;
    Span span;
  };

  /// Repeats an attempt, which gives the reason of its failure, with more and more ranges assumed not to be empty;
  /// if it succeeds at last, what was assumed becomes a constraint of the kernel.
  template <typename Attempt>
  bool satisfy(const Attempt& attempt) {
    const std::size_t mark = facts_.mark();
    std::vector<Extent> filled;
    for (;;) {
      const std::optional<Absence> reason = attempt();
      if (!reason) {
        for (const Extent& extent : filled) imply(extent);
        return true;
      }
      const std::optional<Extent> extent = possibly_empty(*reason);
      const auto is_it = [&](const Extent& other) { return other.size == extent->size; };
      if (!extent || is_always_empty(extent->size) || std::any_of(filled.begin(), filled.end(), is_it)) {
        facts_.release(mark);
        return false;
      }
      filled.push_back(*extent);
      facts_.assume_nonnegative(room(extent->size));
    }
  }

  ir::SizeId room(ir::SizeId extent) { return kernel_.sizes.subtract(extent, kernel_.sizes.constant(1)); }

  bool may_be_empty(ir::SizeId extent) {
    return !kernel_.sizes.as_constant(extent) && !facts_.nonnegative(room(extent));
  }

  /// Then no launch has what the value needs.
  bool is_always_empty(ir::SizeId extent) {
    const auto symbol = kernel_.sizes.as_symbol(extent);
    return symbol && kernel_.symbols[*symbol].maximum.value_or(1) < 1;
  }

  /// What may be empty where a value is missing: a range that a reduction folds, a dimension that wraps around.
  std::optional<Extent> possibly_empty(const Absence& absence) {
    if (!absence.value.valid()) return std::nullopt;
    const ir::Op* op = &kernel_.values[absence.value].op;
    if (const auto* load = std::get_if<ir::Load>(op); load != nullptr && absence.dimension >= 0) {
      const ir::Tensor& tensor = kernel_.tensors[load->tensor];
      const Extent extent{tensor.dims[static_cast<std::size_t>(absence.dimension)], tensor.span};
      return tensor.periodic && may_be_empty(extent.size) ? std::optional(extent) : std::nullopt;
    }
    if (const auto* filter = std::get_if<ir::Filter>(op)) {  // of a mean
      const auto* some = std::get_if<ir::Binary>(&kernel_.values[filter->condition].op);
      if (some == nullptr) return std::nullopt;
      op = &kernel_.values[some->left].op;
    }
    const auto* reduce = std::get_if<ir::Reduce>(op);
    if (reduce == nullptr) return std::nullopt;
    for (const ir::AxisId id : reduce->axes) {
      const ir::Axis& axis = kernel_.axes[id];
      const Extent extent{kernel_.sizes.subtract(axis.upper, axis.lower), axis.span};
      if (axis.kind == ir::AxisKind::let && may_be_empty(extent.size)) return extent;
    }
    return std::nullopt;
  }

  void imply(const Extent& extent) {
    ir::SizeTable& sizes = kernel_.sizes;
    ir::Constraint constraint{
        ir::Relation::greater_equal, extent.size, sizes.constant(1), {}, "", true, extent.span};
    constraint.text = fmt::format("{} >= 1", context_.spell(extent.size));
    kernel_.constraints.push_back(std::move(constraint));
    if (const auto symbol = sizes.as_symbol(extent.size)) {
      kernel_.symbols[*symbol].minimum = std::max<std::int64_t>(kernel_.symbols[*symbol].minimum, 1);
    }
    implied_any_ = true;
  }

  void check_output(ir::TensorId id) {
    const ir::Tensor& tensor = kernel_.tensors[id];
    const ir::Grid& grid = kernel_.grids[0];
    const std::vector<Store> stores = stores_to(prover_, grid, id);
    if (stores.empty()) {
      context_.sink.report(Diag::never_written, tensor.span, tensor.name)
          .note("every element of an `out` is written, or the kernel is refused");
      return;
    }
    if (!check_independence(grid, tensor, stores) || !check_single(tensor, stores)) return;
    check_coverage(id, tensor, stores);
  }

  bool check_independence(const ir::Grid& grid, const ir::Tensor& tensor, const std::vector<Store>& stores) {
    for (const Store& store : stores) {
      const std::optional<ir::AxisId> axis = undetermined_axis(prover_, grid.axes, store);
      if (!axis) continue;
      const std::string& name = kernel_.axes[*axis].name;
      context_.sink.report(Diag::not_injective, store.span, name, tensor.name)
          .label(kernel_.axes[*axis].span, "instances differ in `{}`", name)
          .note("instances are independent, so no two of them may store to one element")
          .help("mention `{0}` in the index, or fold it: a `for` or `let` range in place of the grid's",
                name);
      return false;
    }
    const std::vector<const Store*> pairs = stores_to_pair(stores);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      for (std::size_t j = i + 1; j < pairs.size(); ++j) {
        if (stores_are_compatible(prover_, grid, *pairs[i], *pairs[j])) continue;
        context_.sink.report(Diag::stores_collide, pairs[j]->span, tensor.name)
            .label(pairs[i]->span, "the other store")
            .note("which of the two wins would depend on the order of the instances")
            .help("store an element in one place only: choose its value by `where(c, a, b)`, or from `??`");
        return false;
      }
    }
    return true;
  }

  /// The threads of a group share an instance in no fixed order, so an element has one store. A store that repeats the
  /// indices of another in one block is the exception: both become one (passes/merge_stores.h).
  bool check_single(const ir::Tensor& tensor, const std::vector<Store>& stores) {
    for (const Store& store : stores) {
      const std::optional<ir::AxisId> axis = undetermined_axis(prover_, store.axes, store);
      if (!axis) continue;
      const std::string& name = kernel_.axes[*axis].name;
      context_.sink.report(Diag::stored_twice, store.span, tensor.name)
          .label(kernel_.axes[*axis].span, "the element does not determine `{}`", name)
          .note("an instance stores to each element once")
          .help(
              "mention `{0}` in the index, fold it, or keep the value in a `var` and store it behind the "
              "loop",
              name);
      return false;
    }
    for (std::size_t i = 0; i < stores.size(); ++i) {
      for (std::size_t j = i + 1; j < stores.size(); ++j) {
        const bool become_one =
            stores[i].loops == stores[j].loops && stores[i].write->indices == stores[j].write->indices;
        if (become_one || stores_are_disjoint(prover_, stores[i], stores[j])) continue;
        context_.sink.report(Diag::stored_twice, stores[j].span, tensor.name)
            .label(stores[i].span, "the other store")
            .note("an instance stores to each element once, unless two stores have the same indices")
            .help("choose the value first: `where(c, a, b)`, or `… ?? …` where one may not exist");
        return false;
      }
    }
    return true;
  }

  void check_coverage(ir::TensorId id, const ir::Tensor& tensor, const std::vector<Store>& stores) {
    std::optional<Uncovered> uncovered;
    const bool covered = satisfy([&]() -> std::optional<Absence> {
      uncovered = find_uncovered(prover_, id, stores);
      if (!uncovered) return std::nullopt;
      return uncovered->absence.value_or(Absence{});
    });
    if (covered) return;
    const Span place = uncovered->absence ? uncovered->store->span : stores[0].span;
    auto report = context_.sink.report(Diag::partly_written, place, uncovered->elements, tensor.name);
    report.label(context_.tensor_types[id.index()], "`{}` is declared here", tensor.name);
    explain(report, uncovered->absence);
    if (uncovered->not_a_box != nullptr) {
      report.label(uncovered->not_a_box->span, "what this store writes is not a box");
    }
    if (uncovered->absence) suggest_value(report, *uncovered->absence);
  }

  void suggest_value(DiagnosticBuilder& report, const Absence& absence) {
    if (absence.value.valid() && relation_behind(absence.value) != nullptr) {
      report.help("declare the range without its relation, and choose the value: `where(c, a, b)`");
      return;
    }
    if (absence.value.valid() && std::holds_alternative<ir::Filter>(kernel_.values[absence.value].op)) {
      report.help("give a value to the others: `where(c, a, b)`, or `… ?? 0`");
      return;
    }
    const auto* load =
        absence.value.valid() ? std::get_if<ir::Load>(&kernel_.values[absence.value].op) : nullptr;
    const auto dimension = static_cast<std::size_t>(absence.dimension);
    if (load != nullptr && absence.dimension >= 0 && is_negative(load->indices[dimension])) {
      const ir::Tensor& tensor = kernel_.tensors[load->tensor];
      report.help("indices count from 0, and the last one is `{} - 1`",
                  context_.spell(tensor.dims[dimension]));
      return;
    }
    report.help("give a value where it does not exist: `… ?? 0`, or make the parameter `periodic`");
  }

  /// The relation that filters a value, or null.
  const RelationPart* relation_behind(ir::ValueId value) const {
    const auto* filter = std::get_if<ir::Filter>(&kernel_.values[value].op);
    return filter != nullptr ? relation_of(context_, filter->condition) : nullptr;
  }

  bool is_negative(ir::ValueId index) const {
    const auto* constant = std::get_if<ir::Constant>(&kernel_.values[index].op);
    return constant != nullptr && constant->value.integer < 0;
  }

  void explain(DiagnosticBuilder& report, const std::optional<Absence>& absence) {
    if (!absence || !absence->value.valid()) return;
    const ir::Value& value = kernel_.values[absence->value];
    const auto* load = std::get_if<ir::Load>(&value.op);
    if (load != nullptr && absence->dimension >= 0) {
      const ir::Tensor& tensor = kernel_.tensors[load->tensor];
      const auto dimension = static_cast<std::size_t>(absence->dimension);
      report.label(value.span, "index {} {}: there `{}` has no element", dimension,
                   is_negative(load->indices[dimension]) ? "is negative"
                   : absence->below
                       ? "may be negative"
                       : fmt::format("may be {} or more", context_.spell(tensor.dims[dimension])),
                   tensor.name);
    } else if (const RelationPart* part = relation_behind(absence->value)) {
      report.label(part->span, "where this relation does not hold, it does not exist");
    } else if (std::holds_alternative<ir::Filter>(value.op)) {
      report.label(value.span, "this does not exist where its condition fails");
    } else if (std::holds_alternative<ir::Reduce>(value.op)) {
      report.label(value.span, "of nothing this does not exist");
    } else {
      report.label(value.span, "this may not exist");
    }
  }

  Context& context_;
  ir::Kernel& kernel_;
  SizeFacts facts_;
  Prover prover_;
  bool implied_any_ = false;
};

}  // namespace

void check_legality(Context& context) {
  warn_infinite_masks(context);
  Legality(context).check();
}

}  // namespace tessera::sema
