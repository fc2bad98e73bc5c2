// SPDX-License-Identifier: Apache-2.0
// Launching: a kernel, how many blocks of how many threads, its arguments. Neither allocates nor throws, and
// can be captured in a CUDA graph.
#pragma once

#include <initializer_list>

#include "tessera/architecture.h"
#include "tessera/launch_check.h"
#include "tessera/numbers.h"

#if TESSERA_TWIN
#include "tessera/twin/launch.h"
#else
#include <cuda_runtime.h>
#endif

namespace tessera {

/// How many blocks the work wants. A launch may have fewer (a GPU takes at most 2^31 - 1): kernels walk over
/// their tiles in steps of block_count(). Clusters of so many run together on chips that have them; `count` is a multiple.
/// Blocks of which each takes many units, one on each multiprocessor, say so.
struct Blocks {
  index count;
  int cluster = 1;
  bool take_many = false;
};

/// Of a launch whose blocks may begin while the launch before it in its stream still runs (programmatic dependent launch),
/// because its threads `wait_for_launch_before()`. They do so where the stream allows it (LaunchOptions::begins_early);
/// elsewhere they begin when it has ended.
inline constexpr bool kBeginsEarly = true;

/// How many threads a block has: what the kernel's TESSERA_KERNEL says.
struct Threads {
  int count;
  bool begins_early = false;
};

/// How many bytes the arrays of TESSERA_DYNAMIC_SHARED take.
struct DynamicShared {
  int bytes = 0;
};

namespace detail {

inline constexpr index kMaxBlocks = 0x7fffffff;

/// Whether blocks begin early. Those that take many units do not: they would stand on multiprocessors in the order in
/// which these were left, not side by side with the blocks of neighbouring units, and what they read at the same time would
/// be brought by memory several times.
constexpr bool can_begin_early(const Blocks& blocks, const Threads& threads) {
  return threads.begins_early && !blocks.take_many;
}

/// What a launch may take without asking for more: the rest of 48 KiB may be the kernel's own.
inline constexpr int kDefaultDynamicSharedBytes = 16 * 1024;

#if TESSERA_TWIN
/// What no GPU takes, the twin does not take either.
inline constexpr int kMaxThreads = 1024, kMaxDynamicSharedBytes = 227 * 1024;
/// Its launches begin when a test says so.
inline bool may_begin_early(const LaunchOptions&) { return true; }
#else
/// The Status of a CUDA error, which is thereby dealt with.
inline Status cuda_status(const LaunchCheck& check, cudaError_t error) {
  if (error == cudaSuccess) return Status{};
  (void)cudaGetLastError();
  const bool wrong_build = error == cudaErrorNoKernelImageForDevice ||
                           error == cudaErrorInvalidDeviceFunction || error == cudaErrorUnsupportedPtxVersion;
  return Status(TesseraStatus{wrong_build ? TESSERA_WRONG_ARCHITECTURE : TESSERA_CUDA_ERROR, -1, -1,
                              static_cast<std::int32_t>(error), 0, wrong_build ? device_architecture() : 0,
                              check.kernel(), nullptr, cudaGetErrorName(error)});
}

/// Kernels that have been allowed more shared memory: asking again at each launch would take a quarter of a microsecond.
class AllowedShared {
 public:
  /// What `allow` returned, or success where it has been called for this kernel and device with so many bytes before.
  template <typename Allow>
  static cudaError_t once(const void* function, int device, int bytes, Allow allow) {
    const std::uint64_t wanted = entry(function, device, bytes);
    std::uint64_t* place = &known()[wanted / 16 % kPlaces];
    if (__atomic_load_n(place, __ATOMIC_RELAXED) == wanted) return cudaSuccess;
    const cudaError_t error = allow();
    if (error == cudaSuccess) __atomic_store_n(place, wanted, __ATOMIC_RELAXED);
    return error;
  }
  /// A device that was reset has forgotten.
  static void forget(const void* function, int device, int bytes) {
    __atomic_store_n(&known()[entry(function, device, bytes) / 16 % kPlaces], 0, __ATOMIC_RELAXED);
  }

