// SPDX-License-Identifier: Apache-2.0
// Where variables and kept values live: scalars, and arrays in registers over the strips and elements of a lane.
#include <fmt/format.h>

#include <algorithm>

#include "emit/lower_function.h"
#include "emit/plan_extents.h"
#include "sema/ir/extents.h"

namespace tessera::emit {

using lowered::Expr;

Storage FunctionLowering::make_storage(std::string_view wanted, DType type, const AxisSet& axes) {
  Storage storage{
      .base = {}, .type = type, .lane = lane_among(axes), .vector = false, .unrolled = {}, .serial = {}};
  for (ir::AxisId axis : axes) {
    if (phase_.role(axis) == Role::unrolled) storage.unrolled.push_back(axis);
    if (phase_.role(axis) == Role::serial && kernel_.axes[axis].is_tile()) storage.serial.push_back(axis);
  }
  storage.base = storage_name(wanted, storage.unrolled);
  return storage;
}

// A name whose copies, one for each combination of unrolled coordinates, are free as well.
std::string FunctionLowering::storage_name(std::string_view wanted, const std::vector<ir::AxisId>& unrolled) {
  while (true) {
    std::string base = named(wanted);
    if (unrolled.empty()) return base;
    std::vector<std::string> copies;
    points(unrolled, [&] {
      std::vector<int64_t> coordinates;
      for (ir::AxisId axis : unrolled) coordinates.push_back(unrolled_.at(axis));
      copies.push_back(base + suffix(coordinates));
    });
    if (std::any_of(copies.begin(), copies.end(), [&](const auto& copy) { return names_.is_taken(copy); }))
      continue;
    for (const std::string& copy : copies) named(copy);
    return base;
  }
}

// One array for each combination of unrolled coordinates that the caller stands at.
void FunctionLowering::declare(const Storage& storage, const Expr& initial, Span span) {
  std::vector<std::string> extents;
  for (ir::AxisId axis : storage.serial) {
    const int64_t tile =
        analysis_.loops.contains(axis) ? phase_.serial_tile(axis) : fixed_tile(kernel_, {}, axis);
    const auto extent = tile > 0 ? tile : ir::greatest_extent(kernel_, plan_.sizes, axis);
    TESSERA_CHECK(extent.has_value(), "what a thread keeps along an axis has a bound");
    extents.push_back(fmt::format("{}", *extent));
  }
  std::string type(type_name(storage.type));
  if (storage.lane) {
    extents.push_back("kStrips");
    if (is_in_vectors(storage)) {
      type = fmt::format("Vector<{}, kVector>", type);
    } else if (has_vectors()) {
      extents.push_back("kVector");
    }
  }
  std::vector<int64_t> coordinates;
  for (ir::AxisId axis : storage.unrolled) coordinates.push_back(unrolled_.at(axis));
  emit(lowered::Local{type, storage.base + suffix(coordinates), extents, initial, false, initial != nullptr},
       span);
}

// The element of the storage at the current point.
Expr FunctionLowering::place(const Storage& storage) {
  std::vector<int64_t> coordinates;
  for (ir::AxisId axis : storage.unrolled) coordinates.push_back(unrolled_.at(axis));
  Expr result = lowered::name(storage.base + suffix(coordinates), storage.type);
  for (ir::AxisId axis : storage.serial) {
    const Expr first = range_of(axis).first;
    const Expr offset = lowered::constant_of(first) == 0
                            ? coordinate(axis)
                            : lowered::binary("-", coordinate(axis), first, DType::index);
    result = lowered::element(result, offset, storage.type);
  }
  if (!storage.lane) return result;
  result = lowered::element(result, lowered::name(strip_, DType::index), storage.type);
  const Expr item = lowered::name(item_, DType::index);
  if (is_in_vectors(storage)) return lowered::vector_element(result, item, storage.type);
  return has_vectors() ? lowered::element(result, item, storage.type) : result;
}

// Elements of less than 32 bits that were not loaded as a vector would have to be packed for it.
bool FunctionLowering::is_in_vectors(const Storage& storage) const {
  return storage.vector || (has_vectors() && size_in_bytes(storage.type) >= 4);
}

bool FunctionLowering::is_kept(ir::ValueId id) const {
  return sweep_ >= 0 && !by_warps_ && residency_.kept.contains(instance(id));
}

// A place that is filled in a loop is not read behind it: the loop may have been empty.
Evaluated FunctionLowering::keep(ir::ValueId id) {
  const Instance key = instance(id);
  const bool is_filled = std::ranges::all_of(filled_.at(key).loops, [&](int loop) {
    return std::ranges::any_of(scopes_,
                               [loop](const Scope& scope) { return scope.loop_that_may_be_empty == loop; });
  });
  if (!is_filled) residency_.lost.insert(key);
  return {place(kept_.at(key)), nullptr};
}

// Where a kept value is seen by all sweeps that need it.
size_t FunctionLowering::home_of(ir::ValueId id) const {
  const Lane* lane = lane_among(analysis_.dependence.at(id).axes);
  const AxisSet strips{strip_axis_.value_or(lane->axis)};
  size_t home = std::max<size_t>(scope_of(id, true, strips), 1);
  if (function_plan_.ragged) home = std::max(home, scope_of_lines(*lane));
  for (size_t k = home; k < scopes_.size(); ++k)
    if (!scopes_[k].chunk.empty()) home = k;
  return home;
}

// An array for a value that stays in registers for later sweeps; it stands where all of them can see it.
const Storage& FunctionLowering::open_kept(ir::ValueId id, DType type, bool vector) {
  const Lane* lane = lane_among(analysis_.dependence.at(id).axes);
  Storage storage{.base = {}, .type = type, .lane = lane, .vector = vector, .unrolled = {}, .serial = {}};
  const size_t home = home_of(id);
  at_scope(home, [&] {
    const bool is_load =
        std::holds_alternative<ir::Load>(kernel_.values[id].op) && kernel_.values[id].name.empty();
    storage.base = named(is_load ? kernel_.tensors[std::get<ir::Load>(kernel_.values[id].op).tensor].name +
                                       "_row" + suffix(instance(id).second)
                                 : name_for(id));
    declare(storage, nullptr, kernel_.values[id].span);
    scopes_.back().kept.push_back(instance(id));
  });
  // What one sweep reads ahead lives no longer than that sweep: several do not add up.
  if (counted_.insert(instance(id)).second)
    kept_bytes_ += std::max<int>(static_cast<int>(size_in_bytes(type)), 1);
  Filling& filling = filled_[instance(id)] = {sweep_, {}};
  for (size_t k = home + 1; k < scopes_.size(); ++k)
    if (const int loop = scopes_[k].loop_that_may_be_empty; loop != 0) filling.loops.push_back(loop);
  return kept_.emplace(instance(id), std::move(storage)).first->second;
}

}  // namespace tessera::emit
