// SPDX-License-Identifier: Apache-2.0
// The command line itself: help, unknown flags, exit codes, information.
#include "tesserac.h"

using namespace tessera::commands::test;

TEST_CASE("help lists commands, flags and exit codes") {
  const Tesserac tesserac;
  const Answer answer = tesserac({"--help"});
  CHECK(answer.code == 0);
  for (const char* part :
       {"check", "fmt", "run", "verify", "doctor", "--emit", "--arch", "--plan", "-MD", "-MF", "-MT",
        "--namespace", "--line-map", "--color", "--explain", "Exit codes: 0 done"}) {
    CHECK(answer.says(part));
  }
  CHECK_FALSE(answer.says("inject-fault"));
  for (const char* command : {"check", "fmt", "run", "verify", "doctor"}) {
    CHECK(tesserac({command, "--help"}).code == 0);
  }
}

TEST_CASE("the version is one line") {
  const Tesserac tesserac;
  const Answer answer = tesserac({"--version"});
  CHECK(answer.code == 0);
  CHECK(answer.text.starts_with("tesserac "));
  CHECK(std::count(answer.text.begin(), answer.text.end(), '\n') == 1);
}

TEST_CASE("unknown flags are wrong usage, with the nearest flag") {
  const Tesserac tesserac;
  Answer answer = tesserac({"add.tsr", "--emot=plan"});
  CHECK(answer.code == 2);
  CHECK(answer.says("error[T0801]: there is no flag `--emot`"));
  CHECK(answer.says("did you mean `--emit`?"));
  answer = tesserac({"check", "--colour=never", "add.tsr"});
  CHECK(answer.code == 2);
  CHECK(answer.says("did you mean `--color`?"));
  answer = tesserac({"add.tsr", "-Q"});
  CHECK(answer.code == 2);
  CHECK(answer.says("there is no flag `-Q`"));
}

TEST_CASE("wrong usage is told as such") {
  const Tesserac tesserac;
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& part) {
    const Answer answer = tesserac(arguments);
    INFO(answer.text);
    CHECK(answer.code == 2);
    CHECK(answer.says(part));
  };
  refused({}, "no source file");
  refused({"chek", "add.tsr"}, "did you mean `tesserac check`?");
  refused({"check"}, "FILE is required");
  refused({"add.tsr", "--emit=everything"}, "everything");
  refused({"add.tsr", "--arch=sm_12"}, "`sm_12` is none of sm_80, sm_90");
  refused({"add.tsr", "--plan=tile.i=0"}, "`tile.i=0` is none of tile.RANGE=N (N at least 1)");
  refused({"add.tsr", "--plan=tile.i=x"}, "`tile.i=x` is not `name=number`");
  refused({"add.tsr", "--plan=vector=3"}, "vector=1|2|4|8|16");
  refused({"add.tsr", "--plan=colour=3"}, "none of tile.RANGE=N");
  refused({"add.tsr", "--namespace=a b"}, "`a b` is no C++ namespace");
  refused({"add.tsr", "--line-map=both"}, "both");
  refused({"add.tsr", "--inject-fault=hole"}, "`hole` is not `guard:3`");
  refused({"add.tsr", "-Wno-such-thing"}, "there is no such warning");
  refused({"add.tsr", "--error-limit=0"}, "error-limit");
  refused({"add.tsr", "-o", "-"}, "prints one text");
  refused({"add.tsr", "-o", "x.cu", "--arch=sm_80,sm_90"},
          "`x.cu` is one file, and there are 2 architectures");
  refused({"add.tsr", "--emit=ir,plan", "-o", "x.txt"}, "more than one text");
  refused({"--explain", "T9999"}, "`T9999` is no diagnostic");
}

TEST_CASE("usage errors come in the asked format") {
  const Tesserac tesserac;
  const Answer answer = tesserac({"--diagnostics-format=json", "add.tsr", "--emot"});
  CHECK(answer.code == 2);
  CHECK(answer.text.starts_with("{"));
  CHECK(answer.says("\"T0801\""));
  CHECK(tesserac({"--diagnostics-format=short", "--emot"}).says("error[T0801]: there is no flag `--emot`\n"));
}

TEST_CASE("diagnostics are explained and listed") {
  const Tesserac tesserac;
  CHECK(tesserac({"--explain", "T0832"}).says("# T0832 tool-output-damaged"));
  CHECK(tesserac({"--explain", "tool-output-damaged"}).says("# T0832"));
  const Answer list = tesserac({"--list-diagnostics"});
  CHECK(list.code == 0);
  CHECK(list.says("T0801  error    unknown-flag"));
  CHECK(list.says("T0836  warning  cache-unusable"));
}

TEST_CASE("doctor tries the tools") {
  const Tesserac tesserac;
  Answer answer = tesserac({"doctor", "--nvcc=/no/such/nvcc"});
  CHECK(answer.code == 3);
  CHECK(answer.says("MISSING  nvcc           `/no/such/nvcc` does not exist"));
  CHECK(answer.says("ok       host compiler  "));
  CHECK(answer.says("ok       cache "));
  // What it says of a compiler that fails is read while the diagnostics live: freed memory is overwritten here.
  tesserac.write("fails",
                 "#!/bin/sh\n[ \"$1\" = --version ] && exec echo 'g++ 12.2.0'\n[ \"$1\" = -dumpversion ] && "
                 "exec echo 12\necho 'fails: error: always' >&2\nexit 1\n");
  std::filesystem::permissions(tesserac / "fails", std::filesystem::perms::owner_all);
  answer = tesserac({"doctor", "--host-compiler=" + (tesserac / "fails")}, {"MALLOC_PERTURB_=165"});
  CHECK(answer.code == 3);
  CHECK(answer.says("fails: error: always"));
  answer = tesserac({"doctor", "--host-compiler=/bin/false"});
  CHECK(answer.code == 3);
  CHECK(
      answer.says("MISSING  host compiler  `/bin/false` ended with exit code 1 when asked for its version"));
}
