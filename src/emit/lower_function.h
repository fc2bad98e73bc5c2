// SPDX-License-Identifier: Apache-2.0
// The state of lowering one function. Values are pulled in by what needs them: each is computed in the outermost
// scope that binds everything it depends on, once, and named when it is used more than once.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "emit/lower.h"
#include "emit/naming.h"

namespace tessera::emit {

/// A value at the current point: its C++ expression, and the condition under which it exists (null: always).
/// A narrow float may be carried widened: then `value` has type f32.
struct Evaluated {
  lowered::Expr value;
  lowered::Expr exists;
  bool zero_if_absent = false;  // then `value` is zero where it does not exist
};

/// Half open, in coordinates of the axis.
struct Range {
  lowered::Expr first, end;
};

/// Where a variable or a kept value lives: a local, or an array over lanes and serial axes of constant extent,
/// one for each combination of unrolled coordinates.
struct Storage {
  std::string base;
  DType type = DType::f32;
  const Lane* lane = nullptr;
  bool vector = false;  // the lane part is `Vector name[kStrips]`
  std::vector<ir::AxisId> unrolled;
  std::vector<ir::AxisId> serial;
};

/// The first vector of a thread: its coordinate, and the part of it that exists; names.
struct Own {
  std::string coordinate, part;
};

/// Arrays in shared memory for a value that a group made for all coordinates of `axes`.
struct HeldPlace {
  std::string values;
  std::string flags;  // whether each exists; empty where all do
  DType type = DType::f32;
  HeldAxes axes;
  int64_t count = 1;  // of a group
};

struct Scope {
  lowered::Block* block = nullptr;
  AxisSet axes;   // coordinates bound here
  AxisSet loops;  // loops whose body this is
  std::map<ir::AxisId, lowered::Expr> coordinates;
  std::map<ir::AxisId, Range> ranges;  // of tiles and chunks
  std::map<Instance, Evaluated> memo;
  std::map<Instance, std::string> vectors;   // names of vectors that were loaded here
  std::map<std::string, std::string> loads;  // the same by the text of the load: equal text, one vector
  std::vector<std::string> names;            // given out while this was the scope that is written
  std::string part;                          // which elements of the strip's vectors exist
  std::map<Instance, Evaluated> folded;      // reductions of the elements of a vector, at an element
  std::string chunk;                         // the first coordinate of the chunk that this loop is at
  std::vector<Instance> kept;                // values that live in this scope
  std::map<Instance, HeldPlace> held;  // what was made for all coordinates of loops inside of this scope
  std::map<std::string, Own> own;      // by where the threads begin
  bool is_elements = false;            // the loop over the elements of a vector
  int loop_that_may_be_empty = 0;      // its number, if this is the body of one
};

/// Where a kept value is computed: in which sweep, and in which loops that may be empty, from its home on. Guards need no
/// such care: what they guard is computed before, or the same guard stands in every sweep.
struct Filling {
  int sweep = 0;
  std::vector<int> loops;
};

/// Which values are kept in registers between sweeps, and what was learnt about them.
struct Residency {
  std::set<Instance> kept;
  std::map<Instance, std::set<int>> sweeps;  // in which sweeps a value was computed
  std::set<Instance> lost;  // for good: read behind a loop in which alone they are filled: it may be empty
};

/// What stands somewhere in a function, and what needs it behind it: a variable, or a fold that is held.
using Declared = std::variant<ir::VariableId, ir::ValueId>;

class FunctionLowering {
 public:
  FunctionLowering(KernelPlan& plan, const FunctionPlan& function, Residency& residency);
  virtual ~FunctionLowering() = default;

  virtual lowered::Function run();
  const lowered::Expr& unit_count() const { return unit_count_; }
  int kept_bytes() const { return kept_bytes_; }
  const std::map<ir::ValueId, ir::AxisId>& again() const { return again_; }

 protected:
  using Node = decltype(lowered::Statement::node);

