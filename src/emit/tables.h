// SPDX-License-Identifier: Apache-2.0
// Constant tables of kernels as text.
#pragma once

#include <vector>

#include "emit/lowered.h"
#include "emit/writer.h"
#include "sema/ir/module.h"

namespace tessera::emit {

/// `TESSERA_TABLE(float, weights, 3) = {…};`, at namespace scope, for each table of the kernel that a function
/// still reads: constant indices have become numbers.
void print_tables(const ir::Kernel& kernel, const std::vector<lowered::Function>& functions, Writer& writer);

/// The name under which the functions of a kernel find a table.
std::string table_name(const ir::Kernel& kernel, ir::TableId table);

}  // namespace tessera::emit
