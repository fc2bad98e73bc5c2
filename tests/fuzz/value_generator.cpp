// SPDX-License-Identifier: Apache-2.0
// Random values: operations of each kind of type; see value_generator.h.
#include "fuzz/value_generator.h"

#include <algorithm>
#include <cmath>

#include "fuzz/number.h"

namespace tessera::fuzz {

namespace {

using enum Operation;

bool has(const std::vector<int>& axes, int axis) { return std::ranges::find(axes, axis) != axes.end(); }

bool has_all(const std::vector<int>& axes, const std::vector<int>& must) {
  return std::ranges::all_of(must, [&](int axis) { return has(axes, axis); });
}

}  // namespace

DType ValueGenerator::any_type() {
  std::vector<DType> types = {DType::i32, DType::i32};
  if (on_.floats) types.insert(types.end(), {DType::f32, DType::f32});
  if (on_.narrow_floats) types.insert(types.end(), {DType::bf16, DType::f16, DType::f32});
  if (on_.narrow_integers) types.insert(types.end(), {DType::i8, DType::u8, DType::i16, DType::u16});
  if (on_.wide_integers) types.insert(types.end(), {DType::i64, DType::u32});
  if (on_.doubles) types.push_back(DType::f64);
  types.push_back(DType::boolean);
  return choices_.one_of(types);
}

DType ValueGenerator::factor_type(DType sum) {
  if (sum == DType::f32) {
    if (!on_.narrow_floats || program_.rounds_to_tf32) return DType::f32;
    return choices_.one_of<DType>(
        {DType::bf16, DType::bf16, DType::f16, DType::f32, DType::fp8_e4m3, DType::fp8_e5m2});
  }
  if (sum == DType::i32) return choices_.one_of<DType>({DType::i8, DType::i8, DType::u8, DType::i16});
  return sum;
}

Expression ValueGenerator::literal(DType type) {
  if (type == DType::boolean) return make_literal(type, choices_.between(0, 1));
  if (is_unsigned_integer(type)) return make_literal(type, choices_.between(0, 7));
  return make_literal(type, choices_.between(-5, 7));
}

/// `?? literal` behind what may be missing, or nothing where it need not exist. Zero has ways of its own: loads that give
/// it anyway.
Expression ValueGenerator::ensured(Expression value, bool total) {
  if (value.is_total || !total) return value;
  Expression fallback = choices_.chance(35) ? make_literal(value.type, 0) : literal(value.type);
  return make_otherwise(program_, std::move(value), std::move(fallback));
}

Expression ValueGenerator::value(DType type, const std::vector<int>& axes, int depth, bool total) {
  if (depth <= 0 || choices_.chance(12)) return leaf(type, axes, total);
  if (choices_.chance(50)) {
    if (auto result = common(type, axes, depth, total)) return std::move(*result);
  }
  if (type == DType::boolean) return truth(axes, depth, total);
  if (type == DType::index) return index_value(axes, depth, total);
  if (is_narrow_float(type)) return narrow(type, axes, depth, total);
  return is_float(type) ? real(type, axes, depth, total) : whole(type, axes, depth, total);
}

Expression ValueGenerator::value_with(DType type, const std::vector<int>& axes, const std::vector<int>& must,
                                      int depth, bool total) {
  for (int attempt = 0; attempt < 3; ++attempt) {
    Expression result = value(type, axes, depth, total);
    if (has_all(result.axes, must)) return result;
  }
  return ensured(load(type, must, false), total);
}

/// What all types have: choices, folds, products, casts, replaced absence.
std::optional<Expression> ValueGenerator::common(DType type, const std::vector<int>& axes, int depth,
                                                 bool total) {
  switch (choices_.between(0, 9)) {
    case 0: {
      Expression other = choices_.chance(30) ? literal(type) : value(type, axes, depth - 1, total);
      return make_where(program_, truth(axes, depth - 1, true), value(type, axes, depth - 1, total),
                        std::move(other));
    }
    case 1: {
      if (!on_.absence) return std::nullopt;
      Expression some =
          make_where(program_, truth(axes, depth - 1, true), value(type, axes, depth - 1, false));
      return ensured(std::move(some), total);
    }
    case 2: {
      if (!on_.absence) return std::nullopt;
      return make_otherwise(program_, value(type, axes, depth - 1, false),
                            value(type, axes, depth - 1, total));
    }
    case 3:
    case 4:
    case 5: {
      auto result = fold(type, axes, depth);
      if (result) return ensured(std::move(*result), total);
      return std::nullopt;
    }
    case 6:
    case 7: return product(type, axes, depth);
    default: {
      if (!on_.casts || type == DType::boolean) return std::nullopt;
      DType from = other_type(type);
      if (from == type) return std::nullopt;
      return fitted(program_, value(from, axes, depth - 1, total), type);
    }
  }
}

DType ValueGenerator::other_type(DType type) {
  std::vector<DType> types = {DType::i32, DType::i32};
  if (on_.narrow_integers) types.insert(types.end(), {DType::i8, DType::u8, DType::i16});
  if (on_.wide_integers) types.push_back(DType::i64);
  if (on_.floats || is_narrow_float(type)) types.push_back(DType::f32);
  if (on_.narrow_floats) types.insert(types.end(), {DType::bf16, DType::f16});
  if (is_narrow_float(type)) return DType::f32;
  return choices_.one_of(types);
}

Expression ValueGenerator::whole(DType type, const std::vector<int>& axes, int depth, bool total) {
  const auto next = [&] { return value(type, axes, depth - 1, total); };
  const auto constant = [&](std::int64_t low, std::int64_t high) {
    return make_literal(type, choices_.between(low, high));
  };
  switch (choices_.between(0, 10)) {
    case 10: {
      auto counted = fold(DType::index, axes, depth);
      if (!counted) return next();
      return make_cast(ensured(std::move(*counted), total), type);
    }
    case 0: return make_binary(program_, divide, next(), constant(2, 5));
    case 1: return make_binary(program_, remainder, next(), constant(2, 7));
    case 2:
      return make_binary(program_, choices_.chance(50) ? shift_left : shift_right, next(), constant(0, 3));
    case 3: return make_binary(program_, multiply, next(), literal(type));
    case 4: return make_unary(choices_.one_of<Operation>({absolute, complement, negative}), next());
    case 5:
      return make_binary(program_, choices_.one_of<Operation>({bit_and, bit_or, bit_xor}), next(), next());
    case 6: return make_binary(program_, choices_.one_of<Operation>({minimum, maximum}), next(), next());
    default:
      return make_binary(program_, choices_.one_of<Operation>({add, subtract, multiply}), next(), next());
  }
}

Expression ValueGenerator::real(DType type, const std::vector<int>& axes, int depth, bool total) {
  const auto next = [&] {
    // Narrow operands widen by themselves.
    const bool is_narrow = type == DType::f32 && on_.narrow_floats && choices_.chance(35);
    return value(is_narrow ? choices_.one_of<DType>({DType::bf16, DType::f16}) : type, axes, depth - 1,
                 total);
  };
  const Operation operation =
      choices_.one_of<Operation>({add, subtract, multiply, minimum, maximum, negative, absolute});
  Expression left = next();
  if (operation == negative || operation == absolute)
    return left.type == type ? make_unary(operation, std::move(left)) : make_cast(std::move(left), type);
  Expression right = choices_.chance(25) ? literal(left.type) : next();
  Expression result = make_binary(program_, operation, left, right);
  if (result.bound > exact_limit(type))
    result = make_binary(program_, minimum, std::move(left), std::move(right));
  return result.type == type ? result : fitted(program_, std::move(result), type);
}

Expression ValueGenerator::narrow(DType type, const std::vector<int>& axes, int depth, bool total) {
  if (choices_.chance(50)) return fitted(program_, value(DType::f32, axes, depth - 1, total), type);
  return make_binary(program_, choices_.one_of<Operation>({minimum, maximum}),
                     value(type, axes, depth - 1, total), value(type, axes, depth - 1, total));
}

Expression ValueGenerator::truth(const std::vector<int>& axes, int depth, bool total) {
  if (depth > 0 && choices_.chance(20)) {
    if (choices_.chance(30)) return make_unary(negation, truth(axes, depth - 1, total));
    return make_binary(program_, choices_.chance(50) ? logical_and : logical_or,
                       truth(axes, depth - 1, total), truth(axes, depth - 1, total));
  }
  if (choices_.chance(10)) return leaf(DType::boolean, axes, total);
  DType type = any_type();
  if (type == DType::boolean) type = DType::i32;
  Expression left = value(type, axes, depth - 1, total);
  const auto operation =
      choices_.one_of<Operation>({equal, unequal, less, less_equal, greater, greater_equal});
  Expression right = choices_.chance(50) ? literal(left.type) : value(type, axes, depth - 1, total);
  return make_binary(program_, operation, std::move(left), std::move(right));
}

Expression ValueGenerator::index_value(const std::vector<int>& axes, int depth, bool total) {
  Expression left = leaf(DType::index, axes, total);
  if (choices_.chance(40)) return left;
  const auto operation = choices_.one_of<Operation>({add, subtract, minimum, maximum});
  return make_binary(program_, operation, std::move(left), value(DType::i32, axes, depth - 1, total));
}

// ---- folds and products ----

double ValueGenerator::count_of(int id) const {
  const Binder& one = binder(id);
  double count = static_cast<double>(symbol_of(id).most());
  if (one.to >= 0) count = std::min(count, static_cast<double>(one.to - one.from));
  if (one.step == Step::semantic) count = std::min(count, static_cast<double>(one.step_size));
  return std::max(count, 1.0);
}

bool ValueGenerator::is_never_empty(int id) const {
  const Binder& one = binder(id);
  if (!one.relation.empty() || one.to >= 0) return false;
  return one.kind == BinderKind::loop || symbol_of(id).least() >= 1;
}

bool ValueGenerator::is_bounded(int id) const {
  const Binder& one = binder(id);
  return one.step != Step::none || is_scalar(one) || symbol_of(id).name.empty() || symbol_of(id).limit > 0;
}

std::vector<int> ValueGenerator::related_axes(const std::vector<int>& ranges) const {
  std::vector<int> axes = ranges;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    for (const Conjunct& conjunct : binder(axes[i]).relation) {
      for (const auto& [axis, scale] : conjunct.affine.terms) {
        if (!has(axes, axis)) axes.push_back(axis);
      }
    }
  }
  return axes;
}

