// SPDX-License-Identifier: Apache-2.0
// Host code of a kernel as text: the launcher of one architecture, the dispatcher, the interfaces in C++ and C.
#pragma once

#include <string>
#include <vector>

#include "emit/lower.h"
#include "emit/plan.h"
#include "emit/writer.h"

namespace tessera::emit {

/// "softmax_resident<32, 4, 8, 4>": the function of a variant, as profilers show it.
std::string instantiation(const lowered::Function& function, const Variant& variant);

/// A condition on sizes, as the launcher asks for it.
std::string condition_of(const ir::Kernel& kernel, const ir::SizeTable& sizes,
                         const ir::Constraint& constraint);

/// The function that checks the arguments, chooses a variant and launches it: `softmax_sm_80`.
void print_launcher(const KernelPlan& plan, const LoweredPhase& lowered, Writer& writer);

/// The declaration for users of C++, with the kernel's documentation.
void print_declaration(const ir::Kernel& kernel, Writer& writer);
/// Declarations of the C functions.
void print_c_declarations(const ir::Kernel& kernel, Writer& writer);
/// Declarations of the launchers of all architectures, for the dispatcher alone.
void print_launcher_declarations(const ir::Kernel& kernel, const std::vector<std::string>& architectures,
                                 Writer& writer);
/// The function that chooses the architecture.
void print_dispatcher(const ir::Kernel& kernel, const std::vector<std::string>& architectures,
                      Writer& writer);
/// Definitions of the C functions, with typed arguments and with erased ones.
void print_c_entries(const ir::Kernel& kernel, const std::string& name_space, Writer& writer);

}  // namespace tessera::emit
