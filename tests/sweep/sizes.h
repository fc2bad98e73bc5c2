// SPDX-License-Identifier: Apache-2.0
// Which sizes a kernel is tried at.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference/reference.h"

namespace tessera::sweep {

/// Elements of all tensors of a case together.
std::int64_t element_count(const reference::Case& description, const reference::Sizes& sizes);

/// Each symbol in turn takes 0, 1, 7, 17, 40, 104, 127, 250, 1000 and 4099 while the others are all 1, 17, 64 or
/// 130; 20 random combinations follow, and each pair of symbols at 4099 with the others at 130. Where that is more
/// than `largest` elements, the other symbols shrink, the last ones first. Without repetition, always in the same order.
std::vector<reference::Sizes> all_sizes(const reference::Case& description, std::int64_t largest);

/// All small problems, and every n-th of the larger ones, so that they have about `budget` elements together;
/// of those at most `count`, spread evenly.
std::vector<reference::Sizes> sample(const reference::Case& description,
                                     const std::vector<reference::Sizes>& sizes, std::int64_t budget,
                                     std::size_t count);

/// "M=250 N=130"
std::string spell(const reference::Sizes& sizes);

}  // namespace tessera::sweep