/// One or two ranges to fold: a whole dimension, a window, a part, or what a loop around takes in steps.
std::vector<int> ValueGenerator::fold_ranges(const std::vector<int>& axes) {
  if (!loop_ranges.empty() && choices_.chance(60)) {
    std::vector<int> ranges = {loop_ranges.back()};
    return ranges;
  }
  std::vector<int> ranges;
  const int wanted = choices_.chance(85) ? 1 : 2;
  for (int i = 0; i < wanted; ++i) {
    const int chosen = static_cast<int>(choices_.between(0, 9));
    int id = -1;
    if (chosen < 5) {
      std::vector<int> named;
      for (std::size_t s = 0; s < program_.symbols.size(); ++s) {
        if (!program_.symbols[s].name.empty()) named.push_back(static_cast<int>(s));
      }
      id = colon_of(choices_.one_of(named));
    } else if (chosen < 8) {
      id = add_symbol_binder(BinderKind::let,
                             literal_symbol(choices_.one_of<std::int64_t>({1, 2, 3, 4, 5, 8})));
      lets_.push_back(id);
    } else {
      id = add_symbol_binder(BinderKind::let, static_cast<int>(choices_.between(0, 1)));
      Binder& one = program_.binders[static_cast<std::size_t>(id)];
      if (on_.parts && choices_.chance(40)) {
        one.from = choices_.between(0, 3);
        one.to = one.from + choices_.between(1, 9);
      }
      if (on_.relations) one.relation = relation(id, axes);
      lets_.push_back(id);
    }
    if (!has(ranges, id)) ranges.push_back(id);
  }
  return ranges;
}

