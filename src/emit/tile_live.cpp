// SPDX-License-Identifier: Apache-2.0
// See tile_live.h.
#include "emit/tile_live.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "emit/tile_shape.h"
#include "sema/ir/operands.h"

namespace tessera::emit {

namespace {

constexpr int64_t kRegisterBytes = 4;
constexpr int64_t kColumnsAtOnce = 128;    // that `multiply` reads beside rows in registers
constexpr int64_t kFmaColumnsAtOnce = 16;  // the same of floats that are multiplied by fma
constexpr int64_t kFmaAddresses = 20;      // where those are read from
constexpr int64_t kLanesOfRow = 4, kLanesOfColumn = 8;
constexpr int64_t kRowsOfBlock = 16, kColumnsOfBlock = 8;
constexpr int64_t kFloatsOfSpan = 32;

/// Registers for where the blocks of a warp's part of a tile are, across lines of floats: blocks at constant distances,
/// as Mma<float>::kIsMoved has them, need none.
int64_t place_registers(int64_t tile, int64_t part, int64_t block) {
  const int64_t span = std::gcd(tile, kFloatsOfSpan);
  const bool is_power = (part & (part - 1)) == 0;
  return part % span == 0 || span == kColumnsOfBlock || (part < span && is_power) ? 0 : part / block;
}

bool is_tile(const std::vector<ir::AxisId>& axes, const TilePlan& plan) {
  return std::ranges::count_if(axes, [&](ir::AxisId axis) { return plan.is_in_registers(axis); }) >= 2;
}

/// What takes values: which statements and values each of them ends up in.
class Takers {
 public:
  Takers(const ir::Kernel& kernel, const TilePlan& plan) : kernel_(kernel), plan_(plan) {
    for (size_t k = 0; k < kernel.values.size(); ++k) {
      const ir::ValueId id = kernel.values.id_at(k);
      for (ir::ValueId operand : ir::operands_of(kernel.values[id].op)) users_[operand].push_back(id);
    }
    for (const ir::Grid& grid : kernel.grids) collect(grid.body, 0);
  }

  bool is_shared(ir::ValueId id) {
    const ir::Value& value = kernel_.values[id];
    return is_tile(value.axes, plan_) && !is_bool(value.dtype) && plan_.anchored.contains(id) &&
           !std::holds_alternative<ir::ReadVariable>(value.op) &&
           ((takers_of(id).size() > 1 && !is_computed_again(id)) || is_taken_in_loop(id));
  }

 private:
  /// A statement or a value, and how many loops are around it.
  struct Taker {
    std::variant<const ir::Statement*, ir::ValueId> node;
    int depth;
    auto operator<=>(const Taker&) const = default;
  };

  void collect(const ir::Block& statements, int depth) {
    for (const ir::Statement& statement : statements) {
      const auto add = [&](ir::ValueId id) { statements_[id].insert({&statement, depth}); };
      if (const auto* define = std::get_if<ir::Define>(&statement.node)) depths_[define->value] = depth;
      if (const auto* assign = std::get_if<ir::Assign>(&statement.node)) add(assign->value);
      if (const auto* declare = std::get_if<ir::Declare>(&statement.node)) add(declare->initial);
      if (const auto* write = std::get_if<ir::Write>(&statement.node)) add(write->value);
      if (const auto* loop = std::get_if<ir::Loop>(&statement.node)) collect(loop->body, depth + 1);
    }
  }

