// SPDX-License-Identifier: Apache-2.0
// `check` and `fmt`; formats, limits and warnings of diagnostics; hostile input.
#include <sys/stat.h>

#include "tesserac.h"

using namespace tessera::commands::test;

namespace {

constexpr const char* kWrong =
    "kernel f(in x: f32[N], out y: f32[N]) {\n"
    "  grid i in N by auto {\n"
    "    y[i] = x[i] + ;\n"
    "  }\n"
    "}\n";

}  // namespace

TEST_CASE("right files are silent, wrong ones exit with 1") {
  const Tesserac tesserac;
  Answer answer = tesserac({"check", "add.tsr", "softmax.tsr"});
  CHECK(answer.code == 0);
  CHECK(answer.text.empty());
  tesserac.write("wrong.tsr", kWrong);
  answer = tesserac({"check", "wrong.tsr", "add.tsr"});
  CHECK(answer.code == 1);
  CHECK(answer.says("wrong.tsr:3:"));
}

TEST_CASE("files that cannot be read exit with 3") {
  const Tesserac tesserac;
  CHECK(tesserac({"check", "missing.tsr"}).code == 3);
  CHECK(tesserac({"missing.tsr"}).says("error[T0001]: cannot read `missing.tsr`: No such file or directory"));
  CHECK(tesserac({"check", "."}).code == 3);
  CHECK(tesserac({"check", "/dev/zero"}).code == 3);
}

TEST_CASE("standard input is a file like others") {
  const Tesserac tesserac;
  const Answer answer = tesserac({"check", "-"});
  CHECK(answer.code == 0);  // nothing in it is wrong
}

TEST_CASE("diagnostics come as text, one line each, or JSON, with colour on request") {
  const Tesserac tesserac;
  tesserac.write("wrong.tsr", kWrong);
  CHECK(tesserac({"check", "wrong.tsr", "--diagnostics-format=short"}).text.starts_with("wrong.tsr:3:"));
  CHECK(tesserac({"check", "wrong.tsr", "--diagnostics-format=json"}).text.starts_with("{"));
  CHECK_FALSE(tesserac({"check", "wrong.tsr"}).says("\x1b["));
  CHECK(tesserac({"check", "wrong.tsr", "--color=always"}).says("\x1b["));
  CHECK(tesserac({"check", "wrong.tsr", "--color=maybe"}).code == 2);
}

TEST_CASE("any bytes end in an answer") {
  const Tesserac tesserac;
  const auto code_of = [&](const std::string& bytes) {
    tesserac.write("odd.tsr", bytes);
    return tesserac({"odd.tsr", "-o", "out/"}).code;
  };
  CHECK(code_of(std::string(100'000, '(')) == 1);
  CHECK(code_of("kernel f(out y: f32[N]) { grid i in N by auto { y[i] = " + std::string(300'000, '-') +
                "1; } }") == 1);
  CHECK(code_of(std::string("\xff\xfe\0\x01", 4)) == 1);
  CHECK(code_of(std::string(10 << 20, '[')) == 1);
  CHECK(code_of("kernel \"$(touch pwned)\" {") == 1);
  CHECK_FALSE(tesserac.exists("out"));
  CHECK_FALSE(tesserac.exists("pwned"));
}

TEST_CASE("fmt rewrites in place, prints, or only looks") {
  const Tesserac tesserac;
  const std::string ragged = "kernel f(in x:f32[N],out y:f32[N]){grid i in N by auto{y[i]=x[i];}}\n";
  tesserac.write("ragged.tsr", ragged);
  Answer answer = tesserac({"fmt", "--check", "ragged.tsr", "add.tsr"});
  CHECK(answer.code == 1);
  CHECK(answer.text == "ragged.tsr\n");
  CHECK(tesserac.read("ragged.tsr") == ragged);
  answer = tesserac({"fmt", "--stdout", "ragged.tsr"});
  CHECK(answer.code == 0);
  CHECK(tesserac.read("ragged.tsr") == ragged);
  CHECK(tesserac({"fmt", "ragged.tsr"}).code == 0);
  CHECK(tesserac.read("ragged.tsr") == answer.text);
  CHECK(tesserac({"fmt", "--check", "ragged.tsr"}).code == 0);
  CHECK(tesserac({"fmt", "--check", "--stdout", "ragged.tsr"}).code == 2);
}

TEST_CASE("fmt leaves a wrong file alone") {
  const Tesserac tesserac;
  tesserac.write("wrong.tsr", kWrong);
  CHECK(tesserac({"fmt", "wrong.tsr"}).code == 1);
  CHECK(tesserac.read("wrong.tsr") == kWrong);
}
