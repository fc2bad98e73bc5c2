// SPDX-License-Identifier: Apache-2.0
// The meaning of a kernel, executable: runs the IR on arrays of the host, at any partition into tiles.
//
//   interp::Arguments arguments;
//   arguments.tensors["x"] = x;
//   const interp::Result result = interp::run(kernel, arguments, {interp::Numbers::declared, {}});
//   if (result.ok()) use(result.outputs.at("y"));
#pragma once

#include <map>
#include <optional>
#include <string>

#include "interp/array.h"
#include "interp/error.h"
#include "interp/launch.h"
#include "interp/tile.h"
#include "interp/tiling.h"
#include "sema/ir/module.h"

namespace tessera::interp {

struct Options {
  /// `declared`: every operation is rounded in the type of its value, sums in ascending order of coordinates;
  /// elementwise kernels give the bits of the generated code. `f64`: floats are doubles throughout, and float
  /// outputs are f64 arrays: the reference to compare with. Arguments are rounded to their types in both.
  Numbers numbers = Numbers::declared;
  Partition partition{};
};

struct Result {
  std::map<std::string, Array> outputs;  ///< by name; empty after an error
  std::optional<Error> error;

  bool ok() const { return !error; }
};

/// Runs a kernel. Errors are: arguments that the launcher would refuse, an element written by two instances,
/// an element of an output that nobody writes, something that was proved (an index in bounds, a value that
/// exists) and does not hold, a kernel that the verifier refuses, more memory than there is. Throws nothing.
Result run(const ir::Kernel& kernel, const Arguments& arguments, const Options& options = {});

}  // namespace tessera::interp