  /// Whether each of the stores that take it computes it by itself: a few instructions for an element, from the one tile that
  /// threads have anyway, and from what panels bring of its row and column.
  bool is_computed_again(ir::ValueId id) {
    constexpr size_t kMostStores = 3;
    constexpr int kMostInstructions = 3;
    const std::set<Taker>& takers = takers_of(id);
    const bool are_stores = std::ranges::all_of(takers, [&](const Taker& taker) {
      const auto* statement = std::get_if<const ir::Statement*>(&taker.node);
      return statement && taker.depth == depths_[id] && std::holds_alternative<ir::Write>((*statement)->node);
    });
    if (!are_stores || takers.size() > kMostStores) return false;
    int instructions = 0;
    std::set<ir::ValueId> tiles;
    bool is_quick = true;
    ir::for_each_below(kernel_, {id}, [&](ir::ValueId below) {
      const ir::Value& value = kernel_.values[below];
      if (!is_tile(value.axes, plan_)) return false;
      if (std::holds_alternative<ir::Dot>(value.op) || std::holds_alternative<ir::ReadVariable>(value.op)) {
        tiles.insert(below);
        return false;
      }
      const auto* binary = std::get_if<ir::Binary>(&value.op);
      is_quick =
          is_quick && value.total &&
          ((binary && binary->op != ir::BinaryOp::divide) || std::holds_alternative<ir::Cast>(value.op) ||
           std::holds_alternative<ir::FusedMultiplyAdd>(value.op));
      ++instructions;
      return is_quick;
    });
    return is_quick && tiles.size() == 1 && instructions <= kMostInstructions;
  }

  /// Whether it would be computed more than once in each round of a loop that does not change it.
  bool is_taken_in_loop(ir::ValueId id) {
    return users_[id].size() > 1 &&
           std::ranges::any_of(takers_of(id), [&](const Taker& taker) { return taker.depth > depths_[id]; });
  }

  const std::set<Taker>& takers_of(ir::ValueId id) {
    const auto known = takers_.find(id);
    if (known != takers_.end()) return known->second;
    std::set<Taker> found = statements_[id];
    for (ir::ValueId user : users_[id]) {
      const ir::Op& op = kernel_.values[user].op;
      const bool takes_it =
          std::holds_alternative<ir::Dot>(op) || std::holds_alternative<ir::Reduce>(op) || is_shared(user);
      if (takes_it && !takers_of(user).empty()) found.insert({user, depths_[user]});
      if (!takes_it) found.insert(takers_of(user).begin(), takers_of(user).end());
    }
    return takers_[id] = std::move(found);
  }

  const ir::Kernel& kernel_;
  const TilePlan& plan_;
  std::map<ir::ValueId, std::vector<ir::ValueId>> users_;
  std::map<ir::ValueId, int> depths_;  // of values, where they are defined
  std::map<ir::ValueId, std::set<Taker>> statements_, takers_;
};

class Liveness {
 public:
  Liveness(const ir::Kernel& kernel, const TilePlan& plan)
      : kernel_(kernel), plan_(plan), shared_(shared_tiles(kernel, plan)) {
    for (const ir::Value& value : kernel.values)
      for (ir::ValueId operand : ir::operands_of(value.op)) ++uses_[operand];
    for (const ir::Grid& grid : kernel.grids) count_uses(grid.body);
    for (const ir::Grid& grid : kernel.grids) find_added(grid.body);
  }

  std::vector<std::vector<LiveTile>> run() {
    for (const ir::Grid& grid : kernel_.grids) block(grid.body, 0);
    std::vector<std::vector<LiveTile>> result(count_);
    for (const auto& [tile, life] : lives_)
      for (size_t k = life.first; k < life.last; ++k) result[k].push_back(tile);
    return result;
  }

 private:
  struct Life {
    size_t first, last;  // statements: where it is defined, and used for the last time
    size_t depth;        // of the loop in which it is defined
  };

  bool is_held(ir::ValueId id) const {
    const ir::Value& value = kernel_.values[id];
    const bool is_product = std::holds_alternative<ir::Dot>(value.op);
    return is_product ? is_tile(value.axes, plan_) && !added_.contains(id) : shared_.contains(id);
  }

