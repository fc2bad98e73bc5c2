// SPDX-License-Identifier: Apache-2.0
// Files: replaced in one step, left alone when equal; temporary folders leave nothing.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "catch.h"
#include "scratch.h"
#include "src/driver/sha256.h"

using namespace tessera::driver;
using namespace tessera::driver::test;

TEST_CASE("SHA-256 gives the digests of the standard") {
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256(std::string(1'000'000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("SHA-256 does not depend on how the text is cut") {
  const std::string text(200, 'x');
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    Sha256 hash;
    hash.update(text.substr(0, cut));
    hash.update(text.substr(cut));
    REQUIRE(hash.finish() == sha256(text));
  }
}

TEST_CASE("fields keep their borders") {
  Sha256 first, second;
  first.update_field("ab"), first.update_field("c");
  second.update_field("a"), second.update_field("bc");
  CHECK(first.finish() != second.finish());
}

TEST_CASE("a file with the same bytes is left untouched") {
  const Scratch scratch;
  const std::string path = scratch / "a.cu";
  REQUIRE(!replace_file(path, "one"));
  const timespec times[] = {{1000, 0}, {1000, 0}};
  ::utimensat(AT_FDCWD, path.c_str(), times, 0);
  REQUIRE(!replace_file(path, "one"));
  struct stat status {};
  ::stat(path.c_str(), &status);
  CHECK(status.st_mtime == 1000);
  REQUIRE(!replace_file(path, "two"));
  CHECK(read_file(path) == "two");
  CHECK(names_in(scratch.path()) == std::vector<std::string>{"a.cu"});
}

TEST_CASE("permissions and links survive a replacement") {
  const Scratch scratch;
  REQUIRE(!write_file(scratch / "real", "one"));
  ::chmod((scratch / "real").c_str(), 0640);
  REQUIRE(::symlink("real", (scratch / "link").c_str()) == 0);
  REQUIRE(!replace_file(scratch / "link", "two"));
  struct stat status {};
  ::lstat((scratch / "link").c_str(), &status);
  CHECK(S_ISLNK(status.st_mode));
  ::lstat((scratch / "real").c_str(), &status);
  CHECK((status.st_mode & 0777) == 0640);
  CHECK(read_file(scratch / "real") == "two");
}

TEST_CASE("when one of several files cannot be written, none is") {
  const Scratch scratch;
  REQUIRE(!write_file(scratch / "a", "old"));
  const auto error = replace_files({{scratch / "a", "new"}, {scratch / "missing/b", "new"}});
  REQUIRE(error);
  CHECK(error->path == scratch / "missing/b");
  CHECK(error->reason == "No such file or directory");
  CHECK(read_file(scratch / "a") == "old");
  CHECK(names_in(scratch.path()) == std::vector<std::string>{"a"});
}

TEST_CASE("what a killed process left beside a file is used or deleted by the next one") {
  const Scratch scratch;
  const std::string path = scratch / (std::string(250, 'n') + ".cu");  // longer names do not exist
  const pid_t child = ::fork();
  if (child == 0) {
    // No permission to write so much: the process dies with the sibling half written.
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::signal(SIGXFSZ, SIG_DFL);
    (void)replace_file(path, std::string(5000, 'x'));
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(WIFSIGNALED(status));
  const auto left = names_in(scratch.path());
  REQUIRE(left.size() == 1);
  REQUIRE(left.front().starts_with(".tesserac-"));
  const std::string bytes = *read_file(scratch / left.front());
  REQUIRE(!replace_file(path, "new"));
  CHECK(read_file(path) == "new");
  CHECK(names_in(scratch.path()).size() == 1);
  write_file(scratch / left.front(), bytes);
  REQUIRE(!replace_file(path, "new"));  // nothing to write
  CHECK(names_in(scratch.path()).size() == 1);
}

TEST_CASE("a sibling that is not ours is left alone") {
  const Scratch scratch;
  const std::string path = scratch / "a.cu";
  REQUIRE(!write_file(scratch / "precious", "x"));
  const std::string sibling = scratch / (".tesserac-" + sha256("a.cu").substr(0, 16));
  REQUIRE(::link((scratch / "precious").c_str(), sibling.c_str()) == 0);
  REQUIRE(!replace_file(path, "one"));
  CHECK(read_file(scratch / "precious") == "x");
  ::unlink(sibling.c_str());
  REQUIRE(::symlink("precious", sibling.c_str()) == 0);
  REQUIRE(!replace_file(path, "two"));
  CHECK(read_file(scratch / "precious") == "x");
  CHECK(read_file(path) == "two");
}

TEST_CASE("of many who write one file at once, one wins whole") {
  const Scratch scratch(quick_base());
  const std::string path = scratch / "a.cu";
  std::vector<pid_t> children;
  for (char letter = 'a'; letter < 'i'; ++letter) {
    const pid_t child = ::fork();
    if (child == 0) {
      bool right = true;
      for (int round = 0; right && round < 100; ++round) {
        right = !replace_file(path, std::string(20'000, letter));
        const auto bytes = read_file(path);
        right = right && bytes && bytes->size() == 20'000 && *bytes == std::string(20'000, bytes->front());
      }
      ::_exit(right ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  CHECK(names_in(scratch.path()) == std::vector<std::string>{"a.cu"});
}

TEST_CASE("a folder is no output file, a device is") {
  const Scratch scratch;
  CHECK(replace_file(scratch.path(), "x")->reason == "Is a directory");
  CHECK(!replace_file("/dev/null", "x"));
}

TEST_CASE("only plain absolute paths count as safe for a shell") {
  CHECK(is_shell_safe("/usr/local/cuda-13.0/bin/nvcc"));
  for (const char* path :
       {"", "relative", "/a b", "/a$(x)", "/a`x`", "/a'b", "/a\"b", "/a;b", "/a\\b", "/ä", "/a\nb"}) {
    CHECK_FALSE(is_shell_safe(path));
  }
}

TEST_CASE("a temporary folder is deleted with its content") {
  const Scratch scratch;
  std::string path;
  {
    const auto folder = TemporaryFolder::create(scratch.path());
    REQUIRE(folder);
    path = folder->path();
    CHECK(path.starts_with(scratch.path() + "/tesserac-"));
    create_folders(path + "/deep/er");
    write_file(path + "/deep/er/file", "x");
  }
  CHECK(names_in(scratch.path()).empty());
}

TEST_CASE("a temporary folder is deleted though somebody goes on putting files into it") {
  for (int time = 0; time < 20; ++time) {
    const Scratch scratch;
    pid_t child = 0;
    {
      const auto folder = TemporaryFolder::create(scratch.path());
      const std::string path = folder->path();
      child = ::fork();
      for (int i = 0; child == 0; ++i) {
        const int file = ::open((path + "/" + std::to_string(i)).c_str(), O_CREAT | O_WRONLY, 0600);
        if (file < 0) ::_exit(0);
        ::close(file);
      }
      while (names_in(path).size() < 10) ::usleep(100);
    }
    ::waitpid(child, nullptr, 0);
    CHECK(names_in(scratch.path()).empty());
  }
}

TEST_CASE("what a killed process left behind is deleted by the next one") {
  const Scratch scratch;
  const pid_t child = ::fork();
  if (child == 0) {
    const auto folder = TemporaryFolder::create(scratch.path());
    write_file(folder->path() + "/file", "x");
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  REQUIRE(names_in(scratch.path()).size() == 1);
  const std::string abandoned = names_in(scratch.path()).front();
  const auto alive = TemporaryFolder::create(scratch.path());
  const auto second = TemporaryFolder::create(scratch.path());
  REQUIRE(alive);
  REQUIRE(second);
  const auto names = names_in(scratch.path());
  CHECK(names.size() == 2);
  CHECK(std::count(names.begin(), names.end(), abandoned) == 0);
}

TEST_CASE("folders whose making or deleting was cut short go once they are old, whatever the clock") {
  const Scratch scratch;
  const auto now = std::filesystem::file_time_type::clock::now();
  write_file(scratch.folder(".tesserac-AAAAAA") + "/.tesserac-temporary-folder", "");
  scratch.folder(".tesserac-BBBBBB");
  scratch.folder(".tesserac-CCCCCC");
  scratch.folder(".tesserac-DDDDDD");
  std::filesystem::last_write_time(scratch / ".tesserac-AAAAAA", now - std::chrono::hours(1));
  std::filesystem::last_write_time(scratch / ".tesserac-BBBBBB", now - std::chrono::hours(1));
  std::filesystem::last_write_time(scratch / ".tesserac-CCCCCC", now + std::chrono::hours(24 * 365));
  { const auto folder = TemporaryFolder::create(scratch.path()); }
  CHECK(names_in(scratch.path()) == std::vector<std::string>{".tesserac-DDDDDD"});  // somebody may be at it
}

TEST_CASE("a folder of somebody else is left alone, whatever its name") {
  const Scratch scratch;
  for (const char* name : {"tesserac-build", "tesserac-AbCdEf", ".tesserac-AbCdEf", "tessera-cache"}) {
    write_file(scratch.folder(name) + "/precious", "x");
  }
  const auto before = names_in(scratch.path());
  { const auto folder = TemporaryFolder::create(scratch.path()); }
  CHECK(names_in(scratch.path()) == before);
}

TEST_CASE("a hostile, missing or read-only TMPDIR is passed over") {
  const Scratch scratch;
  const std::string hostile = scratch.folder("$(touch pwned) 'x'");
  const std::string locked = scratch.folder("locked");
  ::chmod(locked.c_str(), 0500);
  for (const std::string& tmpdir : {hostile, scratch / "missing", std::string("relative")}) {
    const Variable variable("TMPDIR", tmpdir.c_str());
    const auto folder = TemporaryFolder::create("");
    REQUIRE(folder);
    CHECK(folder->path().starts_with("/tmp/tesserac-"));
  }
  if (::geteuid() != 0) {
    const Variable variable("TMPDIR", locked.c_str());
    CHECK(TemporaryFolder::create("")->path().starts_with("/tmp/tesserac-"));
  }
  CHECK(names_in(hostile).empty());
}
