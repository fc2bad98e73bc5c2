// SPDX-License-Identifier: Apache-2.0
// A set of kernels as a faulty compiler would have made it, in this process.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "planted/fault.h"
#include "planted/kernel_set.h"
#include "sweep/executor.h"

namespace tessera::planted {

/// Texts by name.
using Texts = std::map<std::string, std::string>;

/// Generated files of a set, with the fault of the lowered program if it has one.
Texts generate(const KernelSet& set, const PlantedFault& fault);

/// Replaces the text everywhere; how often it was there.
int replace_all(std::string& text, const std::string& from, const std::string& to);

/// What is wrong with the edits of a fault, or nothing: each has to be in the code of some set, or in its file as often as
/// it says.
std::string mistake_of(const PlantedFault& fault, const std::vector<Texts>& sound);

/// A loaded set of kernels.
struct Program {
  std::string error;                            ///< what the compiler said when it refused the program
  std::map<std::string, sweep::Entry> entries;  ///< by kernel
};

/// What a fault makes of the generated files of a set, `sound` without it.
Texts with_fault(const KernelSet& set, const PlantedFault& fault, const Texts& sound);

/// Whether the fault is in more than generated files.
bool is_everywhere(const PlantedFault& fault);

/// Compiles generated files of a set for the host twin, with the fault's headers and options, and loads them: those that
/// differ from `sound`, or all when the fault is elsewhere too. Throws a std::runtime_error when the table is wrong: an
/// edit that does not fit.
Program build(const KernelSet& set, const PlantedFault& fault, const Texts& texts, const Texts& sound);

/// `text` with the edits of the fault for `file`, which have to be there as often as they say.
std::string edited(const PlantedFault& fault, const std::string& file, std::string text);

/// What the host compiler made of one unit.
struct Compiled {
  std::string error;       ///< empty: it worked
  void* object = nullptr;  ///< the shared object, loaded
};
Compiled compile_and_load(const std::string& unit, const std::string& folder,
                          const std::vector<std::string>& options);

}  // namespace tessera::planted
