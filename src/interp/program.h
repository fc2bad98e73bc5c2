// SPDX-License-Identifier: Apache-2.0
// A kernel made ready to run: on which axes each value depends, which values are affine, when values die.
#pragma once

#include <optional>
#include <vector>

#include "interp/tile.h"
#include "sema/ir/module.h"

namespace tessera::interp {

/// An index as offset + Σ coefficient · coordinate, for given values of the symbols.
struct AffineIndex {
  int64_t offset = 0;
  std::vector<std::pair<ir::AxisId, int64_t>> terms;
};

/// A statement, the values that nobody reads after it, and what else its kind needs.
struct Step {
  const ir::Statement* statement = nullptr;
  std::vector<ir::ValueId> released;
  std::vector<Step> body;  // of a loop
  AxisList write_axes;     // of a write: those of its indices and its value
};

/// What the interpreter knows of a kernel before it runs. Points into the kernel, which must outlive it.
///
/// A grid range without a step binds one coordinate at a time. Instances being independent, a run handles
/// many of its coordinates at once: here such a range is an axis like any other, carried by every value that
/// depends on it.
struct Program {
  const ir::Kernel* kernel = nullptr;
  std::vector<std::vector<Step>> grids;
  std::vector<AxisList> value_axes;     // by value
  std::vector<AxisList> variable_axes;  // by variable
  std::vector<std::optional<AffineIndex>>
      affine;  // by value: computed from coordinates whenever it is needed
};

/// The program of a kernel for given values of its symbols.
Program make_program(const ir::Kernel& kernel, const std::vector<int64_t>& symbols);

/// The union of axis lists.
AxisList union_of(const AxisList& a, const AxisList& b);

}  // namespace tessera::interp
