// SPDX-License-Identifier: Apache-2.0
// A kernel with everything it needs to run: a size for each symbol, a value for each scalar, shapes of its
// tensors.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "sema/ir/module.h"

namespace tessera::commands {

/// What `--set NAME=VALUE` gives: whole numbers for symbols, numbers for scalars.
using Settings = std::map<std::string, std::string>;

struct Problem {
  const ir::Kernel* kernel = nullptr;
  std::vector<int64_t> sizes;        // by SymbolId
  std::vector<ir::Literal> scalars;  // by ScalarId

  int64_t evaluate(ir::SizeId size) const;
  /// The extents of a tensor.
  std::vector<int64_t> extents(ir::TensorId tensor) const;
  /// Bytes of all tensors together; absent when the number is beyond 63 bits.
  std::optional<int64_t> bytes() const;
  /// "M=250 N=130"
  std::string spell_sizes() const;
  /// The first constraint that the sizes break, or null.
  const ir::Constraint* broken_constraint() const;
};

/// Splits `NAME=VALUE`; what is no pair is reported.
std::optional<Settings> parse_settings(const std::vector<std::string>& items, DiagnosticSink& sink);

/// The kernel called `name`, or the only one. Otherwise a report that lists them.
const ir::Kernel* choose_kernel(const ir::Module& module, const std::string& name, const std::string& path,
                                DiagnosticSink& sink);

/// Sizes and scalars as the settings say. A symbol that is not set takes the first candidate with which every
/// constraint can hold, the settings being as they are; a scalar takes its default, else 1. Mistakes are
/// reported as wrong usage.
std::optional<Problem> make_problem(const ir::Kernel& kernel, const Settings& settings,
                                    const std::vector<int64_t>& candidates, DiagnosticSink& sink);

}  // namespace tessera::commands
