// SPDX-License-Identifier: Apache-2.0
// The text form: every sample reads back as it was written, and mistakes are told with their place.
#include <cmath>
#include <cstring>
#include <limits>

#include "catch.h"
#include "ir/samples.h"
#include "sema/ir/text.h"
#include "sema/ir/verifier.h"

namespace tessera::ir {

namespace {

struct Mistake {
  std::string message;
  std::string place;  // the text at fault
};

Mistake mistake_in(const std::string& text) {
  SourceManager sources;
  DiagnosticSink sink;
  const FileId file = sources.add("test.ir", text);
  REQUIRE_FALSE(parse(sources.file(file), sink));
  REQUIRE(sink.error_count() == 1);
  const Diagnostic diagnostic = sink.sorted().front();
  REQUIRE(diagnostic.kind == Diag::ir_text_malformed);
  return {diagnostic.message, std::string(sources.file(file).text_of(diagnostic.span))};
}

std::string kernel_with(const std::string& lines) { return "kernel k as k {\n" + lines + "\n}\n"; }

}  // namespace

TEST_CASE("samples are sound and read back as they were written") {
  const std::vector<std::string> paths = testing::sample_paths();
  REQUIRE(paths.size() >= 10);
  for (const std::string& path : paths) {
    INFO(path);
    const std::string text = testing::sample_text(path);
    const Kernel kernel = testing::parse_kernel(text);
    REQUIRE(print(kernel) == text);
    REQUIRE(verify(kernel) == std::vector<std::string>{});
  }
}

TEST_CASE("a module is its kernels, a blank line between them") {
  Module module;
  module.kernels = {testing::sample("add_one"), testing::sample("softmax")};
  SourceManager sources;
  DiagnosticSink sink;
  const std::string text = print(module);
  const std::optional<Module> again = parse(sources.file(sources.add("m.ir", text)), sink);
  REQUIRE(again);
  REQUIRE(again->kernels.size() == 2);
  REQUIRE(print(*again) == text);
}

TEST_CASE("what was read has the structure that was written") {
  const Kernel kernel = testing::sample("transpose");
  REQUIRE(kernel.symbols.size() == 3);
  REQUIRE(kernel.symbols[SymbolId(0)].allowed == std::vector<int64_t>{4, 8, 130});
  REQUIRE(kernel.symbols[SymbolId(1)].maximum == 4096);
  REQUIRE(kernel.axes[AxisId(3)].name == "m");
  REQUIRE(kernel.axes[AxisId(3)].kind == AxisKind::loop);
  REQUIRE(kernel.axes[AxisId(3)].step_size == 4);
  REQUIRE(kernel.axes[AxisId(1)].step_name == "BN");
  REQUIRE(kernel.axes[AxisId(2)].step == StepKind::none);
  REQUIRE(kernel.axes[AxisId(0)].dimension == SymbolId(0));
  REQUIRE(kernel.constraints.size() == 2);
  REQUIRE(kernel.grids.size() == 2);
  REQUIRE(kernel.values[ValueId(9)].axes.empty());
  REQUIRE(std::get<Load>(kernel.values[ValueId(2)].op).in_bounds == 3);
  const auto& loop = std::get<Loop>(kernel.grids[1].body[3].node);
  REQUIRE(loop.axis == AxisId(3));
  REQUIRE(loop.body.size() == 8);
}

TEST_CASE("constants keep their bits") {
  const double numbers[] = {0.0,
                            -0.0,
                            0.1,
                            5e-324,
                            -1.7976931348623157e308,
                            1e22,
                            3.0,
                            std::numeric_limits<double>::infinity(),
                            -std::numeric_limits<double>::infinity()};
  for (const double number : numbers) {
    Kernel kernel;
    kernel.name = kernel.c_name = "k";
    const ValueId real = kernel.values.add({Constant{{number, 0}}, DType::f64, {}, true, "", {}});
    const ValueId integer = kernel.values.add({Constant{{0, INT64_MIN}}, DType::i64, {}, true, "", {}});
    kernel.grids.push_back({{}, {{Define{real}, {}}, {Define{integer}, {}}}, {}, {}});
    const Kernel again = testing::parse_kernel(print(kernel));
    const double read = std::get<Constant>(again.values[real].op).value.real;
    REQUIRE(std::memcmp(&read, &number, sizeof read) == 0);
    REQUIRE(std::get<Constant>(again.values[integer].op).value.integer == INT64_MIN);
  }
  const Kernel nan = testing::parse_kernel(kernel_with("grid {\n%0: f32 = constant nan\n}"));
  REQUIRE(std::isnan(std::get<Constant>(nan.values[ValueId(0)].op).value.real));
}

TEST_CASE("texts may hold anything") {
  Kernel kernel;
  kernel.name = kernel.c_name = "k";
  kernel.doc = "a \"quoted\" \\ line\nand\ta \x01 byte, ü";
  REQUIRE(testing::parse_kernel(print(kernel)).doc == kernel.doc);
}

TEST_CASE("value numbers that nothing defines stay free") {
  const Kernel kernel = testing::parse_kernel(kernel_with("  grid {\n    %7: i32 = constant 1\n  }"));
  REQUIRE(kernel.values.size() == 8);
  REQUIRE(verify(kernel).empty());
  REQUIRE(testing::parse_kernel(print(kernel)).values.size() == 8);
}

TEST_CASE("mistakes are told with their place") {
  const auto check = [](const std::string& text, const std::string& message, const std::string& place) {
    const Mistake mistake = mistake_in(text);
    CHECK(mistake.message == "the IR text cannot be read: " + message);
    CHECK(mistake.place == place);
  };
  check("colonel", "expected `kernel`, found `colonel`", "colonel");
  check("kernel k as k {", "expected `}`, found the end of the file", "");
  check(kernel_with("axis i: let 0 .. M"), "`M` is not the name of a symbol", "M");
  check(kernel_with("in x: float[]"), "`float` is not an element type", "float");
  check(kernel_with("symbol M symbol M"), "`M` is declared twice", "M");
  check(kernel_with("grid { %0: f32 = frobnicate %1 }"), "`frobnicate` is not an operation", "frobnicate");
  check(kernel_with("grid { %0: f32 = constant 1.0 %0: f32 = constant 1.0 }"), "`%0` is defined twice", "%0");
  check(kernel_with("grid { %0: f32 = add %1 }"), "expected 2 operands", "%1");
  check(kernel_with("grid { %0: i32 = constant 9223372036854775808 }"),
        "`9223372036854775808` is no 64-bit integer", "9223372036854775808");
  check(kernel_with("grid { %0: f32 = load x[] }"), "`x` is not the name of a tensor", "x");
  check(kernel_with("axis k: let 0 .. 2 grid { %0: index[k] = coordinate k %1: index = dot[k] %0 }"),
        "expected `,`, found `}`", "}");
  check(kernel_with("axis k: let 0 .. 2 grid { %0: index[k] = coordinate k %1: index = dot[q] %0, %0 }"),
        "`q` is not the name of an axis", "q");
  check(kernel_with("doc \"open"), "a text has no closing quote on its line", "\"");
  check(kernel_with("grid { %4294967296: f32 = constant 1.0 }"), "`%4294967296` is no value number",
        "%4294967296");
  check(kernel_with("in x: f32[] grid { %0: f32 = load x[] in_bounds(32) }"),
        "a tensor has no such dimension", "32");
  check(kernel_with("verb"), "a line of a kernel cannot begin with `verb`", "verb");
}

TEST_CASE("deep nesting is refused, not suffered") {
  std::string blocks = "axis i: loop 0 .. 1\ngrid {";
  for (int i = 0; i < 100'000; ++i) blocks += "for i {";
  mistake_in(kernel_with(blocks));
  mistake_in(kernel_with("axis i: let 0 .. " + std::string(100'000, '(')));
}

}  // namespace tessera::ir
