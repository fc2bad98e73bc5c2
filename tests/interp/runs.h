// SPDX-License-Identifier: Apache-2.0
// Running kernels in tests: at every partition, with the check that none of them changes a result.
#pragma once

#include <string>
#include <vector>

#include "interp/interpreter.h"

namespace tessera::testing {

/// An array of the given numbers; their count is that of the extents.
interp::Array array_of(DType dtype, std::vector<int64_t> extents, const std::vector<double>& numbers);
/// Random numbers in [low, high).
interp::Array random_array(DType dtype, std::vector<int64_t> extents, double low = -2, double high = 2);
/// All elements as doubles.
std::vector<double> numbers_of(const interp::Array& array);

/// Tile extents 1, 3, chosen and whole; instances forward, reverse and in two random orders.
std::vector<interp::Partition> partitions();

/// Runs a kernel that must succeed.
interp::Result run_or_fail(const ir::Kernel& kernel, const interp::Arguments& arguments,
                           interp::Numbers numbers = interp::Numbers::declared);
/// The same at every partition; outputs must be bitwise the same.
interp::Result run_at_all_partitions(const ir::Kernel& kernel, const interp::Arguments& arguments,
                                     interp::Numbers numbers = interp::Numbers::declared);

}  // namespace tessera::testing
