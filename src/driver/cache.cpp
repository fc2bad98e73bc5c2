// SPDX-License-Identifier: Apache-2.0
// Entries that exist whole or not at all; see cache.h.
#include "driver/cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "driver/sha256.h"

namespace tessera::driver {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kManifest = "manifest";
constexpr std::string_view kManifestHeader = "tessera cache entry 1";

/// The manifest of an entry: what `load` compares with, byte for byte.
std::string manifest_of(const std::string& key, const std::vector<NamedBytes>& files) {
  std::string text = fmt::format("{}\nkey {}\n", kManifestHeader, key);
  for (const NamedBytes& file : files) {
    text += fmt::format("file {} {} {}\n", sha256(file.bytes), file.bytes.size(), file.name);
  }
  return text + "end\n";
}

/// The names of the files that a manifest lists.
std::vector<std::string> names_in(const std::string& manifest) {
  std::vector<std::string> names;
  for (std::size_t begin = 0, end; (end = manifest.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string_view line = std::string_view(manifest).substr(begin, end - begin);
    if (line.starts_with("file ")) names.emplace_back(line.substr(line.rfind(' ') + 1));
  }
  return names;
}

bool is_plain_name(const std::string& name) {
  return !name.empty() && name.find('/') == std::string::npos && name != "." && name != ".." &&
         name != kManifest;
}

bool sync_folder(const std::string& path) {
  const Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return folder.valid() && ::fsync(folder.number()) == 0;
}

std::optional<std::string> insecurity(const std::string& folder) {
  struct stat status {};
  if (::lstat(folder.c_str(), &status) != 0) return std::strerror(errno);
  if (S_ISLNK(status.st_mode)) return "it is a symbolic link";
  if (!S_ISDIR(status.st_mode)) return "it is not a folder";
  if (status.st_uid != ::geteuid()) return fmt::format("it belongs to another user ({})", status.st_uid);
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "other users may write to it";
  return std::nullopt;
}

/// A lock on a folder, held until the object goes; invalid while another process has it.
Descriptor lock_folder(const std::string& path) {
  Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (folder.valid() && ::flock(folder.number(), LOCK_EX | LOCK_NB) != 0) folder.close();
  return folder;
}

/// An entry as the trimming sees it.
struct EntryInfo {
  std::string path;
  std::uint64_t bytes = 0;
  fs::file_time_type used;
  bool in_transit = false;  // in `new` or `old`: none yet, or no longer one
};

/// Whether a folder in `new` or `old` was left by a killed process: nobody holds it, and it is more than an
/// hour old, or from the future of a clock that was set back. Temporary folders have a rule of their own.
bool is_abandoned(const EntryInfo& entry) {
  if (fs::path(entry.path).filename().string().find("tesserac-") != std::string::npos) return false;
  const auto age = fs::file_time_type::clock::now() - entry.used;
  return std::chrono::abs(age) > std::chrono::hours(1) && lock_folder(entry.path).valid();
}

std::uint64_t size_of_tree(const fs::path& path) {
  std::uint64_t sum = 0;
  std::error_code error;
  for (auto it = fs::directory_iterator(path, error); !error && it != fs::directory_iterator();
       it.increment(error)) {
    std::error_code ignored;
    if (const auto size = it->file_size(ignored); !ignored) sum += size;
  }
  return sum;
}

std::vector<EntryInfo> entries_of(const std::string& folder) {
  std::vector<EntryInfo> entries;
  std::error_code error;
  for (auto it = fs::recursive_directory_iterator(folder + "/v1", error);
       !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    if (it.depth() != 1) continue;
    it.disable_recursion_pending();
    std::error_code ignored;
    const std::string shelf = it->path().parent_path().filename();
    entries.push_back({it->path().string(), size_of_tree(it->path()),
                       fs::last_write_time(it->path(), ignored), shelf == "new" || shelf == "old"});
  }
  return entries;
}

}  // namespace

std::string Cache::default_folder(const std::string& requested) {
  if (!requested.empty()) return requested;
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (auto folder = variable("TESSERA_CACHE_DIR"); !folder.empty()) return folder;
  if (const auto base = variable("XDG_CACHE_HOME"); base.starts_with('/')) return base + "/tessera";
  if (const auto home = variable("HOME"); home.starts_with('/')) return home + "/.cache/tessera";
  return {};
}

std::optional<Cache> Cache::open(const std::string& folder, CacheRefusal& refusal, std::uint64_t capacity) {
  const auto refuse = [&](CacheRefusal::Kind kind, std::string reason) {
    refusal = {kind, folder, std::move(reason)};
    return std::nullopt;
  };
  if (folder.empty()) return refuse(CacheRefusal::Kind::unusable, "there is no home folder");
  std::error_code error;
  const std::string path = fs::absolute(folder, error).string();
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    if (const auto parent = fs::path(path).parent_path(); !parent.empty()) {
      if (auto failed = create_folders(parent.string()))
        return refuse(CacheRefusal::Kind::unusable, failed->reason);
    }
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
      return refuse(CacheRefusal::Kind::unusable, std::strerror(errno));
    }
  }
  if (const auto reason = insecurity(path)) return refuse(CacheRefusal::Kind::insecure, *reason);
  for (const char* part : {"/v1", "/v1/new", "/v1/old"}) {
    if (::mkdir((path + part).c_str(), 0700) != 0 && errno != EEXIST) {
      return refuse(CacheRefusal::Kind::unusable, std::strerror(errno));
    }
    if (const auto reason = insecurity(path + part)) {
      return refuse(CacheRefusal::Kind::insecure, fmt::format("of `{}` in it: {}", part + 1, *reason));
    }
  }
  return Cache(path, capacity);
}

