// SPDX-License-Identifier: Apache-2.0
// Reading and replacing files; see files.h.
#include "driver/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "driver/sha256.h"

namespace tessera::driver {

namespace {

FileError last_error(const std::string& path) { return {path, std::strerror(errno)}; }

/// Writes everything or says why not.
bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) errno = ENOSPC;  // no file does that, but nobody should wait for it for ever
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

/// A file whose new content waits beside it.
struct Pending {
  std::string path;
  std::string sibling;
  Descriptor file;  // holds the lock until the sibling has got its name
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

/// The fixed name under which the new content of `path` waits. It is short, whatever the name of the file.
std::string sibling_of(const std::string& path) {
  const std::filesystem::path whole(path);
  return whole.parent_path() / (".tesserac-" + sha256(whole.filename().string()).substr(0, 16));
}

/// Locks a sibling. False while another process is at it, or if somebody else put a file in its place.
bool own_sibling(const Descriptor& file, const std::string& sibling) {
  struct stat opened {
  }, named{};
  return file.valid() && ::flock(file.number(), LOCK_EX | LOCK_NB) == 0 &&
         ::fstat(file.number(), &opened) == 0 && ::lstat(sibling.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino && S_ISREG(opened.st_mode) &&
         opened.st_uid == ::geteuid() && opened.st_nlink == 1;
}

/// Opens a sibling with the fixed name, in which what a killed process left is overwritten; if another
/// process is writing the same file just now, one with a name of its own.
Descriptor open_sibling(const std::string& path, std::string& sibling) {
  sibling = sibling_of(path);
  Descriptor file(::open(sibling.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (own_sibling(file, sibling) && ::ftruncate(file.number(), 0) == 0) return file;
  sibling = std::filesystem::path(path).parent_path() / ".tesserac-XXXXXX";
  return Descriptor(::mkostemp(sibling.data(), O_CLOEXEC));
}

/// Deletes a sibling that a killed process left, where nothing needs to be written.
void remove_left_sibling(const std::string& path) {
  const std::string sibling = sibling_of(path);
  const Descriptor file(::open(sibling.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (own_sibling(file, sibling)) ::unlink(sibling.c_str());
}

/// Whether the system took what was written. Network file systems say so when a descriptor is closed; that of
/// a copy leaves the lock where it is.
bool has_arrived(const Descriptor& file) { return Descriptor(::dup(file.number())).close(); }

/// Writes `bytes` to a new file beside `path`, with the permissions the old file had.
std::optional<FileError> write_sibling(const std::string& path, std::string_view bytes, Pending& pending) {
  struct stat old {};
  const bool exists = ::stat(path.c_str(), &old) == 0;
  Descriptor descriptor = open_sibling(path, pending.sibling);
  if (!descriptor.valid()) return last_error(path);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const mode_t mode = exists ? (old.st_mode & 0777) : (0666 & ~mask);
  if (write_all(descriptor.number(), bytes) && ::fchmod(descriptor.number(), mode) == 0 &&
      has_arrived(descriptor)) {
    pending.path = path;
    pending.file = std::move(descriptor);
    return std::nullopt;
  }
  const FileError error = last_error(path);
  ::unlink(pending.sibling.c_str());
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

bool Descriptor::close() {
  const int number = std::exchange(number_, -1);
  return number < 0 || ::close(number) == 0 || errno == EINTR;  // it is closed even then
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
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!file.valid() || !write_all(file.number(), bytes)) return last_error(path);
  if (sync && ::fsync(file.number()) != 0) return last_error(path);
  if (!file.close()) return last_error(path);
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
      Descriptor special(::open(file.name.c_str(), O_WRONLY | O_CLOEXEC));
      if (!special.valid() || !write_all(special.number(), file.bytes) || !special.close())
        return last_error(file.name);
      continue;
    }
    const std::string path = resolved(file.name);
    if (exists && read_file(path) == file.bytes) {
      remove_left_sibling(path);
      continue;
    }
    Pending item;
    if (auto error = write_sibling(path, file.bytes, item)) return FileError{file.name, error->reason};
    pending.items.push_back(std::move(item));
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
