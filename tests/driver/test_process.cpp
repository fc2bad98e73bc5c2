// SPDX-License-Identifier: Apache-2.0
// Running programs: outcomes, limits, and that no process survives.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <thread>

#include "catch.h"
#include "scratch.h"
#include "src/driver/process.h"
#include "src/driver/toolchain.h"

using namespace tessera::driver;
using namespace tessera::driver::test;
using std::chrono::milliseconds;

namespace {

ProcessRequest shell(const std::string& command, milliseconds limit = std::chrono::seconds(20)) {
  return {.program = "/bin/sh",
          .arguments = {"-c", command},
          .environment = tool_environment("/tmp"),
          .time_limit = limit};
}

/// Waits until a process is gone, for at most two seconds.
bool is_gone(pid_t pid) {
  for (int i = 0; i < 200; ++i) {
    if (::kill(pid, 0) != 0) return true;
    std::this_thread::sleep_for(milliseconds(10));
  }
  return false;
}

pid_t read_pid(const std::string& path) {
  for (int i = 0; i < 500; ++i) {
    if (const auto text = read_file(path); text && text->ends_with('\n')) return std::stoi(*text);
    std::this_thread::sleep_for(milliseconds(10));
  }
  return 0;
}

}  // namespace

TEST_CASE("output and exit code come back") {
  const auto result = run_process(shell("echo out; echo err >&2; exit 7"));
  CHECK(result.outcome == ProcessOutcome::exited);
  CHECK(result.code == 7);
  CHECK(result.output == "out\nerr\n");
  CHECK(run_process(shell("exit 0")).succeeded());
}

TEST_CASE("a program starts in /, with nothing to read and the given environment only") {
  const Variable append("NVCC_APPEND_FLAGS", "--use_fast_math");
  const Variable include("CPATH", "/evil");
  const auto result = run_process(shell("pwd; cat; env | sort"));
  CHECK(result.output.starts_with("/\nHOME=/tmp\nLC_ALL=C\n"));
  CHECK(result.output.find("NVCC") == std::string::npos);
  CHECK(result.output.find("CPATH") == std::string::npos);
}

TEST_CASE("arguments reach the program as they are") {
  ProcessRequest request{.program = "/usr/bin/printf", .arguments = {"%s|", "$(echo x)", "a b", "'\"`"}};
  CHECK(run_process(request).output == "$(echo x)|a b|'\"`|");
}

TEST_CASE("programs that cannot be started say why") {
  const Scratch scratch;
  write_file(scratch / "plain", "text");
  ProcessRequest request{.program = scratch / "missing"};
  auto result = run_process(request);
  CHECK(result.outcome == ProcessOutcome::not_started);
  CHECK(describe(result, request) == "could not be started: No such file or directory");
  request.program = scratch / "plain";
  CHECK(describe(run_process(request), request) == "could not be started: Permission denied");
  request.program = scratch.script("bad-interpreter", "");
  write_file(request.program, "#!/no/such/interpreter\n");
  CHECK(run_process(request).outcome == ProcessOutcome::not_started);
}

TEST_CASE("a death by signal is told apart from an exit") {
  const auto request = shell("kill -SEGV $$");
  const auto result = run_process(request);
  CHECK(result.outcome == ProcessOutcome::signalled);
  CHECK(describe(result, request) == "was killed by signal 11 (Segmentation fault)");
}

TEST_CASE("a program that hangs is killed with all it started") {
  const Scratch scratch;
  const auto request =
      shell("sleep 1000 & echo $! > " + (scratch / "pid") + "; sleep 1000", milliseconds(300));
  const auto start = std::chrono::steady_clock::now();
  const auto result = run_process(request);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
  CHECK(result.outcome == ProcessOutcome::timed_out);
  CHECK(describe(result, request) == "did not end within 0.3 s and was killed");
  CHECK(is_gone(read_pid(scratch / "pid")));
}

TEST_CASE("children that outlive the program are killed, in other sessions too") {
  const Scratch scratch;
  const std::string pid = scratch / "pid";
  const auto start = std::chrono::steady_clock::now();
  const auto result = run_process(shell("setsid sh -c 'trap \"\" TERM HUP; echo $$ > " + pid +
                                        "; sleep 1000' & while [ ! -s " + pid + " ]; do :; done"));
  CHECK(result.succeeded());
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
  CHECK(is_gone(read_pid(pid)));
}

TEST_CASE("output without end is cut and ends the program") {
  auto request = shell("while :; do echo 0123456789012345678901234567890123456789; done");
  request.output_limit = 100'000;
  const auto result = run_process(request);
  CHECK(result.outcome == ProcessOutcome::too_much_output);
  CHECK(result.output.size() == 100'000);
  CHECK(describe(result, request) == "printed more than 100000 bytes and was killed");
}

TEST_CASE("a gigabyte of output takes neither its memory nor its time") {
  const auto result = run_process(shell("yes | head -c 1000000000"));
  CHECK(result.outcome == ProcessOutcome::too_much_output);
  CHECK(result.output.size() == std::size_t{16} << 20);
}

TEST_CASE("output is made printable") {
  CHECK(printable("a\tb\n") == "a\tb\n");
  CHECK(printable("\xff\xfe ok") == "\\xff\\xfe ok");
  CHECK(printable("\x1b[31mred") == "\\x1b[31mred");
  CHECK(printable("grün") == "grün");
}

TEST_CASE("an interrupted run kills the program, and the signal arrives afterwards") {
  const Scratch scratch;
  const std::string pid = scratch / "pid", done = scratch / "cleaned";
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGINT, SIG_DFL);  // the test framework's handler is not wanted here
    const InterruptGuard guard;
    const auto folder = TemporaryFolder::create(scratch.folder("tmp"));
    const auto result = run_process(shell("echo $$ > " + pid + "; sleep 1000"));
    write_file(done, result.outcome == ProcessOutcome::interrupted ? "yes" : "no");
  } else {
    const pid_t program = read_pid(pid);
    ::kill(child, SIGINT);
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGINT);
    CHECK(read_file(done) == "yes");
    CHECK(is_gone(program));
    CHECK(names_in(scratch / "tmp").empty());
  }
  if (child == 0) ::_exit(99);  // not reached: the guard raised SIGINT
}

TEST_CASE("when this process is killed, the program dies too") {
  const Scratch scratch;
  const std::string pid = scratch / "pid";
  const pid_t child = ::fork();
  if (child == 0) {
    run_process(shell("setsid sh -c 'echo $$ > " + pid + "; sleep 1000'"));
    ::_exit(0);
  }
  const pid_t program = read_pid(pid);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  CHECK(program > 0);
  CHECK(is_gone(program));
}

TEST_CASE("when the supervisor is killed, the program dies too, and that is what is told") {
  const Scratch scratch;
  const std::string pid = scratch / "pid", supervisor = scratch / "supervisor";
  const pid_t killer = ::fork();
  if (killer == 0) {
    ::kill(read_pid(supervisor), SIGKILL);
    ::_exit(0);
  }
  const auto request = shell("echo $$ > " + pid + "; echo $PPID > " + supervisor + "; exec sleep 1000");
  const auto result = run_process(request);
  ::waitpid(killer, nullptr, 0);
  CHECK(result.outcome == ProcessOutcome::signalled);
  CHECK(describe(result, request) == "was killed by signal 9 (Killed)");
  CHECK(is_gone(read_pid(pid)));
}

TEST_CASE("the user's limit on the size of files stays") {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit limit{512 * 8, RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const auto result = run_process(shell("ulimit -f"));
    ::_exit(result.output.starts_with("8\n") ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
}
