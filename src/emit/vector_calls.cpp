// SPDX-License-Identifier: Apache-2.0
// Loop fission: `for j { t = f(j); e[j] = exp(t); s += e[j]; }` becomes a loop that fills a vector of arguments, one
// call, and a loop over the results.
#include "emit/vector_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "emit/identifiers.h"
#include "emit/print.h"

namespace tessera::emit {

namespace {

using lowered::Block;
using lowered::Expr;
using lowered::Expression;
using lowered::Statement;

using Rewrite = std::function<Expr(const Expr&)>;

/// The expression with every node replaced for which `rewrite` returns something; outer nodes are asked first.
Expr replace(const Expr& expression, const Rewrite& rewrite) {
  if (!expression) return expression;
  if (Expr other = rewrite(expression)) return other;
  bool changed = false;
  Expression copy = *expression;
  for (Expr& operand : copy.operands) {
    Expr next = replace(operand, rewrite);
    changed |= next != operand;
    operand = std::move(next);
  }
  return changed ? std::make_shared<const Expression>(std::move(copy)) : expression;
}

void replace_in(Block& block, const Rewrite& rewrite);

void replace_in(Statement& statement, const Rewrite& rewrite) {
  auto& node = statement.node;
  const auto apply = [&](Expr& expression) { expression = replace(expression, rewrite); };
  if (auto* local = std::get_if<lowered::Local>(&node)) apply(local->initial);
  if (auto* assign = std::get_if<lowered::Assign>(&node)) {
    apply(assign->target);
    apply(assign->value);
  }
  if (auto* evaluate = std::get_if<lowered::Evaluate>(&node)) apply(evaluate->expression);
  if (auto* branch = std::get_if<lowered::If>(&node)) {
    apply(branch->condition);
    replace_in(branch->then, rewrite);
    replace_in(branch->otherwise, rewrite);
  }
  if (auto* loop = std::get_if<lowered::For>(&node)) {
    apply(loop->first);
    apply(loop->end);
    replace_in(loop->body, rewrite);
  }
}

void replace_in(Block& block, const Rewrite& rewrite) {
  for (Statement& statement : block) replace_in(statement, rewrite);
}

bool is_name(const Expr& expression, const std::string& text) {
  return expression->kind == Expression::Kind::name && expression->text == text;
}

/// The variable that an expression for a place is part of: `e` of `e[i][j]`.
std::string base_name(Expr place) {
  while (!place->operands.empty()) place = place->operands[0];
  return place->text.substr(0, place->text.find_first_of(".["));
}

/// What statements change that other elements of the vector may see.
class SharedTargets {
 public:
  explicit SharedTargets(const std::string& item) : item_(item) {}

  void add(const Block& block) {
    for (const Statement& statement : block) add(statement);
  }
  void add(const Statement& statement) {
    const auto& node = statement.node;
    if (const auto* local = std::get_if<lowered::Local>(&node)) own_.insert(local->name);
    if (const auto* assign = std::get_if<lowered::Assign>(&node)) {
      const bool own_element =
          assign->target->kind == Expression::Kind::element && is_name(assign->target->operands[1], item_);
      if (!own_element) note(base_name(assign->target));
    }
    if (const auto* evaluate = std::get_if<lowered::Evaluate>(&node)) note(base_name(evaluate->expression));
    if (const auto* branch = std::get_if<lowered::If>(&node)) {
      add(branch->then);
      add(branch->otherwise);
    }
    if (const auto* loop = std::get_if<lowered::For>(&node)) add(loop->body);
  }

  bool meet(const Block& block) const {
    const std::set<std::string> mentioned = identifiers_in(block);
    return std::any_of(names_.begin(), names_.end(),
                       [&](const std::string& name) { return mentioned.contains(name); });
  }

 private:
  void note(const std::string& name) {
    if (!own_.contains(name)) names_.insert(name);
  }

  const std::string& item_;
  std::set<std::string> own_, names_;
};

/// Splits one loop. Statements collect in the open part; a call closes it.
class LoopSplitter {
 public:
  LoopSplitter(const lowered::For& loop, const std::string& item, const std::string& count,
               NameAllocator& names, std::set<std::string>& outer)
      : loop_(loop), item_(item), count_(count), names_(names), outer_(outer), rest_(loop.body) {}

  /// The statements that take the loop's place.
  Block run() {
    while (!rest_.empty()) {
      Statement statement = std::move(rest_.front());
      rest_.erase(rest_.begin());
      if (!split_at(statement)) open_.push_back(std::move(statement));
    }
    close_part();
    return std::move(result_);
  }

