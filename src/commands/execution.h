// SPDX-License-Identifier: Apache-2.0
// Runs generated code on the host twin or on a GPU: compiled, loaded into this process, launched on given
// arrays.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "commands/problem.h"
#include "commands/session.h"
#include "commands/target_flags.h"
#include "commands/toolbox.h"
#include "interp/array.h"

namespace tessera::commands {

enum class Place { interpreter, host_twin, gpu };

/// A loaded kernel.
class LoadedKernel {
 public:
  /// The most variants a kernel has for one architecture.
  static constexpr int kMostVariants = 32;

  struct Launch {
    int variant = -1;  // -1: the launcher chooses
    int repeats = 0;   // timed launches after the first one
  };
  struct Outcome {
    bool ran = false;                    // false: this variant does not exist or does not fit the arguments
    double milliseconds = 0;             // median of the timed launches
    std::vector<interp::Array> tensors;  // by TensorId: inputs as they were, outputs as they are now
  };

  const std::string& device() const { return device_name_; }

  /// Launches on copies of `tensors`, the outputs of which are filled with 0xA5 first, so that what is not
  /// written shows. Absent after a report: the launcher refused the arguments, the device failed, the twin
  /// found a fault.
  std::optional<Outcome> run(const Problem& problem, const std::vector<interp::Array>& tensors,
                             const Launch& launch, DiagnosticSink& sink) const;

  /// What a plain copy of so many bytes reaches on this device, in bytes per second; 0 if it cannot be
  /// measured.
  double copy_bandwidth(int64_t bytes) const;

 private:
  friend std::optional<LoadedKernel> load_kernel(Session&, Toolbox&, const ir::Module&, const ir::Kernel&,
                                                 Place, const TargetOptions&, const std::string&);
  struct Runner;
  struct DeviceTensors;

  std::string fault_text(int fault) const;

  const ir::Kernel* kernel_ = nullptr;
  const Runner* runner_ = nullptr;
  void* invoke_ = nullptr;
  std::string device_name_;
  std::vector<std::string> units_;  // texts of the .cu files, to find the source lines of faults
};

/// Emits, compiles and loads a kernel. On a GPU the newest architecture that the device runs is taken, unless
/// the options name one.
std::optional<LoadedKernel> load_kernel(Session& session, Toolbox& toolbox, const ir::Module& module,
                                        const ir::Kernel& kernel, Place place, const TargetOptions& target,
                                        const std::string& source_path);

}  // namespace tessera::commands
