/* SPDX-License-Identifier: Apache-2.0 */
/* Everything the header of a generated kernel needs: tensors, status, launch options. Plain C11, helpers for
 * C++. */
#ifndef TESSERA_ABI_H
#define TESSERA_ABI_H

#include "tessera/status.h"
#include "tessera/tensor.h"

/** How to launch; null, or all zeros, leaves every choice to the launcher:
    `TesseraLaunch launch = {0}; launch.stream = stream;` */
typedef struct TesseraLaunch {
  void* stream; /**< a cudaStream_t; null is the default stream */
  int32_t
      variant; /**< 0: the launcher chooses; TESSERA_VARIANT(n): variant n or an error, for tests and tuning */
  int32_t arch; /**< 0: that of the device; 80, 90, …: this build or an error */
  int32_t
      begins_early; /**< not 0: may begin while the launch before it in its stream ends, as it does in a graph and in
                         the default stream of all threads anyway; only for streams that are not destroyed
                         while they are at work */
} TesseraLaunch;

/** Variant number n, which counts from 0 in reports and messages, as TesseraLaunch::variant. */
#define TESSERA_VARIANT(n) ((n) + 1)

#ifdef __cplusplus
#include <limits>

namespace tessera {

/// TesseraLaunch for C++: `{}`, `{.stream = stream}`, `{.variant = 2}`.
struct LaunchOptions {
  void* stream = nullptr;  ///< a cudaStream_t; null is the default stream
  int variant = -1;        ///< the number of a variant; -1: the launcher chooses
  int arch = 0;            ///< 0: that of the device

  /// Whether the launch may begin while the one before it in its stream ends (programmatic dependent launch), as it does in a
  /// graph and in the default stream of all threads anyway. Only for streams that are not destroyed while they are at work:
  /// their launches may wait for ever.
  bool begins_early = false;
};

/// The options of a C caller; null stands for the defaults.
inline LaunchOptions launch_options(const TesseraLaunch* launch) {
  if (launch == nullptr) return {};
  return {launch->stream, launch->variant > 0 ? launch->variant - 1 : -1, launch->arch,
          launch->begins_early != 0};
}

/// The Status of a null pointer: `what` is "tensor" for argument number `argument`, or "tensors" for all of them.
inline Status null_pointer(const char* kernel, const char* what, int argument = -1,
                           const char* name = nullptr) {
  return Status(TesseraStatus{TESSERA_NULL_POINTER, argument, -1, 0, 0, 0, kernel, name, what});
}

/// The Status of a launch that no build serves; `built` lists those there are, `device` is the architecture
/// of the current device, or 0 without one.
inline Status wrong_architecture(const char* kernel, const char* built, const LaunchOptions& options,
                                 int device) {
  return Status(
      TesseraStatus{TESSERA_WRONG_ARCHITECTURE, -1, -1, 0, options.arch, device, kernel, nullptr, built});
}

}  // namespace tessera
#endif /* __cplusplus */

#endif /* TESSERA_ABI_H */
