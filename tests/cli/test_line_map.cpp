// SPDX-License-Identifier: Apache-2.0
// `--line-map=tsr`: what a C++ compiler makes of the `#line` directives in generated code.
#include <sstream>

#include "tesserac.h"

using namespace tessera;
using namespace tessera::commands::test;

namespace {

const std::vector<std::string> kMapped = {"softmax.tsr", "-o", "out/", "--arch=sm_80", "--line-map=tsr"};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto place = text.find(from);
  REQUIRE(place != std::string::npos);
  return text.replace(place, from.size(), to);
}

int line_of(const std::string& text, const std::string& part) {
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number)
    if (line.find(part) != std::string::npos) return number;
  return 0;
}

/// The host compiler over a generated file, as the host twin compiles it, in the folder of the test.
Answer compiled(const Tesserac& tesserac, const std::string& file, const std::vector<std::string>& flags) {
  driver::ProcessRequest request{.program = "/bin/sh", .folder = tesserac / "."};
  std::string command = "exec \"${TESSERA_CXX:-g++}\" -std=c++20 -x c++ -Iout -I'" TESSERA_SOURCE_DIR
                        "/runtime/include' " +
                        file;
  for (const std::string& flag : flags) command += " " + flag;
  request.arguments = {"-c", command};
  request.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C"};
  if (const char* compiler = std::getenv("TESSERA_CXX"))
    request.environment.push_back(std::string("TESSERA_CXX=") + compiler);
  const driver::ProcessResult result = driver::run_process(request);
  return {result.outcome == driver::ProcessOutcome::exited ? result.code : -1, result.output};
}

}  // namespace

TEST_CASE("without a line map, generated lines stand for themselves") {
  const Tesserac tesserac;
  CHECK(tesserac({"softmax.tsr", "-o", "plain/"}).code == 0);
  CHECK(tesserac({"softmax.tsr", "-o", "same/", "--line-map=cu"}).code == 0);
  const std::string plain = tesserac.read("plain/softmax.sm_80.cu");
  CHECK(plain.find("#line") == std::string::npos);
  CHECK(tesserac.read("same/softmax.sm_80.cu") == plain);
}

TEST_CASE("a compiler's error in a statement names the line of the source") {
  const Tesserac tesserac;
  REQUIRE(tesserac(kMapped).code == 0);
  const std::string text = tesserac.read("out/softmax.sm_80.cu");
  tesserac.write("out/let.cu", replaced(text, "math::exp(", "math::planted("));
  const Answer let = compiled(tesserac, "out/let.cu", {"-fsyntax-only"});
  CHECK(let.code == 1);
  CHECK(let.says("softmax.tsr:3:"));
  CHECK(let.says("planted"));
  tesserac.write("out/write.cu", replaced(text, "sum_c += e", "planted += e"));
  const Answer write = compiled(tesserac, "out/write.cu", {"-fsyntax-only"});
  CHECK(write.code == 1);
  CHECK(write.says("softmax.tsr:4:"));
}

TEST_CASE("between and behind the functions, lines are those of the generated file again") {
  const Tesserac tesserac;
  REQUIRE(tesserac(kMapped).code == 0);
  const std::string text = tesserac.read("out/softmax.sm_80.cu");
  for (const char* part : {"void softmax_streaming(", "if (check.nothing_to_write())"}) {
    const std::string planted = replaced(text, part, std::string("planted ") + part);
    tesserac.write("out/softmax.sm_80.cu", planted);
    const Answer answer = compiled(tesserac, "out/softmax.sm_80.cu", {"-fsyntax-only"});
    INFO(answer.text);
    CHECK(answer.code == 1);
    CHECK(answer.says("out/softmax.sm_80.cu:" + std::to_string(line_of(planted, "planted")) + ":"));
  }
  const std::vector<std::string> named = {"softmax.tsr", "-o", "kernels.cu", "--arch=sm_80",
                                          "--line-map=tsr"};
  REQUIRE(tesserac(named).code == 0);
  CHECK(line_of(tesserac.read("kernels.cu"), " \"kernels.cu\"") > 0);
}

TEST_CASE("debug information points into the source, and every statement stands on one line") {
  const Tesserac tesserac;
  REQUIRE(tesserac(kMapped).code == 0);
  const Answer answer =
      compiled(tesserac, "out/softmax.sm_80.cu", {"-g", "-O0", "-S", "-o", "out/softmax.s"});
  INFO(answer.text);
  REQUIRE(answer.code == 0);
  const std::string assembly = tesserac.read("out/softmax.s");
  const auto name = assembly.rfind("softmax.tsr\"");  // before it there is __builtin_FILE()
  REQUIRE(name != std::string::npos);
  const auto row = assembly.rfind(".file ", name);
  const std::string file = assembly.substr(row + 6, assembly.find(' ', row + 6) - row - 6);
  for (const char* line : {" 3 ", " 4 "}) CHECK(assembly.find(".loc " + file + line) != std::string::npos);
  // Braces and what follows the kernel have no code: a broken line would have counted on into them.
  for (const char* line : {" 1 ", " 5 ", " 6 ", " 7 "})
    CHECK(assembly.find(".loc " + file + line) == std::string::npos);
}

TEST_CASE("names with quotes and backslashes stay one name") {
  const Tesserac tesserac;
  const std::string strange = "a\"b\\n.tsr";
  tesserac.write(strange, kAddOne);
  REQUIRE(tesserac({strange, "-o", "strange.cu", "--line-map=tsr"}).code == 0);
  const std::string text = tesserac.read("strange.cu");
  CHECK(line_of(text, "#line 3 \"a\\\"b\\\\n.tsr\"") > 0);
  tesserac.write("out/strange.h", tesserac.read("strange.h"));
  tesserac.write("strange.cu", replaced(text, " + step", " + planted"));
  const Answer answer = compiled(tesserac, "strange.cu", {"-fsyntax-only", "-I."});
  CHECK(answer.code == 1);
  CHECK(answer.says(strange + ":3:"));
}
