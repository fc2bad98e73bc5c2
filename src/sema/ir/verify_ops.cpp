// SPDX-License-Identifier: Apache-2.0
// The rules of single operations, one overload each.
#include "sema/ir/verify_ops.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::ir {

namespace {

using Sentences = std::vector<std::string>;

/// A type that operations compute in: neither a narrow float nor packed.
bool computes(DType dtype) { return arithmetic_type(dtype) == dtype && !is_packed(dtype); }
bool is_computing_number(DType dtype) { return computes(dtype) && !is_bool(dtype); }
bool is_computing_float(DType dtype) { return computes(dtype) && is_float(dtype); }

class OperationRules {
 public:
  OperationRules(const Kernel& kernel, const Value& value) : kernel_(kernel), value_(value) {}

  Sentences check() {
    std::visit([this](const auto& op) { rule(op); }, value_.op);
    return std::move(sentences_);
  }

 private:
  template <typename... Args>
  void require(bool condition, fmt::format_string<Args...> format, Args&&... args) {
    if (!condition) sentences_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  DType type(ValueId id) const { return kernel_.values[id].dtype; }
  const std::vector<AxisId>& axes(ValueId id) const { return kernel_.values[id].axes; }

  void require_type(DType expected) {
    require(value_.dtype == expected, "the result has type {} and should have {}", spelling(value_.dtype),
            spelling(expected));
  }
  void require_operand(ValueId operand, DType expected) {
    require(type(operand) == expected, "operand %{} has type {} and should have {}", operand.index(),
            spelling(type(operand)), spelling(expected));
  }
  void require_axes(const std::vector<AxisId>& expected) {
    require(value_.axes == expected, "the axes of the result are not those that its operands give");
  }
  /// The result has the union of the operands' axes, and claims to exist only if all of them do.
  void require_pointwise() {
    const std::vector<ValueId> operands = operands_of(value_.op);
    require_axes(union_of_axes(kernel_, operands));
    for (const ValueId operand : operands) require_exists(operand);
  }
  void require_exists(ValueId operand) {
    require(!value_.total || kernel_.values[operand].total,
            "the result claims to exist everywhere, and operand %{} does not", operand.index());
  }
  void require_index(ValueId operand) {
    require(is_integer(type(operand)), "index %{} has type {}, which is not an integer", operand.index(),
            spelling(type(operand)));
  }

  void rule(const Constant& op) {
    require_axes({});
    require(!is_bool(value_.dtype) || op.value.integer == 0 || op.value.integer == 1,
            "a bool constant is {}, neither 0 nor 1", op.value.integer);
  }
  void rule(const Coordinate& op) {
    require_type(DType::index);
    require_axes(kernel_.axes[op.axis].is_tile() ? std::vector{op.axis} : std::vector<AxisId>{});
  }
  void rule(const Extent&) {
    require_type(DType::index);
    require_axes({});
  }
  void rule(const ScalarArgument& op) {
    require_type(kernel_.scalars[op.scalar].dtype);
    require_axes({});
  }
  void rule(const Lookup& op) {
    require_type(kernel_.tables[op.table].dtype);
    require_index(op.index);
    require_pointwise();
  }
  void rule(const Load& op) {
    const Tensor& tensor = kernel_.tensors[op.tensor];
    require(!tensor.is_output, "`{}` is an output and is read", tensor.name);
    require(op.indices.size() == tensor.dims.size(), "`{}` has {} dimensions and gets {} indices",
            tensor.name, tensor.dims.size(), op.indices.size());
    require_type(tensor.dtype);
    for (const ValueId index : op.indices) require_index(index);
    require_pointwise();
    const uint32_t all = op.indices.size() >= 32 ? ~0u : (1u << op.indices.size()) - 1;
    require((op.in_bounds & ~all) == 0, "in_bounds names a dimension that `{}` does not have", tensor.name);
    require(!value_.total || tensor.periodic || (op.in_bounds & all) == all,
            "the result claims to exist everywhere, and an index of `{}` is not proved to be in bounds",
            tensor.name);
  }
  void rule(const ReadVariable& op) {
    const Variable& variable = kernel_.variables[op.variable];
    require_type(variable.dtype);
    require_axes(variable.axes);
  }
  void rule(const Unary& op) {
    require_type(type(op.operand));
    require_pointwise();
    require(accepts(op.op, value_.dtype), "{} does not take {}", spelling(op.op), spelling(value_.dtype));
  }
  static bool accepts(UnaryOp op, DType dtype) {
    switch (op) {
      case UnaryOp::negate:
      case UnaryOp::absolute: return is_computing_number(dtype);
      case UnaryOp::logical_not: return is_bool(dtype);
      case UnaryOp::bit_not: return is_integer(dtype);
      case UnaryOp::round_tf32:
      case UnaryOp::split: return dtype == DType::f32;
      default: return is_computing_float(dtype);
    }
  }
  void rule(const Binary& op) {
    const DType left = type(op.left);
    require(left == type(op.right), "the operands have types {} and {}", spelling(left),
            spelling(type(op.right)));
    require_type(is_comparison(op.op) ? DType::boolean : left);
    require_pointwise();
    require(accepts(op.op, left), "{} does not take {}", spelling(op.op), spelling(left));
  }
  static bool accepts(BinaryOp op, DType dtype) {
    if (is_comparison(op)) return !is_packed(dtype);
    if (is_logical(op)) return is_bool(dtype);
    switch (op) {
      case BinaryOp::add:
      case BinaryOp::subtract:
      case BinaryOp::multiply:
      case BinaryOp::divide: return is_computing_number(dtype);
      case BinaryOp::minimum:
      case BinaryOp::maximum: return !is_packed(dtype) && !is_bool(dtype);
      case BinaryOp::bit_and:
      case BinaryOp::bit_or:
      case BinaryOp::bit_xor: return (is_integer(dtype) && !is_packed(dtype)) || is_bool(dtype);
      default: return is_integer(dtype) && !is_packed(dtype);  // modulo and shifts
    }
  }
  void rule(const FusedMultiplyAdd& op) {
    for (const ValueId operand : {op.a, op.b, op.c}) require_operand(operand, value_.dtype);
    require(is_computing_float(value_.dtype), "fma does not take {}", spelling(value_.dtype));
    require_pointwise();
  }
  void rule(const Math& op) {
    const size_t count = op.function == MathFunction::pow ? 2 : 1;
    require(op.arguments.size() == count, "{} takes {} arguments and gets {}", spelling(op.function), count,
            op.arguments.size());
    for (const ValueId argument : op.arguments) require_operand(argument, value_.dtype);
    require(is_computing_float(value_.dtype), "{} does not take {}", spelling(op.function),
            spelling(value_.dtype));
    require_pointwise();
  }
  void rule(const Cast&) {
    require(!is_packed(value_.dtype), "nothing is cast to {}", spelling(value_.dtype));
    require_pointwise();
  }
  void rule(const Select& op) {
    require_operand(op.condition, DType::boolean);
    for (const ValueId side : {op.if_true, op.if_false}) require_operand(side, value_.dtype);
    require_axes(union_of_axes(kernel_, operands_of(value_.op)));
    require_exists(op.condition);  // a side that does not exist may never be chosen
  }
  void rule(const Filter& op) {
    require_operand(op.condition, DType::boolean);
    require_operand(op.operand, value_.dtype);
    require_pointwise();
  }
  void rule(const Coalesce& op) {
    for (const ValueId operand : {op.operand, op.fallback}) require_operand(operand, value_.dtype);
    require_axes(union_of_axes(kernel_, operands_of(value_.op)));
    require(!value_.total || kernel_.values[op.operand].total || kernel_.values[op.fallback].total,
            "the result claims to exist everywhere, and neither operand does");
  }

  void rule(const Reduce& op) {
    require_folds(op.axes, op.operand);
    require_reduction_types(op);
  }
  void rule(const Dot& op) {
    for (const ValueId factor : {op.left, op.right}) require_folds(op.axes, factor, false);
    std::vector<AxisId> rest = union_of_axes(kernel_, {op.left, op.right});
    std::erase_if(
        rest, [&](AxisId axis) { return std::find(op.axes.begin(), op.axes.end(), axis) != op.axes.end(); });
    require_axes(rest);
    const DType left = type(op.left), right = type(op.right);
    require(left == right, "the factors have types {} and {}", spelling(left), spelling(right));
    require(!is_bool(left) && !is_packed(left), "a product does not take {}", spelling(left));
    require_type(sum_type(left));
  }
  void require_folds(const std::vector<AxisId>& folded, ValueId operand, bool is_result = true) {
    require(!folded.empty(), "a reduction folds no axis");
    require(std::is_sorted(folded.begin(), folded.end()) &&
                std::adjacent_find(folded.begin(), folded.end()) == folded.end(),
            "the folded axes are not ascending");
    std::vector<AxisId> rest;
    for (const AxisId axis : axes(operand)) {
      if (std::find(folded.begin(), folded.end(), axis) == folded.end()) rest.push_back(axis);
    }
    require(rest.size() + folded.size() == axes(operand).size(),
            "a folded axis is not an axis of operand %{}", operand.index());
    if (is_result) require_axes(rest);
  }
  void require_reduction_types(const Reduce& op) {
    const DType element = type(op.operand);
    switch (op.op) {
      case ReduceOp::sum:
      case ReduceOp::prod:
        require_type(arithmetic_type(element));
        require(is_computing_number(value_.dtype), "{} does not give {}", spelling(op.op),
                spelling(value_.dtype));
        break;
      case ReduceOp::max:
      case ReduceOp::min:
        require_type(element);
        require(!is_bool(element), "{} does not take bool", spelling(op.op));
        break;
      case ReduceOp::any:
      case ReduceOp::all:
        require_operand(op.operand, DType::boolean);
        require_type(DType::boolean);
        break;
      case ReduceOp::count: require_type(DType::index); break;
      case ReduceOp::argmax:
      case ReduceOp::argmin:
        require_type(DType::index);
        require(!is_bool(element), "{} does not take bool", spelling(op.op));
        require(op.axes.size() == 1, "{} folds exactly one axis, not {}", spelling(op.op), op.axes.size());
        break;
    }
  }

  void rule(const Pick& op) {
    require_type(type(op.operand));
    require_exists(op.operand);
    const Axis& axis = kernel_.axes[op.axis];
    std::vector<AxisId> rest = axes(op.operand);
    const auto removed = std::remove(rest.begin(), rest.end(), op.axis);
    require(removed != rest.end(), "the picked axis `{}` is not an axis of operand %{}", axis.name,
            op.operand.index());
    rest.erase(removed, rest.end());
    require_axes(rest);
    const std::optional<int64_t> lower = kernel_.sizes.as_constant(axis.lower);
    const std::optional<int64_t> upper = kernel_.sizes.as_constant(axis.upper);
    require(axis.kind == AxisKind::let && lower && upper,
            "the picked axis `{}` is not a `let` of constant extent", axis.name);
    require(!lower || !upper || (*lower <= op.coordinate && op.coordinate < *upper),
            "coordinate {} lies outside axis `{}`", op.coordinate, axis.name);
  }

  const Kernel& kernel_;
  const Value& value_;
  Sentences sentences_;
};

struct References {
  const Kernel& kernel;

