// SPDX-License-Identifier: Apache-2.0
// The named limits of source files. They are checked before and while parsing, so that no input, whatever its
// bytes, exhausts a stack or the memory of any later phase.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::limits {

inline constexpr std::size_t kFileBytes = 4u << 20;
inline constexpr std::size_t kTokens = 1'000'000;
/// Brackets of all kinds, braces included, open at once.
inline constexpr std::size_t kNestingDepth = 256;
/// Operations on the longest path from the root of an expression to a leaf: `a + a + … + a`, `- - - a`, `(((a)))`.
inline constexpr std::size_t kExpressionDepth = 1024;
inline constexpr std::size_t kNameLength = 256;
/// Elements of one list: parameters, arguments, ranges, indices, array elements.
inline constexpr std::size_t kListLength = 65'536;

}  // namespace tessera::limits
