// SPDX-License-Identifier: Apache-2.0
// A phase in tiles: what stands in registers is written out at its place in the program, in loops over the elements that
// a thread has; everything at one element is computed as in other phases.
#pragma once

#include <span>

#include "emit/loop_folds.h"
#include "emit/lower_function.h"
#include "emit/panel_plan.h"

namespace tessera::emit {

/// Where a value lies in registers: along an axis of rows, of columns, along both or neither.
struct TilePlace {
  std::optional<ir::AxisId> row, column;

  bool is_tile() const { return row && column; }
  bool is_scalar() const { return !row && !column; }
  bool operator==(const TilePlace&) const = default;
};

/// A value or variable in registers.
struct HeldTile {
  std::string name;
  DType type = DType::f32;
  TilePlace place;
  std::string exists = {};  // folds that may have no elements: flags at the same place
  std::string lines = {};   // folds of lines that threads share out: how, a type
};

/// Neighbours of a line of a tile in shared memory.
struct LoadedVector {
  std::string name;
  DType type = DType::f32;
};

/// The locals of a ring of stages: its barriers, where this thread is, and how many stages there are.
struct StageNames {
  std::string ring = {}, at = {}, count = "kStages";
};

/// A factor's tile in shared memory.
struct FactorTile {
  TileFactor factor;
  std::string tile = {};   // expression of the tile: "A_tiles.stage(k_stage)"
  std::string ring = {};   // name of the ring or tile
  std::string plane = {};  // staged: the part of the tensor it is filled from
  std::string major = {};  // "kMajorA", "Major::k"; "" where a launch says it, or it is that of K
  std::string across =
      {};                // the same for a product that sums over what is the width here; "" if there is none
  bool is_ring = false;  // several stages
  bool is_shifted = false;      // where lines begin anywhere
  std::string type = {};        // of the tile
  std::string boxes = {};       // parameter that describes its boxes, of functions with roles
  std::string tile_boxes = {};  // local: those of the tile at hand, where the last one has others
  bool is_either = false;       // whether these say what lines run along
  std::string turn = {};        // local: which of two tiles that are computed for warpgroups is the newer
  std::string first_byte = {};  // of shared memory
  StageNames stages = {};       // of a tile that stays for an instance: its one stage

  /// Whether boxes of its last tile may be others: of factors that are multiplied as they arrive.
  bool has_factor_boxes() const { return !boxes.empty() && !factor.is_turned && !factor.lies_as_declared(); }
};

/// A product that walks over its depth, the folds beside it, or one of those alone.
struct Walk {
  const TileProduct* product = nullptr;
  bool is_added = false;  // to a variable, where that is assigned
  std::vector<const TileFold*> folds = {};
  ir::ValueId first = {};  // of these: where it walks

  ir::AxisId depth() const { return product ? product->depth : folds[0]->depth; }
  std::vector<ir::AxisId> around() const { return product ? product->around : std::vector<ir::AxisId>{}; }
};

/// A loop around a ring: a statement, or an axis that a product walks over.
struct RingLoop {
  ir::AxisId axis;
  const ir::Loop* statement = nullptr;
};

/// A loop, or a product that walks over its depth, whose tiles follow one another in shared memory.
struct RingSite {
  std::vector<RingLoop> around;  // the loops it goes on through, from the outside in
  ir::AxisId axis;
  std::vector<const TileFactor*> factors;
  const ir::Loop* loop = nullptr;  // none: a product walks
};

/// One of the loops of a ring.
struct RingTurn {
  ir::AxisId axis;
  Range range;
  std::string end = {};      // a name: of its tiles, or of its last coordinate and one
  std::string ahead = {};    // of the counter that runs ahead of the loop
  lowered::Expr start = {};  // of that counter
};

/// A ring while its code is written; the names are those of its locals.
struct Ring {
  ir::AxisId axis;
  std::vector<const TileFactor*> factors;
  std::vector<RingTurn> turns = {};  // the loops around it that it goes on through, and its own
  std::string fill = {}, stage = {}, next = {};
};

/// The rings that boxes of tensors go through, and the names of locals.
struct BoxRing {
  std::vector<RingSite> sites;        // in turn, inside of the same loops
  size_t received = 0;                // of these, so far
  StageNames factors = {};            // of boxes that are multiplied as they are
  StageNames sources = {};            // of those that factors are computed from: read, and given back, before
  std::string teams = {};             // which take turns, if they do
  std::string part = {}, parts = {};  // of factors in parts: the one that is copied, those that are read
  std::function<void()> compute_next = {};  // of this round: what is done while its products are under way
  size_t scopes_of_round = 0;               // around statements that each round runs once

