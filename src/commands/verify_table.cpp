// SPDX-License-Identifier: Apache-2.0
// Rows and columns; see verify_table.h.
#include "commands/verify_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tessera::commands {

namespace {

constexpr std::size_t kLineWidth = 110;

/// "  at N=250, N=0, …" in lines of bounded width; nothing for a kernel without symbols.
std::string listed(const std::vector<std::string>& sizes) {
  std::string text, line;
  for (const std::string& one : sizes) {
    if (one.empty()) continue;
    if (line.size() + one.size() + 2 > kLineWidth) {
      text += line + ",\n";
      line.clear();
    }
    line += (!line.empty() ? ", " : text.empty() ? "  at " : "     ") + one;
  }
  return line.empty() ? text : text + line + "\n";
}

/// What a row says for the kernel. Where nothing was asked of any element, nothing was found out either.
std::string verdict_of(const VerifyTable::Row& row) {
  if (row.elements == 0) return "-";
  if (row.wrong > 0) return fmt::format("{} WRONG", row.wrong);
  return row.held == 0 ? "no bound" : "ok";
}

}  // namespace

VerifyTable::Row& VerifyTable::row(const std::string& device, const std::string& variant) {
  const auto found = std::ranges::find_if(
      rows_, [&](const Row& row) { return row.device == device && row.variant == variant; });
  if (found != rows_.end()) return *found;
  rows_.push_back({.device = device, .variant = variant});
  return rows_.back();
}

void VerifyTable::add_failure(VerifyFailure failure) {
  constexpr std::size_t kKept = 100;
  ++failure_count_;
  if (failures_.size() < kKept) failures_.push_back(std::move(failure));
}

std::vector<VerifyTable::Row> VerifyTable::sorted_rows() const {
  std::vector<Row> rows;
  for (const Row& row : rows_) {
    const auto of_device = [&](const Row& other) { return other.device == row.device; };
    const auto first = std::ranges::find_if(rows, of_device);
    auto place = first == rows.end() ? rows.end() : std::find_if_not(first, rows.end(), of_device);
    const bool is_interpreted = !row.variant.starts_with("variant");
    while (!is_interpreted && place != first && std::prev(place)->variant > row.variant) --place;
    rows.insert(place, row);
  }
  return rows;
}

std::string VerifyTable::text(const VerifyHeading& heading) const {
  std::size_t device_width = 6;
  for (const Row& row : rows_) device_width = std::max(device_width, row.device.size());
  const auto share = [](double worst, bool any) {
    return !any ? "-" : std::isinf(worst) ? "inf" : fmt::format("{:.3f}", worst);
  };
  const auto for_clause = [&](const std::string& cell) {
    return heading.clause.empty() ? "" : fmt::format("  {:>12}", cell);
  };
  std::string text = fmt::format(
      "{}: {} sizes, {}\n", heading.kernel, heading.sizes.size(),
      heading.exact ? "equal to the last bit everywhere or wrong" : "sums within their error bound");
  if (!heading.clause.empty()) text += fmt::format("  and within {}\n", heading.clause);
  text += listed(heading.sizes);
  text +=
      fmt::format("  {:<{}}  {:<10}  {:>5}  {:>10}  {:>11}{}  {:>9}  {}\n", "device", device_width, "variant",
                  "sizes", "elements", "error/bound", for_clause("error/verify"), "unbounded", "verdict");
  for (const Row& row : sorted_rows()) {
    text += fmt::format("  {:<{}}  {:<10}  {:>5}  {:>10}  {:>11}{}  {:>9}  {}\n", row.device, device_width,
                        row.variant, row.sizes, row.elements, share(row.worst, row.elements > row.unbounded),
                        for_clause(share(row.worst_for_clause, row.elements > 0)), row.unbounded,
                        verdict_of(row));
  }
  return text;
}

}  // namespace tessera::commands
