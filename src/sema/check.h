// SPDX-License-Identifier: Apache-2.0
// Syntax tree to checked program: names, axes, shapes, types, effects.
#pragma once

#include <optional>

#include "base/diagnostics.h"
#include "frontend/ast.h"
#include "sema/ir/module.h"

namespace tessera {

/// Checks a file and lowers its kernels, one `ir::Kernel` for each `instance` and for each kernel whose generics
/// all have defaults. Every independent mistake is reported to `sink`; the result is absent if there was one.
std::optional<ir::Module> check(const ast::File& file, DiagnosticSink& sink);

}  // namespace tessera
