// SPDX-License-Identifier: Apache-2.0
// Rules of error propagation; see inexact.h.
#include "commands/inexact.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/check.h"
#include "interp/integer_rules.h"
#include "interp/storage.h"
#include "tessera/math.h"
#include "tessera/math/info.h"
#include "tessera/numbers.h"

namespace tessera::commands {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

using interp::IntegerType;

/// Largest finite number and smallest distance of a float type, as doubles.
struct Range {
  double largest;
  double denormal;  // the unit in the last place of the smallest numbers
};

Range range_of(DType dtype) {
  switch (dtype) {
    case DType::f64: return {std::numeric_limits<double>::max(), std::numeric_limits<double>::denorm_min()};
    case DType::f32: return {std::numeric_limits<float>::max(), std::numeric_limits<float>::denorm_min()};
    case DType::bf16: return {0x1.fep127, 0x1p-133};
    case DType::f16: return {65504, 0x1p-24};
    case DType::fp8_e4m3: return {448, 0x1p-9};
    case DType::fp8_e5m2: return {57344, 0x1p-16};
    default: unreachable("only floats are rounded");
  }
}

/// How often what is rounded once is: the value itself is f64.
double times_rounded(DType dtype) { return dtype == DType::f64 ? 2 : 1; }

/// A float result: the errors it inherits, and a rounding of `roundings` half units in the last place.
Inexact rounded(double value, double inherited, DType dtype, double roundings = 1) {
  const Range range = range_of(dtype);
  roundings *= times_rounded(dtype);
  if (std::isnan(inherited)) inherited = kUnknown;  // 0 times anything
  const double magnitude = std::fabs(value) + inherited;
  double error = inherited + roundings * (info(dtype).unit_roundoff * magnitude + range.denormal / 2);
  // Past the largest number the implementation has an infinity where exact arithmetic has none. An infinite
  // or NaN value itself is met exactly or not at all.
  if (std::isfinite(value) && magnitude > range.largest) error = kUnknown;
  if (!std::isfinite(value)) error = inherited == kUnknown ? kUnknown : 0;
  return {value, 0, error, true};
}

Inexact exact_integer(int64_t value, bool known = true) { return {0, value, known ? 0 : kUnknown, true}; }

bool known(const Inexact& a) { return a.error == 0; }

/// Bounds of a division's inherited error.
double quotient_error(const Inexact& a, const Inexact& b) {
  const double smallest = std::fabs(b.real) - b.error;
  if (b.error == 0) return a.error == 0 ? 0 : a.error / std::fabs(b.real);
  if (!(smallest > 0)) return kUnknown;
  return (a.error + std::fabs(a.real / b.real) * b.error) / smallest;
}

/// -1, 0, 1, or 2 when a NaN makes them unordered.
int order(double a, double b) { return a < b ? -1 : a == b ? 0 : a > b ? 1 : 2; }

bool compare(ir::BinaryOp op, int order) {
  switch (op) {
    case ir::BinaryOp::equal: return order == 0;
    case ir::BinaryOp::not_equal: return order != 0;
    case ir::BinaryOp::less: return order == -1;
    case ir::BinaryOp::less_equal: return order == -1 || order == 0;
    case ir::BinaryOp::greater: return order == 1;
    case ir::BinaryOp::greater_equal: return order == 1 || order == 0;
    default: unreachable("a comparison");
  }
}

Inexact binary_float(ir::BinaryOp op, DType dtype, const Inexact& a, const Inexact& b) {
  if (is_comparison(op)) {
    const double doubt = a.error + b.error;
    const bool tips = doubt > 0 && !(std::fabs(a.real - b.real) > doubt);
    return exact_integer(compare(op, order(a.real, b.real)) ? 1 : 0, !tips);
  }
  switch (op) {
    case ir::BinaryOp::add: return rounded(a.real + b.real, a.error + b.error, dtype);
    case ir::BinaryOp::subtract: return rounded(a.real - b.real, a.error + b.error, dtype);
    case ir::BinaryOp::multiply: {
      double inherited = 0;  // without 0 * infinity, which would make a NaN of an exact operand
      if (b.error > 0) inherited += (std::fabs(a.real) + a.error) * b.error;
      if (a.error > 0) inherited += std::fabs(b.real) * a.error;
      return rounded(a.real * b.real, inherited, dtype);
    }
    case ir::BinaryOp::divide: return rounded(a.real / b.real, quotient_error(a, b), dtype);
    case ir::BinaryOp::minimum: return {minimum(a.real, b.real), 0, std::max(a.error, b.error), true};
    case ir::BinaryOp::maximum: return {maximum(a.real, b.real), 0, std::max(a.error, b.error), true};
    default: unreachable("an operation of floats");
  }
}

int64_t binary_integer(ir::BinaryOp op, DType dtype, int64_t a, int64_t b) {
  const auto bits = [](int64_t x) { return static_cast<uint64_t>(x); };
  if (op == ir::BinaryOp::logical_and) return a != 0 && b != 0;
  if (op == ir::BinaryOp::logical_or) return a != 0 || b != 0;
  const IntegerType type(dtype);
  if (is_comparison(op)) return compare(op, type.less(a, b) ? -1 : a == b ? 0 : 1);
  switch (op) {
    case ir::BinaryOp::add: return type.wrap(bits(a) + bits(b));
    case ir::BinaryOp::subtract: return type.wrap(bits(a) - bits(b));
    case ir::BinaryOp::multiply: return type.wrap(bits(a) * bits(b));
    case ir::BinaryOp::divide: return type.divide(a, b);
    case ir::BinaryOp::modulo: return type.modulo(a, b);
    case ir::BinaryOp::minimum: return type.less(b, a) ? b : a;
    case ir::BinaryOp::maximum: return type.less(a, b) ? b : a;
    case ir::BinaryOp::bit_and: return a & b;
    case ir::BinaryOp::bit_or: return a | b;
    case ir::BinaryOp::bit_xor: return a ^ b;
    case ir::BinaryOp::shift_left: return type.shift_left(a, b);
    case ir::BinaryOp::shift_right: return type.shift_right(a, b);
    default: unreachable("an operation of integers");
  }
}

double math_value(ir::MathFunction function, double x) {
  using ir::MathFunction;
  switch (function) {
    case MathFunction::exp:
    case MathFunction::exp_fast: return math::exp(x);
    case MathFunction::exp2:
    case MathFunction::exp2_fast: return math::exp2(x);
    case MathFunction::expm1: return math::expm1(x);
    case MathFunction::log: return math::log(x);
    case MathFunction::log2: return math::log2(x);
    case MathFunction::log1p: return math::log1p(x);
    case MathFunction::sqrt: return math::sqrt(x);
    case MathFunction::rsqrt: return math::rsqrt(x);
    case MathFunction::sin: return math::sin(x);
    case MathFunction::cos: return math::cos(x);
    case MathFunction::tanh: return math::tanh(x);
    case MathFunction::erf: return math::erf(x);
    case MathFunction::sigmoid: return math::sigmoid(x);
    case MathFunction::gelu: return math::gelu(x);
    case MathFunction::gelu_tanh: return math::gelu_tanh(x);
    case MathFunction::silu: return math::silu(x);
    case MathFunction::relu: return math::relu(x);
    case MathFunction::pow: break;
  }
  unreachable("a function of one argument");
}

/// How much a function can stretch an error, where that is bounded everywhere; else 0, and the function is
/// monotonic.
double lipschitz(ir::MathFunction function) {
  switch (function) {
    case ir::MathFunction::sin:
    case ir::MathFunction::cos:
    case ir::MathFunction::relu: return 1;
    case ir::MathFunction::gelu:
    case ir::MathFunction::gelu_tanh: return 1.13;
    case ir::MathFunction::silu: return 1.1;
    default: return 0;
  }
}

/// How far f moves when its argument moves by `error`.
double moved(ir::MathFunction function, double x, double value, double error) {
  if (error == 0) return 0;
  if (const double factor = lipschitz(function); factor > 0) return factor * error;
  const double low = math_value(function, x - error), high = math_value(function, x + error);
  if (std::isnan(low) || std::isnan(high)) return kUnknown;  // the domain ends in between
  return std::max(std::fabs(high - value), std::fabs(value - low));
}

const math::MathInfo& info_of(ir::MathFunction function) {
  const std::string name = ir::spelling(function);
  for (const math::MathInfo& row : math::kMathInfo) {
    if (name == row.name) return row;
  }
  unreachable("every function has a row in math/info.h");
}

/// Half units in the last place that a function's own rounding takes.
double roundings_of(ir::MathFunction function, DType dtype, double x) {
  const math::MathInfo& row = info_of(function);
  if (row.fast_relative > 0) return 2 + row.fast_relative * (1 + std::fabs(x)) / info(dtype).unit_roundoff;
  // One unit in the last place is at most two roundoffs of the value.
  return 2 * (dtype == DType::f64 ? row.ulp_f64 : row.ulp_f32);
}

Inexact power(DType dtype, const Inexact& a, const Inexact& b) {
  const double value = math::pow(a.real, b.real);
  double inherited = 0;
  if (a.error > 0 || b.error > 0) {
    for (const double x : {a.real - a.error, a.real + a.error}) {
      for (const double y : {b.real - b.error, b.real + b.error}) {
        const double corner = std::fabs(math::pow(x, y) - value);
        inherited = std::isnan(corner) ? kUnknown : std::max(inherited, corner);
      }
    }
    // Between the corners the power is monotonic as long as the base stays on one side of 0.
    if (a.real - a.error <= 0 && a.real + a.error >= 0) inherited = kUnknown;
  }
  return rounded(value, inherited, dtype, roundings_of(ir::MathFunction::pow, dtype, a.real));
}

Inexact float_to_integer(DType to, const Inexact& a) {
  const auto convert_real = [to](double x) {
    return interp::with_storage(to, [x]<typename Tag>(Tag) {
      using Integer = typename Tag::Type;
      if constexpr (std::is_integral_v<Integer>) return static_cast<int64_t>(convert<Integer>(x));
      unreachable("an integer type");
      return int64_t{0};
    });
  };
  const int64_t value = convert_real(a.real);
  return exact_integer(value, known(a) || (convert_real(a.real - a.error) == value &&
                                           convert_real(a.real + a.error) == value));
}

double integer_as_real(DType dtype, int64_t value) {
  return IntegerType(dtype).is_wide_unsigned() ? static_cast<double>(static_cast<uint64_t>(value))
                                               : static_cast<double>(value);
}

/// The value is rounded like the number; where it is not known to the last bit, the other neighbour is possible.
Inexact to_tf32(const Inexact& a) {
  constexpr double kSmallest = 0x1p-136;  // the distance of denormals
  const double value = math::round_tf32(static_cast<float>(a.real));
  const double step = known(a) ? 0 : 0x1p-10 * (std::fabs(a.real) + a.error) + kSmallest;
  return {value, 0, a.error + step, true};
}

}  // namespace

