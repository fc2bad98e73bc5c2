// SPDX-License-Identifier: Apache-2.0
// The program after planning: C++ in a tree. Lowering builds it, passes mend it, the printer only spells it.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/dtype.h"
#include "base/source.h"
#include "sema/ir/ops.h"

namespace tessera::emit::lowered {

struct Expression;
/// Expressions are immutable and shared.
using Expr = std::shared_ptr<const Expression>;

/// One node of a C++ expression.
struct Expression {
  enum class Kind {
    name,     // text
    literal,  // value, of `type`
    unary,    // text is the operator: - ! ~
    binary,   // text is the operator
    ternary,  // operands: condition, if true, if false
    call,     // text(operands…), template arguments are part of the text
    element,  // operands[0][operands[1]], of an array or, where text is "vector", of a Vector
    list,     // text{operands…}
    member,   // operands[0].text
  };
  Kind kind = Kind::name;
  std::string text;
  DType type = DType::index;
  ir::Literal value;
  std::vector<Expr> operands;
  bool has_vector_form = false;  // the runtime computes it faster for all elements of a Vector at once
};

Expr name(std::string text, DType type);
Expr literal(ir::Literal value, DType type);
Expr integer(int64_t value);  // of type index
Expr boolean(bool value);
Expr unary(std::string op, Expr operand, DType type);
Expr binary(std::string op, Expr left, Expr right, DType type);
Expr ternary(Expr condition, Expr if_true, Expr if_false);
Expr call(std::string callee, std::vector<Expr> arguments, DType type);
Expr element(Expr array, Expr index, DType type);
/// An element of a Vector. Assigning to one of less than 32 bits is a call of `set`.
Expr vector_element(Expr vector, Expr index, DType type);
bool is_vector_element(const Expr& expression);
/// The same expression, marked as one that also exists for whole vectors.
Expr with_vector_form(const Expr& expression);
Expr list(std::vector<Expr> elements);
/// type{elements…}
Expr braces(std::string type, std::vector<Expr> elements);
Expr member(Expr object, std::string field, DType type);

/// part.has(item): whether an element of a vector exists. What is read or computed in its place has no effect.
Expr element_exists(const Expr& part, Expr item);
bool is_element_exists(const Expr& expression);

/// Boolean conjunction; nullptr stands for true on both sides and in the result.
Expr conjunction(Expr left, Expr right);
/// a + b and a * b of type index with constants folded.
Expr add(Expr left, Expr right);
Expr multiply(Expr left, Expr right);

Expr zero(DType type);

/// Whether naming the expression would say nothing: a name, a number, or an element at one.
bool is_trivial(const Expr& expression);

/// The number, when the expression is a literal of an integer type.
std::optional<int64_t> constant_of(const Expr& expression);

struct Statement;
using Block = std::vector<Statement>;

/// `// text`
struct Comment {
  std::string text;
};
/// `const type name[extents…] = initial;`
struct Local {
  std::string type;
  std::string name;
  std::vector<std::string> extents;  // array dimensions, as text
  Expr initial;                      // may be null for arrays
  bool is_const = true;
  bool is_initialisation = false;  // the start value of an accumulator: what a planted fault may drop
};
/// `target = value;` or `target op= value;`
struct Assign {
  Expr target;
  std::string op;  // "=", "+="
  Expr value;
  bool is_fill = false;  // brings an element of a shared tile in
};
/// `expression;`
struct Evaluate {
  Expr expression;
};
/// `if (condition) { … } else { … }`, with the reason behind it; no `else` without statements. Where the condition is a
/// constant of the function, code that it leaves out need not be compiled: `if constexpr`.
struct If {
  Expr condition;
  Block then;
  std::string reason;
  bool is_guard = false;  // keeps threads from elements that do not exist
  Block otherwise;
  bool is_static = false;
};
/// `for (header) { … }`, or, without a header, `for (index name = first; name < end; name += step) { … }`
struct For {
  std::string header;  // "int i = 0; i < kStrips; ++i"
  Block body;
  bool unroll = false;
  std::string name;
  Expr first, end;
  std::string step;
  int together = 1;    // rounds that are to be under way together
  bool stays = false;  // a loop, of however few rounds
};
/// `barrier();`, or that of all blocks of a cluster, of the threads of a group, or of the warpgroups that multiply.
struct Barrier {
  enum class Of { block, cluster, group, warpgroups };

  std::string reason;
  Of threads = Of::block;
};
/// A shared array: `TESSERA_SHARED(type, name, count);`, or at a byte of the launch's shared memory.
struct Shared {
  std::string type, name, count;
  std::string first_byte;
};
/// `const auto name = [&](parameters) { … };`
struct Lambda {
  std::string name, parameters;
  Block body;
};
/// `using name = type;`
struct Using {
  std::string name, type;
};

struct Statement {
  std::variant<Comment, Local, Assign, Evaluate, If, For, Barrier, Shared, Lambda, Using> node;
  Span span;  // where in the .tsr it comes from; printed as a trailing comment
};

/// One __global__ function.
struct Function {
  std::string name;
  std::string comment;
  std::vector<std::string> template_parameters;  // "int kThreads"
  std::string threads;                           // of a block, as text
  std::vector<std::string> parameters;
  Block body;
};

}  // namespace tessera::emit::lowered
