// SPDX-License-Identifier: Apache-2.0
// Under which plans a generated program is compiled.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "emit/emit.h"
#include "fuzz/oracle.h"
#include "sweep/shared_unit.h"

namespace tessera::fuzz {

struct Configuration {
  std::string architecture;
  emit::PlanOverrides plan;
  std::string name() const;
};

/// The planner's choice on one architecture, and random plans on either: warps, vectors, tiles, 1 to 7 stages.
std::vector<Configuration> configurations(const ir::Module& module, std::uint64_t seed, std::size_t count);

/// What became of a program under a plan.
struct Emitted {
  std::optional<sweep::UnitProgram> program;
  bool is_refused = false;  ///< the plan cannot be, and a diagnostic said so
  std::string failure;      ///< of the compiler
};

/// `number` is that of the program in its unit.
Emitted emit_program(Checked& checked, const Configuration& configuration, std::size_t number,
                     const std::optional<emit::Fault>& fault);

}  // namespace tessera::fuzz
