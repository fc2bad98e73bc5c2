// SPDX-License-Identifier: Apache-2.0
// Where indices lead: from the indices of a load or a write to offsets in a dense tensor.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "interp/loops.h"
#include "interp/program.h"
#include "interp/tile.h"

namespace tessera::interp {

/// The coordinates of an axis that are being worked on.
struct Box {
  int64_t begin = 0;
  int64_t extent = 0;
};

/// An index of a load or write: affine, or its elements.
struct IndexOperand {
  const AffineIndex* affine = nullptr;
  Tile tile;
};

/// The tensor that is indexed.
struct Target {
  const std::vector<int64_t>& extents;
  bool periodic = false;
  uint32_t in_bounds = 0;  // claims about the indices, which are checked
};

/// Offsets over a frame: `base + Σ strides · position` where every index is affine and inside, else an offset
/// for each point, -1 where an index lies outside or does not exist.
struct Address {
  int64_t base = 0;
  Strides strides{};
  std::shared_ptr<int64_t[]> offsets;
  std::optional<size_t> broken_claim;  // the first dimension that was claimed to be in bounds and is not
};

Address resolve(const Frame& frame, const std::vector<Box>& boxes, const Target& target,
                const std::vector<IndexOperand>& indices);

/// The values of an affine index over a frame that has all its tile axes.
Tile affine_tile(const AffineIndex& index, const Frame& frame, const std::vector<Box>& boxes);

}  // namespace tessera::interp
