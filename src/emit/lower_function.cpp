// SPDX-License-Identifier: Apache-2.0
// Scopes, names and the loop over units of one lowered function.
#include "emit/lower_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>

#include "emit/identifiers.h"
#include "emit/signature.h"
#include "emit/vector_calls.h"

namespace tessera::emit {

using lowered::Expr;

FunctionLowering::FunctionLowering(KernelPlan& plan, const FunctionPlan& function, Residency& residency)
    : plan_(plan),
      kernel_(*plan.kernel),
      phase_(plan.phase),
      analysis_(plan.phase.analysis),
      function_plan_(function),
      units_(plan.phase.units),
      residency_(residency) {
  if (function.staged) {
    staging_ = phase_.staging;
  } else if (phase_.staging) {
    // Only the tile in shared memory makes a unit take several rows. Without it, the groups of a block do: they find each
    // other's lines in the first level cache.
    const auto rows = std::find_if(units_.begin(), units_.end(),
                                   [&](const UnitAxis& unit) { return unit.axis == phase_.staging->rows; });
    if (!phase_.staging->rows_fixed) rows->tile = 1;
    std::rotate(rows, rows + 1, units_.end());
  }
  if (function.strips_across) strip_axis_ = phase_.strip_axis;
  for (UnitAxis& unit : units_) unit.is_strips = unit.axis == strip_axis_;
}

void FunctionLowering::reserve_names() {
  function_.name =
      safe_name(kernel_.c_name) + (function_plan_.suffix.empty() ? "" : "_" + function_plan_.suffix);
  reserve_parameters(kernel_, names_);
  const auto is_used = [&](const char* name) {
    const auto bears = [&](const auto& row) { return row.name == name; };
    return names_.is_taken(name) || std::any_of(kernel_.axes.begin(), kernel_.axes.end(), bears) ||
           std::any_of(kernel_.values.begin(), kernel_.values.end(), bears);
  };
  if (is_used("i") || is_used("j")) {
    strip_ = "strip";
    item_ = "item";
  }
  names_.reserve(strip_);
  names_.reserve(item_);
}

lowered::Function FunctionLowering::run() {
  reserve_names();
  scopes_.push_back(Scope{});
  scopes_.back().block = &blocks_.emplace_back();
  const std::string chunk =
      std::string("kThreads") + (has_vectors() ? " * kVector" : "") + (strip_axis_ ? "" : " * kStrips");
  emit(lowered::Local{"constexpr int", kChunk, {}, lowered::name(chunk, DType::index), false, false});
  if (function_plan_.ragged) {
    const Expr overhang = lowered::name("kAligned ? 0 : kVector - 1", DType::index);
    emit(lowered::Local{"constexpr int", kOverhang, {}, overhang, false, false});
    emit(lowered::Local{
        "constexpr int", "kStep", {}, lowered::name("kThreads * kVector", DType::index), false, false});
  }
  unit_loop([&] { block(phase_.grid->body); });
  function_.body = std::move(*scopes_.front().block);
  call_on_vectors(function_.body, item_, "kVector", names_);
  remove_unused_locals(function_.body);
  const std::set<std::string> used = identifiers_in(function_.body);
  for (const char* parameter : {"int kThreads", "int kRows", "int kVector", "int kStrips", "bool kAligned"})
    if (used.contains(std::strchr(parameter, 'k'))) function_.template_parameters.push_back(parameter);
  function_.template_parameters.push_back("int kBlocks");
  function_.threads = "kThreads * kRows, kBlocks";
  function_.parameters = kernel_parameters(kernel_, function_);
  function_.comment = comment();
  return std::move(function_);
}

std::string FunctionLowering::comment() const {
  std::string lanes;
  for (const Lane& lane : phase_.lanes)
    lanes += fmt::format("{}`{}`", lanes.empty() ? "" : ", ", kernel_.axes[lane.axis].name);
  const std::string subject = fmt::format("{}: ", kernel_.c_name);
  if (lanes.empty()) return subject + "one thread of each group works.";
  if (strip_axis_)
    return subject + fmt::format("the threads of a group share a chunk of {} for kStrips of `{}`.", lanes,
                                 kernel_.axes[*strip_axis_].name);
  if (phase_.lanes[0].chunked)
    return subject + fmt::format("the threads of a group share a chunk of {}.", lanes);
  if (function_plan_.resident)
    return subject + fmt::format("a group of kThreads threads shares {} and keeps it in registers.", lanes);
  return subject +
         fmt::format("a group of kThreads threads shares {}, of any extent, and reads it again in each pass.",
                     lanes);
}

void FunctionLowering::emit(Node node, Span span) {
  scopes_.back().block->push_back({std::move(node), span});
}

void FunctionLowering::scope(Scope bindings, const std::function<Node(lowered::Block)>& wrap,
                             const std::function<void()>& body) {
  bindings.block = &blocks_.emplace_back();
  scopes_.push_back(std::move(bindings));
  body();
  lowered::Block inner = std::move(*scopes_.back().block);
  for (const std::string& name : scopes_.back().names) names_.release(name);
  for (const Instance& instance : scopes_.back().kept) kept_.erase(instance);
  scopes_.pop_back();
  emit(wrap(std::move(inner)));
}

void FunctionLowering::loop(std::string header, bool unroll, Scope bindings,
                            const std::function<void()>& body) {
  scope(
      std::move(bindings),
      [&](lowered::Block inner) {
        return lowered::For{std::move(header), std::move(inner), unroll, {}, {}, {}, {}};
      },
      body);
}

void FunctionLowering::count_loop(const std::string& name, const Range& range, const std::string& step,
                                  Scope bindings, const std::function<void()>& body, bool unroll) {
  const auto begin = lowered::constant_of(range.first), end = lowered::constant_of(range.end);
  if (!begin || !end || *begin >= *end) bindings.loop_that_may_be_empty = ++empty_loops_;
  scope(
      std::move(bindings),
      [&](lowered::Block inner) {
        return lowered::For{"", std::move(inner), unroll, name, range.first, range.end, step};
      },
      body);
}

void FunctionLowering::guard(Expr condition, std::string reason, bool is_guard, Scope bindings,
                             const std::function<void()>& body) {
  if (!condition) return body();
  scope(
      std::move(bindings),
      [&](lowered::Block inner) {
        return lowered::If{condition, std::move(inner), std::move(reason), is_guard, {}};
      },
      body);
}

Expr FunctionLowering::lower_bound(ir::AxisId axis) { return size(kernel_.axes[axis].lower); }
Expr FunctionLowering::upper_bound(ir::AxisId axis) { return size(kernel_.axes[axis].upper); }

Expr FunctionLowering::tile_of(const UnitAxis& unit) {
  if (unit.is_strips) return lowered::name("kStrips", DType::index);
  if (unit.is_groups) return lowered::name("kRows", DType::index);
  return unit.tile > 0 ? lowered::integer(unit.tile) : lowered::name(kChunk, DType::index);
}

Range FunctionLowering::range_of(ir::AxisId axis) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->ranges.find(axis); found != scope->ranges.end()) return found->second;
  return {lower_bound(axis), upper_bound(axis)};
}

