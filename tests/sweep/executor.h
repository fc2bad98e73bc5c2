// SPDX-License-Identifier: Apache-2.0
// A means to run the kernel of a problem: the interpreter, or generated code somewhere.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reference/reference.h"
#include "sweep/device_tensor.h"

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
  /// several host threads at once. Returns what that cost in steps of the twin's threads.
  virtual std::int64_t run(reference::Problem& problem, Layout layout,
                           const std::function<void(Run)>& take) = 0;
};

/// The type-erased entry of a kernel.
using Entry = TesseraStatus (*)(const TesseraTensor*, const TesseraScalar*, const TesseraLaunch*);

/// Generated code that is in this process, on the GPU or on the host twin: every variant that fits.
class LaunchExecutor : public Executor {
 public:
  /// `find` gives the entry of a kernel, or null where it is not run, whatever threads ask for it; `label` begins the
  /// description of each run. Without an order, sizes and layouts take turns over kTwinOrders.
  explicit LaunchExecutor(std::function<Entry(const std::string&)> find, std::string label = {},
                          std::optional<TwinOrder> order = {})
      : find_(std::move(find)), label_(std::move(label)), order_(order) {}

  std::string name() const override;
  bool sees_layouts() const override { return true; }
  std::int64_t run(reference::Problem& problem, Layout layout, const std::function<void(Run)>& take) override;

 private:
  std::function<Entry(const std::string&)> find_;
  std::string label_;
  std::optional<TwinOrder> order_;
};

}  // namespace tessera::sweep
