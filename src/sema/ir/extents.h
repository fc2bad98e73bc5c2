// SPDX-License-Identifier: Apache-2.0
// How many coordinates an axis has, as far as it is known before a launch.
#pragma once

#include <cstdint>
#include <optional>

#include "sema/ir/module.h"

namespace tessera::ir {

/// How many coordinates an axis has: none where its range ends before it begins.
SizeId extent_of(const Kernel& kernel, SizeTable& sizes, AxisId axis);

/// The same, if it is known to the compiler; the largest integer if it is beyond every integer.
std::optional<std::int64_t> constant_extent(const Kernel& kernel, SizeTable& sizes, AxisId axis);

/// What bounds the extent of an axis at every launch: a constant, or the greatest value of a symbol that differs from the
/// extent by a constant.
std::optional<std::int64_t> greatest_extent(const Kernel& kernel, SizeTable& sizes, AxisId axis);

}  // namespace tessera::ir
