// SPDX-License-Identifier: Apache-2.0
// See launch_text.h.
#include "emit/launch_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"
#include "emit/print.h"
#include "emit/signature.h"

namespace tessera::emit {

using lowered::Expr;

LaunchNames::LaunchNames(const ir::Kernel& kernel) {
  names_.reserve(safe_name(kernel.c_name));
  reserve_parameters(kernel, names_);
  tile_type = take("Tile");
  tile = take("tile");
  size = take("size");
}

const LaunchNames::Choice& LaunchNames::of(const Variant& variant) {
  const Rival choice = variant.rival.value_or(Rival{});
  TESSERA_CHECK(choice.choice == 0 || choice.turned == Turned::none,
                "rows are turned where nothing is asked for");
  const std::string suffix = choice.turned == Turned::rows      ? "_of_rows"
                             : choice.turned == Turned::columns ? "_of_columns"
                             : choice.choice > 0                ? fmt::format("_{}", choice.choice + 1)
                                                                : "";
  const auto [entry, is_new] = choices_.try_emplace(suffix);
  if (is_new) entry->second = {take("sizes" + suffix), take("is_quickest" + suffix), "run_tiles" + suffix};
  return entry->second;
}

Expr LaunchText::units_of(const Variant& variant) const {
  return specialise(lowered_.unit_count[static_cast<size_t>(variant.function)], variant);
}

std::string LaunchText::units(const Variant& variant) const { return print(units_of(variant)); }

std::string LaunchText::blocks(const Variant& variant) const {
  const std::string count = units(variant);
  if (!variant.maps.empty()) return persistent_blocks(variant, size(variant));
  // A tile in shared memory is the work of a block, not of one of its groups.
  if (plan_.phase.functions[static_cast<size_t>(variant.function)].staged)
    return fmt::format("blocks_for_tiles({})", count);
  return variant.rows > 1 && !plan_.phase.has_neighbour_groups()
             ? fmt::format("Blocks{{ceil_divide({}, {})}}", count, variant.rows)
             : fmt::format("Blocks{{{}}}", count);
}

std::string LaunchText::size(const Variant& variant) const {
  if (!variant.shared) return "";
  return variant.rival ? fmt::format("{}[{}]", names_.of(variant).sizes, variant.rival->number)
                       : fmt::format("{{0, {}}}", variant.shared->text());
}

// Clusters take tiles of several blocks at a time; where several may have a share of the terms of each unit, more is known.
std::string LaunchText::persistent_blocks(const Variant& variant, const std::string& size) const {
  TESSERA_CHECK(!variant.is_uneven || (size.empty() && variant.cluster == nullptr),
                "blocks of units that differ share nothing");
  if (variant.is_uneven) return fmt::format("uneven_blocks({})", units(variant));
  const std::string cluster = cluster_of(variant), count = units(with_cluster(variant, cluster));
  return fmt::format("{}({}{}{})", size.empty() ? "persistent_blocks" : "terms.blocks", count,
                     size.empty() ? "" : ", " + size, cluster.empty() ? "" : ", " + cluster);
}

std::vector<std::string> LaunchText::maps(const Variant& variant) const {
  std::vector<std::string> arguments;
  for (const Expr& map : variant.maps)
    arguments.push_back(print(specialise(map, with_cluster(variant, cluster_of(variant)))));
  return arguments;
}

std::vector<std::string> LaunchText::by_names(const Variant& variant,
                                              const std::map<ir::AxisId, std::string>& fields) const {
  const auto function = static_cast<size_t>(variant.function);
  Variant named = variant;
  for (const auto& [axis, parameter] : plan_.tiles[function].extents)
    named.arguments[parameter] = names_.tile + "." + fields.at(axis);
  std::vector<std::string> statements;
  if (variant.cluster != nullptr && variant.cluster->kind == lowered::Expression::Kind::call) {
    statements.push_back(fmt::format("const int {} = {};", kCluster, cluster_of(named)));
    named.cluster = lowered::name(kCluster, DType::index);
    named.arguments[kCluster] = kCluster;  // stays a name
  }
  // A statement of its own: it decides what the argument `terms` is.
  statements.push_back(
      fmt::format("const Blocks blocks = {};", persistent_blocks(named, variant.shared ? names_.size : "")));
  std::vector<std::string> arguments = maps(named);
  arguments.push_back(call_arguments(kernel_, lowered_.functions[function]));
  statements.push_back(fmt::format("return launch(check, options, kernel, blocks, threads, shared, {});",
                                   fmt::join(arguments, ", ")));
  return statements;
}

// The blocks of a cluster, "" where they run alone.
std::string LaunchText::cluster_of(const Variant& variant) const {
  return variant.cluster == nullptr ? "" : print(specialise(variant.cluster, variant));
}

Variant LaunchText::with_cluster(const Variant& variant, const std::string& cluster) {
  Variant clustered = variant;
  if (!cluster.empty()) clustered.arguments[kCluster] = cluster;
  return clustered;
}

// With the numbers of a variant in place of the template's parameters.
Expr LaunchText::specialise(const Expr& expression, const Variant& variant) const {
  const bool is_name = expression->kind == lowered::Expression::Kind::name;
  if (const auto argument = variant.arguments.find(expression->text);
      is_name && argument != variant.arguments.end())
    return lowered::name(argument->second, DType::index);
  if (is_name && expression->text == kCluster) return lowered::integer(1);
  if (is_name && expression->text == "kStrips") return lowered::integer(variant.strips);
  if (is_name && expression->text == "kRows") return lowered::integer(variant.rows);
  const FunctionPlan& function = plan_.phase.functions[static_cast<size_t>(variant.function)];
  if (is_name && expression->text == "kChunk")
    return lowered::integer(int64_t{variant.threads} * variant.vector *
                            (function.strips_across ? 1 : variant.strips));
  if (is_name && expression->text == "kOverhang")
    return lowered::integer(variant.ragged ? variant.vector - 1 : 0);
  if (expression->operands.empty()) return expression;
  lowered::Expression copy = *expression;
  for (Expr& operand : copy.operands) operand = specialise(operand, variant);
  if (copy.kind == lowered::Expression::Kind::binary && copy.text == "+")
    return lowered::add(copy.operands[0], copy.operands[1]);
  if (copy.kind == lowered::Expression::Kind::binary && copy.text == "*")
    return lowered::multiply(copy.operands[0], copy.operands[1]);
  const bool is_call = copy.kind == lowered::Expression::Kind::call;
  if (is_call && copy.text == "in_clusters" && lowered::constant_of(copy.operands[1]) == 1)
    return copy.operands[0];
  return std::make_shared<const lowered::Expression>(std::move(copy));
}

}  // namespace tessera::emit
