// SPDX-License-Identifier: Apache-2.0
// A walk over a lowered function with the numbers of a variant in place, as nvcc will see it: unrolled loops are written
// out, equal expressions are one value, what a loop does not change is made in front of it, loads are issued ahead.
#include "emit/registers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "emit/lifetimes.h"
#include "emit/register_costs.h"
#include "emit/register_names.h"

namespace tessera::emit {

namespace {

using lowered::Expr;
using lowered::Expression;

constexpr RegisterCosts kCosts;
constexpr double kAddress = 2;  // 64 bits

bool is_vector_load(const Expr& e) {
  return e->kind == Expression::Kind::call && e->text.find(".load<") != std::string::npos;
}

class RegisterWalk {
 public:
  explicit RegisterWalk(const Variant& variant) : variant_(variant), names_(variant) {
    tables_.emplace_back();
  }

  double run(const lowered::Function& function) {
    block(function.body);
    return lives_.peak() + kCosts.every + (reduces_ ? kCosts.row : 0);
  }

 private:
  using Table = std::map<std::string, HeldValue>;

  void use(const HeldValue& value) {
    if (value.id >= 0) lives_.use(value.id);
  }
  std::string fresh() { return fmt::format("#{}", ++serial_); }

  const HeldValue* known(const std::string& key) const {
    for (auto table = tables_.rbegin(); table != tables_.rend(); ++table)
      if (const auto found = table->find(key); found != table->end()) return &found->second;
    return nullptr;
  }

  /// A value made from others, or the equal one that is there. Whole numbers that a loop does not change leave it.
  HeldValue make(const std::string& op, const std::vector<HeldValue>& from, double registers,
                 double scratch = 0, bool whole = false) {
    std::string key = op + "(";
    std::vector<int> ids;
    HeldValue result;
    for (const HeldValue& each : from) {
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
    // What parameters alone give is made again from constant memory.
    if (whole && result.uniform && ids.empty()) registers = 0;
    if (registers > 0)
      result.id = leaves ? lives_.add_before(home, registers * kCosts.invariant) : lives_.add(registers);
    (leaves ? tables_[loop_tables_[home]] : tables_.back())[key] = result;
    return result;
  }

  // Expressions.
  HeldValue eval(const Expr& e) {
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
      default: return make(e->text + "?", operands(*e), words(e->type));
    }
  }

  std::vector<HeldValue> operands(const Expression& e) {
    std::vector<HeldValue> result;
    for (const Expr& operand : e.operands) result.push_back(eval(operand));
    return result;
  }

  HeldPlace place_of(const Expr& e) {
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
    place.slot = std::clamp(place.slot, 0, static_cast<int>(place.object->slots.size()) - 1);
    place.is_vector = place.object->lanes > 1 && place.at.size() < place.object->strides.size();
    return place;
  }

  HeldValue named(const Expr& e) {
    if (e->kind == Expression::Kind::name)
      if (const auto number = names_.constant_of(e->text)) return HeldValue::number(*number);
    const HeldPlace place = place_of(e);
    if (!place.object) {
      if (e->kind == Expression::Kind::name) return HeldValue::free(e->text);
      return make("load", {address_of(place)}, words(e->type));
    }
    return place.is_known ? read(place) : HeldValue::free(place.name);
  }

  /// Shared memory and tables have addresses of 32 bits.
  HeldValue address_of(const HeldPlace& place) {
    std::vector<HeldValue> from = place.at;
    from.push_back(HeldValue::free(place.name));
    return make("at", from, 1);
  }

  HeldValue read(const HeldPlace& place) {
    const HeldObject& object = *place.object;
    // Guarded strips leave their elements in place: an array is there until the last of them is used.
    if (object.is_array())
      for (const HeldValue& each : object.slots) use(each);
    if (!place.is_vector) {
      HeldValue value = object.slots[static_cast<size_t>(place.slot)];
      if (object.elements_a_word() > 1) value.key += fmt::format(".{}", place.slot);
      return value;
    }
    const auto first = object.slots.begin() + place.slot;
    return make("vector", {first, first + object.lanes}, 0);
  }

