// SPDX-License-Identifier: Apache-2.0
// The names that generated code declares outside of functions: each must be one kernel's alone.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "emit/lowered.h"
#include "sema/ir/module.h"

namespace tessera::emit {

/// Renames __global__ functions that a tensor, scalar or symbol of the same name would hide in the launcher.
void keep_visible(const ir::Kernel& kernel, std::vector<lowered::Function>& functions);

/// Of one generated file.
class GlobalNames {
 public:
  /// Notes what is declared for a kernel: functions of C and C++, __global__ functions, tables. Reports the first of
  /// these names that another kernel, or the runtime, has already.
  void add(const ir::Kernel& kernel, const std::vector<lowered::Function>& functions, DiagnosticSink& sink);

 private:
  std::map<std::string, const ir::Kernel*> owners_;
};

}  // namespace tessera::emit
