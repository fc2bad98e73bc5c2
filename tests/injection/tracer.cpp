// SPDX-License-Identifier: Apache-2.0
// System calls stopped and changed with ptrace; see tracer.h.
#include "tracer.h"

#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <map>

namespace tessera::injection {

namespace {

constexpr int kCallStop = SIGTRAP | 0x80;  // PTRACE_O_TRACESYSGOOD tells calls apart from signals

/// A process that is being traced.
struct Process {
  bool inside_call = false;
  int error = 0;  // what its present call is to answer, or 0
};

/// Interrupts waiting when the time is over, and every 100 ms from then on.
class Alarm {
 public:
  explicit Alarm(std::chrono::seconds limit) {
    rung_ = 0;
    struct sigaction action {};
    action.sa_handler = [](int) { rung_ = 1; };  // without SA_RESTART: waitpid comes back
    ::sigaction(SIGALRM, &action, &old_);
    const itimerval timer{{0, 100'000}, {limit.count(), 0}};
    ::setitimer(ITIMER_REAL, &timer, nullptr);
  }
  Alarm(const Alarm&) = delete;
  ~Alarm() {
    const itimerval none{};
    ::setitimer(ITIMER_REAL, &none, nullptr);
    ::sigaction(SIGALRM, &old_, nullptr);
  }
  bool rang() const { return rung_ != 0; }

 private:
  inline static volatile std::sig_atomic_t rung_ = 0;
  struct sigaction old_ {};
};

class Tracer {
 public:
  Tracer(const Fault& fault, const TraceOptions& options)
      : fault_(fault), options_(options), armed_(options.first_call < 0) {}

  Trace run(const std::function<int()>& body) {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // what outlives its parent is still met below
    start(body);
    const Alarm alarm(options_.time_limit);
    while (true) {
      int status = 0;
      const pid_t pid = ::waitpid(-1, &status, __WALL);
      if (pid < 0 && errno == ECHILD) break;
      if (pid > 0) answer(pid, status);
      if (alarm.rang()) kill_all();
    }
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
    return trace_;
  }

 private:
  void start(const std::function<int()>& body) {
    root_ = ::fork();
    if (root_ == 0) {
      if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(125);
      ::raise(SIGSTOP);
      ::_exit(body());
    }
    int status = 0;
    ::waitpid(root_, &status, 0);
    if (!WIFSTOPPED(status)) {
      trace_.status = status;
      return;
    }
    long events = PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC;
    if (options_.follow) events |= PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE;
    ::ptrace(PTRACE_SETOPTIONS, root_, nullptr, events);
    processes_[root_];
    go_on(root_, 0);
  }

  static void go_on(pid_t pid, int signal) {
    ::ptrace(PTRACE_SYSCALL, pid, nullptr, static_cast<long>(signal));
  }

  void answer(pid_t pid, int status) {
    if (!WIFSTOPPED(status)) {
      if (pid == root_) trace_.status = status;
      processes_.erase(pid);
      return;
    }
    const int signal = WSTOPSIG(status);
    const bool is_new = !processes_.contains(pid);
    Process& process = processes_[pid];
    if (signal == kCallStop) {
      process.inside_call = !process.inside_call;
      process.inside_call ? enter(pid, process) : leave(pid, process);
    } else if (signal == SIGTRAP && status >> 16 != 0) {
      go_on(pid, 0);
    } else {
      go_on(pid, is_new && signal == SIGSTOP ? 0 : signal);
    }
  }

  void enter(pid_t pid, Process& process) {
    user_regs_struct registers{};
    ::ptrace(PTRACE_GETREGS, pid, nullptr, &registers);
    const auto call = static_cast<long>(registers.orig_rax);
    if (call == options_.first_call) armed_ = true;
    if (counts(call) && is_due(++trace_.count)) {
      trace_.hit = true;
      trace_.call = call;
      if (fault_.kind == Fault::Kind::kill) {
        ::kill(pid, SIGKILL);
        return;
      }
      // No call at all, except that a descriptor is closed whatever close() answers.
      if (call != SYS_close) registers.orig_rax = static_cast<unsigned long long>(-1);
      ::ptrace(PTRACE_SETREGS, pid, nullptr, &registers);
      process.error = fault_.error;
    }
    go_on(pid, 0);
  }

  void leave(pid_t pid, Process& process) {
    if (process.error != 0) {
      user_regs_struct registers{};
      ::ptrace(PTRACE_GETREGS, pid, nullptr, &registers);
      registers.rax = static_cast<unsigned long long>(-static_cast<long long>(process.error));
      ::ptrace(PTRACE_SETREGS, pid, nullptr, &registers);
      process.error = 0;
    }
    go_on(pid, 0);
  }

  bool is_due(long count) const {
    if (fault_.kind == Fault::Kind::every_error) return count >= fault_.at;
    return fault_.kind != Fault::Kind::none && count == fault_.at;
  }

  bool counts(long call) const {
    return armed_ && (options_.calls.empty() || std::ranges::count(options_.calls, call) > 0);
  }

  /// Kills what this process traces, and what it inherited.
  void kill_all() {
    trace_.hung = true;
    for (const auto& [pid, process] : processes_) ::kill(pid, SIGKILL);
    std::FILE* list = std::fopen("/proc/thread-self/children", "r");
    for (int child = 0; list != nullptr && std::fscanf(list, "%d", &child) == 1;) ::kill(child, SIGKILL);
    if (list != nullptr) std::fclose(list);
  }

  Fault fault_;
  const TraceOptions& options_;
  bool armed_;
  pid_t root_ = -1;
  std::map<pid_t, Process> processes_;
  Trace trace_;
};

}  // namespace

Trace run_traced(const std::function<int()>& body, const Fault& fault, const TraceOptions& options) {
  return Tracer(fault, options).run(body);
}

}  // namespace tessera::injection