Expr FunctionLowering::coordinate(ir::AxisId axis) {
  if (const auto copy = unrolled_.find(axis); copy != unrolled_.end()) return lowered::integer(copy->second);
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->coordinates.find(axis); found != scope->coordinates.end())
      return found->second;
  unreachable("a coordinate is used outside the loop that binds it");
}

Expr FunctionLowering::count_of(const UnitAxis& unit) {
  Expr extent = size(plan_.sizes.subtract(kernel_.axes[unit.axis].upper, kernel_.axes[unit.axis].lower));
  const bool tiled = unit.is_tiled();
  if (function_plan_.ragged && phase_.is_lane(unit.axis))
    extent = lowered::add(extent, lowered::name(kOverhang, DType::index));
  return tiled ? lowered::call("ceil_divide", {extent, tile_of(unit)}, DType::index) : extent;
}

bool FunctionLowering::is_bound(ir::AxisId axis) const {
  return unrolled_.contains(axis) || std::any_of(scopes_.begin(), scopes_.end(), [&](const Scope& scope) {
           return scope.coordinates.contains(axis);
         });
}

void FunctionLowering::unit_loop(const std::function<void()>& body) {
  emit(lowered::Local{"Group<kThreads, kRows>", "team", {}, nullptr, false, false});
  declare_stages();
  if (units_.size() == 1) return single_axis_units(units_[0], body);
  std::vector<Expr> counts;
  unit_count_ = lowered::integer(1);
  std::string positions, end;
  std::vector<std::string> names;
  for (const UnitAxis& unit : units_) {
    counts.push_back(count_of(unit));
    unit_count_ = lowered::multiply(unit_count_, counts.back());
    names.push_back(named(unit_name(unit)));
    positions += (positions.empty() ? "" : ", ") + names.back();
    end += fmt::format("{}units[{}]", end.empty() ? "" : " * ", counts.size() - 1);
  }
  if (!units_.empty())
    emit(lowered::Local{
        fmt::format("Index<{}>", counts.size()), "units", {}, lowered::list(counts), true, false});
  Scope bindings;
  for (const UnitAxis& unit : units_) {
    bindings.axes.insert(unit.axis);
    bindings.loops.insert(unit.axis);
  }
  emit(lowered::Local{
      "index", "unit_count", {}, lowered::name(units_.empty() ? "1" : end, DType::index), true, false});
  // The groups of a block share a tile that passes through shared memory; otherwise each has its own.
  const bool by_block = staging_ || phase_.has_neighbour_groups();
  const char* header = by_block ? "index unit = block_index(); unit < unit_count; unit += block_count()"
                                : "index unit = block_index() * kRows + team.number(); unit < unit_count; "
                                  "unit += block_count() * kRows";
  loop(header, false, std::move(bindings), [&] {
    if (units_.empty()) return body();
    emit(lowered::Local{"auto",
                        fmt::format("[{}]", positions),
                        {},
                        lowered::name("tile_position(unit, units).at", DType::index),
                        true,
                        false});
    bind_units(0, names, body);
  });
}