Inexact inexact_constant(const ir::Literal& literal, DType dtype) {
  if (!is_float(dtype)) return exact_integer(literal.integer);
  const Inexact value = rounded(literal.real, 0, dtype);
  const bool fits = interp::with_storage(dtype, [&]<typename Tag>(Tag) {
    return convert<double>(convert<typename Tag::Type>(literal.real)) == literal.real;
  });
  return fits ? Inexact{literal.real, 0, 0, true} : value;
}

Inexact inexact_unary(ir::UnaryOp op, DType dtype, const Inexact& a) {
  if (op == ir::UnaryOp::logical_not) return exact_integer(a.integer == 0 ? 1 : 0, known(a));
  if (!is_float(dtype)) {
    const IntegerType type(dtype);
    const auto bits = static_cast<uint64_t>(a.integer);
    switch (op) {
      case ir::UnaryOp::negate: return exact_integer(type.wrap(-bits), known(a));
      case ir::UnaryOp::bit_not: return exact_integer(type.wrap(~bits), known(a));
      case ir::UnaryOp::absolute:
        return exact_integer(type.is_signed && a.integer < 0 ? type.wrap(-bits) : a.integer, known(a));
      default: return a;  // rounding an integer to an integer
    }
  }
  const auto stepped = [&](double (*f)(double)) {
    const double value = f(a.real);
    const bool same = f(a.real - a.error) == value && f(a.real + a.error) == value;
    return Inexact{value, 0, known(a) || same ? 0 : a.error + 1, true};
  };
  switch (op) {
    case ir::UnaryOp::negate: return {-a.real, 0, a.error, true};
    case ir::UnaryOp::absolute: return {std::fabs(a.real), 0, a.error, true};
    case ir::UnaryOp::floor: return stepped([](double x) { return std::floor(x); });
    case ir::UnaryOp::ceil: return stepped([](double x) { return std::ceil(x); });
    case ir::UnaryOp::round: return stepped([](double x) { return math::round(x); });
    case ir::UnaryOp::truncate: return stepped([](double x) { return std::trunc(x); });
    case ir::UnaryOp::round_tf32: return to_tf32(a);
    case ir::UnaryOp::split: return a;
    default: unreachable("an operation of floats");
  }
}