 private:
  static constexpr std::size_t kPlaces = 256;
  static std::uint64_t* known() {
    static std::uint64_t places[kPlaces] = {};
    return places;
  }
  /// Addresses have 48 bits, shared memory has less than 256 KiB.
  static std::uint64_t entry(const void* function, int device, int bytes) {
    return (reinterpret_cast<std::uintptr_t>(function) & 0xffffffffffff) |
           static_cast<std::uint64_t>((bytes + 1023) / 1024) << 48 |
           (static_cast<std::uint64_t>(device) & 0xff) << 56;
  }
};

/// Whether launches of a stream may begin while the one before still runs. Where a stream is destroyed while it is at work,
/// those may wait for ever for a launch that has ended: `docs/decisions.md` says when. The default stream that all threads
/// share is never destroyed, and in a graph they follow nothing but launches of the graph.
inline bool may_begin_early(const LaunchOptions& options) {
  const auto stream = static_cast<cudaStream_t>(options.stream);
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
  const bool is_default = stream == cudaStreamLegacy;
#else
  const bool is_default = stream == nullptr || stream == cudaStreamLegacy;
#endif
  if (options.begins_early || is_default) return true;
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(stream, &capture) != cudaSuccess) (void)cudaGetLastError();
  return capture == cudaStreamCaptureStatusActive;
}

/// Queues a kernel of this device with its parameters behind the stream.
TESSERA_OUT_OF_LINE inline cudaError_t enqueue(const void* function, int device, Blocks blocks,
                                               Threads threads, DynamicShared shared,
                                               const LaunchOptions& options, void** parameters) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks.count));
  config.blockDim = dim3(static_cast<unsigned>(threads.count));
  config.dynamicSmemBytes = static_cast<std::size_t>(shared.bytes);
  config.stream = static_cast<cudaStream_t>(options.stream);
  cudaLaunchAttribute attributes[2];  // each is set where it is used: zeros for both would take longer
  config.attrs = attributes;
  if (can_begin_early(blocks, threads) && may_begin_early(options)) {
    cudaLaunchAttribute& early = attributes[config.numAttrs++];
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
  }
  if (blocks.cluster > 1) {
    cudaLaunchAttribute& cluster = attributes[config.numAttrs++];
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {static_cast<unsigned>(blocks.cluster), 1, 1};
  }
  if (shared.bytes <= kDefaultDynamicSharedBytes) return cudaLaunchKernelExC(&config, function, parameters);
  const auto allow = [&] {
    return cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, shared.bytes);
  };
  cudaError_t error = AllowedShared::once(function, device, shared.bytes, allow);
  if (error == cudaSuccess) error = cudaLaunchKernelExC(&config, function, parameters);
  if (error != cudaErrorInvalidValue) return error;
  (void)cudaGetLastError();
  AllowedShared::forget(function, device, shared.bytes);
  error = allow();
  return error == cudaSuccess ? cudaLaunchKernelExC(&config, function, parameters) : error;
}

/// The addresses of what a kernel is passed, which CUDA copies.
template <typename... Parameters>
inline cudaError_t enqueue_with(const void* function, int device, Blocks blocks, Threads threads,
                                DynamicShared shared, const LaunchOptions& options,
                                const Parameters&... values) {
  void* parameters[] = {const_cast<void*>(static_cast<const void*>(&values))...};
  return enqueue(function, device, blocks, threads, shared, options, parameters);
}
#endif

}  // namespace detail

