// SPDX-License-Identifier: Apache-2.0
// Flags of architecture and plan; see target_flags.h.
#include "commands/target_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <array>
#include <charconv>

#include "commands/pipeline.h"
#include "emit/target.h"

namespace tessera::commands {

namespace {

constexpr std::array<std::pair<std::string_view, emit::Fault::Kind>, 5> kFaultKinds = {{
    {"guard", emit::Fault::Kind::guard},
    {"barrier", emit::Fault::Kind::barrier},
    {"fill", emit::Fault::Kind::fill},
    {"initialisation", emit::Fault::Kind::initialisation},
    {"mask", emit::Fault::Kind::mask},
}};

/// A whole number from `minimum` on.
std::optional<int64_t> whole_number(std::string_view text, int64_t minimum) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < minimum) return std::nullopt;
  return value;
}

void add_architecture(const std::string& name, TargetOptions& options) {
  if (emit::find_target(name) == nullptr) {
    std::vector<std::string_view> names;
    for (const emit::Target& target : emit::all_targets()) names.push_back(target.name);
    throw CLI::ValidationError("--arch", fmt::format("`{}` is none of {}", name, fmt::join(names, ", ")));
  }
  if (std::ranges::find(options.architectures, name) == options.architectures.end())
    options.architectures.push_back(name);
}

/// One `name=value` of --plan.
void add_override(const std::string& item, emit::PlanOverrides& plan) {
  const std::size_t equal = item.find('=');
  const std::string name = item.substr(0, equal);
  const auto value = equal == std::string::npos ? std::nullopt : whole_number(item.substr(equal + 1), 0);
  if (!value) throw CLI::ValidationError("--plan", fmt::format("`{}` is not `name=number`", item));
  if (name.starts_with("tile.") && name.size() > 5 && *value > 0) {
    plan.tiles[name.substr(5)] = *value;
  } else if (name == "warps" && ir::kWarpsRange.contains(*value)) {
    plan.warps = static_cast<int>(*value);
  } else if (name == "vector" && *value > 0 && *value <= 16 && (*value & (*value - 1)) == 0) {
    plan.vector = static_cast<int>(*value);
  } else if (name == "stages" && ir::kStagesRange.contains(*value)) {
    plan.stages = static_cast<int>(*value);
  } else if (name == "raster" && ir::kRasterRange.contains(*value)) {
    plan.raster = static_cast<int>(*value);
  } else if (name == "cluster" && ir::kClusterRange.contains(*value)) {
    plan.cluster = static_cast<int>(*value);
  } else if (name == "split" && ir::kSplitRange.contains(*value)) {
    plan.split = static_cast<int>(*value);
  } else if (name == "turn" && *value <= 1) {
    plan.turn = static_cast<int>(*value);
  } else if (name == "warpgroups" && ir::kWarpgroupsRange.contains(*value)) {
    plan.warpgroups = static_cast<int>(*value);
  } else {
    throw CLI::ValidationError(
        "--plan",
        fmt::format(
            "`{}` is none of tile.RANGE=N (N at least 1), warps=1..32, warpgroups=0..3, vector=1|2|4|8|16, "
            "stages=1..7, raster=1..64, cluster=1..2, split=1..64, turn=0..1",
            item));
  }
}

emit::Fault parse_fault(const std::string& text) {
  const std::size_t colon = text.find(':');
  for (const auto& [name, kind] : kFaultKinds) {
    if (text.substr(0, colon) != name) continue;
    const auto index =
        colon == std::string::npos ? std::optional<int64_t>(0) : whole_number(text.substr(colon + 1), 0);
    if (index && *index <= 1'000'000) return {kind, static_cast<int>(*index)};
  }
  throw CLI::ValidationError("--inject-fault", fmt::format("`{}` is not `guard:3` or the like", text));
}

}  // namespace

emit::Options TargetOptions::emit_options(const std::string& source_path) const {
  emit::Options result;
  if (!architectures.empty()) result.architectures = architectures;
  result.plan = plan;
  result.fault = fault;
  result.file_stem = stem_of(source_path);
  result.source_name = source_name_of(source_path);
  return result;
}

void add_target_flags(CLI::App& app, TargetOptions& options) {
  const std::string group = "Target and plan";
  app.add_option_function<std::vector<std::string>>(
         "--arch",
         [&options](const std::vector<std::string>& names) {
           for (const std::string& name : names) add_architecture(name, options);
         },
         "architectures, a comma between them: sm_80,sm_90")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->option_text("ARCH,…")
      ->group(group);
  app.add_option_function<std::vector<std::string>>(
         "--plan",
         [&options](const std::vector<std::string>& items) {
           for (const std::string& item : items) add_override(item, options.plan);
         },
         "fix parts of the plan: tile.r=16,warps=4,vector=2")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->option_text("NAME=N,…")
      ->group(group);
  app.add_option_function<std::string>(
         "--inject-fault", [&options](const std::string& text) { options.fault = parse_fault(text); },
         "leave out the n-th guard, barrier, fill, initialisation or mask")
      ->group("");  // for tests of the host twin
}

}  // namespace tessera::commands