Inexact inexact_binary(ir::BinaryOp op, DType dtype, const Inexact& a, const Inexact& b) {
  if (is_float(dtype)) return binary_float(op, dtype, a, b);
  return exact_integer(binary_integer(op, dtype, a.integer, b.integer), known(a) && known(b));
}

Inexact inexact_fused(const ir::FusedMultiplyAdd& op, DType dtype, const Inexact& a, const Inexact& b,
                      const Inexact& c) {
  const Inexact product = rounded(a.real * b.real, 0, DType::f64, 0);
  double inherited = c.error;
  if (b.error > 0) inherited += (std::fabs(a.real) + a.error) * b.error;
  if (a.error > 0) inherited += std::fabs(b.real) * a.error;
  const double value =
      std::fma(op.negate_product ? -a.real : a.real, b.real, op.negate_addend ? -c.real : c.real);
  // The product is not rounded, but may overflow on the way in the type of the result.
  if (product.error == kUnknown) inherited = kUnknown;
  return rounded(value, inherited, dtype);
}

Inexact inexact_math(ir::MathFunction function, DType dtype, std::span<const Inexact> arguments) {
  if (function == ir::MathFunction::pow) return power(dtype, arguments[0], arguments[1]);
  const Inexact& a = arguments[0];
  const double value = math_value(function, a.real);
  Inexact result =
      rounded(value, moved(function, a.real, value, a.error), dtype, roundings_of(function, dtype, a.real));
  // The fast forms give 0 for results below 2^-125.
  if (info_of(function).fast_relative > 0) result.error += 0x1p-125;
  return result;
}

