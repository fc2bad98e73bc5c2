// SPDX-License-Identifier: Apache-2.0
// What a launcher passes to functions with roles: boxes of tensors, and how many blocks of a cluster share them.
#pragma once

#include <string>

#include "emit/lowered.h"
#include "emit/plan.h"
#include "emit/staged_loads.h"
#include "emit/tile_plan.h"

namespace tessera::emit {

/// Expressions speak of sizes of tiles by the names of the template's parameters, and of `cluster`.
class BoxArguments {
 public:
  /// All of them outlive the object.
  BoxArguments(KernelPlan& plan, const TilePlan& tiles, const StagedLoads& loads)
      : plan_(plan), kernel_(*plan.kernel), tiles_(tiles), loads_(loads) {}

  /// The argument that describes the boxes of a load.
  lowered::Expr argument(const StagedLoad& load, const TileShape& shape) const;

  /// The blocks of a cluster for tiles of a shape; null where they run alone.
  lowered::Expr cluster_of(const TileShape& shape) const;

  bool launches_choose_clusters() const;
  /// What the launcher knows of clusters: the rows that their blocks share out, whether copies are slow, and the columns that
  /// all blocks share out.
  std::string declare_clusters() const;

 private:
  lowered::Expr extent_of(ir::AxisId axis, const TileShape& shape) const;
  ir::AxisId rows_of_clusters() const;
  bool is_brought_by_cluster(const TileFactor& factor, const TileShape& shape) const;
  lowered::Expr lines_along_k(const TileFactor& factor, const TileShape& shape) const;
  lowered::Expr lines_across_k(const TileFactor& factor, const TileShape& shape) const;
  std::string span_of(const TileFactor& source, const TileShape& shape) const;
  std::string span_across(const TileFactor& turned, const TileShape& shape) const;

  KernelPlan& plan_;
  const ir::Kernel& kernel_;
  const TilePlan& tiles_;
  const StagedLoads& loads_;
};

}  // namespace tessera::emit
