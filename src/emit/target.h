// SPDX-License-Identifier: Apache-2.0
// What the planner knows of a chip: a row of data.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tessera::emit {

/// Bytes of shared memory that a function may declare, on every chip; only what a launch asks for may be more.
inline constexpr int64_t kMostStaticBytes = 49152;

enum Feature : uint32_t {
  kAsyncCopy = 1u << 0,
  kParametersInRegisters =
      1u << 1,            // guarded instructions take parameters from registers, not from constant memory
  kWarpgroups = 1u << 2,  // that multiply together, and an engine that copies boxes of tensors
};

struct Target {
  std::string_view name;    // "sm_90", also the suffix of generated functions
  std::string_view parent;  // whose way of running it shares, or ""
  std::string_view nvcc;    // the architecture nvcc compiles for: "90a"
  int shared_memory_per_block;
  int shared_memory_per_multiprocessor;
  int threads_per_multiprocessor;
  int blocks_per_multiprocessor;
  int registers_per_multiprocessor;
  int multiprocessors;
  int memory_gigabytes_per_second;
  uint32_t features;

  bool has(Feature feature) const { return (features & feature) != 0; }
};

/// All rows, oldest first.
std::span<const Target> all_targets();
/// The names of all rows, for messages.
std::string known_targets();
/// The row with that name, or null.
const Target* find_target(std::string_view name);

}  // namespace tessera::emit