std::string Cache::entry_path(const std::string& key) const {
  return fmt::format("{}/v1/{}/{}", folder_, key.substr(0, 2), key);
}

void Cache::discard(const std::string& entry) const {
  // Renamed first: nobody finds half of an entry, and of several processes one does the work.
  std::string place = folder_ + "/v1/old/XXXXXX";
  if (::mkdtemp(place.data()) == nullptr) return;
  [[maybe_unused]] const int moved = ::rename(entry.c_str(), (place + "/entry").c_str());
  remove_tree(place);
}

std::optional<std::vector<NamedBytes>> Cache::load(const std::string& key) const {
  const std::string entry = entry_path(key);
  const auto manifest = read_file(entry + "/" + std::string(kManifest));
  std::vector<NamedBytes> files;
  bool whole = manifest.has_value();
  if (whole) {
    for (const std::string& name : names_in(*manifest)) {
      auto bytes = is_plain_name(name) ? read_file(entry + "/" + name) : std::nullopt;
      if (!bytes) break;
      files.push_back({name, std::move(*bytes)});
    }
    // One comparison covers digests, sizes, names, the key and files that could not be read.
    whole = manifest_of(key, files) == *manifest;
  }
  if (whole) {
    ::utimensat(AT_FDCWD, entry.c_str(), nullptr, 0);  // for the trimming: used now
    return files;
  }
  if (::access(entry.c_str(), F_OK) == 0) discard(entry);
  return std::nullopt;
}

void Cache::store(const std::string& key, const std::vector<NamedBytes>& files) const {
  std::string place = folder_ + "/v1/new/XXXXXX";
  if (::mkdtemp(place.data()) == nullptr) return;
  const Descriptor lock = lock_folder(place);
  const std::string entry = entry_path(key);
  bool written = true;
  for (const NamedBytes& file : files) {
    written = written && is_plain_name(file.name) && !write_file(place + "/" + file.name, file.bytes, true);
  }
  written = written && !write_file(place + "/" + std::string(kManifest), manifest_of(key, files), true) &&
            sync_folder(place);
  const std::string shelf = fs::path(entry).parent_path().string();
  written = written && (::mkdir(shelf.c_str(), 0700) == 0 || errno == EEXIST);
  // Renaming onto a folder with content fails: the process that was faster keeps its entry.
  if (!written || ::rename(place.c_str(), entry.c_str()) != 0) {
    remove_tree(place);
    return;
  }
  sync_folder(shelf);
  trim(entry);
}

std::uint64_t Cache::size() const {
  std::uint64_t sum = 0;
  for (const EntryInfo& entry : entries_of(folder_)) sum += entry.in_transit ? 0 : entry.bytes;
  return sum;
}

void Cache::trim(const std::string& newest) const {
  const Descriptor lock = lock_folder(folder_ + "/v1");
  if (!lock.valid()) return;  // somebody is at it
  std::vector<EntryInfo> entries = entries_of(folder_);
  // What killed processes left does not count: whole entries would have to go for it.
  std::uint64_t sum = 0;
  for (const EntryInfo& entry : entries) sum += entry.in_transit ? 0 : entry.bytes;
  // Clocks are set back, and many entries fall into one of their ticks: a time in the future says nothing, and
  // what was stored just now stays, whatever its time.
  const auto soon = fs::file_time_type::clock::now() + std::chrono::minutes(1);
  std::ranges::sort(entries, {}, [&](const EntryInfo& entry) {
    return std::pair(entry.path == newest, entry.used > soon ? fs::file_time_type::min() : entry.used);
  });
  for (const EntryInfo& entry : entries) {
    if (entry.in_transit ? !is_abandoned(entry) : sum <= capacity_) continue;
    discard(entry.path);
    if (!entry.in_transit) sum -= entry.bytes;
  }
}

}  // namespace tessera::driver