  std::vector<const StageNames*> rings() const {
    std::vector<const StageNames*> found;
    for (const StageNames* stages : {&sources, &factors})
      if (!stages->ring.empty()) found.push_back(stages);
    return found;
  }
};

/// The elements that a write or a load has at the elements of a tile: of lines of a tensor, if the last index is the column.
struct LineAccess {
  ir::TensorId tensor;
  const std::vector<ir::ValueId>& indices;
  uint32_t in_bounds;
};

/// Where a loop over a tile is along an axis, counted from the tile's beginning, and the name that this gets, or "".
struct InsideTile {
  ir::AxisId axis;
  lowered::Expr at;
};

/// Names of what elements of panels take from columns, of its type, and of the function that computes it for one of them.
struct SharedColumns {
  std::string name, type, value_of;
};

/// Names of what stores pass through, and of its type.
struct Panel {
  std::string name, type;
};

/// A value of which there is a pair for the elements at hand: an expression.
struct HeldPair {
  std::string text;
  DType type;
};

/// The parameter that describes the boxes of an output, what the launcher passes for it, and the dimension that the rows of
/// tiles run along.
struct StoredBoxes {
  std::string name, argument;
  ir::TensorId tensor;
  size_t line_dimension;  // along which its lines follow each other
};

class TileLowering : public FunctionLowering {
 public:
  TileLowering(KernelPlan& plan, size_t function, Residency& residency);

  /// Also notes in the plan how the template parameters are called.
  lowered::Function run() override;

 private:
  // tile_function.cpp: constants, shared memory, the loop over instances
  void name_extents();
  void declare_layouts();
  void declare_factors();
  Panel declare_panel(const ir::Tensor& tensor, const std::string& layout, bool has_rows);
  void declare_template();
  void declare_parameters();
  std::string name_of(const TileFactor& factor) const;
  void declare_factor(const TileFactor& factor, bool is_tf32);
  std::string storage_of(const FactorTile& entry, const std::string& element) const;
  void note_reader(FactorTile& tile, const TileFactor& factor);
  const FactorTile* tile_in_turn(const TileFactor& factor) const;
  std::vector<std::string> declare_units();
  std::string header_of_instances(const std::string& teams) const;
  /// `teams` take turns at them; "": each block takes one after another.
  void instances(const std::vector<std::string>& positions, const std::string& teams,
                 const std::function<void()>& body);
  void bind_instance(const std::vector<std::string>& positions, const std::function<void()>& body);
  lowered::Expr extent(ir::AxisId axis) const { return lowered::name(extents_.at(axis), DType::index); }
  FactorTile& tile_of(const TileFactor& factor);
  /// Which axis of the factor, as this product reads it, its tile is contiguous along.
  const std::string& major_of(const TileFactor& factor);

