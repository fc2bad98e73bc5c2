// SPDX-License-Identifier: Apache-2.0
// Generated code of many programs in one unit, compiled for the host twin and loaded into this process: so the headers
// of the twin are read once.
#pragma once

#include <string>
#include <vector>

#include "driver/cache.h"
#include "driver/files.h"
#include "driver/toolchain.h"
#include "emit/emit.h"
#include "sweep/executor.h"

namespace tessera::sweep {

/// A program that is to be compiled: generated code of a checked file under a plan. Its file stem and namespace are
/// its own.
struct UnitProgram {
  emit::Emission emission;
  std::vector<std::string> kernels;
};

/// The unit that includes all programs, each with C functions of other names.
driver::NamedBytes unit_of(const std::vector<UnitProgram>& programs);

/// A loaded unit. Its references to the twin are bound to this program, which has to export them.
class SharedUnit {
 public:
  /// Compiles without optimisation: the twin's bits do not depend on it, and most of the time would go into it.
  /// Without success the object is empty, and `error` says why.
  SharedUnit(const std::vector<UnitProgram>& programs, const driver::Tool& compiler,
             const driver::Cache* cache, std::string& error);
  SharedUnit(const SharedUnit&) = delete;
  SharedUnit& operator=(const SharedUnit&) = delete;
  /// The code stays where it is unless `unload` was called.
  ~SharedUnit() = default;
  void unload();

  bool is_loaded() const { return object_ != nullptr; }
  /// The entry of a kernel of a program; null where there is none.
  Entry find(std::size_t program, const std::string& kernel) const;
  void* object() const { return object_; }

 private:
  void* object_ = nullptr;
};

/// The entry of a kernel of a program of an object.
Entry find_entry(void* object, std::size_t program, const std::string& kernel);

}  // namespace tessera::sweep
