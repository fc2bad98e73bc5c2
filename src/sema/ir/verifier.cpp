// SPDX-License-Identifier: Apache-2.0
// Invariants of a kernel: its declarations, then its blocks in order, with what is in scope at each
// statement.
#include "sema/ir/verifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sema/ir/names.h"
#include "sema/ir/verify_ops.h"

namespace tessera::ir {

namespace {

bool is_ascending(const std::vector<AxisId>& axes) {
  return std::adjacent_find(axes.begin(), axes.end(), std::greater_equal<>()) == axes.end();
}

bool is_subset(const std::vector<AxisId>& axes, const std::vector<AxisId>& of) {
  return std::includes(of.begin(), of.end(), axes.begin(), axes.end());
}

class Verifier {
 public:
  explicit Verifier(const Kernel& kernel) : kernel_(kernel), names_(kernel) {}

  std::vector<std::string> verify() {
    verify_declarations();
    // Statements are read only when what they refer to can be.
    if (!sentences_.empty()) return std::move(sentences_);
    for (const Grid& grid : kernel_.grids) verify_grid(grid);
    return std::move(sentences_);
  }

 private:
  template <typename... Args>
  bool require(bool condition, fmt::format_string<Args...> format, Args&&... args) {
    if (!condition) sentences_.push_back(fmt::format(format, std::forward<Args>(args)...));
    return condition;
  }

  bool is_size(SizeId id) const { return id.valid() && id.index() < kernel_.sizes.size(); }

  void verify_declarations() {
    for (const Symbol& symbol : kernel_.symbols) {
      require(!symbol.maximum || symbol.minimum <= *symbol.maximum,
              "symbol `{}` has a minimum above its maximum", symbol.name);
      require(std::is_sorted(symbol.allowed.begin(), symbol.allowed.end()),
              "the values that symbol `{}` may have are not ascending", symbol.name);
    }
    for (const Tensor& tensor : kernel_.tensors) {
      require(!is_packed(tensor.dtype), "tensor `{}` has the packed type {}", tensor.name,
              spelling(tensor.dtype));
      for (const SizeId dim : tensor.dims) {
        require(is_size(dim), "a dimension of `{}` is not in the kernel's table", tensor.name);
      }
    }
    verify_parameters();
    for (const Axis& axis : kernel_.axes) verify_axis(axis);
    for (const Variable& variable : kernel_.variables) {
      const bool known = std::all_of(variable.axes.begin(), variable.axes.end(),
                                     [&](AxisId id) { return kernel_.axes.contains(id); });
      if (!require(known, "variable `{}` has an axis that does not exist", variable.name)) continue;
      require(is_ascending(variable.axes), "the axes of variable `{}` are not ascending", variable.name);
      require_tile_axes(variable.axes, fmt::format("variable `{}`", variable.name));
    }
    for (const Constraint& constraint : kernel_.constraints) {
      const bool member = constraint.relation == Relation::member;
      require(is_size(constraint.left) && (member || is_size(constraint.right)),
              "constraint `{}` has a size that is not in the kernel's table", constraint.text);
    }
  }

  void verify_parameters() {
    std::set<TensorId> tensors;
    std::set<ScalarId> scalars;
    for (const auto& parameter : kernel_.parameters) {
      if (const auto* tensor = std::get_if<TensorId>(&parameter)) tensors.insert(*tensor);
      if (const auto* scalar = std::get_if<ScalarId>(&parameter)) scalars.insert(*scalar);
    }
    const bool all_known = std::all_of(tensors.begin(), tensors.end(),
                                       [&](TensorId id) { return kernel_.tensors.contains(id); }) &&
                           std::all_of(scalars.begin(), scalars.end(),
                                       [&](ScalarId id) { return kernel_.scalars.contains(id); });
    require(all_known && tensors.size() == kernel_.tensors.size() &&
                scalars.size() == kernel_.scalars.size() &&
                kernel_.parameters.size() == tensors.size() + scalars.size(),
            "the parameters are not every tensor and every scalar, once each");
  }

  void verify_axis(const Axis& axis) {
    require(is_size(axis.lower) && is_size(axis.upper), "a bound of axis `{}` is not in the kernel's table",
            axis.name);
    require(!axis.dimension || kernel_.symbols.contains(*axis.dimension),
            "axis `{}` ranges over a symbol that does not exist", axis.name);
    require(axis.kind != AxisKind::let || axis.step == StepKind::none, "axis `{}` is a `let` with a step",
            axis.name);
    require(axis.step != StepKind::semantic || axis.step_size >= 1, "axis `{}` has a step of {}", axis.name,
            axis.step_size);
    require(axis.step != StepKind::plan || axis.step_size >= 0, "axis `{}` asks for a step of {}", axis.name,
            axis.step_size);
    for (const Conjunct& conjunct : axis.relation) verify_conjunct(axis, conjunct);
  }

