/* SPDX-License-Identifier: Apache-2.0 */
/* Everything the header of a generated kernel needs: tensors, status, launch options. Plain C11, helpers for
 * C++. */
#ifndef TESSERA_ABI_H
#define TESSERA_ABI_H

#include "tessera/status.h"
#include "tessera/tensor.h"

/** How to launch. Zero-initialise it, then set `variant` to -1: or use TESSERA_DEFAULT_LAUNCH. */
typedef struct TesseraLaunch {
  void* stream;    /**< a cudaStream_t; null is the default stream */
  int32_t variant; /**< -1: the launcher chooses; otherwise this variant or an error. For tests and tuning. */
  int32_t arch; /**< 0: that of the tensors' device; otherwise 80, 90, …: the dispatcher takes this build or
                   errs */
} TesseraLaunch;

/** Default stream, variant and architecture. */
static const TesseraLaunch TESSERA_DEFAULT_LAUNCH = {0, -1, 0};

#ifdef __cplusplus
namespace tessera {

/// TesseraLaunch with its defaults: `{}`, `{.stream = stream}`.
struct LaunchOptions {
  void* stream = nullptr;  ///< a cudaStream_t; null is the default stream
  int variant = -1;        ///< -1: the launcher chooses
  int arch = 0;            ///< 0: that of the tensors' device
};

/// The options of a C caller; null stands for the defaults.
inline LaunchOptions launch_options(const TesseraLaunch* launch) {
  if (launch == nullptr) return {};
  return {launch->stream, launch->variant, launch->arch};
}

}  // namespace tessera
#endif /* __cplusplus */

#endif /* TESSERA_ABI_H */
