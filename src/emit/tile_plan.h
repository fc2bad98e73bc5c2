// SPDX-License-Identifier: Apache-2.0
// How a phase with products runs in tiles: a block takes the tiles of one instance. Sums, and what is computed from them
// element by element, lie in registers as tiles of rows and columns; the factors of products pass through shared memory.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "emit/analysis.h"
#include "emit/emit.h"
#include "emit/target.h"
#include "sema/ir/module.h"

namespace tessera::emit {

/// Where the coordinates of an axis lie.
enum class TileRole {
  row,     // along the rows of tiles in registers
  column,  // along their columns
  depth,   // in shared memory only: it is summed over
};

/// A factor of a product.
struct TileFactor {
  enum class Way {
    staged,     // a plain part of a tensor: copied to shared memory as it is
    registers,  // a tile in registers whose columns are summed over: converted in place
    moved,      // any other tile in registers: stored to shared memory
    computed,   // anything else: computed element by element into shared memory
  };
  ir::ValueId value;  // as the product reads it
  Way way = Way::computed;
  ir::ValueId load;         // staged: the load below conversions
  bool in_ring = false;     // staged: its tiles follow one another
  bool stays = false;       // staged, by boxes: its tile is brought once for an instance
  bool in_parts = false;    // staged: floats, each as three numbers of bf16
  bool is_source = false;   // staged, by boxes: they compute a factor from it
  bool is_folded = false;   // staged, by boxes: threads fold it, and its lines may run either way
  bool is_turned = false;   // staged, by boxes: rows whose lines lie across the depth, through registers
  ir::AxisId width, depth;  // its axes: one of the sums, and the one that is summed over
  size_t width_index = 0, depth_index = 0;  // staged: which index of the load runs along each

  // Staged: the load of the other factor, whose index along the depth may leave its tensor: there are no terms there.
  ir::ValueId limit = {};
  size_t limit_index = 0;

  std::vector<TileFactor> parts = {};  // computed: plain parts of tensors below it, staged themselves

  /// Staged: whether the last of its dimensions, as declared, is the one that is summed over.
  bool ends_with_depth() const { return depth_index > width_index; }
  /// Staged: whether lines of its tiles run along that dimension, since threads read them.
  bool lies_as_declared() const { return is_source || is_folded; }
  /// Whether it passes a ring of tiles that follow one another.
  bool passes_ring() const { return way != Way::registers && !stays; }

  /// Whether one tile in shared memory serves both: what is copied may be read along either axis.
  bool shares_tile(const TileFactor& other) const {
    const bool is_staged = way == Way::staged && other.way == Way::staged;
    if (is_source != other.is_source) return false;
    if (is_staged ? load != other.load || limit != other.limit : value != other.value) return false;
    const bool is_across = width == other.depth && depth == other.width;
    return (width == other.width && depth == other.depth) ||
           (way == Way::staged && is_across && !limit.valid());
  }
};

struct TileProduct {
  ir::ValueId dot;
  ir::AxisId depth;
  std::vector<ir::AxisId> around;  // further axes that are summed over: loops around that over the depth
  bool is_tf32 = false;
  bool is_split = false;      // of factors that warpgroups may take in parts
  bool has_own_loop = false;  // all of these are whole dimensions: the product walks over their tiles itself
  TileFactor rows, columns;   // the factor along the rows of the sums, and the one along their columns
};

/// A fold along an axis that lies in shared memory: of rows or of columns.
struct TileFold {
  ir::ValueId reduce;
  ir::AxisId depth, width;
  bool has_own_loop = false;       // as of products
  bool meets_behind_loop = false;  // a variable gets it once, see loop_folds.h
  std::vector<TileFactor> parts;   // what is folded is computed from these, which are staged
};

/// How a function in tiles runs.
enum class TileWay {
  threads,     // all threads of a block copy, and multiply when everybody's copies have arrived
  warpgroups,  // one warp asks for boxes of tensors, warpgroups multiply what has arrived
};

/// The factor of its products that lies across what is summed over, and is turned on its way to registers: for columns tiles
/// have changed their rows and columns. See turned_plan.h.
enum class Turned { none, rows, columns };

inline constexpr int kWarpThreads = 32, kGroupWarps = 4;  // of a warpgroup

/// The numbers of one variant.
struct TileShape {
  std::map<ir::AxisId, int64_t> extent;  // of each tile
  int warp_rows = 1, warp_columns = 1;
  int teams = 1;  // of warpgroups, each with tiles of its own
  int stages = 2;
  bool are_stages_asked_for = false;
  int raster = 1;  // rows of tiles that blocks walk over together
  int cluster =
      1;  // blocks with neighbouring rows of tiles that share the other factors; 0: as the launch says
  int split = 0;  // blocks that share the terms of a tile; 0: as the launch says
  int shared_bytes = 0;
  int end_bytes = 0;       // more of it, where lines are shifted into place
  bool has_panels = true;  // room for whole panels of columns, which lines along these come in
  int few_quarters = 0;    // of the multiprocessors: for launches of at most so many tiles of the next shape
  int registers = 0;       // of a thread, for tiles
  std::map<ir::SymbolId, int64_t> symbols;  // for which it is made: `where D in {64, 128}`
  std::vector<ir::Constraint> when;  // of the launches for which it is made: `@tile(BM = 64, when = M < 512)`
  size_t choice = 0;                 // the number of that request: the first that holds counts
  int64_t clocks = 0;         // of a round: the launcher takes the quickest of those of a choice that have it
  int64_t clocks_behind = 0;  // of what follows the products of a tile

