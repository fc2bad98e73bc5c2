// SPDX-License-Identifier: Apache-2.0
// Sizes as text. The order of terms and factors follows the structure alone, so that one size has one
// spelling however it was built; reading the text back gives the same normal form.
#include <fmt/format.h>

#include <algorithm>

#include "sema/ir/size.h"
#include "sema/ir/size_order.h"

namespace tessera::ir {

namespace {

/// How tightly the outermost operator of a text binds.
enum class Binding { sum, product, primary };

struct Text {
  std::string text;
  Binding binding = Binding::primary;

  std::string at_least(Binding needed) const { return binding >= needed ? text : fmt::format("({})", text); }
};

class Speller {
 public:
  Speller(const SizeTable& table, const std::function<std::string(SymbolId)>& name)
      : table_(table), name_(name) {}

  /// Positive terms first, so that a text begins with a minus sign only where there is no choice.
  Text of(SizeId id) const {
    SizeTable::Polynomial terms = ordered_terms(table_, id);
    if (terms.empty()) return {"0"};
    if (terms.front().coefficient < 0) {
      std::stable_partition(terms.begin(), terms.end(),
                            [](const SizeTable::Term& term) { return term.coefficient > 0; });
    }
    if (terms.size() == 1 && terms[0].coefficient > 0) return of_term(terms[0]);
    std::string text;
    for (const SizeTable::Term& term : terms) text += of_signed_term(term, text.empty());
    return {text, Binding::sum};
  }

 private:
  std::string of_signed_term(const SizeTable::Term& term, bool first) const {
    if (term.coefficient > 0) return fmt::format("{}{}", first ? "" : " + ", of_term(term).text);
    if (term.atoms.empty()) return fmt::format("{}{}", first ? "-" : " - ", magnitude(term.coefficient));
    const Text text = of_magnitude(term.atoms, magnitude(term.coefficient));
    // -a/b reads as (-a)/b, which floors differently.
    return first ? fmt::format("-{}", text.at_least(Binding::primary)) : fmt::format(" - {}", text.text);
  }

  Text of_term(const SizeTable::Term& term) const {
    if (term.atoms.empty()) return {fmt::format("{}", term.coefficient)};
    return of_magnitude(term.atoms, magnitude(term.coefficient));
  }

  Text of_magnitude(const std::vector<uint32_t>& atoms, uint64_t coefficient) const {
    const std::vector<uint32_t> factors = structural_order(table_, atoms);
    if (coefficient == 1 && factors.size() == 1) return of_atom(factors[0]);
    std::string text = coefficient == 1 ? "" : fmt::format("{}", coefficient);
    for (const uint32_t factor : factors) {
      if (!text.empty()) text += '*';
      text += of_atom(factor).at_least(Binding::primary);
    }
    return {text, Binding::product};
  }

  Text of_atom(uint32_t index) const {
    const SizeTable::AtomNode& node = table_.atom(index);
    if (node.kind == SizeTable::Atom::symbol) return {name_(node.symbol)};
    const Text left = of(node.left), right = of(node.right);
    switch (node.kind) {
      case SizeTable::Atom::minimum: return {fmt::format("min({}, {})", left.text, right.text)};
      case SizeTable::Atom::maximum: return {fmt::format("max({}, {})", left.text, right.text)};
      default: break;
    }
    const std::string_view sign = node.kind == SizeTable::Atom::floor_divide ? "/" : " % ";
    return {fmt::format("{}{}{}", left.at_least(Binding::product), sign, right.at_least(Binding::primary)),
            Binding::product};
  }

  static uint64_t magnitude(int64_t value) {
    return value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  }

  const SizeTable& table_;
  const std::function<std::string(SymbolId)>& name_;
};

}  // namespace

std::string SizeTable::spell(SizeId id, const std::function<std::string(SymbolId)>& name) const {
  return Speller(*this, name).of(id).text;
}

}  // namespace tessera::ir