  // lower_function.cpp: scopes, names, the loop over units
  std::string comment() const;
  void reserve_names();
  void unit_loop(const std::function<void()>& body);
  void single_axis_units(const UnitAxis& unit, const std::function<void()>& body);
  void bind_units(size_t k, std::vector<std::string> positions, const std::function<void()>& body);
  void bind_unit(const UnitAxis& unit, const lowered::Expr& index, const std::function<void()>& body);
  void bind_groups(const UnitAxis& unit, const lowered::Expr& tile, const std::function<void()>& body);
  lowered::Expr tile_of(const UnitAxis& unit);
  lowered::Expr count_of(const UnitAxis& unit);
  std::string unit_name(const UnitAxis& unit);
  lowered::Expr lower_bound(ir::AxisId axis);
  lowered::Expr upper_bound(ir::AxisId axis);
  lowered::Expr size(ir::SizeId id) { return lower_size(kernel_, plan_.sizes, id); }
  Range range_of(ir::AxisId axis);
  lowered::Expr coordinate(ir::AxisId axis);
  bool is_bound(ir::AxisId axis) const;
  void emit(Node node, Span span = {});
  /// Runs `body` in a new scope whose statements become the body of `statement_of(block)`.
  void scope(Scope bindings, const std::function<Node(lowered::Block)>& wrap,
             const std::function<void()>& body);
  /// `for (index name = range.first; name < range.end; name += step)`
  void count_loop(const std::string& name, const Range& range, const std::string& step, Scope bindings,
                  const std::function<void()>& body, bool unroll = false);
  void loop(std::string header, bool unroll, Scope bindings, const std::function<void()>& body);
  /// `if (condition)`; a null condition adds nothing. What it binds is computed inside, everything else before it.
  void guard(lowered::Expr condition, std::string reason, bool is_guard, Scope bindings,
             const std::function<void()>& body);
  void guard(const lowered::Expr& condition, std::string reason, const std::function<void()>& body) {
    guard(condition, std::move(reason), false, Scope{}, body);
  }
  size_t scope_of(ir::ValueId id, bool outside_elements = false, const AxisSet& without = {}) const;
  void at_scope(size_t target, const std::function<void()>& body);
  Instance instance(ir::ValueId id) const;
  std::string name_for(ir::ValueId id) const;
  std::string suffix(const std::vector<int64_t>& coordinates) const;
  /// A name that is free until the scope that is written now closes.
  std::string named(std::string_view wanted);

  // lower_values.cpp: one overload an operation
  Evaluated eval(ir::ValueId id);
  lowered::Expr eval_total(ir::ValueId id);
  lowered::Expr as_float(const Evaluated& value) const;
  lowered::Expr as_stored(const lowered::Expr& value, DType type) const;
  lowered::Expr operand(ir::ValueId id, Evaluated& result);
  Evaluated compute(ir::ValueId id);
  Evaluated compute(ir::ValueId id, const ir::Constant& op);
  Evaluated compute(ir::ValueId id, const ir::Coordinate& op);
  Evaluated compute(ir::ValueId id, const ir::Extent& op);
  Evaluated compute(ir::ValueId id, const ir::ScalarArgument& op);
  Evaluated compute(ir::ValueId id, const ir::Lookup& op);
  Evaluated compute(ir::ValueId id, const ir::Load& op);
  virtual Evaluated compute(ir::ValueId id, const ir::ReadVariable& op);
  Evaluated compute(ir::ValueId id, const ir::Unary& op);
  Evaluated compute(ir::ValueId id, const ir::Binary& op);
  Evaluated compute(ir::ValueId id, const ir::FusedMultiplyAdd& op);
  Evaluated compute(ir::ValueId id, const ir::Math& op);
  Evaluated compute(ir::ValueId id, const ir::Cast& op);
  Evaluated compute(ir::ValueId id, const ir::Select& op);
  Evaluated compute(ir::ValueId id, const ir::Filter& op);
  Evaluated compute(ir::ValueId id, const ir::Coalesce& op);
  Evaluated compute(ir::ValueId id, const ir::Reduce& op);
  virtual Evaluated compute(ir::ValueId id, const ir::Dot& op);
  Evaluated compute(ir::ValueId id, const ir::Pick& op);
  Evaluated name_result(ir::ValueId id, Evaluated result, bool crosses_scope);
  bool worth_naming(ir::ValueId id, const Evaluated& result, bool crosses_scope) const;
  /// Whether a value exists whose presence does not vary along the lanes; null: it always does.
  lowered::Expr presence(ir::ValueId id);
  /// What `body` makes of the operand at the coordinate that is picked.
  template <typename Body>
  auto picked(const ir::Pick& pick, const Body& body) {
    const std::map<ir::AxisId, int64_t> outer = unrolled_;
    unrolled_[pick.axis] = pick.coordinate;
    auto result = body();
    unrolled_ = outer;
    return result;
  }
  static bool is_power_of_two(const ir::Op& op);
  virtual bool divides_lane(const ir::Binary& op) const;
  lowered::Expr divisor(ir::ValueId id, const lowered::Expr& value);
  std::optional<Evaluated> fold(const ir::Binary& op, const Evaluated& left, const Evaluated& right) const;

