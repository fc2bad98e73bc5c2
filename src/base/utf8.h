// SPDX-License-Identifier: Apache-2.0
// The little UTF-8 that diagnostics need: lengths in characters, and where a text is not UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

namespace tessera {

/// Bytes of the well-formed UTF-8 sequence at `text[position]`, or 0 if none starts there.
std::size_t utf8_sequence_length(std::string_view text, std::size_t position);

/// Number of characters (code points); a byte that belongs to no well-formed sequence counts as one.
std::size_t utf8_length(std::string_view text);

}  // namespace tessera
