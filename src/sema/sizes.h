// SPDX-License-Identifier: Apache-2.0
// Sizes in types, ranges and `where` clauses: polynomials of dimension symbols with floor `/` and `%` (R28).
#pragma once

#include <optional>

#include "sema/context.h"

namespace tessera::sema {

/// What to do with a name that nothing declares.
enum class UnknownName {
  declares_symbol,  ///< in a parameter's type an upper-case name makes a new dimension symbol
  is_an_error,
};

/// The size that an expression stands for; a mistake is reported, and the result is absent.
std::optional<ir::SizeId> size_of(Context& context, ast::ExprId id,
                                  UnknownName unknown = UnknownName::is_an_error);

/// The same without a word, for places that try.
std::optional<ir::SizeId> try_size_of(Context& context, ast::ExprId id);

/// What a name stands for, which counts as a use of it; null, and reported, if that is nothing.
Entity* use_name(Context& context, const std::string& name, Span span);

/// Reports a name that stands for nothing, with the nearest one that does; once in a kernel.
void report_unknown_name(Context& context, const std::string& name, Span span);

}  // namespace tessera::sema
