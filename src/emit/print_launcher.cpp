// SPDX-License-Identifier: Apache-2.0
// The launcher of one architecture: every check names the argument, then the first variant that fits is launched.
#include "emit/print_launcher.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "base/check.h"
#include "emit/naming.h"
#include "emit/print.h"
#include "emit/signature.h"
#include "emit/tile_launches.h"

namespace tessera::emit {

namespace {

using lowered::Expr;

class LauncherPrinter {
 public:
  LauncherPrinter(const KernelPlan& plan, const LoweredPhase& lowered, Writer& writer,
                  std::set<std::string> unused = {})
      : plan_(plan),
        kernel_(*plan.kernel),
        lowered_(lowered),
        names_(kernel_),
        text_(plan, lowered, names_),
        tile_launches_(plan, text_, names_),
        writer_(writer),
        unused_(std::move(unused)) {}

  void run() {
    const std::string name = launcher_name(kernel_, plan_.target->name);
    writer_.line(fmt::format("Status {}({}) {{", name, cpp_parameters(kernel_)));
    writer_.indent();
    writer_.line(fmt::format("LaunchCheck check(\"{}\");", kernel_.c_name));
    check_tensors();
    check_sizes();
    check_constraints();
    check_overlap();
    writer_.line("if (check.nothing_to_write()) return check.status();");
    writer_.blank();
    choose();
    writer_.outdent();
    writer_.line("}");
  }

 private:
  std::string text(ir::SizeId size) const { return print(lower_size(kernel_, plan_.sizes, size)); }
  std::string rule(ir::SizeId size) const {
    return plan_.sizes.spell(size, [&](ir::SymbolId id) { return kernel_.symbols[id].name; });
  }

  void check_tensors() {
    for_each_tensor([&](int argument, const ir::Tensor& tensor) {
      writer_.line(fmt::format("check.tensor<{}, {}>({}, \"{}\", {});", element_type(tensor),
                               tensor.dims.size(), argument, tensor.name, safe_name(tensor.name)));
    });
  }

  void check_sizes() {
    std::set<ir::SymbolId> defined;
    for_each_tensor([&](int argument, const ir::Tensor& tensor) {
      for (size_t d = 0; d < tensor.dims.size(); ++d) {
        const auto symbol = plan_.sizes.as_symbol(tensor.dims[d]);
        if (!symbol || !defined.insert(*symbol).second) continue;
        const std::string& name = kernel_.symbols[*symbol].name;
        sources_.insert({argument, d});
        if (unused_.contains(safe_name(name))) continue;
        writer_.line(fmt::format("const index {} = check.symbol(\"{}\", {}, {}, {});", safe_name(name), name,
                                 argument, safe_name(tensor.name), d));
      }
    });
    for_each_tensor([&](int argument, const ir::Tensor& tensor) {
      for (size_t d = 0; d < tensor.dims.size(); ++d) {
        if (sources_.contains({argument, d})) continue;
        writer_.line(fmt::format("check.extent({}, \"{}\", {}, {}, {}, \"{}\");", argument, tensor.name,
                                 safe_name(tensor.name), d, text(tensor.dims[d]), rule(tensor.dims[d])));
      }
    });
  }

  void check_constraints() {
    for (const ir::Constraint& constraint : kernel_.constraints)
      writer_.line(fmt::format("check.require({}, \"{}\");", condition_of(kernel_, plan_.sizes, constraint),
                               constraint.text));
  }

  void check_overlap() {
    if (kernel_.tensors.size() > 1) writer_.line("check.outputs_are_disjoint();");
  }

  void choose() {
    const PhasePlan& phase = plan_.phase;
    int width = 1;
    for (const Variant& variant : phase.variants) width = std::max(width, variant.vector);
    if (width > 1) writer_.line(fmt::format("const bool aligned = {};", alignment(width)));
    for (const std::string& statement : phase.boxed) writer_.line(statement);
    std::string conditions;
    for (const Variant& variant : phase.variants)
      conditions += (conditions.empty() ? "" : ", ") + condition(variant);
    compare_rivals();
    tile_launches_.define(writer_);
    define_run();
    writer_.line(fmt::format("switch (check.choose(options, {{{}}})) {{", conditions));
    writer_.indent();
    for (size_t k = 0; k < phase.variants.size(); ++k) launch(k);
    writer_.line("default: return check.status();");
    writer_.outdent();
    writer_.line("}");
  }

