// SPDX-License-Identifier: Apache-2.0
// Delta debugging on the tree; see reduce.h.
#include "fuzz/reduce.h"

#include <algorithm>
#include <set>

namespace tessera::fuzz {

namespace {

class Reducer {
 public:
  Reducer(Program program, const std::function<bool(const Program&)>& still_fails, int most_attempts)
      : best_(std::move(program)), still_fails_(still_fails), attempts_(most_attempts) {}

  Program run() {
    bool is_smaller = true;
    keep_one_problem();
    while (is_smaller && attempts_ > 0) {
      is_smaller = false;
      is_smaller |= drop_annotations();
      is_smaller |= drop_statements();
      is_smaller |= simplify_values();
      is_smaller |= drop_relations();
      is_smaller |= drop_properties();
      is_smaller |= shrink_extents();
    }
    return std::move(best_);
  }

 private:
  /// Takes a candidate if it fails as well.
  bool accept(Program candidate) {
    if (attempts_-- <= 0) return false;
    drop_unused(candidate);
    find_axes(candidate);
    if (!still_fails_(candidate)) return false;
    best_ = std::move(candidate);
    return true;
  }

  void keep_one_problem() {
    const int problems = best_.problems;
    for (int problem = 0; problem < problems && best_.problems > 1; ++problem) {
      Program candidate = best_;
      candidate.problems = 1;
      for (Symbol& symbol : candidate.symbols)
        symbol.extents = {symbol.extents[static_cast<std::size_t>(problem)]};
      for (Scalar& scalar : candidate.scalars)
        scalar.values = {scalar.values[static_cast<std::size_t>(problem)]};
      accept(std::move(candidate));
    }
  }

  bool drop_properties() {
    bool is_smaller = false;
    for (std::size_t i = 0; i < best_.tensors.size(); ++i) {
      if (!best_.tensors[i].is_periodic) continue;
      Program candidate = best_;
      candidate.tensors[i].is_periodic = false;
      is_smaller |= accept(std::move(candidate));
    }
    return is_smaller;
  }

  bool drop_annotations() {
    Program candidate = best_;
    const bool has_any = candidate.warps + candidate.stages + candidate.raster > 0 ||
                         !candidate.tiles.empty() || candidate.rounds_to_tf32;
    candidate.warps = candidate.stages = candidate.raster = 0;
    candidate.tiles.clear();
    candidate.rounds_to_tf32 = false;
    return has_any && accept(std::move(candidate));
  }

  // ---- statements, from the last one ----

  static void collect(std::vector<Statement>& body,
                      std::vector<std::pair<std::vector<Statement>*, std::size_t>>& all) {
    for (std::size_t i = 0; i < body.size(); ++i) {
      all.emplace_back(&body, i);
      collect(body[i].body, all);
    }
  }

  bool drop_statements() {
    bool is_smaller = false;
    for (std::size_t number = count_statements(); number-- > 0;) {
      if (number >= count_statements()) continue;
      Program candidate = best_;
      std::vector<std::pair<std::vector<Statement>*, std::size_t>> all;
      collect(candidate.body, all);
      auto& [body, at] = all[number];
      std::vector<int> lets = (*body)[at].lets;
      const bool only_declares = (*body)[at].kind == StatementKind::ranges;
      body->erase(body->begin() + static_cast<std::ptrdiff_t>(at));
      // What it declared may be used behind it.
      if (!lets.empty() && !only_declares)
        body->insert(body->begin() + static_cast<std::ptrdiff_t>(at),
                     {.kind = StatementKind::ranges, .lets = lets});
      is_smaller |= accept(std::move(candidate));
    }
    return is_smaller;
  }

  std::size_t count_statements() {
    std::vector<std::pair<std::vector<Statement>*, std::size_t>> all;
    collect(best_.body, all);
    return all.size();
  }

  // ---- values ----

  static void collect(Expression& e, std::vector<Expression*>& all) {
    all.push_back(&e);
    for (Expression& argument : e.arguments) collect(argument, all);
  }

  static std::vector<Expression*> values_of(Program& program) {
    std::vector<std::pair<std::vector<Statement>*, std::size_t>> statements;
    collect(program.body, statements);
    std::vector<Expression*> all;
    for (auto& [body, at] : statements) {
      Statement& statement = (*body)[at];
      const bool has_value = statement.kind != StatementKind::loop && statement.kind != StatementKind::ranges;
      if (has_value) collect(statement.value, all);
    }
    return all;
  }