Inexact inexact_cast(DType from, DType to, const Inexact& a) {
  if (is_float(from) && is_float(to)) {
    // Every number of a type is one of a wider type.
    const bool widens =
        info(to).unit_roundoff <= info(from).unit_roundoff && range_of(to).largest >= range_of(from).largest;
    return widens ? a : rounded(a.real, a.error, to);
  }
  if (is_float(from)) {
    if (is_bool(to)) return exact_integer(a.real != 0 ? 1 : 0, known(a) || std::fabs(a.real) > a.error);
    return float_to_integer(to, a);
  }
  if (is_float(to)) {
    const double value = is_bool(from) ? static_cast<double>(a.integer) : integer_as_real(from, a.integer);
    if (!known(a)) return {value, 0, kUnknown, true};
    return std::fabs(value) * info(to).unit_roundoff <= 0.5 ? Inexact{value, 0, 0, true}
                                                            : rounded(value, 0, to);
  }
  if (is_bool(to)) return exact_integer(a.integer != 0 ? 1 : 0, known(a));
  return exact_integer(IntegerType(to).wrap(static_cast<uint64_t>(a.integer)), known(a));
}

Inexact inexact_select(DType dtype, const Inexact& condition, const Inexact& if_true,
                       const Inexact& if_false) {
  Inexact chosen = condition.integer != 0 ? if_true : if_false;
  if (known(condition)) return chosen;
  const Inexact& other = condition.integer != 0 ? if_false : if_true;
  if (!chosen.exists || !other.exists || !is_float(dtype)) {
    chosen.exists = chosen.exists || other.exists;
    const bool equal = if_true.exists && if_false.exists && known(if_true) && known(if_false) &&
                       if_true.integer == if_false.integer;
    chosen.error = equal && !is_float(dtype) ? 0 : kUnknown;
    return chosen;
  }
  const double distance = chosen.real == other.real ? 0 : std::fabs(chosen.real - other.real);
  chosen.error = std::max(chosen.error, std::isnan(distance) ? kUnknown : distance + other.error);
  return chosen;
}

