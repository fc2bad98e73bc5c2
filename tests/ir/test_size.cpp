// SPDX-License-Identifier: Apache-2.0
// Sizes against direct evaluation of random expressions, and the equalities that the normal form must see.
#include <memory>
#include <random>

#include "catch.h"
#include "sema/ir/integer.h"
#include "sema/ir/size.h"

namespace tessera::ir {

namespace {

enum class Operator { constant, symbol, add, subtract, multiply, divide, modulo, minimum, maximum };

/// An expression tree as a user would write it, with its direct meaning.
struct Tree {
  Operator op = Operator::constant;
  int64_t value = 0;  // of a constant, or the index of a symbol
  std::unique_ptr<Tree> left, right;

  int64_t evaluate(const std::vector<int64_t>& symbols) const {
    if (op == Operator::constant) return value;
    if (op == Operator::symbol) return symbols[static_cast<size_t>(value)];
    const int64_t a = left->evaluate(symbols), b = right->evaluate(symbols);
    switch (op) {
      case Operator::add:
        return a + b;
      case Operator::subtract:
        return a - b;
      case Operator::multiply:
        return a * b;
      case Operator::divide:
        return floor_divide(a, b);
      case Operator::modulo:
        return floor_modulo(a, b);
      case Operator::minimum:
        return std::min(a, b);
      default:
        return std::max(a, b);
    }
  }

  SizeId build(SizeTable& table) const {
    if (op == Operator::constant) return table.constant(value);
    if (op == Operator::symbol) return table.symbol(SymbolId(static_cast<uint32_t>(value)));
    const SizeId a = left->build(table), b = right->build(table);
    switch (op) {
      case Operator::add:
        return table.add(a, b);
      case Operator::subtract:
        return table.subtract(a, b);
      case Operator::multiply:
        return table.multiply(a, b);
      case Operator::divide:
        return table.floor_divide(a, b);
      case Operator::modulo:
        return table.modulo(a, b);
      case Operator::minimum:
        return table.minimum(a, b);
      default:
        return table.maximum(a, b);
    }
  }
};

constexpr int kSymbols = 3;

std::unique_ptr<Tree> random_tree(std::mt19937& random, int depth) {
  auto tree = std::make_unique<Tree>();
  const auto below = [&](unsigned bound) { return static_cast<int>(random() % bound); };
  if (depth == 0 || below(5) == 0) {
    tree->op = below(2) == 0 ? Operator::constant : Operator::symbol;
    tree->value = tree->op == Operator::constant ? below(13) - 4 : below(kSymbols);
    return tree;
  }
  tree->op = static_cast<Operator>(2 + below(7));
  tree->left = random_tree(random, depth - 1);
  tree->right = random_tree(random, depth - 1);
  return tree;
}

std::vector<int64_t> random_symbols(std::mt19937& random) {
  std::vector<int64_t> symbols;
  for (int i = 0; i < kSymbols; ++i) symbols.push_back(static_cast<int64_t>(random() % 20));
  return symbols;
}

SymbolValues lookup(const std::vector<int64_t>& symbols) {
  return [&symbols](SymbolId id) { return symbols[id.index()]; };
}

std::string name(SymbolId id) { return std::string(1, static_cast<char>('L' + id.index())); }

struct Fixture {
  SizeTable table;
  SizeId m = table.symbol(SymbolId(0)), n = table.symbol(SymbolId(1));

  SizeId number(int64_t value) { return table.constant(value); }
  std::string spell(SizeId id) const {
    return table.spell(id, [](SymbolId symbol) { return symbol.index() == 0 ? "M" : "N"; });
  }
};

}  // namespace

TEST_CASE("sizes evaluate as the expressions they were built from") {
  std::mt19937 random(1);
  for (int trial = 0; trial < 4000; ++trial) {
    SizeTable table;
    const std::unique_ptr<Tree> tree = random_tree(random, 4);
    const SizeId id = tree->build(table);
    for (int point = 0; point < 5; ++point) {
      const std::vector<int64_t> symbols = random_symbols(random);
      INFO("trial " << trial << ": " << table.spell(id, name));
      REQUIRE(table.evaluate(id, lookup(symbols)) == tree->evaluate(symbols));
    }
  }
}

TEST_CASE("lower bounds hold") {
  std::mt19937 random(2);
  int found = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    SizeTable table;
    const SizeId id = random_tree(random, 3)->build(table);
    const std::vector<int64_t> least = random_symbols(random);
    const std::optional<int64_t> bound = table.lower_bound(id, lookup(least));
    if (!bound) continue;
    ++found;
    for (int point = 0; point < 5; ++point) {
      std::vector<int64_t> symbols = random_symbols(random);
      for (size_t i = 0; i < symbols.size(); ++i) symbols[i] += least[i];
      INFO("trial " << trial << ": " << table.spell(id, name));
      REQUIRE(table.evaluate(id, lookup(symbols)) >= *bound);
    }
  }
  REQUIRE(found > 2000);
}

