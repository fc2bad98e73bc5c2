// SPDX-License-Identifier: Apache-2.0
// Tensors on the host twin: their shadows, what is said about wrong accesses, and the outcome of a launch.
#include "tessera/twin/launch.h"

#include <map>
#include <mutex>
#include <string>

#include "tessera/twin/shared_memory.h"

namespace tessera::twin {

namespace {

/// All registered allocations of the process: their sizes by address.
std::mutex allocations_mutex;
std::map<std::uintptr_t, std::int64_t> allocations;

/// "[3, 4]"
std::string list_text(const std::int64_t* values, int count) {
  std::string text = "[";
  for (int i = 0; i < count; ++i) text += (i > 0 ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

/// "x[3, 4]", and how many elements follow in a vector.
std::string element_text(const TensorAccess& access) {
  const std::string name = access.shadow == nullptr ? "tensor" : access.shadow->name;
  const std::string more =
      access.count > 1 ? " and the " + std::to_string(access.count - 1) + " that follow" : "";
  return name + list_text(access.at, access.rank) + more;
}

/// The coordinates of an element given its number in row-major order.
std::vector<std::int64_t> coordinates(std::int64_t element, const std::vector<std::int64_t>& extents) {
  std::vector<std::int64_t> result(extents.size());
  for (std::size_t dimension = extents.size(); dimension-- > 0;) {
    result[dimension] = element % extents[dimension];
    element /= extents[dimension];
  }
  return result;
}

/// Reports a tensor that begins inside of a registered allocation and ends outside.
void check_allocation(const LaunchCheck::Argument& argument) {
  const auto begin = reinterpret_cast<std::uintptr_t>(argument.tensor.data);
  const std::int64_t bytes = detail::footprint(argument.tensor);
  std::int64_t past_end = 0;
  {
    const std::lock_guard<std::mutex> lock(allocations_mutex);
    auto next = allocations.upper_bound(begin);
    if (next == allocations.begin()) return;
    const auto& [start, size] = *--next;
    const auto offset = static_cast<std::int64_t>(begin - start);
    if (offset >= size) return;
    past_end = offset + bytes - size;
  }
  if (past_end <= 0) return;
  report_launch(
      FaultKind::outside_allocation, {},
      std::string(argument.name) + " reaches " + std::to_string(past_end) + " bytes beyond its memory");
}

}  // namespace

void register_allocation(const void* memory, std::int64_t bytes) {
  const std::lock_guard<std::mutex> lock(allocations_mutex);
  allocations[reinterpret_cast<std::uintptr_t>(memory)] = bytes;
}

void forget_allocation(const void* memory) {
  const std::lock_guard<std::mutex> lock(allocations_mutex);
  allocations.erase(reinterpret_cast<std::uintptr_t>(memory));
}

void report_out_of_bounds(const TensorAccess& access, Location where) {
  report(FaultKind::out_of_bounds, where,
         element_text(access) + ", extents " + list_text(access.extent, access.rank));
}

void report_misaligned(const TensorAccess& access, std::size_t alignment, Location where) {
  report(FaultKind::misaligned, where,
         element_text(access) + " is not at a multiple of " + std::to_string(alignment) + " bytes");
}

void report_broken_promise(const TensorAccess& access, std::int64_t stride, Location where) {
  report(FaultKind::broken_promise, where, element_text(access) + ", stride " + std::to_string(stride));
}

void report_written_twice(const TensorAccess& access, Location where) {
  report(FaultKind::written_twice, where, element_text(access));
}

void report_read_before_written(const TensorAccess& access, Location where) {
  report(FaultKind::read_before_written, where, element_text(access));
}

LaunchShadow::LaunchShadow(const LaunchCheck& check, const Grid& grid) {
  begin_faults(check.kernel());
  begin_shared(grid.dynamic_shared_bytes);
  for (const LaunchCheck::Argument& argument : check) {
    check_allocation(argument);
    Entry& entry = entries_.emplace_back();
    entry.data = argument.tensor.data;
    entry.access = argument.access;
    entry.extents.assign(argument.tensor.extent, argument.tensor.extent + argument.tensor.rank);
    entry.shadow.name = argument.name;
    entry.shadow.write_once = argument.access == Access::out;
    if (!entry.shadow.write_once) continue;
    std::size_t elements = 1;
    for (const std::int64_t extent : entry.extents) elements *= static_cast<std::size_t>(extent);
    entry.shadow.written.assign(elements, 0);
  }
}

TensorShadow* LaunchShadow::find(const void* data, bool read_only) {
  for (Entry& entry : entries_) {
    if (entry.data == data && (entry.access == Access::in) == read_only) return &entry.shadow;
  }
  return nullptr;
}

void LaunchShadow::check_outputs() const {
  for (const Entry& entry : entries_) {
    const std::vector<std::uint8_t>& written = entry.shadow.written;
    std::int64_t missing = 0, first = -1;
    for (std::size_t element = 0; element < written.size(); ++element) {
      if (written[element] != 0) continue;
      if (missing++ == 0) first = static_cast<std::int64_t>(element);
    }
    if (missing == 0) continue;
    const std::vector<std::int64_t> at = coordinates(first, entry.extents);
    report_launch(FaultKind::never_written, entry.shadow.last_store,
                  entry.shadow.name + list_text(at.data(), static_cast<int>(at.size())) +
                      (missing > 1 ? " and " + std::to_string(missing - 1) + " more" : ""));
  }
}

Status finish(const LaunchCheck& check) {
  if (fault_count() == 0) return Status{};
  return Status(TesseraStatus{TESSERA_FAULT, -1, -1, 0, 0, fault_count(), check.kernel(), nullptr, nullptr});
}

}  // namespace tessera::twin
