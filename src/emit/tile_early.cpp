// SPDX-License-Identifier: Apache-2.0
// What of inputs is read before a loop for what stands behind it, so that it arrives while the loop runs.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "emit/tile_lowering.h"
#include "sema/ir/operands.h"

namespace tessera::emit {

using lowered::Expr;

namespace {

// Words of a thread: all that wait for a loop to end; of columns, from how many on lanes have a few each instead, and how
// many may stand behind the loop.
constexpr int64_t kMostEarly = 16, kFewestByLanes = 8, kMostByLanes = 40;

}  // namespace

// Vectors of inputs that statements behind an inner loop take are computed before it, so that they arrive while it runs.
void TileLowering::load_early(std::span<const ir::Statement> later) {
  if (!is_in_loop_) return;
  for (size_t k = 0; k < later.size(); ++k) {
    const auto* node = std::get_if<ir::Define>(&later[k].node);
    if (node == nullptr || early_.contains(node->value) || fetched_by_lanes_.contains(node->value) ||
        !is_of_inputs(node->value) || !is_worth_registers(node->value))
      continue;
    if (may_be_fetched_by_lanes(node->value)) {
      fetch_by_lanes(node->value);
    } else if (early_words() + words_of(place_of_value(node->value)) <= kMostEarly) {
      define_here(node->value, later.subspan(k + 1));
      early_.insert(node->value);
    }
  }
}

// Words of a thread that are read before their place.
int64_t TileLowering::early_words() const {
  int64_t words = 0;
  for (const ir::ValueId id : early_) words += words_of(place_of_value(id));
  return words;
}

// Whether columns of inputs are taken by nothing until the loop behind them ends: threads would have all of theirs in
// registers meanwhile.
bool TileLowering::waits_for_loop(ir::ValueId id, std::span<const ir::Statement> later) const {
  if (!is_in_loop_ || tiles_.shared_vectors.contains(id) || !may_be_fetched_by_lanes(id) ||
      !is_of_inputs(id) || !is_worth_registers(id))
    return false;
  for (const ir::Statement& statement : later) {
    if (takes(statement, id)) return false;
    const auto* node = std::get_if<ir::Define>(&statement.node);
    if (std::holds_alternative<ir::Loop>(statement.node) || (node != nullptr && walks_alone(node->value)))
      return true;
  }
  return false;
}

void TileLowering::wait_for_loop(ir::ValueId id) {
  defined_.insert(id);
  fetch_by_lanes(id);
  waiting_.push_back(id);
}

// Threads have what waited from the first statement on that takes it.
void TileLowering::spread_waiting(const ir::Statement& statement) {
  std::erase_if(waiting_, [&](ir::ValueId id) {
    const bool is_taken = takes(statement, id);
    if (is_taken) spread_lanes(id);
    return is_taken;
  });
}

// Whether a statement needs a value in the registers of a thread: what lanes fetch is computed from inputs again.
bool TileLowering::takes(const ir::Statement& statement, ir::ValueId id) const {
  std::set<ir::ValueId> seen;
  const auto* node = std::get_if<ir::Define>(&statement.node);
  if (node == nullptr) return uses(statement, id, seen);
  const bool is_by_lanes = may_be_fetched_by_lanes(node->value) && is_of_inputs(node->value);
  return !is_by_lanes && reads(node->value, id, seen);
}

// Whether a value is what inputs have at places that coordinates and numbers name, or is computed from nothing else but
// numbers: it is the same wherever it is computed.
bool TileLowering::is_of_inputs(ir::ValueId id) const {
  const auto is_place = [&](ir::ValueId index) {
    const ir::Op& op = kernel_.values[index].op;
    return std::holds_alternative<ir::Coordinate>(op) || std::holds_alternative<ir::Constant>(op);
  };
  bool reads = false, is_pure = kernel_.values[id].total;
  ir::for_each_below(kernel_, {id}, [&](ir::ValueId below) {
    const ir::Op& op = kernel_.values[below].op;
    if (const auto* load = std::get_if<ir::Load>(&op)) {
      reads = true;
      is_pure =
          is_pure && !kernel_.tensors[load->tensor].is_output && std::ranges::all_of(load->indices, is_place);
      return false;
    }
    is_pure = is_pure &&
              (std::holds_alternative<ir::Cast>(op) || std::holds_alternative<ir::Unary>(op) ||
               std::holds_alternative<ir::Binary>(op) || std::holds_alternative<ir::Math>(op) ||
               std::holds_alternative<ir::FusedMultiplyAdd>(op) || std::holds_alternative<ir::Constant>(op) ||
               std::holds_alternative<ir::ScalarArgument>(op));
    return is_pure;
  });
  return reads && is_pure;
}

// Words of columns, of which a thread has many, but not more than there are registers for behind a loop.
bool TileLowering::may_be_fetched_by_lanes(ir::ValueId id) const {
  const TilePlace place = place_of_value(id);
  const DType type = type_in_registers(id);
  const int64_t words = words_of(place);
  return has_roles() && place.column && size_in_bytes(type) == sizeof(uint32_t) && words >= kFewestByLanes &&
         words <= kMostByLanes;
}

// Values of columns, which stand in registers of a warp's lanes until their place in the program.
void TileLowering::fetch_by_lanes(ir::ValueId id) {
  const ir::Value& value = kernel_.values[id];
  const TilePlace place = place_of_value(id);
  const DType type = type_in_registers(id);
  const HeldTile lanes{named(name_for(id) + "_lanes"), type, place};
  const std::string declared = fmt::format("LaneColumns<{}, {}>", type_name(type), layout_of(place));
  emit(lowered::Local{declared, lanes.name, {}, nullptr, false, false}, value.span);
  const std::map<ir::ValueId, HeldTile> held = held_;
  std::erase_if(held_,
                [](const auto& entry) { return !entry.second.place.is_scalar(); });  // are at other columns
  const Expr column =
      lowered::call(lanes.name + ".column", {lowered::name(item_, DType::index)}, DType::index);
  over(place, fmt::format("int {0} = 0; {0} < {1}.kCount; ++{0}", item_, lanes.name),
       {{*place.column, column}}, [&] { set_element(lanes, id, value.span); });
  held_ = held;
  fetched_by_lanes_[id] = lanes;
}

void TileLowering::spread_lanes(ir::ValueId id) {
  HeldTile tile = fetched_by_lanes_.at(id);
  const std::string spread = tile.name + ".spread";
  tile.name = named(name_for(id));
  emit(lowered::Local{"auto", tile.name, {}, lowered::call(spread, {}, tile.type), true, false});
  fetched_by_lanes_.erase(id);
  held_[id] = tile;
}

}  // namespace tessera::emit
