// SPDX-License-Identifier: Apache-2.0
// Names in generated code: the user's own where C++, CUDA and the runtime leave them free.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/dtype.h"

namespace tessera::emit {

/// True when a name means something to C++, to CUDA's or the C library's macros, or to the runtime headers.
bool is_reserved(std::string_view name);

/// `name`, or `name_` when it is reserved.
std::string safe_name(std::string_view name);

/// A file's stem as part of a C++ name: `my-kernels` gives `my_kernels`.
std::string identifier(std::string_view stem);

/// Ranges are lower case; an axis made by `:` bears the name of its symbol, which is a parameter of the function.
std::string lowercase(std::string name);

/// With a large first letter.
std::string capitalised(std::string name);

/// A type in generated code, which is inside namespace tessera: `float`, `bf16`, `index`.
std::string type_name(DType type);

/// Parameters of what launches a function for one order of factors in memory.
inline constexpr const char* kOrder = "order";
inline constexpr const char* kOtherOrder = "other_order";

/// In a launcher: whether boxes of all tensors that products read can be copied.
inline constexpr const char* kHaveBoxes = "have_boxes";

/// Blocks of the cluster that a block is in, in kernels and in what launches them.
inline constexpr const char* kCluster = "cluster";

/// Hands out names of one function, each once.
class NameAllocator {
 public:
  /// `wanted` made safe; with a number behind it when it is taken already.
  std::string take(std::string_view wanted);
  /// Lets a name be handed out again.
  void release(const std::string& name) { taken_.erase(name); }
  /// Keeps a name from being handed out.
  void reserve(std::string name) { taken_.insert(std::move(name)); }
  bool is_taken(const std::string& name) const { return taken_.contains(name); }

 private:
  std::set<std::string> taken_;
};

}  // namespace tessera::emit
