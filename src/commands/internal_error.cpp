// SPDX-License-Identifier: Apache-2.0
// Internal errors; see internal_error.h.
#include "commands/internal_error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "commands/session.h"
#include "driver/files.h"

namespace tessera::commands {

namespace {

struct RememberedSource {
  std::string path;
  std::string text;
};

std::vector<std::string> command_arguments;
std::vector<RememberedSource> sources;
/// The message of the signal handler, made beforehand: a handler may not allocate.
std::string crash_message;

/// A word as a POSIX shell takes it.
std::string shell_word(const std::string& word) {
  if (!word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                              "._-/=,:+") == std::string::npos) {
    return word;
  }
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string quoted_command() {
  std::string text;
  for (const std::string& argument : command_arguments)
    text += (text.empty() ? "" : " ") + shell_word(argument);
  return text;
}

void write_text(const char* text, std::size_t size) {
  [[maybe_unused]] const ssize_t count = ::write(STDERR_FILENO, text, size);
}

extern "C" void answer_crash(int) {
  write_text(crash_message.data(), crash_message.size());
  ::_exit(static_cast<int>(ExitCode::internal_error));
}

/// Writes what is needed to repeat the run; the name of the folder, or nothing if it cannot be made.
std::string write_reproduction(const std::string& what) {
  std::string folder = "/tmp/tesserac-internal-error-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) return {};
  std::string report = fmt::format("tesserac {}\n{}\n\n{}\n\n", TESSERA_VERSION, what, quoted_command());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::string name = fmt::format("source{}.tsr", i);
    if (driver::write_file(folder + "/" + name, sources[i].text)) return {};
    report += fmt::format("{} is {}\n", name, shell_word(sources[i].path));
  }
  if (driver::write_file(folder + "/report.txt", report)) return {};
  return folder;
}

}  // namespace

void prepare_for_internal_errors(const std::vector<std::string>& arguments) {
  command_arguments = arguments;
  crash_message = fmt::format(
      "tesserac: internal error: the compiler crashed; this is a bug of tesserac {}\n"
      "tesserac: note: to reproduce it: {}\n",
      TESSERA_VERSION, quoted_command());
#ifndef __SANITIZE_ADDRESS__   // its own report is the better one
  static char stack[1 << 16];  // the ordinary one may be what overflowed
  const stack_t alternate{.ss_sp = stack, .ss_flags = 0, .ss_size = sizeof stack};
  ::sigaltstack(&alternate, nullptr);
  struct sigaction action {};
  action.sa_handler = answer_crash;
  action.sa_flags = SA_ONSTACK | SA_RESETHAND;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::sigaction(signal, &action, nullptr);
#endif
}

void remember_source(const SourceFile& file) { sources.push_back({file.path(), file.text()}); }

ExitCode report_internal_error(const std::string& what) {
  fmt::print(stderr, "tesserac: internal error: {}; this is a bug of tesserac {}\n", what, TESSERA_VERSION);
  fmt::print(stderr, "tesserac: note: to reproduce it: {}\n", quoted_command());
  if (const std::string folder = write_reproduction(what); !folder.empty()) {
    fmt::print(stderr,
               "tesserac: note: the sources and the command are kept in {}; please attach it to a report\n",
               folder);
  }
  return ExitCode::internal_error;
}

}  // namespace tessera::commands
