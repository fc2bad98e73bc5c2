// SPDX-License-Identifier: Apache-2.0
// Spellings and levels of the operators, one table each.
#include "frontend/ast.h"

#include "base/check.h"

namespace tessera::ast {

namespace {

struct BinaryRow {
  BinaryOp op;
  const char* spelling;
  int precedence;
};

/// The ladder of R23 from weak to tight; `as` would be level 0.
constexpr BinaryRow kBinaryOps[] = {
    {BinaryOp::coalesce, "??", 1},   {BinaryOp::logical_or, "||", 2},  {BinaryOp::logical_and, "&&", 3},
    {BinaryOp::equal, "==", 4},      {BinaryOp::not_equal, "!=", 4},   {BinaryOp::less, "<", 4},
    {BinaryOp::less_equal, "<=", 4}, {BinaryOp::greater, ">", 4},      {BinaryOp::greater_equal, ">=", 4},
    {BinaryOp::bit_or, "|", 5},      {BinaryOp::bit_xor, "^", 6},      {BinaryOp::bit_and, "&", 7},
    {BinaryOp::shift_left, "<<", 8}, {BinaryOp::shift_right, ">>", 8}, {BinaryOp::add, "+", 9},
    {BinaryOp::subtract, "-", 9},    {BinaryOp::multiply, "*", 10},    {BinaryOp::divide, "/", 10},
    {BinaryOp::remainder, "%", 10},
};

const BinaryRow& row(BinaryOp op) {
  const auto index = static_cast<std::size_t>(op);
  TESSERA_CHECK(index < std::size(kBinaryOps) && kBinaryOps[index].op == op,
                "the rows stand in the order of BinaryOp");
  return kBinaryOps[index];
}

}  // namespace

const char* spelling(BinaryOp op) { return row(op).spelling; }
int precedence(BinaryOp op) { return row(op).precedence; }

const char* spelling(UnaryOp op) {
  switch (op) {
    case UnaryOp::negate: return "-";
    case UnaryOp::logical_not: return "!";
    case UnaryOp::bitwise_not: return "~";
  }
  unreachable("a unary operator has a spelling");
}

const char* spelling(AssignOp op) {
  switch (op) {
    case AssignOp::set: return "=";
    case AssignOp::add: return "+=";
    case AssignOp::subtract: return "-=";
    case AssignOp::multiply: return "*=";
    case AssignOp::divide: return "/=";
    case AssignOp::max: return "max=";
    case AssignOp::min: return "min=";
    case AssignOp::bit_or: return "|=";
    case AssignOp::bit_and: return "&=";
  }
  unreachable("an assignment has a spelling");
}

}  // namespace tessera::ast