  // tile_roles.cpp
  bool has_roles() const { return tiles_.way == TileWay::warpgroups; }
  bool is_shared(const TileFactor& factor) const;
  lowered::Expr blocks_of_cluster() const;
  void declare_boxes();
  void declare_teams();
  void take_turn(const char* which);
  /// What an array has room for in a block of several teams, behind the room of one.
  std::string times_teams() const { return tiles_.has_teams() ? " * kTeams" : ""; }
  void clear_rest(const FactorTile& tile);
  bool may_hold_anything(const FactorTile& tile) const;
  bool is_cut(const FactorTile& tile) const;
  static std::string boxes_of(const FactorTile& tile);
  void begin_rings();
  void run_roles(const std::vector<std::string>& positions);
  StageNames declare_stages(const std::string& base, const std::string& count, bool is_shared);
  std::vector<const StageNames*> all_stages() const;
  const StageNames& stages_of(const TileFactor& factor) const;
  std::vector<const StageNames*> stages_of(const std::vector<const TileFactor*>& factors) const;
  std::string define_computing(ir::AxisId axis, const Range& range,
                               const std::vector<const TileFactor*>& sources);
  void compute_if_there(const std::string& compute, const lowered::Expr& number, const lowered::Expr& end);
  void complete_computed(const std::vector<const TileFactor*>& computed);
  std::vector<const TileFactor*> computed_from(const std::vector<const TileFactor*>& sources) const;
  std::vector<const TileProduct*> products_of(const ir::Block& body) const;
  const TileProduct* releasing_product(const std::vector<const TileFactor*>& copied) const;
  void receive_boxes(ir::AxisId axis, const Range& range, const std::vector<const TileFactor*>& factors,
                     bool only_multiplies, const std::function<void()>& body);
  void receive_stage(const std::vector<const TileFactor*>& factors);
  void receive_parts(const std::string& axis, const std::vector<const TileFactor*>& factors);
  void release_tile(const StageNames& stages);
  std::string release_when_read() const;
  void pass_on(const std::string& before);
  void release(const std::string& stage);
  void release_before(const std::string& before);
  bool only_multiplies(const ir::Block& statements) const;

  // tile_copies.cpp
  bool looks_ahead() const;
  void copy_instance();
  void bring_boxes(const std::string& condition, const lowered::Expr& whole, const lowered::Expr& any);
  bool has_cut_tiles() const;
  void copy_boxes(const std::vector<std::string>& positions);
  void copy_ahead(const std::vector<std::string>& positions);
  void ask_for_boxes(const ir::Block& statements, bool is_instance);
  void ask_for_boxes(const RingSite& site, size_t depth);
  void ask_for_boxes(const RingSite& site);
  void around_boxes(const RingLoop& loop, const std::function<void()>& body);
  /// What arrives in one stage, and the local that says how many bytes.
  struct Fill {
    const StageNames* stages;
    std::vector<const TileFactor*> factors;
    std::string bytes;
  };
  std::vector<Fill> fills_of(const RingSite& site);
  std::string bytes_of(const std::vector<const TileFactor*>& factors);
  void fill_stage(const StageNames& stages, const std::vector<const TileFactor*>& factors,
                  const std::string& bytes);
  void load_box(const TileFactor& factor);

  // tile_stays.cpp: tiles of boxes that are brought once for an instance
  bool is_read_by(const FactorTile& tile, const ir::Statement& statement) const;
  std::vector<FactorTile*> staying_from(const ir::Block& statements, size_t k);
  std::vector<FactorTile*> staying_to(const ir::Block& statements, size_t k);
  void ask_for_staying(const ir::Block& statements, size_t k);
  void receive_staying(const ir::Block& statements, size_t k);
  void release_staying(const ir::Block& statements, size_t k);

  // tile_shares.cpp
  Range share_of(ir::AxisId axis, const std::string& rounds);
  bool begins_with_zeros(ir::VariableId variable, int places) const;
  void begin_share(const HeldTile& sums);
  void begin_shares_of(const ir::Block& statements);
  void join_shares();

  // tile_elements.cpp: loops over what a thread has of a tile
  TilePlace place_of(const AxisSet& axes) const;
  std::string layout_of(const TilePlace& place);
  /// The loop over the elements, rows or columns of this thread at a place; coordinates are bound in it.
  void over(const TilePlace& place, const std::function<void()>& body);
  void over(const TilePlace& place, const std::string& counter, const std::string& header,
            const std::function<void()>& body);
  /// The same where `inside` says the place in the tile of each axis.
  void over(const TilePlace& place, const std::string& header, const std::vector<InsideTile>& inside,
            const std::function<void()>& body);
  /// `wrap` makes a statement of what `body` emits.
  void at(const TilePlace& place, const std::vector<InsideTile>& inside, const std::function<void()>& body,
          const std::function<Node(lowered::Block)>& wrap);
  /// The same for those that exist.
  void over_existing(const TilePlace& place, const std::function<void()>& body);
  /// How many coordinates the current tile of an axis has: a local, where not every tile is whole.
  void count_tile(ir::AxisId axis);
  bool is_always_whole(ir::AxisId axis) const;
  bool is_whole_here(ir::AxisId axis) const { return whole_.contains(axis) || !counts_.contains(axis); }
  lowered::Expr element_of(const HeldTile& tile) const;
  HeldTile declare_tile(std::string_view name, DType type, const TilePlace& place, Span span);
  std::optional<Evaluated> held(ir::ValueId id) override;
  bool divides_lane(const ir::Binary& op) const override;

