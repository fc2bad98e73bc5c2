// SPDX-License-Identifier: Apache-2.0
// The programs in a Markdown page: blocks fenced as `tsr`, with what their info strings expect of them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::test {

/// A block fenced as ```tsr, ```tsr fail=T0312 or ```tsr warn=T0515.
struct Snippet {
  std::size_t line = 0;  ///< of the opening fence, from 1
  std::string fails;     ///< the code that must be reported, or empty
  std::string warns;     ///< the code of the warning that must be reported, or empty
  std::string prose;     ///< what stands between the block before, of any language, and this one
  std::string text;      ///< the program, each line with its end
};

/// The snippets of a page in order. A word of an info string that is not understood throws std::runtime_error.
std::vector<Snippet> snippets_of(std::string_view page);

}  // namespace tessera::test