  void count_uses(const ir::Block& statements) {
    for (const ir::Statement& statement : statements) {
      if (const auto* loop = std::get_if<ir::Loop>(&statement.node)) count_uses(loop->body);
      if (const auto* assign = std::get_if<ir::Assign>(&statement.node)) ++uses_[assign->value];
      if (const auto* declare = std::get_if<ir::Declare>(&statement.node)) ++uses_[declare->initial];
      if (const auto* write = std::get_if<ir::Write>(&statement.node)) ++uses_[write->value];
    }
  }
  void find_added(const ir::Block& statements) {
    for (const ir::Statement& statement : statements) {
      if (const auto* loop = std::get_if<ir::Loop>(&statement.node)) find_added(loop->body);
      const auto* assign = std::get_if<ir::Assign>(&statement.node);
      const auto added = assign ? product_summand(kernel_, uses_, *assign) : std::nullopt;
      if (added) added_.insert(*added);
    }
  }

  void block(const ir::Block& statements, size_t depth) {
    for (const ir::Statement& statement : statements) {
      const size_t here = count_++;
      if (const auto* loop = std::get_if<ir::Loop>(&statement.node)) {
        block(loop->body, depth + 1);
        // The next round uses it again.
        for (auto& [tile, life] : lives_)
          if (life.depth <= depth && life.last > here) life.last = count_;
      } else if (const auto* define = std::get_if<ir::Define>(&statement.node)) {
        const bool is_fold = std::holds_alternative<ir::Reduce>(kernel_.values[define->value].op);
        if (is_held(define->value) || is_fold) use_operands(define->value, here);
        if (is_held(define->value)) lives_[define->value] = {here, here, depth};
      } else if (const auto* declare = std::get_if<ir::Declare>(&statement.node)) {
        use(declare->initial, here);
        if (is_tile(kernel_.variables[declare->variable].axes, plan_))
          lives_[declare->variable] = {here, here, depth};
      } else if (const auto* assign = std::get_if<ir::Assign>(&statement.node)) {
        use(assign->value, here);
        end(assign->variable, here);
      } else if (const auto* write = std::get_if<ir::Write>(&statement.node)) {
        use(write->value, here);
      }
    }
  }

  void end(const LiveTile& tile, size_t here) {
    const auto found = lives_.find(tile);
    if (found != lives_.end()) found->second.last = std::max(found->second.last, here);
  }

  void use(ir::ValueId id, size_t here) { use(std::vector{id}, here); }
  void use_operands(ir::ValueId id, size_t here) { use(ir::operands_of(kernel_.values[id].op), here); }
  void use(std::vector<ir::ValueId> values, size_t here) {
    ir::for_each_below(kernel_, std::move(values), [&](ir::ValueId id) {
      const ir::Op& op = kernel_.values[id].op;
      const auto* read = std::get_if<ir::ReadVariable>(&op);
      const bool is_alive = lives_.contains(id);
      if (read) end(read->variable, here);
      if (is_alive) end(id, here);
      return !read && !is_alive && !std::holds_alternative<ir::Reduce>(op);  // folded where it is defined
    });
  }

