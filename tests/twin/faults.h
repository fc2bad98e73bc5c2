// SPDX-License-Identifier: Apache-2.0
// The faulty kernels of faults.cu.
#pragma once

#include <string>

#include "tessera/abi.h"

namespace faults {

/// Runs the kernel `name` from x[N] to y[N], both f32, with blocks of 64 threads. TESSERA_CONSTRAINT if there
/// is none.
tessera::Status run(const std::string& name, const tessera::Tensor& x, const tessera::Tensor& y, int blocks);

}  // namespace faults