  void verify_conjunct(const Axis& axis, const Conjunct& conjunct) {
    const auto ascend = [](const auto& a, const auto& b) { return a.first < b.first; };
    bool good = is_size(conjunct.form.offset);
    for (const auto& [id, coefficient] : conjunct.form.terms)
      good = good && kernel_.axes.contains(id) && is_size(coefficient);
    for (const auto& [id, coefficient] : conjunct.scalars)
      good = good && kernel_.scalars.contains(id) && is_size(coefficient);
    if (!require(good, "the relation of axis `{}` names what does not exist", axis.name)) return;
    require(std::is_sorted(conjunct.form.terms.begin(), conjunct.form.terms.end(), ascend) &&
                std::is_sorted(conjunct.scalars.begin(), conjunct.scalars.end(), ascend),
            "the terms of the relation of axis `{}` are not ascending", axis.name);
    require(conjunct.modulus >= 0 && (conjunct.modulus == 0 || conjunct.sign != Sign::at_least_zero),
            "the relation of axis `{}` has a remainder modulo {}", axis.name, conjunct.modulus);
  }

  void require_tile_axes(const std::vector<AxisId>& axes, const std::string& what) {
    for (const AxisId axis : axes) {
      require(kernel_.axes[axis].is_tile(), "{} has the axis `{}`, which takes one coordinate at a time",
              what, names_.of(axis));
    }
  }

  /// Every tile axis is a `let`, or bound by a grid or loop around the statement.
  void require_bound(const std::vector<AxisId>& axes, const std::string& what) {
    for (const AxisId axis : axes) {
      require(kernel_.axes[axis].kind == AxisKind::let || bound_.count(axis) > 0,
              "{} has the axis `{}`, which is not bound there", what, names_.of(axis));
    }
  }

  bool bind(AxisId axis, AxisKind kind) {
    if (!require(kernel_.axes.contains(axis), "a grid or loop binds an axis that does not exist"))
      return false;
    require(kernel_.axes[axis].kind == kind, "axis `{}` is bound by the wrong kind of statement",
            names_.of(axis));
    return require(bound_.insert(axis).second, "axis `{}` is bound twice", names_.of(axis));
  }

  void verify_grid(const Grid& grid) {
    bound_.clear();
    defined_.clear();
    declared_.clear();
    for (const AxisId axis : grid.axes) {
      if (!bind(axis, AxisKind::grid)) return;
    }
    verify_block(grid.body);
  }

  /// What a block defines and declares is out of scope behind it.
  void verify_block(const Block& block) {
    const std::set<ValueId> defined = defined_;
    const std::set<VariableId> declared = declared_;
    for (const Statement& statement : block) {
      std::visit([this](const auto& node) { verify_statement(node); }, statement.node);
    }
    defined_ = defined;
    declared_ = declared;
  }

  bool require_defined(ValueId id, const std::string& where) {
    if (!require(kernel_.values.contains(id), "{} uses a value that does not exist", where)) return false;
    return require(defined_.count(id) > 0, "{} uses {}, which is not defined there", where, names_.of(id));
  }

  void verify_statement(const Define& define) {
    if (!require(kernel_.values.contains(define.value), "a statement defines a value that does not exist"))
      return;
    const Value& value = kernel_.values[define.value];
    const std::string name = names_.of(define.value);
    require(ever_defined_.insert(define.value).second, "{} is defined twice", name);
    const bool operands_good = verify_operands(value, name);
    defined_.insert(define.value);
    if (!operands_good) return;
    require(is_ascending(value.axes), "the axes of {} are not ascending", name);
    require_tile_axes(value.axes, name);
    require_bound(value.axes, name);
    if (const auto* coordinate = std::get_if<Coordinate>(&value.op)) require_bound({coordinate->axis}, name);
    for (const std::string& sentence : verify_operation(kernel_, value))
      require(false, "{}: {}", name, sentence);
  }

  bool verify_operands(const Value& value, const std::string& name) {
    const std::string reference = bad_reference(kernel_, value.op);
    if (!require(reference.empty(), "{}: {}", name, reference)) return false;
    const bool axes_known = std::all_of(value.axes.begin(), value.axes.end(),
                                        [&](AxisId id) { return kernel_.axes.contains(id); });
    if (!require(axes_known, "{} has an axis that does not exist", name)) return false;
    bool good = true;
    for (const ValueId operand : operands_of(value.op)) good = require_defined(operand, name) && good;
    if (const auto* read = std::get_if<ReadVariable>(&value.op)) {
      good = require_declared(read->variable, name) && good;
    }
    return good;
  }

