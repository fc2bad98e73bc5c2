// SPDX-License-Identifier: Apache-2.0
// Runs the statements of a grid's body for one combination of tiles.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "interp/address.h"
#include "interp/error.h"
#include "interp/launch.h"
#include "interp/memory.h"
#include "interp/program.h"
#include "sema/ir/names.h"

namespace tessera::interp {

/// The coordinates of every axis for a launch, and how many of them a tile takes.
struct AxisRange {
  int64_t lower = 0;
  int64_t upper = 0;  // at least lower
  int64_t tile = 1;

  int64_t extent() const { return upper - lower; }
  int64_t tiles() const { return (extent() + tile - 1) / tile; }
};

class Machine {
 public:
  /// Everything is referred to and must outlive the machine. `outputs` has an entry for each tensor, empty
  /// for inputs.
  Machine(const Program& program, const Launch& launch, Numbers numbers, const std::vector<AxisRange>& ranges,
          std::vector<std::optional<Output>>& outputs);

  /// Runs grid number `grid` for the tiles of its axes that begin at `begins`, in the order of the grid's
  /// axes. False after an error.
  bool run_instance(size_t grid, const std::vector<int64_t>& begins);

  const std::optional<Error>& error() const { return error_; }

 private:
  void set_box(ir::AxisId axis, int64_t begin);
  Frame frame_over(const AxisList& axes) const;
  int64_t evaluate(ir::SizeId size) const;
  void fail(Span span, std::string message);

  void run(const std::vector<Step>& steps);
  void execute(const ir::Define& define, const Step& step);
  void execute(const ir::Declare& declare, const Step& step);
  void execute(const ir::Assign& assign, const Step& step);
  void execute(const ir::Write& write, const Step& step);
  void execute(const ir::Loop& loop, const Step& step);

  /// The tile of a value that was defined.
  const Tile& tile(ir::ValueId id);
  DType type(ir::ValueId id) const { return kernel_.values[id].dtype; }
  std::vector<IndexOperand> index_operands(const std::vector<ir::ValueId>& indices);
  void check_existence(ir::ValueId id, Tile& tile);

  // One overload for each operation, in machine_ops.cpp; the last parameter is the result's frame.
  Tile compute(const ir::Constant& op, const ir::Value& value, const Frame& frame);
  Tile compute(const ir::Coordinate& op, const ir::Value& value, const Frame& frame);
  Tile compute(const ir::Extent& op, const ir::Value& value, const Frame& frame);
  Tile compute(const ir::ScalarArgument& op, const ir::Value& value, const Frame& frame);
  Tile compute(const ir::Lookup& op, const ir::Value& value, const Frame& frame);
  Tile compute(const ir::Load& op, const ir::Value& value, const Frame& frame);
  Tile compute(const ir::ReadVariable& op, const ir::Value& value, const Frame& frame);
  Tile compute(const ir::Unary& op, const ir::Value& value, const Frame& frame);
  Tile compute(const ir::Binary& op, const ir::Value& value, const Frame& frame);
  Tile compute(const ir::FusedMultiplyAdd& op, const ir::Value& value, const Frame& frame);
  Tile compute(const ir::Math& op, const ir::Value& value, const Frame& frame);
  Tile compute(const ir::Cast& op, const ir::Value& value, const Frame& frame);
  Tile compute(const ir::Select& op, const ir::Value& value, const Frame& frame);
  Tile compute(const ir::Filter& op, const ir::Value& value, const Frame& frame);
  Tile compute(const ir::Coalesce& op, const ir::Value& value, const Frame& frame);
  Tile compute(const ir::Reduce& op, const ir::Value& value, const Frame& frame);
  Tile compute(const ir::Dot& op, const ir::Value& value, const Frame& frame);
  Tile compute(const ir::Pick& op, const ir::Value& value, const Frame& frame);

  /// Overwrites the variable's elements at `offset + Σ strides` where the value exists.
  void overwrite(Tile& variable, const Tile& value, const Frame& part, int64_t offset);
  /// The number of the writing instance for each point of a frame.
  Output::Writers writers_over(const Frame& frame) const;
  /// A grid axis of the instance that a frame lacks, so that all its coordinates would write the same
  /// elements.
  std::optional<ir::AxisId> missing_grid_axis(const Frame& frame) const;
  void check_address(const Address& address, ir::TensorId tensor, Span span);

  const Program& program_;
  const ir::Kernel& kernel_;
  const Launch& launch_;
  const Numbers numbers_;
  const std::vector<AxisRange>& ranges_;
  std::vector<std::optional<Output>>& outputs_;
  const ir::Names names_;
  const std::vector<ir::AxisId>* grid_axes_ = nullptr;
  /// A value that was proved to exist does so wherever something observes it. Observers have a coordinate along
  /// each of their axes, so the proof says nothing in a launch in which a `let` is empty.
  bool all_lets_have_coordinates_ = true;
  std::vector<Box> boxes_;
  std::vector<Tile> values_;
  std::vector<Tile> variables_;
  std::vector<Array> tables_;
  std::optional<Error> error_;
};

}  // namespace tessera::interp