  /// What is computed already, at the current point.
  virtual std::optional<Evaluated> held(ir::ValueId) { return std::nullopt; }
  /// Whether the current point of these axes exists; null where it is known to.
  virtual lowered::Expr within(const AxisSet& axes) { return lane_among(axes) ? has_element() : nullptr; }

  // lower_accesses.cpp: loads and stores, and where their addresses are computed
  lowered::Expr has_elements(ir::ValueId id, const ir::Load& op);
  lowered::Expr stands_before_loops(const ir::Load& op);
  std::string kept_vector(ir::ValueId id, const ir::Load& op);
  /// Names given out in the scopes inside of `target`.
  std::vector<std::string> names_inside(size_t target) const;
  lowered::Expr load_vector(ir::ValueId id, const ir::Load& op);
  /// Indices of an access, wrapped where the tensor is periodic; conditions on the others go to `exists`.
  std::vector<lowered::Expr> indices(ir::TensorId tensor, const std::vector<ir::ValueId>& values,
                                     uint32_t in_bounds, lowered::Expr& exists);
  /// A call of a member of the tensor or of a line of it: `x.load({r, c})`, `x_line.store(c, value)`.
  lowered::Expr access(ir::TensorId tensor, const std::vector<ir::ValueId>& values, uint32_t in_bounds,
                       const std::string& member, std::vector<lowered::Expr> arguments, DType type,
                       lowered::Expr& exists, int64_t phase = 0);
  Evaluated in_window(ir::ValueId id, const ir::Load& op, Neighbours neighbours);
  lowered::Expr distance_in_lane(ir::ValueId index, const Lane& lane);
  Interleave interleave_of(ir::ValueId id) const;
  lowered::Expr vector_access(ir::ValueId id, const ir::Load& op, lowered::Expr& exists);
  std::string line_of(ir::TensorId tensor, const std::vector<lowered::Expr>& lead, size_t target);

  // lower_staging.cpp: tiles through shared memory
  void declare_stages();
  void staged_rows(const UnitAxis& unit, const Range& range, const std::function<void()>& body);
  void fill_stages();
  // Tiles pass through shared memory element by element.
  bool has_vectors() const { return !staging_ && phase_.has_vectors(); }
  bool is_vector(const ir::Write& write) const { return !staging_ && phase_.vector_writes.contains(&write); }
  bool is_staged(ir::ValueId id) const { return staging_ && staging_->loads.contains(id); }
  lowered::Expr stage_place(ir::ValueId id);
  lowered::Expr stage_rows() const;

  // lower_storage.cpp: variables and kept values
  Storage make_storage(std::string_view wanted, DType type, const AxisSet& axes);
  std::string storage_name(std::string_view wanted, const std::vector<ir::AxisId>& unrolled);
  void declare(const Storage& storage, const lowered::Expr& initial, Span span);
  lowered::Expr place(const Storage& storage);
  bool is_in_vectors(const Storage& storage) const;
  Evaluated keep(ir::ValueId id);
  size_t home_of(ir::ValueId id) const;
  const Storage& open_kept(ir::ValueId id, DType type, bool vector);
  bool is_kept(ir::ValueId id) const;

  // lower_held.cpp
  const HeldPlace* held_place(ir::ValueId id) const;
  lowered::Expr element_of(const HeldPlace& place, const std::string& array, DType type);
  Evaluated read(const HeldPlace& place);
  HeldPlace open_held(ir::ValueId id, const Evaluated& value);
  void put_held(ir::ValueId id, std::map<Instance, HeldPlace>& places);
  bool reads_lane_state(ir::ValueId id) const;
  bool waits_for_held(ir::ValueId id) const;
  bool waits_for_held(ir::ValueId id, std::set<ir::ValueId>& visited) const;
  void hold(ir::ValueId id);
  void turns_of_warps(ir::AxisId axis, const std::function<void()>& body);
  void sweep_of_warp(const Lane& lane, const std::function<void()>& body);
  void prepare_held(ir::ValueId id);

