// SPDX-License-Identifier: Apache-2.0
// Equalities and divisibilities of sizes as a substitution.
#include "sema/prove/equalities.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace tessera::sema {

namespace {

/// Products of divisors stay far from the ends of 64 bits.
constexpr std::int64_t kLargestDivisor = std::int64_t{1} << 20;

bool occurs(const ir::SizeTable& sizes, ir::SymbolId symbol, ir::SizeId size) {
  const std::vector<ir::SymbolId> symbols = sizes.symbols_of(size);
  return std::find(symbols.begin(), symbols.end(), symbol) != symbols.end();
}

/// What `C % 4 == 0` says: a symbol and a number that divides it.
std::optional<std::pair<ir::SymbolId, std::int64_t>> divisor_of(const ir::SizeTable& sizes,
                                                                const ir::Constraint& constraint) {
  if (constraint.relation != ir::Relation::equal) return std::nullopt;
  for (const auto& [rest, zero] :
       {std::pair(constraint.left, constraint.right), std::pair(constraint.right, constraint.left)}) {
    const ir::SizeTable::Polynomial& terms = sizes.polynomial(rest);
    if (sizes.as_constant(zero) != 0 || terms.size() != 1 || terms[0].atoms.size() != 1) continue;
    const ir::SizeTable::AtomNode& node = sizes.atom(terms[0].atoms[0]);
    if (node.kind != ir::SizeTable::Atom::modulo) continue;
    const std::optional<ir::SymbolId> symbol = sizes.as_symbol(node.left);
    const std::optional<std::int64_t> divisor = sizes.as_constant(node.right);
    if (symbol && divisor && *divisor > 1 && *divisor <= kLargestDivisor) return std::pair(*symbol, *divisor);
  }
  return std::nullopt;
}

/// For `where C % 4 == 0`, 4*(C/4) stands for C; the normal form then settles C/2, C % 2 and the like.
void add_divisible(ir::Kernel& kernel, std::map<ir::SymbolId, ir::SizeId>& result) {
  ir::SizeTable& sizes = kernel.sizes;
  std::map<ir::SymbolId, std::int64_t> divisors;
  for (const ir::Constraint& constraint : kernel.constraints) {
    const auto found = divisor_of(sizes, constraint);
    if (!found || result.contains(found->first)) continue;
    std::int64_t& divisor = divisors.try_emplace(found->first, 1).first->second;
    const std::int64_t both = std::lcm(divisor, found->second);
    if (both <= kLargestDivisor) divisor = both;
  }
  std::map<ir::SymbolId, ir::SizeId> multiples;
  for (const auto& [symbol, divisor] : divisors) {
    const ir::SizeId number = sizes.constant(divisor);
    multiples.emplace(symbol, sizes.multiply(number, sizes.floor_divide(sizes.symbol(symbol), number)));
  }
  if (multiples.empty()) return;
  for (auto& [symbol, size] : result) {
    size = sizes.substitute(size, [&](ir::SymbolId other) {
      const auto multiple = multiples.find(other);
      return multiple != multiples.end() ? multiple->second : sizes.symbol(other);
    });
  }
  result.merge(multiples);
}

}  // namespace

std::map<ir::SymbolId, ir::SizeId> find_equalities(ir::Kernel& kernel) {
  ir::SizeTable& sizes = kernel.sizes;
  std::map<ir::SymbolId, ir::SizeId> result;
  const auto replaced = [&](ir::SizeId size) {
    return sizes.substitute(size, [&](ir::SymbolId symbol) {
      const auto entry = result.find(symbol);
      return entry != result.end() ? entry->second : sizes.symbol(symbol);
    });
  };
  for (const ir::Constraint& constraint : kernel.constraints) {
    if (constraint.relation != ir::Relation::equal) continue;
    ir::SizeId left = replaced(constraint.left), right = replaced(constraint.right);
    std::optional<ir::SymbolId> symbol = sizes.as_symbol(left);
    if (!symbol || occurs(sizes, *symbol, right)) {
      std::swap(left, right);
      symbol = sizes.as_symbol(left);
    }
    if (!symbol || occurs(sizes, *symbol, right)) continue;
    for (auto& [other, size] : result) {
      size = sizes.substitute(size, [&](ir::SymbolId s) { return s == *symbol ? right : sizes.symbol(s); });
    }
    result.emplace(*symbol, right);
  }
  add_divisible(kernel, result);
  return result;
}

}  // namespace tessera::sema
