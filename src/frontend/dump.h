// SPDX-License-Identifier: Apache-2.0
// The syntax tree as text, for `--emit=ast` and for comparing trees.
#pragma once

#include <string>

#include "frontend/ast.h"

namespace tessera {

/// One node per line, indented by depth, without spans: two files have equal dumps exactly if their trees say
/// the same.
std::string dump(const ast::File& file);

}  // namespace tessera
