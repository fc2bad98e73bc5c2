// SPDX-License-Identifier: Apache-2.0
// Spells lowered programs as CUDA C++. Decides nothing.
#pragma once

#include <functional>
#include <string>

#include "emit/line_directives.h"
#include "emit/lowered.h"
#include "emit/writer.h"

namespace tessera::emit {

/// C++ text of an expression, with the parentheses that precedence asks for.
std::string print(const lowered::Expr& expression);

/// Where a span lies: "softmax.tsr:12", or "" when it has no place.
using Locate = std::function<std::string(Span)>;

/// A __global__ function template with its comment. With `lines`, its statements stand under `#line` directives.
void print(const lowered::Function& function, const Locate& locate, const LineDirectives* lines,
           Writer& writer);

/// A number as C++ spells it: `1.5f`, `-2`, `true`.
std::string print_literal(const ir::Literal& value, DType type);

}  // namespace tessera::emit