std::vector<Conjunct> ValueGenerator::relation(int id, const std::vector<int>& others) {
  std::vector<int> candidates;
  for (const int axis : others) {
    if (binder(axis).kind != BinderKind::colon && axis != id) candidates.push_back(axis);
  }
  std::vector<Conjunct> result;
  const int wanted = static_cast<int>(choices_.between(1, 2));
  for (int i = 0; i < wanted; ++i) {
    Conjunct one;
    one.affine.terms.emplace_back(id, choices_.one_of<std::int64_t>({1, 1, 1, 2, -1}));
    if (!candidates.empty())
      one.affine.terms.emplace_back(choices_.one_of(candidates),
                                    choices_.one_of<std::int64_t>({-1, -1, -1, 1, -2}));
    one.affine.offset = choices_.between(-5, 5);
    if (choices_.chance(25)) {
      one.modulus = choices_.between(2, 3);
      one.operation = choices_.chance(70) ? equal : unequal;
    } else {
      one.operation =
          choices_.one_of<Operation>({less_equal, less_equal, less, greater_equal, greater, unequal});
    }
    result.push_back(std::move(one));
  }
  return result;
}

Expression ValueGenerator::fold_over(const std::vector<int>& folded, DType type, const std::vector<int>& axes,
                                     int depth) {
  std::vector<Operation> operations = {sum, max, min};
  DType of = type;
  if (type == DType::boolean) operations = {any, all};
  if (type == DType::index) {
    operations = {count};
    if (on_.arg_folds && folded.size() == 1) operations = {count, argmax, argmin};
    of = choices_.one_of<DType>(
        {DType::i32, DType::i32, on_.floats ? DType::f32 : DType::i32, DType::boolean});
  }
  if (is_narrow_float(type)) operations = {max, min};
  if (is_integer(type) && type != DType::index) operations.push_back(prod);
  const Operation operation = choices_.one_of(operations);
  if ((operation == argmax || operation == argmin) && of == DType::boolean) of = DType::i32;
  if (operation == sum && type == DType::f32 && on_.narrow_floats && choices_.chance(40)) of = DType::bf16;
  std::vector<int> inside = axes;
  for (const int id : folded) {
    if (!has(inside, id)) inside.push_back(id);
  }
  const bool total = !on_.absence || choices_.chance(60);
  Expression argument = value_with(of, inside, related_axes(folded), depth - 1, total);
  double terms = 1;
  bool exists = true;
  for (const int id : folded) {
    terms *= count_of(id);
    exists = exists && is_never_empty(id);
  }
  if (operation == sum && is_float(type) && argument.bound * terms > exact_limit(type) / 2)
    argument = clamped(program_, std::move(argument), 1);
  return make_fold(program_, operation, folded, std::move(argument), terms, exists);
}

