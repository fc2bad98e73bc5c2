// SPDX-License-Identifier: Apache-2.0
// Equalities of sizes as a substitution.
#include "sema/prove/equalities.h"

#include <algorithm>
#include <optional>

namespace tessera::sema {

namespace {

bool occurs(const ir::SizeTable& sizes, ir::SymbolId symbol, ir::SizeId size) {
  const std::vector<ir::SymbolId> symbols = sizes.symbols_of(size);
  return std::find(symbols.begin(), symbols.end(), symbol) != symbols.end();
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
  return result;
}

}  // namespace tessera::sema
