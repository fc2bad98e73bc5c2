// SPDX-License-Identifier: Apache-2.0
// Settings of plan parameters, and the members of a space of them.
#include "sema/tilings.h"

#include <algorithm>
#include <array>

#include "sema/clauses.h"
#include "sema/constants.h"
#include "sema/sizes.h"

namespace tessera::sema {

namespace {

/// Members of a space. The planner prices each of them.
constexpr std::int64_t kMostMembers = 4096;

bool is_condition(const ast::Argument& argument) { return argument.name && argument.name->text == "when"; }

/// A value of a plan parameter, which is at least 1.
std::optional<std::int64_t> value_of(Context& context, ast::ExprId id) {
  const auto value = constant_integer(context, id, "a tile size");
  if (!value || *value >= 1) return value;
  context.sink.report(Diag::step_not_positive, context.expr(id).span, *value);
  return std::nullopt;
}

/// Whether some launch keeps all conditions, as far as bounds of single symbols tell.
void check_holds_somewhere(Context& context, const ir::Tiling& tiling, Span span) {
  const auto refuse = [&](const std::string& why) {
    context.sink.report(Diag::never_holds, span).note("{}", why);
  };
  for (const std::string& name : tiling.architectures)
    if (name != tiling.architectures[0])
      return refuse(fmt::format("a chip is not both `{}` and `{}`", tiling.architectures[0], name));
  ir::Kernel launches;
  launches.sizes = context.kernel.sizes;
  launches.symbols = context.kernel.symbols;
  for (const ir::Constraint& constraint : tiling.when) {
    const auto left = launches.sizes.as_constant(constraint.left),
               right = launches.sizes.as_constant(constraint.right);
    if (left && right && !ir::holds(constraint, *left, *right))
      return refuse(fmt::format("`{}` is false", constraint.text));
    ir::narrow(launches, constraint);
  }
  for (const ir::Symbol& symbol : launches.symbols)
    if (!ir::has_value(symbol)) return refuse(fmt::format("it leaves no value for `{}`", symbol.name));
}

/// A setting and the argument that it is.
struct Named {
  ir::Setting setting;
  Span argument;
};

std::vector<Named> settings_of(Context& context, const std::vector<ast::Argument>& arguments) {
  std::vector<Named> settings;
  for (const ast::Argument& argument : arguments) {
    if (is_condition(argument)) continue;
    if (!argument.name) {
      context.sink.report(Diag::tile_argument, argument.span);
      continue;
    }
    const auto value = value_of(context, argument.value);
    if (!value) continue;
    const std::string& name = argument.name->text;
    const auto before =
        std::ranges::find_if(settings, [&](const Named& one) { return one.setting.name == name; });
    if (before != settings.end()) {
      context.sink.report(Diag::tile_twice, argument.span, "tile", name)
          .label(before->argument, "first here");
      continue;
    }
    settings.push_back({{name, *value, context.expr(argument.value).span}, argument.span});
  }
  return settings;
}

/// The set of one name of a space: `BM in {64, 128}`.
struct Choices {
  std::string name;
  std::vector<std::int64_t> values;
};

class SpaceReader {
 public:
  SpaceReader(Context& context, const ast::Annotation& annotation)
      : context_(context), annotation_(annotation) {}

  void read() {
    if (!annotation_.arguments) return refuse(annotation_.span);
    const std::size_t errors = context_.sink.errors_raised();
    for (const ast::Argument& argument : *annotation_.arguments) read(argument);
    if (context_.sink.errors_raised() != errors) return;
    ir::TuningSpace space{.names = {}, .members = {}, .span = annotation_.span};
    std::int64_t count = choices_.empty() ? 0 : 1;
    for (const Choices& one : choices_) {
      space.names.push_back(one.name);
      count *= static_cast<std::int64_t>(one.values.size());
      if (count > kMostMembers) break;
    }
    if (count >= 1 && count <= kMostMembers) {
      std::vector<std::int64_t> member;
      if (!add_members(member, space.members)) return;
      count = static_cast<std::int64_t>(space.members.size());
    }
    if (count < 1 || count > kMostMembers) {
      context_.sink.report(Diag::autotune_space, annotation_.span,
                           count < 1 ? "no" : fmt::format("more than {}", kMostMembers), kMostMembers);
      return;
    }
    context_.kernel.tuning = std::move(space);
  }

 private:
  void refuse_condition(Span span) {
    context_.sink.report(Diag::autotune_argument, span)
        .note("its `when` compares the names of the space, and constants: `when = BM <= BN`");
  }

  void refuse(Span span) {
    context_.sink.report(Diag::autotune_argument, span)
        .note(
            "it takes sets `BM in {{64, 128}}`, `when = BM <= BN`, `key = (M, N)`, `metric = throughput` and "
            "`budget_s = 300`");
  }

  void read(const ast::Argument& argument) {
    const ast::Expr& value = context_.expr(argument.value);
    if (!argument.name) {
      const auto* membership = std::get_if<ast::Membership>(&value.node);
      return membership ? read_choices(*membership, argument.span) : refuse(argument.span);
    }
    const std::string& key = argument.name->text;
    if (key == "when") return conditions_.push_back(argument.value);
    if (key == "key") return read_key(value);
    const auto* word = std::get_if<ast::NameRef>(&value.node);
    if (key == "metric" && word && (word->name == "throughput" || word->name == "latency")) return;
    if (const auto budget = constant_value(context_, argument.value);
        key == "budget_s" && budget && !budget->is_bool() && budget->real > 0)
      return;
    refuse(argument.span);
  }

