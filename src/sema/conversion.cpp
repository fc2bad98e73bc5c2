// SPDX-License-Identifier: Apache-2.0
// Literals, meeting types, implicit and explicit conversions.
#include "sema/conversion.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/rounding.h"
#include "sema/cast_suggestion.h"
#include "sema/types.h"

namespace tessera::sema {

namespace {

bool any_real(const TableElement& table) {
  return std::any_of(table.elements.begin(), table.elements.end(),
                     [](const Number& n) { return n.is_real(); });
}

/// The kind of an operand without a type.
Number::Kind literal_kind(const Operand& operand) {
  if (operand.is_number()) return operand.number().kind;
  const TableElement& table = std::get<TableElement>(operand.node);
  if (any_real(table)) return Number::Kind::real;
  return table.elements.empty() ? Number::Kind::integer : table.elements[0].kind;
}

bool is_literal(const Operand& operand) { return !operand.is_poison() && !operand.is_value(); }

DType lone_type(const Context& context, Number::Kind kind) {
  switch (kind) {
    case Number::Kind::boolean: return DType::boolean;
    case Number::Kind::real: return lone_float(context);
    case Number::Kind::integer: break;
  }
  return DType::i32;
}

bool takes(DType dtype, Number::Kind kind) {
  switch (kind) {
    case Number::Kind::boolean: return is_bool(dtype);
    case Number::Kind::real: return is_float(dtype);
    case Number::Kind::integer: break;
  }
  return !is_bool(dtype);
}

std::string kind_name(const Operand& operand) {
  switch (literal_kind(operand)) {
    case Number::Kind::boolean: return "a bool";
    case Number::Kind::real: return "a real literal";
    case Number::Kind::integer: break;
  }
  return "an integer literal";
}

void report_mismatch(Context& context, const Operand& left, const Operand& right, DType a, DType b,
                     Span span) {
  auto report = context.sink.report(Diag::mixed_types, span, spelling(a), spelling(b));
  report.label(left.span, "this is `{}`", spelling(a)).label(right.span, "this is `{}`", spelling(b));
  const bool widen_left = widens_left(a, b);
  report.help("convert the {} side: `(… as {})`", widen_left ? "left" : "right",
              spelling(widen_left ? b : a));
}

void report_outside(Context& context, const std::string& number, Span span, DType dtype) {
  auto report = context.sink.report(Diag::literal_does_not_fit, span, number, spelling(dtype));
  if (!is_float(dtype)) return;
  report.note("the largest number of `{}` is {:.9g}", spelling(dtype), largest_finite(dtype));
  if (dtype != DType::fp8_e4m3) report.help("infinity is written `inf`");
}

void report_literal(Context& context, const Operand& literal, DType dtype) {
  report_outside(context, literal.is_number() ? spell(literal.number()) : "the table", literal.span, dtype);
}

std::optional<ir::ValueId> materialize_table(Context& context, const Operand& operand, DType dtype) {
  const TableElement& element = std::get<TableElement>(operand.node);
  ir::Table table{element.name, dtype, {}};
  for (const Number& number : element.elements) {
    const std::optional<ir::Literal> literal = to_literal(number, dtype);
    if (!literal) {
      report_literal(context, operand, dtype);
      return std::nullopt;
    }
    table.elements.push_back(*literal);
  }
  auto& tables = context.kernel.tables;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const ir::Table& other = tables[tables.id_at(i)];
    if (other.name == table.name && other.dtype == dtype && other.elements == table.elements) {
      return context.builder.add(ir::Lookup{tables.id_at(i), element.index}, dtype, operand.span);
    }
  }
  const ir::TableId id = tables.add(std::move(table));
  return context.builder.add(ir::Lookup{id, element.index}, dtype, operand.span);
}

}  // namespace

bool widens_left(DType left, DType right) {
  return is_float(left) == is_float(right) ? info(left).bits < info(right).bits : is_integer(left);
}

void report_does_not_fit(Context& context, const Number& number, Span span, DType dtype) {
  report_outside(context, spell(number), span, dtype);
}

void report_too_large(Context& context, const std::string& number, Span span, DType dtype) {
  auto report = context.sink.report(Diag::literal_does_not_fit, span, number, spelling(dtype));
  if (is_float(dtype)) report.help("infinity is written `inf`");
}