  // tile_presence.cpp: what exists of tiles
  std::set<ir::ValueId> sources_of(ir::ValueId id) const;
  bool is_known(ir::ValueId source) const;
  lowered::Expr exists_of(ir::ValueId id);
  bool is_condition(ir::ValueId source) const;
  lowered::Expr holds_everywhere(ir::ValueId condition);
  lowered::Block apart(const std::function<void()>& body);
  /// Statements that ask which coordinates of an axis exist for a value: once without asking, for tiles that are whole.
  void for_whole_and_cut(const std::vector<ir::AxisId>& axes, ir::ValueId value,
                         const std::function<void()>& body);
  std::pair<lowered::Expr, lowered::Expr> reach_of(ir::AxisId axis) override;

  lowered::Expr within(const AxisSet& axes) override;
  Evaluated compute(ir::ValueId id, const ir::ReadVariable& op) override;

  // tile_early.cpp
  void load_early(std::span<const ir::Statement> later);
  int64_t early_words() const;
  bool waits_for_loop(ir::ValueId id, std::span<const ir::Statement> later) const;
  void wait_for_loop(ir::ValueId id);
  void spread_waiting(const ir::Statement& statement);
  bool takes(const ir::Statement& statement, ir::ValueId id) const;
  bool is_of_inputs(ir::ValueId id) const;
  bool may_be_fetched_by_lanes(ir::ValueId id) const;
  void fetch_by_lanes(ir::ValueId id);
  void spread_lanes(ir::ValueId id);

  // tile_statements.cpp
  void block(const ir::Block& statements) override;
  bool walks_alone(ir::ValueId id) const;
  TilePlace place_of_value(ir::ValueId id) const;
  DType type_in_registers(ir::ValueId id) const;
  int64_t words_of(const TilePlace& place) const;
  void define(ir::ValueId id, std::span<const ir::Statement> later);
  void define_here(ir::ValueId id, std::span<const ir::Statement> later);
  bool is_worth_holding(ir::ValueId id) const;
  bool is_worth_registers(ir::ValueId id) const;
  void hold(ir::ValueId id);
  /// `target = value` for the elements, rows or columns at a place.
  void set(const HeldTile& target, ir::ValueId value, Span span);
  void set_element(const HeldTile& target, ir::ValueId value, Span span);
  bool is_added(ir::ValueId dot, std::span<const ir::Statement> later) const;
  void define_walker(ir::ValueId id);
  void keep_before(ir::ValueId read, std::span<const ir::Statement> later);
  void declare_variable(const ir::Declare& declare, Span span) override;
  void assign(const ir::Assign& assign, Span span) override;
  const ir::Op& sum_with_product(const ir::Assign& assign) const;
  bool adds_to_itself(const ir::Assign& assign) const;
  std::optional<ir::ValueId> product_added(const ir::Assign& assign) const;
  bool is_added_everywhere(const ir::Assign& assign, const ir::Coalesce& op, ir::ValueId dot) const;

  // tile_folds.cpp
  DType folded_type(ir::ValueId id) const;
  bool counts_in_tile(ir::ValueId id) const;
  std::string type_of_indexed(ir::ValueId id) const;
  void hold_fold(ir::ValueId id, const HeldTile& tile);
  HeldTile begin_partial(ir::ValueId id, const std::string& name, const TilePlace& place);
  void fold_in(ir::ValueId id, const HeldTile& tile);
  void join(const HeldTile& tile, const std::string& name, const char* by, Span span);
  HeldTile with_positions(ir::ValueId id, const HeldTile& tile);
  void reduce(ir::ValueId id, const ir::Reduce& op);
  HeldTile first_of(ir::ValueId id, const HeldTile& tile);
  bool is_fold_of_loop(const ir::Assign& assign) const;
  int folded_at_once(const TileFold& fold) const;
  void begin_fold(const TileFold& fold);
  void fold_tile(const TileFold& fold);
  void fold_vector(const TileFold& fold, const HeldTile& tile, const std::string& position);
  void end_fold(const TileFold& fold);