 private:
  Expr item() const { return lowered::name(item_, DType::index); }

  // Whether nothing that one side of a split changes is seen by the other, except elements of the same number.
  bool may_split(const Statement& at) const {
    Block after{at};
    after.insert(after.end(), rest_.begin(), rest_.end());
    SharedTargets before(item_), behind(item_);
    before.add(open_);
    behind.add(after);
    return !before.meet(after) && !behind.meet(open_) && can_be_promoted(after) && !names_in_headers(after);
  }

  // Locals that the part behind a split needs must be values, which a vector can hold.
  bool can_be_promoted(const Block& after) const {
    const std::set<std::string> later = identifiers_in(after);
    return std::all_of(open_.begin(), open_.end(), [&](const Statement& statement) {
      const auto* local = std::get_if<lowered::Local>(&statement.node);
      return !local || !later.contains(local->name) ||
             (local->is_const && local->initial && local->extents.empty());
    });
  }

  // Headers of inner loops are text: what they mention cannot become an element of a vector.
  bool names_in_headers(const Block& after) const {
    std::set<std::string> locals;
    for (const Statement& statement : open_)
      if (const auto* local = std::get_if<lowered::Local>(&statement.node)) locals.insert(local->name);
    return std::any_of(after.begin(), after.end(), [&](const Statement& statement) {
      const auto* loop = std::get_if<lowered::For>(&statement.node);
      return loop && !loop->header.empty() &&
             std::any_of(locals.begin(), locals.end(), [&](const std::string& name) {
               return loop->header.find(name) != std::string::npos;
             });
    });
  }

  // The statement, if it asks for a whole vector, is taken apart; its remains go back to the rest.
  bool split_at(Statement& statement) {
    if (take_extreme(statement)) return true;
    const Expr call = vector_call_in(statement);
    if (!call || !may_split(statement)) return false;
    const Expr on_vectors = call_on_vectors(call, statement.span);
    const auto* assign = std::get_if<lowered::Assign>(&statement.node);
    const auto* local = std::get_if<lowered::Local>(&statement.node);
    if (assign && assign->value == call && assign->op == "=" && is_whole(assign->target, call->type)) {
      close_part();
      result_.push_back({lowered::Assign{assign->target->operands[0], "=", on_vectors}, statement.span});
      return true;
    }
    const bool names_it = local && local->initial == call;
    const std::string name = fresh(names_it ? local->name : result_name(call));
    const Expr element = lowered::vector_element(lowered::name(name, call->type), item(), call->type);
    const std::string replaced = names_it ? local->name : "";
    const Span span = statement.span;
    if (!names_it) {
      replace_in(statement, [&](const Expr& e) { return e == call ? element : nullptr; });
      rest_.insert(rest_.begin(), std::move(statement));
    }
    close_part();
    result_.push_back({lowered::Local{vector_type(call), name, {}, on_vectors, true, false}, span});
    if (names_it) substitute(replaced, element);
    return true;
  }

  std::string vector_type(const Expr& element) const {
    return fmt::format("Vector<{}, {}>", type_name(element->type), count_);
  }

  static bool is_masked(const Expr& expression) {
    return expression->kind == Expression::Kind::ternary &&
           lowered::is_element_exists(expression->operands[0]);
  }

  // `part.or_else` for a mask of one of its elements.
  static std::string or_else(const Expr& mask) {
    return mask->text.substr(0, mask->text.rfind('.')) + ".or_else";
  }

  static std::string result_name(const Expr& call) {
    if (is_masked(call)) return "existing";
    if (call->kind == Expression::Kind::binary) return "quotient";
    return call->text.substr(call->text.rfind(':') + 1) + "_value";
  }

  // `v[j]` of the loop's own element, all of which the vector holds in the arithmetic type.
  bool is_whole(const Expr& place, DType type) const {
    return lowered::is_vector_element(place) && place->type == type && is_name(place->operands[1], item_);
  }

  // The innermost, leftmost expression with a vector form that is evaluated for every element.
  static Expr vector_call_in(const Statement& statement) {
    if (const auto* local = std::get_if<lowered::Local>(&statement.node))
      return local->initial ? vector_call_in(local->initial) : nullptr;
    if (const auto* assign = std::get_if<lowered::Assign>(&statement.node))
      return vector_call_in(assign->value);
    if (const auto* evaluate = std::get_if<lowered::Evaluate>(&statement.node))
      return vector_call_in(evaluate->expression);
    return nullptr;
  }
  static Expr vector_call_in(const Expr& expression) {
    // What stands in place of an element that does not exist may as well be computed.
    const bool conditional = (expression->kind == Expression::Kind::ternary && !is_masked(expression)) ||
                             expression->text == "&&" || expression->text == "||";
    for (const Expr& operand : expression->operands) {
      if (conditional && operand != expression->operands[0]) break;
      if (Expr found = vector_call_in(operand)) return found;
    }
    return expression->has_vector_form ? expression : nullptr;
  }

