// SPDX-License-Identifier: Apache-2.0
// What single operations cost a thread, in registers and in instructions. Numbers that were fitted have their reason here.
#pragma once

#include <string_view>

#include "emit/lowered.h"

namespace tessera::emit {

/// Fitted to what ptxas 13.0 says of the kernels in examples/ and tests/outsider/; tests/registers measures them.
struct RegisterCosts {
  double every = 11;       // thread numbers and what scheduling keeps under way, in each kernel
  double row = 9;          // shuffles and partial results with their addresses, where threads reduce together
  double invariant = 0.9;  // of what a loop does not change: some of it is made again inside
  double wrap = 10;        // comparisons with both ends of a periodic axis
  double address_ahead = 0.25;   // of the address of a load that is issued ahead: neighbours share it
  int loads_ahead = 12;          // loads that are issued before the first of them is used
  int predicated_cost = 40;      // instructions up to which a guarded body is no block of its own
  int written_out_cost = 150;    // instructions up to which nvcc writes out a loop of constant bounds
  int partly_written_cost = 45;  // and, of a loop of unknown bounds,
  int turns = 4;                 // so many turns
};

/// Registers that a function of the runtime, or "div", needs while it runs.
double scratch_registers(std::string_view function, DType type);

/// Instructions of a block, roughly, when vectors have `lanes` elements; loops of unknown bounds count as very long.
int instructions_of(const lowered::Block& statements, int lanes);

/// Turns of a loop with constant bounds.
std::optional<int64_t> turns_of(const lowered::For& loop);

}  // namespace tessera::emit
