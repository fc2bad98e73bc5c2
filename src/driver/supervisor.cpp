// SPDX-License-Identifier: Apache-2.0
// Owns a tool and its descendants; see supervisor.h.
//
// Compilers start shells that start compilers. Killing the tool alone leaves the rest running, and killing
// its process group misses what left the group. The supervisor is a subreaper: orphans among its descendants
// become its own children, so it can kill child after child until there is none. It runs between fork and
// exit of a program that may have threads, so it makes system calls only, and allocates nothing.
#include "driver/supervisor.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <initializer_list>

namespace tessera::driver {

namespace {

constexpr rlim_t kLargestFile = rlim_t{4} << 30;  // a tool that writes without end stops here

void send_report(int descriptor, SupervisorReport::Kind kind, int value) {
  const SupervisorReport report{kind, value};
  // Smaller than PIPE_BUF: written whole or not at all. Without a reader there is nobody to tell.
  [[maybe_unused]] const ssize_t count = ::write(descriptor, &report, sizeof report);
}

/// The program's own process, up to the moment it becomes the program.
[[noreturn]] void become_program(const SupervisorRequest& request, const sigset_t& old_signals) {
  ::setpgid(0, 0);
  const rlimit no_core{0, 0};
  rlimit file_size{};
  ::setrlimit(RLIMIT_CORE, &no_core);
  if (::getrlimit(RLIMIT_FSIZE, &file_size) == 0 && file_size.rlim_cur > kLargestFile) {
    file_size.rlim_cur = kLargestFile;  // the user's own limit stays if it is smaller
    ::setrlimit(RLIMIT_FSIZE, &file_size);
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // somebody may kill the supervisor
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing >= 0 && ::dup2(nothing, 0) == 0 && ::dup2(request.output, 1) == 1 &&
      ::dup2(request.output, 2) == 2 && ::chdir(request.folder) == 0) {
    if (nothing > 2) ::close(nothing);
    ::sigprocmask(SIG_SETMASK, &old_signals, nullptr);
    ::execve(request.program, request.arguments, request.environment);
  }
  send_report(request.report, SupervisorReport::Kind::not_started, errno);
  ::_exit(127);
}

/// Kills the children of this process, as the kernel lists them. False if there is no list.
bool kill_children() {
  const int list = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (list < 0) return false;
  char text[4096];
  const ssize_t count = ::read(list, text, sizeof text);
  ::close(list);
  pid_t child = 0;
  // A number cut off by the end of the buffer has no blank behind it and is met in the next round.
  for (ssize_t i = 0; i < count; ++i) {
    if (text[i] >= '0' && text[i] <= '9') {
      child = child * 10 + (text[i] - '0');
    } else {
      if (child > 0) ::kill(child, SIGKILL);
      child = 0;
    }
  }
  return true;
}

/// Kills the group of the program and every descendant, and waits for them.
void kill_descendants(pid_t program) {
  ::kill(-program, SIGKILL);
  while (true) {
    const bool listed = kill_children();
    const pid_t ended = ::waitpid(-1, nullptr, listed ? 0 : WNOHANG);
    if (ended < 0 && errno != EINTR) return;  // no child left
    if (ended == 0 && !listed) return;        // no way to name the ones that are left
  }
}

}  // namespace

void supervise(const SupervisorRequest& request) {
  ::setpgid(0, 0);  // Ctrl-C is for the parent to handle
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_DFL);
  sigset_t watched, old_signals;
  sigemptyset(&watched);
  sigaddset(&watched, SIGCHLD);
  sigaddset(&watched, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &watched, &old_signals);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != request.parent) ::_exit(1);  // it died before the line above

  const pid_t program = ::fork();
  if (program == 0) become_program(request, old_signals);
  if (program < 0) {
    send_report(request.report, SupervisorReport::Kind::not_started, errno);
    ::_exit(1);
  }
  ::setpgid(program, program);  // also here: whoever comes first, the group exists before it is killed
  ::close(request.output);

  int status = 0;
  while (::waitpid(program, &status, WNOHANG) == 0) {
    int signal = 0;
    ::sigwait(&watched, &signal);
    if (signal == SIGTERM) {
      status = SIGTERM;  // as waitpid would say "killed by SIGTERM"
      break;
    }
  }
  kill_descendants(program);
  send_report(request.report, SupervisorReport::Kind::ended, status);
  ::_exit(0);
}

}  // namespace tessera::driver
