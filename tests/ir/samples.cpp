// SPDX-License-Identifier: Apache-2.0
// Reads the samples beside this file.
#include "ir/samples.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "catch.h"
#include "sema/ir/text.h"

namespace tessera::testing {

namespace {
const std::string kFolder = std::string(TESSERA_SOURCE_DIR) + "/tests/ir/samples/";
}  // namespace

std::vector<std::string> sample_paths() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder))
    paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string sample_text(const std::string& path) {
  std::ifstream file(path);
  REQUIRE(file);
  std::string text, line;
  while (std::getline(file, line)) {
    if (!text.empty() || line.rfind("//", 0) != 0) text += line + '\n';
  }
  return text;
}

ir::Kernel parse_kernel(const std::string& text) {
  SourceManager sources;
  DiagnosticSink sink;
  const FileId file = sources.add("test.ir", text);
  std::optional<ir::Module> module = ir::parse(sources.file(file), sink);
  for (const Diagnostic& diagnostic : sink.sorted()) {
    const LineColumn place = sources.file(file).line_column(diagnostic.span.begin);
    UNSCOPED_INFO(place.line << ":" << place.column << ": " << diagnostic.message);
  }
  REQUIRE(module);
  REQUIRE(module->kernels.size() == 1);
  return std::move(module->kernels[0]);
}

ir::Kernel sample(const std::string& name) { return parse_kernel(sample_text(kFolder + name + ".ir")); }

}  // namespace tessera::testing