  HeldValue binary(const Expression& e) {
    const HeldValue left = eval(e.operands[0]), right = eval(e.operands[1]);
    const bool whole = is_integer(e.type);
    if (whole && left.constant && right.constant) {
      if (e.text == "+") return HeldValue::number(*left.constant + *right.constant);
      if (e.text == "-") return HeldValue::number(*left.constant - *right.constant);
      if (e.text == "*") return HeldValue::number(*left.constant * *right.constant);
    }
    if (whole && right.constant && (e.text == "+" || e.text == "-"))
      return left.moved(e.text == "+" ? *right.constant : -*right.constant);
    if (whole && left.constant && e.text == "+") return right.moved(*left.constant);
    const bool divides = e.text == "/" && !whole && !is_divisor(e.operands[1]);
    return make(e.text, {left, right}, words(e.type), divides ? scratch_registers("div", e.type) : 0, whole);
  }
  bool is_divisor(const Expr& e) {
    const HeldObject* object = e->kind == Expression::Kind::name ? names_.find(e->text) : nullptr;
    return object && object->is_divisor;
  }

  HeldValue call(const Expression& e) {
    if (e.text == "team.first") return first_element(e);
    if (e.text == "team.number")
      return variant_.rows == 1 ? HeldValue::number(0) : make("number", {HeldValue::of_thread("number")}, 2);
    if (e.text == "team.leader") return make("leader", {HeldValue::of_thread("rank")}, 0);
    if (e.text.ends_with(".line")) return address(tensor_of(e), e.operands[0], false);
    if (e.text.ends_with(".load")) return load(e);
    if (e.text.ends_with(".store")) return store(e);
    std::vector<HeldValue> from = operands(e);
    if (e.text == "team.reduce") {
      reduces_ = true;
      from.push_back(HeldValue::of_thread(fresh()));
    }
    // An element is taken out of its word again and again, rather than kept.
    if (e.text == "to_float" && !from.empty()) {
      HeldValue result = make(e.text + fresh(), from, 1);
      result.key = "float " + from[0].key;
      return result;
    }
    const bool wraps = e.text == "wrap";
    return make(e.text, from, words(e.type), wraps ? kCosts.wrap : scratch_registers(e.text, e.type),
                is_integer(e.type));
  }

  static std::string tensor_of(const Expression& access) {
    return access.text.substr(0, access.text.find('.'));
  }

  HeldValue first_element(const Expression& e) {
    const HeldValue strip = eval(e.operands[0]);
    const HeldValue first = make("first", {HeldValue::of_thread("rank")}, 2, 0, true);
    return first.moved(strip.constant.value_or(0) * variant_.threads * variant_.vector);
  }

  /// The address of an element, or where a line begins: the sum of coordinate times stride, in the order of dimensions.
  HeldValue address(const std::string& tensor, const Expr& at, bool vector) {
    const HeldObject* line = names_.find(tensor);
    HeldValue sum = line ? line->slots[0] : HeldValue::free(tensor);
    const std::vector<Expr> coordinates = at->kind == Expression::Kind::list ? at->operands : std::vector{at};
    for (size_t k = 0; k < coordinates.size(); ++k) {
      HeldValue term = eval(coordinates[k]);
      if (vector && k + 1 == coordinates.size()) {
        term.offset = 0;  // the stride is 1, and the instruction adds it
      } else {
        term = make("*", {term, HeldValue::free(fmt::format("{}.stride{}", tensor, k))}, kAddress, 0, true);
      }
      sum = make("address", {sum, term}, kAddress, 0, true);
    }
    return sum;
  }

  HeldValue load(const Expression& e) {
    const HeldValue from = address(tensor_of(e), e.operands[0], false);
    const std::string key = "load " + from.key;
    if (const HeldValue* equal = known(key)) return *equal;
    use(from);
    lives_.step();
    HeldValue result = HeldValue::of_thread(fresh());
    result.id = arrival(std::max(words(e.type), 1.0));
    lives_.add_from(issue_of_last_load(), kCosts.address_ahead);
    return tables_.back()[key] = result;
  }

  /// The register of a load, which is issued some loads ahead of its place.
  int arrival(double registers) {
    loads_.push_back(lives_.now());
    return lives_.add_from(issue_of_last_load(), registers);
  }
  int issue_of_last_load() const {
    const size_t ahead = std::min(loads_.size() - 1, static_cast<size_t>(kCosts.loads_ahead));
    return loads_[loads_.size() - 1 - ahead];
  }

