// SPDX-License-Identifier: Apache-2.0
// How many coordinates an axis has; see extents.h.
#include "sema/ir/extents.h"

#include <algorithm>
#include <limits>

namespace tessera::ir {

namespace {

std::optional<std::int64_t> greatest_value(const Symbol& symbol) {
  return symbol.allowed.empty() ? symbol.maximum : std::ranges::max(symbol.allowed);
}

}  // namespace

SizeId extent_of(const Kernel& kernel, SizeTable& sizes, AxisId axis) {
  const SizeId extent = sizes.subtract(kernel.axes[axis].upper, kernel.axes[axis].lower);
  const auto least =
      sizes.lower_bound(extent, [&](SymbolId symbol) { return kernel.symbols[symbol].minimum; });
  return least && *least >= 0 ? extent : sizes.maximum(sizes.constant(0), extent);
}

std::optional<std::int64_t> constant_extent(const Kernel& kernel, SizeTable& sizes, AxisId axis) {
  const SizeId upper = kernel.axes[axis].upper, lower = kernel.axes[axis].lower;
  if (const auto last = sizes.as_constant(upper), first = sizes.as_constant(lower); last && first) {
    std::int64_t extent = 0;
    if (__builtin_sub_overflow(*last, *first, &extent)) return std::numeric_limits<std::int64_t>::max();
    return std::max<std::int64_t>(extent, 0);
  }
  const auto extent = sizes.as_constant(sizes.subtract(upper, lower));
  return extent ? std::optional(std::max<std::int64_t>(*extent, 0)) : std::nullopt;
}

std::optional<std::int64_t> greatest_extent(const Kernel& kernel, SizeTable& sizes, AxisId axis) {
  if (const auto extent = constant_extent(kernel, sizes, axis)) return extent;
  const SizeId extent = sizes.subtract(kernel.axes[axis].upper, kernel.axes[axis].lower);
  for (std::size_t i = 0; i < kernel.symbols.size(); ++i) {
    const SymbolId symbol = kernel.symbols.id_at(i);
    const auto most = greatest_value(kernel.symbols[symbol]);
    std::int64_t sum = 0;
    if (!most) continue;
    const auto rest = sizes.as_constant(sizes.subtract(extent, sizes.symbol(symbol)));
    if (rest && !__builtin_add_overflow(*most, *rest, &sum)) return std::max<std::int64_t>(sum, 0);
  }
  return std::nullopt;
}

}  // namespace tessera::ir
