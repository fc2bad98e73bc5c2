// SPDX-License-Identifier: Apache-2.0
// Values at a point: one overload for each operation of the IR.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "emit/lower_function.h"
#include "emit/print.h"
#include "emit/tables.h"

namespace tessera::emit {

using lowered::Expr;
using lowered::Expression;

namespace {

// Longer expressions get a name, so that a line of output holds one idea.
constexpr int kNodesInLine = 14;

// Sums of coordinates read best where they are used.
constexpr int kNodesInIndex = 5;

int node_count(const Expr& expression) {
  int count = 1;
  for (const Expr& operand : expression->operands) count += node_count(operand);
  return count;
}

const char* infix(ir::BinaryOp op) {
  switch (op) {
    case ir::BinaryOp::add: return "+";
    case ir::BinaryOp::subtract: return "-";
    case ir::BinaryOp::multiply: return "*";
    case ir::BinaryOp::divide: return "/";
    case ir::BinaryOp::bit_and: return "&";
    case ir::BinaryOp::bit_or: return "|";
    case ir::BinaryOp::bit_xor: return "^";
    case ir::BinaryOp::logical_and: return "&&";
    case ir::BinaryOp::logical_or: return "||";
    case ir::BinaryOp::equal: return "==";
    case ir::BinaryOp::not_equal: return "!=";
    case ir::BinaryOp::less: return "<";
    case ir::BinaryOp::less_equal: return "<=";
    case ir::BinaryOp::greater: return ">";
    case ir::BinaryOp::greater_equal: return ">=";
    default: return "";
  }
}

// Integer arithmetic follows R25, which C++ operators do not.
const char* integer_function(ir::BinaryOp op) {
  switch (op) {
    case ir::BinaryOp::add: return "integer::add";
    case ir::BinaryOp::subtract: return "integer::subtract";
    case ir::BinaryOp::multiply: return "integer::multiply";
    case ir::BinaryOp::divide: return "integer::divide";
    case ir::BinaryOp::modulo: return "integer::modulo";
    case ir::BinaryOp::shift_left: return "integer::shift_left";
    case ir::BinaryOp::shift_right: return "integer::shift_right";
    default: return nullptr;
  }
}

}  // namespace

Evaluated FunctionLowering::eval(ir::ValueId id) {
  if (std::optional<Evaluated> known = held(id)) return *known;
  const size_t target = scope_of(id);
  const Instance key = instance(id);
  if (const auto found = scopes_[target].memo.find(key); found != scopes_[target].memo.end())
    return found->second;
  const bool in_lane = lane_among(analysis_.dependence.at(id).axes) != nullptr;
  if (in_lane && sweep_ >= 0 && !by_warps_) residency_.sweeps[key].insert(sweep_);
  if (in_lane && is_kept(id)) {
    // In the sweep that fills it, its place may hold nothing yet: code of other scopes may stand before that.
    if (kept_.contains(key) && filled_.at(key).sweep != sweep_) return keep(id);
  }
  const bool crosses_scope = target + 1 != scopes_.size();
  Evaluated result;
  at_scope(target, [&] {
    const HeldPlace* waiting = held_place(id);
    result = waiting ? read(*waiting) : compute(id);
    if (in_lane && is_kept(id) && !kept_.contains(key)) {
      const Expr here = place(open_kept(id, result.value->type, false));
      emit(lowered::Assign{here, "=", result.value}, kernel_.values[id].span);
      result.value = here;
    } else {
      result = name_result(id, result, crosses_scope);
    }
    scopes_.back().memo[key] = result;
  });
  return result;
}

Expr FunctionLowering::eval_total(ir::ValueId id) {
  const Evaluated result = eval(id);
  TESSERA_CHECK(!result.exists, "a value that is used unconditionally exists");
  return result.value;
}

Expr FunctionLowering::as_float(const Evaluated& value) const {
  if (!is_narrow_float(value.value->type)) return value.value;
  return lowered::call("to_float", {value.value}, DType::f32);
}

Expr FunctionLowering::as_stored(const Expr& value, DType type) const {
  if (value->type == type) return value;
  if (is_narrow_float(type) && value->type == DType::f32)
    return lowered::call(fmt::format("from_float<{}>", spelling(type)), {value}, type);
  return lowered::call(fmt::format("convert<{}>", type_name(type)), {value}, type);
}

// The value of an operand in its arithmetic type; its absence makes the result absent.
Expr FunctionLowering::operand(ir::ValueId id, Evaluated& result) {
  const Evaluated value = eval(id);
  result.exists = lowered::conjunction(result.exists, value.exists);
  return as_float(value);
}

Evaluated FunctionLowering::compute(ir::ValueId id) {
  return std::visit([&](const auto& op) { return compute(id, op); }, kernel_.values[id].op);
}

bool FunctionLowering::worth_naming(ir::ValueId id, const Evaluated& result, bool crosses_scope) const {
  if (lowered::is_trivial(result.value) || unnamed_ == id) return false;
  const ir::Value& value = kernel_.values[id];
  if (value.dtype == DType::index && node_count(result.value) <= kNodesInIndex) return false;
  if (!crosses_scope && value.name.empty() && phase_.windows.contains(id)) return false;  // u_window[j - 1]
  if (!value.name.empty() || crosses_scope || std::holds_alternative<ir::Load>(value.op)) return true;
  // The copies of an unrolled axis share what does not depend on it.
  const bool shared_by_copies =
      instance(id).second.size() < unrolled_.size() && node_count(result.value) > kNodesInIndex;
  return shared_by_copies || analysis_.uses.at(id) > 1 || node_count(result.value) > kNodesInLine;
}

Evaluated FunctionLowering::name_result(ir::ValueId id, Evaluated result, bool crosses_scope) {
  const Span span = kernel_.values[id].span;
  if (result.exists && !lowered::is_trivial(result.exists)) {
    const std::string name = named(name_for(id) + "_exists");
    emit(lowered::Local{"bool", name, {}, result.exists, true, false}, span);
    result.exists = lowered::name(name, DType::boolean);
  }
  if (!worth_naming(id, result, crosses_scope)) return result;
  const std::string name = named(name_for(id));
  emit(lowered::Local{type_name(result.value->type), name, {}, result.value, true, false}, span);
  result.value = lowered::name(name, result.value->type);
  return result;
}

Evaluated FunctionLowering::compute(ir::ValueId id, const ir::Constant& op) {
  // A narrow constant is exact in f32, in which everything computes.
  const DType type = kernel_.values[id].dtype;
  return {lowered::literal(op.value, is_narrow_float(type) ? DType::f32 : type), nullptr};
}

Evaluated FunctionLowering::compute(ir::ValueId, const ir::Coordinate& op) {
  return {coordinate(op.axis), nullptr};
}

Evaluated FunctionLowering::compute(ir::ValueId, const ir::Extent& op) { return {size(op.size), nullptr}; }

Evaluated FunctionLowering::compute(ir::ValueId, const ir::ScalarArgument& op) {
  const ir::Scalar& scalar = kernel_.scalars[op.scalar];
  return {lowered::name(safe_name(scalar.name), scalar.dtype), nullptr};
}

Evaluated FunctionLowering::compute(ir::ValueId, const ir::Lookup& op) {
  const ir::Table& table = kernel_.tables[op.table];
  Evaluated result;
  const Expr index = operand(op.index, result);
  const auto size = static_cast<int64_t>(table.elements.size());
  if (const auto constant = lowered::constant_of(index)) {
    if (*constant < 0 || *constant >= size) return {lowered::zero(table.dtype), lowered::boolean(false)};
    return {lowered::literal(table.elements[static_cast<size_t>(*constant)], table.dtype), result.exists};
  }
  const Expr inside = lowered::call("inside", {index, lowered::integer(size)}, DType::boolean);
  result.exists = lowered::conjunction(result.exists, inside);
  const Expr element =
      lowered::element(lowered::name(table_name(kernel_, op.table), table.dtype), index, table.dtype);
  result.value = lowered::ternary(inside, element, lowered::zero(table.dtype));
  return result;
}

Expr FunctionLowering::presence(ir::ValueId id) {
  const ir::Value& value = kernel_.values[id];
  if (value.total) return nullptr;
  if (const auto* filter = std::get_if<ir::Filter>(&value.op)) {
    const Evaluated condition = eval(filter->condition);
    const Expr below = lowered::conjunction(condition.exists, presence(filter->operand));
    if (const auto known = lowered::constant_of(condition.value))
      return *known ? below : lowered::boolean(false);
    return lowered::conjunction(condition.value, below);
  }
  if (std::holds_alternative<ir::Reduce>(value.op)) return eval(id).exists;
  if (const auto* pick = std::get_if<ir::Pick>(&value.op))
    return picked(*pick, [&] { return presence(pick->operand); });
  if (const auto* either = std::get_if<ir::Coalesce>(&value.op))
    return lowered::binary("||", presence(either->operand), presence(either->fallback), DType::boolean);
  Expr exists;
  if (const auto* load = std::get_if<ir::Load>(&value.op)) {
    exists = has_elements(id, *load);
    indices(load->tensor, load->indices, load->in_bounds, exists);
  }
  for (ir::ValueId operand : ir::operands_of(value.op))
    exists = lowered::conjunction(exists, presence(operand));
  return exists;
}

Evaluated FunctionLowering::compute(ir::ValueId id, const ir::Unary& op) {
  Evaluated result;
  const Expr value = operand(op.operand, result);
  const DType type = kernel_.values[id].dtype;
  const bool integer = is_integer(type);
  switch (op.op) {
    case ir::UnaryOp::negate:
      result.value = integer && type != DType::index ? lowered::call("integer::negate", {value}, type)
                     : type == DType::index          ? lowered::multiply(lowered::integer(-1), value)
                                                     : lowered::unary("-", value, value->type);
      break;
    case ir::UnaryOp::logical_not:
      result.value = lowered::constant_of(value) ? lowered::boolean(*lowered::constant_of(value) == 0)
                                                 : lowered::unary("!", value, type);
      break;
    case ir::UnaryOp::bit_not:
      result.value = lowered::call(type_name(type), {lowered::unary("~", value, type)}, type);
      break;
    case ir::UnaryOp::absolute:
      result.value = lowered::call(integer ? "integer::abs" : "math::abs", {value}, value->type);
      break;
    case ir::UnaryOp::floor: result.value = lowered::call("math::floor", {value}, value->type); break;
    case ir::UnaryOp::ceil: result.value = lowered::call("math::ceil", {value}, value->type); break;
    case ir::UnaryOp::round: result.value = lowered::call("math::round", {value}, value->type); break;
    case ir::UnaryOp::truncate: result.value = lowered::call("math::trunc", {value}, value->type); break;
    case ir::UnaryOp::round_tf32:
      result.value = lowered::call("math::round_tf32", {value}, value->type);
      break;
    case ir::UnaryOp::split: result.value = value; break;
  }
  return result;
}

// Coordinates of unrolled axes are numbers: what follows from them is decided here instead of at run time.
std::optional<Evaluated> FunctionLowering::fold(const ir::Binary& op, const Evaluated& left,
                                                const Evaluated& right) const {
  const auto a = lowered::constant_of(left.value), b = lowered::constant_of(right.value);
  if (left.exists || right.exists) return std::nullopt;
  const bool logical = op.op == ir::BinaryOp::logical_and || op.op == ir::BinaryOp::logical_or;
  if (logical && (a || b)) {
    const bool known = (a ? *a : *b) != 0, decides = known == (op.op == ir::BinaryOp::logical_or);
    return decides ? Evaluated{lowered::boolean(known), nullptr}
                   : Evaluated{(a ? right : left).value, nullptr};
  }
  if (!a || !b) return std::nullopt;
  switch (op.op) {
    case ir::BinaryOp::equal: return Evaluated{lowered::boolean(*a == *b), nullptr};
    case ir::BinaryOp::not_equal: return Evaluated{lowered::boolean(*a != *b), nullptr};
    case ir::BinaryOp::less: return Evaluated{lowered::boolean(*a < *b), nullptr};
    case ir::BinaryOp::less_equal: return Evaluated{lowered::boolean(*a <= *b), nullptr};
    case ir::BinaryOp::greater: return Evaluated{lowered::boolean(*a > *b), nullptr};
    case ir::BinaryOp::greater_equal: return Evaluated{lowered::boolean(*a >= *b), nullptr};
    default: return std::nullopt;
  }
}

// What the compiler divides by in one instruction.
bool FunctionLowering::is_power_of_two(const ir::Op& op) {
  const auto* constant = std::get_if<ir::Constant>(&op);
  int exponent = 0;
  return constant && std::abs(std::frexp(constant->value.real, &exponent)) == 0.5;
}

// One number that divides every element of a lane.
bool FunctionLowering::divides_lane(const ir::Binary& op) const {
  const ir::Value& right = kernel_.values[op.right];
  return right.dtype == DType::f32 && !is_power_of_two(right.op) &&
         !lane_among(analysis_.dependence.at(op.right).axes) &&
         lane_among(analysis_.dependence.at(op.left).axes) && sweep_ >= 0;
}

// Its reciprocal is taken once, where the number itself is known; the quotients keep their bits.
Expr FunctionLowering::divisor(ir::ValueId id, const Expr& value) {
  const size_t target = scope_of(id);
  auto& divisors = scopes_[target].loads;
  const std::string text = "Divisor(" + print(value) + ")";
  if (const auto known = divisors.find(text); known != divisors.end())
    return lowered::name(known->second, DType::f32);
  std::string name;
  at_scope(target, [&] {
    const auto* constant = std::get_if<ir::Constant>(&kernel_.values[id].op);
    name = named("by_" + (constant ? "constant" : name_for(id)));
    emit(lowered::Local{"Divisor", name, {}, lowered::call("Divisor", {value}, DType::f32), true, false},
         kernel_.values[id].span);
    scopes_.back().loads.emplace(text, name);
  });
  return lowered::name(name, DType::f32);
}

Evaluated FunctionLowering::compute(ir::ValueId id, const ir::Binary& op) {
  Evaluated left = eval(op.left), right = eval(op.right);
  left.value = as_float(left);
  right.value = as_float(right);
  if (auto folded = fold(op, left, right)) return *folded;
  Evaluated result;
  result.exists = lowered::conjunction(left.exists, right.exists);
  const DType type = kernel_.values[id].dtype;
  const DType carried = is_narrow_float(type) ? DType::f32 : type;
  const bool integer = is_integer(left.value->type);
  if (op.op == ir::BinaryOp::minimum || op.op == ir::BinaryOp::maximum) {
    result.value = lowered::call(op.op == ir::BinaryOp::minimum ? "minimum" : "maximum",
                                 {left.value, right.value}, carried);
  } else if (integer && type == DType::index && op.op == ir::BinaryOp::add) {
    result.value = lowered::add(left.value, right.value);
  } else if (integer && type == DType::index && op.op == ir::BinaryOp::subtract) {
    const auto b = lowered::constant_of(right.value);
    result.value = b ? lowered::add(left.value, lowered::integer(-*b))
                     : lowered::binary("-", left.value, right.value, type);
  } else if (integer && type == DType::index && op.op == ir::BinaryOp::multiply) {
    result.value = lowered::multiply(left.value, right.value);
  } else if (integer && integer_function(op.op)) {
    result.value = lowered::call(integer_function(op.op), {left.value, right.value}, carried);
  } else if (op.op == ir::BinaryOp::divide && divides_lane(op)) {
    result.value =
        lowered::with_vector_form(lowered::binary("/", left.value, divisor(op.right, right.value), carried));
  } else {
    result.value = lowered::binary(infix(op.op), left.value, right.value, carried);
    // The bits of narrow integers meet in an int.
    if (is_integer(carried) && size_in_bytes(carried) < 4)
      result.value = lowered::call(type_name(carried), {result.value}, carried);
  }
  return result;
}

Evaluated FunctionLowering::compute(ir::ValueId, const ir::FusedMultiplyAdd& op) {
  Evaluated result;
  Expr a = operand(op.a, result), b = operand(op.b, result), c = operand(op.c, result);
  const DType type = c->type;
  if (op.negate_product) a = lowered::unary("-", a, type);
  if (op.negate_addend) c = lowered::unary("-", c, type);
  result.value = lowered::call("math::fma", {a, b, c}, type);
  return result;
}

Evaluated FunctionLowering::compute(ir::ValueId, const ir::Math& op) {
  Evaluated result;
  std::vector<Expr> arguments;
  for (ir::ValueId argument : op.arguments) arguments.push_back(operand(argument, result));
  const DType type = arguments[0]->type;
  result.value = lowered::call("math::" + ir::spelling(op.function), std::move(arguments), type);
  if (op.function == ir::MathFunction::exp && type == DType::f32)
    result.value = lowered::with_vector_form(result.value);
  return result;
}

Evaluated FunctionLowering::compute(ir::ValueId id, const ir::Cast& op) {
  Evaluated result = eval(op.operand);
  const DType from = kernel_.values[op.operand].dtype, to = kernel_.values[id].dtype;
  if (to == from) return result;
  if (is_narrow_float(from) && to == DType::f32) {
    result.value = as_float(result);
    return result;
  }
  result.value = as_stored(is_narrow_float(from) ? as_float(result) : result.value, to);
  return result;
}

namespace {

// Whether a condition of the program decides if a value exists.
bool is_filtered(const ir::Kernel& kernel, ir::ValueId id) {
  std::set<ir::ValueId> visited;
  const std::function<bool(ir::ValueId)> visit = [&](ir::ValueId value) {
    if (!visited.insert(value).second) return false;
    const ir::Op& op = kernel.values[value].op;
    return std::holds_alternative<ir::Filter>(op) ||
           (!std::holds_alternative<ir::Load>(op) && std::ranges::any_of(ir::operands_of(op), visit));
  };
  return visit(id);
}

// A choice that a condition of the program decides. Compilers must not recognise an extreme of integers in it (runtime:
// opaque()), whatever types it is written in: they look through conversions. One hidden value in its arm is enough.
Expr choice(Expr condition, Expr if_true, Expr if_false) {
  if (is_integer(if_true->type)) {
    Expr& hidden = lowered::constant_of(if_false) ? if_true : if_false;
    if (!lowered::constant_of(hidden)) hidden = lowered::call("opaque", {hidden}, hidden->type);
  }
  return lowered::ternary(std::move(condition), std::move(if_true), std::move(if_false));
}

}  // namespace

Evaluated FunctionLowering::compute(ir::ValueId, const ir::Select& op) {
  const Evaluated condition = eval(op.condition);
  if (const auto known = lowered::constant_of(condition.value); known && !condition.exists)
    return eval(*known ? op.if_true : op.if_false);
  Evaluated a = eval(op.if_true), b = eval(op.if_false);
  if (a.value->type != b.value->type) {
    a.value = as_float(a);
    b.value = as_float(b);
  }
  Evaluated result{choice(condition.value, a.value, b.value), condition.exists};
  if (a.exists || b.exists) {
    const Expr yes = lowered::boolean(true);
    result.exists = lowered::conjunction(
        result.exists,
        lowered::ternary(condition.value, a.exists ? a.exists : yes, b.exists ? b.exists : yes));
  }
  return result;
}

Evaluated FunctionLowering::compute(ir::ValueId, const ir::Filter& op) {
  const Evaluated condition = eval(op.condition);
  Evaluated result = eval(op.operand);
  const auto known = lowered::constant_of(condition.value);
  Expr holds = known && *known ? nullptr : condition.value;
  result.zero_if_absent &= !condition.exists && !holds;
  result.exists = lowered::conjunction(lowered::conjunction(condition.exists, holds), result.exists);
  return result;
}

namespace {

bool is_zero(const Evaluated& evaluated) {
  const Expression& value = *evaluated.value;
  if (evaluated.exists || value.kind != Expression::Kind::literal) return false;
  return is_float(value.type) ? value.value.real == 0 && !std::signbit(value.value.real)
                              : value.value.integer == 0;
}

}  // namespace

Evaluated FunctionLowering::compute(ir::ValueId, const ir::Coalesce& op) {
  Evaluated left = eval(op.operand);
  if (!left.exists) return left;
  if (const auto known = lowered::constant_of(left.exists); known && *known == 0) return eval(op.fallback);
  Evaluated right = eval(op.fallback);
  if (left.zero_if_absent && is_zero(right)) return {left.value, nullptr};
  if (left.value->type != right.value->type) {
    left.value = as_float(left);
    right.value = as_float(right);
  }
  const auto chosen = is_filtered(kernel_, op.operand) ? choice : lowered::ternary;
  Evaluated result{chosen(left.exists, left.value, right.value), nullptr};
  if (right.exists) result.exists = lowered::binary("||", left.exists, right.exists, DType::boolean);
  return result;
}

Evaluated FunctionLowering::compute(ir::ValueId, const ir::Dot&) {
  unreachable("products became sums before they were planned for single threads");
}

Evaluated FunctionLowering::compute(ir::ValueId, const ir::Pick& op) {
  return picked(op, [&] { return eval(op.operand); });
}

}  // namespace tessera::emit