  HeldValue store(const Expression& e) {
    const HeldValue value = eval(e.operands[1]);
    const HeldObject* object =
        e.operands[1]->kind == Expression::Kind::name ? names_.find(e.operands[1]->text) : nullptr;
    const HeldValue to = address(tensor_of(e), e.operands[0], object && object->lanes > 1);
    use(to);
    use(value);
    if (object)
      for (const HeldValue& slot : object->slots) use(slot);
    lives_.step();
    return HeldValue::free("stored");
  }

  // Statements.
  void block(const lowered::Block& statements) {
    const size_t mark = names_.mark();
    for (const lowered::Statement& each : statements)
      std::visit([&](const auto& node) { visit(node); }, each.node);
    names_.forget(mark);
  }

  void visit(const lowered::Comment&) {}
  void visit(const lowered::Shared&) {}
  void visit(const lowered::Barrier&) { lives_.step(); }
  void visit(const lowered::Evaluate& node) { eval(node.expression); }

  void visit(const lowered::Local& node) {
    if (node.type.starts_with("constexpr")) {
      if (const auto number = names_.constant_of(node.initial->text))
        names_.define_constant(node.name, *number);
      return;
    }
    if (node.type.starts_with("Group")) return;
    if (node.type == "auto" && node.initial->kind == Expression::Kind::call)
      return names_.bind(node.name, eval(node.initial), lives_.depth());
    if (node.type == "auto") return positions(node);
    HeldObject& object = names_.shape(node, lives_.depth());
    if (!node.initial) return;
    if (object.lanes > 1) return fill(object, 0, node.initial);
    if (node.type.starts_with("Index<")) {  // counts of units: from parameters
      object.slots[0] = HeldValue::free(node.name);
      return;
    }
    if (is_vector_load(node.initial)) return fill(object, 0, node.initial);
    object.slots[0] = initial(node, object);
  }

  HeldValue initial(const lowered::Local& node, HeldObject& object) {
    HeldValue value = eval(node.initial);
    if (node.type == "Divisor") {
      object.is_divisor = true;
      return make("Divisor", {value}, words(object.bytes), scratch_registers("div", DType::f32));
    }
    // A variable that starts as a constant takes its register.
    const bool starts = !node.is_const && value.id < 0 && node.type != "bool";
    return starts ? make(fresh(), {value}, words(object.bytes)) : value;
  }

  /// `const auto [b, s] = tile_position(unit, units).at;`
  void positions(const lowered::Local& node) {
    const HeldValue unit = names_.value_of("unit");
    for (const std::string& name : words_of(node.name)) {
      HeldValue from = unit;
      from.key += name;
      names_.bind(name, make("position", {from}, 2, 0, true), lives_.depth());
    }
  }

  /// A whole vector: from memory, or what a function makes of other vectors.
  void fill(HeldObject& object, int first, const Expr& e) {
    if (e->kind == Expression::Kind::ternary) {
      use(eval(e->operands[0]));
      return fill(object, first, e->operands[1]);
    }
    const bool loads = is_vector_load(e);
    const HeldValue from = loads ? address(tensor_of(*e), e->operands[0], object.lanes > 1) : eval(e);
    use(from);
    lives_.step();
    const double registers = words(object.bytes);
    HeldValue word;
    for (int k = 0; k < object.lanes; ++k) {
      if (k % object.elements_a_word() == 0) {
        word = HeldValue::of_thread(fresh());
        word.id = loads ? arrival(registers) : lives_.add(registers);
      }
      assign(object, first + k, word);
    }
  }

  void visit(const lowered::Assign& node) {
    const HeldPlace place = place_of(node.target);
    if (!place.object) {  // shared memory
      use(eval(node.value));
      use(address_of(place));
      return lives_.step();
    }
    HeldObject& object = *place.object;
    if (is_vector_load(node.value) || place.is_vector) return fill(object, place.slot, node.value);
    HeldValue value = eval(node.value);
    const bool is_flag = object.bytes == 1 && object.lanes == 1;
    if (node.op != "=") value = make(fresh(), {read(place), value}, words(object.bytes));
    if (value.id < 0 && !is_flag) value = make(fresh(), {value}, words(object.bytes));
    assign(object, place.slot, value);
    pack(object, place.slot);
  }

  void assign(HeldObject& object, int slot, const HeldValue& value) {
    HeldValue& held = object.slots[static_cast<size_t>(slot)];
    for (size_t k = object.depth; k < changed_.size(); ++k) changed_[k].try_emplace({&object, slot}, held.id);
    held = value;
  }