  // lower_reductions.cpp
  struct Accumulator {
    ir::ValueId value;
    const ir::Reduce* reduce;
    lowered::Expr total;           // the running result
    lowered::Expr exists;          // whether anything existed; null when that is proved
    bool exists_is_known = false;  // from the extents: nothing has to be noted
  };
  void group_reductions(ir::ValueId id);
  void prepare(ir::ValueId id);
  void prepare(ir::ValueId id, std::set<Instance>& visited);
  std::vector<ir::ValueId> fused_with(ir::ValueId id, size_t target);
  int level_of(ir::ValueId id) const;
  const std::set<Declared>& declared_below(ir::ValueId id) const;
  Accumulator open_accumulator(ir::ValueId id, const char* array_extent);
  void accumulate(const Accumulator& accumulator);
  void combine(const Accumulator& accumulator);
  Evaluated read(const Accumulator& accumulator) const;
  Evaluated serial_reduction(ir::ValueId id, const ir::Reduce& op);
  Evaluated lane_reduction(ir::ValueId id, const ir::Reduce& op);
  std::vector<ir::ValueId> looped_with(ir::ValueId id, const ir::Reduce& op, size_t target);
  bool needs_reduction(ir::ValueId id, ir::ValueId reduction, std::set<ir::ValueId>& visited) const;
  void note_again(ir::ValueId id, const ir::Reduce& op);
  bool is_known_count(const ir::Reduce& op) const;
  bool crosses_everything(const ir::Reduce& op) const;
  lowered::Expr crosses_something(const ir::Reduce& op);
  const Lane* crossed_lane(const ir::Reduce& op) const;

  // lower_ends.cpp: where loops begin and end because of conditions
  virtual std::pair<lowered::Expr, lowered::Expr> reach_of(ir::AxisId axis);
  lowered::Expr rest_of(const ir::Affine& form, ir::AxisId axis, int64_t direction, int64_t sign);
  void bound_by(const ir::Affine& form, ir::AxisId axis, int64_t direction, Range& range);
  Range ends_by(const std::vector<ir::Conjunct>& conjuncts, ir::AxisId axis, Range range);
  Range rounds_of(const ir::Loop& statement, const std::string& step);
  Range terms_of(ir::AxisId axis, const std::vector<ir::ValueId>& folded);
  lowered::Expr named_end(ir::AxisId axis, const char* suffix, const lowered::Expr& value);

  // lower_statements.cpp
  virtual void block(const ir::Block& statements);
  virtual void declare_variable(const ir::Declare& declare, Span span);
  virtual void assign(const ir::Assign& assign, Span span);
  void assign_point(const ir::Assign& assign, const Storage& storage, Span span);
  bool needs_folds_of(ir::ValueId id, ir::AxisId axis, std::set<ir::ValueId>& visited) const;
  void writes(const std::vector<const ir::Statement*>& batch);
  void writes_at_point(const std::vector<const ir::Statement*>& batch);
  struct VectorWrite {
    const ir::Statement* statement;
    std::map<ir::AxisId, int64_t> copy;  // unrolled coordinates
    lowered::Expr vector;
    lowered::Expr exists;  // null: always
  };
  void lane_writes(const Lane& lane, const std::vector<const ir::Statement*>& batch);
  void write_together(const Lane& lane, const std::vector<const ir::Statement*>& batch);
  void open_vector(const ir::Statement& statement, std::vector<VectorWrite>& vectors);
  void store_vector(const VectorWrite& open);
  std::vector<ir::AxisId> free_axes_of(const ir::Write& write, const Lane& lane, Role role) const;
  void plain_write(const ir::Statement& statement);
  lowered::Expr as_float_for(const ir::Write& write);
  void store_element(const ir::Write& write, Span span);
  virtual void run_loop(const ir::Loop& loop);
  bool is_assigned_before_use(ir::ValueId read, std::span<const ir::Statement> later) const;
  void snapshot(ir::ValueId read, std::span<const ir::Statement> later);
  void copy_storage(const Storage& original, const Storage& copy);
  bool may_assign(const ir::Statement& statement, ir::VariableId variable) const;
  bool uses(const ir::Statement& statement, ir::ValueId read, std::set<ir::ValueId>& seen) const;
  bool reads(ir::ValueId id, ir::ValueId read, std::set<ir::ValueId>& seen) const;
  bool reads_elsewhere(ir::ValueId id, ir::ValueId read, std::set<ir::ValueId>& visited) const;
  /// Strips of the lane, with the guard at its end; `body` runs in the scope of one strip.
  void sweep(const Lane& lane, const std::function<void()>& body);
  void strips(const Lane& lane, const lowered::Expr& start, const std::string& coordinate,
              const std::function<void()>& body);
  lowered::Expr place_in_strip(const lowered::Expr& start, const std::string& strip) const;
  Own own_of(const Lane& lane, const lowered::Expr& start);
  lowered::Expr part_at(const Lane& lane, const std::string& coordinate);
  void ragged_strips(const Lane& lane, const lowered::Expr& start, const std::string& coordinate,
                     const std::function<void()>& body);
  void read_ahead(ir::ValueId id, const Lane& lane, const std::string& row);
  /// The scope of the loop over chunks that is open, or null.
  const Scope* open_chunk() const;
  /// The coordinate of the lane at which the first thread begins: at a vector boundary of the anchor's line.
  lowered::Expr first_of(const Lane& lane);
  size_t scope_of_lines(const Lane& lane) const;
  /// The name of the part of the strip at hand; null where all elements exist.
  lowered::Expr part() const;
  /// Whether the element at hand exists; null where all do.
  lowered::Expr has_element() const;
  void strips_along(ir::AxisId axis, const std::function<void()>& body);
  /// The elements of the vector that a thread holds in a strip.
  void elements(const Lane& lane, const std::function<void()>& body);
  /// All coordinates of the axes: loops for serial ones, copies for unrolled ones. With values that are folded along
  /// them, loops may leave out coordinates at which none of these exists.
  void points(const std::vector<ir::AxisId>& axes, const std::function<void()>& body,
              const std::vector<ir::ValueId>& folded = {});
  /// A thread's own loop along an axis.
  void loop_along(ir::AxisId axis, const Range& range, bool unroll, const std::function<void()>& body);
  const Lane* lane_among(const AxisSet& axes) const;
  AxisSet write_axes(const ir::Write& write) const;

