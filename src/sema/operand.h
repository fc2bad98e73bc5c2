// SPDX-License-Identifier: Apache-2.0
// What an expression gives: a value of the IR, or something the compiler knows that still lacks a type.
#pragma once

#include <variant>
#include <vector>

#include "base/source.h"
#include "sema/ir/module.h"
#include "sema/number.h"

namespace tessera::sema {

/// The result of an expression with a mistake; everything accepts it silently and gives it again.
struct Poison {};
/// A `const` table at a place that is not constant; takes the type of its neighbours as a literal does.
struct TableElement {
  std::string name;
  std::vector<Number> elements;
  ir::ValueId index;
};

using OperandNode = std::variant<Poison, Number, TableElement, ir::ValueId>;

struct Operand {
  OperandNode node;
  Span span;

  bool is_poison() const { return std::holds_alternative<Poison>(node); }
  bool is_number() const { return std::holds_alternative<Number>(node); }
  bool is_value() const { return std::holds_alternative<ir::ValueId>(node); }
  const Number& number() const { return std::get<Number>(node); }
  ir::ValueId value() const { return std::get<ir::ValueId>(node); }
};

inline Operand poison(Span span) { return {Poison{}, span}; }

}  // namespace tessera::sema
