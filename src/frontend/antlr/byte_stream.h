// SPDX-License-Identifier: Apache-2.0
// The bytes of a source file as ANTLR's character stream. Tokens then carry byte offsets, and nothing is decoded:
// characters beyond ASCII stand only in comments and strings.
#pragma once

#include <CharStream.h>

#include <string>
#include <string_view>

namespace tessera::antlr {

class ByteStream : public antlr4::CharStream {
 public:
  /// Hands out the bytes `[begin, end)` of `text`, numbered as in `text`, which must outlive the stream.
  ByteStream(std::string_view text, std::size_t begin, std::size_t end)
      : text_(text), position_(begin), end_(end) {}

  void consume() override;
  std::size_t LA(ssize_t offset) override;
  ssize_t mark() override { return 0; }
  void release(ssize_t) override {}
  std::size_t index() override { return position_; }
  void seek(std::size_t position) override { position_ = position; }
  std::size_t size() override { return end_; }
  std::string getSourceName() const override { return {}; }
  std::string getText(const antlr4::misc::Interval& interval) override;
  std::string toString() const override { return std::string(text_); }

 private:
  std::string_view text_;
  std::size_t position_;
  std::size_t end_;
};

}  // namespace tessera::antlr