  // The call with vectors in place of the operands that differ between elements.
  Expr call_on_vectors(const Expr& call, Span span) {
    if (is_masked(call)) {
      const std::string wanted = "element";
      return lowered::call(or_else(call->operands[0]),
                           {vector_of(call->operands[1], call, wanted, span), call->operands[2]}, call->type);
    }
    Expression copy = *call;
    copy.operands[0] = vector_of(call->operands[0], call,
                                 call->kind == Expression::Kind::binary ? "dividend" : "argument", span);
    copy.has_vector_form = false;
    return std::make_shared<const Expression>(std::move(copy));
  }

  // The operand for all elements: the vector it is an element of, or one that the open part fills.
  Expr vector_of(const Expr& operand, const Expr& call, const std::string& wanted, Span span) {
    if (is_whole(operand, call->type)) return operand->operands[0];
    if (is_open_local(operand)) return lowered::name(vector_for(operand->text), call->type);
    const std::string name = fresh(wanted);
    result_.push_back({lowered::Local{vector_type(call), name, {}, nullptr, false, false}, span});
    Expr vector = lowered::name(name, call->type);
    open_.push_back(
        {lowered::Assign{lowered::vector_element(vector, item(), call->type), "=", operand}, span});
    return vector;
  }

  /// What an open local stands for; other expressions are themselves.
  Expr looked_through(const Expr& expression) const {
    if (!is_open_local(expression)) return expression;
    for (const Statement& statement : open_)
      if (const auto* local = std::get_if<lowered::Local>(&statement.node);
          local && local->name == expression->text)
        return local->initial;
    return expression;
  }

  bool is_open_local(const Expr& expression) const {
    return expression->kind == Expression::Kind::name &&
           std::any_of(open_.begin(), open_.end(), [&](const Statement& statement) {
             const auto* local = std::get_if<lowered::Local>(&statement.node);
             return local && local->name == expression->text && local->is_const && local->initial &&
                    local->extents.empty();
           });
  }

  /// The vector that holds a local of the open part for all elements, once the part is closed.
  const std::string& vector_for(const std::string& local) {
    const auto [entry, is_new] = vectors_.try_emplace(local);
    if (is_new) entry->second = fresh(local);
    return entry->second;
  }

  // `m = maximum(m, v[j])` for all j at once: the order does not matter to an extreme.
  bool take_extreme(const Statement& statement) {
    const auto* assign = std::get_if<lowered::Assign>(&statement.node);
    if (!assign || assign->value->kind != Expression::Kind::call) return false;
    const std::string& callee = assign->value->text;
    if (callee != "maximum" && callee != "minimum") return false;
    const bool is_folded = assign->op == "=" && print(assign->value->operands[0]) == print(assign->target);
    if (!is_folded) return false;  // a sum of extremes is none
    const Expr& folded_value = assign->value->operands[1];
    const bool masked = is_masked(folded_value);
    const Expr operand = looked_through(masked ? folded_value->operands[1] : folded_value);
    const bool widened = operand->kind == Expression::Kind::call && operand->text == "to_float";
    const Expr& element = widened ? operand->operands[0] : operand;
    if (!is_whole(element, element->type) || !may_split(statement)) return false;
    const Expr& target = assign->target;  // one for all elements, not one for each
    if (target->kind == Expression::Kind::element && is_name(target->operands[1], item_)) return false;
    if (base_name(assign->target) == base_name(element)) return false;
    close_part();
    Expr vector = element->operands[0];
    if (masked) {
      // `part.or_else(v, lowest<T>())` for `part.has(j) ? v[j] : lowest<T>()`
      const std::string unit =
          fmt::format("{}<{}>()", callee == "maximum" ? "lowest" : "highest", type_name(element->type));
      vector = lowered::call(or_else(folded_value->operands[0]), {vector, lowered::name(unit, element->type)},
                             element->type);
    }
    Expr extreme = lowered::call(callee == "maximum" ? "largest" : "smallest", {vector}, element->type);
    if (widened) extreme = lowered::call("to_float", {extreme}, operand->type);
    const Expr folded = lowered::call(callee, {assign->value->operands[0], extreme}, assign->value->type);
    result_.push_back({lowered::Assign{assign->target, "=", folded}, statement.span});
    return true;
  }

