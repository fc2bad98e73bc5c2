// SPDX-License-Identifier: Apache-2.0
// A content-addressed cache on disk: what was compiled once is not compiled again, and nothing else ever
// changes.
//
// Layout of the folder:  v1/<first two digits>/<key>/{manifest, files…}   entries
//                        v1/new/, v1/old/                                 entries on their way in and out
// An entry is written in `new`, synced, and published by one rename, so that it exists whole or not at all.
// Whatever is read is compared with the manifest's sizes and digests; an entry that differs is moved away and
// built again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/files.h"

namespace tessera::driver {

/// Why a cache folder is not used.
struct CacheRefusal {
  enum class Kind {
    unusable,  // cannot be made or written: work goes on without a cache
    insecure,  // others could plant files in it: refused
  };
  Kind kind;
  std::string path;
  std::string reason;
};

class Cache {
 public:
  /// Largest sum of sizes that stays after a new entry; the entries used longest ago go first.
  static constexpr std::uint64_t kDefaultCapacity = std::uint64_t{1} << 30;

  /// The folder to use: `requested` if not empty, else $TESSERA_CACHE_DIR, $XDG_CACHE_HOME/tessera,
  /// ~/.cache/tessera. Empty if there is no home either.
  static std::string default_folder(const std::string& requested);

  /// Opens the cache in `folder`, making it if necessary; on failure `refusal` says why. Refused are links,
  /// folders of another user and folders that others may write to.
  static std::optional<Cache> open(const std::string& folder, CacheRefusal& refusal,
                                   std::uint64_t capacity = kDefaultCapacity);

  /// The files of an entry, proved to be what was stored; absent if there is none. A damaged entry is moved
  /// away.
  std::optional<std::vector<NamedBytes>> load(const std::string& key) const;

  /// Publishes an entry and trims the cache. Names are plain file names other than "manifest". Storing is
  /// best effort: a full or vanished disk leaves no entry, and a process that was faster leaves its own,
  /// equal one.
  void store(const std::string& key, const std::vector<NamedBytes>& files) const;

  /// Sum of the sizes of all entries, in bytes.
  std::uint64_t size() const;

  const std::string& folder() const { return folder_; }

 private:
  Cache(std::string folder, std::uint64_t capacity) : folder_(std::move(folder)), capacity_(capacity) {}

  std::string entry_path(const std::string& key) const;
  void discard(const std::string& entry) const;
  /// Evicts until the sum of sizes fits, `newest` last, and clears what killed processes left.
  void trim(const std::string& newest) const;

  std::string folder_;
  std::uint64_t capacity_;
};

}  // namespace tessera::driver
