// SPDX-License-Identifier: Apache-2.0
// Temporary folders that leave nothing behind, not even when the process is killed; see files.h.
//
// A folder in use is locked (flock) for as long as its process lives. It is made under a hidden name, locked,
// and only then gets the name that other processes look for, so a folder they find unlocked belongs to
// nobody. A name alone proves nothing in /tmp, which everybody uses: only a folder with our marker inside is
// ever deleted.
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>

#include "driver/files.h"

namespace tessera::driver {

namespace {

constexpr std::string_view kPrefix = "tesserac-";
constexpr std::string_view kHiddenPrefix = ".tesserac-";
constexpr const char* kMarker = "/.tesserac-temporary-folder";
/// A hidden folder exists for microseconds; one of this age lost its process in between.
constexpr std::time_t kHiddenAge = 600;

bool lock_folder(const Descriptor& folder) {
  return folder.valid() && ::flock(folder.number(), LOCK_EX | LOCK_NB) == 0;
}

Descriptor open_folder(const std::string& path) {
  return Descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
}

bool has_marker(const std::string& folder) { return ::access((folder + kMarker).c_str(), F_OK) == 0; }

/// Deletes a folder of ours: under the hidden name, where a compiler that has lost its parent puts nothing any more, and the
/// marker last. Whoever is killed in between leaves what the next process recognises.
void remove_marked(const std::string& base, const std::string& path) {
  namespace fs = std::filesystem;
  const std::string hidden = base + "/" + std::string(kHiddenPrefix) + path.substr(path.rfind('-') + 1);
  if (::rename(path.c_str(), hidden.c_str()) != 0) return;
  std::error_code error;
  for (auto entry = fs::directory_iterator(hidden, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    std::error_code failed;
    if (hidden + kMarker != entry->path()) fs::remove_all(entry->path(), failed);
    if (failed) return;  // it keeps its marker for another try
  }
  if (error) return;
  ::unlink((hidden + kMarker).c_str());
  ::rmdir(hidden.c_str());
}

/// Deletes what dead processes of this user left in `base`.
void remove_abandoned(const std::string& base) {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(base.c_str()), ::closedir);
  if (!entries) return;
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string_view name = entry->d_name;
    const bool hidden = name.starts_with(kHiddenPrefix);
    if (!hidden && !name.starts_with(kPrefix)) continue;
    const std::string path = base + "/" + entry->d_name;
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != ::geteuid())
      continue;
    // A clock that was set back makes folders of the future, which are old too.
    if (hidden && std::abs(::time(nullptr) - status.st_mtime) < kHiddenAge) continue;
    if (hidden) ::rmdir(path.c_str());  // succeeds if its process died before the marker
    const Descriptor folder = open_folder(path);
    if (lock_folder(folder) && has_marker(path)) remove_marked(base, path);
  }
}

}  // namespace

std::optional<TemporaryFolder> TemporaryFolder::create(const std::string& preferred) {
  const char* tmpdir = std::getenv("TMPDIR");
  for (const std::string& base : {preferred, std::string(tmpdir == nullptr ? "" : tmpdir),
                                  std::string("/tmp"), std::string("/var/tmp")}) {
    if (!is_shell_safe(base) || ::access(base.c_str(), W_OK | X_OK) != 0) continue;
    remove_abandoned(base);
    std::string hidden = base + "/" + std::string(kHiddenPrefix) + "XXXXXX";
    if (::mkdtemp(hidden.data()) == nullptr) continue;
    Descriptor lock = open_folder(hidden);
    const std::string path = base + "/" + hidden.substr(base.size() + 2);
    if (lock_folder(lock) && !write_file(hidden + kMarker, "") &&
        ::rename(hidden.c_str(), path.c_str()) == 0) {
      return TemporaryFolder(path, std::move(lock));
    }
    remove_tree(hidden);
  }
  return std::nullopt;
}

TemporaryFolder::~TemporaryFolder() {
  if (!path_.empty()) remove_marked(path_.substr(0, path_.rfind('/')), path_);
}

}  // namespace tessera::driver
