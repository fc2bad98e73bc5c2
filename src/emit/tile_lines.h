// SPDX-License-Identifier: Apache-2.0
// Where the lines of tensors that tiles are filled from begin in memory.
#pragma once

#include "emit/tile_plan.h"

namespace tessera::emit {

/// What a line of a tile in shared memory is a multiple of.
inline constexpr int64_t kLineBytes = 32;

/// Whether neighbours along the last index of a staged factor are neighbours along its lines.
bool steps_by_one(const ir::Kernel& kernel, ir::SizeTable& sizes, const TileFactor& factor);

/// Whether tiles of a staged factor begin at blocks of 16 bytes of its lines, whose elements have a type, if the given index
/// is the one that is contiguous: it is the coordinate plus whole blocks.
bool begins_at_blocks(const ir::Kernel& kernel, ir::SizeTable& sizes, const TileFactor& factor, size_t index,
                      DType element);

/// Whether that is so in every tensor without gaps that begins at such a block: its last extent is one of whole blocks.
bool is_aligned_if_dense(const ir::Kernel& kernel, ir::SizeTable& sizes, const TileFactor& factor);

/// Whether a staged factor may leave its tensor along the depth, wherever its width is.
bool may_end_along_depth(const ir::Kernel& kernel, ir::SizeTable& sizes, const TileFactor& factor);

/// Whether all outputs have lines along the first of two axes of the grid and across the second, and nobody asks for tiles:
/// then the first one suits columns.
bool is_stored_along(const ir::Kernel& kernel, const PhaseAnalysis& analysis, const PlanOverrides& overrides,
                     ir::AxisId along, ir::AxisId across);

}  // namespace tessera::emit