std::optional<DType> own_type(const Context& context, const Operand& operand) {
  if (operand.is_poison()) return std::nullopt;
  if (operand.is_value()) return context.builder[operand.value()].dtype;
  return lone_type(context, literal_kind(operand));
}

std::optional<DType> meeting_type(Context& context, const std::vector<Operand>& operands, Meeting meeting,
                                  Span span) {
  const Operand* first = nullptr;
  std::optional<DType> type;
  for (const Operand& operand : operands) {
    if (operand.is_poison()) return std::nullopt;
    if (!operand.is_value()) continue;
    const DType own = context.builder[operand.value()].dtype;
    const std::optional<DType> joined = type ? common_type(*type, own) : own;
    if (!joined) {
      report_mismatch(context, *first, operand, *type, own, span);
      return std::nullopt;
    }
    if (!type || *joined != *type) first = &operand;
    type = joined;
  }
  const bool all_literals = !type;
  for (const Operand& operand : operands) {
    if (!is_literal(operand)) continue;
    const Number::Kind kind = literal_kind(operand);
    if (type && !takes(*type, kind) && all_literals && kind == Number::Kind::real) type.reset();
    if (!type) {
      type = lone_type(context, kind);
    } else if (!takes(*type, kind)) {
      auto report = context.sink.report(Diag::literal_type, span, kind_name(operand), spelling(*type));
      report.label(operand.span, "{}", kind_name(operand));
      if (is_bool(*type)) {
        report.help("a `bool` is no number: `where(…, 1, 0)` makes one of it");
      } else if (kind == Number::Kind::real) {
        report.help("convert the other side: `(… as f32)`");
      } else {
        report.help("compare the other side: `… != 0`");
      }
      return std::nullopt;
    }
  }
  return meeting == Meeting::arithmetic ? arithmetic_type(*type) : *type;
}

std::optional<ir::ValueId> materialize(Context& context, const Operand& operand, DType dtype) {
  if (operand.is_poison()) return std::nullopt;
  if (operand.is_value()) return context.builder.cast(operand.value(), dtype, operand.span);
  if (!operand.is_number()) return materialize_table(context, operand, dtype);
  const std::optional<ir::Literal> literal = to_literal(operand.number(), dtype);
  if (!literal) {
    report_literal(context, operand, dtype);
    return std::nullopt;
  }
  return context.builder.constant(*literal, dtype, operand.span);
}

std::optional<ir::ValueId> materialize(Context& context, const Operand& operand) {
  const std::optional<DType> dtype = own_type(context, operand);
  return dtype ? materialize(context, operand, *dtype) : std::nullopt;
}

std::optional<ir::ValueId> convert_for(Context& context, const Operand& operand, DType dtype,
                                       const std::string& target, Span target_span, ast::ExprId written) {
  if (operand.is_poison()) return std::nullopt;
  const DType own = *own_type(context, operand);
  const bool fits =
      operand.is_value() ? own == dtype || widens(own, dtype) : takes(dtype, literal_kind(operand));
  if (fits) return materialize(context, operand, dtype);
  auto report = context.sink.report(Diag::needs_cast, operand.span, spelling(own), target, spelling(dtype));
  report.label(target_span, "{} is `{}`", target, spelling(dtype));
  if (!is_bool(dtype)) suggest_cast(context, report, written, operand.span, own, dtype);
  return std::nullopt;
}

Operand cast_operand(Context& context, const Operand& operand, DType dtype, Span span) {
  if (operand.is_poison()) return poison(span);
  if (operand.is_number()) {
    if (const std::optional<ir::Literal> literal = to_literal(operand.number(), dtype)) {
      return {context.builder.constant(*literal, dtype, span), span};
    }
  }
  const std::optional<ir::ValueId> value = materialize(context, operand);
  if (!value) return poison(span);
  const DType from = context.builder[*value].dtype;
  if (is_bool(dtype) && !is_bool(from)) {
    context.sink.report(Diag::cast_to_bool, span, spelling(from)).help("compare it: `… != 0`");
    return poison(span);
  }
  return {context.builder.cast(*value, dtype, span), span};
}

}  // namespace tessera::sema
