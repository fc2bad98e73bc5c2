// SPDX-License-Identifier: Apache-2.0
// What is decided for a chip: where each axis of a phase goes, which functions are made, between which variants the
// launcher chooses, and why. The printer and the report only read it.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "emit/analysis.h"
#include "emit/emit.h"
#include "emit/lowered.h"
#include "emit/target.h"
#include "emit/tile_plan.h"
#include "sema/ir/module.h"

namespace tessera::emit {

/// Where an axis goes. A *unit* is the work of one group of threads at a time.
enum class Role {
  unit,      // a coordinate of the unit
  lane,      // spread over the threads of a group, contiguous in memory where it can be
  serial,    // a loop in each thread
  unrolled,  // written out, one copy for each coordinate
};

/// An axis that the threads of a group share.
struct Lane {
  ir::AxisId axis;
  bool chunked = false;  // a unit takes a chunk of the axis; otherwise all of it, or one tile of its loop
  int64_t tile = 0;  // extent of the chunk or tile when it is fixed; 0: as many as the threads hold at once
};

/// One coordinate of a unit: an axis, or the chunks of a lane.
struct UnitAxis {
  ir::AxisId axis;
  bool is_chunk = false;
  int64_t tile = 1;        // consecutive coordinates that one unit takes, one after another
  bool is_strips = false;  // a unit takes kStrips coordinates: its strips
  bool is_groups = false;  // a unit is the work of a block: its groups take kRows coordinates, one each

  /// Whether the unit has a range of coordinates, not one.
  bool is_tiled() const { return is_chunk || is_strips || is_groups || tile > 1; }
};

/// Loads whose neighbours in memory lie along `rows`, not along the lane: a block brings the tile of lane x rows in
/// through shared memory, with neighbouring threads on neighbouring addresses, and the groups of the block share its rows.
struct Staging {
  ir::AxisId lane, rows;
  std::set<ir::ValueId> loads;
  bool rows_fixed = false;  // the extent of the rows was asked for
};

/// A __global__ function template.
struct FunctionPlan {
  std::string suffix;          // "resident", "streaming", or "" when there is one
  bool resident = false;       // rows stay in registers between passes; otherwise they are read again
  bool staged = false;         // the staged loads of the phase pass through shared memory
  bool ragged = false;         // vectors may cross the ends of a line: kAligned says whether they do not
  bool strips_across = false;  // strips run along PhasePlan::strip_axis, not along the lane
};

/// A size of tiles among those of which the launcher takes the one that a device is done with first.
struct Rival {
  size_t choice = 0;             // of the user's, which are tried one after another
  size_t number = 0;             // of the size among those of the choice
  std::string clocks = {};       // of a multiprocessor for a unit, or the same share of each
  std::string values = {};       // of listed symbols that it is for: a condition, or "" for all
  std::string lines = {};        // of tensors: the same
  std::string of_choice = {};    // what all sizes of the choice are for: the same
  Turned turned = Turned::none;  // tiles of each kind compete among themselves
};

/// What is known of the terms of a unit that blocks share.
struct SharedUnit {
  std::string clocks = {};  // that a multiprocessor takes for 64 of each sum
  int64_t behind = 0;       // and for what follows the products
  int teams = 1;            // of a block, which take units in turn
  int64_t bytes = 0;        // of its sums; 0: blocks do not share them
  int asked = 0;            // blocks that share them; 0: as the launch says

