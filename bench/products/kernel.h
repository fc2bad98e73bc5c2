// SPDX-License-Identifier: Apache-2.0
// A kernel that tesserac made, in a shared library.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "operands.h"
#include "tessera/abi.h"

namespace bench {

/// Loads `folder`/STEM.so, where STEM is the name of the case's source, and stays loaded.
class Kernel {
 public:
  Kernel(const std::string& folder, const Case& product);

  /// Queues the product of a set. Throws what the launcher says.
  void launch(const Operands& operands, int set, cudaStream_t stream) const;

 private:
  using Invoke = TesseraStatus (*)(const TesseraTensor*, const TesseraScalar*, const TesseraLaunch*);

  Case product_;
  Invoke invoke_ = nullptr;
};

}  // namespace bench