TEST_CASE("substitution replaces symbols by expressions") {
  std::mt19937 random(3);
  for (int trial = 0; trial < 1000; ++trial) {
    SizeTable table;
    const SizeId id = random_tree(random, 3)->build(table);
    // Symbols stand for extents, so what replaces them is not negative.
    const auto replacement = [&](SymbolId symbol) {
      return table.add(table.multiply(table.constant(2), table.symbol(SymbolId(1))),
                       table.constant(symbol.index()));
    };
    const SizeId replaced = table.substitute(id, replacement);
    const std::vector<int64_t> symbols = random_symbols(random);
    const auto inner = [&](SymbolId symbol) { return 2 * symbols[1] + static_cast<int64_t>(symbol.index()); };
    REQUIRE(table.evaluate(replaced, lookup(symbols)) == table.evaluate(id, inner));
  }
}

TEST_CASE_METHOD(Fixture, "equal polynomials have one id") {
  REQUIRE(table.add(m, n) == table.add(n, m));
  REQUIRE(table.subtract(m, m) == number(0));
  const SizeId sum = table.add(m, n), difference = table.subtract(m, n);
  REQUIRE(table.multiply(sum, difference) == table.subtract(table.multiply(m, m), table.multiply(n, n)));
  REQUIRE(table.minimum(m, n) == table.minimum(n, m));
  REQUIRE(table.maximum(m, table.add(m, n)) == table.add(m, n));
}

TEST_CASE_METHOD(Fixture, "division by a constant takes out whole multiples") {
  const SizeId four = number(4);
  REQUIRE(table.floor_divide(table.multiply(four, m), four) == m);
  const SizeId rounded_up = table.floor_divide(table.add(m, number(3)), four);
  REQUIRE(table.add(table.floor_divide(table.subtract(m, number(1)), four), number(1)) == rounded_up);
  REQUIRE(table.modulo(table.add(table.multiply(four, m), number(7)), four) == number(3));
  REQUIRE(table.floor_divide(m, number(1)) == m);
  REQUIRE(table.floor_divide(m, number(0)) == number(0));
  REQUIRE(table.modulo(m, number(0)) == number(0));
}

TEST_CASE_METHOD(Fixture, "division floors") {
  REQUIRE(table.as_constant(table.floor_divide(number(-7), number(2))) == -4);
  REQUIRE(table.as_constant(table.modulo(number(-7), number(2))) == 1);
  REQUIRE(table.as_constant(table.modulo(number(7), number(-2))) == -1);
  REQUIRE(table.as_constant(table.floor_divide(number(INT64_MIN), number(-1))) == INT64_MIN);
}

TEST_CASE_METHOD(Fixture, "sizes are spelled as a user would") {
  REQUIRE(spell(number(0)) == "0");
  REQUIRE(spell(table.subtract(m, number(1))) == "M - 1");
  REQUIRE(spell(table.subtract(n, m)) == "N - M");
  REQUIRE(spell(table.subtract(number(4), m)) == "4 - M");
  REQUIRE(spell(table.add(table.multiply(number(2), m), table.floor_divide(n, number(4)))) == "2*M + N/4");
  REQUIRE(spell(table.floor_divide(table.add(m, number(3)), number(4))) == "(M + 3)/4");
  REQUIRE(spell(table.multiply(number(2), table.floor_divide(m, number(4)))) == "2*(M/4)");
  REQUIRE(spell(table.subtract(number(0), table.floor_divide(m, number(4)))) == "-(M/4)");
  REQUIRE(spell(table.multiply(m, table.modulo(n, m))) == "M*(N % M)");
  REQUIRE(spell(table.minimum(m, table.multiply(n, n))) == "min(M, N*N)");
}

TEST_CASE_METHOD(Fixture, "bounds that proofs need are exact") {
  const auto at_least_one = [](SymbolId) { return int64_t{1}; };
  REQUIRE(table.lower_bound(table.subtract(table.multiply(m, n), m), at_least_one) == 0);
  REQUIRE(table.lower_bound(table.floor_divide(table.subtract(m, number(1)), number(4)), at_least_one) == 0);
  REQUIRE_FALSE(table.lower_bound(table.subtract(m, n), at_least_one));
  REQUIRE(table.lower_bound(table.subtract(number(8), table.modulo(m, number(8))), at_least_one) == 1);
}

TEST_CASE_METHOD(Fixture, "symbols of a size") {
  REQUIRE(table.as_symbol(m) == SymbolId(0));
  REQUIRE_FALSE(table.as_symbol(table.multiply(number(2), m)));
  REQUIRE(table.symbols_of(table.floor_divide(n, m)) == std::vector{SymbolId(0), SymbolId(1)});
  REQUIRE(table.symbols_of(number(3)).empty());
}

}  // namespace tessera::ir
