// SPDX-License-Identifier: Apache-2.0
// Reading and replacing files; see files.h.
#include "driver/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace tessera::driver {

namespace {

FileError last_error(const std::string& path) { return {path, std::strerror(errno)}; }

/// Writes everything or says why not.
bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

/// A file whose new content waits beside it.
struct Pending {
  std::string path;
  std::string sibling;
};

/// Deletes the siblings that were not renamed.
struct PendingList {
  std::vector<Pending> items;
  ~PendingList() {
    for (const Pending& item : items) ::unlink(item.sibling.c_str());
  }
};

/// The file that a path finally names, so that a link stays a link.
std::string resolved(const std::string& path) {
  std::error_code error;
  const auto target = std::filesystem::canonical(path, error);
  return error ? path : target.string();
}

/// Writes `bytes` to a new file beside `path`, with the permissions the old file had.
std::optional<FileError> write_sibling(const std::string& path, std::string_view bytes,
                                       std::string& sibling) {
  struct stat old {};
  const bool exists = ::stat(path.c_str(), &old) == 0;
  sibling = path + ".XXXXXX";
  Descriptor descriptor(::mkostemp(sibling.data(), O_CLOEXEC));
  if (!descriptor.valid()) return last_error(path);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const mode_t mode = exists ? (old.st_mode & 0777) : (0666 & ~mask);
  if (write_all(descriptor.number(), bytes) && ::fchmod(descriptor.number(), mode) == 0) return std::nullopt;
  const FileError error = last_error(path);
  ::unlink(sibling.c_str());
  return error;
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    close();
    number_ = std::exchange(other.number_, -1);
  }
  return *this;
}

void Descriptor::close() {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

std::optional<std::string> read_file(const std::string& path, std::size_t limit) {
  // Opening a pipe without a writer would wait for ever.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!file.valid() || ::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  if (static_cast<std::uint64_t>(status.st_size) > limit) return std::nullopt;
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t count = ::read(file.number(), bytes.data() + filled, bytes.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;  // it shrank while we read, or failed
    filled += static_cast<std::size_t>(count);
  }
  return bytes;
}

std::optional<FileError> write_file(const std::string& path, std::string_view bytes, bool sync) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!file.valid() || !write_all(file.number(), bytes)) return last_error(path);
  if (sync && ::fsync(file.number()) != 0) return last_error(path);
  return std::nullopt;
}

std::optional<FileError> replace_file(const std::string& path, std::string_view bytes) {
  return replace_files({{path, std::string(bytes)}});
}

std::optional<FileError> replace_files(const std::vector<NamedBytes>& files) {
  PendingList pending;
  for (const NamedBytes& file : files) {
    struct stat status {};
    const bool exists = ::stat(file.name.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) return FileError{file.name, std::strerror(EISDIR)};
    if (exists && !S_ISREG(status.st_mode)) {
      const Descriptor special(::open(file.name.c_str(), O_WRONLY | O_CLOEXEC));
      if (!special.valid() || !write_all(special.number(), file.bytes)) return last_error(file.name);
      continue;
    }
    if (exists && read_file(file.name) == file.bytes) continue;
    const std::string path = resolved(file.name);
    std::string sibling;
    if (auto error = write_sibling(path, file.bytes, sibling)) return FileError{file.name, error->reason};
    pending.items.push_back({path, sibling});
  }
  while (!pending.items.empty()) {
    const Pending& item = pending.items.back();
    if (::rename(item.sibling.c_str(), item.path.c_str()) != 0) return last_error(item.path);
    pending.items.pop_back();
  }
  return std::nullopt;
}

std::optional<FileError> create_folders(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  // An existing folder behind a link is no error of ours, though the library reports one.
  std::error_code ignored;
  if (error && !std::filesystem::is_directory(path, ignored)) return FileError{path, error.message()};
  if (!std::filesystem::is_directory(path, ignored)) return FileError{path, std::strerror(ENOTDIR)};
  return std::nullopt;
}

void remove_tree(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

bool is_shell_safe(std::string_view path) {
  const auto safe = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '/' || c == '-' || c == '+';
  };
  return path.starts_with('/') && std::ranges::all_of(path, safe);
}

}  // namespace tessera::driver
