// SPDX-License-Identifier: Apache-2.0
// Runs a program under a supervisor and collects its output; see process.h.
#include "driver/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

#include "base/utf8.h"
#include "driver/files.h"
#include "driver/supervisor.h"

namespace tessera::driver {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array kInterrupts = {SIGINT, SIGTERM, SIGHUP};
/// How often a waiting process looks whether it was interrupted between its look and its sleep.
constexpr int kLookMilliseconds = 200;
/// A supervisor that was told to stop has this long to kill its descendants.
constexpr auto kStopLimit = std::chrono::seconds(10);

volatile std::sig_atomic_t pending_signal = 0;
int guard_count = 0;
std::array<struct sigaction, kInterrupts.size()> previous_actions;

void note_signal(int signal) { pending_signal = signal; }

struct Pipe {
  Descriptor read, write;
};

std::optional<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

/// Reads what is there; false at the end of the stream.
bool read_some(int descriptor, std::string& into) {
  char buffer[65536];
  const ssize_t count = ::read(descriptor, buffer, sizeof buffer);
  if (count > 0) into.append(buffer, static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN));
}

/// The parent's side of one run.
class Run {
 public:
  Run(const ProcessRequest& request, pid_t supervisor, Pipe output, Pipe report)
      : request_(request), supervisor_(supervisor), output_(std::move(output)), report_(std::move(report)) {
    output_.write.close();
    report_.write.close();
    ::fcntl(output_.read.number(), F_SETFL, O_NONBLOCK);
  }

  ProcessResult wait() {
    const auto deadline = Clock::now() + request_.time_limit;
    bool output_open = true;
    // The report's end of stream means that the supervisor is gone, and with it everything that could write.
    for (bool running = true; running;) {
      std::array<pollfd, 2> files = {pollfd{report_.read.number(), POLLIN, 0},
                                     pollfd{output_open ? output_.read.number() : -1, POLLIN, 0}};
      ::poll(files.data(), files.size(), kLookMilliseconds);
      if (files[1].revents != 0) output_open = read_some(output_.read.number(), result_.output);
      if (files[0].revents != 0) running = read_some(report_.read.number(), report_bytes_);
      if (pending_signal != 0) stop(ProcessOutcome::interrupted);
      if (result_.output.size() > request_.output_limit) stop(ProcessOutcome::too_much_output);
      if (Clock::now() > deadline) stop(ProcessOutcome::timed_out);
      if (stopped_at_ && Clock::now() > *stopped_at_ + kStopLimit) ::kill(supervisor_, SIGKILL);
    }
    while (output_open && result_.output.size() <= request_.output_limit) {
      const std::size_t before = result_.output.size();
      output_open = read_some(output_.read.number(), result_.output) && result_.output.size() > before;
    }
    while (::waitpid(supervisor_, nullptr, 0) < 0 && errno == EINTR) {
    }
    return finish();
  }

 private:
  /// Tells the supervisor to end, once, and remembers why.
  void stop(ProcessOutcome reason) {
    if (stopped_at_) return;
    stopped_at_ = Clock::now();
    reason_ = reason;
    ::kill(supervisor_, SIGTERM);
  }

  ProcessResult finish() {
    if (result_.output.size() > request_.output_limit) result_.output.resize(request_.output_limit);
    // Without a report somebody killed the supervisor, and the kernel the program with it.
    SupervisorReport report{SupervisorReport::Kind::ended, SIGKILL};
    if (report_bytes_.size() >= sizeof report) std::memcpy(&report, report_bytes_.data(), sizeof report);
    if (stopped_at_) {
      result_.outcome = reason_;
    } else if (report.kind == SupervisorReport::Kind::not_started) {
      result_.outcome = ProcessOutcome::not_started;
      result_.code = report.value;
    } else if (WIFSIGNALED(report.value)) {
      result_.outcome = ProcessOutcome::signalled;
      result_.code = WTERMSIG(report.value);
    } else {
      result_.outcome = ProcessOutcome::exited;
      result_.code = WEXITSTATUS(report.value);
    }
    return std::move(result_);
  }

  const ProcessRequest& request_;
  pid_t supervisor_;
  Pipe output_, report_;
  std::string report_bytes_;
  std::optional<Clock::time_point> stopped_at_;
  ProcessOutcome reason_ = ProcessOutcome::exited;
  ProcessResult result_;
};

}  // namespace

InterruptGuard::InterruptGuard() {
  if (guard_count++ > 0) return;
  struct sigaction action {};
  action.sa_handler = note_signal;
  for (std::size_t i = 0; i < kInterrupts.size(); ++i) {
    ::sigaction(kInterrupts[i], nullptr, &previous_actions[i]);
    // What the caller had ignored (nohup) stays ignored.
    if (previous_actions[i].sa_handler != SIG_IGN) ::sigaction(kInterrupts[i], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  if (--guard_count > 0) return;
  for (std::size_t i = 0; i < kInterrupts.size(); ++i)
    ::sigaction(kInterrupts[i], &previous_actions[i], nullptr);
  if (const int signal = std::exchange(pending_signal, 0); signal != 0) ::raise(signal);
}

bool InterruptGuard::interrupted() { return pending_signal != 0; }

ProcessResult run_process(const ProcessRequest& request) {
  std::vector<std::string> arguments = request.arguments;
  arguments.insert(arguments.begin(), request.program);
  const std::vector<char*> argument_pointers = pointers(arguments);
  const std::vector<char*> environment_pointers = pointers(request.environment);
  auto output = make_pipe();
  auto report = make_pipe();
  if (!output || !report) return {ProcessOutcome::not_started, errno, {}};

  const SupervisorRequest supervised{request.program.c_str(),
                                     argument_pointers.data(),
                                     environment_pointers.data(),
                                     request.folder.c_str(),
                                     output->write.number(),
                                     report->write.number(),
                                     ::getpid()};
  const pid_t supervisor = ::fork();
  if (supervisor < 0) return {ProcessOutcome::not_started, errno, {}};
  if (supervisor == 0) supervise(supervised);
  return Run(request, supervisor, std::move(*output), std::move(*report)).wait();
}

std::string printable(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t length = utf8_sequence_length(bytes, i);
    const auto byte = static_cast<unsigned char>(bytes[i]);
    if (length == 0 || (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f) {
      text += fmt::format("\\x{:02x}", byte);
      ++i;
    } else {
      text += bytes.substr(i, length);
      i += length;
    }
  }
  return text;
}

std::string describe(const ProcessResult& result, const ProcessRequest& request) {
  switch (result.outcome) {
    case ProcessOutcome::exited:
      return fmt::format("ended with exit code {}", result.code);
    case ProcessOutcome::signalled:
      return fmt::format("was killed by signal {} ({})", result.code, ::strsignal(result.code));
    case ProcessOutcome::not_started:
      return fmt::format("could not be started: {}", std::strerror(result.code));
    case ProcessOutcome::timed_out:
      return fmt::format("did not end within {} s and was killed",
                         std::chrono::duration<double>(request.time_limit).count());
    case ProcessOutcome::too_much_output:
      return fmt::format("printed more than {} bytes and was killed", request.output_limit);
    case ProcessOutcome::interrupted:
      return "was interrupted";
  }
  return "ended in an unknown way";
}

}  // namespace tessera::driver
