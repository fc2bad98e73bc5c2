// SPDX-License-Identifier: Apache-2.0
// Rows and columns; see verify_table.h.
#include "commands/verify_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tessera::commands {

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

std::string VerifyTable::text(const std::string& kernel, std::size_t sizes, bool exact) const {
  // Devices in the order in which they were tried, the variants of each by name.
  std::vector<Row> rows;
  for (const Row& row : rows_) {
    const auto of_device = [&](const Row& other) { return other.device == row.device; };
    const auto first = std::ranges::find_if(rows, of_device);
    auto place = first == rows.end() ? rows.end() : std::find_if_not(first, rows.end(), of_device);
    const bool is_interpreted = !row.variant.starts_with("variant");
    while (!is_interpreted && place != first && std::prev(place)->variant > row.variant) --place;
    rows.insert(place, row);
  }
  std::size_t device_width = 6;
  for (const Row& row : rows_) device_width = std::max(device_width, row.device.size());
  std::string text =
      fmt::format("{}: {} sizes, {}\n", kernel, sizes,
                  exact ? "equal to the last bit everywhere or wrong" : "sums within their error bound");
  text += fmt::format("  {:<{}}  {:<10}  {:>5}  {:>10}  {:>11}  {:>9}  {}\n", "device", device_width,
                      "variant", "sizes", "elements", "error/bound", "unbounded", "verdict");
  for (const Row& row : rows) {
    const std::string worst = std::isinf(row.worst) ? "inf" : fmt::format("{:.3f}", row.worst);
    const std::string verdict = row.wrong == 0 ? "ok" : fmt::format("{} WRONG", row.wrong);
    text += fmt::format("  {:<{}}  {:<10}  {:>5}  {:>10}  {:>11}  {:>9}  {}\n", row.device, device_width,
                        row.variant, row.sizes, row.elements, worst, row.unbounded, verdict);
  }
  return text;
}

}  // namespace tessera::commands
