// SPDX-License-Identifier: Apache-2.0
// Files on disk: reading, replacing in one step, and folders that are deleted on every way out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::driver {

/// Owns a file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { close(); }

  int number() const { return number_; }
  bool valid() const { return number_ >= 0; }
  /// False if the system reports that something written before did not arrive.
  bool close();

 private:
  int number_ = -1;
};

/// What went wrong with a file, in the words of the system: "No space left on device".
struct FileError {
  std::string path;
  std::string reason;
};

/// A file by name and content.
struct NamedBytes {
  std::string name;
  std::string bytes;
};

/// The whole content of a regular file of at most `limit` bytes; absent for anything else.
std::optional<std::string> read_file(const std::string& path, std::size_t limit = std::size_t{1} << 30);

/// Writes a new file, or replaces the content of an old one; `sync` waits until it is on disk.
std::optional<FileError> write_file(const std::string& path, std::string_view bytes, bool sync = false);

/// Makes `path` hold `bytes`, in one step for anyone who looks: a sibling file is written and renamed over
/// it. What a killed process left of such a sibling is used or deleted by the next one that writes `path`. A file that already holds these bytes is left untouched, time stamps included. Symbolic links are
/// followed; what is not a regular file (/dev/stdout, a pipe) is written in place.
std::optional<FileError> replace_file(const std::string& path, std::string_view bytes);

/// Replaces several files; the text of each is on disk before the first one is renamed, so that a full disk
/// or an unwritable folder leaves every old file as it was.
std::optional<FileError> replace_files(const std::vector<NamedBytes>& files);

/// Creates a folder and those above it.
std::optional<FileError> create_folders(const std::string& path);

/// Deletes a folder with all its content. Links are deleted, never followed.
void remove_tree(const std::string& path);

/// Whether a path holds only characters that no shell gives a meaning: [A-Za-z0-9._/-], absolute, no leading
/// `-` part. nvcc hands its arguments, its working folder and TMPDIR to a shell.
bool is_shell_safe(std::string_view absolute_path);

/// A new folder with a shell-safe absolute path, deleted with its content when the object goes. Folders that
/// a killed process left behind are recognised by their lock and deleted by the next one that looks there.
class TemporaryFolder {
 public:
  /// Tries `preferred` (may be empty), TMPDIR, /tmp and /var/tmp in this order; absent if none can be used.
  static std::optional<TemporaryFolder> create(const std::string& preferred);

  TemporaryFolder(TemporaryFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  const std::string& path() const { return path_; }

 private:
  TemporaryFolder(std::string path, Descriptor lock) : path_(std::move(path)), lock_(std::move(lock)) {}

  std::string path_;
  Descriptor lock_;  // held while the folder is in use
};

}  // namespace tessera::driver