  /// As the launcher takes it.
  std::string text() const {
    const std::string alone = fmt::format("{}, {}, {}", clocks, behind, teams);
    return bytes == 0 ? alone
                      : fmt::format("{}, {}{}", alone, bytes, asked > 1 ? fmt::format(", {}", asked) : "");
  }
};

/// One instantiation that the launcher may choose.
struct Variant {
  std::string name;
  int function = 0;
  int threads = 0;  // of a group
  int rows = 0;     // groups in a block
  int vector = 1;
  int strips = 1;
  int blocks = 1;          // that a multiprocessor must be able to hold: bounds the registers of a thread
  bool aligned = false;    // asks for unit strides, alignment and divisible extents
  bool ragged = false;     // asks for no alignment and no stride: vectors cross the ends of lines
  int64_t lane_limit = 0;  // largest extent of the lanes it can hold; 0: any
  int64_t rows_least = 0;  // smallest extent of the staged rows for which it is chosen
  // Of a function in tiles:
  std::map<std::string, std::string> arguments = {};  // of its template, by parameter
  std::string condition = {}, explanation = {};       // when the launcher takes it, and what to say of it
  /// Only for launches of few units of the next variant with this name: at most so many quarters of the multiprocessors.
  std::string few_units_of = {};
  int few_quarters = 0;
  std::optional<Rival> rival = {};
  std::optional<SharedUnit> shared = {};  // where blocks may share its terms
  int shared_bytes = 0;
  bool is_uneven = false;  // units of a function with roles have loops of different lengths
  // Of functions with roles, in terms of parameters of its template: blocks of a cluster, which share a unit (null: they run
  // alone), and arguments that describe boxes of tensors, which also speak of `cluster`.
  lowered::Expr cluster = {};
  std::vector<lowered::Expr> maps = {};
  /// Where a function is for one order of factors in memory: whether lines of each run along what is summed over.
  std::vector<std::string> along_k = {};
};

/// What an aligned variant needs of a tensor: unit stride and 16 byte vectors along its last dimension.
struct AlignmentNeed {
  ir::TensorId tensor;
  bool is_write = false;
  int64_t step = 1;  // elements of the tensor for one of the lane
};

/// A load of every `step`th element along the lane, from `phase` on: vectors hold all of them, so that loads of the
/// others share them.
struct Interleave {
  int64_t step = 1;
  int64_t phase = 0;
};

/// The line of a tensor whose vector boundaries the threads of a lane keep to where lines may begin anywhere.
struct Anchor {
  ir::TensorId tensor;
  std::vector<ir::ValueId> lead;  // its indices along the dimensions before the last
  ir::SizeId offset;              // of the last index from the coordinate of the lane
};

/// Elements beside a vector that loads need as well.
struct Neighbours {
  int before = 0, behind = 0;
};

/// Axes along which something is held, and its extent along each.
using HeldAxes = std::vector<std::pair<ir::AxisId, int64_t>>;

struct PhasePlan {
  const ir::Grid* grid = nullptr;
  PhaseAnalysis analysis;
  std::map<ir::AxisId, Role> roles;
  std::vector<UnitAxis> units;  // slowest first
  std::optional<Staging> staging;
  std::vector<Lane> lanes;
  std::set<ir::ValueId> vector_loads;             // loads that move as vectors along their lane
  std::map<ir::ValueId, Interleave> interleaved;  // those of them that do not take every element
  std::set<const ir::Write*> vector_writes;
  std::set<ir::AxisId>
      vector_lanes;  // along which they move: whole vectors, where a variant asks for alignment
  std::vector<AlignmentNeed> alignment;
  std::map<ir::AxisId, Anchor> anchors;       // of every lane, or of none
  std::map<ir::ValueId, Neighbours> windows;  // loads that share what is read of a line
  std::vector<ir::SizeId> vector_multiples;   // sizes that must be multiples of the vector width
  std::vector<FunctionPlan> functions;
  std::vector<Variant> variants;
  std::vector<std::string> boxed;  // statements of the launcher: tensors whose boxes variants copy
  std::optional<ir::SizeId> shared_terms = {};  // how many terms each sum has, where blocks share them
  /// A unit axis along which strips run instead of along the lane: what does not depend on it is read once for all of them.
  std::optional<ir::AxisId> strip_axis;
  std::map<ir::AxisId, int64_t> serial_tiles;
  std::map<ir::ValueId, HeldAxes> held;  // what a group makes before its threads part
  AxisSet around_writes;                 // serial axes that writes loop over around their elements
  std::vector<std::string> reasons;

  const Lane* lane_of(ir::AxisId axis) const;
  /// Whether the groups of a block are neighbours along a unit axis, because they read the same lines.
  bool has_neighbour_groups() const {
    return std::any_of(units.begin(), units.end(), [](const UnitAxis& unit) { return unit.is_groups; });
  }
  bool is_lane(ir::AxisId axis) const { return lane_of(axis) != nullptr; }
  /// Whether a unit holds or reads again whole rows.
  bool has_row_functions() const {
    return std::any_of(functions.begin(), functions.end(), [](const FunctionPlan& f) { return !f.resident; });
  }
  /// Whether vectors hold elements of less than 32 bits: only these gain by vectors where lines begin anywhere.
  bool has_narrow_vectors(const ir::Kernel& kernel) const {
    return std::any_of(alignment.begin(), alignment.end(), [&](const AlignmentNeed& need) {
      return size_in_bytes(kernel.tensors[need.tensor].dtype) < 4;
    });
  }
  bool has_vectors() const { return !vector_loads.empty() || !vector_writes.empty(); }
  Role role(ir::AxisId axis) const { return roles.at(axis); }
  /// Extent of the tiles of a loop that is not a lane.
  int64_t serial_tile(ir::AxisId axis) const;
};

struct KernelPlan {
  const ir::Kernel* kernel = nullptr;
  std::shared_ptr<const ir::Kernel>
      expanded;  // where the products became sums of products: what `kernel` points to
  const Target* target = nullptr;
  ir::SizeTable sizes;  // the kernel's table and what planning added
  PhasePlan phase;
  std::vector<TilePlan> tiles;  // of a phase with products that runs in tiles: one for each function

  /// The one that takes every launch.
  const TilePlan& general_tiles() const { return tiles.back(); }
};

/// Plans one kernel for one chip. Requests that cannot be honoured are reported, and nothing is returned.
std::optional<KernelPlan> make_plan(const ir::Kernel& kernel, const Target& target,
                                    const PlanOverrides& overrides, DiagnosticSink& sink);

/// Whether a load of a unit without passes, or of a chunk of a long row, is made for all strips before the first of them is computed, so that the
/// accesses overlap.
bool is_read_ahead(const KernelPlan& plan, const FunctionPlan& function, ir::ValueId value);

/// The plan as text, for `--emit=plan`.
std::string describe(const KernelPlan& plan);

}  // namespace tessera::emit
