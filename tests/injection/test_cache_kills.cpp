// SPDX-License-Identifier: Apache-2.0
// The cache with a process killed, or a call failing, at each of its system calls: whole entries or none.
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <random>

#include "amount.h"
#include "catch.h"
#include "src/driver/cache.h"
#include "src/driver/sha256.h"
#include "tests/driver/scratch.h"
#include "tracer.h"

using namespace tessera::driver;
using namespace tessera::driver::test;
using namespace tessera::injection;

namespace {

constexpr int kKeys = 4;
/// Room for three of the entries below, so that the fourth one evicts another.
constexpr std::uint64_t kCapacity = 3 * 5000;

std::string key_of(int number) { return sha256("key" + std::to_string(number)); }

std::vector<NamedBytes> files_of(int number) {
  return {{"output.so", std::string(4000, static_cast<char>('a' + number))}, {"log", "compiled\n"}};
}

/// A cache in a folder of its own, and what processes do with it.
struct Torture {
  Scratch scratch{quick_base()};
  std::string folder = scratch / "cache";

  Cache open(std::uint64_t capacity = kCapacity) const {
    CacheRefusal refusal;
    auto cache = Cache::open(folder, refusal, capacity);
    INFO(refusal.reason);
    REQUIRE(cache);
    return *cache;
  }
  std::string entry(int number) const {
    const std::string key = key_of(number);
    return folder + "/v1/" + key.substr(0, 2) + "/" + key;
  }

  /// 0 absent, 1 as stored, 2 wrong.
  static int state(const Cache& cache, int number) {
    const auto loaded = cache.load(key_of(number));
    if (!loaded) return 0;
    const auto expected = files_of(number);
    bool same = loaded->size() == expected.size();
    for (std::size_t i = 0; same && i < expected.size(); ++i) {
      same = (*loaded)[i].name == expected[i].name && (*loaded)[i].bytes == expected[i].bytes;
    }
    return same ? 1 : 2;
  }

  /// What a process does: it opens the cache, misses, stores, hits, meets a damaged entry, and evicts.
  /// 0 unless a load gives something wrong.
  int work() const {
    CacheRefusal refusal;
    const auto cache = Cache::open(folder, refusal, kCapacity);
    if (!cache) return 0;  // a call failed on the way; compilers then go without
    for (int number = 0; number < kKeys; ++number) {
      if (state(*cache, number) == 2) return 1;
      cache->store(key_of(number), files_of(number));
      if (state(*cache, number) == 2) return 1;
      if (number == 1) {
        write_file(entry(number) + "/log", "damaged\n");
        if (state(*cache, number) == 2) return 1;
      }
    }
    return 0;
  }

  /// The next process finds nothing wrong, and everything works for it.
  void check_next_process() const {
    const Cache cache = open();
    for (int number = 0; number < kKeys; ++number) REQUIRE(state(cache, number) != 2);
    for (int number = 0; number < kKeys; ++number) {
      cache.store(key_of(number), files_of(number));
      REQUIRE(state(cache, number) == 1);
    }
    REQUIRE(cache.size() <= kCapacity);
  }

  /// What was left on its way in or out is gone once it is old.
  void check_leftovers_go() const {
    for (const char* part : {"/v1/new", "/v1/old"}) {
      for (const std::string& name : names_in(folder + part)) {
        const auto long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(2);
        std::filesystem::last_write_time(folder + part + "/" + name, long_ago);
      }
    }
    remove_tree(entry(0));
    open().store(key_of(0), files_of(0));
    REQUIRE(names_in(folder + "/v1/new").empty());
    REQUIRE(names_in(folder + "/v1/old").empty());
  }
};

/// What a failing disk, quota or table of descriptors answers.
constexpr int kErrors[] = {ENOSPC, EIO, EDQUOT, EROFS, EBUSY, ESTALE, EMFILE};

/// Every call that touches a file.
const std::vector<long> kFileCalls = {
    SYS_open,      SYS_openat,    SYS_read,       SYS_write,      SYS_close,    SYS_fsync,  SYS_rename,
    SYS_renameat,  SYS_renameat2, SYS_mkdir,      SYS_mkdirat,    SYS_rmdir,    SYS_unlink, SYS_unlinkat,
    SYS_stat,      SYS_lstat,     SYS_fstat,      SYS_newfstatat, SYS_statx,    SYS_access, SYS_faccessat2,
    SYS_utimensat, SYS_flock,     SYS_getdents64, SYS_fchmod,     SYS_ftruncate};

}  // namespace

TEST_CASE("a process killed at any of its calls leaves whole entries or none") {
  const long rounds = amount("TESSERA_KILLS", 500);
  long kills = 0, positions = 0;
  while (kills < rounds) {
    for (long at = 1; kills < rounds; ++at, ++kills) {
      const Torture torture;
      const Trace trace = run_traced([&] { return torture.work(); }, {Fault::Kind::kill, at});
      INFO("killed at call " << at << " (number " << trace.call << ")");
      REQUIRE_FALSE(trace.hung);
      if (!trace.hit) {
        REQUIRE(trace.status == 0);
        break;
      }
      REQUIRE(WIFSIGNALED(trace.status));
      torture.check_next_process();
      torture.check_leftovers_go();
      positions = std::max(positions, at);
    }
  }
  WARN(kills << " kills at " << positions << " places");
}

TEST_CASE("a process killed at many of its calls leaves a cache that many can use") {
  // One cache for all: what one victim leaves the next one finds.
  const Torture torture;
  std::minstd_rand random(11);
  const long rounds = amount("TESSERA_KILLS", 300);
  for (long round = 0; round < rounds; ++round) {
    const long at = 1 + static_cast<long>(random() % 330);
    const Trace trace = run_traced([&] { return torture.work(); }, {Fault::Kind::kill, at});
    INFO("round " << round << ", killed at call " << at);
    REQUIRE_FALSE(trace.hung);
    REQUIRE((WIFSIGNALED(trace.status) || trace.status == 0));
    const Cache cache = torture.open();
    for (int number = 0; number < kKeys; ++number) REQUIRE(Torture::state(cache, number) != 2);
  }
  torture.check_next_process();
  torture.check_leftovers_go();
}

TEST_CASE("a call that fails costs an entry at most") {
  long faults = 0;
  for (const int error : kErrors) {
    for (long at = 1;; ++at) {
      const Torture torture;
      const Trace trace =
          run_traced([&] { return torture.work(); }, {Fault::Kind::error, at, error}, {kFileCalls});
      INFO(std::strerror(error) << " at call " << at << " (number " << trace.call << ")");
      REQUIRE_FALSE(trace.hung);
      REQUIRE(trace.status == 0);
      if (!trace.hit) break;
      ++faults;
      torture.check_next_process();
      torture.check_leftovers_go();
    }
  }
  WARN(faults << " faults");
}

TEST_CASE("when every call of a kind fails, nothing is cached and nothing breaks") {
  for (const long call : kFileCalls) {
    for (const int error : kErrors) {
      const Torture torture;
      // From the first one on: a disk that is full stays so.
      const Trace trace =
          run_traced([&] { return torture.work(); }, {Fault::Kind::every_error, 1, error}, {{call}});
      INFO(std::strerror(error) << " at every call " << call);
      REQUIRE_FALSE(trace.hung);
      REQUIRE(trace.status == 0);
      torture.check_next_process();
      torture.check_leftovers_go();
    }
  }
}
