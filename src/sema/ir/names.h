// SPDX-License-Identifier: Apache-2.0
// Names of a kernel's parts in texts: the source's name, with a number behind it where two parts share one.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>

#include "sema/ir/module.h"

namespace tessera::ir {

/// Unambiguous names: `k`, or `k.3` when several elements of a store are called k (3 being the index).
class Names {
 public:
  explicit Names(const Kernel& kernel) : kernel_(kernel) {
    count(kernel.symbols, symbols_);
    count(kernel.tensors, tensors_);
    count(kernel.scalars, scalars_);
    count(kernel.tables, tables_);
    count(kernel.axes, axes_);
    count(kernel.variables, variables_);
  }

  std::string of(SymbolId id) const { return spell(kernel_.symbols, symbols_, id); }
  std::string of(TensorId id) const { return spell(kernel_.tensors, tensors_, id); }
  std::string of(ScalarId id) const { return spell(kernel_.scalars, scalars_, id); }
  std::string of(TableId id) const { return spell(kernel_.tables, tables_, id); }
  std::string of(AxisId id) const { return spell(kernel_.axes, axes_, id); }
  std::string of(VariableId id) const { return spell(kernel_.variables, variables_, id); }
  std::string of(SizeId id) const {
    return kernel_.sizes.spell(id, [this](SymbolId symbol) { return of(symbol); });
  }
  std::string of(ValueId id) const { return fmt::format("%{}", id.index()); }

 private:
  using Counts = std::map<std::string, int, std::less<>>;

  template <typename StoreT>
  static void count(const StoreT& store, Counts& counts) {
    for (const auto& element : store) ++counts[element.name];
  }

  template <typename StoreT, typename IdT>
  static std::string spell(const StoreT& store, const Counts& counts, IdT id) {
    if (!store.contains(id)) return "?";
    const std::string& name = store[id].name;
    const auto entry = counts.find(name);
    const bool unique = entry != counts.end() && entry->second == 1;
    return unique && !name.empty() ? name : fmt::format("{}.{}", name, id.index());
  }

  const Kernel& kernel_;
  Counts symbols_, tensors_, scalars_, tables_, axes_, variables_;
};

}  // namespace tessera::ir