  /// That hold the tiles of an instance in registers.
  int threads() const { return kWarpThreads * warp_rows * warp_columns; }
  /// Warpgroups that multiply for an instance, where a phase runs by them, and in all teams.
  int groups() const { return warp_rows / kGroupWarps; }
  int all_groups() const { return groups() * teams; }
  /// Threads that share a row (a column) of a tile in registers: 4 (8) of each warp.
  int row_shares() const { return 4 * warp_columns; }
  int column_shares() const { return 8 * warp_rows; }
};

struct TilePlan {
  TileWay way = TileWay::threads;
  Turned turned = Turned::none;
  std::map<ir::AxisId, TileRole> roles;
  AxisSet units;   // axes of the grid of which an instance has one coordinate, whatever tile it could take
  AxisSet looped;  // that products loop over around their depth
  std::map<ir::ValueId, TileProduct> products;  // by dot
  std::map<ir::ValueId, TileFold> folds;        // by reduction
  std::set<ir::ValueId> shared_vectors;  // of rows or columns in registers, that factors are computed from
  std::set<ir::ValueId> anchored;        // values that depend on what lies in registers
  std::vector<TileShape> shapes;
  bool walks_alone = false;          // single threads walk along a long dimension of rows or columns
  bool copies_singly = false;        // threads copy element by element, in all variants
  bool shifts = false;               // a variant takes lines that begin anywhere, and tiles have ends for it
  std::vector<std::string> members;  // of an `@autotune`: their prices, and which was picked
  std::optional<ir::AxisId> shared_axis;  // whose terms blocks share, where a launch has few tiles
  std::string obstacle;  // why some launches do not go by warpgroups, on a chip that has them
  // Names of template parameters, which lowering gives:
  std::map<ir::AxisId, std::string> extents;  // of tiles
  std::map<ir::ValueId, std::string> majors;  // of staged loads: which of their axes is contiguous
  std::map<ir::ValueId, std::string>
      orders;                       // the same of functions with roles, some of which are for one order
  std::vector<std::string> stored;  // arguments that describe boxes of outputs
  // What lowering finds:
  std::set<ir::ValueId> cut;  // loads whose last tile may have boxes of fewer lines

  /// Whether blocks of some shapes run in clusters.
  bool has_clusters() const {
    return std::ranges::any_of(shapes, [](const TileShape& shape) { return shape.cluster != 1; });
  }
  /// Whether blocks of some shapes run alone in all launches.
  bool has_lone_blocks() const {
    return std::ranges::any_of(shapes, [](const TileShape& shape) { return shape.cluster == 1; });
  }
  /// Whether factors are taken in parts.
  bool has_parts() const {
    return std::ranges::any_of(factors(), [](const TileFactor* factor) { return factor->in_parts; });
  }
  std::optional<TileRole> role(ir::AxisId axis) const {
    const auto found = roles.find(axis);
    return found == roles.end() ? std::nullopt : std::optional(found->second);
  }
  /// All factors, and the parts of computed ones and of what is folded, which come before those.
  std::vector<const TileFactor*> factors() const;
  /// One of those that share a tile in shared memory, and all that share none.
  std::vector<const TileFactor*> factors_with_own_tiles() const;
  /// Whether a tile is as long as an axis, which is none of a grid or loop.
  bool is_whole(const ir::Kernel& kernel, ir::AxisId axis) const {
    return kernel.axes[axis].kind == ir::AxisKind::let && is_in_registers(axis);
  }
  /// Whether another product sums over the width of a factor's tile.
  bool is_read_across(const TileFactor& factor) const {
    return std::ranges::any_of(factors(), [&](const TileFactor* other) {
      return other->shares_tile(factor) && other->depth != factor.depth;
    });
  }
  /// Whether something is folded of what a factor's tile holds.
  bool folds_tile_of(const TileFactor& factor) const;
  bool is_in_registers(ir::AxisId axis) const {
    const auto found = role(axis);
    return found && *found != TileRole::depth;
  }
  /// All threads of a block: with roles, those of the warpgroup that copies too.
  int block_threads(const TileShape& shape) const {
    return shape.threads() * shape.teams + (way == TileWay::warpgroups ? kWarpThreads * kGroupWarps : 0);
  }
  /// Whether blocks of some shapes have several teams.
  bool has_teams() const {
    return std::ranges::any_of(shapes, [](const TileShape& shape) { return shape.teams > 1; });
  }
  /// Blocks walk over groups of rows of tiles where any shape asks for more than one row.
  bool has_groups() const {
    return std::ranges::any_of(shapes, [](const TileShape& shape) { return shape.raster > 1; });
  }
};

/// The plan of a phase with products, but for its shapes, or why there is none: then products are sums like others.
struct TileDecision {
  std::optional<TilePlan> plan;
  std::string reason;
  ir::ValueId product = {};     // of which the reason speaks; not valid: of the phase
  bool has_instruction = true;  // for the types that are multiplied
};
TileDecision plan_tiles(const ir::Kernel& kernel, const PhaseAnalysis& analysis, ir::SizeTable& sizes,
                        const PlanOverrides& overrides);

/// The axis whose tile begins at this value: `k.id` is made of it.
std::optional<ir::AxisId> first_coordinate(const ir::Kernel& kernel, ir::ValueId value);

/// What a value is where it exists.
ir::ValueId without_filters(const ir::Kernel& kernel, ir::ValueId value);

/// The type that names the instruction: "bf16", "tf32".
std::string product_type(const ir::Kernel& kernel, const TileProduct& product);

/// The type of what a factor's tile holds.
inline DType tile_type(const ir::Kernel& kernel, const TileFactor& factor) {
  return factor.in_parts ? DType::bf16 : kernel.values[factor.value].dtype;
}

/// The parts that a factor has a tile of each, and the products of them that make up one product.
inline constexpr int kSplitParts = 3, kSplitProducts = 6;

}  // namespace tessera::emit
