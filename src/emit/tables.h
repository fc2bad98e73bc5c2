// SPDX-License-Identifier: Apache-2.0
// Constant tables of kernels as text.
#pragma once

#include "emit/writer.h"
#include "sema/ir/module.h"

namespace tessera::emit {

/// `TESSERA_TABLE(float, weights, 3) = {…};` for each table of the kernel, at namespace scope.
void print_tables(const ir::Kernel& kernel, Writer& writer);

/// The name under which the functions of a kernel find a table.
std::string table_name(const ir::Kernel& kernel, ir::TableId table);

}  // namespace tessera::emit
