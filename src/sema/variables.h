// SPDX-License-Identifier: Apache-2.0
// A `var` of the source as a sequence of values. In straight-line code an assignment just gives the variable
// another value; an `ir::Variable` comes into being only for state that a run-time loop carries (R19, R20).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/source.h"
#include "frontend/ast.h"
#include "sema/ir/module.h"

namespace tessera::sema {

struct Context;

struct VariableState {
  std::string name;
  Span span;
  Span type_span;
  std::size_t axes_before = 0;  ///< axes of the kernel that its type could have named
  DType dtype = DType::f32;
  std::vector<ir::AxisId> axes;  ///< ascending
  bool failed = false;           ///< declared with a mistake: every use is silent

  ir::ValueId current;  ///< its value, but for the coordinates in `picks`
  std::optional<ir::AxisId> picked_axis;
  std::map<std::int64_t, ir::ValueId> picks;  ///< `r[c = 3] = e`: values that lack the picked axis

  std::optional<ir::VariableId> carried;  ///< once a loop carries it
  ir::ValueId carried_value;              ///< what the carried variable holds at this place
  Span last_assignment;
};

/// The value of the whole variable at this place.
ir::ValueId read_variable(Context& context, VariableState& variable, Span span);
/// Its value at one coordinate of an axis.
ir::ValueId read_variable_at(Context& context, VariableState& variable, ir::AxisId axis,
                             std::int64_t coordinate, Span span);

/// Overwrites it where `value` exists.
void assign_variable(Context& context, VariableState& variable, ir::ValueId value, Span span);
/// The same at one coordinate.
void assign_variable_at(Context& context, VariableState& variable, ir::AxisId axis, std::int64_t coordinate,
                        ir::ValueId value, Span span);

/// Before a run-time loop: the variables that it assigns, as indices into the context, become state.
std::vector<std::size_t> carry_into_loop(Context& context, const ast::Block& body, Span loop);
/// At the beginning of its body, and behind it.
void read_carried(Context& context, const std::vector<std::size_t>& carried, Span span);
/// At the end of its body.
void write_carried(Context& context, const std::vector<std::size_t>& carried);

}  // namespace tessera::sema
