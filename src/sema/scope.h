// SPDX-License-Identifier: Apache-2.0
// Names and what they stand for. A kernel has one namespace: nothing in it is shadowed (R2).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/dtype.h"
#include "base/source.h"
#include "frontend/ast.h"
#include "sema/ir/module.h"
#include "sema/operand.h"

namespace tessera::sema {

/// Declared with a mistake that is reported already; every use of it is silent.
struct ErrorEntity {};
struct SymbolEntity {
  ir::SymbolId id;
};
struct TensorEntity {
  ir::TensorId id;
};
struct ScalarEntity {
  ir::ScalarId id;
};
/// A `const`, an `<int>` generic or the variable of a `static for`.
struct NumberEntity {
  Number number;
};
/// A `const` list; with a type of its own if one was written.
struct TableEntity {
  std::vector<Number> elements;
  std::optional<DType> dtype;
};
/// A `<type>` generic.
struct TypeEntity {
  DType dtype;
};
/// A `fn` of the file or of the kernel, or a `<fn>` generic, which may stand for a library function.
struct FunctionEntity {
  ast::DeclId declaration;   ///< not valid for a library function
  std::string library_name;  ///< otherwise empty
  std::size_t depth = 0;     ///< frames that were visible where it was declared
};
struct RangeEntity {
  ir::AxisId axis;
  /// What a bare use may index (R4): the dimension it ranges over, if there is one.
  std::optional<ir::SizeId> dimension;
};
/// A `let`.
struct ValueEntity {
  Operand operand;
};
/// A `var`: index into the context's variables.
struct VariableEntity {
  std::size_t index = 0;
};
/// A name that stands after `by` and is declared by nothing.
struct PlanParameterEntity {};

using EntityNode =
    std::variant<ErrorEntity, SymbolEntity, TensorEntity, ScalarEntity, NumberEntity, TableEntity, TypeEntity,
                 FunctionEntity, RangeEntity, ValueEntity, VariableEntity, PlanParameterEntity>;

struct Entity {
  EntityNode node;
  Span span;  ///< of the name where it is declared
  bool used = false;
};

/// "a range", "a parameter", for messages.
std::string describe(const Entity& entity);

/// A stack of frames. Frame 0 is the file; what is in it may be hidden by a kernel, nothing else may.
class Scope {
 public:
  void push() { frames_.emplace_back(); }
  void pop() { frames_.pop_back(); }
  std::size_t depth() const { return frames_.size(); }

  /// Removes the frames above `depth` for a while: a function does not see its caller.
  std::vector<std::map<std::string, Entity, std::less<>>> detach(std::size_t depth);
  void attach(std::vector<std::map<std::string, Entity, std::less<>>> frames);

  /// The visible entity of that name, or null.
  Entity* find(const std::string& name);
  /// The entity that a declaration of `name` in the innermost frame would clash with, or null.
  const Entity* clash(const std::string& name) const;
  /// Declares without asking for clashes.
  Entity& declare(const std::string& name, Entity entity);

  /// Names visible now, for suggestions.
  std::vector<std::string> names() const;
  /// The innermost frame.
  const std::map<std::string, Entity, std::less<>>& top() const { return frames_.back(); }

 private:
  std::vector<std::map<std::string, Entity, std::less<>>> frames_;
};

/// The name nearest to `name` by edits, if one is near enough to be a slip.
std::optional<std::string> nearest(const std::string& name, const std::vector<std::string>& candidates);

}  // namespace tessera::sema
