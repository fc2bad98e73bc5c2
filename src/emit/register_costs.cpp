// SPDX-License-Identifier: Apache-2.0
#include "emit/register_costs.h"

#include <algorithm>
#include <array>

namespace tessera::emit {

namespace {

using lowered::Expression;

struct ScratchRow {
  std::string_view function;
  int f32, f64;
  double beside;
};

constexpr int kFunction = 25, kDivision = 10, kArgument = 20;  // instructions, in the middle
constexpr int kMaximum64 = 12;                                 // comparisons of NaN and selections of pairs
constexpr int64_t kVeryLong = 1000;

struct Counter {
  int lanes, strips;
  Work work = {};

  void count(const lowered::Expr& e) {
    if (!e) return;
    work.instructions += instructions_of(*e);
    if (e->kind == Expression::Kind::call) count_access(*e);
    if (e->kind == Expression::Kind::call) work.stays |= stays(*e);
    if (e->kind == Expression::Kind::ternary) work.stays = true;
    const bool divides = e->kind == Expression::Kind::binary && e->text == "/";
    work.calls |= divides || (e->kind == Expression::Kind::call && scratch_registers(e->text, e->type) > 0);
    for (const lowered::Expr& operand : e->operands) count(operand);
  }
  int instructions_of(const Expression& e) const {
    if (e.kind == Expression::Kind::name || e.kind == Expression::Kind::literal) return 0;
    if (e.kind == Expression::Kind::call) {
      if (e.text.starts_with("largest") || e.text.starts_with("smallest"))
        return e.type == DType::f64 ? kMaximum64 * lanes : lanes;
      if (e.text == "maximum" || e.text == "minimum") return e.type == DType::f64 ? kMaximum64 : 1;
      if (e.text.starts_with("Arg")) return kArgument;
      if (scratch_registers(e.text, e.type) > 0) return kFunction;
    }
    return e.kind == Expression::Kind::binary && e.text == "/" ? kDivision : 1;
  }
  /// What ptxas does not write out: branches and inline assembly, as in extremes of narrow vectors.
  bool stays(const Expression& e) const {
    const bool is_extreme = e.text.starts_with("largest") || e.text.starts_with("smallest");
    return e.text.ends_with(".store") || e.text.starts_with("Arg") ||
           (is_extreme && lanes > 1 && size_in_bytes(e.type) < 4);
  }
  void count_access(const Expression& e) {
    const bool is_row = e.text.ends_with(".load_strips");
    if (!is_row && !is_vector_load(e) && !e.text.ends_with(".load")) return;
    const int64_t bytes =
        static_cast<int64_t>(size_in_bytes(e.type)) * (is_row || is_vector_load(e) ? lanes : 1);
    const int64_t times = is_row ? strips : 1;
    work.loads += times;
    work.words += times * std::max<int64_t>(bytes / 4, 1);
  }
  void add(const Work& other, int64_t times) {
    const auto most = [](int64_t value) { return std::min(value, kVeryLong * kVeryLong); };
    work.instructions = most(work.instructions + times * other.instructions);
    work.loads = most(work.loads + times * other.loads);
    work.words = most(work.words + times * other.words);
    work.stays |= other.stays;
    work.calls |= other.calls;
  }

  void operator()(const lowered::Local& node) { count(node.initial); }
  void operator()(const lowered::Assign& node) {
    work.instructions += node.target->type == DType::index ? 2 : 1;
    count(node.value);
  }
  void operator()(const lowered::Evaluate& node) { count(node.expression); }
  void operator()(const lowered::If& node) {
    work.instructions += 2;
    add(work_of(node.then, lanes, strips), 1);
    add(work_of(node.otherwise, lanes, strips), 1);
  }
  void operator()(const lowered::For& node) {
    Work body = work_of(node.body, lanes, strips);
    body.instructions = std::max<int64_t>(body.instructions, 1);
    const bool is_row = node.header.find("kStrips") != std::string::npos;
    add(body, turns_of(node).value_or(!node.unroll ? kVeryLong : is_row ? strips : lanes));
  }
  void operator()(const lowered::Comment&) {}
  void operator()(const lowered::Barrier&) { ++work.instructions; }
  void operator()(const lowered::Shared&) {}
  void operator()(const lowered::Lambda&) {}
  void operator()(const lowered::Using&) {}
};

const ScratchRow* scratch_row(std::string_view function) {
#define TESSERA_SCRATCH(...) ScratchRow{__VA_ARGS__},
  static constexpr auto kRows = std::to_array<ScratchRow>({
#include "emit/scratch_registers.def"
  });
#undef TESSERA_SCRATCH
  const auto found = std::find_if(kRows.begin(), kRows.end(),
                                  [&](const ScratchRow& row) { return row.function == function; });
  return found == kRows.end() ? nullptr : &*found;
}

}  // namespace

bool is_vector_load(const Expression& e) {
  if (e.kind != Expression::Kind::call) return false;
  const bool with_part = e.text.ends_with(".load") && e.operands.size() > 1;
  return with_part || e.text.find(".load<") != std::string::npos ||
         e.text.find(".load_run<") != std::string::npos;
}

double scratch_registers(std::string_view function, DType type) {
  const ScratchRow* row = scratch_row(function);
  return !row ? 0 : type == DType::f64 ? row->f64 : row->f32;
}

double overlapping_registers(std::string_view function) {
  const ScratchRow* row = scratch_row(function);
  return row ? row->beside : 0;
}

Work work_of(const lowered::Block& statements, int lanes, int strips) {
  Counter counter{lanes, strips};
  for (const lowered::Statement& each : statements) std::visit(counter, each.node);
  return counter.work;
}

std::optional<int64_t> turns_of(const lowered::For& loop) {
  if (!loop.first || !loop.end || loop.step != "1") return std::nullopt;
  const auto first = lowered::constant_of(loop.first), end = lowered::constant_of(loop.end);
  return first && end ? std::optional(*end - *first) : std::nullopt;
}

}  // namespace tessera::emit
