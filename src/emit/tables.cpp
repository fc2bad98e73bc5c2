// SPDX-License-Identifier: Apache-2.0
// Tables live at namespace scope, under the name of their kernel.
#include "emit/tables.h"

#include <fmt/format.h>

#include <set>

#include "emit/identifiers.h"
#include "emit/naming.h"
#include "emit/print.h"

namespace tessera::emit {

std::string table_name(const ir::Kernel& kernel, ir::TableId table) {
  return fmt::format("k_{}_{}", kernel.c_name, kernel.tables[table].name);
}

void print_tables(const ir::Kernel& kernel, const std::vector<lowered::Function>& functions, Writer& writer) {
  std::set<std::string> used;
  for (const lowered::Function& function : functions) used.merge(identifiers_in(function.body));
  for (size_t k = 0; k < kernel.tables.size(); ++k) {
    const ir::TableId id = kernel.tables.id_at(k);
    if (!used.contains(table_name(kernel, id))) continue;
    const ir::Table& table = kernel.tables[id];
    std::string elements;
    for (const ir::Literal& element : table.elements)
      elements += (elements.empty() ? "" : ", ") + print_literal(element, table.dtype);
    writer.line(fmt::format("TESSERA_TABLE({}, {}, {}) = {{{}}};", type_name(table.dtype),
                            table_name(kernel, id), table.elements.size(), elements));
    writer.blank();
  }
}

}  // namespace tessera::emit
