// SPDX-License-Identifier: Apache-2.0
// References in the text form of the IR: names, values, types and sizes.
#include "sema/ir/text_scope.h"

#include <fmt/format.h>

#include "base/limits.h"

namespace tessera::ir {

std::string TextScope::declared_name(std::string_view what) {
  const std::string name = lexer_.name(what);
  return name.substr(0, name.find('.'));
}

ValueId TextScope::numbered(uint32_t number) {
  while (kernel_.values.size() <= number) {
    kernel_.values.add({Constant{}, DType::boolean, {}, true, "", {}});
    defined_.push_back(false);
  }
  return ValueId(number);
}

ValueId TextScope::value() { return numbered(lexer_.value_number()); }

ValueId TextScope::defined_value() {
  const Token token = lexer_.peek();
  const ValueId id = numbered(lexer_.value_number());
  if (defined_[id.index()]) lexer_.fail(token.span, fmt::format("`{}` is defined twice", token.spelling));
  defined_[id.index()] = true;
  return id;
}

DType TextScope::dtype() {
  const Token token = lexer_.peek();
  const std::optional<DType> dtype = dtype_from_spelling(lexer_.name("an element type"));
  if (!dtype) lexer_.fail(token.span, fmt::format("`{}` is not an element type", token.spelling));
  return dtype.value_or(DType::boolean);
}

std::vector<AxisId> TextScope::axis_list() {
  std::vector<AxisId> axes;
  do axes.push_back(axis());
  while (lexer_.accept(","));
  return axes;
}

std::vector<AxisId> TextScope::axes() {
  if (!lexer_.accept("[")) return {};
  std::vector<AxisId> axes = axis_list();
  lexer_.expect("]");
  return axes;
}

SizeId TextScope::size() {
  if (++size_depth_ > limits::kNestingDepth) lexer_.fail(lexer_.peek().span, "a size is nested too deep");
  SizeTable& sizes = kernel_.sizes;
  const bool negative = lexer_.accept("-");
  SizeId sum = product();
  if (negative) sum = sizes.subtract(sizes.constant(0), sum);
  while (lexer_.is("+") || lexer_.is("-")) {
    const bool is_sum = lexer_.next().spelling == "+";
    const SizeId right = product();
    sum = is_sum ? sizes.add(sum, right) : sizes.subtract(sum, right);
  }
  --size_depth_;
  return sum;
}

SizeId TextScope::product() {
  SizeTable& sizes = kernel_.sizes;
  SizeId left = factor();
  while (lexer_.is("*") || lexer_.is("/") || lexer_.is("%")) {
    const char sign = lexer_.next().spelling[0];
    const SizeId right = factor();
    left = sign == '*'   ? sizes.multiply(left, right)
           : sign == '/' ? sizes.floor_divide(left, right)
                         : sizes.modulo(left, right);
  }
  return left;
}

SizeId TextScope::factor() {
  SizeTable& sizes = kernel_.sizes;
  if (lexer_.peek().kind == Token::Kind::number) return sizes.constant(lexer_.magnitude());
  if (lexer_.accept("(")) {
    const SizeId inner = size();
    lexer_.expect(")");
    return inner;
  }
  const Token token = lexer_.peek();
  const std::string name = lexer_.name("a size");
  if ((name == "min" || name == "max") && lexer_.is("(")) return extremum(name == "min");
  const auto entry = symbols_.find(name);
  if (entry != symbols_.end()) return sizes.symbol(entry->second);
  lexer_.fail(token.span, fmt::format("`{}` is not the name of a symbol", name));
  return sizes.constant(0);
}

SizeId TextScope::extremum(bool is_minimum) {
  lexer_.expect("(");
  const SizeId left = size();
  lexer_.expect(",");
  const SizeId right = size();
  lexer_.expect(")");
  return is_minimum ? kernel_.sizes.minimum(left, right) : kernel_.sizes.maximum(left, right);
}

}  // namespace tessera::ir
