// SPDX-License-Identifier: Apache-2.0
// Limits and hostile bytes: whatever is in a file, parsing ends soon, with diagnostics and without a crash.
#include <chrono>

#include "base/limits.h"
#include "base/load_source.h"
#include "catch.h"
#include "frontend/dump.h"
#include "frontend/format.h"
#include "support/program.h"

using namespace tessera;
using namespace tessera::test;

namespace {

std::string repeat(std::string_view text, std::size_t count) {
  std::string out;
  out.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

std::string with_value(const std::string& value) {
  return "kernel f(in x: f32[N], out y: f32[N]) {\n  grid i in N by auto { y[i] = " + value + "; }\n}\n";
}

std::string codes_of(std::string text) { return parse_text(std::move(text))->codes(); }

std::vector<std::string> sample_programs() {
  std::vector<std::string> out;
  for (const auto& path : files_in("frontend/programs", ".tsr")) out.push_back(read_file(path));
  return out;
}

}  // namespace

TEST_CASE("brackets may nest to the limit and not beyond") {
  for (const auto& [open, close] : {std::pair("(", ")"), std::pair("[", "]")}) {
    // Two braces and the parentheses around it are open already.
    const std::size_t room = limits::kNestingDepth - 2;
    CHECK(codes_of(with_value(repeat(open, room) + "1" + repeat(close, room))).empty());
    CHECK(codes_of(with_value(repeat(open, room + 1) + "1" + repeat(close, room + 1))) == "T0004");
    CHECK(codes_of(with_value(repeat(open, 100'000) + "1" + repeat(close, 100'000))) == "T0004");
    CHECK(codes_of(repeat(open, 100'000)) == "T0004");
    CHECK_FALSE(codes_of(repeat(close, 100'000)).empty());
  }
  CHECK(codes_of(with_value("1; " + repeat("if a { ", 100'000))) == "T0004");
  CHECK(codes_of("fn f() -> " + repeat("(", 100'000)) == "T0004");
}

TEST_CASE("expressions may be deep to the limit and not beyond") {
  const std::size_t most = limits::kExpressionDepth;
  CHECK(codes_of(with_value(repeat("1 + ", most - 1) + "1")).empty());
  CHECK(codes_of(with_value(repeat("1 + ", most) + "1")) == "T0006");
  CHECK(codes_of(with_value(repeat("1 + ", 100'000) + "1")) == "T0006");
  CHECK(codes_of(with_value(repeat("-", 100'000) + "1")) == "T0006");
  CHECK(codes_of(with_value(repeat("!", 100'000) + "a")) == "T0006");
  CHECK(codes_of(with_value("a" + repeat("[1]", 100'000))) == "T0006");
  CHECK(codes_of(with_value("a" + repeat(".b", 100'000))) == "T0006");
  CHECK(codes_of(with_value("a" + repeat("(1)", 100'000))) == "T0006");
  CHECK(codes_of(with_value("a" + repeat(" as f32", 100'000))) == "T0120");
  // Chains inside brackets add up.
  std::string nested = "1";
  for (int i = 0; i < 100; ++i) nested = "(" + nested + repeat(" + 1", 20) + ")";
  CHECK(codes_of(with_value(nested)) == "T0006");
}

TEST_CASE("the deepest trees that are accepted can be printed") {
  const std::size_t most = limits::kExpressionDepth;
  for (const std::string& value :
       {repeat("1 + ", most - 1) + "1", repeat("-", most - 1) + "1", "a" + repeat("[1]", most - 1)}) {
    const auto program = parse_text(with_value(value));
    REQUIRE(program->file);
    CHECK_FALSE(dump(*program->file).empty());
    const auto again = parse_text(format(*program->file, program->source()));
    REQUIRE(again->file);
    CHECK(dump(*again->file) == dump(*program->file));
  }
}

TEST_CASE("many else branches are no depth") {
  CHECK(codes_of(with_value("1; if a { }" + repeat(" else if b { }", 10'000) + " y[i] = 2")).empty());
}

TEST_CASE("sizes: file, tokens, names, lists") {
  CHECK(codes_of(repeat(" ", limits::kFileBytes)).empty());
  CHECK(codes_of(repeat(" ", limits::kFileBytes + 1)) == "T0002");
  CHECK(codes_of(repeat("(", 10u << 20)) == "T0002");
  CHECK(codes_of(repeat("+", limits::kTokens + 1)) == "T0003");
  CHECK(codes_of("const " + repeat("a", limits::kNameLength) + " = 1;").empty());
  CHECK(codes_of("const " + repeat("a", limits::kNameLength + 1) + " = 1;") == "T0005");
  CHECK(codes_of("const a = " + repeat("1", limits::kNameLength + 1) + ";") == "T0005");
  CHECK(codes_of("const a = [" + repeat("1, ", limits::kListLength - 1) + "1];").empty());
  CHECK(codes_of("const a = [" + repeat("1, ", limits::kListLength) + "1];") == "T0007");
}

TEST_CASE("bytes that are no text are refused where they stand") {
  const auto latin = parse_text("// caf\xE9\nconst a = 1;\n");
  CHECK(latin->codes() == "T0008");
  CHECK(latin->source().line_column(latin->sink.sorted().front().span.begin) == LineColumn{1, 7});
  CHECK(codes_of(std::string("const a\0 = 1;", 13)) == "T0009");
  CHECK(codes_of("const a = 1;\x7f") == "T0009");
  CHECK(codes_of("\xC0\x80") == "T0008 T0008");                // an overlong form
  CHECK(codes_of("// \xED\xA0\x80").substr(0, 5) == "T0008");  // a surrogate
  CHECK(codes_of(repeat("\xFF", 1000)) == "T0008 T0008 T0008 T0008 T0008");
}

TEST_CASE("a byte order mark is accepted, and so are line feeds with and without carriage returns") {
  CHECK(codes_of("\xEF\xBB\xBF"
                 "const a = 1;\n")
            .empty());
  CHECK(codes_of("const a = 1;\r\n// b\r\nconst c = 2;\r\n").empty());
  CHECK(codes_of("const a = 1; // b\rconst c = 2;\n") == "T0111");
  CHECK(codes_of("\fconst a = 1;").empty());
  CHECK(codes_of("").empty());
  CHECK(codes_of("// only a comment").empty());
}

TEST_CASE("every byte value in every place of a small program is survived") {
  const std::string program =
      "kernel f<int G = 4>(in x: f32[N]) where N in {1, 2} { y[x, :] = a.b[c = 3](1.5) as f32; }\n";
  for (std::size_t place = 0; place <= program.size(); ++place) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = program;
      changed.insert(place, 1, static_cast<char>(byte));
      const auto result = parse_text(changed);
      REQUIRE(result->file.has_value() == !result->sink.has_errors());
      if (place < program.size()) changed.erase(place + 1, 1);
      parse_text(changed);
    }
  }
}

TEST_CASE("every prefix and every cut of every sample is survived") {
  for (const std::string& program : sample_programs()) {
    for (std::size_t end = 0; end <= program.size(); ++end) {
      const auto result = parse_text(program.substr(0, end));
      REQUIRE(result->file.has_value() == !result->sink.has_errors());
      // Leave out eight bytes: brackets and keywords go missing in the middle.
      if (end + 8 < program.size() && end % 3 == 0)
        parse_text(program.substr(0, end) + program.substr(end + 8));
    }
  }
}

TEST_CASE("every diagnostic of a damaged sample can be shown") {
  for (const std::string& program : sample_programs()) {
    for (std::size_t end = 0; end < program.size(); end += 37) {
      const auto result = parse_text(program.substr(0, end));
      CHECK(result->rendered().empty() == !result->sink.has_errors());
    }
  }
}

TEST_CASE("parsing takes time in proportion to the text") {
  std::string text;
  for (int i = 0; i < 600; ++i) {
    text += fmt::format("kernel k{}(in x: bf16[R, C], out y: bf16[R, C]) {{\n  grid r in R by auto {{\n", i);
    for (int line = 0; line < 13; ++line)
      text += fmt::format("    let e{} = exp(x[r, :] - max[C](x[r, :])) * {};\n", line, line);
    text += "    y[r, :] = e0 / sum[C](e1) as bf16;\n  }\n}\n";
  }
  const auto start = std::chrono::steady_clock::now();
  const auto result = parse_text(text);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  CHECK(result->file.has_value());
  CHECK(elapsed.count() < 10.0);  // a fraction of a second without sanitizers on an idle machine
}

TEST_CASE("files that cannot be read are reported without a place") {
  SourceManager sources;
  DiagnosticSink sink;
  CHECK_FALSE(load_source("/no/such/file.tsr", sources, sink));
  CHECK_FALSE(load_source("/", sources, sink));
  CHECK_FALSE(load_source("/dev/zero", sources, sink));
  CHECK_FALSE(load_source("", sources, sink));
  REQUIRE(sink.sorted().size() == 4);
  for (const Diagnostic& diagnostic : sink.sorted()) {
    CHECK(diagnostic.kind == Diag::file_not_readable);
    CHECK_FALSE(diagnostic.span.valid());
  }
}
