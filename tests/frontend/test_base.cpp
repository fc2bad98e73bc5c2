// SPDX-License-Identifier: Apache-2.0
// Ids, stores, checks, element types, and lines and columns of source text.
#include <cmath>
#include <set>
#include <unordered_set>

#include "base/check.h"
#include "base/dtype.h"
#include "base/id.h"
#include "base/rounding.h"
#include "base/source.h"
#include "base/utf8.h"
#include "catch.h"

using namespace tessera;

namespace {
using AnimalId = Id<struct AnimalTag>;
}

TEST_CASE("ids are invalid until a store hands them out") {
  Store<AnimalId, std::string> store;
  CHECK_FALSE(AnimalId().valid());
  CHECK(store.empty());
  const AnimalId cat = store.add("cat");
  const std::string& first = store[cat];
  for (int i = 0; i < 1000; ++i) store.add("dog");
  CHECK(&store[cat] == &first);
  CHECK(store[cat] == "cat");
  CHECK(store.size() == 1001);
  CHECK(cat < store.id_at(1));
  CHECK(store.contains(cat));
  CHECK_FALSE(store.contains(AnimalId()));
  CHECK_THROWS_AS(store[AnimalId()], InternalError);
  CHECK_THROWS_AS(store[AnimalId(5000)], InternalError);
  CHECK(std::unordered_set<AnimalId>{cat, cat, store.id_at(1)}.size() == 2);
}

TEST_CASE("a failed check says what must hold, and where") {
  try {
    TESSERA_CHECK(1 + 1 == 3, "arithmetic works");
    FAIL("no exception");
  } catch (const InternalError& error) {
    CHECK(std::string(error.what()).find("arithmetic works (") == 0);
    CHECK(std::string(error.what()).find("1 + 1 == 3") != std::string::npos);
  }
  CHECK_THROWS_AS(unreachable("here"), InternalError);
}

TEST_CASE("every element type has one spelling and consistent facts") {
  std::set<std::string_view> spellings;
  for (const DTypeInfo& row : all_dtypes()) {
    INFO(row.spelling);
    CHECK(spellings.insert(row.spelling).second);
    CHECK(dtype_from_spelling(row.spelling) == row.dtype);
    CHECK(&info(row.dtype) == &row);
    CHECK(arithmetic_type(arithmetic_type(row.dtype)) == arithmetic_type(row.dtype));
    CHECK(is_float(row.dtype) == (row.unit_roundoff > 0));
    CHECK(is_float(row.dtype) + is_integer(row.dtype) + is_bool(row.dtype) == 1);
    CHECK(is_packed(row.dtype) == (size_in_bytes(row.dtype) == 0));
    if (is_narrow_float(row.dtype)) CHECK(arithmetic_type(row.dtype) == DType::f32);
  }
  CHECK_FALSE(dtype_from_spelling("float"));
  CHECK_FALSE(dtype_from_spelling(""));
  CHECK(cpp_spelling(DType::bf16) == "tessera::bf16");
  CHECK(info(DType::bf16).unit_roundoff == std::ldexp(1.0, -8));
  CHECK(info(DType::f32).unit_roundoff == std::ldexp(1.0, -24));
}

TEST_CASE("lines and columns count characters from one") {
  SourceManager sources;
  const SourceFile& file = sources.file(sources.add("a.tsr", "ab\n\tλx\r\n\nend"));
  CHECK(file.line_count() == 4);
  CHECK(file.line_text(1) == "ab");
  CHECK(file.line_text(2) == "\tλx");
  CHECK(file.line_text(3).empty());
  CHECK(file.line_text(4) == "end");
  CHECK(file.line_column(0) == LineColumn{1, 1});
  CHECK(file.line_column(2) == LineColumn{1, 3});
  CHECK(file.line_column(3) == LineColumn{2, 1});
  CHECK(file.line_column(4) == LineColumn{2, 2});
  CHECK(file.line_column(6) == LineColumn{2, 3});  // past the two bytes of λ
  CHECK(file.line_column(1000) == LineColumn{4, 4});
  CHECK(file.text_of({file.id(), 4, 6}) == "λ");
  CHECK_THROWS_AS(file.line_text(5), InternalError);
  CHECK_THROWS_AS(file.text_of({file.id(), 4, 600}), InternalError);
}

TEST_CASE("empty files and files without a last newline have lines too") {
  SourceManager sources;
  CHECK(sources.file(sources.add("empty", "")).line_count() == 1);
  CHECK(sources.file(sources.add("one", "x")).line_count() == 1);
  CHECK(sources.file(sources.add("newline", "x\n")).line_count() == 1);
  CHECK(sources.file(sources.add("two", "x\ny")).line_count() == 2);
}

TEST_CASE("spans merge, and nothing merges with anything") {
  const FileId file{0};
  CHECK(merge({file, 2, 4}, {file, 8, 9}) == Span{file, 2, 9});
  CHECK(merge({file, 8, 9}, {file, 2, 4}) == Span{file, 2, 9});
  CHECK(merge({}, {file, 2, 4}) == Span{file, 2, 4});
  CHECK(merge({file, 2, 4}, {}) == Span{file, 2, 4});
  CHECK_FALSE(Span().valid());
  CHECK(Span{file, 2, 9}.contains({file, 2, 4}));
  CHECK_FALSE(Span{file, 2, 9}.contains({FileId{1}, 2, 4}));
  CHECK_THROWS_AS(merge({file, 2, 4}, {FileId{1}, 2, 4}), InternalError);
}

TEST_CASE("UTF-8 is told from what only looks like it") {
  CHECK(utf8_length("aλ€😀") == 4);
  CHECK(utf8_length("\xFF\xFE") == 2);
  CHECK(utf8_sequence_length("\xF0\x9F\x98\x80", 0) == 4);
  for (const char* bad : {"\x80", "\xC0\x80", "\xC2", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
                          "\xF4\x90\x80\x80", "\xF5"}) {
    CHECK(utf8_sequence_length(bad, 0) == 0);
  }
}

TEST_CASE("numbers of a type are written with as few digits as name them") {
  struct Case {
    double written;
    DType dtype;
    const char* text;
  };
  const Case cases[] = {
      {1e-5, DType::f32, "1e-5"},
      {1e-5, DType::f64, "1e-5"},
      {0.1, DType::bf16, "0.1"},
      {0.3, DType::bf16, "0.3"},
      {1e-5, DType::f16, "1e-5"},
      {2, DType::f32, "2.0"},
      {-0.5, DType::f32, "-0.5"},
      {0, DType::f64, "0.0"},
      {-0.0, DType::f32, "-0.0"},
      {1e30, DType::f32, "1e30"},
      {16777217, DType::f64, "16777217.0"},
      {1.0 / 3, DType::f32, "0.33333334"},
      {1.0 / 3, DType::f64, "0.3333333333333333"},
      {0.3, DType::fp8_e4m3, "0.3"},
      {INFINITY, DType::f32, "inf"},
      {-INFINITY, DType::bf16, "-inf"},
      {5e-324, DType::f64, "5e-324"},
      {1e-45, DType::f32, "1e-45"},
  };
  for (const Case& expected : cases) {
    INFO(expected.text);
    CHECK(shortest_decimal(round_to(expected.written, expected.dtype), expected.dtype) == expected.text);
  }
}
