// SPDX-License-Identifier: Apache-2.0
// The loads whose tiles a function in tiles copies to shared memory, and the boxes that they come in.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "emit/plan.h"

namespace tessera::emit {

/// A staged load with what decides how it is copied.
struct StagedLoad {
  ir::ValueId value;
  const TileFactor* factor;
};

/// Those of one plan in tiles, each once. Refers to the plan, and calls things as its launcher does.
class StagedLoads {
 public:
  StagedLoads(KernelPlan& plan, const TilePlan& tiles);

  auto begin() const { return loads_.begin(); }
  auto end() const { return loads_.end(); }
  size_t size() const { return loads_.size(); }
  bool empty() const { return loads_.empty(); }
  const StagedLoad& operator[](size_t number) const { return loads_[number]; }
  /// The number of a load that is one of them.
  size_t number_of(ir::ValueId load) const;
  const StagedLoad& of(ir::ValueId load) const { return loads_[number_of(load)]; }

  ir::TensorId tensor_id(const StagedLoad& load) const;
  const ir::Tensor& tensor_of(const StagedLoad& load) const { return kernel_.tensors[tensor_id(load)]; }
  /// The extent of an axis, as the launcher says it.
  std::string extent_of(ir::AxisId axis) const;
  /// The extents of all axes that a product is computed along, which reads a factor.
  std::vector<std::string> extents_of_terms(const TileFactor& factor) const;

  /// Whether warpgroups multiply it whichever way its lines run.
  bool takes_either(const StagedLoad& load) const;
  /// Whether boxes of lines along the width begin at multiples of 16 bytes, as the copy engine asks for.
  bool may_lie_along_width(const StagedLoad& load) const;
  /// Whether another plan turns it.
  bool may_turn(const StagedLoad& load) const;
  /// Along which dimensions its lines may run to be multiplied by warpgroups.
  std::set<size_t> dimensions_of_lines(const StagedLoad& load) const;

  /// The name of its boxes. Loads of one tensor share them, unless they want lines along different dimensions.
  std::string boxes_of(const StagedLoad& load) const;
  /// Of loads that share boxes the one of which most is computed, as far as the number of axes says.
  std::map<std::string, const StagedLoad*> by_boxes() const;
  /// What holds where its lines run along what is summed over.
  std::string lie_along_depth(const StagedLoad& load) const;
  /// What has to hold for a load: its boxes are there, along the one way that suits it where the other has a plan of its own.
  std::string have_boxes(const StagedLoad& load) const;
  /// When the launcher lets a tensor lie across what is summed over.
  std::string may_be_turned(const StagedLoad& load) const;

 private:
  std::string lie_along(const StagedLoad& load, size_t dimension) const;

  KernelPlan& plan_;  // whose table of sizes gets those that are named
  const ir::Kernel& kernel_;
  const TilePlan& tiles_;
  std::vector<StagedLoad> loads_;
};

}  // namespace tessera::emit