void FunctionLowering::bind_units(size_t k, std::vector<std::string> positions,
                                  const std::function<void()>& body) {
  // Axes of which a unit takes several coordinates are loops: they come behind the positions that they do not change.
  // Rows of a staged tile are bound last: the tile needs the position along every other axis.
  const auto rank = [&](size_t n) {
    if (staging_ && units_[n].axis == staging_->rows) return 3;
    if (units_[n].is_groups) return 1;
    return units_[n].is_tiled() && !units_[n].is_chunk && !units_[n].is_strips ? 2 : 0;
  };
  std::vector<size_t> order;
  for (int wanted = 0; wanted <= 3; ++wanted)
    for (size_t n = 0; n < units_.size(); ++n)
      if (rank(n) == wanted) order.push_back(n);
  if (k == order.size()) return body();
  bind_unit(units_[order[k]], lowered::name(positions[order[k]], DType::index),
            [&] { bind_units(k + 1, positions, body); });
}

// The position of a unit along one axis: the coordinate itself, or the number of a tile.
std::string FunctionLowering::unit_name(const UnitAxis& unit) {
  const bool tiled = unit.is_tiled();
  const bool direct = !tiled && lowered::constant_of(lower_bound(unit.axis)) == 0;
  return lowercase(kernel_.axes[unit.axis].name) + (direct ? "" : "_tile");
}

