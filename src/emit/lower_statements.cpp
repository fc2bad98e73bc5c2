// SPDX-License-Identifier: Apache-2.0
// Statements of a phase: variables, writes and loops.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "emit/lower_function.h"

namespace tessera::emit {

using lowered::Expr;

void FunctionLowering::block(const ir::Block& statements) {
  std::vector<const ir::Statement*> batch;
  const auto flush = [&] {
    writes(batch);
    batch.clear();
  };
  for (size_t k = 0; k < statements.size(); ++k) {
    const ir::Statement& statement = statements[k];
    if (const auto* define = std::get_if<ir::Define>(&statement.node)) {
      defined_.insert(define->value);
      snapshot(define->value, std::span(statements).subspan(k + 1));
    } else if (std::holds_alternative<ir::Write>(statement.node)) {
      batch.push_back(&statement);
    } else {
      flush();
      if (const auto* declare = std::get_if<ir::Declare>(&statement.node)) {
        declare_variable(*declare, statement.span);
      } else if (const auto* loop = std::get_if<ir::Loop>(&statement.node)) {
        const std::set<ir::ValueId> before = defined_;
        run_loop(*loop);
        defined_ = before;  // behind its loop no value of a body is left to compute
      } else {
        assign(std::get<ir::Assign>(statement.node), statement.span);
      }
    }
  }
  flush();
}

void FunctionLowering::declare_variable(const ir::Declare& declare_statement, Span span) {
  const ir::VariableId id = declare_statement.variable;
  const ir::Variable& variable = kernel_.variables[id];
  AxisSet axes(variable.axes.begin(), variable.axes.end());
  for (ir::AxisId axis : phase_.grid->axes)
    if (!kernel_.axes[axis].is_tile()) axes.insert(axis);
  const Storage storage = variables_[id] = make_storage(variable.name, variable.dtype, axes);
  declared_at_[id] = scopes_.size() - 1;
  prepare(declare_statement.initial);
  if (!storage.lane && storage.serial.empty()) {
    points(storage.unrolled, [&] {
      declare(storage, as_stored(as_float(eval(declare_statement.initial)), variable.dtype), span);
    });
    return;
  }
  points(storage.unrolled, [&] { declare(storage, nullptr, span); });
  const auto fill = [&] {
    points(storage.serial, [&] {
      points(storage.unrolled, [&] {
        emit(lowered::Assign{place(storage), "=",
                             as_stored(as_float(eval(declare_statement.initial)), variable.dtype)},
             span);
      });
    });
  };
  if (!storage.lane) return fill();
  sweep(*storage.lane, [&] { elements(*storage.lane, fill); });
}

// The variable may be assigned before the last use of what it held here: then that is copied, here, where every use
// sees it, and outside of the loops that assign it.
void FunctionLowering::snapshot(ir::ValueId read, std::span<const ir::Statement> later) {
  if (!is_assigned_before_use(read, later)) return;
  const auto& op = std::get<ir::ReadVariable>(kernel_.values[read].op);
  const Storage original = variables_.at(op.variable);
  Storage copy = original;
  copy.base = storage_name(kernel_.variables[op.variable].name + "_before", copy.unrolled);
  copy_storage(original, copy);
  snapshots_[read] = copy;
}

bool FunctionLowering::is_assigned_before_use(ir::ValueId read, std::span<const ir::Statement> later) const {
  const auto* op = std::get_if<ir::ReadVariable>(&kernel_.values[read].op);
  if (!op || !analysis_.dependence.contains(read)) return false;
  std::set<ir::ValueId> seen;
  bool assigned = false, needed = false;
  for (const ir::Statement& statement : later) {
    const bool assigns = may_assign(statement, op->variable);
    // A loop may use it again behind its assignment, in the next round.
    assigned = assigned || (assigns && std::holds_alternative<ir::Loop>(statement.node));
    const auto* assign = std::get_if<ir::Assign>(&statement.node);
    std::set<ir::ValueId> visited;
    needed = needed || (assigns && assign && reads_elsewhere(assign->value, read, visited));
    needed = needed || (assigned && uses(statement, read, seen));
    assigned = assigned || assigns;
  }
  return needed;
}

void FunctionLowering::copy_storage(const Storage& original, const Storage& copy) {
  if (!copy.lane && copy.serial.empty()) {
    points(copy.unrolled, [&] { declare(copy, place(original), {}); });
    return;
  }
  points(copy.unrolled, [&] { declare(copy, nullptr, {}); });
  const auto write = [&] { emit(lowered::Assign{place(copy), "=", place(original)}); };
  const auto all = [&] { points(copy.serial, [&] { points(copy.unrolled, write); }); };
  if (!copy.lane) return all();
  sweep(*copy.lane, [&] { elements(*copy.lane, all); });
}

bool FunctionLowering::may_assign(const ir::Statement& statement, ir::VariableId variable) const {
  if (const auto* assign = std::get_if<ir::Assign>(&statement.node)) return assign->variable == variable;
  const auto* loop = std::get_if<ir::Loop>(&statement.node);
  return loop && std::any_of(loop->body.begin(), loop->body.end(),
                             [&](const ir::Statement& inner) { return may_assign(inner, variable); });
}

bool FunctionLowering::uses(const ir::Statement& statement, ir::ValueId read,
                            std::set<ir::ValueId>& seen) const {
  const auto reads_value = [&](ir::ValueId id) {
    return analysis_.dependence.contains(id) && reads(id, read, seen);
  };
  if (const auto* assign = std::get_if<ir::Assign>(&statement.node)) return reads_value(assign->value);
  if (const auto* declare = std::get_if<ir::Declare>(&statement.node)) return reads_value(declare->initial);
  if (const auto* write = std::get_if<ir::Write>(&statement.node))
    return reads_value(write->value) ||
           std::any_of(write->indices.begin(), write->indices.end(), reads_value);
  const auto* loop = std::get_if<ir::Loop>(&statement.node);
  return loop && std::any_of(loop->body.begin(), loop->body.end(),
                             [&](const ir::Statement& inner) { return uses(inner, read, seen); });
}

// Whether a value at one point needs the variable at others. They may have been assigned already when the point comes
// to its turn; what folds all of the points that a thread holds is computed before the first of them.
bool FunctionLowering::reads_elsewhere(ir::ValueId id, ir::ValueId read,
                                       std::set<ir::ValueId>& visited) const {
  if (!visited.insert(id).second) return false;
  const ir::Value& value = kernel_.values[id];
  std::set<ir::ValueId> seen;
  if (const auto* pick = std::get_if<ir::Pick>(&value.op); pick && reads(pick->operand, read, seen))
    return true;
  if (const auto* reduce = std::get_if<ir::Reduce>(&value.op)) {
    const AxisSet& axes = analysis_.dependence.at(id).axes;
    const bool in_loop = std::any_of(axes.begin(), axes.end(), [&](ir::AxisId axis) {
      return kernel_.axes[axis].is_tile() && phase_.role(axis) == Role::serial;
    });
    if (in_loop && reads(reduce->operand, read, seen)) return true;
  }
  const auto operands = ir::operands_of(value.op);
  return std::any_of(operands.begin(), operands.end(),
                     [&](ir::ValueId operand) { return reads_elsewhere(operand, read, visited); });
}

bool FunctionLowering::reads(ir::ValueId id, ir::ValueId read, std::set<ir::ValueId>& seen) const {
  if (id == read) return true;
  if (!seen.insert(id).second) return false;
  const auto operands = ir::operands_of(kernel_.values[id].op);
  return std::any_of(operands.begin(), operands.end(),
                     [&](ir::ValueId operand) { return reads(operand, read, seen); });
}

Evaluated FunctionLowering::compute(ir::ValueId id, const ir::ReadVariable& op) {
  const auto copy = snapshots_.find(id);
  return {place(copy != snapshots_.end() ? copy->second : variables_.at(op.variable)), nullptr};
}

void FunctionLowering::assign(const ir::Assign& assign, Span span) {
  const Storage& storage = variables_.at(assign.variable);
  prepare(assign.value);
  std::vector<ir::AxisId> free = storage.serial;
  free.insert(free.end(), storage.unrolled.begin(), storage.unrolled.end());
  std::erase_if(free, [&](ir::AxisId axis) {
    return std::any_of(assign.picks.begin(), assign.picks.end(),
                       [&](const auto& pick) { return pick.first == axis; });
  });
  const auto update = [&] { points(free, [&] { assign_point(assign, storage, span); }); };
  if (!storage.lane) return update();
  sweep(*storage.lane, [&] { elements(*storage.lane, update); });
}

void FunctionLowering::assign_point(const ir::Assign& assign, const Storage& storage, Span span) {
  const Evaluated value = eval(assign.value);
  const auto outer = unrolled_;
  for (const auto& [axis, coordinate] : assign.picks) unrolled_[axis] = coordinate;
  const Expr target = place(storage);
  unrolled_ = outer;
  guard(value.exists, "", [&] {
    emit(lowered::Assign{target, "=", as_stored(as_float(value), storage.type)}, span);
  });
}

void FunctionLowering::run_loop(const ir::Loop& statement) {
  const ir::Axis& axis = kernel_.axes[statement.axis];
  std::string name = axis.name;
  Scope bindings;
  bindings.loops.insert(statement.axis);
  if (!axis.is_tile()) {
    name = named(name);
    bindings.axes.insert(statement.axis);
    bindings.coordinates[statement.axis] = lowered::name(name, DType::index);
    count_loop(name, rounds_of(statement, "1"), "1", std::move(bindings), [&] { block(statement.body); });
    return;
  }
  const Lane* lane = phase_.lane_of(statement.axis);
  const int64_t fixed = lane ? lane->tile : std::max<int64_t>(phase_.serial_tile(statement.axis), 1);
  const std::string step = fixed > 0 ? fmt::format("{}", fixed) : "kChunk";
  const std::string first = named(name + "_first");
  count_loop(first, rounds_of(statement, step), step, std::move(bindings), [&] {
    Range range{lowered::name(first, DType::index), upper_bound(statement.axis)};
    if (!lane || fixed > 0) {
      const std::string end = named(name + "_end");
      emit(lowered::Local{
          "index",
          end,
          {},
          lowered::call("minimum", {lowered::add(range.first, lowered::integer(fixed)), range.end},
                        DType::index),
          true,
          false});
      range.end = lowered::name(end, DType::index);
    }
    scopes_.back().ranges[statement.axis] = range;
    block(statement.body);
  });
}

AxisSet FunctionLowering::write_axes(const ir::Write& write) const {
  AxisSet axes = analysis_.dependence.at(write.value).axes;
  for (ir::ValueId index : write.indices) {
    const AxisSet& below = analysis_.dependence.at(index).axes;
    axes.insert(below.begin(), below.end());
  }
  return axes;
}

// Whether a value needs folds along lanes that are made for each coordinate of an axis.
bool FunctionLowering::needs_folds_of(ir::ValueId id, ir::AxisId axis, std::set<ir::ValueId>& visited) const {
  if (level_of(id) == 0 || !visited.insert(id).second) return false;
  const auto* reduce = std::get_if<ir::Reduce>(&kernel_.values[id].op);
  if (reduce && crossed_lane(*reduce) && analysis_.depends(id, axis)) return true;
  return std::ranges::any_of(ir::operands_of(kernel_.values[id].op),
                             [&](ir::ValueId operand) { return needs_folds_of(operand, axis, visited); });
}

// Writes that loop over the same axes around their elements share these loops.
void FunctionLowering::writes(const std::vector<const ir::Statement*>& batch) {
  std::map<std::vector<ir::AxisId>, std::vector<const ir::Statement*>> by_loops;
  for (const ir::Statement* statement : batch) {
    std::vector<ir::AxisId> loops;
    const auto& write = std::get<ir::Write>(statement->node);
    for (ir::AxisId axis : write_axes(write)) {
      if (!phase_.around_writes.contains(axis)) continue;
      std::set<ir::ValueId> visited;
      const auto needs_folds = [&](ir::ValueId id) { return needs_folds_of(id, axis, visited); };
      if (needs_folds(write.value) || std::ranges::any_of(write.indices, needs_folds)) loops.push_back(axis);
    }
    by_loops[loops].push_back(statement);
  }
  for (const auto& entry : by_loops) points(entry.first, [&] { writes_at_point(entry.second); });
}

// Writes along one lane share a sweep; the others stand alone, done by one thread of the group.
void FunctionLowering::writes_at_point(const std::vector<const ir::Statement*>& batch) {
  for (const ir::Statement* statement : batch) {
    const auto& write = std::get<ir::Write>(statement->node);
    prepare(write.value);
    for (ir::ValueId index : write.indices) prepare(index);
  }
  for (const Lane& lane : phase_.lanes) {
    std::vector<const ir::Statement*> along;
    for (const ir::Statement* statement : batch)
      if (lane_among(write_axes(std::get<ir::Write>(statement->node))) == &lane) along.push_back(statement);
    if (!along.empty()) lane_writes(lane, along);
  }
  for (const ir::Statement* statement : batch)
    if (!lane_among(write_axes(std::get<ir::Write>(statement->node)))) plain_write(*statement);
}

std::vector<ir::AxisId> FunctionLowering::free_axes_of(const ir::Write& write, const Lane& lane,
                                                       Role role) const {
  std::vector<ir::AxisId> axes;
  for (ir::AxisId axis : write_axes(write))
    if (axis != lane.axis && phase_.role(axis) == role && !is_bound(axis)) axes.push_back(axis);
  return axes;
}

// Writes without loops share the loop over elements; those with loops have one each.
void FunctionLowering::lane_writes(const Lane& lane, const std::vector<const ir::Statement*>& batch) {
  sweep(lane, [&] {
    std::vector<const ir::Statement*> plain;
    for (const ir::Statement* statement : batch)
      if (free_axes_of(std::get<ir::Write>(statement->node), lane, Role::serial).empty())
        plain.push_back(statement);
    if (!plain.empty()) write_together(lane, plain);
    for (const ir::Statement* statement : batch) {
      const auto loops = free_axes_of(std::get<ir::Write>(statement->node), lane, Role::serial);
      if (!loops.empty()) points(loops, [&] { write_together(lane, {statement}); });
    }
  });
}

// Vectors are filled in the loop over elements and stored behind it.
void FunctionLowering::write_together(const Lane& lane, const std::vector<const ir::Statement*>& batch) {
  std::vector<VectorWrite> vectors;
  for (const ir::Statement* statement : batch) {
    const auto& write = std::get<ir::Write>(statement->node);
    if (!is_vector(write)) continue;
    points(free_axes_of(write, lane, Role::unrolled), [&] { open_vector(*statement, vectors); });
  }
  elements(lane, [&] {
    for (const ir::Statement* statement : batch) {
      const auto& write = std::get<ir::Write>(statement->node);
      points(free_axes_of(write, lane, Role::unrolled), [&] {
        if (!is_vector(write)) return store_element(write, statement->span);
        const auto open = std::find_if(vectors.begin(), vectors.end(), [&](const VectorWrite& v) {
          return v.statement == statement && v.copy == unrolled_;
        });
        if (open == vectors.end()) return;  // nothing exists in this copy
        const Expr value = as_stored(as_float_for(write), kernel_.tensors[write.tensor].dtype);
        emit(lowered::Assign{lowered::vector_element(open->vector, lowered::name(item_, DType::index),
                                                     value->type),
                             "=", value},
             statement->span);
      });
    }
  });
  for (const VectorWrite& open : vectors) store_vector(open);
}

void FunctionLowering::open_vector(const ir::Statement& statement, std::vector<VectorWrite>& vectors) {
  const auto& write = std::get<ir::Write>(statement.node);
  const ir::Tensor& tensor = kernel_.tensors[write.tensor];
  const Expr exists = presence(write.value);
  if (exists && lowered::constant_of(exists) == 0) return;
  std::vector<int64_t> copy;
  for (const auto& [axis, coordinate] : unrolled_) copy.push_back(coordinate);
  const std::string name = named(tensor.name + "_vector" + suffix(copy));
  emit(
      lowered::Local{
          fmt::format("Vector<{}, kVector>", type_name(tensor.dtype)), name, {}, nullptr, false, false},
      statement.span);
  vectors.push_back({&statement, unrolled_, lowered::name(name, tensor.dtype), exists});
}

void FunctionLowering::store_vector(const VectorWrite& open) {
  const auto& write = std::get<ir::Write>(open.statement->node);
  const auto outer = unrolled_;
  unrolled_ = open.copy;
  Expr exists = open.exists;
  std::vector<Expr> arguments{open.vector};
  if (const Expr here = part()) arguments.push_back(here);
  const Expr store = access(write.tensor, write.indices, write.in_bounds, "store", std::move(arguments),
                            DType::index, exists);
  guard(exists, "", [&] { emit(lowered::Evaluate{store}, open.statement->span); });
  unrolled_ = outer;
}

Expr FunctionLowering::as_float_for(const ir::Write& write) {
  const Evaluated value = eval(write.value);
  return value.value->type == kernel_.tensors[write.tensor].dtype ? value.value : as_float(value);
}

void FunctionLowering::store_element(const ir::Write& write, Span span) {
  const Evaluated value = eval(write.value);
  Expr exists = value.exists;
  const DType type = kernel_.tensors[write.tensor].dtype;
  const Expr stored = value.value->type == type ? value.value : as_stored(as_float(value), type);
  const Expr store =
      access(write.tensor, write.indices, write.in_bounds, "store", {stored}, DType::index, exists);
  if (exists && lowered::constant_of(exists) == 0) return;
  guard(lowered::conjunction(has_element(), exists), "", [&] { emit(lowered::Evaluate{store}, span); });
}

// No lane: all threads of the group have the value, one writes it.
void FunctionLowering::plain_write(const ir::Statement& statement) {
  const auto& write = std::get<ir::Write>(statement.node);
  std::vector<ir::AxisId> axes;
  for (ir::AxisId axis : write_axes(write))
    if (!is_bound(axis)) axes.push_back(axis);
  points(axes, [&] {
    eval(write.value);
    for (ir::ValueId index : write.indices) eval(index);
    guard(lowered::call("team.leader", {}, DType::boolean), "all threads have it, one writes",
          [&] { store_element(write, statement.span); });
  });
}

}  // namespace tessera::emit
