// SPDX-License-Identifier: Apache-2.0
// The names of a kernel while its text is read: from spellings to ids, sizes and types.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "sema/ir/module.h"
#include "sema/ir/text_lexer.h"

namespace tessera::ir {

/// Reads references to what a text declared. Mistakes go to the lexer, and give an id that is not valid.
class TextScope {
 public:
  TextScope(Lexer& lexer, Kernel& kernel) : lexer_(lexer), kernel_(kernel) {}

  /// The name at its declaration, without the number that tells namesakes apart.
  std::string declared_name(std::string_view what);
  void bind(const Token& name, SymbolId id) { bind(symbols_, name, id); }
  void bind(const Token& name, TensorId id) { bind(tensors_, name, id); }
  void bind(const Token& name, ScalarId id) { bind(scalars_, name, id); }
  void bind(const Token& name, TableId id) { bind(tables_, name, id); }
  void bind(const Token& name, AxisId id) { bind(axes_, name, id); }
  void bind(const Token& name, VariableId id) { bind(variables_, name, id); }

  SymbolId symbol() { return find(symbols_, "a symbol"); }
  TensorId tensor() { return find(tensors_, "a tensor"); }
  ScalarId scalar() { return find(scalars_, "a scalar"); }
  TableId table() { return find(tables_, "a table"); }
  AxisId axis() { return find(axes_, "an axis"); }
  VariableId variable() { return find(variables_, "a variable"); }

  /// A value that is used here; it may be defined further down, or nowhere, which the verifier tells.
  ValueId value();
  /// A value at its definition; defining it twice is a mistake.
  ValueId defined_value();
  DType dtype();
  /// A polynomial of symbols: `2*M + N/4 - 1`, `min(M, 4)`.
  SizeId size();
  /// `r, C`
  std::vector<AxisId> axis_list();
  /// `[r, C]`, or nothing.
  std::vector<AxisId> axes();

 private:
  template <typename IdT>
  using Bindings = std::map<std::string, IdT, std::less<>>;

  template <typename IdT>
  void bind(Bindings<IdT>& bindings, const Token& name, IdT id) {
    if (lexer_.failed()) return;
    const bool is_new = bindings.emplace(std::string(name.spelling), id).second;
    if (!is_new) lexer_.fail(name.span, fmt::format("`{}` is declared twice", name.spelling));
  }

  template <typename IdT>
  IdT find(const Bindings<IdT>& bindings, std::string_view what) {
    const Token token = lexer_.peek();
    const auto entry = bindings.find(lexer_.name(what));
    if (entry != bindings.end()) return entry->second;
    lexer_.fail(token.span, fmt::format("`{}` is not the name of {}", token.spelling, what));
    return {};
  }

  ValueId numbered(uint32_t number);
  SizeId product();
  SizeId factor();
  SizeId extremum(bool is_minimum);

  Lexer& lexer_;
  Kernel& kernel_;
  Bindings<SymbolId> symbols_;
  Bindings<TensorId> tensors_;
  Bindings<ScalarId> scalars_;
  Bindings<TableId> tables_;
  Bindings<AxisId> axes_;
  Bindings<VariableId> variables_;
  std::vector<bool> defined_;
  size_t size_depth_ = 0;
};

}  // namespace tessera::ir
