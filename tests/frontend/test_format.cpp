// SPDX-License-Identifier: Apache-2.0
// The formatter: layout, comments, and that it changes nothing but white space and trailing commas.
#include "catch.h"
#include "frontend/dump.h"
#include "frontend/format.h"
#include "support/program.h"

using namespace tessera;
using namespace tessera::test;

namespace {

std::string formatted(const std::string& text) {
  const auto program = parse_text(text);
  INFO(program->rendered());
  REQUIRE(program->file);
  const std::string once = format(*program->file, program->source());
  const auto again = parse_text(once);
  INFO(once << again->rendered());
  REQUIRE(again->file);
  CHECK(dump(*again->file) == dump(*program->file));
  CHECK(format(*again->file, again->source()) == once);
  CHECK(again->file->comments.size() == program->file->comments.size());
  return once;
}

}  // namespace

TEST_CASE("sample programs: expected layout, equal tree, and formatting again changes nothing") {
  for (const auto& path : files_in("frontend/programs", ".tsr")) {
    INFO(path.filename().string());
    auto expected = path;
    compare_with_file(expected.replace_extension(".fmt"), formatted(read_file(path)));
  }
}

TEST_CASE("statements stand one to a line, short blocks stay as written") {
  CHECK(formatted("kernel k ( ) {let a=1 ;let b=-2;}") == "kernel k() { let a = 1; let b = -2; }\n");
  CHECK(formatted("kernel k() {\nlet a=1 ;let b=-2;}") == "kernel k() {\n  let a = 1;\n  let b = -2;\n}\n");
  CHECK(formatted("fn f ( x:f32 )->f32{return x;}") == "fn f(x: f32) -> f32 { return x; }\n");
}

TEST_CASE("blank lines: at most one, none at the ends of a block") {
  CHECK(formatted("\n\nconst a = 1;\n\n\n\nconst b = 2;\n\n") == "const a = 1;\n\nconst b = 2;\n");
  CHECK(formatted("fn f() {\n\n\n  let a = 1;\n\n\n  let b = 2;\n\n}\n") ==
        "fn f() {\n  let a = 1;\n\n  let b = 2;\n}\n");
}

TEST_CASE("comments keep their places") {
  const std::string text =
      "// first\n"
      "\n"
      "/// documentation\n"
      "@tile(BM = 4)  // why 4\n"
      "kernel k(\n"
      "  in x: f32[N],  // the input\n"
      "  // on its own\n"
      "  out y: f32[N]  // the output\n"
      ") where N > 1 {  // after the head\n"
      "  // at the start\n"
      "  grid i in N {\n"
      "    y[i] = x[i];  // copied\n"
      "\n"
      "    /* a block */\n"
      "    if a {  // then\n"
      "      y[i] = 1;\n"
      "    } else {  // otherwise\n"
      "      y[i] = 2;\n"
      "      // at the end\n"
      "    }\n"
      "  }  // end of grid\n"
      "}\n"
      "// last\n";
  CHECK(formatted(text) == text);
}

TEST_CASE("comments inside a statement come before it, none is lost") {
  CHECK(formatted("fn f() {\n  let a = 1 +  // one\n    2;  // two\n}\n") ==
        "fn f() {\n  // one\n  let a = 1 + 2;  // two\n}\n");
  formatted("const /* a */ b /* c */ = /* d */ [1, // e\n 2, /* f */ ]; // g\nconst h = 1;");
  formatted(
      "kernel k /* a */ ( /* b */ in x /* c */ : f32[N] /* d */ ) /* e */ where N > 1 /* f */ { /* g */ }");
  formatted("/// doc\nfn f() /* a */ { /* b */ if a /* c */ { } /* d */ else /* e */ { } }");
  formatted("fn f() { channel a /* x */ { /* y */ b: f32; /* z */ } role r // w\n { } }");
}

TEST_CASE("documentation stays with what it documents") {
  const auto program =
      parse_text("// no\n/// one\n///   two\nkernel k() { }\n\n/// apart\n\nkernel l() { }\n");
  REQUIRE(program->file);
  const auto& file = *program->file;
  CHECK(file[file.declarations[0]].documentation == std::vector<std::string>{"one", "  two"});
  CHECK(file[file.declarations[1]].documentation.empty());
  const auto blanks = parse_text("/// one \t\n///  \nkernel k() { }\n");
  REQUIRE(blanks->file);
  CHECK((*blanks->file)[blanks->file->declarations[0]].documentation == std::vector<std::string>{"one", ""});
  const auto indented = parse_text("/// one\r\n\f kernel k() { }\n");
  REQUIRE(indented->file);
  CHECK((*indented->file)[indented->file->declarations[0]].documentation == std::vector<std::string>{"one"});
}

TEST_CASE("a carriage return without its line feed is refused, since it ends no line") {
  const auto program = parse_text("/// one\rkernel k() { }\n");
  CHECK(program->codes() == "T0111");
}

TEST_CASE("a point behind a number stays apart from it") {
  CHECK(formatted("fn f() { let a = 1000 . b; let c = 1.5 .d + (2).e; }") ==
        "fn f() { let a = 1000 .b; let c = 1.5 .d + (2).e; }\n");
}

TEST_CASE("long lines break between the parts of the outermost construct") {
  const std::string out = formatted(
      "fn f() { let value = first_long_name * second_long_name + third_long_name * fourth_long_name + "
      "fifth_long_name(argument_one, argument_two); }");
  CHECK(out ==
        "fn f() {\n"
        "  let value = first_long_name * second_long_name\n"
        "      + third_long_name * fourth_long_name\n"
        "      + fifth_long_name(argument_one, argument_two);\n"
        "}\n");
}

TEST_CASE("parentheses are those of the source, doubled ones are one") {
  CHECK(formatted("const a = ((1 + 2)) * (3);") == "const a = (1 + 2) * (3);\n");
  CHECK(formatted("const a = - - 1;") == "const a = - -1;\n");
}

TEST_CASE("a comma before a closing bracket goes") {
  CHECK(formatted("const a = [1, 2,];") == "const a = [1, 2];\n");
  CHECK(formatted("kernel k(in x: f32[N,],) { let a = f(x,); }") ==
        "kernel k(in x: f32[N]) { let a = f(x); }\n");
}

TEST_CASE("line ends become those of Unix") {
  CHECK(formatted("const a = 1;\r\n\r\n// b\r\nconst c = 2;") == "const a = 1;\n\n// b\nconst c = 2;\n");
}
