// SPDX-License-Identifier: Apache-2.0
// Looks for compilers; see toolchain.h.
#include "driver/toolchain.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>

#include "driver/files.h"
#include "driver/process.h"

namespace tessera::driver {

namespace {

constexpr std::string_view kDefaultPath = "/usr/local/bin:/usr/bin:/bin";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return parts;
}

bool is_executable(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

/// The first program of that name in PATH (or the usual folders, if PATH is empty), or nothing. Relative
/// entries of PATH are left out: what they name depends on where the user stands.
std::optional<std::string> find_on_path(const std::string& name) {
  std::string path = variable("PATH");
  if (path.empty()) path = kDefaultPath;
  for (const std::string& folder : split(path, ':')) {
    const std::string candidate = folder + "/" + name;
    if (folder.starts_with('/') && is_executable(candidate)) return candidate;
  }
  return std::nullopt;
}

/// What a tool is called and how its version is read.
struct ToolKind {
  std::string_view what;
  std::vector<std::string> version_arguments;
  std::function<std::optional<std::string>(const std::string& output)> read_version;
};

/// "… release 13.0, V13.0.88" → "13.0.88"
std::optional<std::string> nvcc_version(const std::string& output) {
  const std::size_t release = output.find("release ");
  const std::size_t begin = release == std::string::npos ? release : output.find(", V", release);
  if (begin == std::string::npos) return std::nullopt;
  const std::size_t end = output.find_first_not_of("0123456789.", begin + 3);
  return output.substr(begin + 3, end - begin - 3);
}

/// "g++ (Debian 12.2.0-14) 12.2.0\n…" → "g++ (Debian 12.2.0-14) 12.2.0"
std::optional<std::string> host_version(const std::string& output) {
  std::string line = output.substr(0, output.find('\n'));
  if (line.find_first_of("0123456789") == std::string::npos) return std::nullopt;
  return line;
}

ToolLookup examine(const std::string& path, const ToolKind& kind) {
  const auto refuse = [&](const std::string& why) {
    return ToolLookup{std::nullopt, fmt::format("`{}` {}", printable(path), why)};
  };
  if (!is_shell_safe(path)) {
    return refuse(
        "has characters in its path that a shell would interpret, and compilers pass their path to one");
  }
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return refuse("does not exist");
  if (!is_executable(path)) return refuse("is not an executable file");

  InterruptGuard guard;
  ProcessRequest request{.program = path,
                         .arguments = kind.version_arguments,
                         .environment = tool_environment("/tmp"),
                         .time_limit = std::chrono::seconds(20),
                         .output_limit = 1 << 16};
  const ProcessResult result = run_process(request);
  if (!result.succeeded())
    return refuse(fmt::format("{} when asked for its version", describe(result, request)));
  const auto version = kind.read_version(result.output);
  if (!version) return refuse(fmt::format("does not answer like {} when asked for its version", kind.what));
  return {Tool{path, printable(*version),
               fmt::format("{}|{}|{}.{}|{}", path, status.st_size, status.st_mtim.tv_sec,
                           status.st_mtim.tv_nsec, result.output)},
          {}};
}

/// What the user named: a path, or a name to be looked up.
ToolLookup examine_named(const std::string& name, const ToolKind& kind) {
  if (name.find('/') != std::string::npos) {
    std::error_code error;
    return examine(std::filesystem::absolute(name, error).string(), kind);
  }
  if (const auto path = find_on_path(name)) return examine(*path, kind);
  return {std::nullopt, fmt::format("`{}` is not on PATH", printable(name))};
}

}  // namespace

ToolLookup find_nvcc(const std::string& requested) {
  const ToolKind kind{"nvcc", {"--version"}, nvcc_version};
  const std::string named = requested.empty() ? variable("TESSERA_NVCC") : requested;
  if (!named.empty()) return examine_named(named, kind);
  if (const auto path = find_on_path("nvcc")) return examine(*path, kind);
  for (const std::string& root :
       {variable("CUDA_HOME"), variable("CUDA_PATH"), std::string("/usr/local/cuda")}) {
    const std::string candidate = root + "/bin/nvcc";
    if (root.starts_with('/') && is_executable(candidate)) return examine(candidate, kind);
  }
  return {std::nullopt, "it is neither on PATH nor in $CUDA_HOME/bin, $CUDA_PATH/bin or /usr/local/cuda/bin"};
}

ToolLookup find_host_compiler(const std::string& requested) {
  const ToolKind kind{"a C++ compiler", {"--version"}, host_version};
  const std::string named = requested.empty() ? variable("TESSERA_CXX") : requested;
  if (!named.empty()) return examine_named(named, kind);
  for (const char* name : {"g++", "c++", "clang++"}) {
    if (const auto path = find_on_path(name)) return examine(*path, kind);
  }
  return {std::nullopt, "none of g++, c++ and clang++ is on PATH"};
}

std::vector<std::string> tool_environment(const std::string& temporary_folder) {
  // The folders of the user's PATH stay, in which wrappers look for what they wrap; nvcc would expand `$(…)`
  // in them.
  std::string path;
  for (const std::string& folder : split(variable("PATH"), ':')) {
    if (is_shell_safe(folder)) path += folder + ":";
  }
  std::vector<std::string> environment = {"PATH=" + path + std::string(kDefaultPath), "LC_ALL=C",
                                          "TMPDIR=" + temporary_folder, "HOME=" + temporary_folder};
  // Compilers of module systems find their own libraries by it.
  std::string libraries;
  for (const std::string& folder : split(variable("LD_LIBRARY_PATH"), ':')) {
    if (is_shell_safe(folder)) libraries += (libraries.empty() ? "" : ":") + folder;
  }
  if (!libraries.empty()) environment.push_back("LD_LIBRARY_PATH=" + libraries);
  return environment;
}

}  // namespace tessera::driver