  // tile_line_folds.cpp: folds beside products of warpgroups
  std::string lines_along(ir::AxisId width);
  void fold_lines(const TileFold& fold, const HeldTile& tile);
  HeldTile gather_lines(ir::ValueId id, const HeldTile& tile);
  std::string gather_lines(const HeldTile& tile, const std::string& partial, const std::string& name,
                           const std::string& by, const std::string& type, Span span);
  void fold_ahead(const std::vector<const TileFactor*>& sources);
  void fold_due();

  // tile_stores.cpp
  void write(const ir::Statement& statement);
  void around_tile(std::span<const ir::AxisId> axes, const std::function<void()>& body);
  void write_element(const ir::Write& write, const TilePlace& place, Span span);
  static LineAccess line_access(const ir::Write& write) {
    return {write.tensor, write.indices, write.in_bounds};
  }
  void write_pairs(const ir::Write& write, const TilePlace& place, Span span);
  void write_panels(const ir::Write& write, const TilePlace& place, const StoredLines& lines, Span span);
  void set_panel(const ir::Write& write, const TilePlace& place, const std::string& name,
                 const std::string& panel, const std::string& slot, Span span);
  bool takes_from_rows(const ir::Write& write) const;
  std::optional<size_t> dimension_of_boxes(const ir::Write& write, const StoredLines& lines) const;
  lowered::Expr corner_of(const ir::Write& write, const StoredLines& lines, size_t line_dimension);
  void find_stored_boxes();
  std::pair<std::string, lowered::Expr> declare_line_of(const LineAccess& access, ir::AxisId along,
                                                        ir::AxisId across);
  lowered::Expr end_of(ir::AxisId axis) const;
  std::pair<lowered::Expr, lowered::Expr> line_of(const LineAccess& access, ir::AxisId along);
  std::optional<ir::ValueId> converted_in_pairs(ir::ValueId id) const;
  lowered::Expr compute_pair(const ir::Write& write, const TilePlace& place, const std::string& slot,
                             Span span);

  // tile_pairs.cpp: loads as outputs lie
  std::vector<ir::ValueId> read_in_pairs(const ir::Write& write, const TilePlace& place) const;
  bool is_read_in_pairs(ir::ValueId id, const TilePlace& place) const;
  bool has_lines_of_rows(const ir::Load& load, ir::AxisId row) const;
  std::vector<lowered::Statement> declare_loads_of_panels(const std::vector<ir::ValueId>& loads,
                                                          const TilePlace& place, const Panel& panel,
                                                          const std::string& number, const std::string& slot);

  // tile_columns.cpp: what elements of panels take from their columns
  std::vector<ir::ValueId> taken_from_columns(const ir::Write& write) const;
  bool is_free_of_threads(ir::ValueId id) const;
  std::vector<SharedColumns> declare_columns(const std::vector<ir::ValueId>& values, const Panel& panel,
                                             const std::string& slot);
  std::string declare_value_of_column(ir::ValueId id, const std::string& base, DType type);
  void share_columns(const std::vector<SharedColumns>& columns, const Panel& panel,
                     const std::string& number);