  /// Puts a literal, or an operand of its type, in the place of each value.
  bool simplify_values() {
    bool is_smaller = false;
    for (std::size_t number = 0; number < values_of(best_).size() && attempts_ > 0; ++number) {
      const Expression before = *values_of(best_)[number];
      if (before.kind == Kind::literal || before.kind == Kind::coordinate) continue;
      Expression literal{.kind = Kind::literal, .type = before.type, .number = 1};
      if (replace(number, literal)) {
        is_smaller = true;
        continue;
      }
      for (const Expression& argument : before.arguments) {
        if (argument.type != before.type || before.kind == Kind::load) continue;
        if (!replace(number, argument)) continue;
        is_smaller = true;
        --number;
        break;
      }
    }
    return is_smaller;
  }

  bool replace(std::size_t number, const Expression& by) {
    Program candidate = best_;
    *values_of(candidate)[number] = Expression(by);
    return accept(std::move(candidate));
  }

  // ---- ranges and extents ----

  bool drop_relations() {
    bool is_smaller = false;
    for (std::size_t i = 0; i < best_.binders.size(); ++i) {
      if (best_.binders[i].relation.empty()) continue;
      Program candidate = best_;
      candidate.binders[i].relation.pop_back();
      is_smaller |= accept(std::move(candidate));
    }
    return is_smaller;
  }

  bool shrink_extents() {
    bool is_smaller = false;
    for (std::size_t s = 0; s < best_.symbols.size(); ++s) {
      if (best_.symbols[s].name.empty()) continue;
      for (std::size_t p = 0; p < best_.symbols[s].extents.size(); ++p) {
        for (const std::int64_t divisor : {8, 2}) {
          Program candidate = best_;
          std::int64_t& extent = candidate.symbols[s].extents[p];
          if (extent <= 1) break;
          extent /= divisor;
          if (extent > 0 && accept(std::move(candidate))) is_smaller = true;
        }
      }
    }
    return is_smaller;
  }

  // ---- what nothing mentions any more ----

  static void find_used(const Expression& e, std::set<int>& tensors) {
    if (e.kind == Kind::load) tensors.insert(e.tensor);
    for (const Expression& argument : e.arguments) find_used(argument, tensors);
  }

  static void find_used(const std::vector<Statement>& body, std::set<int>& tensors) {
    for (const Statement& statement : body) {
      if (statement.kind == StatementKind::store) tensors.insert(statement.tensor);
      for (const Expression& index : statement.indices) find_used(index, tensors);
      find_used(statement.value, tensors);
      find_used(statement.body, tensors);
    }
  }

  static void renumber(Expression& e, const std::vector<int>& numbers) {
    if (e.kind == Kind::load) e.tensor = numbers[static_cast<std::size_t>(e.tensor)];
    for (Expression& argument : e.arguments) renumber(argument, numbers);
  }

  static void renumber(std::vector<Statement>& body, const std::vector<int>& numbers) {
    for (Statement& statement : body) {
      if (statement.kind == StatementKind::store)
        statement.tensor = numbers[static_cast<std::size_t>(statement.tensor)];
      for (Expression& index : statement.indices) renumber(index, numbers);
      renumber(statement.value, numbers);
      renumber(statement.body, numbers);
    }
  }

  /// Parameters that nothing mentions go, but for those that show a symbol.
  static void drop_unused(Program& program) {
    std::set<int> used;
    find_used(program.body, used);
    std::set<int> shown;
    std::vector<Tensor> kept;
    std::vector<int> numbers(program.tensors.size(), -1);
    const auto keep = [&](std::size_t i) {
      numbers[i] = static_cast<int>(kept.size());
      kept.push_back(program.tensors[i]);
      for (const Size& size : program.tensors[i].dimensions) {
        if (size.scale == 1 && size.offset == 0 && size.divisor == 1) shown.insert(size.symbol);
      }
    };
    for (std::size_t i = 0; i < program.tensors.size(); ++i) {
      if (used.contains(static_cast<int>(i))) keep(i);
    }
    std::set<int> needed;
    for (const Binder& binder : program.binders) needed.insert(binder.symbol);
    for (std::size_t i = 0; i < program.tensors.size(); ++i) {
      if (numbers[i] >= 0 || program.tensors[i].is_output) continue;
      const bool shows = std::ranges::any_of(program.tensors[i].dimensions, [&](const Size& size) {
        return size.symbol >= 0 && needed.contains(size.symbol) && !shown.contains(size.symbol);
      });
      if (shows) keep(i);
    }
    program.tensors = std::move(kept);
    renumber(program.body, numbers);
  }

  Program best_;
  const std::function<bool(const Program&)>& still_fails_;
  int attempts_;
};

}  // namespace

Program reduce(Program program, const std::function<bool(const Program&)>& still_fails, int most_attempts) {
  return Reducer(std::move(program), still_fails, most_attempts).run();
}

}  // namespace tessera::fuzz
