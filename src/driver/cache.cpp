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

/// An entry as the trimming sees it.
struct EntryInfo {
  std::string path;
  std::uint64_t bytes = 0;
  fs::file_time_type used;
};

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
    entries.push_back(
        {it->path().string(), size_of_tree(it->path()), fs::last_write_time(it->path(), ignored)});
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
  if (const auto folder = variable("TESSERA_CACHE_DIR"); !folder.empty()) return folder;
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
  trim();
}

std::uint64_t Cache::size() const {
  std::uint64_t sum = 0;
  for (const EntryInfo& entry : entries_of(folder_)) sum += entry.bytes;
  return sum;
}

void Cache::trim() const {
  const Descriptor folder(::open((folder_ + "/v1").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid() || ::flock(folder.number(), LOCK_EX | LOCK_NB) != 0) return;  // somebody is at it
  std::vector<EntryInfo> entries = entries_of(folder_);
  std::uint64_t sum = 0;
  for (const EntryInfo& entry : entries) sum += entry.bytes;
  const auto now = fs::file_time_type::clock::now();
  std::ranges::sort(entries, {}, &EntryInfo::used);
  for (const EntryInfo& entry : entries) {
    const bool in_transit =
        entry.path.starts_with(folder_ + "/v1/new/") || entry.path.starts_with(folder_ + "/v1/old/");
    // What a killed process left half written goes after an hour; nothing takes that long to write.
    const bool abandoned = in_transit && now - entry.used > std::chrono::hours(1);
    if (!abandoned && (in_transit || sum <= capacity_)) continue;
    discard(entry.path);
    sum -= entry.bytes;
  }
}

}  // namespace tessera::driver