  // tile_products.cpp
  void product(const Walk& walk);
  void multiply_into(const Walk& walk, const std::string& sums, bool is_subtracted = false);
  std::string multiply_by_threads(const TileProduct& product, bool is_subtracted,
                                  std::vector<lowered::Expr>& arguments);
  void add_factors(const TileProduct& product, std::vector<lowered::Expr>& arguments);
  void multiply_promoted(const TileProduct& product, const std::string& sums, bool is_subtracted);
  std::string multiply_by_groups(const TileProduct& product, bool is_subtracted,
                                 std::vector<lowered::Expr>& arguments);
  std::string in_registers(const TileProduct& product);
  void store_factor(const TileFactor& factor);
  void store_from_parts(const TileFactor& factor, const FactorTile& tile);
  void share_vector(ir::ValueId id);
  void store_moved(const TileFactor& factor, const FactorTile& tile);
  void store_computed(const TileFactor& factor, const FactorTile& tile);
  void store_in_vectors(const TileFactor& factor, const FactorTile& tile, const std::string& share);
  void load_parts(const std::vector<TileFactor>& parts, const std::string& along, const std::string& line,
                  const std::string& position, int count);
  bool is_read_as_floats(const TileFactor& factor, ir::ValueId part) const;
  void widen_parts(const TileFactor& factor);
  std::optional<ir::ValueId> rounded_by(const TileFactor& factor) const;
  /// The coordinates of neighbours of a line, as they are bound.
  struct Neighbours {
    Scope bindings;                           // of the loop over them
    std::vector<lowered::Local> coordinates;  // that it begins with
    std::vector<std::string> names;
  };
  Neighbours bind_neighbours(const TileFactor& factor, const FactorTile& tile, const std::string& line,
                             const std::string& position);
  void call_on_vectors_of_last(const std::string& count);
  lowered::Expr compute_vector(const TileFactor& factor, const FactorTile& tile, const std::string& line,
                               const std::string& position);
  int elements_at_once(const std::vector<TileFactor>& parts, DType result) const;
  void store_part(const TileFactor& factor, const FactorTile& tile, const std::string& line,
                  const std::string& position);
  /// Staged factors of products in a block that are filled at one level: in the body of `loop`, or of an instance.
  void collect_staged(const ir::Block& statements, std::optional<ir::AxisId> loop, const AxisSet& inner,
                      std::vector<const TileFactor*>& found) const;
  /// `at + step * coordinate`, for coordinates from `first` to `end`.
  struct IndexReach {
    lowered::Expr at = {};
    int64_t step = 1;
    lowered::Expr first = {}, end = {};
  };
  IndexReach reach_of_index(const ir::Load& load, size_t d, ir::AxisId axis);
  void declare_plane(const TileFactor& factor);
  void fill(const TileFactor& factor, const std::string& tile);
  lowered::Expr first_of_tile(ir::AxisId axis);
  std::vector<const TileFactor*> staged_by(const Walk& walk) const;

  // tile_rings.cpp
  void fill_once(const std::vector<const TileFactor*>& factors);
  void round(bool behind_barrier, const std::function<void()>& body);
  void collect_rings(const ir::Block& statements, const std::vector<RingLoop>& around,
                     std::vector<RingSite>& found) const;
  RingSite site_of(const Walk& walk, std::vector<RingLoop> around) const;
  bool walks_at(const Walk& walk, const ir::Statement& statement) const;
  std::vector<Walk> walks_of(const ir::Block& statements) const;
  bool walks_with(const TileFold& fold, const Walk& walk) const;
  std::optional<RingSite> ring_through(const ir::Loop& statement) const;
  std::string count_rounds(ir::AxisId axis, const Range& range);
  void bind_tile(ir::AxisId axis, const Range& range, const std::string& number);
  void fill_all(const std::vector<const TileFactor*>& factors);
  void end_copies();
  void wait_for_copies(std::string_view under_way);
  void shift_all(const std::vector<const TileFactor*>& factors, bool declares_planes);
  void define_fill(const Ring& ring);
  void define_fill_ahead(const Ring& ring);
  void step_ahead(const Ring& ring, size_t k);
  RingTurn turn_of(ir::AxisId axis, const Range& range, bool is_ahead);
  void open(Ring& ring);
  bool has_one_stage() const;
  void wait_for_tile(const Ring& ring, const std::string& tile);
  void turn(const Ring& ring, const std::function<void()>& body);
  /// The tiles of an axis one after another, those of `factors` under way while earlier ones are used.
  void ring(ir::AxisId axis, const Range& range, const std::vector<const TileFactor*>& factors,
            bool only_multiplies, const std::function<void()>& body);
  void rounds(ir::AxisId axis, const Range& range, const std::string& count,
              const std::function<void()>& body);
  Range rounds_of(const RingLoop& loop);
  Ring open_through(const RingSite& site);
  void run_loop(const ir::Loop& loop) override;
  void run_walk(const Walk& walk, const std::function<void()>& step);
  void coordinates(ir::AxisId axis, const Range& range, const std::function<void()>& body);
  void one_loop(const ir::Loop& loop);
  void begin_columns_again(ir::AxisId loop);
  void run_rounds(const ir::Loop& loop, const Range& range, const RingTurn* known,
                  const std::vector<const TileFactor*>& staged);

