// SPDX-License-Identifier: Apache-2.0
// Blocks with roles: tiles of factors that are the same for all of an instance. They are asked for before the statement that
// reads them first, and given back behind the one that does last.
#include <fmt/format.h>

#include <algorithm>

#include "emit/tile_live.h"
#include "emit/tile_lowering.h"

namespace tessera::emit {

namespace {

lowered::Expr local(const std::string& name) { return lowered::name(name, DType::index); }

}  // namespace

// A product is computed where it is defined, or where it is added to a variable.
bool TileLowering::is_read_by(const FactorTile& tile, const ir::Statement& statement) const {
  if (const auto* loop = std::get_if<ir::Loop>(&statement.node))
    return std::ranges::any_of(loop->body,
                               [&](const ir::Statement& inner) { return is_read_by(tile, inner); });
  const auto* define = std::get_if<ir::Define>(&statement.node);
  const auto* assign = std::get_if<ir::Assign>(&statement.node);
  const std::optional<ir::ValueId> dot = define   ? std::optional(define->value)
                                         : assign ? product_summand(kernel_, analysis_.uses, *assign)
                                                  : std::nullopt;
  const auto product = dot ? tiles_.products.find(*dot) : tiles_.products.end();
  return product != tiles_.products.end() &&
         (product->second.rows.shares_tile(tile.factor) || product->second.columns.shares_tile(tile.factor));
}

// The tiles that a statement of an instance is the first to read.
std::vector<FactorTile*> TileLowering::staying_from(const ir::Block& statements, size_t k) {
  std::vector<FactorTile*> found;
  for (FactorTile& tile : factors_) {
    const auto is_reader = [&](const ir::Statement& statement) { return is_read_by(tile, statement); };
    const auto reader = std::ranges::find_if(statements, is_reader);
    if (tile.factor.stays && reader - statements.begin() == static_cast<std::ptrdiff_t>(k))
      found.push_back(&tile);
  }
  return found;
}

// Those that it is the last to read.
std::vector<FactorTile*> TileLowering::staying_to(const ir::Block& statements, size_t k) {
  std::vector<FactorTile*> found;
  for (FactorTile& tile : factors_) {
    const auto is_reader = [&](const ir::Statement& statement) { return is_read_by(tile, statement); };
    if (tile.factor.stays && is_reader(statements[k]) &&
        std::none_of(statements.begin() + static_cast<std::ptrdiff_t>(k) + 1, statements.end(), is_reader))
      found.push_back(&tile);
  }
  return found;
}

void TileLowering::ask_for_staying(const ir::Block& statements, size_t k) {
  for (const FactorTile* tile : staying_from(statements, k))
    fill_stage(tile->stages, {&tile->factor}, bytes_of({&tile->factor}));
}

void TileLowering::receive_staying(const ir::Block& statements, size_t k) {
  for (FactorTile* tile : staying_from(statements, k)) receive_stage({&tile->factor});
}

void TileLowering::release_staying(const ir::Block& statements, size_t k) {
  for (const FactorTile* tile : staying_to(statements, k)) {
    const StageNames& stages = tile->stages;
    emit(lowered::Evaluate{local(fmt::format("{}.release_own({}.stage)", stages.ring, stages.at))});
    emit(lowered::Evaluate{local(stages.at + ".advance()")});
  }
}

}  // namespace tessera::emit