std::optional<Expression> ValueGenerator::fold(DType type, const std::vector<int>& axes, int depth) {
  if (!on_.folds) return std::nullopt;
  const std::vector<int> ranges = fold_ranges(axes);
  for (const int id : ranges) {  // an axis of the result is not folded away
    if (has(axes, id) && binder(id).kind == BinderKind::grid) return std::nullopt;
  }
  return fold_over(ranges, type, axes, depth);
}

std::optional<Expression> ValueGenerator::main_product(const std::vector<int>& axes) {
  std::vector<DType> types = {DType::i32};
  if (on_.floats || on_.narrow_floats || program_.rounds_to_tf32)
    types.insert(types.end(), {DType::f32, DType::f32});
  if (on_.doubles) types.push_back(DType::f64);
  std::vector<int> ranges = {colon_of(choices_.chance(75) ? 2 : 3)};
  if (choices_.chance(25)) ranges = fold_ranges(axes);
  return product_over(std::move(ranges), choices_.one_of(types), axes, profile_.depth);
}

std::optional<Expression> ValueGenerator::product(DType type, const std::vector<int>& axes, int depth) {
  if (program_.rounds_to_tf32 && type != DType::f32) return std::nullopt;
  if (!on_.products || (type != DType::i32 && type != DType::f32 && type != DType::f64 && type != DType::i64))
    return std::nullopt;
  return product_over(fold_ranges(axes), type, axes, depth);
}

