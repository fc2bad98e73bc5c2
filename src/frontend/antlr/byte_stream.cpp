// SPDX-License-Identifier: Apache-2.0
// See byte_stream.h.
#include "frontend/antlr/byte_stream.h"

#include <misc/Interval.h>

#include "base/check.h"

namespace tessera::antlr {

void ByteStream::consume() {
  TESSERA_CHECK(position_ < end_, "the lexer stops at the end of the text");
  ++position_;
}

std::size_t ByteStream::LA(ssize_t offset) {
  if (offset == 0) return 0;
  const ssize_t at = static_cast<ssize_t>(position_) + (offset > 0 ? offset - 1 : offset);
  if (at < 0 || at >= static_cast<ssize_t>(end_)) return IntStream::EOF;
  return static_cast<unsigned char>(text_[static_cast<std::size_t>(at)]);
}

std::string ByteStream::getText(const antlr4::misc::Interval& interval) {
  const auto begin = static_cast<std::size_t>(interval.a);
  return std::string(text_.substr(begin, static_cast<std::size_t>(interval.b) + 1 - begin));
}

}  // namespace tessera::antlr