  // The elements of an axis that a group of threads holds at once.
  static constexpr const char* kChunk = "kChunk";
  // The elements before a line that the first vector of a chunk may have.
  static constexpr const char* kOverhang = "kOverhang";

  KernelPlan& plan_;
  const ir::Kernel& kernel_;
  PhasePlan& phase_;
  const PhaseAnalysis& analysis_;
  const FunctionPlan& function_plan_;
  std::optional<ir::AxisId> strip_axis_;  // of this function
  std::optional<Staging> staging_;        // of this function
  std::vector<UnitAxis> units_;
  Residency& residency_;
  lowered::Function function_;
  lowered::Expr unit_count_;
  NameAllocator names_;
  std::string strip_ = "i", item_ = "j";  // counters of strips and of the elements of a vector
  std::deque<lowered::Block> blocks_;
  std::vector<Scope> scopes_;
  size_t outermost_ = 0;                    // the first scope in which memory may be read
  std::map<ir::AxisId, int64_t> unrolled_;  // coordinates of the copy being written
  std::map<ir::VariableId, Storage> variables_;
  std::map<Declared, size_t> declared_at_;                            // the scope that each of them lives in
  mutable std::map<ir::ValueId, std::set<Declared>> declared_below_;  // found so far
  std::map<ir::ValueId, Storage> snapshots_;  // reads of a variable that was assigned since
  std::map<Instance, Storage> kept_;
  std::map<Instance, Filling> filled_;
  int empty_loops_ = 0;                        // numbers given to such loops
  std::map<ir::ValueId, std::string> stages_;  // shared arrays of staged loads
  std::set<ir::ValueId> defined_;              // values whose place in the program has been passed
  std::map<std::pair<ir::ValueId, ir::AxisId>, std::vector<ir::Conjunct>> ends_;  // of terms, found so far
  mutable std::map<ir::ValueId, int> levels_;                                     // found so far
  std::vector<ir::ValueId> looping_;    // reductions over the elements of a vector whose loops are open
  int sweep_ = -1;                      // the sweep being written, or -1
  bool is_holding_ = false;             // in a loop that makes values to be held
  bool by_warps_ = false;               // each warp of a group folds alone
  std::optional<ir::ValueId> unnamed_;  // it goes straight to where it is held
  int next_sweep_ = 0;
  int kept_bytes_ = 0;
  std::set<Instance> counted_;               // in kept_bytes_
  std::map<ir::ValueId, ir::AxisId> again_;  // see LoweredPhase
};

}  // namespace tessera::emit
