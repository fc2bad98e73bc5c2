// SPDX-License-Identifier: Apache-2.0
// Vectors of lines that may begin anywhere, in the walk: which elements exist, and what it takes to read them; windows of
// neighbours. Where lines are whole vectors, only the ends of lines and the windows are left of all that.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "emit/register_walk.h"

namespace tessera::emit {

using lowered::Expr;

void RegisterWalk::part(const lowered::Local& node) {
  const std::vector<HeldValue> given = operands(*node.initial);
  HeldObject& object = names_.declare(node.name, lives_.depth());
  object.is_part = true;
  object.slots = {given[0], given[2]};
  if (is_whole()) return;
  // Two numbers of 32 bits, in the threads that have any of the elements.
  object.slots.push_back(make("before", {given[0], given[1]}, 1, kAddress, true));
  object.slots.push_back(make("rest", {given[0], given[2]}, 1, kAddress, true));
}

HeldValue RegisterWalk::any(const HeldObject& part, int64_t distance) {
  if (!is_whole()) return make("any", {part.slots.back(), HeldValue::number(distance)}, 0);
  // Of what is left from the vector on; the distance is an operand of the comparison.
  HeldValue own = part.slots[0];
  const int64_t offset = std::exchange(own.offset, 0) + distance;
  const HeldValue left = make("left", {own, part.slots[1]}, distance == 0 ? kAddress : 1, 0, true);
  return make("any", {left, HeldValue::number(offset)}, 0);
}

bool RegisterWalk::always_exists(const Expression& e) {
  if (!is_whole() || e.kind != Expression::Kind::call || !e.text.ends_with(".has")) return false;
  const HeldObject* object = names_.find(tensor_of(e));
  return object && object->is_part;
}

HeldValue RegisterWalk::has(const Expression& e) {
  const HeldObject* object = names_.find(tensor_of(e));
  std::vector<HeldValue> from = operands(e);
  if (object && object->is_part) from.insert(from.end(), object->slots.begin() + 2, object->slots.end());
  from.push_back(HeldValue::of_thread(tensor_of(e)));
  return make("has", from, 0);
}

HeldValue RegisterWalk::boundary(const Expression& e) {
  const Expr& at = e.operands[0];
  HeldValue first = eval(at->kind == Expression::Kind::list ? at->operands.back() : at);
  if (is_whole()) return first;
  const HeldValue begin = address(tensor_of(e), at, false);
  return make("boundary", {first, begin}, kAddress, kAddress, true);
}

void RegisterWalk::or_else(HeldObject& object, int first, const Expression& e) {
  const HeldPlace place = place_of(e.operands[0]);
  if (!place.object) return;
  const HeldObject& from = *place.object;
  const HeldObject* part = names_.find(tensor_of(e));
  for (int k = 0; k < object.lanes; ++k) {
    HeldValue value = from.slots[static_cast<size_t>(place.slot) + static_cast<size_t>(k)];
    if (!is_whole() && k % object.elements_a_word() == 0)
      value = make(fresh(), {value, part->slots[2], part->slots[3]}, words(object.bytes));
    else if (!is_whole())
      value = object.slots[static_cast<size_t>(first + k - 1)];
    assign(object, first + k, value);
  }
}

void RegisterWalk::load_vector(HeldObject& object, int first, const Expression& e) {
  const int before = serial_;
  const HeldValue from = address(tensor_of(e), e.operands[0], object.lanes > 1);
  use(from);
  lives_.step();
  put(object, first, true, serial_ > before);
  if (e.operands.size() > 1) pieces(object.bytes, object.lanes);
}

void RegisterWalk::pieces(int bytes, int lanes) {
  if (is_whole()) return;
  lives_.scratch(kRegisterCosts.pieces + (parameters_in_registers_ ? kRegisterCosts.piece_parameters : 0) +
                 lanes * (bytes < 4 ? kRegisterCosts.piece : kRegisterCosts.wide_piece));
}

void RegisterWalk::load_strips(const Expression& e) {
  const HeldPlace place = place_of(e.operands[3]);
  const HeldObject* part = names_.find(e.operands[1]->text);
  if (!place.object || !part) return;
  HeldObject& row = *place.object;
  const int64_t step = names_.constant_of(e.operands[2]->text).value_or(1);
  const int strips = static_cast<int>(row.slots.size()) / row.lanes;
  for (int k = 0; k < strips; ++k) {
    const HeldValue condition = any(*part, k * step);
    use(condition);
    guarded(condition.key, false, [&] {
      const int before = serial_;
      HeldValue from = address(tensor_of(e), e.operands[0], row.lanes > 1);
      if (row.lanes == 1 && k > 0) from = make("address", {from, HeldValue::number(k * step)}, kAddress);
      use(from);
      lives_.step();
      put(row, k * row.lanes, true, serial_ > before);
    });
  }
  if (!is_whole()) pieces(row.bytes, row.lanes);
  if (!is_whole()) lives_.step();
}

void RegisterWalk::window(HeldObject& object, const Expr& e) {
  if (e->kind == Expression::Kind::ternary) {
    use(eval(e->operands[0]));
    return window(object, e->operands[1]);
  }
  constexpr int kBytesOfVector = 8;  // elements up to which one neighbour, not two, is read alone
  const int count = static_cast<int>(object.slots.size());
  const int lanes = variant_.vector, behind = count - lanes - object.origin;
  const int few = lanes > kBytesOfVector ? 2 : 1;
  if (variant_.ragged || lanes == 1) return neighbours(object, *e, 0, count);
  const int before = serial_;
  use(address(tensor_of(*e), e->operands[0], true));
  lives_.step();
  int first = object.origin, end = object.origin + lanes;
  if (object.origin > few) first = 0;
  if (behind > few) end = count;
  // Narrow elements stay in the words that they came in.
  const int a_word = std::max(1, 4 / std::max(1, static_cast<int>(size_in_bytes(e->type))));
  HeldValue word;
  for (int k = first; k < end; ++k) {
    if ((k - first) % a_word == 0) {
      word = HeldValue::of_thread(fresh());
      word.id = arrival(words(object.bytes));
    }
    HeldValue value = word;
    if (a_word > 1) value.key += fmt::format(".{}", k);
    assign(object, k, value);
  }
  if (serial_ > before) wait_with_address(end - first);
  neighbours(object, *e, 0, first);
  neighbours(object, *e, end, count - end);
}

void RegisterWalk::neighbours(HeldObject& object, const Expression& e, int first, int count) {
  const bool periodic = e.text.find(".periodic_") != std::string::npos;
  const HeldValue line = names_.value_of(tensor_of(e));
  for (int k = first; k < first + count; ++k) {
    HeldValue at = eval(e.operands[0]).moved(k - object.origin);
    if (periodic) at = make("wrap", {at}, kAddress, kRegisterCosts.wrap, true);
    const HeldValue from = make("address", {line, at}, kAddress, 0, true);
    use(from);
    lives_.step();
    HeldValue value = HeldValue::of_thread(fresh());
    value.id = arrival(words(object.bytes));
    assign(object, k, value);
    wait_with_address(words(object.bytes));
  }
}

}  // namespace tessera::emit
