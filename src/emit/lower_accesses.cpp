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
  if (phase_.vector_loads.contains(id) && scopes_.back().is_elements) {
    const Expr vector = load_vector(id, op);
    const Interleave pattern = interleave_of(id);
    const Expr item =
        lowered::add(lowered::multiply(lowered::integer(pattern.step), lowered::name(item_, DType::index)),
                     lowered::integer(pattern.phase));
    Evaluated result{lowered::vector_element(vector, item, tensor.dtype), nullptr};
    if (!kernel_.values[id].total) indices(op.tensor, op.indices, op.in_bounds, result.exists);
    return result;
  }
  Evaluated result;
  result.value = access(op.tensor, op.indices, op.in_bounds, "load", {}, tensor.dtype, result.exists);
  if (!result.exists) return result;
  if (!lowered::is_trivial(result.exists)) {
    const std::string name = named(name_for(id) + "_exists");
    emit(lowered::Local{"bool", name, {}, result.exists, true, false}, kernel_.values[id].span);
    result.exists = lowered::name(name, DType::boolean);
  }
  result.value = lowered::ternary(result.exists, result.value, lowered::zero(tensor.dtype));
  return result;
}

Interleave FunctionLowering::interleave_of(ir::ValueId id) const {
  const auto found = phase_.interleaved.find(id);
  return found == phase_.interleaved.end() ? Interleave{} : found->second;
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
    const std::string load =
        pattern.step == 1 ? "load<kVector>" : fmt::format("load_run<{}, kVector>", pattern.step);
    Expr vector = access(op.tensor, op.indices, op.in_bounds, load, {}, tensor.dtype, exists, pattern.phase);
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

// A row that stays in registers is read in a loop of its own: all its accesses are under way before the first is used.
std::string FunctionLowering::kept_vector(ir::ValueId id, const ir::Load& op) {
  const Instance key = instance(id);
  const ir::Tensor& tensor = kernel_.tensors[op.tensor];
  if (!kept_.contains(key)) {
    const Lane& lane = *lane_among(analysis_.dependence.at(id).axes);
    at_scope(home_of(id), [&] {
      const std::string row = open_kept(id, tensor.dtype, true).base + "[" + strip_ + "]";
      const auto read = [&] {
        Expr exists;
        const Expr vector =
            access(op.tensor, op.indices, op.in_bounds, "load<kVector>", {}, tensor.dtype, exists);
        emit(lowered::Assign{lowered::name(row, tensor.dtype), "=", vector}, kernel_.values[id].span);
      };
      phase_.strip_axis ? strips_along(*phase_.strip_axis, read) : sweep(lane, read);
    });
  }
  return kept_.at(key).base + "[" + strip_ + "]";
}

}  // namespace tessera::emit
