// SPDX-License-Identifier: Apache-2.0
// The syntax tree as text, for `--emit=ast` and for comparing trees.
#pragma once

#include <string>

#include "frontend/ast.h"

namespace tessera {

/// One declaration, statement, range or other part per line, indented by depth; expressions in prefix form, `(+ a 1)`.
/// Spans and comments are left out: two files have equal dumps exactly if their trees say the same.
std::string dump(const ast::File& file);

}  // namespace tessera