/// Runs `kernel` on the stream of `options`, if `check` has found no mistake; otherwise launches nothing.
/// Returns the mistake, or what CUDA says to the launch; on the host twin the kernel has run when this
/// returns, and TESSERA_FAULT says that it did something wrong. No blocks is no launch, and success.
template <typename... Parameters, typename... Arguments>
TESSERA_OUT_OF_LINE inline Status launch(const LaunchCheck& check, const LaunchOptions& options,
                                         void (*kernel)(Parameters...), Blocks blocks, Threads threads,
                                         DynamicShared shared, const Arguments&... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments),
                "one argument for each parameter of the kernel");
  if (!check.ok() || blocks.count <= 0) return check.status();
  const index most = detail::kMaxBlocks / blocks.cluster * blocks.cluster;
  if (blocks.count > most) blocks.count = most;
#if TESSERA_TWIN
  static_cast<void>(options);
  if (threads.count > detail::kMaxThreads || shared.bytes > detail::kMaxDynamicSharedBytes) {
    const char* rule = threads.count > detail::kMaxThreads ? "threads of a block" : "dynamic shared memory";
    return Status(TesseraStatus{TESSERA_TOO_LARGE, -1, -1, 0, 0, 0, check.kernel(), nullptr, rule});
  }
  return twin::launch<Parameters...>(
      check, {blocks.count, threads.count, shared.bytes, threads.begins_early, blocks.cluster}, kernel,
      static_cast<Parameters>(arguments)...);
#else
  const void* function = reinterpret_cast<const void*>(kernel);
  return detail::cuda_status(
      check, detail::enqueue_with<Parameters...>(function, check.device(), blocks, threads, shared, options,
                                                 arguments...));
#endif
}

/// The same without dynamic shared memory.
template <typename... Parameters, typename... Arguments>
inline Status launch(const LaunchCheck& check, const LaunchOptions& options, void (*kernel)(Parameters...),
                     Blocks blocks, Threads threads, const Arguments&... arguments) {
  return launch(check, options, kernel, blocks, threads, DynamicShared{}, arguments...);
}

/// The multiprocessors of the current device, asked for once per device; 1 when there is none. The host twin
/// has 4.
inline int multiprocessor_count() {
#if TESSERA_TWIN
  return 4;
#else
  static detail::DeviceNumbers counts;
  const int count = counts.of_current(detail::device_count, detail::current_device, [](int device) {
    int found = 0;
    const cudaError_t error = cudaDeviceGetAttribute(&found, cudaDevAttrMultiProcessorCount, device);
    return error == cudaSuccess ? found : 0;
  });
  return count > 0 ? count : 1;
#endif
}

/// Tiles of one size that a launch may use: how many there are, the clocks that a multiprocessor takes for the products of
/// one, or for a share of one that is the same for all sizes; those of what follows the products, and how many teams of a
/// block take tiles in turn, so that this happens beside the products of others; where blocks may share the terms of one,
/// the bytes of its sums, and how many shares are asked for, if any.
struct TilesOfSize {
  index count;
  index clocks = 0;
  index behind = 0;
  int teams = 1;
  index bytes = 0;
  int asked = 0;
};

/// In place of a count, where a size is not for the launch at hand.
inline constexpr index kNoTiles = -1;

/// The clocks of all tiles when each multiprocessor takes one at a time.
struct ClocksInWaves {
  index wave = multiprocessor_count();

  index operator()(const TilesOfSize& tiles) const { return ceil_divide(tiles.count, wave) * tiles.clocks; }
};

/// Which of several sizes of tiles a device is done with first, by the clocks of all of them; of equals the first. Where the
/// options name a variant, each that is for the launch.
class QuickestTiles {
 public:
  /// None is, unless `are_possible`.
  template <std::size_t kCount, typename Clocks = ClocksInWaves>
  QuickestTiles(const LaunchOptions& options, bool are_possible, const TilesOfSize (&sizes)[kCount],
                const Clocks& clocks_of = Clocks{}) {
    static_assert(kCount <= 32, "a bit for each");
    if (are_possible) choose(options, sizes, kCount, clocks_of);
  }