  void compare_rivals() {
    std::map<std::string, std::vector<const Variant*>> choices;
    for (const Variant& variant : plan_.phase.variants)
      if (variant.rival) choices[names_.of(variant).sizes].push_back(&variant);
    if (!choices.empty())
      writer_.line(
          plan_.phase.shared_terms
              ? "// of each size: tiles, clocks of one for 64 terms and behind them, teams, bytes of its sums"
              : "// of each size: tiles, clocks of one for 64 terms");
    for (const auto& [sizes, variants] : choices) compare(sizes, variants);
  }

  void compare(const std::string& sizes, const std::vector<const Variant*>& variants) {
    writer_.line(fmt::format("const TilesOfSize {}[] = {{", sizes));
    writer_.indent();
    const std::string& of_choice = variants[0]->rival->of_choice;
    for (size_t number = 0; number < variants.size(); ++number) {
      const Rival& rival = *variants[number]->rival;
      TESSERA_CHECK(rival.number == number && rival.of_choice == of_choice,
                    "sizes of a choice stand in their order, and are for the same launches");
      writer_.line(size(*variants[number]));
    }
    writer_.outdent();
    writer_.line("};");
    writer_.line(fmt::format("const QuickestTiles {}(options, {}, {}{});",
                             names_.of(*variants[0]).is_quickest, of_choice.empty() ? "true" : of_choice,
                             sizes, plan_.phase.shared_terms ? ", terms" : ""));
  }

  std::string size(const Variant& variant) const {
    const Rival& rival = *variant.rival;
    const char* both = rival.values.empty() || rival.lines.empty() ? "" : " && ";
    std::string count = text_.units(variant);
    if (!rival.values.empty() || !rival.lines.empty())
      count = fmt::format("{}{}{} ? {} : kNoTiles", rival.values, both, rival.lines, count);
    return fmt::format("{{{}, {}}},", count, variant.shared ? variant.shared->text() : rival.clocks);
  }

  // What functions without roles have in common is said once.
  void define_run() {
    const std::string arguments = shared_arguments();
    if (arguments.empty()) return;
    writer_.line(fmt::format("const auto run = [&](auto* kernel, Blocks blocks, Threads threads{}) {{",
                             !plan_.tiles.empty() ? ", DynamicShared shared" : ""));
    writer_.indent();
    writer_.line(fmt::format("return launch(check, options, kernel, blocks, threads, {}{});",
                             !plan_.tiles.empty() ? "shared, " : "", arguments));
    writer_.outdent();
    writer_.line("};");
  }

  // What several variants pass to their functions without roles, or "" where they differ.
  std::string shared_arguments() const {
    std::set<std::string> arguments;
    int count = 0;
    for (const Variant& variant : plan_.phase.variants) {
      if (!variant.maps.empty()) continue;
      arguments.insert(arguments_of(variant));
      ++count;
    }
    return count > 1 && arguments.size() == 1 ? *arguments.begin() : "";
  }
  std::string arguments_of(const Variant& variant) const {
    return call_arguments(kernel_, lowered_.functions[static_cast<size_t>(variant.function)]);
  }

  std::string alignment(int width) const {
    std::string result;
    const auto also = [&](const std::string& term) { result += (result.empty() ? "" : " && ") + term; };
    for (const AlignmentNeed& need : plan_.phase.alignment)
      also(fmt::format("vector_access({}, {}, {})", safe_name(kernel_.tensors[need.tensor].name),
                       kernel_.tensors[need.tensor].dims.size() - 1, width * need.step));
    for (ir::SizeId size : plan_.phase.vector_multiples)
      if (!is_last_extent(size)) also(fmt::format("{} % {} == 0", parenthesised(size), width));
    return result;
  }

  // vector_access looks at the last extent of its tensor itself.
  bool is_last_extent(ir::SizeId size) const {
    return std::any_of(
        plan_.phase.alignment.begin(), plan_.phase.alignment.end(),
        [&](const AlignmentNeed& need) { return kernel_.tensors[need.tensor].dims.back() == size; });
  }

  std::string parenthesised(ir::SizeId size) const {
    const std::string result = text(size);
    return plan_.sizes.as_symbol(size) || plan_.sizes.as_constant(size) ? result : "(" + result + ")";
  }

