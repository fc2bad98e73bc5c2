// SPDX-License-Identifier: Apache-2.0
// How many registers a thread of a variant will take, from the lowered function alone.
#pragma once

#include <algorithm>

#include "emit/lowered.h"
#include "emit/plan.h"

namespace tessera::emit {

inline constexpr int kMostRegisters = 255;  // that an instruction can name
inline constexpr int kRegisterUnit = 8;     // a thread gets a multiple of it

/// What a multiprocessor has for each of so many threads.
inline int registers_for_each(int threads, const Target& target) {
  const int share = target.registers_per_multiprocessor / threads / kRegisterUnit * kRegisterUnit;
  return std::min(kMostRegisters, share);
}

/// An estimate of what ptxas gives a thread: values alive at the widest step, and what every kernel takes.
int estimate_registers(const lowered::Function& function, const Variant& variant, const Target& target);

}  // namespace tessera::emit
