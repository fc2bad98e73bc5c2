// SPDX-License-Identifier: Apache-2.0
// Appends values and statements to a kernel under construction. Equal pure operations share one value, and
// operations on constants and sizes are worked out at once (fold.h).
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "sema/ir/module.h"

namespace tessera::sema {

class Builder {
 public:
  explicit Builder(ir::Kernel& kernel) : kernel_(kernel) {}

  /// The value of `op`: folded, shared with an equal one that is visible here, or newly defined in the current
  /// block. Its axes follow from the operation.
  ir::ValueId add(ir::Op op, DType dtype, Span span);

  /// Reads a variable: never shared, since assignments lie in between.
  ir::ValueId read(ir::VariableId variable, Span span);

  /// The same value again, under an id that nothing shares.
  ir::ValueId copy(ir::ValueId value, Span span);

  ir::ValueId constant(ir::Literal literal, DType dtype, Span span);
  ir::ValueId index(std::int64_t value, Span span) { return constant({0, value}, DType::index, span); }
  ir::ValueId coordinate(ir::AxisId axis, Span span) { return add(ir::Coordinate{axis}, DType::index, span); }
  ir::ValueId binary(ir::BinaryOp op, ir::ValueId left, ir::ValueId right, DType dtype, Span span) {
    return add(ir::Binary{op, left, right}, dtype, span);
  }
  /// The value in another type; itself if it has that type.
  ir::ValueId cast(ir::ValueId value, DType dtype, Span span);

  void append(ir::Statement statement) { blocks_.back().push_back(std::move(statement)); }
  void open_block();
  ir::Block close_block();

  /// Axes that a reduction on the way to `value` folded: what the loop rule (R6) asks for. Ascending.
  const std::vector<ir::AxisId>& crossed(ir::ValueId value) const { return crossed_[value.index()]; }

  ir::Kernel& kernel() { return kernel_; }
  const ir::Kernel& kernel() const { return kernel_; }
  const ir::Value& operator[](ir::ValueId value) const { return kernel_.values[value]; }

 private:
  struct KeyHash {
    std::size_t operator()(const std::vector<std::uint64_t>& key) const;
  };
  using Shared = std::unordered_map<std::vector<std::uint64_t>, ir::ValueId, KeyHash>;

  ir::ValueId define(ir::Op op, DType dtype, Span span);

  ir::Kernel& kernel_;
  std::vector<ir::Block> blocks_;
  std::vector<Shared> shared_;  // one a block: a value is visible in its block and those inside
  std::vector<std::vector<ir::AxisId>> crossed_;
};

/// Axes of the value that `op` gives: the union of its operands' axes, less what it folds or picks. Ascending.
std::vector<ir::AxisId> result_axes(const ir::Kernel& kernel, const ir::Op& op);

}  // namespace tessera::sema
