// SPDX-License-Identifier: Apache-2.0
// What the tests of the driver share: a scratch folder, fake tools, environment variables that are put back.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "src/driver/files.h"

namespace tessera::driver::test {

/// A folder for one test case, deleted at its end.
class Scratch {
 public:
  explicit Scratch(const std::string& base = "/tmp") : path_(base + "/driver-test.XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) std::abort();
  }
  Scratch(const Scratch&) = delete;
  ~Scratch() {
    ::chmod(path_.c_str(), 0700);
    remove_tree(path_);
  }
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

  /// An executable shell script.
  std::string script(const std::string& name, const std::string& body) const {
    const std::string path = *this / name;
    write_file(path, "#!/bin/sh\n" + body);
    ::chmod(path.c_str(), 0755);
    return path;
  }
  /// A folder below, made if necessary.
  std::string folder(const std::string& name) const {
    std::filesystem::create_directories(*this / name);
    return *this / name;
  }

 private:
  std::string path_;
};

/// A folder in memory where there is one: what is synced thousands of times need not wait for a disk.
inline std::string quick_base() { return ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"; }

/// Sets or unsets an environment variable for the life of the object.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
  }
  Variable(const Variable&) = delete;
  ~Variable() { old_ ? ::setenv(name_, old_->c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

/// Names in a folder, sorted.
inline std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace tessera::driver::test