  std::string condition(const Variant& variant) {
    TESSERA_CHECK(variant.few_units_of.empty() || !variant.rival,
                  "small tiles are for few units, or compete");
    if (!variant.few_units_of.empty()) return few_units(variant) + " && " + variant.condition;
    if (variant.rival) return fmt::format("{}({})", names_.of(variant).is_quickest, variant.rival->number);
    if (!variant.condition.empty()) return variant.condition;
    std::string result = variant.aligned ? "aligned" : "";
    if (variant.lane_limit > 0) {
      for (const Lane& lane : plan_.phase.lanes) {
        const ir::Axis& axis = kernel_.axes[lane.axis];
        ir::SizeTable sizes = plan_.sizes;
        const std::string extent = print(lower_size(kernel_, sizes, sizes.subtract(axis.upper, axis.lower)));
        result += fmt::format("{}{} <= {}", result.empty() ? "" : " && ", extent, variant.lane_limit);
      }
    }
    if (variant.rows_least > 0) {
      const ir::Axis& rows = kernel_.axes[plan_.phase.staging->rows];
      ir::SizeTable sizes = plan_.sizes;
      const std::string extent = print(lower_size(kernel_, sizes, sizes.subtract(rows.upper, rows.lower)));
      result += fmt::format("{}{} >= {}", result.empty() ? "" : " && ", extent, variant.rows_least);
    }
    return result.empty() ? "true" : result;
  }

  /// Whether the variant behind it, of larger tiles, would leave too many multiprocessors idle.
  std::string few_units(const Variant& variant) const {
    const std::vector<Variant>& all = plan_.phase.variants;
    const auto self = std::ranges::find_if(all, [&](const Variant& entry) { return &entry == &variant; });
    const auto large = std::find_if(self, all.end(),
                                    [&](const Variant& entry) { return entry.name == variant.few_units_of; });
    TESSERA_CHECK(large != all.end(), "a variant of small tiles stands before one of large ones");
    const Expr units = text_.units_of(*large);
    if (variant.few_quarters == 4) return print(units) + " <= multiprocessor_count()";
    return fmt::format("{} <= {} * multiprocessor_count()",
                       print(lowered::binary("*", lowered::integer(4), units, DType::index)),
                       variant.few_quarters);
  }

  void launch(size_t k) {
    const Variant& variant = plan_.phase.variants[k];
    writer_.line(fmt::format("case {}:", k), tile_launches_.contains(k) ? "" : explain(variant));
    writer_.indent();
    begin_orders(variant);
    writer_.line(fmt::format("return {};", call(k)));
    if (!variant.along_k.empty()) {
      writer_.outdent();
      writer_.line("});");
    }
    writer_.outdent();
  }

  std::string call(size_t k) const {
    const Variant& variant = plan_.phase.variants[k];
    const lowered::Function& function = lowered_.functions[static_cast<size_t>(variant.function)];
    const std::string name = instantiation(function, variant);
    std::string threads = fmt::format("Threads{{{}{}}}", variant.threads * variant.rows,
                                      variant.maps.empty() ? "" : ", kBeginsEarly");
    if (!plan_.tiles.empty()) threads += fmt::format(", DynamicShared{{{}}}", variant.shared_bytes);
    if (tile_launches_.contains(k)) return tile_launches_.call(k, name, text_.size(variant)) + threads + ")";
    if (variant.maps.empty() && !shared_arguments().empty())
      return fmt::format("run({}, {}, {})", name, text_.blocks(variant), threads);
    std::vector<std::string> arguments = text_.maps(variant);
    if (const std::string own = arguments_of(variant); !own.empty()) arguments.push_back(own);
    return fmt::format("launch(check, options, {}, {}, {}{}{})", name, text_.blocks(variant), threads,
                       arguments.empty() ? "" : ", ", fmt::join(arguments, ", "));
  }

  /// One of several functions, which are for one order of the factors in memory each.
  void begin_orders(const Variant& variant) {
    if (variant.along_k.empty()) return;
    writer_.line(fmt::format("return in_order({}, [&](auto {}{}) {{", fmt::join(variant.along_k, ", "),
                             kOrder,
                             variant.along_k.size() > 1 ? fmt::format(", auto {}", kOtherOrder) : ""));
    writer_.indent();
  }

