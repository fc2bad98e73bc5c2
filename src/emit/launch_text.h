// SPDX-License-Identifier: Apache-2.0
// What a launcher says to launch a variant: how many blocks, and what the function is passed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "emit/lower.h"
#include "emit/naming.h"
#include "emit/plan.h"

namespace tessera::emit {

/// Names of a launcher's own, none of which the kernel's program has.
class LaunchNames {
 public:
  explicit LaunchNames(const ir::Kernel& kernel);

  /// Of the sizes of a choice, which one is quickest, and what launches one of them.
  struct Choice {
    std::string sizes, is_quickest, run;
  };
  /// The names of the choice that a variant is of.
  const Choice& of(const Variant& variant);

  /// Another name.
  std::string take(const std::string& wanted) { return names_.take(wanted); }

  /// Of what launches tiles of any size: their extents, and what is known of them.
  std::string tile_type, tile, size;

 private:
  NameAllocator names_;
  std::map<std::string, Choice> choices_;
};

class LaunchText {
 public:
  /// All of them outlive the object.
  LaunchText(const KernelPlan& plan, const LoweredPhase& lowered, LaunchNames& names)
      : plan_(plan), kernel_(*plan.kernel), lowered_(lowered), names_(names) {}

  /// Units of work, where blocks run alone.
  lowered::Expr units_of(const Variant& variant) const;
  std::string units(const Variant& variant) const;

  /// As many blocks as take them.
  std::string blocks(const Variant& variant) const;

  /// Descriptions of boxes, if there are any.
  std::vector<std::string> maps(const Variant& variant) const;

  /// What blocks that may share terms go by; "" for others.
  std::string size(const Variant& variant) const;

  /// What a function in tiles launches for several variants: C++ in which these differ by the fields of a tile alone, by
  /// `kernel`, `threads`, `shared` and, where blocks may share terms, the size. `fields` are those of the tile, by axis.
  std::vector<std::string> by_names(const Variant& variant,
                                    const std::map<ir::AxisId, std::string>& fields) const;

 private:
  std::string persistent_blocks(const Variant& variant, const std::string& size) const;
  std::string cluster_of(const Variant& variant) const;
  static Variant with_cluster(const Variant& variant, const std::string& cluster);
  lowered::Expr specialise(const lowered::Expr& expression, const Variant& variant) const;

  const KernelPlan& plan_;
  const ir::Kernel& kernel_;
  const LoweredPhase& lowered_;
  LaunchNames& names_;
};

}  // namespace tessera::emit