  // Ends the open loop. Its locals that are still needed become vectors in front of it.
  void close_part() {
    if (open_.empty()) return;
    const std::set<std::string> later = identifiers_in(rest_);
    Block body;
    std::vector<std::pair<std::string, Expr>> promoted;
    for (Statement& statement : open_) {
      for (const auto& [name, element] : promoted) substitute_in(statement, name, element);
      auto* local = std::get_if<lowered::Local>(&statement.node);
      if (!local || !(later.contains(local->name) || vectors_.contains(local->name))) {
        body.push_back(std::move(statement));
        continue;
      }
      const Expr element = promote(*local, statement.span);
      promoted.emplace_back(local->name, element);
      body.push_back({lowered::Assign{element, "=", local->initial}, statement.span});
    }
    for (const auto& [name, element] : promoted) substitute(name, element);
    lowered::For loop = loop_;
    loop.body = std::move(body);
    result_.push_back({std::move(loop), {}});
    open_.clear();
    vectors_.clear();
  }

  Expr promote(const lowered::Local& local, Span span) {
    const DType type = local.initial->type;
    const bool is_operand = vectors_.contains(local.name);  // of what takes whole vectors
    const std::string name = vector_for(local.name);
    if (is_operand || size_in_bytes(type) >= 4) {
      result_.push_back(
          {lowered::Local{fmt::format("Vector<{}, {}>", local.type, count_), name, {}, nullptr, false, false},
           span});
      return lowered::vector_element(lowered::name(name, type), item(), type);
    }
    result_.push_back({lowered::Local{local.type, name, {count_}, nullptr, false, false}, span});
    return lowered::element(lowered::name(name, type), item(), type);
  }

  void substitute(const std::string& name, const Expr& element) {
    for (Statement& statement : rest_) substitute_in(statement, name, element);
  }
  static void substitute_in(Statement& statement, const std::string& name, const Expr& element) {
    replace_in(statement, [&](const Expr& e) { return is_name(e, name) ? element : nullptr; });
  }

  // A name for the block around the loop: the wanted one, if nothing there bears it.
  std::string fresh(const std::string& wanted) {
    if (!outer_.insert(wanted).second) return names_.take(wanted);
    names_.reserve(wanted);
    return wanted;
  }

  const lowered::For& loop_;
  const std::string &item_, &count_;
  NameAllocator& names_;
  std::set<std::string>& outer_;
  Block rest_, open_, result_;
  std::map<std::string, std::string> vectors_;  // by the local of the open part that each will hold
};

/// What a loop's statements name, but for their own locals.
std::set<std::string> names_from_outside(const Block& body) {
  std::set<std::string> names = identifiers_in(body);
  for (const Statement& statement : body)
    if (const auto* local = std::get_if<lowered::Local>(&statement.node)) names.erase(local->name);
  return names;
}

class Pass {
 public:
  Pass(const std::string& item, const std::string& count, NameAllocator& names)
      : item_(item),
        count_(count),
        header_(fmt::format("int {0} = 0; {0} < {1}; ++{0}", item, count)),
        names_(names) {}

  void run(Block& block) {
    std::set<std::string> outer;
    for (const Statement& statement : block)
      if (const auto* local = std::get_if<lowered::Local>(&statement.node)) outer.insert(local->name);
    Block result;
    for (Statement& statement : block) {
      auto* loop = std::get_if<lowered::For>(&statement.node);
      if (loop && loop->header == header_) {
        outer.merge(names_from_outside(loop->body));
        for (Statement& part : LoopSplitter(*loop, item_, count_, names_, outer).run())
          result.push_back(std::move(part));
        continue;
      }
      if (loop) run(loop->body);
      if (auto* branch = std::get_if<lowered::If>(&statement.node)) {
        run(branch->then);
        run(branch->otherwise);
      }
      result.push_back(std::move(statement));
    }
    block = std::move(result);
  }

 private:
  const std::string &item_, &count_;
  const std::string header_;
  NameAllocator& names_;
};

}  // namespace

void call_on_vectors(lowered::Block& block, const std::string& item, const std::string& count,
                     NameAllocator& names) {
  for (const std::string& name : identifiers_in(block)) names.reserve(name);
  Pass(item, count, names).run(block);
}

}  // namespace tessera::emit
