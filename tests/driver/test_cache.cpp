// SPDX-License-Identifier: Apache-2.0
// The cache: never a wrong answer, whatever happens to its files and processes.
#include <fcntl.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include "catch.h"
#include "scratch.h"
#include "src/driver/cache.h"
#include "src/driver/sha256.h"

using namespace tessera::driver;
using namespace tessera::driver::test;

namespace {

Cache open_cache(const std::string& folder, std::uint64_t capacity = Cache::kDefaultCapacity) {
  CacheRefusal refusal;
  auto cache = Cache::open(folder, refusal, capacity);
  REQUIRE(cache);
  return *cache;
}

const std::string kKey = sha256("key");
const std::vector<NamedBytes> kFiles = {{"output.so", std::string(300, 'x') + '\0' + "y"},
                                        {"log", "compiled\n"}};

bool is_stored(const std::optional<std::vector<NamedBytes>>& files, const std::vector<NamedBytes>& expected) {
  if (!files || files->size() != expected.size()) return false;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if ((*files)[i].name != expected[i].name || (*files)[i].bytes != expected[i].bytes) return false;
  }
  return true;
}

std::string entry_folder(const Scratch& scratch, const std::string& key = kKey) {
  return scratch / ("cache/v1/" + key.substr(0, 2) + "/" + key);
}

}  // namespace

TEST_CASE("what is stored is loaded, from another process too") {
  const Scratch scratch;
  const Cache cache = open_cache(scratch / "cache");
  CHECK_FALSE(cache.load(kKey));
  cache.store(kKey, kFiles);
  CHECK(is_stored(cache.load(kKey), kFiles));
  CHECK(is_stored(open_cache(scratch / "cache").load(kKey), kFiles));
  CHECK_FALSE(cache.load(sha256("other")));
}

TEST_CASE("every flipped byte and every truncation of every file is noticed") {
  const Scratch scratch;
  const Cache cache = open_cache(scratch / "cache");
  for (const char* name : {"output.so", "log", "manifest"}) {
    cache.store(kKey, kFiles);
    const std::string path = entry_folder(scratch) + "/" + name;
    const std::string bytes = *read_file(path);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << (i % 8)));
      for (const std::string& text : {damaged, bytes.substr(0, i)}) {
        write_file(path, text);
        REQUIRE_FALSE(cache.load(kKey));
        cache.store(kKey, kFiles);  // the damaged entry is out of the way
        REQUIRE(is_stored(cache.load(kKey), kFiles));
      }
    }
  }
}

TEST_CASE("missing, exchanged and foreign entries are noticed") {
  const Scratch scratch;
  const Cache cache = open_cache(scratch / "cache");
  const std::string other = sha256("other");
  cache.store(kKey, kFiles);
  cache.store(other, {{"output.so", "different"}});
  std::filesystem::rename(entry_folder(scratch), scratch / "aside");
  create_folders(std::filesystem::path(entry_folder(scratch)).parent_path());
  std::filesystem::rename(entry_folder(scratch, other), entry_folder(scratch));
  CHECK_FALSE(cache.load(kKey));
  cache.store(kKey, kFiles);
  std::filesystem::remove(entry_folder(scratch) + "/log");
  CHECK_FALSE(cache.load(kKey));
  create_folders(entry_folder(scratch));
  write_file(entry_folder(scratch) + "/manifest", "tessera cache entry 0\n");
  CHECK_FALSE(cache.load(kKey));
  write_file(entry_folder(scratch), "a file where a folder should be");
  CHECK_FALSE(cache.load(kKey));
  cache.store(kKey, kFiles);
  CHECK(is_stored(cache.load(kKey), kFiles));
}

TEST_CASE("an entry that is a link out of the cache is not followed into damage") {
  const Scratch scratch;
  const Cache cache = open_cache(scratch / "cache");
  const std::string outside = scratch.folder("outside");
  write_file(outside + "/precious", "x");
  create_folders(std::filesystem::path(entry_folder(scratch)).parent_path());
  REQUIRE(::symlink(outside.c_str(), entry_folder(scratch).c_str()) == 0);
  CHECK_FALSE(cache.load(kKey));
  CHECK(read_file(outside + "/precious") == "x");
}

