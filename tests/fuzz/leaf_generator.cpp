// SPDX-License-Identifier: Apache-2.0
// Random values without operands: elements of tensors, coordinates, names, literals; see value_generator.h.
#include <algorithm>
#include <cmath>

#include "fuzz/number.h"
#include "fuzz/value_generator.h"

namespace tessera::fuzz {

namespace {

bool has(const std::vector<int>& axes, int axis) { return std::ranges::find(axes, axis) != axes.end(); }

bool is_same(const Size& a, const Size& b) {
  return a.symbol == b.symbol && a.scale == b.scale && a.offset == b.offset && a.divisor == b.divisor;
}

bool is_same(const std::vector<Size>& a, const std::vector<Size>& b) {
  return std::ranges::equal(a, b, [](const Size& x, const Size& y) { return is_same(x, y); });
}

}  // namespace

int ValueGenerator::add_symbol_binder(BinderKind kind, int symbol) {
  const auto id = static_cast<int>(program_.binders.size());
  static const char* kLetters[] = {"g", "l", "w", "d"};
  Binder one;
  one.name = kLetters[static_cast<int>(kind)] + std::to_string(id);
  one.kind = kind;
  one.symbol = symbol;
  program_.binders.push_back(std::move(one));
  return id;
}

int ValueGenerator::colon_of(int symbol) {
  for (std::size_t i = 0; i < program_.binders.size(); ++i) {
    if (program_.binders[i].kind == BinderKind::colon && program_.binders[i].symbol == symbol)
      return static_cast<int>(i);
  }
  return add_symbol_binder(BinderKind::colon, symbol);
}

int ValueGenerator::literal_symbol(std::int64_t extent) {
  for (std::size_t i = 0; i < program_.symbols.size(); ++i) {
    if (program_.symbols[i].name.empty() && program_.symbols[i].extents[0] == extent)
      return static_cast<int>(i);
  }
  program_.symbols.push_back(
      {"", std::vector<std::int64_t>(static_cast<std::size_t>(program_.problems), extent), 0});
  return static_cast<int>(program_.symbols.size()) - 1;
}

/// A name, a coordinate or an element; literals stand beside operands only, which give them their type.
Expression ValueGenerator::leaf(DType type, const std::vector<int>& axes, bool total) {
  std::vector<const Readable*> fitting;
  for (const Readable& one : readable) {
    const Local& local = program_.locals[static_cast<std::size_t>(one.local)];
    const bool fits = std::ranges::all_of(local.axes, [&](int axis) { return has(axes, axis); });
    if (fits && local.type == type) fitting.push_back(&one);
  }
  if (!fitting.empty() && choices_.chance(60)) {
    const Readable& one = *choices_.one_of(fitting);
    return ensured(make_local(program_, one.local, one.bound, one.is_total), total);
  }
  if (on_.scalars && type != DType::index && choices_.chance(15)) return scalar(type);
  std::vector<int> named;
  for (const int axis : axes) {
    if (binder(axis).kind != BinderKind::colon) named.push_back(axis);
  }
  const bool is_index = type == DType::index;
  if (!named.empty() && is_integer(type) && (is_index || choices_.chance(10))) {
    Expression coordinate = make_coordinate(choices_.one_of(named));
    return is_index ? coordinate : make_cast(std::move(coordinate), type);
  }
  if (is_index) return make_extent(program_, static_cast<int>(choices_.between(0, 1)));
  std::vector<int> chosen;
  for (const int axis : axes) {
    if (choices_.chance(75)) chosen.push_back(axis);
  }
  return load(type, std::move(chosen), total);
}

/// A parameter that is one number; a new one, or one that is there already.
Expression ValueGenerator::scalar(DType type) {
  const auto found = std::ranges::find(program_.scalars, type, &Scalar::type);
  if (found != program_.scalars.end() && choices_.chance(60))
    return make_scalar(program_, static_cast<int>(found - program_.scalars.begin()));
  const auto number = static_cast<int>(program_.scalars.size());
  Scalar scalar{"p" + std::to_string(number), type, {}};
  for (int problem = 0; problem < program_.problems; ++problem) scalar.values.push_back(literal(type).number);
  program_.scalars.push_back(std::move(scalar));
  return make_scalar(program_, number);
}

/// An index along an axis and the dimension that it is for.
Expression ValueGenerator::index_of(int id, Size& size, bool& is_inside, const std::vector<int>& axes,
                                    bool is_periodic) {
  using enum Operation;
  const Binder& one = binder(id);
  size = {one.symbol, 1, 0, 1};
  if (symbol_of(id).name.empty()) size = {-1, 1, symbol_of(id).extents[0], 1};
  Expression bare = make_coordinate(id);
  if (one.kind == BinderKind::colon || symbol_of(id).name.empty()) return bare;
  const std::int64_t form = choices_.between(0, 11);
  if (form == 0 && on_.shifts) {
    const std::int64_t by = choices_.one_of<std::int64_t>({-2, -1, 1, 2, 3});
    is_inside = is_inside && is_periodic;
    return make_binary(program_, by < 0 ? subtract : add, std::move(bare),
                       make_literal(DType::index, std::abs(by)));
  }
  if (form == 1 && on_.affine) {
    Expression last =
        make_binary(program_, subtract, make_extent(program_, one.symbol), make_literal(DType::index, 1));
    return make_binary(program_, subtract, std::move(last), std::move(bare));
  }
  if (form == 2 && on_.affine) {
    const std::int64_t offset = choices_.between(0, 1);
    size = {one.symbol, 2, choices_.between(0, 1), 1};
    Expression twice = make_binary(program_, multiply, make_literal(DType::index, 2), std::move(bare));
    if (offset == 0) return twice;
    return make_binary(program_, add, std::move(twice), make_literal(DType::index, offset));
  }
  if (form == 3 && on_.windows) {
    for (const int other : axes) {
      if (other == id || !symbol_of(other).name.empty() || binder(other).kind != BinderKind::let) continue;
      is_inside = is_inside && is_periodic;
      Expression window = make_binary(program_, add, std::move(bare), make_coordinate(other));
      return make_binary(program_, subtract, std::move(window),
                         make_literal(DType::index, choices_.between(0, 2)));
    }
  }
  return bare;
}

/// An element of an input with all those axes; a new tensor, or one that is there already.
Expression ValueGenerator::load(DType type, std::vector<int> axes, bool total) {
  choices_.shuffle(axes);
  const bool is_periodic = on_.periodic && choices_.chance(15);
  bool is_inside = true;
  std::vector<Size> sizes(axes.size());
  std::vector<Expression> indices;
  for (std::size_t i = 0; i < axes.size(); ++i)
    indices.push_back(index_of(axes[i], sizes[i], is_inside, axes, is_periodic));
  int found = -1;
  for (std::size_t t = 0; t < program_.tensors.size(); ++t) {
    const Tensor& one = program_.tensors[t];
    if (!one.is_output && one.type == type && one.is_periodic == is_periodic &&
        is_same(one.dimensions, sizes))
      found = static_cast<int>(t);
  }
  if (found < 0 || choices_.chance(35)) {
    Tensor tensor;
    found = static_cast<int>(program_.tensors.size());
    tensor.name = "x" + std::to_string(found);
    tensor.type = type;
    tensor.dimensions = sizes;
    tensor.is_periodic = is_periodic;
    tensor.low = is_unsigned_integer(type) || type == DType::boolean ? 0 : -2;
    tensor.high = type == DType::boolean ? 1 : choices_.between(1, 3);
    if (is_integer(type) && choices_.chance(20)) tensor.high = 100;
    program_.tensors.push_back(std::move(tensor));
  }
  return ensured(make_load(program_, found, std::move(indices), is_inside), total);
}

}  // namespace tessera::fuzz
