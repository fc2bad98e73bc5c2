// SPDX-License-Identifier: Apache-2.0
// Values of the walk: which are equal, how long they are there, and when loads that bring them are issued.
#include <fmt/format.h>

#include <algorithm>

#include "emit/register_walk.h"

namespace tessera::emit {

using lowered::Expr;

void RegisterWalk::use(const HeldValue& value) {
  if (value.id >= 0) lives_.use(value.id);
}

std::string RegisterWalk::fresh() { return fmt::format("#{}", ++serial_); }

const HeldValue* RegisterWalk::known(const std::string& key) const {
  for (auto table = tables_.rbegin(); table != tables_.rend(); ++table)
    if (const auto found = table->find(key); found != table->end()) return &found->second;
  return nullptr;
}

HeldValue RegisterWalk::make(const std::string& op, const std::vector<HeldValue>& from, double registers,
                             double scratch, bool whole) {
  std::string key = op + "(";
  std::vector<int> ids;
  HeldValue result;
  for (const HeldValue& given : from) {
    const HeldValue each = op == "address" || op == "sum" ? given : summed(given);
    key += fmt::format("{}+{},", each.key, each.offset);
    result.uniform &= each.uniform;
    if (each.id >= 0) ids.push_back(each.id);
  }
  if (const HeldValue* equal = known(key)) return *equal;
  const size_t home = whole ? lives_.outermost_without(ids) : lives_.depth();
  const bool leaves = home < lives_.depth();
  for (int id : ids) leaves ? lives_.use_before(home, id) : lives_.use(id);
  lives_.scratch(scratch);
  lives_.step();
  result.key = fresh();
  // What parameters alone give is made again from constant memory, and one addition is not worth a register.
  if (whole && result.uniform && ids.empty()) registers = 0;
  // As long as its comparison stays in a predicate.
  if (leaves && op == "sum" && ++predicates_ <= kRegisterCosts.predicates) registers = 0;
  if (registers > 0) result.id = leaves ? lives_.add_before(home, registers) : lives_.add(registers);
  (leaves ? tables_[loop_tables_[home]] : tables_.back())[key] = result;
  return result;
}

HeldValue RegisterWalk::summed(const HeldValue& value) {
  if (value.offset == 0 || value.constant || value.key.empty()) return value;
  if (value.uniform && value.id < 0) return value;
  return make("sum", {value}, 2, 0, true);
}

void RegisterWalk::use_copies(const HeldObject& object, const HeldPlace& place) {
  for (int slot = place.slot; slot < place.slot + (place.is_vector ? object.lanes : 1); ++slot)
    if (const auto copy = object.copies.find(slot); copy != object.copies.end()) lives_.use(copy->second);
}

void RegisterWalk::overlap(const Expression& e) {
  const double registers = overlapping_registers(e.text);
  if (registers == 0) return;
  overlapping_.push_back(lives_.now());
  lives_.add_from(overlapping_.front(), registers * words(e.type));
}

void RegisterWalk::use_parameter(const std::string& name) {
  if (!parameters_in_registers_ || predicates_open_ == 0 || known(name)) return;
  parameters_.push_back(lives_.now());
  const size_t ahead = std::min(parameters_.size() - 1, static_cast<size_t>(kRegisterCosts.parameters_ahead));
  HeldValue value = HeldValue::free(name);
  value.id = lives_.add_from(parameters_[parameters_.size() - 1 - ahead], kAddress);
  lives_.step();
  use(value);
  tables_.back()[name] = value;
}

int RegisterWalk::arrival(double registers) {
  loads_.push_back(lives_.now());
  const bool in_turns = lives_.depth() > 1;  // all turns at once
  return lives_.add_from(in_turns ? loads_.front() : issue(kRegisterCosts.loads_ahead), registers);
}

int RegisterWalk::issue(int loads_ahead) const {
  const size_t ahead = std::min(loads_.size() - 1, static_cast<size_t>(loads_ahead));
  return loads_[loads_.size() - 1 - ahead];
}

void RegisterWalk::wait_with_address(double arriving) {
  if (arriving < kAddress) lives_.add_from(issue(kRegisterCosts.addresses_ahead), kAddress - arriving);
}

void RegisterWalk::assign(HeldObject& object, int slot, const HeldValue& value) {
  HeldValue& held = object.slots[static_cast<size_t>(slot)];
  for (size_t k = object.depth; k < changed_.size(); ++k) changed_[k].try_emplace({&object, slot}, held.id);
  held = value;
  if (is_partial(object)) {
    use(value);
    if (object.bytes > 4 && value.id >= 0) object.copies[slot] = value.id;
    held.id = home_of(object, slot);
  }
}

bool RegisterWalk::is_partial(const HeldObject& object) const {
  return object.is_bare && object.depth > 0 && guards_open_ > object.guards;
}

int RegisterWalk::home_of(HeldObject& object, int slot) {
  const int word = slot / object.elements_a_word();
  const auto [home, is_new] = object.homes.try_emplace(word, -1);
  if (is_new) home->second = lives_.add_through(object.depth - 1, words(object.bytes));
  return home->second;
}

void RegisterWalk::pack(HeldObject& object, int slot) {
  const int count = object.elements_a_word();
  if (count == 1 || slot % count != count - 1) return;
  const auto first = object.slots.begin() + (slot + 1 - count);
  const HeldValue word = make(fresh(), {first, first + count}, 1);
  std::fill(first, first + count, word);
}

}  // namespace tessera::emit