  bool require_declared(VariableId id, const std::string& where) {
    if (!require(kernel_.variables.contains(id), "{} uses a variable that does not exist", where))
      return false;
    return require(declared_.count(id) > 0, "{} uses variable `{}`, which is not declared there", where,
                   names_.of(id));
  }

  void verify_statement(const Declare& declare) {
    if (!require(kernel_.variables.contains(declare.variable),
                 "a statement declares a variable that does not exist")) {
      return;
    }
    const std::string what = fmt::format("variable `{}`", names_.of(declare.variable));
    require(ever_declared_.insert(declare.variable).second, "{} is declared twice", what);
    declared_.insert(declare.variable);
    require_bound(kernel_.variables[declare.variable].axes, what);
    if (!require_defined(declare.initial, what)) return;
    verify_assigned(declare.variable, declare.initial, what);
    require(kernel_.values[declare.initial].total, "{} begins with {}, which may not exist", what,
            names_.of(declare.initial));
  }

  void verify_assigned(VariableId id, ValueId value_id, const std::string& what) {
    const Variable& variable = kernel_.variables[id];
    const Value& value = kernel_.values[value_id];
    require(value.dtype == variable.dtype, "{} has type {} and gets {} of type {}", what,
            spelling(variable.dtype), names_.of(value_id), spelling(value.dtype));
    require(is_subset(value.axes, variable.axes), "{} gets {}, which has an axis more", what,
            names_.of(value_id));
  }

  void verify_statement(const Assign& assign) {
    if (!require_declared(assign.variable, "an assignment")) return;
    const std::string what = fmt::format("variable `{}`", names_.of(assign.variable));
    if (!require_defined(assign.value, what)) return;
    verify_assigned(assign.variable, assign.value, what);
    for (const auto& [axis, coordinate] : assign.picks) verify_picked(assign, axis, coordinate, what);
  }

  void verify_picked(const Assign& assign, AxisId axis, int64_t coordinate, const std::string& what) {
    if (!require(kernel_.axes.contains(axis), "{} is picked at an axis that does not exist", what)) return;
    require(is_subset({axis}, kernel_.variables[assign.variable].axes),
            "{} is picked at axis `{}`, which it lacks", what, names_.of(axis));
    require(!is_subset({axis}, kernel_.values[assign.value].axes),
            "{} is picked at axis `{}`, which its value has", what, names_.of(axis));
    const std::optional<int64_t> lower = kernel_.sizes.as_constant(kernel_.axes[axis].lower);
    const std::optional<int64_t> upper = kernel_.sizes.as_constant(kernel_.axes[axis].upper);
    require(kernel_.axes[axis].kind == AxisKind::let && lower && upper && *lower <= coordinate &&
                coordinate < *upper,
            "{} is picked at coordinate {}, which no `let` axis of constant extent has", what, coordinate);
  }

  void verify_statement(const Write& write) {
    if (!require(kernel_.tensors.contains(write.tensor), "a write goes to a tensor that does not exist"))
      return;
    const Tensor& tensor = kernel_.tensors[write.tensor];
    const std::string what = fmt::format("the write to `{}`", tensor.name);
    require(tensor.is_output, "{} goes to an input", what);
    require(write.indices.size() == tensor.dims.size(), "{} has {} indices for {} dimensions", what,
            write.indices.size(), tensor.dims.size());
    bool good = require_defined(write.value, what);
    for (const ValueId index : write.indices) good = require_defined(index, what) && good;
    if (!good) return;
    for (const ValueId index : write.indices) {
      require(is_integer(kernel_.values[index].dtype), "{} has the index {}, which is not an integer", what,
              names_.of(index));
    }
    const Value& value = kernel_.values[write.value];
    require(value.dtype == tensor.dtype, "{} stores {} as {}", what, spelling(value.dtype),
            spelling(tensor.dtype));
    require(is_subset(value.axes, union_of_axes(kernel_, write.indices)), "{} has an axis left over in {}",
            what, names_.of(write.value));
    require(write.indices.size() >= 32 || write.in_bounds >> write.indices.size() == 0,
            "{} names a dimension in in_bounds that does not exist", what);
  }

  void verify_statement(const Loop& loop) {
    if (!bind(loop.axis, AxisKind::loop)) return;
    verify_block(loop.body);
    bound_.erase(loop.axis);
  }

  const Kernel& kernel_;
  Names names_;
  std::vector<std::string> sentences_;
  std::set<AxisId> bound_;
  std::set<ValueId> defined_, ever_defined_;
  std::set<VariableId> declared_, ever_declared_;
};

}  // namespace

std::vector<std::string> verify(const Kernel& kernel) { return Verifier(kernel).verify(); }

}  // namespace tessera::ir
