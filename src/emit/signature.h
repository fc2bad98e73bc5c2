// SPDX-License-Identifier: Apache-2.0
// Parameters of the generated functions: host launchers in C++ and C, and __global__ functions.
#pragma once

#include <string>

#include "emit/lowered.h"
#include "emit/naming.h"
#include "sema/ir/module.h"

namespace tessera::emit {

/// "softmax_sm_80"
std::string launcher_name(const ir::Kernel& kernel, std::string_view architecture);
/// "tessera_softmax": the C function with typed arguments.
std::string typed_entry(const ir::Kernel& kernel);
/// "tessera_softmax_invoke": the C function that takes arrays of arguments.
std::string erased_entry(const ir::Kernel& kernel);
/// "const bf16" for a tensor that is read.
std::string element_type(const ir::Tensor& tensor);
/// "const Tensor& x, const Tensor& y, float eps, const LaunchOptions& options", inside namespace tessera.
std::string cpp_parameters(const ir::Kernel& kernel);
/// The same with `tessera::` before its names.
std::string qualified_parameters(const ir::Kernel& kernel);
/// The same for a header: "…, float eps = 1e-5f, const tessera::LaunchOptions& options = {}".
std::string declared_parameters(const ir::Kernel& kernel);
/// "const TesseraTensor* x, const TesseraTensor* y, float eps, const TesseraLaunch* launch"
std::string c_parameters(const ir::Kernel& kernel);
/// "x, y, eps, options"
std::string forwarded(const ir::Kernel& kernel);

/// Parameters of a __global__ function that its body uses: views, scalars, symbols.
std::vector<std::string> kernel_parameters(const ir::Kernel& kernel, const lowered::Function& function);
/// What the launcher passes for them.
std::string call_arguments(const ir::Kernel& kernel, const lowered::Function& function);

/// Keeps the names of a kernel's tensors, scalars and symbols from being handed out for anything else.
void reserve_parameters(const ir::Kernel& kernel, NameAllocator& names);

}  // namespace tessera::emit
