// SPDX-License-Identifier: Apache-2.0
// Checking takes time in proportion to the program.
#include <ctime>

#include "catch.h"
#include "checked.h"
#include "frontend/parse.h"
#include "sema/check.h"

using namespace tessera;

TEST_CASE("600 kernels of 10,000 lines are checked at once") {
  std::string text;
  for (int i = 0; i < 600; ++i) {
    text += "kernel k" + std::to_string(i) +
            "(in x: bf16[R, C], in w: f32[C], out y: bf16[R, C], eps: f32 = 1e-5) {\n";
    text += "  grid r in R by auto {\n    let d = x[r, :] - mean[C](x[r, :]);\n    var s: f32[r, C] = d;\n";
    for (int j = 0; j < 10; ++j) text += "    s = s * w[:] + (x[r, :] ?? 0) * " + std::to_string(j) + ";\n";
    text += "    let n = s * rsqrt(mean[C](s * s) + eps);\n    y[r, :] = n as bf16;\n  }\n}\n";
  }
  SourceManager sources;
  DiagnosticSink sink;
  const FileId id = sources.add("many.tsr", text);
  const auto file = parse(sources.file(id), sink);
  REQUIRE(file.has_value());
  const std::clock_t start = std::clock();
  const auto module = check(*file, sink);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  REQUIRE(module.has_value());
  CHECK(module->kernels.size() == 600);
  WARN("checked in " << seconds << " s of processor time");
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__)
  CHECK(seconds < 0.6);
#endif
}