  std::string explain(const Variant& variant) const {
    if (!variant.explanation.empty()) return variant.explanation;
    const std::string group =
        variant.threads != 32 ? fmt::format("a group of {} threads", variant.threads) : "a warp";
    const bool resident = plan_.phase.functions[static_cast<size_t>(variant.function)].resident;
    const bool rows = plan_.phase.has_row_functions();
    if (plan_.phase.functions[static_cast<size_t>(variant.function)].staged)
      return "tiles pass through shared memory";
    const std::string does = plan_.phase.staging ? "takes a tile without shared memory"
                             : !rows             ? "takes a tile"
                             : resident          ? "holds a row"
                                                 : "reads a row again";
    return fmt::format("{} {}, {}", group, does,
                       variant.ragged
                           ? fmt::format("{} elements an access between the ends of lines", variant.vector)
                       : variant.vector > 1 ? fmt::format("{} elements an access", variant.vector)
                                            : "any strides");
  }

  template <typename Visit>
  void for_each_tensor(Visit visit) {
    for (size_t k = 0; k < kernel_.parameters.size(); ++k)
      if (const auto* tensor = std::get_if<ir::TensorId>(&kernel_.parameters[k]))
        visit(static_cast<int>(k), kernel_.tensors[*tensor]);
  }

  const KernelPlan& plan_;
  const ir::Kernel& kernel_;
  const LoweredPhase& lowered_;
  LaunchNames names_;
  const LaunchText text_;
  const TileLaunches tile_launches_;
  Writer& writer_;
  std::set<std::string> unused_;  // names of symbols that nothing asks for
  std::set<std::pair<int, size_t>> sources_;
};

/// How often an identifier stands in a text, outside of string literals.
int times_named(const std::string& text, const std::string& name) {
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  int count = 0;
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const char before = at == 0 ? ' ' : text[at - 1];
    const char behind = at + name.size() < text.size() ? text[at + name.size()] : ' ';
    count += !is_part(before) && !is_part(behind) && before != '"' ? 1 : 0;
  }
  return count;
}

std::string template_argument(const Variant& variant, const std::string& parameter) {
  const std::string name = parameter.substr(parameter.rfind(' ') + 1);
  if (const auto argument = variant.arguments.find(name); argument != variant.arguments.end())
    return argument->second;
  if (parameter.ends_with("kAligned")) return variant.ragged ? "false" : "true";
  const int number = parameter.ends_with("kThreads")  ? variant.threads
                     : parameter.ends_with("kRows")   ? variant.rows
                     : parameter.ends_with("kVector") ? variant.vector
                     : parameter.ends_with("kBlocks") ? variant.blocks
                                                      : variant.strips;
  return std::to_string(number);
}

}  // namespace

std::string instantiation(const lowered::Function& function, const Variant& variant) {
  std::string arguments;
  for (const std::string& parameter : function.template_parameters)
    arguments += (arguments.empty() ? "" : ", ") + template_argument(variant, parameter);
  return fmt::format("{}<{}>", function.name, arguments);
}

std::string condition_of(const ir::Kernel& kernel, const ir::SizeTable& sizes,
                         const ir::Constraint& constraint) {
  const std::string left = print(lower_size(kernel, sizes, constraint.left));
  if (constraint.relation == ir::Relation::member) {
    std::string result;
    for (int64_t value : constraint.values)
      result += fmt::format("{}{} == {}", result.empty() ? "" : " || ", left, value);
    return result;
  }
  static constexpr const char* kOperators[] = {"==", "!=", "<", "<=", ">", ">="};
  return fmt::format("{} {} {}", left, kOperators[static_cast<int>(constraint.relation)],
                     print(lower_size(kernel, sizes, constraint.right)));
}

void print_launcher(const KernelPlan& plan, const LoweredPhase& lowered, Writer& writer) {
  Writer draft;
  LauncherPrinter(plan, lowered, draft).run();
  std::set<std::string> unused;
  for (const ir::Symbol& symbol : plan.kernel->symbols)
    if (times_named(draft.text(), safe_name(symbol.name)) == 1) unused.insert(safe_name(symbol.name));
  LauncherPrinter(plan, lowered, writer, std::move(unused)).run();
}

}  // namespace tessera::emit
