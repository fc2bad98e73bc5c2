// SPDX-License-Identifier: Apache-2.0
// How far the results of a correct implementation may be from exact arithmetic: a kernel run with error
// bounds.
#pragma once

#include <vector>

#include "commands/problem.h"
#include "interp/array.h"

namespace tessera::commands {

/// One output of a kernel, element by element in C order.
struct OutputBounds {
  ir::TensorId tensor;
  std::vector<double> values;  // in exact arithmetic, as f64 gives it
  std::vector<double> errors;  // 0: to be met bit by bit; infinity: anything may come out
};

/// Runs the kernel on `tensors` (by TensorId; outputs only give their place) with a bound on the error of
/// every value, in its declared types. Sums may be taken in any order, and loops whose step is the planner's
/// in any partition: the larger one of the bounds for steps of one and for the whole extent is taken.
std::vector<OutputBounds> bound_errors(const Problem& problem, const std::vector<interp::Array>& tensors);

}  // namespace tessera::commands