  /// The sizes for which a choice holds: dimensions of the kernel.
  void read_key(const ast::Expr& value) {
    std::vector<const ast::Expr*> names = {&value};
    if (const auto* tuple = std::get_if<ast::Tuple>(&value.node)) {
      names.clear();
      for (const ast::ExprId element : tuple->elements) names.push_back(&context_.expr(element));
    }
    for (const ast::Expr* one : names) {
      const auto* name = std::get_if<ast::NameRef>(&one->node);
      if (!name) {
        refuse(one->span);
        continue;
      }
      const Entity* entity = use_name(context_, name->name, one->span);
      if (entity && !std::holds_alternative<SymbolEntity>(entity->node)) refuse(one->span);
    }
  }

  void read_choices(const ast::Membership& membership, Span span) {
    const auto* name = std::get_if<ast::NameRef>(&context_.expr(membership.operand).node);
    if (!name) return refuse(span);
    Choices choices{name->name, {}};
    for (const ast::SetElement& element : membership.elements)
      if (!read_element(element, choices.values)) return;
    std::sort(choices.values.begin(), choices.values.end());
    choices.values.erase(std::unique(choices.values.begin(), choices.values.end()), choices.values.end());
    const auto [entry, inserted] = context_.tiles.try_emplace(
        choices.name, TileRequest{0, span, context_.expr(membership.operand).span, "autotune", false});
    if (!inserted) {
      context_.sink.report(Diag::tile_twice, span, "autotune", choices.name)
          .label(entry->second.span, "first here");
      return;
    }
    choices_.push_back(std::move(choices));
  }

  bool read_element(const ast::SetElement& element, std::vector<std::int64_t>& values) {
    const auto first = value_of(context_, element.value);
    if (!first) return false;
    if (!element.end.valid()) {
      values.push_back(*first);
      return true;
    }
    const auto end = constant_integer(context_, element.end, "an element of a set");
    if (!end) return false;
    if (*end - *first > kMostMembers) {
      context_.sink.report(Diag::set_too_large, context_.expr(element.value).span, kMostMembers);
      return false;
    }
    for (std::int64_t value = *first; value < *end; ++value) values.push_back(value);
    return true;
  }

  /// The members that begin like `member` and keep the conditions. False after a mistake in one of these.
  bool add_members(std::vector<std::int64_t>& member, std::vector<std::vector<std::int64_t>>& members) {
    if (member.size() == choices_.size()) {
      const std::optional<bool> kept = keeps_conditions(member);
      if (kept.value_or(false)) members.push_back(member);
      return kept.has_value();
    }
    for (const std::int64_t value : choices_[member.size()].values) {
      member.push_back(value);
      if (!add_members(member, members)) return false;
      member.pop_back();
    }
    return true;
  }

  std::optional<bool> keeps_conditions(const std::vector<std::int64_t>& member) {
    context_.scope.push();
    for (std::size_t i = 0; i < member.size(); ++i)
      context_.scope.declare(choices_[i].name, {NumberEntity{Number::of(member[i])}, annotation_.span});
    std::optional<bool> kept = true;
    for (const ast::ExprId condition : conditions_) {
      const std::optional<Number> value = constant_value(context_, condition);
      if (!value || !value->is_bool()) {
        refuse_condition(context_.expr(condition).span);
        kept.reset();
        break;
      }
      kept = *kept && value->integer != 0;
    }
    context_.scope.pop();
    return kept;
  }

  Context& context_;
  const ast::Annotation& annotation_;
  std::vector<Choices> choices_;
  std::vector<ast::ExprId> conditions_;
};

}  // namespace

void check_tile(Context& context, const ast::Annotation& annotation) {
  const std::vector<ast::Argument> none;
  const std::vector<ast::Argument>& arguments = annotation.arguments ? *annotation.arguments : none;
  if (std::ranges::all_of(arguments, is_condition)) context.sink.report(Diag::tile_argument, annotation.span);
  const bool is_conditional = std::ranges::any_of(arguments, is_condition);
  ir::Tiling tiling{.settings = {}, .when = {}, .architectures = {}, .span = annotation.span};
  for (const ast::Argument& argument : arguments) {
    if (!is_condition(argument)) continue;
    check_when(context, argument.value, tiling);
    check_holds_somewhere(context, tiling, argument.span);
  }
  for (const auto& [setting, span] : settings_of(context, arguments)) {
    tiling.settings.push_back(setting);
    const auto [entry, inserted] = context.tiles.try_emplace(
        setting.name, TileRequest{is_conditional ? 0 : setting.value, span, setting.span, "tile", false});
    TileRequest& before = entry->second;
    if (inserted || (is_conditional && before.annotation == "tile")) continue;
    if (before.size == 0 && before.annotation == "tile") {  // set for some launches: these are the others
      before.size = setting.value;
      before.value_span = setting.span;
      continue;
    }
    context.sink.report(Diag::tile_twice, span, "tile", setting.name).label(before.span, "first here");
  }
  if (is_conditional && !tiling.settings.empty()) context.kernel.tilings.push_back(std::move(tiling));
}

void check_autotune(Context& context, const ast::Annotation& annotation) {
  SpaceReader(context, annotation).read();
}

}  // namespace tessera::sema
