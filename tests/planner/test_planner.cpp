// SPDX-License-Identifier: Apache-2.0
// Programs and their plans, or what is said about what they ask for.
#include "base/explain.h"
#include "catch.h"
#include "emit/emit.h"
#include "sema/check.h"
#include "sema/ir/text.h"
#include "support/program.h"

using namespace tessera;
using namespace tessera::test;

namespace {

struct Planned : Program {
  std::optional<ir::Module> module;
};

std::unique_ptr<Planned> plan_text(std::string text, std::string path, const emit::Options& options = {}) {
  auto program = std::make_unique<Planned>();
  parse_into(*program, std::move(text), std::move(path));
  if (program->file) program->module = check(*program->file, program->sink);
  if (program->module) emit::check_plans(*program->module, options, program->sink);
  return program;
}

std::unique_ptr<Planned> plan_file(const std::filesystem::path& path) {
  return plan_text(read_file(path), std::filesystem::relative(path, tests_folder()).generic_string());
}

std::filesystem::path beside(std::filesystem::path path, const char* extension) {
  return path.replace_extension(extension);
}

constexpr const char* kGemm =
    "kernel gemm(in A: bf16[M, K], in B: bf16[K, N], out C: bf16[M, N]) {\n"
    "  grid m in M by BM, n in N by auto {\n"
    "    var acc: f32[m, n] = 0;\n"
    "    for k in K by auto { acc += dot(A[m, k], B[k, n]); }\n"
    "    C[m, n] = acc as bf16;\n"
    "  }\n"
    "}\n";

}  // namespace

TEST_CASE("what cannot be honoured is told where it is asked for, and sums where a product is written") {
  for (const auto& path : files_in("planner/programs", ".tsr")) {
    const std::string name = path.filename().string();
    if (!name.starts_with("fail_") && !name.starts_with("warn_")) continue;
    const auto program = plan_file(path);
    INFO(name);
    CHECK(program->sink.has_errors() == name.starts_with("fail_"));
    CHECK((program->sink.warning_count() > 0) == name.starts_with("warn_"));
    compare_with_file(beside(path, ".txt"), program->rendered());
  }
}

TEST_CASE("what can be honoured is, and the plan gives its reasons") {
  for (const auto& path : files_in("planner/programs", ".tsr")) {
    const std::string name = path.filename().string();
    if (name.starts_with("fail_") || name.starts_with("warn_")) continue;
    const auto program = plan_file(path);
    INFO(name << "\n" << program->rendered());
    CHECK(program->rendered().empty());
    REQUIRE(program->module);
    emit::Options options;
    options.file_stem = "k";
    options.source_name = name;
    const auto emission = emit::emit(*program->module, options, program->sources, program->sink);
    REQUIRE(emission);
    compare_with_file(beside(path, ".plan"), emission->plan);
    // What is asked for survives the text form.
    const std::string text = ir::print(*program->module);
    SourceManager sources;
    DiagnosticSink sink;
    const auto again = ir::parse(sources.file(sources.add("text.ir", text)), sink);
    REQUIRE(again);
    CHECK(ir::print(*again) == text);
  }
}

TEST_CASE("the launcher takes the first choice whose condition holds, and the order of blocks is asked for") {
  const auto generated = [](std::string_view annotations) {
    const auto program = plan_text(std::string(annotations) + kGemm, "gemm.tsr");
    REQUIRE(program->module);
    emit::Options options;
    options.file_stem = "gemm";
    const auto emission = emit::emit(*program->module, options, program->sources, program->sink);
    REQUIRE(emission);
    // Lines may be broken anywhere.
    std::string text;
    for (const char c : emission->cuda[0].text) {
      const bool is_space = c == ' ' || c == '\n';
      if (!is_space || text.empty() || text.back() != ' ') text += is_space ? ' ' : c;
    }
    return text;
  };
  const std::string text = generated(
      "@tile(BM = 64, when = M > 1024 && N in {8, 16})\n@tile(BM = 32, R = 4, when = 7 < M)\n@raster(R)\n");
  const size_t choices = text.find("check.choose(");
  const size_t first = text.find("M > 1024 && (N == 8 || N == 16)", choices),
               second = text.find("7 < M", choices);
  CHECK(choices < first);
  CHECK(first < second);
  CHECK(second != std::string::npos);
  CHECK(text.find("grouped_position<kRaster>(unit, units)") != std::string::npos);
  const size_t chosen = text.find("gemm<32, "), behind = text.find(", Copy::", chosen);
  REQUIRE(behind != std::string::npos);
  CHECK(text.substr(behind - 3, 3) == ", 4");  // the group of the second choice, which sets it
}

TEST_CASE("each explanation of the planner's words shows a program that gets them, and a mended one") {
  for (const char* code : {"T0707", "T0708", "T0709"}) {
    INFO(code);
    const auto kind = diagnostic_from_name(code);
    REQUIRE(kind);
    const auto programs = programs_of(explanation(*kind).value_or(""));
    REQUIRE(programs.size() == 2);
    const auto failing = plan_text(programs[0], std::string(code) + ".tsr");
    CHECK(failing->codes() == code);
    compare_with_file(tests_folder() / "planner/explained" / (std::string(code) + ".txt"),
                      failing->rendered());
    CHECK(plan_text(programs[1], std::string(code) + ".tsr")->rendered().empty());
  }
}

TEST_CASE("the options of a plan are refused like annotations, by their names") {
  const auto said = [](const emit::PlanOverrides& overrides) {
    emit::Options options;
    options.plan = overrides;
    return plan_text(kGemm, "gemm.tsr", options)->rendered();
  };
  CHECK(said({.tiles = {{"m", 64}}, .warps = 4, .stages = 3, .raster = 4}).empty());
  CHECK(said({.tiles = {{"m", 24}}}).find("`--plan tile.m=24` cannot be honoured") != std::string::npos);
  CHECK(said({.tiles = {{"m", 24}}}).find("`--plan tile.m=16`") != std::string::npos);
  CHECK(said({.tiles = {{"m", 16}, {"n", 8}}, .warps = 32}).find("`--plan warps=32`") != std::string::npos);
  CHECK(said({.tiles = {{"m", 128}, {"n", 128}, {"k", 128}}, .stages = 7}).find("`--plan stages=7`") !=
        std::string::npos);
  // A multiprocessor has 64 registers for each of 1024 threads.
  const std::string many = said({.tiles = {{"m", 256}, {"n", 192}}, .warps = 32});
  CHECK(many.find("48 registers of a thread, and 33 are there for them in blocks of 1024") !=
        std::string::npos);
  CHECK(many.find("the nearest that can be is `--plan warps=16`") != std::string::npos);
}
