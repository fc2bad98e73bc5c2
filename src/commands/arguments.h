// SPDX-License-Identifier: Apache-2.0
// A problem's arrays, and its interpretation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/problem.h"
#include "interp/array.h"
#include "interp/interpreter.h"

namespace tessera::commands {

/// Arrays that files gave, by the name of the tensor.
using NamedArrays = std::map<std::string, interp::Array>;

/// Arrays for all tensors, by TensorId: those of `given`, random ones for other inputs (floats in [-2, 2),
/// signed integers in [-100, 100), unsigned ones in [0, 100)), zeros for outputs. The same seed gives the
/// same bits.
std::vector<interp::Array> make_tensors(const Problem& problem, const NamedArrays& given, uint64_t seed);

/// Runs the problem in the interpreter. The result has all tensors by TensorId; in the f64 mode, float
/// outputs are f64 arrays. What the interpreter refuses is reported.
std::optional<std::vector<interp::Array>> interpret(const Problem& problem,
                                                    const std::vector<interp::Array>& tensors,
                                                    const interp::Options& options, DiagnosticSink& sink);

/// Reads `NAME=file.npy` for inputs of the kernel, and adds the sizes that follow from them to `settings`.
std::optional<NamedArrays> read_inputs(const ir::Kernel& kernel, const std::vector<std::string>& items,
                                       Settings& settings, DiagnosticSink& sink);

/// The tensor called `name`, an output or an input as `output` says; otherwise a report.
std::optional<ir::TensorId> find_tensor(const ir::Kernel& kernel, const std::string& name, bool output,
                                        DiagnosticSink& sink);

/// Splits `NAME=FILE`; what is no pair is reported as wrong usage of `flag`.
std::optional<std::pair<std::string, std::string>> split_pair(const std::string& item, std::string_view flag,
                                                              DiagnosticSink& sink);

}  // namespace tessera::commands
