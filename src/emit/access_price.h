// SPDX-License-Identifier: Apache-2.0
// What loads and stores of a group of threads cost, relative to accesses of 16 bytes.
#pragma once

#include <vector>

#include "emit/analysis.h"

namespace tessera::emit {

/// Of an access whose neighbours in a group lie apart in memory, and of one whose neighbours lie a few elements apart.
inline constexpr double kScattered = 8, kStrided = 2;

/// Bytes that all instances together access; an extent that is known at launch only counts as a typical one.
double weight_of(const ir::Kernel& kernel, ir::SizeTable& sizes, const Access& access);

/// The price of a byte when threads lie along these axes.
double price_of(ir::SizeTable& sizes, const Access& access, const std::vector<ir::AxisId>& lanes);

}  // namespace tessera::emit