  std::string operator()(const Coordinate& op) const { return axis(op.axis); }
  std::string operator()(const Extent& op) const {
    return op.size.index() < kernel.sizes.size() ? "" : "a size is not in the kernel's table";
  }
  std::string operator()(const ScalarArgument& op) const {
    return kernel.scalars.contains(op.scalar) ? "" : "no scalar has the id of the argument";
  }
  std::string operator()(const Lookup& op) const {
    return kernel.tables.contains(op.table) ? "" : "no table has the id of the lookup";
  }
  std::string operator()(const Load& op) const {
    return kernel.tensors.contains(op.tensor) ? "" : "no tensor has the id of the load";
  }
  std::string operator()(const ReadVariable& op) const {
    return kernel.variables.contains(op.variable) ? "" : "no variable has the id that is read";
  }
  std::string operator()(const Reduce& op) const {
    for (const AxisId id : op.axes) {
      if (std::string sentence = axis(id); !sentence.empty()) return sentence;
    }
    return "";
  }
  std::string operator()(const Dot& op) const {
    for (const AxisId id : op.axes) {
      if (std::string sentence = axis(id); !sentence.empty()) return sentence;
    }
    return "";
  }
  std::string operator()(const Pick& op) const { return axis(op.axis); }
  template <typename OpT>
  std::string operator()(const OpT&) const {
    return "";
  }

  std::string axis(AxisId id) const {
    return kernel.axes.contains(id) ? "" : "no axis has the id that is used";
  }
};

}  // namespace

std::vector<std::string> verify_operation(const Kernel& kernel, const Value& value) {
  return OperationRules(kernel, value).check();
}

std::string bad_reference(const Kernel& kernel, const Op& op) {
  for (const ValueId operand : operands_of(op)) {
    if (!kernel.values.contains(operand)) return "no value has the id of an operand";
  }
  return std::visit(References{kernel}, op);
}

std::vector<AxisId> union_of_axes(const Kernel& kernel, const std::vector<ValueId>& values) {
  std::vector<AxisId> axes;
  for (const ValueId value : values) {
    const std::vector<AxisId>& more = kernel.values[value].axes;
    axes.insert(axes.end(), more.begin(), more.end());
  }
  std::sort(axes.begin(), axes.end());
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  return axes;
}

}  // namespace tessera::ir
