// SPDX-License-Identifier: Apache-2.0
// Names, spellings and ranges that every check needs.
#include "sema/context.h"

#include "sema/ir/extents.h"

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

bool is_bounded(const Context& context, ir::AxisId id) {
  return context.kernel.axes[id].kind != ir::AxisKind::let ||
         ir::greatest_extent(context.kernel, context.kernel.sizes, id).has_value();
}

void not_implemented(DiagnosticSink& sink, Span span, const std::string& construct, const std::string& rule) {
  sink.report(Diag::not_implemented, span, construct, rule);
}

}  // namespace tessera::sema