  bool operator()(int number) const { return (chosen_ >> number & 1) != 0; }

 private:
  template <typename Clocks>
  TESSERA_OUT_OF_LINE void choose(const LaunchOptions& options, const TilesOfSize* sizes, std::size_t count,
                                  const Clocks& clocks_of) {
    index least = -1;
    for (unsigned number = 0; number < count; ++number) {
      if (sizes[number].count == kNoTiles) continue;
      if (options.variant >= 0)
        chosen_ |= 1u << number;
      else
        take(clocks_of(sizes[number]), number, least);
    }
  }
  void take(index clocks, unsigned number, index& least) {
    if (least >= 0 && clocks >= least) return;
    least = clocks;
    chosen_ = 1u << number;
  }

  unsigned chosen_ = 0;  // a bit for each size
};

/// Whether a launch may take one of `count` variants from number `first` on: it names one of them, or none.
inline bool may_take(const LaunchOptions& options, int first, int count) {
  return options.variant < 0 || (options.variant >= first && options.variant < first + count);
}

/// How many blocks of tiles run in a cluster: two with neighbouring rows share what they read of columns where copies of lines
/// are slow, where both together have all rows, so that columns come from memory once, and where the last of many tiles have
/// few columns: what lies outside takes the copy engine longer, and the same blocks may get all such tiles.
class Clusters {
 public:
  /// Without `columns` all blocks have the same.
  Clusters(index rows, bool is_slow, index columns = 0) : rows_(rows), columns_(columns), is_slow_(is_slow) {}

  /// With tiles of so many rows, and columns if there are any.
  int operator()(int rows_of_tile, int columns_of_tile = 1) const {
    constexpr int kRowsOfGroup = 64;
    const bool have_all = rows_of_tile == kRowsOfGroup && rows_ <= 2 * kRowsOfGroup;
    const bool are_shared = is_slow_ || have_all || end_in_few(rows_of_tile, columns_of_tile);
    return rows_ > rows_of_tile && are_shared ? 2 : 1;
  }

  /// The clocks of what takes so many of them where copies are quick, or slow.
  index clocks(index quick, index slow) const { return is_slow_ ? slow : quick; }

 private:
  /// Whether the last tiles have up to an eighth of their columns. One more row of tiles is nothing to so many.
  bool end_in_few(int rows_of_tile, int columns_of_tile) const {
    constexpr int kManyTiles = 16;
    const index last = columns_ % columns_of_tile;
    return rows_ > kManyTiles * rows_of_tile && columns_ > columns_of_tile && last > 0 &&
           last <= columns_of_tile / 8;
  }

  index rows_, columns_;
  bool is_slow_;
};

/// A block on each multiprocessor, in clusters of so many, for units of which a cluster takes one after another. Of up to three
/// rounds what an early begin saves is more than what is read again for it.
inline Blocks persistent_blocks(index units, int cluster = 1) {
  const index clusters = multiprocessor_count() / cluster;
  constexpr index kFewRounds = 3;
  return {cluster * (units < clusters ? units : clusters), cluster, units > kFewRounds * clusters};
}

/// The same for units of which some take longer than others: a block for each, so that whichever multiprocessor is free takes
/// the next.
inline Blocks uneven_blocks(index units) { return {units, 1, units > multiprocessor_count()}; }

/// Blocks for `tiles` tiles of which a block takes one after another: at most 8 each, so that what a block sets up serves
/// several of them, but never so few blocks that a part of the device idles.
inline Blocks blocks_for_tiles(index tiles) {
  constexpr index kTilesOfBlock = 8, kBlocksOfMultiprocessor = 8;
  const index few = ceil_divide(tiles, kTilesOfBlock),
              busy = kBlocksOfMultiprocessor * multiprocessor_count();
  return {few > busy ? few : tiles < busy ? tiles : busy};
}

}  // namespace tessera
