// SPDX-License-Identifier: Apache-2.0
// Extents and bounds: integer expressions over the dimension symbols of a kernel, kept in a normal form.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"

namespace tessera::ir {

struct SymbolTag;
struct SizeTag;
using SymbolId = Id<SymbolTag>;
using SizeId = Id<SizeTag>;

/// Value of each symbol at launch, indexed by SymbolId.
using SymbolValues = std::function<int64_t(SymbolId)>;

/// Interned polynomials with integer coefficients over symbols and over `floor(a / b)`, `a % b`, `min`, `max`.
///
/// Two expressions with one normal form have one id, so `a == b` on ids proves equality (the converse does not
/// hold). Division and modulo floor, and give 0 for a divisor of 0 (R25).
class SizeTable {
 public:
  enum class Atom { symbol, floor_divide, modulo, minimum, maximum };

  SizeId constant(int64_t value);
  SizeId symbol(SymbolId id);
  SizeId add(SizeId a, SizeId b);
  SizeId subtract(SizeId a, SizeId b);
  SizeId multiply(SizeId a, SizeId b);
  SizeId floor_divide(SizeId a, SizeId b);
  SizeId modulo(SizeId a, SizeId b);
  SizeId minimum(SizeId a, SizeId b);
  SizeId maximum(SizeId a, SizeId b);

  /// The value when no symbol occurs in it.
  std::optional<int64_t> as_constant(SizeId id) const;
  /// The symbol when the expression is exactly one.
  std::optional<SymbolId> as_symbol(SizeId id) const;
  /// Every symbol that occurs, ascending, without repetition.
  std::vector<SymbolId> symbols_of(SizeId id) const;

  int64_t evaluate(SizeId id, const SymbolValues& values) const;

  /// Replaces symbols: `replace` gives the expression that stands for a symbol (itself to keep it).
  SizeId substitute(SizeId id, const std::function<SizeId(SymbolId)>& replace);

  /// A value that the expression cannot go below, from `lower(symbol)` (a symbol is at least 0 by default).
  std::optional<int64_t> lower_bound(SizeId id, const std::function<int64_t(SymbolId)>& lower) const;

  /// Text with the given spelling of symbols: `2*M + N/4 - 1`. `floor` operators are spelled `/` and `%`.
  std::string spell(SizeId id, const std::function<std::string(SymbolId)>& name) const;

  /// Structural access for printers: a polynomial is a sum of terms, a term a coefficient times atoms.
  struct AtomNode {
    Atom kind = Atom::symbol;
    SymbolId symbol;
    SizeId left, right;
    auto operator<=>(const AtomNode&) const = default;
  };
  struct Term {
    int64_t coefficient = 0;
    std::vector<uint32_t> atoms;  // ascending indices, see atom(); a power repeats its atom
    auto operator<=>(const Term&) const = default;
  };
  using Polynomial = std::vector<Term>;  // terms ascending by atoms, no zero coefficient
  const Polynomial& polynomial(SizeId id) const { return polynomials_[id.index()]; }
  const AtomNode& atom(uint32_t index) const { return atoms_[index]; }
  size_t size() const { return polynomials_.size(); }

 private:
  SizeId intern(Polynomial polynomial);
  SizeId intern_atom(AtomNode node);

  std::vector<Polynomial> polynomials_;
  std::vector<AtomNode> atoms_;
  std::map<Polynomial, SizeId> polynomial_ids_;
  std::map<AtomNode, uint32_t> atom_ids_;
};

}  // namespace tessera::ir