void FunctionLowering::single_axis_units(const UnitAxis& unit, const std::function<void()>& body) {
  const std::string axis = lowercase(kernel_.axes[unit.axis].name);
  const Expr count = count_of(unit);
  const bool tiled = unit.is_tiled();
  unit_count_ = count;
  const bool direct = !tiled && lowered::constant_of(lower_bound(unit.axis)) == 0;
  const std::string variable = direct ? named(axis) : "unit";
  Scope bindings;
  bindings.axes.insert(unit.axis);
  bindings.loops.insert(unit.axis);
  if (direct) bindings.coordinates[unit.axis] = lowered::name(variable, DType::index);
  std::string end = "units";
  if (direct && kernel_.axes[unit.axis].dimension) {
    end = safe_name(kernel_.symbols[*kernel_.axes[unit.axis].dimension].name);
  } else {
    emit(lowered::Local{"index", "units", {}, count, true, false});
  }
  loop(fmt::format(
           "index {0} = block_index() * kRows + team.number(); {0} < {1}; {0} += block_count() * kRows",
           variable, end),
       false, std::move(bindings), [&] {
         if (direct) return body();
         bind_unit(unit, lowered::name("unit", DType::index), body);
       });
}

void FunctionLowering::bind_unit(const UnitAxis& unit, const Expr& index, const std::function<void()>& body) {
  const std::string axis = lowercase(kernel_.axes[unit.axis].name);
  if (!unit.is_tiled()) {
    if (lowered::constant_of(lower_bound(unit.axis)) == 0) {
      scopes_.back().coordinates[unit.axis] = index;
      return body();
    }
    const std::string name = named(axis);
    emit(lowered::Local{"index", name, {}, lowered::add(lower_bound(unit.axis), index), true, false});
    scopes_.back().coordinates[unit.axis] = lowered::name(name, DType::index);
    return body();
  }
  if (unit.is_groups) return bind_groups(unit, index, body);
  const std::string first = named(axis + "_first");
  emit(lowered::Local{"index",
                      first,
                      {},
                      lowered::add(lower_bound(unit.axis), lowered::multiply(index, tile_of(unit))),
                      true,
                      false});
  Range range{lowered::name(first, DType::index), upper_bound(unit.axis)};
  if (unit.tile > 0 && !unit.is_strips) {
    const std::string end = named(axis + "_end");
    emit(lowered::Local{
        "index",
        end,
        {},
        lowered::call("minimum", {lowered::add(range.first, tile_of(unit)), range.end}, DType::index),
        true,
        false});
    range.end = lowered::name(end, DType::index);
  }
  scopes_.back().ranges[unit.axis] = range;
  if (unit.is_chunk || unit.is_strips) return body();
  if (staging_ && unit.axis == staging_->rows) return staged_rows(unit, range, body);
  const std::string name = named(axis);
  Scope bindings;
  bindings.axes.insert(unit.axis);
  bindings.coordinates[unit.axis] = lowered::name(name, DType::index);
  loop(fmt::format("index {0} = {1}; {0} < {2}; ++{0}", name, first, range.end->text), false,
       std::move(bindings), body);
}

// Neighbouring groups of a block take neighbouring coordinates.
void FunctionLowering::bind_groups(const UnitAxis& unit, const Expr& tile,
                                   const std::function<void()>& body) {
  const std::string name = named(lowercase(kernel_.axes[unit.axis].name));
  const Expr first = lowered::add(lower_bound(unit.axis), lowered::multiply(tile, tile_of(unit)));
  const Expr number = lowered::call("team.number", {}, DType::index);
  emit(lowered::Local{"index", name, {}, lowered::add(first, number), true, false});
  const Expr here = lowered::name(name, DType::index);
  Scope bindings;
  bindings.axes.insert(unit.axis);
  bindings.coordinates[unit.axis] = here;
  guard(lowered::binary("<", here, upper_bound(unit.axis), DType::boolean),
        fmt::format("guard: `{}` ends", kernel_.axes[unit.axis].name), true, std::move(bindings), body);
}

std::string FunctionLowering::named(std::string_view wanted) {
  scopes_.back().names.push_back(names_.take(wanted));
  return scopes_.back().names.back();
}

Instance FunctionLowering::instance(ir::ValueId id) const {
  Instance result{id, {}};
  for (ir::AxisId axis : analysis_.dependence.at(id).axes)
    if (const auto found = unrolled_.find(axis); found != unrolled_.end())
      result.second.push_back(found->second);
  return result;
}

