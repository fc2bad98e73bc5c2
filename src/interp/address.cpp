// SPDX-License-Identifier: Apache-2.0
// Addresses: the fast form for affine indices that stay inside, the general form for all others.
#include "interp/address.h"

#include <algorithm>

#include "sema/ir/integer.h"

namespace tessera::interp {

namespace {

/// The value of an affine index at the first point of the boxes.
int64_t first_value(const AffineIndex& index, const std::vector<Box>& boxes) {
  int64_t value = index.offset;
  for (const auto& [axis, coefficient] : index.terms) {
    value = ir::wrapping_add(value, ir::wrapping_multiply(coefficient, boxes[axis.index()].begin));
  }
  return value;
}

/// Coefficients along the axes of a frame.
Strides coefficients(const AffineIndex& index, const Frame& frame) {
  Strides result{};
  for (const auto& [axis, coefficient] : index.terms) {
    const auto found = std::lower_bound(frame.axes->begin(), frame.axes->end(), axis);
    if (found != frame.axes->end() && *found == axis) {
      result[static_cast<size_t>(found - frame.axes->begin())] = coefficient;
    }
  }
  return result;
}

/// Whether an affine index stays in [0, extent) over the boxes.
bool stays_inside(const AffineIndex& index, const std::vector<Box>& boxes, int64_t extent) {
  __int128 low = index.offset, high = index.offset;
  for (const auto& [axis, coefficient] : index.terms) {
    const Box& box = boxes[axis.index()];
    const __int128 at_begin = static_cast<__int128>(coefficient) * box.begin;
    const __int128 at_end = static_cast<__int128>(coefficient) * (box.begin + box.extent - 1);
    low += std::min(at_begin, at_end);
    high += std::max(at_begin, at_end);
  }
  return low >= 0 && high < extent;
}

std::vector<int64_t> dense_strides(const std::vector<int64_t>& extents) {
  std::vector<int64_t> strides(extents.size(), 1);
  for (size_t d = extents.size(); d-- > 1;) strides[d - 1] = strides[d] * extents[d];
  return strides;
}

class Resolver {
 public:
  Resolver(const Frame& frame, const std::vector<Box>& boxes, const Target& target,
           const std::vector<IndexOperand>& indices)
      : frame_(frame),
        boxes_(boxes),
        target_(target),
        indices_(indices),
        strides_(dense_strides(target.extents)) {}

  Address run() {
    bool all_inside = true;
    for (size_t d = 0; d < indices_.size() && all_inside; ++d) {
      all_inside =
          indices_[d].affine != nullptr && stays_inside(*indices_[d].affine, boxes_, target_.extents[d]);
    }
    if (all_inside) return affine_address();
    Address address;
    address.offsets = std::make_shared_for_overwrite<int64_t[]>(static_cast<size_t>(frame_.volume));
    std::fill_n(address.offsets.get(), frame_.volume, int64_t{0});
    for (size_t d = 0; d < indices_.size(); ++d) add_dimension(address, d);
    return address;
  }

 private:
  Address affine_address() const {
    Address address;
    for (size_t d = 0; d < indices_.size(); ++d) {
      const AffineIndex& index = *indices_[d].affine;
      address.base += first_value(index, boxes_) * strides_[d];
      const Strides along = coefficients(index, frame_);
      for (size_t a = 0; a < frame_.axes->size(); ++a) address.strides[a] += along[a] * strides_[d];
    }
    return address;
  }

  void add_dimension(Address& address, size_t d) const {
    const Tile index =
        indices_[d].affine != nullptr ? affine_tile(*indices_[d].affine, frame_, boxes_) : indices_[d].tile;
    const int64_t extent = target_.extents[d], stride = strides_[d];
    const bool claimed = target_.in_bounds >> d & 1;
    const Loops<2> loops(frame_, {strides_in(frame_, *frame_.axes), strides_in(frame_, *index.frame.axes)});
    loops.run([&](const auto& offsets, int64_t count, const auto& steps) {
      int64_t* result = address.offsets.get() + offsets[0];
      for (int64_t i = 0; i < count; ++i) {
        const int64_t at = offsets[1] + i * steps[1];
        int64_t value = index.as<int64_t>()[at];
        if (index.present && index.present[static_cast<size_t>(at)] == 0) {
          result[i] = -1;
          continue;
        }
        if (target_.periodic) value = extent > 0 ? ir::floor_modulo(value, extent) : -1;
        const bool inside = value >= 0 && value < extent;
        if (!inside && claimed && !address.broken_claim) address.broken_claim = d;
        result[i] = inside && result[i] >= 0 ? result[i] + value * stride : -1;
      }
    });
  }

  const Frame& frame_;
  const std::vector<Box>& boxes_;
  const Target& target_;
  const std::vector<IndexOperand>& indices_;
  const std::vector<int64_t> strides_;
};

}  // namespace

Address resolve(const Frame& frame, const std::vector<Box>& boxes, const Target& target,
                const std::vector<IndexOperand>& indices) {
  return Resolver(frame, boxes, target, indices).run();
}

Tile affine_tile(const AffineIndex& index, const Frame& frame, const std::vector<Box>& boxes) {
  Tile tile = Tile::make(frame, Rep::integer);
  const int64_t first = first_value(index, boxes);
  const Loops<2> loops(frame, {strides_in(frame, *frame.axes), coefficients(index, frame)});
  loops.run([&](const auto& offsets, int64_t count, const auto& strides) {
    int64_t* result = tile.as<int64_t>() + offsets[0];
    for (int64_t i = 0; i < count; ++i) {
      result[i] = ir::wrapping_add(first + offsets[1], ir::wrapping_multiply(i, strides[1]));
    }
  });
  return tile;
}

}  // namespace tessera::interp
