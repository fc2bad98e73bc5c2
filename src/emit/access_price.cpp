// SPDX-License-Identifier: Apache-2.0
// See access_price.h.
#include "emit/access_price.h"

#include <algorithm>

#include "sema/ir/extents.h"

namespace tessera::emit {

namespace {

constexpr double kBroadcast = 0.05;
constexpr double kTypicalExtent = 64;

}  // namespace

double weight_of(const ir::Kernel& kernel, ir::SizeTable& sizes, const Access& access) {
  double points = size_in_bytes(kernel.tensors[access.tensor].dtype);
  for (ir::AxisId id : access.axes) {
    const auto extent = ir::constant_extent(kernel, sizes, id);
    points *= extent ? static_cast<double>(std::max<int64_t>(*extent, 1)) : kTypicalExtent;
  }
  return points;
}

double price_of(ir::SizeTable& sizes, const Access& access, const std::vector<ir::AxisId>& lanes) {
  const auto lane = std::ranges::find_if(lanes, [&](ir::AxisId id) { return access.axes.contains(id); });
  if (lane == lanes.end() || access.indices.empty()) return kBroadcast;
  for (size_t d = 0; d + 1 < access.indices.size(); ++d)
    if (!access.indices[d] || access.indices[d]->coefficient(*lane)) return kScattered;
  const auto& last = access.indices.back();
  if (!last) return kScattered;
  const auto coefficient = last->coefficient(*lane);
  if (!coefficient) return kBroadcast;
  return sizes.as_constant(*coefficient) == 1 ? 1 : kStrided;
}

}  // namespace tessera::emit
