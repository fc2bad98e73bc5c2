// SPDX-License-Identifier: Apache-2.0
// Expressions and types in prefix form, for the dump of a tree.
#pragma once

#include <string>

#include "frontend/ast.h"

namespace tessera {

/// `(+ a (* b 2))`; a parenthesized expression gets a leading `'`. Nothing for an id that is not valid.
std::string dump_expr(const ast::File& file, ast::ExprId id);
/// `f32[m, (on B dp), ..]`. Nothing for an id that is not valid.
std::string dump_type(const ast::File& file, ast::TypeId id);
/// ` (a 1) b` for `a = 1, b`.
std::string dump_arguments(const ast::File& file, const std::vector<ast::Argument>& arguments);
std::string dump_generics(const ast::File& file, const std::vector<ast::GenericArgument>& generics);

}  // namespace tessera
