// SPDX-License-Identifier: Apache-2.0
// Conditions on affine forms: what the relation of a range is a conjunction of (R12).
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sema/ir/ops.h"
#include "sema/ir/size.h"

namespace tessera::ir {

struct Kernel;

/// offset + Σ coefficient · axis, coefficients and offset being sizes; axes ascending, no zero coefficient.
struct Affine {
  SizeId offset;
  std::vector<std::pair<AxisId, SizeId>> terms;

  /// The coefficient of `axis`, or nothing when it does not occur.
  std::optional<SizeId> coefficient(AxisId axis) const;
  auto operator<=>(const Affine&) const = default;
};

/// What holds of a form at a point; with a modulus, of its floored remainder.
enum class Sign { at_least_zero, zero, not_zero };

/// A comparison or congruence: `form + Σ coefficient · scalar` is at least 0, is 0, or is not.
struct Conjunct {
  Sign sign = Sign::at_least_zero;
  Affine form;
  std::vector<std::pair<ScalarId, SizeId>> scalars;  // ascending, no zero coefficient
  int64_t modulus = 0;                               // 0: none; `at_least_zero` has none

  bool operator==(const Conjunct&) const = default;
};

/// Appends the conjuncts of a condition; false if a part of it is no comparison or congruence of affine forms.
bool append_conjuncts(const Kernel& kernel, SizeTable& sizes, ValueId condition,
                      std::vector<Conjunct>& conjuncts);

}  // namespace tessera::ir