TEST_CASE("insecure folders are refused") {
  const Scratch scratch;
  CacheRefusal refusal;
  const auto refused_as = [&](const std::string& folder) {
    REQUIRE_FALSE(Cache::open(folder, refusal));
    CHECK(refusal.kind == CacheRefusal::Kind::insecure);
    return refusal.reason;
  };
  ::chmod(scratch.folder("open").c_str(), 0777);
  CHECK(refused_as(scratch / "open") == "other users may write to it");
  REQUIRE(::symlink(scratch.folder("real").c_str(), (scratch / "link").c_str()) == 0);
  CHECK(refused_as(scratch / "link") == "it is a symbolic link");
  write_file(scratch / "file", "");
  CHECK(refused_as(scratch / "file") == "it is not a folder");
  if (::geteuid() != 0) CHECK(refused_as("/").starts_with("it belongs to another user"));
}

TEST_CASE("an unusable folder is told apart") {
  const Scratch scratch;
  CacheRefusal refusal;
  write_file(scratch / "file", "");
  CHECK_FALSE(Cache::open(scratch / "file/below", refusal));
  CHECK(refusal.kind == CacheRefusal::Kind::unusable);
  CHECK_FALSE(Cache::open("", refusal));
  CHECK(refusal.reason == "there is no home folder");
}

TEST_CASE("the folder follows flag, variable, XDG and home, in this order") {
  const Variable tessera("TESSERA_CACHE_DIR", "/t"), xdg("XDG_CACHE_HOME", "/x"), home("HOME", "/h");
  CHECK(Cache::default_folder("/flag") == "/flag");
  CHECK(Cache::default_folder("") == "/t");
  const Variable no_tessera("TESSERA_CACHE_DIR", nullptr);
  CHECK(Cache::default_folder("") == "/x/tessera");
  const Variable relative_xdg("XDG_CACHE_HOME", "relative");
  CHECK(Cache::default_folder("") == "/h/.cache/tessera");
  const Variable no_home("HOME", nullptr);
  CHECK(Cache::default_folder("") == "");
}

TEST_CASE("the entries used longest ago go first") {
  const Scratch scratch;
  const Cache cache = open_cache(scratch / "cache", 5000);
  const auto age = [&](const std::string& key, int seconds) {
    const auto now = std::filesystem::file_time_type::clock::now();
    std::filesystem::last_write_time(entry_folder(scratch, key), now - std::chrono::seconds(seconds));
  };
  const std::string a = sha256("a"), b = sha256("b"), c = sha256("c");
  const std::vector<NamedBytes> files = {{"f", std::string(2000, 'f')}};
  cache.store(a, files), age(a, 300);
  cache.store(b, files), age(b, 200);
  CHECK(cache.load(a));  // now used last
  cache.store(c, files);
  CHECK(cache.load(a));
  CHECK_FALSE(cache.load(b));
  CHECK(cache.load(c));
  CHECK(cache.size() <= 5000);
  CHECK(names_in(scratch / "cache/v1/old").empty());
}

TEST_CASE("unusual names of files are not stored") {
  const Scratch scratch;
  const Cache cache = open_cache(scratch / "cache");
  for (const char* name : {"../escape", "a/b", "", ".", "..", "manifest"}) {
    cache.store(kKey, {{name, "x"}});
    CHECK_FALSE(cache.load(kKey));
  }
  CHECK(names_in(scratch / "cache/v1/new").empty());
}

namespace {

/// What one of many processes does: it loads and stores, and now and then damages or deletes what it meets.
/// 0 unless it loads something wrong.
int use_cache(const std::string& folder, unsigned seed, unsigned keys, std::uint64_t capacity) {
  CacheRefusal refusal;
  const auto cache = Cache::open(folder, refusal, capacity);
  std::minstd_rand random(seed);
  bool right = cache.has_value();
  for (int round = 0; right && round < 40; ++round) {
    const std::string name = std::to_string(random() % keys);
    const std::vector<NamedBytes> files = {{"f", std::string(4000, name[0]) + name}};
    const auto loaded = cache->load(sha256(name));
    right = !loaded || is_stored(loaded, files);
    if (!loaded) cache->store(sha256(name), files);
    const std::string entry = folder + "/v1/" + sha256(name).substr(0, 2) + "/" + sha256(name);
    if (random() % 16 == 0) std::filesystem::remove(entry + "/f");
  }
  return right ? 0 : 1;
}

}  // namespace

