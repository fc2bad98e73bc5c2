// SPDX-License-Identifier: Apache-2.0
// StreamCounts: counts on a device for launches whose blocks count what they have done.
#pragma once

#include "tessera/architecture.h"

#if TESSERA_TWIN
#include <cstring>

#include "tessera/twin/fault.h"
#else
#include "tessera/lasting_counts.h"
#endif

namespace tessera::detail {

/// Counts that are zero when a launch begins, if each launch leaves them so: clearing them before each would be one more
/// launch. They stay with a stream, whose launches follow each other, or with a graph.
class StreamCounts {
 public:
#if TESSERA_TWIN
  static constexpr index kMost = 32;  // so few that tests clear others as well

  static std::uint32_t* of(void*, int, index count) {
    static thread_local std::uint32_t counts[kMost] = {};
    static thread_local std::int64_t faults = 0;
    // A launch with a fault may not have ended.
    if (faults != twin::fault_count_of_all()) std::memset(counts, 0, sizeof(counts));
    faults = twin::fault_count_of_all();
    return count <= kMost ? counts : nullptr;
  }
#else
  /// So many of the current device, number `device`, for a launch that is queued behind `stream`. Null, so that the launch has
  /// to bring its own, where they are more than a piece of LastingCounts has, of streams beyond the first `kStreams` that a
  /// device has had such launches in, destroyed ones among them, and where there is no memory.
  TESSERA_OUT_OF_LINE static std::uint32_t* of(void* stream, int device, index count) {
    if (count > LastingCounts::kMost || device < 0 || device >= DeviceNumbers::kDevices) return nullptr;
    const auto of_stream = static_cast<cudaStream_t>(stream);
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    unsigned long long id;  // never another's, unlike addresses; a captured stream may not be asked for it
    if (cudaStreamIsCapturing(of_stream, &capture) == cudaSuccess) {
      if (capture == cudaStreamCaptureStatusActive) return of_captured(of_stream, device, count);
      if (cudaStreamGetId(of_stream, &id) == cudaSuccess) return find(id, device);
    }
    (void)cudaGetLastError();
    return nullptr;
  }

 private:
  static constexpr std::size_t kStreams = 64;
  struct Entry {
    std::uint64_t stream;  // its number and 1; 0 of none
    PieceOfCounts* piece;  // null until one is taken
  };

  /// Those of the stream: from a place that its number says on, whoever comes first has the next.
  static std::uint32_t* find(std::uint64_t id, int device) {
    static Entry entries[DeviceNumbers::kDevices][kStreams] = {};
    for (std::size_t i = 0; i < kStreams; ++i) {
      Entry& entry = entries[device][(id + i) % kStreams];
      std::uint64_t owner = __atomic_load_n(&entry.stream, __ATOMIC_ACQUIRE);
      const bool is_new = owner == 0 && __atomic_compare_exchange_n(&entry.stream, &owner, id + 1, false,
                                                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
      if (is_new || owner == id + 1) return counts_of(entry, device);
    }
    return nullptr;
  }

  /// Takes a piece where the stream has none yet; of several threads that do, one has its way.
  static std::uint32_t* counts_of(Entry& entry, int device) {
    PieceOfCounts* piece = __atomic_load_n(&entry.piece, __ATOMIC_ACQUIRE);
    if (piece != nullptr) return piece->counts;
    PieceOfCounts* const taken = LastingCounts::take(device, LastingCounts::kMost);
    if (taken == nullptr) return nullptr;
    if (__atomic_compare_exchange_n(&entry.piece, &piece, taken, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      return taken->counts;
    LastingCounts::give_back(taken);
    return piece->counts;
  }

  /// Of one captured launch, until the graph and what was made of it are destroyed. It is never run beside itself: of a graph
  /// that has memory of its own, as those have whose launches leave sums in workspace, there is one executable at a time. A
  /// library may be unloaded only after its graphs are destroyed.
  TESSERA_OUT_OF_LINE static std::uint32_t* of_captured(cudaStream_t stream, int device, index count) {
    cudaStreamCaptureStatus capture;
    cudaGraph_t graph = nullptr;
#if CUDART_VERSION >= 13000
    const cudaError_t asked = cudaStreamGetCaptureInfo(stream, &capture, nullptr, &graph);
#else
    const cudaError_t asked = cudaStreamGetCaptureInfo_v2(stream, &capture, nullptr, &graph);
#endif
    PieceOfCounts* const piece =
        asked == cudaSuccess && graph != nullptr ? LastingCounts::take(device, count) : nullptr;
    if (piece != nullptr && leave_to(graph, piece)) return piece->counts;
    (void)cudaGetLastError();
    return nullptr;
  }

  /// The graph gives the piece back, or this does where it cannot.
  static bool leave_to(cudaGraph_t graph, PieceOfCounts* piece) {
    cudaUserObject_t object;
    const auto give_back = [](void* taken) { LastingCounts::give_back(static_cast<PieceOfCounts*>(taken)); };
    if (cudaUserObjectCreate(&object, piece, give_back, 1, cudaUserObjectNoDestructorSync) != cudaSuccess) {
      LastingCounts::give_back(piece);
      return false;
    }
    if (cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove) == cudaSuccess) return true;
    (void)cudaUserObjectRelease(object, 1);
    return false;
  }
#endif
};

}  // namespace tessera::detail
