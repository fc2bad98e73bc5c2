// SPDX-License-Identifier: Apache-2.0
// What the host twin finds wrong with a kernel, and who gets to hear of it.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "tessera/location.h"

namespace tessera::twin {

enum class FaultKind : std::uint8_t {
  out_of_bounds,         ///< a tensor index outside of the extents
  outside_allocation,    ///< a tensor that reaches beyond the memory it was made in
  misaligned,            ///< a vector access at an address that is not a multiple of its size
  broken_promise,        ///< vector access along a dimension whose stride is not 1
  written_twice,         ///< an element of an output that the launch has written before
  never_written,         ///< an element of an output that the launch did not write
  read_before_written,   ///< an element of an output that was read while it held nothing
  shared_out_of_bounds,  ///< an index outside of a shared array, or an array outside of the shared memory
  shared_uninitialised,  ///< a shared byte that was read before any thread wrote it
  shared_race,     ///< two threads at one shared byte, one of them writing, without a barrier in between
  copy_in_flight,  ///< a shared byte that was read or written while an asynchronous copy to it was under way
  uninitialised,   ///< a register that nobody initialised was stored, or given to other threads
  divergent_barrier,  ///< a barrier that some of its threads never reach, or reach elsewhere in the source
  divergent_shuffle,  ///< a shuffle or another step of a warp that some of its lanes never reach, or a lane outside
                      ///< of its own mask
  barrier_uninitialised,  ///< an mbarrier that was used before any thread initialised it
  barrier_misused,        ///< an mbarrier with a count, a parity, arrivals or bytes that it cannot take
  endless_wait,           ///< threads that wait for a phase of an mbarrier that is never complete
  not_fenced,             ///< registers that an asynchronous product takes without a fence before it
  block_gone,             ///< something done to shared memory of a block of the cluster that has ended
  runs_ahead,             ///< a launch that began early and does not wait for the one before
  never_copied,           ///< a box that a thread asked for ahead, and does not copy then
};

/// "out of bounds", "written twice", …
const char* to_string(FaultKind kind);

/// One thing that went wrong.
struct Fault {
  FaultKind kind;
  std::string kernel;
  std::int64_t block;  ///< -1 for what was found before or after the blocks ran
  int thread;          ///< of the block; -1 likewise
  std::string detail;  ///< which tensor or shared array, which index, what was expected
  std::string source;  ///< "softmax.tsr:12", or the place in the generated file when no comment leads to one
  Location where;      ///< in the generated file; its file is null when no statement is to blame
};

/// The report as one line: "softmax.tsr:12: out of bounds: x[4, 17], extents [4, 17] (softmax, block 3,
/// thread 1)".
std::string to_string(const Fault& fault);

/// The line of the .tsr file that a place in a generated file comes from: that of the nearest comment `//
/// name.tsr:12` at or above it. The place itself, "softmax.sm_80.cu:40", when there is no such comment or no
/// such file.
std::string source_of(Location where);

/// The faults of the last launch of this host thread: the first of each kind at each place, at most
/// kMaxFaults; and how many there were in all.
inline constexpr int kMaxFaults = 32;
const std::vector<Fault>& faults();
std::int64_t fault_count();

/// How many all launches of this host thread had.
std::int64_t fault_count_of_all();

/// Who gets each of these faults as it is found, instead of standard error; an empty function
/// restores that. Per host thread.
void on_fault(std::function<void(const Fault&)> listener);

/// Notes a fault of the running launch: of the current thread, or of no thread in particular (then `where`
/// may be {}).
[[gnu::cold]] void report(FaultKind kind, Location where, std::string detail);
[[gnu::cold]] void report_launch(FaultKind kind, Location where, std::string detail);

/// Reports `value` when it is a word of 0x7f bytes: what a planted fault, or g++ where it is told to, leaves in a register
/// that is not initialised. Large enough (3.4e38 as f32) to survive sums and maxima; no number of a sane kernel.
template <typename T>
inline void check_initialised(const T& value, Location where) {
  if constexpr (sizeof(T) >= 4 && sizeof(T) <= 8) {
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    for (const unsigned char byte : bytes) {
      if (byte != 0x7f) return;
    }
    report(FaultKind::uninitialised, where, "the value is made of 0x7f bytes");
  }
}

/// Forgets all faults; a launch of `kernel` begins.
void begin_faults(const char* kernel);

}  // namespace tessera::twin
