// SPDX-License-Identifier: Apache-2.0
// `tesserac run` with a process killed, or a call failing, anywhere on its way: right results or a clear error.
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <random>

#include "amount.h"
#include "program.h"

using namespace tessera::injection;
using namespace tessera::driver;
using namespace tessera::driver::test;

namespace {

const std::vector<std::string>& run_arguments() {
  static const std::vector<std::string> arguments = {
      "run", "add.tsr", "--set=N=100", "--output=y=y.npy", "--host-compiler", QuickCompiler::path()};
  return arguments;
}

/// What a run without faults prints and writes.
const std::pair<std::string, std::string>& expected() {
  static const auto pair = [] {
    const Project project(quick_base());
    const Answer answer = project(run_arguments());
    INFO(answer.text);
    REQUIRE(answer.code == 0);
    return std::pair(answer.text, *read_file(project / "y.npy"));
  }();
  return pair;
}

/// Counting starts with the first thing that `main` does; before it, the loader is at work.
TraceOptions from_main(std::vector<long> calls, bool follow) {
  return {.calls = std::move(calls), .first_call = SYS_sigaltstack, .follow = follow};
}

long count_calls(const TraceOptions& options) {
  const Project project(quick_base());
  const Trace trace = project.traced(run_arguments(), {}, options, project.scratch() / "printed");
  REQUIRE(trace.status == 0);
  REQUIRE(trace.count > 50);
  return trace.count;
}

/// What is old enough is cleared by the next process: an hour for entries, ten minutes for hidden folders.
void age(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    const auto long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(2);
    std::filesystem::last_write_time(path, long_ago);
  }
}

/// The next run succeeds without any cleaning, finds nothing wrong, and clears what is left.
void check_next_run(Project& project) {
  const Answer answer = project(run_arguments());
  INFO(answer.text);
  REQUIRE(answer.code == 0);
  REQUIRE(answer.text == expected().first);
  REQUIRE(read_file(project / "y.npy") == expected().second);
  const auto left = project.leftovers();
  if (left.empty()) return;
  age(left);
  // Another kernel, so that something is compiled and stored.
  write_file(project / "add.tsr", std::string(kAddOne) + "// changed\n");
  for (const std::string& name : names_in(project.cache + "/v1")) {
    if (name.size() == 2) remove_tree(project.cache + "/v1/" + name);
  }
  REQUIRE(project(run_arguments()).code == 0);
  for (const std::string& path : project.leftovers()) UNSCOPED_INFO("left: " << path);
  REQUIRE(project.leftovers().empty());
}

void kill_at(long at, const TraceOptions& options) {
  Project project(quick_base());
  const Trace trace =
      project.traced(run_arguments(), {Fault::Kind::kill, at}, options, project.scratch() / "printed");
  INFO("killed at call " << at << " (number " << trace.call << ")");
  REQUIRE_FALSE(trace.hung);
  const auto array = read_file(project / "y.npy");
  REQUIRE((!array || *array == expected().second));
  check_next_run(project);
}

/// A run with a fault ends in the right result or in an error of the right kind, and leaves nothing wrong.
void fail_at(const Fault& fault, const TraceOptions& options) {
  Project project(quick_base());
  const std::string printed = project.scratch() / "printed";
  const Trace trace = project.traced(run_arguments(), fault, options, printed);
  const std::string text = read_file(printed).value_or("");
  INFO(std::strerror(fault.error) << " at call " << fault.at << " (number " << trace.call << "):\n" << text);
  REQUIRE_FALSE(trace.hung);
  REQUIRE(WIFEXITED(trace.status));
  const int code = WEXITSTATUS(trace.status);
  REQUIRE((code == 0 || code == 3));
  const auto array = read_file(project / "y.npy");
  REQUIRE((!array || *array == expected().second));
  if (code == 0) REQUIRE(array);
  if (code == 3 && trace.call != SYS_write)
    REQUIRE(
        (text.find("error[T0") != std::string::npos || text.find("cannot be written") != std::string::npos));
  check_next_run(project);
}

const std::vector<long> kFileCalls = {
    SYS_openat,    SYS_read,         SYS_pread64, SYS_write,    SYS_close, SYS_fsync,      SYS_rename,
    SYS_mkdir,     SYS_rmdir,        SYS_unlink,  SYS_unlinkat, SYS_lseek, SYS_newfstatat, SYS_fchmod,
    SYS_ftruncate, SYS_flock,        SYS_access,  SYS_pipe2,    SYS_dup,   SYS_chdir,      SYS_getdents64,
    SYS_utimensat, SYS_memfd_create, SYS_clone,   SYS_readlink};

constexpr int kErrors[] = {ENOSPC, EIO, EDQUOT, EROFS, EBUSY, ESTALE, EMFILE};

}  // namespace

TEST_CASE("a run killed at any of its calls leaves a folder in which the next one works") {
  const TraceOptions options = from_main({}, false);
  const long calls = count_calls(options), kills = amount("TESSERA_KILLS", 60);
  std::minstd_rand random(3);
  for (long kill = 0; kill < kills; ++kill)
    kill_at(1 + (kill * calls + random() % calls) / kills % calls, options);
  WARN(kills << " kills among " << calls << " calls");
}

TEST_CASE("supervisor, compiler and shell killed anywhere leave nothing running") {
  const TraceOptions options = from_main({}, true);
  const long calls = count_calls(options), kills = amount("TESSERA_KILLS", 60);
  std::minstd_rand random(5);
  for (long kill = 0; kill < kills; ++kill)
    kill_at(1 + (kill * calls + random() % calls) / kills % calls, options);
  WARN(kills << " kills among " << calls << " calls");
}

TEST_CASE("a call that fails anywhere in a run gives the right result or a clear error") {
  const TraceOptions options = from_main(kFileCalls, false);
  const long calls = count_calls(options), faults = amount("TESSERA_FAULTS", 100);
  std::minstd_rand random(7);
  for (long fault = 0; fault < faults; ++fault) {
    const long at = 1 + (fault * calls + random() % calls) / faults % calls;
    fail_at({Fault::Kind::error, at, kErrors[fault % std::size(kErrors)]}, options);
  }
  WARN(faults << " faults among " << calls << " calls");
}

TEST_CASE("a run in which every call of a kind fails gives the right result or a clear error") {
  for (const long call : kFileCalls) {
    if (call == SYS_close) continue;  // no system ever refuses each of them
    const TraceOptions options = from_main({call}, false);
    for (const int error : {ENOSPC, EMFILE}) fail_at({Fault::Kind::every_error, 1, error}, options);
  }
}
