// SPDX-License-Identifier: Apache-2.0
// Accesses to tensors: indices, lines, single elements, and vectors that are read ahead or shared.
#include <fmt/format.h>

#include "emit/lower_function.h"
#include "emit/print.h"

namespace tessera::emit {

using lowered::Expr;

std::vector<Expr> FunctionLowering::indices(ir::TensorId tensor, const std::vector<ir::ValueId>& values,
                                            uint32_t in_bounds, Expr& exists) {
  std::vector<Expr> result;
  for (size_t d = 0; d < values.size(); ++d) {
    Evaluated index;
    Expr value = operand(values[d], index);
    exists = lowered::conjunction(exists, index.exists);
    const bool proved = (in_bounds >> d & 1u) != 0;
    const Expr extent = size(kernel_.tensors[tensor].dims[d]);
    if (!proved && kernel_.tensors[tensor].periodic) {
      value = lowered::call("wrap", {value, extent}, DType::index);
    } else if (!proved) {
      exists = lowered::conjunction(exists, lowered::call("inside", {value, extent}, DType::boolean));
    }
    result.push_back(std::move(value));
  }
  return result;
}

// An index of a periodic tensor wraps to an element, unless there is none.
Expr FunctionLowering::has_elements(ir::ValueId id, const ir::Load& op) {
  const ir::Tensor& tensor = kernel_.tensors[op.tensor];
  Expr result;
  if (kernel_.values[id].total || !tensor.periodic) return result;
  for (size_t d = 0; d < op.indices.size(); ++d) {
    if ((op.in_bounds >> d & 1u) != 0) continue;
    const Expr some = lowered::binary("<", lowered::integer(0), size(tensor.dims[d]), DType::boolean);
    result = lowered::conjunction(result, some);
  }
  return result;
}

// An index without axes is computed before the loops that its proof may count on: if they turn no time, it may lie
// outside.
Expr FunctionLowering::stands_before_loops(const ir::Load& op) {
  Expr result;
  for (size_t d = 0; d < op.indices.size(); ++d) {
    const ir::SizeId extent = kernel_.tensors[op.tensor].dims[d];
    if (!analysis_.dependence.at(op.indices[d]).axes.empty() || plan_.sizes.as_constant(extent)) continue;
    const bool proved = (op.in_bounds >> d & 1u) != 0, periodic = kernel_.tensors[op.tensor].periodic;
    if (!proved && !periodic) continue;  // tested as every index is
    Evaluated ignored;
    const Expr at = periodic && !proved ? lowered::integer(0) : operand(op.indices[d], ignored);
    result = lowered::conjunction(result, lowered::call("inside", {at, size(extent)}, DType::boolean));
  }
  return result;
}

// Where only the last index changes in the loops inside, what the others say is computed outside of them.
Expr FunctionLowering::access(ir::TensorId tensor, const std::vector<ir::ValueId>& values, uint32_t in_bounds,
                              const std::string& member, std::vector<Expr> arguments, DType type,
                              Expr& exists, int64_t phase) {
  std::vector<Expr> at = indices(tensor, values, in_bounds, exists);
  if (phase != 0) at.back() = lowered::add(at.back(), lowered::integer(-phase));
  std::string object = safe_name(kernel_.tensors[tensor].name);
  size_t lead = 0;
  for (size_t d = 0; d + 1 < values.size(); ++d) lead = std::max(lead, scope_of(values[d]));
  if (values.size() > 1 && scope_of(values.back()) > lead) {
    object = line_of(tensor, {at.begin(), at.end() - 1}, lead);
    arguments.insert(arguments.begin(), at.back());
  } else {
    arguments.insert(arguments.begin(), lowered::list(std::move(at)));
  }
  return lowered::call(object + "." + member, std::move(arguments), type);
}

std::string FunctionLowering::line_of(ir::TensorId tensor, const std::vector<Expr>& lead, size_t target) {
  const std::string& name = kernel_.tensors[tensor].name;
  const Expr line = lowered::call(safe_name(name) + ".line", {lowered::list(lead)}, DType::index);
  auto& known = scopes_[target].loads;
  const std::string text = print(line);
  if (const auto found = known.find(text); found != known.end()) return found->second;
  std::string result;
  at_scope(target, [&] {
    result = named(name + "_line");
    emit(lowered::Local{"auto", result, {}, line, true, false});
    scopes_.back().loads.emplace(text, result);
  });
  return result;
}

Evaluated FunctionLowering::compute(ir::ValueId id, const ir::Load& op) {
  const ir::Tensor& tensor = kernel_.tensors[op.tensor];
  if (is_staged(id)) return {stage_place(id), nullptr};
  if (const auto found = phase_.windows.find(id); found != phase_.windows.end() && has_element())
    return in_window(id, op, found->second);
  if (phase_.vector_loads.contains(id) && scopes_.back().is_elements) {
    const Expr vector = load_vector(id, op);
    const Interleave pattern = interleave_of(id);
    const Expr item =
        lowered::add(lowered::multiply(lowered::integer(pattern.step), lowered::name(item_, DType::index)),
                     lowered::integer(pattern.phase));
    Evaluated result{lowered::vector_element(vector, item, tensor.dtype), nullptr};
    if (!kernel_.values[id].total) {
      result.exists = has_elements(id, op);
      indices(op.tensor, op.indices, op.in_bounds, result.exists);
    }
    return result;
  }
  Evaluated result;
  result.exists = has_elements(id, op);
  result.value = access(op.tensor, op.indices, op.in_bounds, "load", {}, tensor.dtype, result.exists);
  const Expr has = lowered::conjunction(within(analysis_.dependence.at(id).axes), stands_before_loops(op));
  if (!result.exists && has) result.value = lowered::ternary(has, result.value, lowered::zero(tensor.dtype));
  if (!result.exists) return result;
  result.exists = lowered::conjunction(has, result.exists);
  if (!lowered::is_trivial(result.exists)) {
    const std::string name = named(name_for(id) + "_exists");
    emit(lowered::Local{"bool", name, {}, result.exists, true, false}, kernel_.values[id].span);
    result.exists = lowered::name(name, DType::boolean);
  }
  result.value = lowered::ternary(result.exists, result.value, lowered::zero(tensor.dtype));
  result.zero_if_absent = true;
  return result;
}

// The window is read where the line and the vector's place in it are known; elements differ by constants from the
// first one of the vector.
Evaluated FunctionLowering::in_window(ir::ValueId id, const ir::Load& op, Neighbours neighbours) {
  const ir::Tensor& tensor = kernel_.tensors[op.tensor];
  const Lane& lane = *lane_among(analysis_.dependence.at(id).axes);
  size_t target = 0, lead = 0;
  for (size_t k = 0; k < scopes_.size(); ++k)
    if (scopes_[k].axes.contains(lane.axis) && !scopes_[k].is_elements) target = k;
  for (size_t d = 0; d + 1 < op.indices.size(); ++d) lead = std::max(lead, scope_of(op.indices[d]));
  target = std::max(target, lead);
  const bool proved = (op.in_bounds >> (op.indices.size() - 1) & 1u) != 0;
  std::string name;
  Expr lead_exists;
  at_scope(target, [&] {
    lead_exists = has_elements(id, op);
    const std::vector<ir::ValueId> values(op.indices.begin(), op.indices.end() - 1);
    const std::string line = line_of(op.tensor, indices(op.tensor, values, op.in_bounds, lead_exists), lead);
    const std::string size = fmt::format("<{}, {}>", neighbours.before, neighbours.behind);
    const std::string member = tensor.periodic ? "periodic_window" : "window";
    Expr window = lowered::call(line + "." + member + size, {coordinate(lane.axis), part()}, tensor.dtype);
    const std::string type = fmt::format("Window<{}, kVector, {}, {}>", type_name(tensor.dtype),
                                         neighbours.before, neighbours.behind);
    if (lead_exists) window = lowered::ternary(lead_exists, window, lowered::braces(type, {}));
    auto [known, is_new] = scopes_.back().loads.try_emplace(print(window));
    if (is_new) {
      known->second = named(tensor.name + "_window");
      emit(lowered::Local{type, known->second, {}, window, true, false}, kernel_.values[id].span);
    }
    name = known->second;
  });
  const Expr at = distance_in_lane(op.indices.back(), lane);
  const bool may_be_outside = lead_exists || (!proved && !tensor.periodic);
  return {lowered::element(lowered::name(name, tensor.dtype), at, tensor.dtype),
          may_be_outside ? lowered::call(name + ".has", {at}, DType::boolean) : nullptr, true};
}

// How far an index lies from the first element of the vector at hand.
Expr FunctionLowering::distance_in_lane(ir::ValueId index, const Lane& lane) {
  const auto form = ir::affine_form(kernel_, plan_.sizes, index);
  TESSERA_CHECK(form.has_value(), "the index of a window is affine");
  Expr result = lowered::name(item_, DType::index);
  for (const auto& [axis, factor] : form->terms)
    if (axis != lane.axis) result = lowered::add(result, lowered::multiply(size(factor), coordinate(axis)));
  return lowered::add(result, size(form->offset));
}

Interleave FunctionLowering::interleave_of(ir::ValueId id) const {
  const auto found = phase_.interleaved.find(id);
  return found == phase_.interleaved.end() ? Interleave{} : found->second;
}

// Where lines begin anywhere, the part of the strip says how many elements there are, and which of them exist.
Expr FunctionLowering::vector_access(ir::ValueId id, const ir::Load& op, Expr& exists) {
  const Interleave pattern = interleave_of(id);
  const Expr here = part();
  const std::string step =
      pattern.step == 1 ? "" : fmt::format("_run<{}{}>", pattern.step, here ? "" : ", kVector");
  const std::string load = "load" + (step.empty() && !here ? "<kVector>" : step);
  std::vector<Expr> arguments;
  if (here) arguments.push_back(here);
  return access(op.tensor, op.indices, op.in_bounds, load, std::move(arguments),
                kernel_.tensors[op.tensor].dtype, exists, pattern.phase);
}

// The vector is read where its address is known: in the strip, outside the loop over elements.
Expr FunctionLowering::load_vector(ir::ValueId id, const ir::Load& op) {
  const size_t target = scope_of(id, true);
  const Instance key = instance(id);
  const ir::Tensor& tensor = kernel_.tensors[op.tensor];
  auto& vectors = scopes_[target].vectors;
  if (const auto found = vectors.find(key); found != vectors.end())
    return lowered::name(found->second, tensor.dtype);
  if (is_kept(id)) return lowered::name(kept_vector(id, op), tensor.dtype);
  std::string name;
  at_scope(target, [&] {
    Expr exists;
    const Interleave pattern = interleave_of(id);
    const std::string width = pattern.step == 1 ? "kVector" : fmt::format("{} * kVector", pattern.step);
    const std::string type = fmt::format("Vector<{}, {}>", type_name(tensor.dtype), width);
    Expr vector = vector_access(id, op, exists);
    if (exists) vector = lowered::ternary(exists, vector, lowered::call(type, {}, tensor.dtype));
    const std::string text = print(vector);
    if (const auto same = scopes_.back().loads.find(text); same != scopes_.back().loads.end()) {
      name = same->second;
    } else {
      name = named(tensor.name + "_vector" + suffix(key.second));
      emit(lowered::Local{type, name, {}, vector, true, false}, kernel_.values[id].span);
    }
    scopes_.back().vectors[key] = name;
    scopes_.back().loads.emplace(text, name);
  });
  return lowered::name(name, tensor.dtype);
}

std::vector<std::string> FunctionLowering::names_inside(size_t target) const {
  std::vector<std::string> result;
  for (size_t k = target + 1; k < scopes_.size(); ++k) {
    result.insert(result.end(), scopes_[k].names.begin(), scopes_[k].names.end());
    for (const auto& [axis, coordinate] : scopes_[k].coordinates)
      if (coordinate->kind == lowered::Expression::Kind::name) result.push_back(coordinate->text);
  }
  return result;
}

// A row that stays in registers is read in a loop of its own: all its accesses are under way before the first is used.
std::string FunctionLowering::kept_vector(ir::ValueId id, const ir::Load& op) {
  const Instance key = instance(id);
  const ir::Tensor& tensor = kernel_.tensors[op.tensor];
  if (!kept_.contains(key)) {
    const Lane& lane = *lane_among(analysis_.dependence.at(id).axes);
    // What is open inside comes behind that loop, which may use the same names; the row is seen there, too.
    const std::vector<std::string> inner = names_inside(home_of(id));
    at_scope(home_of(id), [&] {
      const std::string kept = open_kept(id, tensor.dtype, true).base;
      for (const std::string& name : inner) names_.release(name);
      const std::string row = kept + "[" + strip_ + "]";
      const auto read = [&] {
        Expr exists;
        const Expr vector = vector_access(id, op, exists);
        emit(lowered::Assign{lowered::name(row, tensor.dtype), "=", vector}, kernel_.values[id].span);
      };
      if (function_plan_.ragged) {
        read_ahead(id, lane, kept);
      } else {
        strip_axis_ ? strips_along(*strip_axis_, read) : sweep(lane, read);
      }
      for (const std::string& name : inner) names_.reserve(name);
    });
  }
  return kept_.at(key).base + "[" + strip_ + "]";
}

}  // namespace tessera::emit
