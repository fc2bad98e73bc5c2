// SPDX-License-Identifier: Apache-2.0
// Facts about one phase that planning and lowering share: what depends on which axes, which memory is touched how.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "sema/ir/affine.h"
#include "sema/ir/module.h"

namespace tessera::emit {

using AxisSet = std::set<ir::AxisId>;

/// One load or write of a tensor.
struct Access {
  ir::ValueId value;  // the load, or the value that is written
  ir::TensorId tensor;
  std::vector<ir::ValueId> index_values;
  std::vector<std::optional<ir::Affine>> indices;
  AxisSet axes;                      // every axis the address depends on
  const ir::Write* write = nullptr;  // null for a load

  bool is_write() const { return write != nullptr; }
};

/// What one value depends on at a point.
struct Dependence {
  AxisSet axes;  // axes whose coordinate it needs: its own and scalar ranges
  AxisSet
      loops;  // loops and grid ranges inside whose body it must be computed: it depends on their current tile
};

struct PhaseAnalysis {
  std::vector<Access> accesses;
  std::map<ir::ValueId, Dependence> dependence;  // of every value that a statement needs
  std::map<ir::ValueId, int> uses;               // by values and statements
  std::vector<ir::AxisId> inner_axes;            // bound inside the grid and used, ascending
  AxisSet crossed;                               // by reductions
  AxisSet picked;                                // of picks, table lookups and comparisons: worth unrolling
  AxisSet picked_state;                          // of picks from variables and into them
  AxisSet loops;                                 // bound by Loop statements
  std::vector<const ir::Write*> writes;          // in program order
  std::vector<const ir::Statement*> roots;       // writes, assignments, declarations in program order

  bool depends(ir::ValueId value, ir::AxisId axis) const { return dependence.at(value).axes.contains(axis); }
  /// The axes of every value and statement into which `value` goes.
  AxisSet axes_of_users(const ir::Kernel& kernel, ir::ValueId value) const;
};

/// `sizes` is an extension of the kernel's table in which affine forms are interned.
PhaseAnalysis analyse(const ir::Kernel& kernel, const ir::Grid& grid, ir::SizeTable& sizes);

/// Whether a value may exist at one coordinate of `axis` and not at another. Choices between values count as varying.
bool presence_varies(const ir::Kernel& kernel, const PhaseAnalysis& analysis, ir::ValueId value,
                     ir::AxisId axis);

}  // namespace tessera::emit
