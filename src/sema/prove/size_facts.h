// SPDX-License-Identifier: Apache-2.0
// Inequalities between sizes, proved from a kernel's constraints and from assumptions.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "sema/ir/module.h"

namespace tessera::sema {

class SizeFacts {
 public:
  explicit SizeFacts(ir::Kernel& kernel);

  /// The size with equal symbols replaced: one form for what constraints make equal.
  ir::SizeId canonical(ir::SizeId size);

  /// True if the size is proved to be at least 0 for all sizes that the constraints allow.
  bool nonnegative(ir::SizeId size);
  bool at_most(ir::SizeId a, ir::SizeId b) { return nonnegative(sizes_.subtract(b, a)); }
  bool equal(ir::SizeId a, ir::SizeId b) { return canonical(a) == canonical(b); }

  /// Assumes that a size is at least 0 until `release(mark)`.
  std::size_t mark() const { return assumed_.size(); }
  void assume_nonnegative(ir::SizeId size);
  void release(std::size_t mark);

  ir::SizeTable& sizes() { return sizes_; }

 private:
  bool prove(ir::SizeId size, int depth);
  bool bounded_below(ir::SizeId size) const;
  bool is_exact(const ir::SizeTable::AtomNode& quotient);
  std::optional<ir::SizeId> without_floor(ir::SizeId size);
  bool by_cases(ir::SizeId size, int depth, bool& applies);
  bool by_enumeration(ir::SizeId size, bool& applies) const;
  std::optional<std::int64_t> minimum_by(ir::SizeId fact, ir::SymbolId symbol) const;
  std::int64_t minimum(ir::SymbolId symbol) const;

  ir::Kernel& kernel_;
  ir::SizeTable& sizes_;
  std::map<ir::SymbolId, ir::SizeId> equalities_;
  std::vector<ir::SizeId> assumed_;
  std::map<ir::SizeId, bool> proved_;  // valid for the present assumptions
  std::map<ir::SizeId, ir::SizeId> canonical_;
};

}  // namespace tessera::sema
