// SPDX-License-Identifier: Apache-2.0
// Values and what is known of them; see values.h.
#include "fuzz/values.h"

#include <algorithm>
#include <cmath>

#include "fuzz/number.h"

namespace tessera::fuzz {

namespace {

/// What an operation of integers can give at most: everything, if it may wrap.
double wrapped_bound(DType type, double bound) {
  if (is_float(type)) return bound;
  return bound < greatest(type) ? bound : greatest(type);
}

double binary_bound(Operation operation, DType type, double a, double b) {
  switch (operation) {
    case Operation::add: return a + b;
    case Operation::subtract: return is_unsigned_integer(type) ? greatest(type) : a + b;
    case Operation::multiply: return a * b;
    case Operation::minimum:
    case Operation::maximum: return std::max(a, b);
    case Operation::divide: return a + 1;
    case Operation::remainder: return b;
    case Operation::shift_right: return a + 1;
    default: return greatest(type);
  }
}

bool gives_bool(Operation operation) {
  return (operation >= Operation::equal && operation <= Operation::greater_equal) ||
         operation == Operation::logical_and || operation == Operation::logical_or;
}

/// Whether a relation leaves out points of a value.
bool is_related(const Program& program, const Expression& e) {
  const auto has = [&](const std::pair<int, std::int64_t>& term) {
    const Binder& binder = program.binders[static_cast<std::size_t>(term.first)];
    return (binder.kind == BinderKind::grid && is_scalar(binder)) ||
           std::ranges::binary_search(e.axes, term.first);
  };
  return std::ranges::any_of(e.axes, [&](int axis) {
    const auto& relation = program.binders[static_cast<std::size_t>(axis)].relation;
    return std::ranges::any_of(relation,
                               [&](const Conjunct& c) { return std::ranges::all_of(c.affine.terms, has); });
  });
}

Expression finished(const Program& program, Expression e) {
  e.bound = wrapped_bound(e.type, e.bound);
  find_axes(program, e);
  if (is_related(program, e)) e.is_total = false;
  return e;
}

}  // namespace

DType meeting_type(DType a, DType b) {
  if (is_narrow_float(a) && is_float(b)) return DType::f32;
  if (is_narrow_float(b) && is_float(a)) return DType::f32;
  if (a == DType::index || b == DType::index) return DType::index;
  return a;
}

DType product_type(DType factor) {
  if (is_narrow_float(factor)) return DType::f32;
  if (is_integer(factor) && info(factor).bits < 32) return DType::i32;
  return factor;
}

DType fold_type(Operation operation, DType type) {
  switch (operation) {
    case Operation::count:
    case Operation::argmax:
    case Operation::argmin: return DType::index;
    case Operation::sum:
    case Operation::prod: return is_narrow_float(type) ? DType::f32 : type;
    default: return type;
  }
}

Expression make_literal(DType type, std::int64_t number) {
  Expression e{.kind = Kind::literal, .type = type, .number = number};
  e.bound = static_cast<double>(std::abs(number));
  return e;
}

Expression make_coordinate(int binder) {
  Expression e{.kind = Kind::coordinate, .type = DType::index, .binder = binder};
  e.bound = 1 << 12;
  e.axes = {binder};
  return e;
}

Expression make_extent(const Program& program, int symbol) {
  Expression e{.kind = Kind::extent, .type = DType::index, .number = symbol};
  e.bound = static_cast<double>(program.symbols[static_cast<std::size_t>(symbol)].most());
  return e;
}

Expression make_scalar(const Program& program, int scalar) {
  const Scalar& from = program.scalars[static_cast<std::size_t>(scalar)];
  Expression e{.kind = Kind::scalar, .type = from.type, .number = scalar};
  for (const std::int64_t value : from.values)
    e.bound = std::max(e.bound, static_cast<double>(std::abs(value)));
  return e;
}

Expression make_load(const Program& program, int tensor, std::vector<Expression> indices, bool is_inside) {
  const Tensor& from = program.tensors[static_cast<std::size_t>(tensor)];
  Expression e{.kind = Kind::load, .type = from.type, .tensor = tensor};
  e.bound = static_cast<double>(std::max(std::abs(from.low), std::abs(from.high)));
  e.is_total = is_inside;
  e.arguments = std::move(indices);
  return finished(program, std::move(e));
}

Expression make_local(const Program& program, int local, double bound, bool is_total) {
  Expression e{
      .kind = Kind::local, .type = program.locals[static_cast<std::size_t>(local)].type, .local = local};
  e.bound = bound;
  e.is_total = is_total;
  return finished(program, std::move(e));
}

Expression make_unary(Operation operation, Expression value) {
  Expression e{.kind = Kind::unary, .operation = operation, .type = arithmetic_type(value.type)};
  if (!is_float(value.type)) e.type = value.type;
  const bool may_wrap = operation == Operation::complement || is_unsigned_integer(value.type);
  e.bound = may_wrap ? greatest(value.type) : value.bound;
  e.is_total = value.is_total;
  e.axes = value.axes;
  e.arguments = {std::move(value)};
  return e;
}

Expression make_binary(const Program& program, Operation operation, Expression left, Expression right) {
  Expression e{.kind = Kind::binary, .operation = operation};
  const DType meeting = meeting_type(left.type, right.type);
  const bool keeps = operation == Operation::minimum || operation == Operation::maximum;
  e.type = gives_bool(operation) ? DType::boolean : is_narrow_float(meeting) && !keeps ? DType::f32 : meeting;
  e.bound = gives_bool(operation) ? 1 : binary_bound(operation, e.type, left.bound, right.bound);
  e.is_total = left.is_total && right.is_total;
  e.arguments = {std::move(left), std::move(right)};
  return finished(program, std::move(e));
}

Expression make_cast(Expression value, DType type) {
  Expression e{.kind = Kind::cast, .type = type};
  e.bound = wrapped_bound(type, is_unsigned_integer(type) ? greatest(type) : value.bound);
  e.is_total = value.is_total;
  e.axes = value.axes;
  e.arguments = {std::move(value)};
  return e;
}

Expression make_where(const Program& program, Expression condition, Expression value, Expression other) {
  Expression e{.kind = Kind::where_else, .type = meeting_type(value.type, other.type)};
  e.bound = std::max(value.bound, other.bound);
  e.is_total = condition.is_total && value.is_total && other.is_total;
  e.arguments = {std::move(condition), std::move(value), std::move(other)};
  return finished(program, std::move(e));
}

Expression make_where(const Program& program, Expression condition, Expression value) {
  Expression e{.kind = Kind::where_only, .type = value.type};
  e.bound = value.bound;
  e.is_total = false;
  e.arguments = {std::move(condition), std::move(value)};
  return finished(program, std::move(e));
}

Expression make_otherwise(const Program& program, Expression value, Expression other) {
  Expression e{.kind = Kind::otherwise, .type = meeting_type(value.type, other.type)};
  e.bound = std::max(value.bound, other.bound);
  e.is_total = value.is_total || other.is_total;
  e.arguments = {std::move(value), std::move(other)};
  return finished(program, std::move(e));
}

Expression make_fold(const Program& program, Operation operation, std::vector<int> folded, Expression value,
                     double count, bool exists) {
  Expression e{.kind = Kind::fold, .operation = operation, .type = fold_type(operation, value.type)};
  e.bound = value.bound;
  if (operation == Operation::sum) e.bound = value.bound * count;
  if (operation == Operation::prod) e.bound = is_float(value.type) ? 1e300 : greatest(value.type);
  if (e.type == DType::index && value.type != DType::index) e.bound = 1 << 12;
  if (operation == Operation::count || operation == Operation::argmax || operation == Operation::argmin)
    e.bound = std::max(count, 4096.0);
  const bool has_unit = operation == Operation::sum || operation == Operation::prod ||
                        operation == Operation::any || operation == Operation::all ||
                        operation == Operation::count;
  e.is_total = has_unit || (exists && value.is_total);
  e.folded = std::move(folded);
  e.arguments = {std::move(value)};
  return finished(program, std::move(e));
}

Expression make_product(const Program& program, std::vector<int> folded, Expression left, Expression right,
                        double count, bool is_plain) {
  Expression e{.kind = Kind::product, .type = product_type(left.type), .number = is_plain ? 1 : 0};
  e.bound = left.bound * right.bound * count;
  e.folded = std::move(folded);
  e.arguments = {std::move(left), std::move(right)};
  return finished(program, std::move(e));
}

Expression clamped(const Program& program, Expression value, std::int64_t limit) {
  if (value.bound <= static_cast<double>(limit)) return value;
  const DType type = value.type;
  Expression above = make_binary(program, Operation::minimum, std::move(value), make_literal(type, limit));
  if (!is_unsigned_integer(type) || type == DType::index)
    above = make_binary(program, Operation::maximum, std::move(above), make_literal(type, -limit));
  above.bound = static_cast<double>(limit);
  return above;
}

Expression fitted(const Program& program, Expression value, DType type) {
  if (value.type == type) return value;
  if (is_float(type))
    value = clamped(program, std::move(value), static_cast<std::int64_t>(exact_limit(type)));
  return make_cast(std::move(value), type);
}

}  // namespace tessera::fuzz
