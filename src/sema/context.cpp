// SPDX-License-Identifier: Apache-2.0
// Names, spellings and ranges that every check needs.
#include "sema/context.h"

#include <algorithm>
#include <limits>

namespace tessera::sema {

ir::SizeId Context::canonical(ir::SizeId size) {
  if (equalities.empty()) return size;
  return kernel.sizes.substitute(size, [this](ir::SymbolId symbol) {
    const auto entry = equalities.find(symbol);
    return entry != equalities.end() ? entry->second : kernel.sizes.symbol(symbol);
  });
}

std::string Context::spell(ir::SizeId size) const {
  return kernel.sizes.spell(size, [this](ir::SymbolId symbol) { return kernel.symbols[symbol].name; });
}

std::string Context::spell(const std::vector<ir::AxisId>& axes) const {
  std::string text;
  for (const ir::AxisId axis : axes) text += (text.empty() ? "" : ", ") + name(axis);
  return text;
}

ir::AxisId Context::symbol_axis(ir::SymbolId symbol) {
  const auto entry = symbol_axes.find(symbol);
  if (entry != symbol_axes.end()) return entry->second;
  ir::Axis axis;
  axis.name = kernel.symbols[symbol].name;
  axis.lower = kernel.sizes.constant(0);
  axis.upper = kernel.sizes.symbol(symbol);
  axis.dimension = symbol;
  axis.span = kernel.symbols[symbol].span;
  const ir::AxisId id = kernel.axes.add(std::move(axis));
  symbol_axes.emplace(symbol, id);
  return id;
}

void Context::name_value(ir::ValueId value, const std::string& name) {
  ir::Value& definition = kernel.values[value];
  const bool computed = !ir::operands_of(definition.op).empty();
  if (computed && definition.name.empty()) definition.name = name;
}

void Context::declare(const ast::Name& name, EntityNode node) {
  if (const Entity* other = scope.clash(name.text)) {
    auto report = sink.report(Diag::name_clash, name.span, name.text);
    report.label(other->span, "`{}` is {} here", name.text, describe(*other))
        .note("parameters, dimensions, generics, ranges and locals of a kernel share one scope");
    if (std::holds_alternative<ValueEntity>(other->node)) {
      report.help("choose another name, or assign one that is declared as a `var`: `{} = …;`", name.text);
    } else {
      report.help("choose another name");
    }
    node = ErrorEntity{};  // which of the two a use means is open
  }
  scope.declare(name.text, {std::move(node), name.span});
}

std::optional<std::int64_t> constant_extent(const Context& context, ir::AxisId axis) {
  const ir::SizeTable& sizes = context.kernel.sizes;
  const std::optional<std::int64_t> lower = sizes.as_constant(context.kernel.axes[axis].lower),
                                    upper = sizes.as_constant(context.kernel.axes[axis].upper);
  if (!lower || !upper) return std::nullopt;
  std::int64_t extent = 0;
  return __builtin_sub_overflow(*upper, *lower, &extent) ? std::numeric_limits<std::int64_t>::max() : extent;
}

bool is_bounded(const Context& context, ir::AxisId id) {
  return context.kernel.axes[id].kind != ir::AxisKind::let || greatest_extent(context, id).has_value();
}

std::optional<std::int64_t> greatest_extent(const Context& context, ir::AxisId id) {
  if (const auto constant = constant_extent(context, id)) return constant;
  const ir::Axis& axis = context.kernel.axes[id];
  if (!axis.dimension) return std::nullopt;
  const ir::Symbol& symbol = context.kernel.symbols[*axis.dimension];
  return symbol.allowed.empty() ? symbol.maximum : std::ranges::max(symbol.allowed);
}

void not_implemented(DiagnosticSink& sink, Span span, const std::string& construct, const std::string& rule) {
  sink.report(Diag::not_implemented, span, construct, rule);
}

}  // namespace tessera::sema
