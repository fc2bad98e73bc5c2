// SPDX-License-Identifier: Apache-2.0
// What the launcher of a kernel checks: arguments against parameters, extents against dimensions, `where`
// clauses.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "interp/array.h"
#include "interp/error.h"
#include "sema/ir/module.h"

namespace tessera::interp {

/// Arguments by name. Symbols that stand bare as an extent of an input follow from it and may be left out, as
/// may scalars with an initial value. Outputs are not passed: their extents follow from the symbols.
struct Arguments {
  std::map<std::string, int64_t> symbols;
  std::map<std::string, Array> tensors;
  std::map<std::string, ir::Literal> scalars;
};

/// Arguments in the order of the kernel's stores. Points into the arguments.
struct Launch {
  std::vector<int64_t> symbols;               // by symbol
  std::vector<const Array*> inputs;           // by tensor; null for outputs
  std::vector<std::vector<int64_t>> extents;  // by tensor
  std::vector<ir::Literal> scalars;           // by scalar, rounded to their types
};

std::variant<Launch, Error> check_arguments(const ir::Kernel& kernel, const Arguments& arguments);

/// The values of all symbols, from extents of inputs and from `symbols`, in the order of the kernel.
std::variant<std::vector<int64_t>, Error> bind_symbols(const ir::Kernel& kernel, const Arguments& arguments);

}  // namespace tessera::interp
