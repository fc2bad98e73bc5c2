// SPDX-License-Identifier: Apache-2.0
// One kernel with its generics bound: from declaration to IR.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sema/context.h"

namespace tessera::sema {

/// Which kernel to make of a declaration.
struct Instantiation {
  ast::DeclId declaration;
  std::vector<ast::GenericArgument> arguments;
  std::string c_name;
  Span name_span;  ///< of the instance, or of the kernel
};

/// The checked kernel; absent if a mistake was reported. `scope` holds the names of the file.
std::optional<ir::Kernel> check_kernel(const ast::File& file, DiagnosticSink& sink, Scope& scope,
                                       const Instantiation& instantiation);

}  // namespace tessera::sema