void InexactFold::take(const Inexact& element, int64_t coordinate) {
  ++count_;
  switch (op_) {
    case ir::ReduceOp::sum:
      if (is_float(dtype_)) {
        sum_ += element.real;
        magnitude_ += std::fabs(element.real) + element.error;
        error_ += element.error;
      } else {
        integer_ = IntegerType(dtype_).wrap(static_cast<uint64_t>(integer_) +
                                            static_cast<uint64_t>(element.integer));
        uncertain_ |= !known(element);
      }
      return;
    case ir::ReduceOp::prod:
      if (count_ == 1) integer_ = 1;
      product_ *= element.real;
      product_bound_ *= std::fabs(element.real) + element.error;
      if (!is_float(dtype_)) {
        integer_ = IntegerType(dtype_).wrap(static_cast<uint64_t>(integer_) *
                                            static_cast<uint64_t>(element.integer));
        uncertain_ |= !known(element);
      }
      return;
    case ir::ReduceOp::any:
    case ir::ReduceOp::all:
      integer_ += (element.integer != 0) == (op_ == ir::ReduceOp::any) ? 1 : 0;  // elements that decide
      uncertain_ |= !known(element);
      return;
    case ir::ReduceOp::count:
      uncertain_ |= element.error == kUnknown;  // it may not exist at all
      return;
    case ir::ReduceOp::max:
    case ir::ReduceOp::min:
    case ir::ReduceOp::argmax:
    case ir::ReduceOp::argmin: return take_extreme(element, coordinate);
  }
}

void InexactFold::take_extreme(const Inexact& element, int64_t coordinate) {
  const bool wants_largest = op_ == ir::ReduceOp::max || op_ == ir::ReduceOp::argmax;
  error_ = count_ == 1 ? element.error : std::max(error_, element.error);
  if (count_ == 1) {
    best_ = element;
    position_ = coordinate;
    return;
  }
  bool better;
  if (is_float(dtype_)) {
    const double doubt = element.error + best_.error;
    uncertain_ |= doubt > 0 && !(std::fabs(element.real - best_.real) > doubt);
    const bool first_nan = std::isnan(element.real) && !std::isnan(best_.real);
    better = first_nan || (wants_largest ? element.real > best_.real : element.real < best_.real);
  } else {
    const IntegerType type(is_bool(dtype_) ? DType::u8 : dtype_);
    uncertain_ |= !known(element) || !known(best_);
    better =
        wants_largest ? type.less(best_.integer, element.integer) : type.less(element.integer, best_.integer);
  }
  if (!better) return;
  best_ = element;
  position_ = coordinate;
}

Inexact InexactFold::result() const {
  switch (op_) {
    case ir::ReduceOp::sum: {
      if (!is_float(dtype_)) return exact_integer(integer_, !uncertain_);
      Inexact result = rounded(sum_, error_, dtype_, 0);
      // In any order: n - 1 additions, and one more for each of a start and a store.
      if (std::isfinite(sum_))
        result.error +=
            times_rounded(dtype_) * static_cast<double>(count_ + 2) * info(dtype_).unit_roundoff * magnitude_;
      if (magnitude_ > range_of(dtype_).largest) result.error = kUnknown;
      return result;
    }
    case ir::ReduceOp::prod: {
      if (!is_float(dtype_)) return exact_integer(count_ == 0 ? 1 : integer_, !uncertain_);
      return rounded(product_, product_bound_ - std::fabs(product_), dtype_, static_cast<double>(count_ + 2));
    }
    case ir::ReduceOp::any: return exact_integer(integer_ > 0 ? 1 : 0, !uncertain_);
    case ir::ReduceOp::all: return exact_integer(integer_ == 0 ? 1 : 0, !uncertain_);
    case ir::ReduceOp::count: return exact_integer(count_, !uncertain_);
    case ir::ReduceOp::max:
    case ir::ReduceOp::min: {
      if (count_ == 0) return Inexact::absent();
      Inexact result = best_;
      result.error = is_float(dtype_) ? error_ : (uncertain_ ? kUnknown : 0);
      return result;
    }
    case ir::ReduceOp::argmax:
    case ir::ReduceOp::argmin: return count_ == 0 ? Inexact::absent() : exact_integer(position_, !uncertain_);
  }
  unreachable("a reduction");
}

}  // namespace tessera::commands
