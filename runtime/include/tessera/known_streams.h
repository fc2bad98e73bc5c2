// SPDX-License-Identifier: Apache-2.0
// KnownStreams: what launches remember of the streams that they go to. For CUDA alone.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "tessera/config.h"
#include "tessera/device_numbers.h"

namespace tessera::detail {

struct PieceOfCounts;

/// What is remembered of a stream.
struct KnownStream {
  std::uint64_t id_and_one;  // 0: nobody's
  PieceOfCounts* piece;      // see StreamCounts; null until one is taken
  std::uint32_t launches;    // of ours that could have begun early; no longer counted from kSettled on
};

/// The first streams that a device has had launches in. A destroyed stream keeps its place.
class KnownStreams {
 public:
  static constexpr std::size_t kStreams = 64;
  static constexpr std::uint32_t kSettled = 16;

  /// A stream as it is now: captured in a graph, or known, or neither, beyond the first `kStreams`.
  struct State {
    bool is_captured;
    KnownStream* known;
  };

  /// Of a stream of the current device, whose number is `device`; a new one gets a place while there are some. Launches come
  /// from any host thread.
  TESSERA_OUT_OF_LINE static State state_of(void* stream, int device) {
    const auto asked = static_cast<cudaStream_t>(stream);
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    unsigned long long id;  // never another's, unlike addresses; a captured stream may not be asked for it
    if (cudaStreamIsCapturing(asked, &capture) == cudaSuccess) {
      if (capture == cudaStreamCaptureStatusActive) return {true, nullptr};
      if (cudaStreamGetId(asked, &id) == cudaSuccess) return {false, place_of(id, device)};
    }
    (void)cudaGetLastError();
    return {false, nullptr};
  }

  /// Whether a launch may begin while the one before it in the stream still runs: in a graph, and in a known stream that has
  /// had `kSettled` launches. Counts this one. Where streams are destroyed while they are at work, first launches that begin
  /// early may wait for ever for those before them: `docs/decisions.md` says when.
  static bool may_begin_early(void* stream, int device) {
    const State state = state_of(stream, device);
    if (state.known == nullptr) return state.is_captured;
    if (__atomic_load_n(&state.known->launches, __ATOMIC_RELAXED) >= kSettled) return true;
    __atomic_fetch_add(&state.known->launches, 1, __ATOMIC_RELAXED);
    return false;
  }

 private:
  /// From a place that its number says on, whoever comes first has the next.
  static KnownStream* place_of(std::uint64_t id, int device) {
    static KnownStream streams[DeviceNumbers::kDevices][kStreams] = {};
    if (device < 0 || device >= DeviceNumbers::kDevices) return nullptr;
    for (std::size_t i = 0; i < kStreams; ++i) {
      KnownStream& stream = streams[device][(id + i) % kStreams];
      std::uint64_t owner = __atomic_load_n(&stream.id_and_one, __ATOMIC_ACQUIRE);
      const bool is_new = owner == 0 && __atomic_compare_exchange_n(&stream.id_and_one, &owner, id + 1, false,
                                                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
      if (is_new || owner == id + 1) return &stream;
    }
    return nullptr;
  }
};

}  // namespace tessera::detail
