// SPDX-License-Identifier: Apache-2.0
// Expressions of the walk: what each makes of what, and which addresses its loads and stores need.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "emit/register_walk.h"

namespace tessera::emit {

using lowered::Expr;

HeldValue RegisterWalk::eval(const Expr& e) {
  switch (e->kind) {
    case Expression::Kind::name:
    case Expression::Kind::element: return named(e);
    case Expression::Kind::literal:
      return is_float(e->type) ? HeldValue::free(fmt::format("{}f", e->value.real))
                               : HeldValue::number(e->value.integer);
    case Expression::Kind::binary: return binary(*e);
    case Expression::Kind::call: return call(*e);
    case Expression::Kind::member: return eval(e->operands[0]);
    case Expression::Kind::list: {
      const double registers = e->text.empty() ? 0 : words(bytes_of_type(e->text));
      return make(e->text + "{", operands(*e), registers);
    }
    case Expression::Kind::ternary:
      if (always_exists(*e->operands[0])) return eval(e->operands[1]);
      [[fallthrough]];
    default: return make(e->text + "?", operands(*e), words(e->type));
  }
}

std::vector<HeldValue> RegisterWalk::operands(const Expression& e) {
  std::vector<HeldValue> result;
  for (const Expr& operand : e.operands) result.push_back(eval(operand));
  return result;
}

HeldPlace RegisterWalk::place_of(const Expr& e) {
  HeldPlace place;
  Expr base = e;
  for (; base->kind == Expression::Kind::element; base = base->operands[0])
    place.at.insert(place.at.begin(), eval(base->operands[1]));
  const std::vector<std::string> parts = words_of(base->text);
  for (size_t k = parts.size(); k-- > 1;) place.at.insert(place.at.begin(), names_.value_of(parts[k]));
  if (parts.empty()) return place;
  place.name = parts[0];
  place.object = names_.find(parts[0]);
  if (!place.object || place.object->slots.empty()) return place;
  place.is_known = std::all_of(place.at.begin(), place.at.end(),
                               [](const HeldValue& each) { return each.constant.has_value(); });
  for (size_t k = 0; k < std::min(place.at.size(), place.object->strides.size()); ++k)
    place.slot += static_cast<int>(place.at[k].constant.value_or(0)) * place.object->strides[k];
  place.slot += place.object->origin;
  place.slot = std::clamp(place.slot, 0, static_cast<int>(place.object->slots.size()) - 1);
  place.is_vector = place.object->lanes > 1 && place.at.size() < place.object->strides.size();
  return place;
}

HeldValue RegisterWalk::named(const Expr& e) {
  if (e->kind == Expression::Kind::name)
    if (const auto number = names_.constant_of(e->text)) return HeldValue::number(*number);
  const HeldPlace place = place_of(e);
  if (!place.object) {
    if (e->kind == Expression::Kind::name) return HeldValue::free(e->text);
    return make("load", {address_of(place)}, words(e->type));
  }
  return place.is_known ? read(place) : HeldValue::free(place.name);
}

HeldValue RegisterWalk::address_of(const HeldPlace& place) {
  std::vector<HeldValue> from = place.at;
  from.push_back(HeldValue::free(place.name));
  return make("at", from, 1);
}

HeldValue RegisterWalk::read(const HeldPlace& place) {
  const HeldObject& object = *place.object;
  if (calls_) use_copies(object, place);
  if (!place.is_vector) {
    HeldValue value = object.slots[static_cast<size_t>(place.slot)];
    if (object.elements_a_word() > 1) value.key += fmt::format(".{}", place.slot);
    return value;
  }
  const auto first = object.slots.begin() + place.slot;
  return make("vector", {first, first + object.lanes}, 0);
}

HeldValue RegisterWalk::binary(const Expression& e) {
  const bool whole = is_integer(e.type);
  const bool divides = e.text == "/" && !whole && !is_divisor(e.operands[1]);
  const bool called = std::exchange(calls_, divides);
  const HeldValue left = eval(e.operands[0]), right = eval(e.operands[1]);
  calls_ = called;
  if (whole && left.constant && right.constant) {
    if (e.text == "+") return HeldValue::number(*left.constant + *right.constant);
    if (e.text == "-") return HeldValue::number(*left.constant - *right.constant);
    if (e.text == "*") return HeldValue::number(*left.constant * *right.constant);
  }
  if (whole && right.constant && (e.text == "+" || e.text == "-"))
    return left.moved(e.text == "+" ? *right.constant : -*right.constant);
  if (whole && left.constant && e.text == "+") return right.moved(*left.constant);
  return make(e.text, {left, right}, words(e.type), divides ? scratch_registers("div", e.type) : 0, whole);
}

bool RegisterWalk::is_divisor(const Expr& e) {
  const HeldObject* object = e->kind == Expression::Kind::name ? names_.find(e->text) : nullptr;
  return object && object->is_divisor;
}

HeldValue RegisterWalk::call(const Expression& e) {
  if (e.text == "team.first") return first_element(e);
  if (e.text == "team.number")
    return variant_.rows == 1 ? HeldValue::number(0) : make("number", {HeldValue::of_thread("number")}, 2);
  if (e.text == "team.leader") return make("leader", {HeldValue::of_thread("rank")}, 0);
  if (e.text.ends_with(".line")) return address(tensor_of(e), e.operands[0], false);
  if (e.text.ends_with(".load")) return load(e);
  if (e.text.ends_with(".store")) return store(e);
  if (e.text.ends_with(".any")) return any(*names_.find(tensor_of(e)), 0);
  if (e.text.ends_with(".has")) return has(e);
  if (e.text.find(".boundary<") != std::string::npos) return boundary(e);
  if (e.text.ends_with(".load_strips")) return load_strips(e), HeldValue::free("loaded");
  const bool called = std::exchange(calls_, scratch_registers(e.text, e.type) > 0);
  std::vector<HeldValue> from = operands(e);
  calls_ = called;
  if (e.text == "team.reduce") {
    from.push_back(HeldValue::of_thread(fresh()));
    last_guard_.clear();
    const bool has_position = e.operands[0]->text.starts_with("Arg");
    lives_.scratch(kRegisterCosts.row + (has_position ? kRegisterCosts.row_position : 0));
    loads_.clear();
  }
  // An element is taken out of its word again and again, rather than kept.
  if (e.text == "to_float" && !from.empty()) {
    HeldValue result = make(e.text + fresh(), from, 1);
    result.key = "float " + from[0].key;
    return result;
  }
  overlap(e);
  const bool wraps = e.text == "wrap";
  return make(e.text, from, words(e.type), wraps ? kRegisterCosts.wrap : scratch_registers(e.text, e.type),
              is_integer(e.type));
}

std::string RegisterWalk::tensor_of(const Expression& access) {
  return access.text.substr(0, access.text.find('.'));
}

HeldValue RegisterWalk::first_element(const Expression& e) {
  const HeldValue strip = eval(e.operands[0]);
  const HeldValue first = make("first", {HeldValue::of_thread("rank")}, 2, 0, true);
  return first.moved(strip.constant.value_or(0) * variant_.threads * variant_.vector);
}

HeldValue RegisterWalk::address(const std::string& tensor, const Expr& at, bool vector) {
  const HeldObject* line = names_.find(tensor);
  HeldValue sum = line ? line->slots[0] : HeldValue::free(tensor);
  const std::vector<Expr> coordinates = at->kind == Expression::Kind::list ? at->operands : std::vector{at};
  int64_t distance = 0;
  for (size_t k = 0; k < coordinates.size(); ++k) {
    HeldValue term = eval(coordinates[k]);
    // Places at a constant distance: nvcc adds multiples of the stride to one product.
    if (line && !vector && term.id >= 0) distance = std::exchange(term.offset, 0);
    if (vector && k + 1 == coordinates.size()) {
      term.offset = 0;  // the stride is 1, and the instruction adds it
    } else {
      const std::string stride = fmt::format("{}.stride{}", tensor, k);
      use_parameter(stride);
      term = make("*", {term, HeldValue::free(stride)}, kAddress, 0, true);
    }
    sum = make("address", {sum, term}, kAddress, 0, true);
  }
  if (distance != 0) sum = make("address", {sum, HeldValue::number(distance)}, kAddress, 0, true);
  return sum;
}

HeldValue RegisterWalk::load(const Expression& e) {
  const int before = serial_;
  const HeldValue from = address(tensor_of(e), e.operands[0], false);
  const std::string key = "load " + from.key;
  if (const HeldValue* equal = known(key)) return *equal;
  use(from);
  lives_.step();
  HeldValue result = HeldValue::of_thread(fresh());
  const double registers = std::max(words(e.type), 1.0);
  result.id = arrival(registers);
  if (serial_ > before + 1) wait_with_address(registers);
  return tables_.back()[key] = result;
}

HeldValue RegisterWalk::store(const Expression& e) {
  const HeldValue value = eval(e.operands[1]);
  parameters_.clear();
  const HeldObject* object =
      e.operands[1]->kind == Expression::Kind::name ? names_.find(e.operands[1]->text) : nullptr;
  const HeldValue to = address(tensor_of(e), e.operands[0], object && object->lanes > 1);
  use(to);
  use(value);
  if (object)
    for (const HeldValue& slot : object->slots) use(slot);
  if (object && object->lanes > 1 && e.operands.size() > 2) pieces(object->bytes, object->lanes);
  lives_.step();
  return HeldValue::free("stored");
}

}  // namespace tessera::emit
