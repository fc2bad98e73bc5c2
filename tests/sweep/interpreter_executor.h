// SPDX-License-Identifier: Apache-2.0
// Runs the checked IR of a kernel in the interpreter, in declared types, at several partitions.
#pragma once

#include <map>

#include "sema/ir/module.h"
#include "sweep/executor.h"

namespace tessera::sweep {

class InterpreterExecutor : public Executor {
 public:
  /// Parses and checks the sources of all cases; aborts with the diagnostics when one has a mistake.
  InterpreterExecutor();

  std::string name() const override { return "interp"; }
  bool sees_layouts() const override { return false; }
  std::int64_t run(reference::Problem& problem, Layout layout, const std::function<void(Run)>& take) override;

 private:
  const ir::Kernel& kernel_of(const reference::Case& description) const;

  std::map<std::string, ir::Module> modules_;  // by file
};

}  // namespace tessera::sweep
