// SPDX-License-Identifier: Apache-2.0
// Statements of the walk: loops that are written out, guards, and whole vectors.
#include "emit/registers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "emit/register_walk.h"

namespace tessera::emit {

namespace {

using lowered::Expr;

}  // namespace

RegisterWalk::RegisterWalk(const Variant& variant, const Target& target)
    : variant_(variant), names_(variant), parameters_in_registers_(target.has(kParametersInRegisters)) {
  tables_.emplace_back();
}

double RegisterWalk::run(const lowered::Function& function) {
  block(function.body);
  return lives_.peak(kRegisterCosts.invariants) + kRegisterCosts.every;
}

void RegisterWalk::block(const lowered::Block& statements) {
  const size_t mark = names_.mark();
  for (const lowered::Statement& each : statements)
    std::visit([&](const auto& node) { visit(node); }, each.node);
  names_.forget(mark);
}

void RegisterWalk::visit(const lowered::Comment&) {}

void RegisterWalk::visit(const lowered::Shared&) {}

void RegisterWalk::visit(const lowered::Barrier&) { lives_.step(); }

void RegisterWalk::visit(const lowered::Evaluate& node) { eval(node.expression); }

void RegisterWalk::visit(const lowered::Local& node) {
  if (node.type.starts_with("constexpr")) {
    if (const auto number = names_.constant_of(node.initial->text))
      names_.define_constant(node.name, *number);
    return;
  }
  if (node.type.starts_with("Group")) return;
  if (node.initial && node.initial->text.starts_with("Part<")) return part(node);
  if (node.type == "auto" && node.initial->kind == Expression::Kind::call)
    return names_.bind(node.name, eval(node.initial), lives_.depth());
  if (node.type == "auto") return positions(node);
  HeldObject& object = names_.shape(node, lives_.depth());
  object.guards = guards_open_;
  object.is_bare = !node.initial;
  if (!node.initial) return;
  if (node.type.starts_with("Window<")) return window(object, node.initial);
  if (object.lanes > 1) return fill(object, 0, node.initial);
  if (node.type.starts_with("Index<")) {  // counts of units: from parameters
    object.slots[0] = HeldValue::free(node.name);
    return;
  }
  if (is_vector_load(*node.initial)) return fill(object, 0, node.initial);
  object.slots[0] = initial(node, object);
}

HeldValue RegisterWalk::initial(const lowered::Local& node, HeldObject& object) {
  HeldValue value = eval(node.initial);
  if (node.type == "Divisor") {
    object.is_divisor = true;
    return make("Divisor", {value}, words(object.bytes), scratch_registers("div", DType::f32));
  }
  // A variable that starts as a constant takes its register.
  const bool starts = !node.is_const && value.id < 0 && node.type != "bool";
  return starts ? make(fresh(), {value}, words(object.bytes)) : value;
}

void RegisterWalk::positions(const lowered::Local& node) {
  const HeldValue unit = names_.value_of("unit");
  for (const std::string& name : words_of(node.name)) {
    HeldValue from = unit;
    from.key += name;
    names_.bind(name, make("position", {from}, 2, kRegisterCosts.position, true), lives_.depth());
  }
}

void RegisterWalk::fill(HeldObject& object, int first, const Expr& e) {
  if (e->kind == Expression::Kind::ternary) {
    if (!always_exists(*e->operands[0])) use(eval(e->operands[0]));
    return fill(object, first, e->operands[1]);
  }
  if (e->text.ends_with(".or_else")) return or_else(object, first, *e);
  if (is_vector_load(*e)) return load_vector(object, first, *e);
  use(eval(e));
  lives_.step();
  put(object, first, false, false);
  // The quotients by one number are made again for rare ones: the dividends stay.
  if (e->kind == Expression::Kind::binary && e->text == "/")
    lives_.scratch(words(object.bytes) * object.lanes);
}

void RegisterWalk::put(HeldObject& object, int first, bool loads, bool has_address) {
  const double registers = words(object.bytes);
  HeldValue word;
  // Words that stay in place take what arrives; pairs of registers are copied there.
  const bool copies = !is_partial(object) || object.bytes > 4;
  for (int k = 0; k < object.lanes; ++k) {
    if (k % object.elements_a_word() == 0) {
      word = HeldValue::of_thread(fresh());
      word.id = loads ? arrival(copies ? registers : 0) : lives_.add(copies ? registers : 0);
    }
    assign(object, first + k, word);
  }
  if (has_address) wait_with_address(copies ? registers * object.lanes / object.elements_a_word() : 0);
}

void RegisterWalk::visit(const lowered::Assign& node) {
  const HeldPlace place = place_of(node.target);
  if (!place.object) {  // shared memory
    use(eval(node.value));
    use(address_of(place));
    return lives_.step();
  }
  HeldObject& object = *place.object;
  if (is_vector_load(*node.value) || place.is_vector) return fill(object, place.slot, node.value);
  HeldValue value = eval(node.value);
  const bool is_flag = object.bytes == 1 && object.lanes == 1;
  if (node.op != "=") value = make(fresh(), {read(place), value}, words(object.bytes));
  if (value.id < 0 && !is_flag) value = make(fresh(), {value}, words(object.bytes));
  assign(object, place.slot, value);
  pack(object, place.slot);
}

void RegisterWalk::visit(const lowered::If& node) {
  const HeldValue condition = eval(node.condition);
  use(condition);
  const Work work = work_of(node.then, variant_.vector, variant_.strips);
  guarded(condition.key, work.instructions > kRegisterCosts.predicated_cost, [&] { block(node.then); });
  if (!node.otherwise.empty()) guarded("!" + condition.key, true, [&] { block(node.otherwise); });
}

void RegisterWalk::guarded(const std::string& condition, bool branches, const std::function<void()>& body) {
  const std::string guard = fmt::format("{} {}", tables_.size(), condition);
  tables_.push_back(guard == last_guard_ ? std::move(last_table_) : Table{});
  const std::vector<int> outside = loads_;
  if (branches) loads_.clear();
  if (branches) parameters_.clear();
  if (!branches) ++predicates_open_;
  overlapping_.clear();
  ++guards_open_;
  body();
  --guards_open_;
  if (!branches) --predicates_open_;
  if (branches) loads_ = outside;
  last_table_ = std::move(tables_.back());
  last_guard_ = guard;
  tables_.pop_back();
}

void RegisterWalk::visit(const lowered::For& node) {
  const std::vector<std::string> header = words_of(node.header);
  if (node.unroll && header.size() > 4)  // int i = 0; i < kStrips; ++i
    return written_out(header[1], 0, names_.number(header[4]).value_or(1), node.body);
  const auto turns = turns_of(node);
  if (turns && (node.unroll || *turns * work_of(node.body, variant_.vector, variant_.strips).instructions <
                                   kRegisterCosts.written_out_cost)) {
    const int64_t first = *lowered::constant_of(node.first);
    return written_out(node.name, first, first + *turns, node.body);
  }
  runtime_loop(node, header);
}

void RegisterWalk::written_out(const std::string& name, int64_t first, int64_t end,
                               const lowered::Block& body) {
  for (int64_t k = first; k < end; ++k) {
    const size_t mark = names_.mark();
    names_.bind(name, HeldValue::number(k), lives_.depth());
    block(body);
    names_.forget(mark);
  }
}

void RegisterWalk::runtime_loop(const lowered::For& node, const std::vector<std::string>& header) {
  std::string name = node.name;
  HeldValue counter, end;
  if (header.size() > 1) {  // index r = x_first; r < x_end; ++r
    name = header[1];
    counter.uniform = node.header.find("thread_index") == std::string::npos &&
                      (variant_.rows == 1 || node.header.find("team.") == std::string::npos);
    for (size_t k = 2; k < header.size(); ++k)
      if (names_.find(header[k])) end = names_.value_of(header[k]);
  } else {
    const HeldValue first = eval(node.first);
    use(first);
    end = eval(node.end);
    counter.uniform = first.uniform;
  }
  const size_t mark = names_.mark();
  lives_.step();
  open_loop();
  counter.key = fresh();
  counter.id = lives_.add(header.empty() || header[0] != "int" ? 2 : 1);
  lives_.step();
  names_.bind(name, counter, lives_.depth());
  const std::vector<int> outside = std::move(loads_);
  loads_.clear();
  turns_of_runtime_loop(node, name, counter);
  use(counter);
  use(end);
  loads_ = outside;
  close_loop();
  names_.forget(mark);
}

void RegisterWalk::turns_of_runtime_loop(const lowered::For& node, const std::string& name,
                                         const HeldValue& counter) {
  const int before = ++runtime_loops_;
  block(node.body);
  // The loop over units and loops around others stay as they are.
  if (lives_.depth() == 1 || runtime_loops_ != before) return;
  const int turns = written_out_turns(work_of(node.body, variant_.vector, variant_.strips));
  for (int turn = 1; turn < turns; ++turn) {
    // Vectors that follow each other at a known distance share an address.
    HeldValue next = counter.moved(turn * variant_.threads * variant_.vector);
    names_.bind(name, next, lives_.depth());
    overlapping_.clear();
    block(node.body);
  }
}

int RegisterWalk::written_out_turns(const Work& work) {
  constexpr int kMostLoads = 2;
  if (work.instructions > kRegisterCosts.partly_written_cost) return 1;
  for (int turns : {16, 8})
    if (!work.stays && !work.calls && work.loads <= kMostLoads &&
        turns * work.instructions <= kRegisterCosts.many_turns_cost &&
        work.words <= kRegisterCosts.many_turns_words)
      return turns;
  return 4;
}

void RegisterWalk::open_loop() {
  loop_tables_.push_back(tables_.size() - 1);
  lives_.open_loop();
  changed_.emplace_back();
  tables_.emplace_back();
}

void RegisterWalk::close_loop() {
  std::set<int> replaced, carried;
  for (const auto& [slot, before] : changed_.back()) {
    if (before >= 0) replaced.insert(before);
    const HeldValue& now = slot.first->slots[static_cast<size_t>(slot.second)];
    if (now.id >= 0) carried.insert(now.id);
  }
  lives_.close_loop(replaced, carried);
  lives_.step();
  changed_.pop_back();
  loop_tables_.pop_back();
  tables_.pop_back();
  last_guard_.clear();
}

int estimate_registers(const lowered::Function& function, const Variant& variant, const Target& target) {
  // The launch bounds of the variant: its blocks fit into a multiprocessor.
  const int threads = variant.threads * variant.rows * variant.blocks;
  return std::min(registers_for_each(threads, target),
                  static_cast<int>(std::lround(RegisterWalk(variant, target).run(function))));
}

}  // namespace tessera::emit