  enum class Loop { none, elements, rows, columns, shared };

  TilePlan& tiles_;
  const std::set<ir::ValueId> vectors_for_tiles_, shared_tiles_;
  std::optional<ir::AxisId> cluster_axis_;  // of functions whose blocks run in clusters
  std::map<ir::AxisId, std::string> extents_;
  std::map<ir::ValueId, std::string> majors_;  // by staged load
  std::map<ir::ValueId, std::string> orders_;  // the same of functions with roles
  std::vector<std::pair<TilePlace, std::string>> layouts_;
  std::string group_;  // of threads that reduce
  std::vector<FactorTile> factors_;
  std::string tiles_end_ = "0";  // byte of shared memory behind their tiles
  std::map<ir::ValueId, HeldTile> held_;
  std::map<ir::VariableId, HeldTile> state_;
  std::map<ir::ValueId, HeldTile> before_;  // reads of a variable that is assigned before their last use
  Loop loop_ = Loop::none;
  std::string loop_layout_;
  std::vector<Walk> walks_;                           // of the block at hand
  LoopFolds loop_folds_;                              // of the loop at hand
  std::map<ir::ValueId, HeldTile> open_folds_;        // what threads have of folds so far
  std::map<ir::AxisId, std::string> lines_;           // how threads of warpgroups share out lines
  std::vector<const TileFold*> folds_of_ring_;        // of the loop or walk at hand, that end behind it
  std::vector<const TileFold*> folds_due_;            // of those: in the round at hand
  std::vector<const TileProduct*> products_of_ring_;  // whose factors it computes
  std::set<ir::ValueId> folded_ahead_;  // of these folds: where factors are computed a round ahead
  std::map<ir::ValueId, HeldTile> shared_vectors_;  // by what they are of
  ir::AxisId along_vector_;                         // where neighbours of a line are computed: theirs
  std::string vector_item_;                         // counter of the elements of vectors_
  std::map<ir::ValueId, HeldPair> pairs_;           // of what is read by pairs: that of the elements at hand
  std::string pair_item_;                           // which of them
  std::optional<BoxRing> boxes_;                    // of functions with roles
  std::vector<StoredBoxes> stored_boxes_;           // of their outputs
  std::string panel_turn_;                          // counts the panels that stores pass through
  std::string share_ = "share";                     // of an instance's terms, where blocks share them
  std::vector<std::string> summed_;                 // sums of the products since its beginning
  std::vector<std::string> under_way_;              // sums of products that are not waited for yet
  bool waits_at_once_ = true;                       // for each product
  const TileProduct* releasing_ = nullptr;          // gives its stage back before its sums are added
  std::optional<Ring> ring_;                        // that goes on through the loops at hand
  bool is_in_loop_ = false;                         // a statement of the program, in whose body we are
  std::set<ir::ValueId> early_;                     // defined before their place in the body of a loop
  std::map<ir::ValueId, HeldTile> fetched_by_lanes_;  // the same of columns, which threads have from there on
  std::vector<ir::ValueId>
      waiting_;  // those whose place is before a loop: until something in the block takes them
  bool behind_barrier_ = false;                  // of a ring: all threads are done with the round before
  std::set<std::string> stored_;                 // factors' tiles of this round of a ring
  std::map<ir::ValueId, LoadedVector> vectors_;  // of parts of the factor that is being computed
  AxisSet inside_;                               // axes whose coordinate is known to exist
  std::set<ir::ValueId> holding_;                // conditions that hold at all points of the tiles at hand
  AxisSet whole_;                                // axes whose current tile is known to be whole
  std::map<ir::AxisId, std::string> counts_;     // of the coordinates of the current tiles that exist
  std::map<ir::AxisId, lowered::Expr> places_;   // of the current point in the tile of an axis
};

}  // namespace tessera::emit
