// SPDX-License-Identifier: Apache-2.0
// The syntax tree of a .tsr file: passive nodes with spans, owned by `ast::File`, referring to each other by id.
// It carries the whole surface of the language; what a node means is decided by sema. Rules are those of
// docs/language.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/id.h"
#include "base/source.h"

namespace tessera::ast {

using ExprId = Id<struct ExprTag>;
using StmtId = Id<struct StmtTag>;
using TypeId = Id<struct TypeTag>;
using DeclId = Id<struct DeclTag>;

/// A name where it is declared, or where it is not an expression of its own.
struct Name {
  std::string text;
  Span span;
};

// ---- Expressions -----------------------------------------------------------------------------------------

enum class UnaryOp : std::uint8_t { negate, logical_not, bitwise_not };

/// In the order of the ladder (R23), weakest first; `as` and `in` have nodes of their own.
enum class BinaryOp : std::uint8_t {
  coalesce,
  logical_or,
  logical_and,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  bit_or,
  bit_xor,
  bit_and,
  shift_left,
  shift_right,
  add,
  subtract,
  multiply,
  divide,
  remainder,
};

/// `42`, `0x2A`; the text as written, without sign.
struct IntegerLiteral {
  std::string text;
};
/// `1.5`, `1e-5`; the text as written.
struct FloatLiteral {
  std::string text;
};
struct BoolLiteral {
  bool value;
};
/// `inf`.
struct InfLiteral {};
/// A name used as a value. `where(c, a)` is a call of the name `where`.
struct NameRef {
  std::string name;
};
struct Unary {
  UnaryOp op;
  Span op_span;
  ExprId operand;
};
struct Binary {
  BinaryOp op;
  Span op_span;
  ExprId left, right;
};
/// `operand as bf16`; the type is a scalar type or a `<type>` generic.
struct Cast {
  ExprId operand;
  Name type;
};
/// One element of a set: a value, or with a valid `end` the half-open `value .. end`.
struct SetElement {
  ExprId value;
  ExprId end;
};
/// `operand in {1, 2, 4 .. 8}`.
struct Membership {
  ExprId operand;
  std::vector<SetElement> elements;
};
/// `:`, the whole dimension (R2).
struct WholeIndex {};
/// `lo .. hi` in an index list.
struct SliceIndex {
  ExprId lo, hi;
};
/// `c = 3`, one coordinate of axis c (R3).
struct PickIndex {
  Name axis;
  ExprId value;
};
struct IndexElement {
  Span span;
  std::variant<ExprId, WholeIndex, SliceIndex, PickIndex> node;
};
/// `base[e1, …]`.
struct Index {
  ExprId base;
  std::vector<IndexElement> elements;
};
/// An argument of a call, an annotation or a clause: `value`, or `name = value`.
struct Argument {
  Span span;
  std::optional<Name> name;
  ExprId value;
};
/// `act = gelu` between `<` and `>` at a use (R22).
struct GenericArgument {
  Name name;
  ExprId value;
};
/// `callee(a)`, `sum[k](a)`, `dot<T = f16>[k](a, b)`. `axes` is absent where no brackets are written.
struct Call {
  ExprId callee;
  std::vector<GenericArgument> generics;
  std::optional<std::vector<Name>> axes;
  std::vector<Argument> arguments;
};
/// `base.member`.
struct Member {
  ExprId base;
  Name member;
};
/// `(a, b)`, two elements or more.
struct Tuple {
  std::vector<ExprId> elements;
};
/// `[a, b, c]`.
struct ArrayLiteral {
  std::vector<ExprId> elements;
};
/// Stands where the source has a mistake that is reported already; every check accepts it silently.
struct ErrorExpr {};

using ExprNode = std::variant<ErrorExpr, IntegerLiteral, FloatLiteral, BoolLiteral, InfLiteral, NameRef,
                              Unary, Binary, Cast, Membership, Index, Call, Member, Tuple, ArrayLiteral>;

struct Expr {
  Span span;  ///< with the parentheses, if there are any
  ExprNode node;
  /// Written in parentheses. They group and say nothing else; any number of pairs counts as one.
  bool parenthesized = false;
};

// ---- Types -----------------------------------------------------------------------------------------------

/// One dimension of a tensor type: a size; `..` for any further axes (R21); `R..`, the product of the leading
/// dimensions (R28).
struct Dimension {
  enum class Kind : std::uint8_t { size, rest, leading };
  Span span;
  Kind kind = Kind::size;
  ExprId size;                    ///< not valid for `rest`
  std::optional<Name> mesh_axis;  ///< `B on dp`
};
/// `f32`, or a `<type>` generic; also what sema finds not to be a type.
struct ScalarType {
  Name element;
};
/// `f32[m, n]`; `f32[]` has no dimensions and is still a tensor.
struct TensorType {
  Name element;
  std::vector<Dimension> dimensions;
};
/// `(f32, index)`.
struct TupleType {
  std::vector<TypeId> elements;
};
/// `[(index, f32)]`, a list known to the compiler, as `static for` walks it.
struct ListType {
  TypeId element;
};

struct Type {
  Span span;
  std::variant<ScalarType, TensorType, TupleType, ListType> node;
};

// ---- Parts shared by statements and declarations ---------------------------------------------------------

/// `@tile(BM = 128, when = D <= 128)`; `name` is without the `@`.
struct Annotation {
  Span span;
  Name name;
  std::optional<std::vector<Argument>> arguments;  ///< absent where no parentheses are written
};

/// A dimension symbol, a literal, a range to re-tile, or any other single expression.
struct WholeDomain {
  ExprId extent;
};
/// `Dim[lo .. hi]`.
struct PartDomain {
  Name dimension;
  ExprId lo, hi;
};
/// `lo .. hi`.
struct BoundsDomain {
  ExprId lo, hi;
};
struct Domain {
  Span span;
  std::variant<WholeDomain, PartDomain, BoundsDomain> node;
};

/// What stands after `by`.
struct NoStep {};
struct AutoStep {
  Span span;
};
using Step = std::variant<NoStep, AutoStep, ExprId>;

/// `name in domain by step where relation` (R5).
struct Range {
  Span span;
  Name name;
  Domain domain;
  Step step;
  ExprId relation;  ///< not valid where there is none
};

struct Block {
  Span span;  ///< with its braces
  std::vector<StmtId> statements;
};

/// `<type T: float = bf16>`, `<int G = 4>`, `<fn act = identity>` at a declaration (R22).
struct GenericParameter {
  enum class Kind : std::uint8_t { type, integer, function };
  Span span;
  Kind kind = Kind::type;
  Name name;
  std::optional<Name> bound;  ///< `float` in `type T: float`
  ExprId default_value;       ///< not valid where there is none
};

/// `periodic`, `clamped`, `unordered`, `sparse(2:4)` after a parameter's type (R13).
struct Property {
  Span span;
  Name name;
  std::vector<ExprId> values;  ///< 2 and 4 of `sparse(2:4)`
};

/// `none`: a value of a kernel's scalar parameter, or of a function or graph.
enum class Direction : std::uint8_t { none, in, out, inout };

struct Parameter {
  Span span;
  Direction direction = Direction::none;
  Name name;
  TypeId type;
  bool nullable = false;  ///< `?` after the type
  std::vector<Property> properties;
  ExprId initial;  ///< `= init`; not valid where there is none
};

/// `where c1, c2`.
struct WhereClause {
  std::vector<ExprId> conditions;
};
/// `precision(exp = fast)`.
struct PrecisionClause {
  std::vector<Argument> arguments;
};
/// `verify(max_rel = 1e-2)`.
struct VerifyClause {
  std::vector<Argument> arguments;
};
/// What stands between `)` and `{` of a kernel (R27), in the order of the source.
struct Clause {
  Span span;
  std::variant<WhereClause, PrecisionClause, VerifyClause> node;
};

// ---- Statements ------------------------------------------------------------------------------------------

/// `=` or a compound assignment.
enum class AssignOp : std::uint8_t { set, add, subtract, multiply, divide, max, min, bit_or, bit_and };

/// `grid m in M by BM, n in N { … }`; no ranges: one instance.
struct GridStmt {
  std::vector<Range> ranges;
  std::vector<Annotation> annotations;
  Block body;
};
struct ForStmt {
  std::vector<Range> ranges;
  std::vector<Annotation> annotations;
  Block body;
};
/// One binding of a `static for`: `i in 1 .. 5`, or with a tuple of names `(k, i) in terms(3)`.
struct StaticBinding {
  Span span;
  std::vector<Name> names;
  bool is_tuple = false;
  Domain domain;
};
struct StaticForStmt {
  std::vector<StaticBinding> bindings;
  Block body;
};
/// `let n in N, c in 8;`
struct LetRangesStmt {
  std::vector<Range> ranges;
  std::vector<Annotation> annotations;
};
/// `let e = exp(x);` or with a tuple of names `let (mu, var) = moments[c](x);`
struct LetStmt {
  std::vector<Name> names;
  bool is_tuple = false;
  TypeId type;  ///< not valid where none is written
  ExprId value;
  std::vector<Annotation> annotations;
};
/// `var acc: f32[m, n] = 0;`
struct VarStmt {
  Name name;
  TypeId type;
  ExprId initial;  ///< not valid where none is written, which sema refuses (R20)
  std::vector<Annotation> annotations;
};
/// `target op value;` the target being a name, a pick or an indexed tensor.
struct AssignStmt {
  ExprId target;
  AssignOp op = AssignOp::set;
  Span op_span;
  ExprId value;
  std::vector<Annotation> annotations;
};
/// `temp P: f32[S, M] = 0;`
struct TempStmt {
  Name name;
  TypeId type;
  ExprId initial;  ///< not valid where there is none
  std::vector<Annotation> annotations;
};
/// `a: f16[128, 64] @swizzle(128);` of a channel or a `shared` statement.
struct Buffer {
  Span span;
  Name name;
  TypeId type;
  std::vector<Annotation> annotations;
};
/// `shared a: f16[128, 64] @swizzle(128);`
struct SharedStmt {
  Buffer buffer;
};
/// `channel ab<stages = 4> { … }`.
struct ChannelStmt {
  Name name;
  std::vector<GenericArgument> generics;
  std::vector<Buffer> buffers;
};
/// `role load @warps(1) { … }`.
struct RoleStmt {
  Name name;
  std::vector<Annotation> annotations;
  Block body;
};
/// `if c { … } else if d { … } else { … }`: one branch per condition.
struct IfStmt {
  struct Branch {
    ExprId condition;
    Block body;
  };
  std::vector<Branch> branches;
  std::optional<Block> otherwise;
};
struct ReturnStmt {
  ExprId value;  ///< not valid for `return;`
  std::vector<Annotation> annotations;
};
/// An expression for its effect: `copy_async(s.a[m, k], A[m, k]) @multicast(0);`
struct ExprStmt {
  ExprId value;
  std::vector<Annotation> annotations;
};
/// A `const` or a `fn` inside a body.
struct DeclStmt {
  DeclId declaration;
};
/// `inline cuda(reads a, writes b) """ … """;`
struct InlineCudaStmt {
  std::vector<Name> reads;
  std::vector<Name> writes;
  std::string text;  ///< between the triple quotes, as written
  Span text_span;
};

using StmtNode =
    std::variant<GridStmt, ForStmt, StaticForStmt, LetRangesStmt, LetStmt, VarStmt, AssignStmt, TempStmt,
                 SharedStmt, ChannelStmt, RoleStmt, IfStmt, ReturnStmt, ExprStmt, DeclStmt, InlineCudaStmt>;

struct Stmt {
  Span span;
  StmtNode node;
};

// ---- Declarations ----------------------------------------------------------------------------------------

struct KernelDecl {
  Name name;
  std::vector<GenericParameter> generics;
  std::vector<Parameter> parameters;
  std::vector<Clause> clauses;
  Block body;
};
/// `fn softmax[c](x: f32[c, ..]) -> f32[c, ..] { … }`, also inside a kernel.
struct FnDecl {
  bool is_const = false;  ///< `const fn`: runs in the compiler
  Name name;
  std::vector<GenericParameter> generics;
  std::vector<Name> axes;
  std::vector<Parameter> parameters;
  TypeId result;  ///< not valid where none is written
  Block body;
};
/// `graph mlp(x: bf16[B on dp, D]) -> bf16[B on dp, D] on pod { … }`.
struct GraphDecl {
  Name name;
  std::vector<GenericParameter> generics;
  std::vector<Parameter> parameters;
  TypeId result;  ///< not valid where none is written
  std::optional<Name> mesh;
  std::vector<Clause> clauses;
  Block body;
};
/// `mesh pod(dp = 2, tp = 4);`
struct MeshDecl {
  Name name;
  std::vector<Argument> axes;
};
/// `instance linear<act = gelu> as linear_gelu;`
struct InstanceDecl {
  Name kernel;
  std::vector<GenericArgument> generics;
  Name name;
};
/// `import "f.tsr";` or `import gelu, silu from "f.tsr";`
struct ImportDecl {
  std::vector<Name> names;
  std::string path;
  Span path_span;
};
/// `extern fn f(x: f32) -> f32 from "f.cuh";`
struct ExternFnDecl {
  Name name;
  std::vector<Parameter> parameters;
  TypeId result;
  std::string header;
  Span header_span;
};
/// `const c = [1, 2];`, at file level or in a body.
struct ConstDecl {
  Name name;
  TypeId type;  ///< not valid where none is written
  ExprId value;
};

using DeclNode =
    std::variant<KernelDecl, FnDecl, GraphDecl, MeshDecl, InstanceDecl, ImportDecl, ExternFnDecl, ConstDecl>;

struct Decl {
  Span span;  ///< without annotations and documentation
  std::vector<std::string>
      documentation;  ///< lines of `///` directly before it, without slashes, first and last spaces
  std::vector<Annotation> annotations;
  DeclNode node;
};

// ---- The file --------------------------------------------------------------------------------------------

/// A comment as written, with its slashes; the formatter puts them back.
struct Comment {
  enum class Kind : std::uint8_t { line, block, documentation };
  Span span;
  Kind kind = Kind::line;
};

/// Everything one file says. The nodes name each other by ids of these stores; destruction does not recurse.
struct File {
  FileId file;
  Store<ExprId, Expr> exprs;
  Store<StmtId, Stmt> stmts;
  Store<TypeId, Type> types;
  Store<DeclId, Decl> decls;         ///< of all levels, also those inside bodies
  std::vector<DeclId> declarations;  ///< of file level, in order
  std::vector<Comment> comments;     ///< in order of the source

  const Expr& operator[](ExprId id) const { return exprs[id]; }
  const Stmt& operator[](StmtId id) const { return stmts[id]; }
  const Type& operator[](TypeId id) const { return types[id]; }
  const Decl& operator[](DeclId id) const { return decls[id]; }
};

/// The symbol of an operator as written: "??", "+".
const char* spelling(BinaryOp op);
const char* spelling(UnaryOp op);
/// "=", "+=", "max=".
const char* spelling(AssignOp op);
/// Level of an operator on the ladder of R23: larger binds tighter. `as` is 0 and `??` is 1.
int precedence(BinaryOp op);

}  // namespace tessera::ast
