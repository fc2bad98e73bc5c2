// SPDX-License-Identifier: Apache-2.0
// Compilers that are missing, broken, killed or endless, as users of tesserac meet them: the exit code says what
// kind of failure it is, the message names the command, and nothing is left: no process, no file, no entry.
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <chrono>
#include <thread>

#include "program.h"
#include "src/driver/toolchain.h"

using namespace tessera::injection;
using namespace tessera::driver;
using namespace tessera::driver::test;

namespace {

/// Waits until a process is gone, for at most five seconds.
bool is_gone(pid_t pid) {
  for (int i = 0; i < 500; ++i) {
    if (::kill(pid, 0) != 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

/// A project whose host compiler is a script; what a failed run leaves is looked at each time.
struct BadCompiler {
  Project project;
  std::string compiler;

  explicit BadCompiler(const std::string& body)
      : compiler(project.scratch().script("fake", compiler_text(body))) {}

  std::vector<std::string> arguments() const {
    return {"run", "add.tsr", "--set=N=100", "--output=y=y.npy", "--host-compiler", compiler};
  }
  void check_nothing_left() const {
    CHECK(project.leftovers().empty());
    CHECK_FALSE(project.has_entries());
    CHECK_FALSE(read_file(project / "y.npy"));
  }
  Answer fail(const std::string& part) const {
    const Answer answer = project(arguments());
    INFO(answer.text);
    CHECK(answer.code == 3);
    CHECK(answer.says(part));
    check_nothing_left();
    return answer;
  }
};

}  // namespace

TEST_CASE("a compiler that fails is quoted with its command") {
  const Answer answer = BadCompiler("echo 'error: no'; exit 2").fail("ended with exit code 2\n");
  CHECK(answer.says("the command was: /tmp/"));
  CHECK(answer.says("/fake -std=c++20 "));
  CHECK(answer.says("it printed:\n"));
  CHECK(answer.says("error: no"));
  CHECK(BadCompiler("exit 1").fail("ended with exit code 1").says("it printed nothing"));
  BadCompiler("kill -SEGV $$").fail("was killed by signal 11 (Segmentation fault)");
  BadCompiler("kill -KILL $$").fail("was killed by signal 9 (Killed)");
  CHECK(BadCompiler("printf '\\377\\033[2J'; exit 1").fail("it printed").says("\\xff\\x1b[2J"));
}

TEST_CASE("success without a whole output is told as damage") {
  BadCompiler("exit 0").fail("reported success, but its output is damaged: there is none");
  BadCompiler(": > $out").fail("the file is empty");
  BadCompiler("head -c 4096 '" TESSERA_TWIN "' > $out").fail("beyond the end of the file");
  BadCompiler("mkdir $out").fail("there is none");
  BadCompiler("ln -s '" TESSERA_TWIN "' $out; exit 1").fail("ended with exit code 1");
  BadCompiler("mkfifo $out").fail("there is none");
}

TEST_CASE("all that a compiler printed is kept when it is too much to show") {
  const BadCompiler bad("seq 1 1000; exit 1");
  const std::string log = bad.project.cache + "/last-failure.log";
  bad.fail("all of it is in " + log);
  CHECK(read_file(log)->ends_with("\n1000\n"));
}

TEST_CASE("output without end is stopped") {
  BadCompiler("yes | head -c 1000000000; exit 1").fail("printed more than 16777216 bytes and was killed");
}

TEST_CASE("a child that outlives its compiler is killed") {
  const BadCompiler bad("setsid sleep 1000 & echo pid $!; exit 1");
  const Answer answer = bad.fail("ended with exit code 1");
  const std::size_t at = answer.text.find("pid ");
  REQUIRE(at != std::string::npos);
  CHECK(is_gone(std::stoi(answer.text.substr(at + 4))));
}

TEST_CASE("Ctrl-C in the middle of a compilation ends everything") {
  const Project project;
  const std::string started = project.scratch() / "started";
  const std::string compiler =
      project.scratch().script("fake", compiler_text("echo $$ > " + started + "; sleep 1000"));
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGINT, SIG_DFL);
    const auto texts = project.environment();
    std::vector<char*> values;
    for (const std::string& text : texts) values.push_back(const_cast<char*>(text.c_str()));
    values.push_back(nullptr);
    if (::chdir(project.folder().c_str()) != 0) ::_exit(1);
    ::execle(TESSERA_TESSERAC, TESSERA_TESSERAC, "run", "add.tsr", "--set=N=100", "--host-compiler",
             compiler.c_str(), static_cast<char*>(nullptr), values.data());
    ::_exit(1);
  }
  pid_t program = 0;
  for (int i = 0; i < 2000 && program == 0; ++i) {
    if (const auto text = read_file(started); text && text->ends_with('\n')) program = std::stoi(*text);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  REQUIRE(program > 0);
  ::kill(child, SIGINT);
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WIFSIGNALED(status));  // as a shell expects it of a program that Ctrl-C ended
  CHECK(is_gone(program));
  CHECK(project.leftovers().empty());
  CHECK_FALSE(project.has_entries());
}

TEST_CASE("tools that are not there or not what they should be") {
  const Project project;
  const auto refused = [&](const std::string& compiler, const std::string& part) {
    const Answer answer = project({"run", "add.tsr", "--set=N=100", "--host-compiler", compiler});
    INFO(answer.text);
    CHECK(answer.code == 3);
    CHECK(answer.says("error[T0830]: no C++ compiler was found: "));
    CHECK(answer.says(part));
    CHECK(project.leftovers().empty());
  };
  const Scratch& scratch = project.scratch();
  write_file(scratch / "plain", "text");
  refused("/no/such/g++", "`/no/such/g++` does not exist");
  refused(scratch / "plain", "is not an executable file");
  refused(scratch.folder("folder"), "is not an executable file");
  refused(scratch.script("mute", "exit 0"), "does not answer like a C++ compiler");
  refused(scratch.script("dead", "kill -KILL $$"), "was killed by signal 9");
  refused(scratch.script("$(touch canary)", "exit 0"), "a shell would interpret");
  refused("$(touch canary)", "is not on PATH");
  CHECK_FALSE(std::filesystem::exists(project / "canary"));
}

TEST_CASE("an nvcc that fails leaves no PTX and no entry") {
  for (const char* body :
       {"exit 0", "exit 1", "head -c 100 /dev/zero > $out", "printf '.version 8.0\\n{' > $out"}) {
    const Project project;
    const std::string nvcc = project.scratch().script(
        "nvcc", std::string("case $1 in --version) echo 'release 13.0, V13.0.88'; exit 0;; esac\n") + kLast +
                    body + "\n");
    const Answer answer = project({"add.tsr", "--emit=ptx", "-o", "out", "--nvcc", nvcc});
    INFO(body << "\n" << answer.text);
    CHECK(answer.code == 3);
    CHECK(answer.says("error[T083"));
    CHECK_FALSE(std::filesystem::exists(project / "out"));
    CHECK(project.leftovers().empty());
    CHECK_FALSE(project.has_entries());
  }
}

TEST_CASE("what the user's limits forbid is an error, not a crash") {
  const Project project;
  /// tesserac below a shell that sets a limit first.
  const auto limited = [&](const std::string& limit, const std::string& compiler,
                           const char* size = "--set=N=100") {
    return run_process({.program = "/bin/sh",
                        .arguments = {"-c", limit + "; exec \"$0\" \"$@\"", TESSERA_TESSERAC, "run",
                                      "add.tsr", size, "--output=y=y.npy", "--host-compiler", compiler},
                        .environment = project.environment(),
                        .folder = project.folder()});
  };
  // Files of at most 8 KiB: the runtime's own headers do not fit, nor does what is compiled.
  auto result = limited("ulimit -f 16", QuickCompiler::path());
  INFO(result.output);
  CHECK(result.outcome == ProcessOutcome::exited);
  CHECK(result.code == 3);
  CHECK(result.output.find("File too large") != std::string::npos);
  CHECK(project.leftovers().empty());
  CHECK_FALSE(project.has_entries());
  // Few descriptors.
  result = limited("ulimit -n 5", QuickCompiler::path());
  INFO(result.output);
  CHECK(result.outcome == ProcessOutcome::exited);
  CHECK((result.code == 0 || result.code == 3));
  CHECK(project.leftovers().empty());
#ifndef __SANITIZE_ADDRESS__
  result = limited("ulimit -v 100000", QuickCompiler::path(), "--set=N=50000000");
  INFO(result.output);
  CHECK(result.outcome == ProcessOutcome::exited);
  CHECK(result.code == 3);
  CHECK(result.output.find("the memory is exhausted") != std::string::npos);
#endif
}

TEST_CASE("a full disk gives an error or the right result, and never an entry that is wrong") {
  // The cache and the temporary files on a disk of a given size; where nothing may be mounted, the limits above
  // are what there is.
  const Project project;
  const std::string disk = project.scratch().folder("disk");
  const auto shell = [](const std::string& command) {
    return run_process(
        {.program = "/bin/sh", .arguments = {"-c", command}, .environment = tool_environment("/tmp")});
  };
  const std::string real =
      project.scratch().script("g++", compiler_text("case \"$*\" in *tools/runner.cpp*) cp '" TESSERA_TWIN
                                                    "' $out;; *) exec g++ \"$@\";; esac"));
  int done = 0, failed = 0;
  for (const char* size : {"64k", "512k", "1m", "1200k", "1400k", "1600k", "2m", "3m", "16m"}) {
    if (!shell("mount -t tmpfs -o mode=0700,size=" + std::string(size) + " tmpfs " + disk).succeeded())
      return;
    Project small;
    small.cache = disk + "/cache";
    small.temporary = disk;
    // The real compiler writes until the disk is full, one size after the other in another of its steps.
    const bool is_real = failed > 0 && done < 2;
    const Answer answer =
        small({"run", "add.tsr", "--set=N=100", "--host-compiler", is_real ? real : QuickCompiler::path()});
    INFO(size << "\n" << answer.text);
    CHECK((answer.code == 0 || (answer.code == 3 && answer.says("error[T08"))));
    CHECK(small.leftovers().empty());
    (answer.code == 0 ? done : failed) += 1;
    // With room again, the same cache serves.
    shell("mount -o remount,size=64m " + disk);
    const Answer again = small({"run", "add.tsr", "--set=N=100", "--host-compiler", QuickCompiler::path()});
    INFO(again.text);
    CHECK(again.code == 0);
    CHECK(again.says("\ny: f32[100], from "));
    CHECK(shell("umount " + disk).succeeded());
  }
  CHECK(done > 0);
  CHECK(failed > 0);
}

TEST_CASE("without a writable home nothing is cached and everything works") {
  Project project;
  project.cache = "/proc/no-such-folder/cache";  // no system lets anybody write there
  const Answer answer = project({"run", "add.tsr", "--set=N=100", "--host-compiler", QuickCompiler::path()});
  INFO(answer.text);
  CHECK(answer.code == 0);
  CHECK(
      answer.says("warning[T0836]: nothing is cached, because `/proc/no-such-folder/cache` cannot be used"));
  CHECK(project.leftovers().empty());
}

TEST_CASE("an insecure cache compiles nothing, however many kernels there are") {
  Project project;
  write_file(project / "add.tsr",
             std::string(kAddOne) +
                 "kernel copy(in x: f32[N], out y: f32[N]) { grid i in N by auto { y[i] = x[i]; } }\n");
  project.cache = project.scratch().folder("open");
  ::chmod(project.cache.c_str(), 0777);
  const Answer answer = project({"verify", "add.tsr", "--set=N=5", "--host-compiler", QuickCompiler::path()});
  INFO(answer.text);
  CHECK(answer.code == 3);
  CHECK(answer.says("error[T0835]"));
  CHECK(names_in(project.cache).empty());
}
