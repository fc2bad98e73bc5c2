// SPDX-License-Identifier: Apache-2.0
// See tile_launches.h.
#include "emit/tile_launches.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "base/check.h"
#include "emit/naming.h"

namespace tessera::emit {

namespace {

/// Whether a statement speaks of a member: `tile.m`, not `tile.m2` or `last_tile.m`.
bool names_member(const std::string& statement, const std::string& member) {
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (size_t at = statement.find(member); at != std::string::npos; at = statement.find(member, at + 1)) {
    const size_t end = at + member.size();
    if ((at == 0 || !is_part(statement[at - 1])) && (end == statement.size() || !is_part(statement[end])))
      return true;
  }
  return false;
}

bool has_roles(const Variant& variant) { return !variant.maps.empty(); }

}  // namespace

TileLaunches::TileLaunches(const KernelPlan& plan, const LaunchText& text, LaunchNames& names)
    : plan_(plan), names_(names) {
  const std::vector<Variant>& variants = plan.phase.variants;
  const auto first = std::ranges::find_if(variants, has_roles);
  if (first == variants.end()) return;
  name_fields(*first);
  std::vector<std::pair<std::vector<std::string>, Members>> alike;  // by what they say, as cases stand
  for (size_t k = 0; k < variants.size(); ++k) {
    if (!has_roles(variants[k]) || !has_fields(variants[k])) continue;
    const std::vector<std::string> statements = text.by_names(variants[k], fields_);
    const auto same = std::ranges::find_if(alike, [&](const auto& launch) {
      return launch.first == statements && variants[launch.second[0]].function == variants[k].function;
    });
    if (same == alike.end())
      alike.push_back({statements, {k}});
    else
      same->second.push_back(k);
  }
  for (const auto& [statements, members] : alike)
    if (members.size() > 1) add(statements, members);
  std::erase_if(fields_, [&](const auto& entry) { return !is_named(entry.second); });
  TESSERA_CHECK(launches_.empty() || !fields_.empty(), "sizes of tiles differ by their extents");
}

void TileLaunches::name_fields(const Variant& variant) {
  NameAllocator names;
  for (const auto& [axis, parameter] : extents_of(variant))
    fields_[axis] = names.take(lowercase(plan_.kernel->axes[axis].name));
}

bool TileLaunches::has_fields(const Variant& variant) const {
  const auto have_one_axis = [](const auto& a, const auto& b) { return a.first == b.first; };
  return std::ranges::equal(extents_of(variant), fields_, have_one_axis);
}

void TileLaunches::add(const std::vector<std::string>& statements, const Members& members) {
  const Variant& member = plan_.phase.variants[members[0]];
  const bool may_have_clusters = plan_.tiles[static_cast<size_t>(member.function)].has_clusters();
  const std::string alone = may_have_clusters && member.cluster == nullptr ? ", blocks run alone" : "";
  for (const size_t k : members) launch_of_[k] = launches_.size();
  launches_.push_back({names_.take(names_.of(member).run), member.explanation + alone, statements,
                       member.shared.has_value()});
}

const std::map<ir::AxisId, std::string>& TileLaunches::extents_of(const Variant& variant) const {
  return plan_.tiles[static_cast<size_t>(variant.function)].extents;
}

bool TileLaunches::is_named(const std::string& field) const {
  return std::ranges::any_of(launches_, [&](const Launch& launch) {
    return std::ranges::any_of(launch.statements, [&](const std::string& statement) {
      return names_member(statement, names_.tile + "." + field);
    });
  });
}

void TileLaunches::define(Writer& writer) const {
  if (launches_.empty()) return;
  std::vector<std::string> fields;
  for (const auto& [axis, field] : fields_) fields.push_back(field);
  writer.line(fmt::format("struct {} {{ int {}; }};", names_.tile_type, fmt::join(fields, ", ")));
  for (const Launch& launch : launches_) {
    writer.line("// " + launch.explanation);
    writer.line(
        fmt::format("const auto {} = [&](auto* kernel, {} {}, {}Threads threads, DynamicShared shared) {{",
                    launch.name, names_.tile_type, names_.tile,
                    launch.has_size ? fmt::format("const TilesOfSize& {}, ", names_.size) : ""));
    writer.indent();
    for (const std::string& statement : launch.statements) writer.line(statement);
    writer.outdent();
    writer.line("};");
  }
}

std::string TileLaunches::call(size_t variant, const std::string& instantiation,
                               const std::string& size) const {
  const Variant& called = plan_.phase.variants[variant];
  const Launch& launch = launches_[launch_of_.at(variant)];
  std::vector<std::string> extents;
  for (const auto& [axis, field] : fields_)
    extents.push_back(called.arguments.at(extents_of(called).at(axis)));
  return fmt::format("{}({}, {{{}}}, {}", launch.name, instantiation, fmt::join(extents, ", "),
                     launch.has_size ? size + ", " : "");
}

}  // namespace tessera::emit