  const ir::Kernel& kernel_;
  const TilePlan& plan_;
  const std::set<ir::ValueId> shared_;
  std::map<ir::ValueId, int> uses_;
  std::set<ir::ValueId> added_;
  std::map<LiveTile, Life> lives_;
  size_t count_ = 0;
};

}  // namespace

std::set<ir::ValueId> shared_tiles(const ir::Kernel& kernel, const TilePlan& plan) {
  Takers takers(kernel, plan);
  std::set<ir::ValueId> shared;
  for (size_t k = 0; k < kernel.values.size(); ++k)
    if (const ir::ValueId id = kernel.values.id_at(k); takers.is_shared(id)) shared.insert(id);
  return shared;
}

bool subtracts(const ir::Op& op, DType type) {
  const auto* binary = std::get_if<ir::Binary>(&op);
  const auto* fused = std::get_if<ir::FusedMultiplyAdd>(&op);
  return is_float(type) &&
         ((binary && binary->op == ir::BinaryOp::subtract) || (fused && fused->negate_addend));
}

std::optional<ir::ValueId> product_summand(const ir::Kernel& kernel, const std::map<ir::ValueId, int>& uses,
                                           const ir::Assign& assign) {
  const ir::Variable& variable = kernel.variables[assign.variable];
  const auto used_once = [&](ir::ValueId id) {
    const auto found = uses.find(id);
    return found != uses.end() && found->second == 1;
  };
  const auto fits = [&](ir::ValueId id) {
    const ir::Value& dot = kernel.values[id];
    return std::holds_alternative<ir::Dot>(dot.op) && used_once(id) && dot.dtype == variable.dtype &&
           dot.axes == variable.axes;
  };
  const ir::Value& value = kernel.values[assign.value];
  if (!used_once(assign.value) || !value.total) return std::nullopt;
  const auto* kept = std::get_if<ir::Coalesce>(&value.op);
  const ir::Op& op = kept ? kernel.values[kept->operand].op : value.op;
  if (const auto* fused = std::get_if<ir::FusedMultiplyAdd>(&op)) {
    const bool is_kept = !kept || (used_once(kept->operand) && kernel.values[fused->c].total);
    return is_kept && fits(fused->c) ? std::optional(fused->c) : std::nullopt;
  }
  const auto* sum = std::get_if<ir::Binary>(&op);
  if (kept || !sum || !(sum->op == ir::BinaryOp::add || subtracts(op, value.dtype))) return std::nullopt;
  if (fits(sum->right)) return sum->right;
  return fits(sum->left) && !subtracts(op, value.dtype) ? std::optional(sum->left) : std::nullopt;
}

std::vector<std::vector<LiveTile>> live_tiles(const ir::Kernel& kernel, const TilePlan& plan) {
  return Liveness(kernel, plan).run();
}

int64_t tile_registers(const ir::Kernel& kernel, const TilePlan& plan,
                       const std::vector<std::vector<LiveTile>>& live, const TileShape& shape) {
  const auto words = [&](const auto& entry) {
    int64_t elements = 1;
    for (ir::AxisId axis : entry.axes)
      if (plan.is_in_registers(axis)) elements *= shape.extent.at(axis);
    return elements * std::max<int64_t>(size_in_bytes(entry.dtype), kRegisterBytes) / kRegisterBytes /
           shape.threads();
  };
  int64_t most = 0;
  for (const std::vector<LiveTile>& together : live) {
    int64_t sum = 0;
    for (const LiveTile& tile : together) {
      const auto* variable = std::get_if<ir::VariableId>(&tile);
      sum +=
          variable ? words(kernel.variables[*variable]) : words(kernel.values[std::get<ir::ValueId>(tile)]);
    }
    most = std::max(most, sum);
  }
  return most;
}

int64_t step_registers(const ir::Kernel& kernel, const TilePlan& plan, const TileShape& shape) {
  int64_t most = 0;
  for (const auto& [id, product] : plan.products) {
    const DType type = kernel.values[product.rows.value].dtype;
    const int64_t tile_rows = shape.extent.at(product.rows.width),
                  tile_columns = shape.extent.at(product.columns.width);
    int64_t rows = tile_rows / shape.warp_rows, columns = tile_columns / shape.warp_columns, addresses = 0;
    if (product.rows.way == TileFactor::Way::registers) {
      rows = 0;
      columns = std::min(columns, kColumnsAtOnce);
    } else if (type == DType::f32 && !product.is_tf32) {
      addresses = kFmaAddresses + place_registers(tile_rows, rows, kRowsOfBlock) +
                  place_registers(tile_columns, columns, kColumnsOfBlock);
      rows *= kLanesOfRow;
      columns = kLanesOfColumn * std::min(columns, kFmaColumnsAtOnce);
    }
    const int64_t bytes = (rows + columns) * instruction_depth(type, product.is_tf32) * size_in_bytes(type);
    most = std::max(most, bytes / (kWarpThreads * kRegisterBytes) + addresses);
  }
  return most;
}

}  // namespace tessera::emit
