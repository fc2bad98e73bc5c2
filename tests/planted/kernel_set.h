// SPDX-License-Identifier: Apache-2.0
// The kernels that every planted fault has to pass, and the sizes they are tried at: the same for all faults.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/source.h"
#include "emit/emit.h"
#include "reference/reference.h"
#include "sema/ir/module.h"

namespace tessera::planted {

/// Kernels of one source file under one plan.
struct Source {
  std::string file;
  std::vector<std::string> kernels;
  emit::PlanOverrides plan = {};
  std::string architecture = "sm_90";
};

/// A kernel and the sizes at which it is run.
struct Trial {
  std::string name;  ///< of the case
  std::vector<reference::Sizes> sizes;
};

/// Kernels that are compiled and run together.
struct KernelSet {
  std::string name;
  bool has_products;
  std::vector<Source> sources;
  std::vector<Trial> trials;
  std::vector<std::string> without_special =
      {};  // numbers: terms that do not exist are 0 times the other factor
};

/// Numbers, rows and other lines, then plain products, uneven tiles and others. A fault begins with the set that is most
/// likely to find it and goes round; one that is found is not shown to the rest.
std::vector<const KernelSet*> all_sets();

/// The problems of a set, solved.
using Problems = std::vector<std::unique_ptr<reference::Problem>>;
Problems solve(const KernelSet& set);

}  // namespace tessera::planted
