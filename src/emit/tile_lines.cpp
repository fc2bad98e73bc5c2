// SPDX-License-Identifier: Apache-2.0
// See tile_lines.h.
#include "emit/tile_lines.h"

#include <algorithm>

#include "emit/plan_extents.h"
#include "sema/ir/affine.h"

namespace tessera::emit {

namespace {

constexpr int64_t kBlockBytes = 16;

size_t last_index(const TileFactor& factor) { return std::max(factor.width_index, factor.depth_index); }

ir::AxisId axis_of(const TileFactor& factor, size_t index) {
  return index == factor.width_index ? factor.width : factor.depth;
}

const ir::Load& load_of(const ir::Kernel& kernel, const TileFactor& factor) {
  return std::get<ir::Load>(kernel.values[factor.load].op);
}

}  // namespace

bool steps_by_one(const ir::Kernel& kernel, ir::SizeTable& sizes, const TileFactor& factor) {
  const size_t index = last_index(factor);
  const auto form = ir::affine_form(kernel, sizes, load_of(kernel, factor).indices[index]);
  const auto step = form ? form->coefficient(axis_of(factor, index)) : std::nullopt;
  return step && sizes.as_constant(*step) == 1;
}

bool begins_at_blocks(const ir::Kernel& kernel, ir::SizeTable& sizes, const TileFactor& factor, size_t index,
                      DType element) {
  const auto form = ir::affine_form(kernel, sizes, load_of(kernel, factor).indices[index]);
  const ir::AxisId own = axis_of(factor, index);
  const int64_t block = kBlockBytes / size_in_bytes(element);
  const auto is_whole = [&](ir::SizeId size) {
    const auto known = sizes.as_constant(size);
    return known && *known % block == 0;
  };
  if (!form || !is_whole(form->offset) || !is_whole(kernel.axes[own].lower)) return false;
  return std::ranges::all_of(form->terms, [&](const auto& term) {
    return term.first == own ? sizes.as_constant(term.second) == 1 : is_whole(term.second);
  });
}

bool is_aligned_if_dense(const ir::Kernel& kernel, ir::SizeTable& sizes, const TileFactor& factor) {
  const std::vector<ir::SizeId>& dims = kernel.tensors[load_of(kernel, factor).tensor].dims;
  const DType element = kernel.values[factor.load].dtype;
  const int64_t block = kBlockBytes / size_in_bytes(element);
  const auto known = sizes.as_constant(dims.back());
  const auto symbol = sizes.as_symbol(dims.back());
  const std::vector<int64_t> extents = known    ? std::vector{*known}
                                       : symbol ? kernel.symbols[*symbol].allowed
                                                : std::vector<int64_t>();
  const auto is_whole = [&](int64_t extent) { return extent % block == 0; };
  const size_t last = last_index(factor);
  return last + 1 == dims.size() && !extents.empty() && std::ranges::all_of(extents, is_whole) &&
         begins_at_blocks(kernel, sizes, factor, last, element);
}

bool may_end_along_depth(const ir::Kernel& kernel, ir::SizeTable& sizes, const TileFactor& factor) {
  if (factor.way != TileFactor::Way::staged) return false;
  const ir::Load& load = load_of(kernel, factor);
  if ((load.in_bounds >> factor.depth_index & 1u) != 0) return false;
  const auto form = ir::affine_form(kernel, sizes, load.indices[factor.depth_index]);
  return form &&
         std::ranges::all_of(form->terms, [&](const auto& term) { return term.first == factor.depth; });
}

bool is_stored_along(const ir::Kernel& kernel, const PhaseAnalysis& analysis, const PlanOverrides& overrides,
                     ir::AxisId along, ir::AxisId across) {
  const bool has_requests = !kernel.tilings.empty() || kernel.tuning;
  for (const ir::AxisId axis : {along, across}) {
    const ir::Axis& entry = kernel.axes[axis];
    const bool may_be_asked = has_requests && !entry.step_name.empty();
    if (entry.kind != ir::AxisKind::grid || may_be_asked || fixed_tile(kernel, overrides, axis) > 0)
      return false;
  }
  bool is_stored = false;
  for (const Access& access : analysis.accesses) {
    if (!access.is_write() || !access.axes.contains(along) || !access.axes.contains(across)) continue;
    const std::optional<ir::Affine>& last = access.indices.back();
    if (!last || !last->coefficient(along)) return false;
    is_stored = true;
  }
  return is_stored;
}

}  // namespace tessera::emit
