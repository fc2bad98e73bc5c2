// SPDX-License-Identifier: Apache-2.0
// Programs and the IR they become, or what is said about them.
#include "catch.h"
#include "checked.h"
#include "sema/ir/text.h"
#include "sema/ir/verifier.h"

using namespace tessera;
using namespace tessera::test;

namespace {

bool is_failing(const std::filesystem::path& path) { return path.filename().string().starts_with("fail_"); }

std::filesystem::path beside(std::filesystem::path path, const char* extension) {
  return path.replace_extension(extension);
}

}  // namespace

TEST_CASE("a mistake in two instances of a kernel is told once and stops both") {
  const auto program = check_text("kernel k<fn a = relu>(out y: f32[N]) { }\ninstance k<a = gelu> as g;");
  CHECK_FALSE(program->module);
  CHECK(program->codes() == "T0222");
}

TEST_CASE("programs become the IR that stands beside them") {
  for (const auto& path : files_in("sema/programs", ".tsr")) {
    if (is_failing(path)) continue;
    const auto program = check_file(path);
    INFO(path.filename().string() << "\n" << program->rendered());
    CHECK(program->rendered().empty());
    REQUIRE(program->module.has_value());
    const std::string text = ir::print(*program->module);
    compare_with_file(beside(path, ".ir"), text);
    for (const ir::Kernel& kernel : program->module->kernels) CHECK(ir::verify(kernel).empty());
    DiagnosticSink sink;
    SourceManager sources;
    const FileId id = sources.add("text.ir", text);
    const std::optional<ir::Module> again = ir::parse(sources.file(id), sink);
    REQUIRE(again.has_value());
    CHECK(ir::print(*again) == text);
  }
}

TEST_CASE("wrong programs are refused in the words that stand beside them") {
  for (const auto& path : files_in("sema/programs", ".tsr")) {
    if (!is_failing(path)) continue;
    const auto program = check_file(path);
    INFO(path.filename().string());
    CHECK_FALSE(program->module.has_value());
    compare_with_file(beside(path, ".txt"), program->rendered());
  }
}
