// SPDX-License-Identifier: Apache-2.0
// Proofs about values at points: does it exist, is an index inside, does a condition hold (R10, R14).
#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sema/ir/affine.h"
#include "sema/ir/module.h"
#include "sema/prove/size_facts.h"

namespace tessera::sema {

/// What is known of the point at which something is asked.
struct Situation {
  std::map<ir::AxisId, ir::SizeId> pins;  ///< coordinates that are fixed
  std::vector<ir::Affine> facts;          ///< each at least 0
};

/// Why a proof of existence failed: the first value that may not exist.
struct Absence {
  ir::ValueId value;
  int dimension = -1;  ///< of a load: the index that may be outside
  bool below = false;  ///< it may be negative, rather than too large
};

class Prover {
 public:
  Prover(ir::Kernel& kernel, SizeFacts& facts) : kernel_(kernel), facts_(facts) {}

  /// True if the value is proved to exist at every point of its axes that the situation allows. Values that are
  /// marked total are believed.
  bool exists(ir::ValueId value, const Situation& situation);

  /// The same, but comparisons that cannot be proved are collected as conditions (each at least 0) under which the
  /// value exists. Absent if its existence hangs on anything else.
  std::optional<std::vector<ir::Affine>> conditions_of_existence(ir::ValueId value,
                                                                 const Situation& situation);

  /// True if an operand of the reduction is proved to exist at one point of the axes that it folds.
  bool has_witness(const ir::Reduce& op, const Situation& situation);

  /// True if a condition is proved to hold (`wanted`) or to fail.
  bool implied(ir::ValueId condition, bool wanted, const Situation& situation);

  /// True if an index is proved to lie in 0 .. extent.
  bool inside(ir::ValueId index, ir::SizeId extent, const Situation& situation);

  /// offset + Σ coefficient · axis with pinned axes replaced; `range.id` counts as an axis, see `tile_axis`.
  std::optional<ir::Affine> form(ir::ValueId value, const Situation& situation);

  bool nonnegative(const ir::Affine& form, const Situation& situation);

  /// Bounds of an axis, also of a tile axis.
  ir::SizeId lower(ir::AxisId axis);
  ir::SizeId upper(ir::AxisId axis);

  /// The axis that stands for the number of the current tile of a range with a semantic step.
  ir::AxisId tile_axis(ir::AxisId axis) const;
  /// The range behind an axis that may be a tile axis.
  ir::AxisId base_axis(ir::AxisId axis) const;

  /// What the last failed `exists` stumbled over.
  const std::optional<Absence>& absence() const { return absence_; }

  SizeFacts& facts() { return facts_; }
  ir::Kernel& kernel() { return kernel_; }

 private:
  using Memo = std::unordered_map<ir::ValueId, bool>;

  std::vector<ir::ValueId> required_operands(ir::ValueId value) const;
  bool exists(ir::ValueId value, const Situation& situation, Memo& memo);
  bool exists_op(ir::ValueId value, const Situation& situation, Memo& memo);
  bool load_exists(const ir::Load& op, ir::ValueId value, const Situation& situation, Memo& memo);
  bool select_exists(const ir::Select& op, const Situation& situation, Memo& memo);
  bool try_witnesses(const ir::Reduce& op, std::size_t position, Situation& situation, int& budget);

  bool counts_something(const ir::Binary& op, const Situation& situation);
  bool comparison_implied(const ir::Binary& op, bool wanted, const Situation& situation);
  void assume(ir::ValueId condition, bool holds, Situation& situation);
  std::optional<std::int64_t> evaluate(ir::ValueId value, const Situation& situation);

  std::optional<ir::SizeId> constant_form(ir::ValueId value, const Situation& situation);
  bool may_wrap(ir::ValueId value) const;
  bool keeps_value(const ir::Cast& cast, ir::ValueId value, const Situation& situation);
  bool at_least_zero(ir::ValueId value, const Situation& situation);
  bool below(ir::ValueId value, ir::SizeId bound, const Situation& situation);
  bool holds(const ir::Affine& form, const Situation& situation);
  bool minimum_nonnegative(const ir::Affine& form, const Situation& situation);

  const std::optional<ir::Affine>& plain_form(ir::ValueId value);
  std::optional<ir::Affine> make_form(ir::ValueId value);
  std::optional<ir::Affine> form_of_binary(const ir::Binary& op, ir::ValueId value);
  ir::Affine sum(const ir::Affine& a, const ir::Affine& b, std::int64_t sign);
  ir::Affine scaled(const ir::Affine& a, ir::SizeId factor);

  ir::Kernel& kernel_;
  SizeFacts& facts_;
  std::unordered_map<ir::ValueId, std::optional<ir::Affine>> forms_;
  std::optional<Absence> absence_;
  std::vector<ir::Affine>* collected_ = nullptr;
};

}  // namespace tessera::sema
