// SPDX-License-Identifier: Apache-2.0
// A means to run the kernel of a problem: the interpreter, or generated code somewhere.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "reference/reference.h"
#include "sweep/placement.h"

namespace tessera::sweep {

/// What a kernel wrote: the elements of each output in row-major order.
using Outputs = std::map<std::string, std::vector<double>>;

/// One execution of a problem.
struct Run {
  std::string how;    ///< "variant 2", "partition 3"
  std::string error;  ///< empty when the outputs are there
  Outputs outputs;
};

class Executor {
 public:
  virtual ~Executor() = default;
  virtual std::string name() const = 0;
  /// Whether the layout of tensors makes a difference.
  virtual bool sees_layouts() const = 0;
  /// Executes a problem in every way there is (variants, partitions) and hands each run on. May be called by
  /// several host threads at once.
  virtual void run(reference::Problem& problem, Layout layout, const std::function<void(Run)>& take) = 0;
};

/// Generated code that is linked into this program, on the GPU or on the host twin.
class LaunchExecutor : public Executor {
 public:
  std::string name() const override;
  bool sees_layouts() const override { return true; }
  void run(reference::Problem& problem, Layout layout, const std::function<void(Run)>& take) override;
};

}  // namespace tessera::sweep
