// SPDX-License-Identifier: Apache-2.0
// RelaxedCapture: calls of CUDA in the midst of a capture that are no part of it. For CUDA alone.
#pragma once

#include <cuda_runtime.h>

namespace tessera::detail {

/// While it lives, this thread may call what might synchronise though a stream is being captured: for calls that do not wait
/// for that stream. It stays captured.
class RelaxedCapture {
 public:
  RelaxedCapture() : ok_(cudaThreadExchangeStreamCaptureMode(&mode_) == cudaSuccess) {}
  ~RelaxedCapture() {
    if (ok_) (void)cudaThreadExchangeStreamCaptureMode(&mode_);
  }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

  bool ok() const { return ok_; }

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;  // then that of before
  bool ok_;
};

}  // namespace tessera::detail