size_t FunctionLowering::scope_of(ir::ValueId id, bool outside_elements, const AxisSet& without) const {
  const Dependence& needs = analysis_.dependence.at(id);
  // What a group folds together belongs to a unit, though it be the same for all of them; what reads a variable, or a fold
  // that is held, stands behind its declaration.
  size_t least = outermost_ + (level_of(id) > 0 ? 1 : 0);
  for (const Declared& below : declared_below(id))
    if (const auto found = declared_at_.find(below); found != declared_at_.end())
      least = std::max(least, found->second);
  least = std::min(least, scopes_.size() - 1);
  for (size_t k = scopes_.size(); k-- > least + 1;) {
    const Scope& scope = scopes_[k];
    if (outside_elements && scope.is_elements) continue;
    const bool binds_axis = std::any_of(needs.axes.begin(), needs.axes.end(), [&](ir::AxisId axis) {
      return !without.contains(axis) && scope.axes.contains(axis);
    });
    const bool is_body = std::any_of(needs.loops.begin(), needs.loops.end(),
                                     [&](ir::AxisId axis) { return scope.loops.contains(axis); });
    if (binds_axis || is_body) return k;
  }
  return least;
}

// The variables that a value reads and the folds that it needs, itself or through what it is made of.
const std::set<Declared>& FunctionLowering::declared_below(ir::ValueId id) const {
  const auto [entry, is_new] = declared_below_.try_emplace(id);
  if (!is_new) return entry->second;
  std::set<Declared> found;
  const ir::Op& op = kernel_.values[id].op;
  if (const auto* read = std::get_if<ir::ReadVariable>(&op)) found.insert(read->variable);
  if (std::holds_alternative<ir::Reduce>(op)) found.insert(id);
  for (ir::ValueId operand : ir::operands_of(op)) {
    const auto& below = declared_below(operand);
    found.insert(below.begin(), below.end());
  }
  return declared_below_[id] = std::move(found);
}

void FunctionLowering::at_scope(size_t target, const std::function<void()>& body) {
  std::vector<Scope> hidden(
      std::make_move_iterator(scopes_.begin() + static_cast<std::ptrdiff_t>(target) + 1),
      std::make_move_iterator(scopes_.end()));
  scopes_.resize(target + 1);
  const int sweep = sweep_;
  body();
  sweep_ = sweep;
  scopes_.insert(scopes_.end(), std::make_move_iterator(hidden.begin()),
                 std::make_move_iterator(hidden.end()));
}

std::string FunctionLowering::suffix(const std::vector<int64_t>& coordinates) const {
  std::string text;
  for (int64_t coordinate : coordinates) text += fmt::format("_{}", coordinate);
  return text;
}

std::string FunctionLowering::name_for(ir::ValueId id) const {
  const ir::Value& value = kernel_.values[id];
  const std::string copies = suffix(instance(id).second);
  if (!value.name.empty()) return value.name + copies;
  if (const auto* load = std::get_if<ir::Load>(&value.op))
    return kernel_.tensors[load->tensor].name + "_value" + copies;
  if (const auto* cast = std::get_if<ir::Cast>(&value.op))
    if (const auto* load = std::get_if<ir::Load>(&kernel_.values[cast->operand].op))
      return kernel_.tensors[load->tensor].name + "_value" + copies;
  if (const auto* reduce = std::get_if<ir::Reduce>(&value.op))
    return ir::spelling(reduce->op).substr(7) + "_" + lowercase(kernel_.axes[reduce->axes[0]].name) + copies;
  if (const auto* math = std::get_if<ir::Math>(&value.op))
    return ir::spelling(math->function) + "_value" + copies;
  return "t" + copies;
}

const Lane* FunctionLowering::lane_among(const AxisSet& axes) const {
  for (const Lane& lane : phase_.lanes)
    if (axes.contains(lane.axis)) return &lane;
  return nullptr;
}

}  // namespace tessera::emit