TEST_CASE("64 processes on one key and on a hundred never see anything but whole entries") {
  for (const unsigned keys : {1u, 100u}) {
    const Scratch scratch(quick_base());
    const std::string folder = scratch / "cache";
    open_cache(folder);
    std::vector<pid_t> children;
    for (unsigned process = 1; process <= 64; ++process) {
      const pid_t child = ::fork();
      // So small that entries are evicted all the time, while others read them.
      if (child == 0) ::_exit(use_cache(folder, process, keys, 80'000));
      children.push_back(child);
    }
    for (const pid_t child : children) {
      int status = 0;
      ::waitpid(child, &status, 0);
      CHECK(status == 0);
    }
    CHECK(names_in(folder + "/v1/new").empty());
    CHECK(names_in(folder + "/v1/old").empty());
  }
}

TEST_CASE("a clock that was set back neither keeps old entries nor costs the new one") {
  const Scratch scratch;
  const Cache cache = open_cache(scratch / "cache", 5000);
  const auto in_a_year = std::filesystem::file_time_type::clock::now() + std::chrono::hours(24 * 365);
  const std::string a = sha256("a"), b = sha256("b"), c = sha256("c");
  const std::vector<NamedBytes> files = {{"f", std::string(2000, 'f')}};
  for (const std::string& key : {a, b}) {
    cache.store(key, files);
    std::filesystem::last_write_time(entry_folder(scratch, key), in_a_year);
  }
  const std::string left = scratch.folder("cache/v1/new/left");
  std::filesystem::last_write_time(left, in_a_year);
  cache.store(c, files);
  CHECK(cache.load(c));
  CHECK(cache.size() <= 5000);
  CHECK_FALSE(std::filesystem::exists(left));
}

TEST_CASE("what killed processes left costs no whole entry its place") {
  const Scratch scratch;
  const Cache cache = open_cache(scratch / "cache", 5000);
  write_file(scratch.folder("cache/v1/new/left") + "/f", std::string(100'000, 'f'));
  cache.store(kKey, kFiles);
  CHECK(is_stored(cache.load(kKey), kFiles));
  CHECK(cache.size() <= 5000);
}

TEST_CASE("files exchanged between entries and other formats are noticed") {
  const Scratch scratch;
  const Cache cache = open_cache(scratch / "cache");
  const std::string other = sha256("other");
  const std::vector<NamedBytes> files = {{"output.so", std::string(302, 'z')}, {"log", "compiled\n"}};
  for (const char* name : {"output.so", "manifest"}) {
    cache.store(kKey, kFiles);
    cache.store(other, files);
    std::filesystem::rename(entry_folder(scratch, other) + "/" + name, entry_folder(scratch) + "/" + name);
    CHECK_FALSE(cache.load(kKey));
    CHECK_FALSE(cache.load(other));
  }
  for (const char format : {'0', '2', '9'}) {
    cache.store(kKey, kFiles);
    const std::string path = entry_folder(scratch) + "/manifest";
    std::string manifest = *read_file(path);
    manifest[manifest.find('\n') - 1] = format;
    write_file(path, manifest);
    CHECK_FALSE(cache.load(kKey));
  }
}

TEST_CASE("folders inside of the cache are looked at too") {
  const Scratch scratch;
  open_cache(scratch / "cache");
  CacheRefusal refusal;
  ::chmod((scratch / "cache/v1").c_str(), 0777);
  REQUIRE_FALSE(Cache::open(scratch / "cache", refusal));
  CHECK(refusal.kind == CacheRefusal::Kind::insecure);
  CHECK(refusal.reason == "of `v1` in it: other users may write to it");
}

TEST_CASE("a process killed at any moment leaves whole entries or none") {
  const Scratch scratch(quick_base());
  const std::string folder = scratch / "cache";
  const Cache cache = open_cache(folder);
  std::minstd_rand random(7);
  for (int round = 0; round < 150; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int i = 0;; ++i) {
        const std::string key = sha256(std::to_string(i % 5));
        if (!cache.load(key)) cache.store(key, kFiles);
        remove_tree(entry_folder(scratch, key));
      }
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 4000));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    for (int i = 0; i < 5; ++i) {
      const auto loaded = cache.load(sha256(std::to_string(i)));
      REQUIRE((!loaded || is_stored(loaded, kFiles)));
    }
  }
  // What was left on the way in goes once it is old.
  for (const std::string& name : names_in(folder + "/v1/new")) {
    const auto long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(2);
    std::filesystem::last_write_time(folder + "/v1/new/" + name, long_ago);
  }
  cache.store(kKey, kFiles);
  CHECK(names_in(folder + "/v1/new").empty());
  CHECK(is_stored(cache.load(kKey), kFiles));
}