  /// When the last element of a word is written, its elements become one register.
  void pack(HeldObject& object, int slot) {
    const int count = object.elements_a_word();
    if (count == 1 || slot % count != count - 1) return;
    const auto first = object.slots.begin() + (slot + 1 - count);
    const HeldValue word = make(fresh(), {first, first + count}, 1);
    std::fill(first, first + count, word);
  }

  // Equal conditions share what was made under them, as long as the table around them is open.
  void visit(const lowered::If& node) {
    const HeldValue condition = eval(node.condition);
    use(condition);
    const std::pair<size_t, std::string> guard{tables_.size(), condition.key};
    tables_.push_back(std::move(guards_[guard]));
    const bool branches = instructions_of(node.then, variant_.vector) > kCosts.predicated_cost;
    const std::vector<int> outside = loads_;
    if (branches) loads_.clear();
    block(node.then);
    if (branches) loads_ = outside;
    guards_[guard] = std::move(tables_.back());
    close_table();
  }

  void close_table() {
    tables_.pop_back();
    guards_.erase(guards_.lower_bound({tables_.size() + 1, ""}), guards_.end());
  }

  void visit(const lowered::For& node) {
    const std::vector<std::string> header = words_of(node.header);
    if (node.unroll && header.size() > 4)  // int i = 0; i < kStrips; ++i
      return written_out(header[1], 0, names_.number(header[4]).value_or(1), node.body);
    const auto turns = turns_of(node);
    if (turns && *turns * instructions_of(node.body, variant_.vector) < kCosts.written_out_cost) {
      const int64_t first = *lowered::constant_of(node.first);
      return written_out(node.name, first, first + *turns, node.body);
    }
    runtime_loop(node, header);
  }

  void written_out(const std::string& name, int64_t first, int64_t end, const lowered::Block& body) {
    for (int64_t k = first; k < end; ++k) {
      const size_t mark = names_.mark();
      names_.bind(name, HeldValue::number(k), lives_.depth());
      block(body);
      names_.forget(mark);
    }
  }

  void runtime_loop(const lowered::For& node, const std::vector<std::string>& header) {
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

  // nvcc writes out some turns of a short loop without loops inside; the loop over units is none of them.
  void turns_of_runtime_loop(const lowered::For& node, const std::string& name, HeldValue counter) {
    const int before = ++runtime_loops_;
    block(node.body);
    const bool is_short = instructions_of(node.body, variant_.vector) < kCosts.partly_written_cost;
    if (lives_.depth() == 1 || runtime_loops_ != before || !is_short) return;
    const std::string key = counter.key;
    for (int turn = 1; turn < kCosts.turns; ++turn) {
      counter.key = fmt::format("{} turn {}", key, turn);
      names_.bind(name, counter, lives_.depth());
      block(node.body);
    }
  }

  void open_loop() {
    loop_tables_.push_back(tables_.size() - 1);
    lives_.open_loop();
    changed_.emplace_back();
    tables_.emplace_back();
  }

  void close_loop() {
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
    close_table();
  }

  const Variant& variant_;
  HeldNames names_;
  Lifetimes lives_;
  std::vector<Table> tables_;                               // equal expressions, of each open branch and loop
  std::map<std::pair<size_t, std::string>, Table> guards_;  // of branches that were closed, by condition
  std::vector<size_t> loop_tables_;                         // the table around each open loop
  std::vector<std::map<std::pair<HeldObject*, int>, int>>
      changed_;             // in each open loop, and the values before
  std::vector<int> loads_;  // steps of the loads of this stretch without branches
  int serial_ = 0;
  int runtime_loops_ = 0;  // so far
  bool reduces_ = false;
};

}  // namespace

int estimate_registers(const lowered::Function& function, const Variant& variant, const Target& target) {
  // The launch bounds of the variant: its blocks fit into a multiprocessor.
  const int threads = variant.threads * variant.rows * variant.blocks;
  const int share = target.registers_per_multiprocessor / threads / kRegisterUnit * kRegisterUnit;
  const int most = std::min(kMostRegisters, share);
  return std::min(most, static_cast<int>(std::lround(RegisterWalk(variant).run(function))));
}

}  // namespace tessera::emit
