// SPDX-License-Identifier: Apache-2.0
// The canonical layout of a file: `tesserac fmt`.
#pragma once

#include <string>

#include "base/source.h"
#include "frontend/ast.h"

namespace tessera {

/// The file in canonical layout. Every comment is kept; formatting the result again changes nothing, and the
/// result parses to the same tree. `source` is the text that `file` was parsed from.
std::string format(const ast::File& file, const SourceFile& source);

}  // namespace tessera