Expression ValueGenerator::factor(DType type, const std::vector<int>& axes, const std::vector<int>& must,
                                  int depth) {
  if (depth > 1 && on_.computed_factors && choices_.chance(40)) {
    Expression computed = value_with(type, axes, must, depth - 2, !on_.absence || choices_.chance(70));
    if (std::ranges::all_of(computed.axes, [&](int axis) { return has(axes, axis); })) return computed;
  }
  std::vector<int> all = axes;
  for (const int axis : must) {
    if (!has(all, axis)) all.push_back(axis);
  }
  if (depth > 1 && on_.chained_products && choices_.chance(30)) {
    const std::vector<int> ranges = {colon_of(static_cast<int>(choices_.between(0, 3)))};
    const DType sum = is_float(type) ? (type == DType::f64 ? type : DType::f32) : DType::i32;
    const bool is_free = !has(all, ranges[0]);
    auto inner = is_free ? product_over(ranges, sum, all, depth - 2) : std::nullopt;
    if (inner && has_all(inner->axes, must)) return fitted(program_, std::move(*inner), type);
  }
  return load(type, all, choices_.chance(80));
}

std::optional<Expression> ValueGenerator::product_over(std::vector<int> folded, DType type,
                                                       std::vector<int> axes, int depth) {
  if (program_.rounds_to_tf32 && type != DType::f32) return std::nullopt;
  std::erase_if(axes, [&](int id) { return !is_bounded(id) || has(folded, id); });
  choices_.shuffle(axes);
  std::vector<int> left = related_axes(folded), right = left;
  const std::vector<int> must = left;
  bool is_plain = true;
  for (const int id : axes) {
    if (has(left, id)) continue;
    const std::int64_t side = choices_.between(0, 9);
    if (side == 0) continue;
    const bool both = side == 1 && on_.named_products;
    const bool to_left = both || left.size() < right.size() || (left.size() == right.size() && side < 6);
    if (to_left) left.push_back(id);
    if (!to_left || both) right.push_back(id);
    if (both && !is_scalar(binder(id))) is_plain = false;
  }
  const DType of = factor_type(type);
  DType other = of;
  if (of == DType::fp8_e4m3 && choices_.chance(40)) other = DType::fp8_e5m2;
  Expression a = factor(of, left, must, depth), b = factor(other, right, must, depth);
  double terms = 1;
  for (const int id : folded) terms *= count_of(id);
  if (is_float(type)) {
    const double most = exact_limit(type) / 2;
    if (a.bound * b.bound * terms > most) a = clamped(program_, std::move(a), 1);
    if (a.bound * b.bound * terms > most) b = clamped(program_, std::move(b), 1);
    if (program_.rounds_to_tf32 && (a.bound > 1024 || b.bound > 1024)) return std::nullopt;
  }
  if (!has_all(a.axes, must) || !has_all(b.axes, must)) return std::nullopt;
  return make_product(program_, std::move(folded), std::move(a), std::move(b), terms,
                      is_plain && choices_.chance(70));
}

}  // namespace tessera::fuzz
