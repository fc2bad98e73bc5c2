// SPDX-License-Identifier: Apache-2.0
// What single operations cost a thread, in registers and in instructions. Numbers that were fitted have their reason here.
#pragma once

#include <string_view>

#include "emit/lowered.h"

namespace tessera::emit {

/// Read off the machine code of ptxas 13.0 where it shows them, else fitted; tests/registers measures them.
struct RegisterCosts {
  double every = 9;  // thread numbers and what scheduling keeps under way, in each kernel
  double row = 9;    // shuffles and partial results with their addresses, where threads reduce together
  double row_position = 8;              // and where the results have positions
  double invariants = 16;               // of what a loop does not change: the rest is made again inside
  double position = 8;                  // divisions of 64 bits
  double wrap = 7;                      // comparisons with both ends of a periodic axis
  double pieces = 6;                    // of a vector that is read or written at any address,
  double piece_parameters = 6;          // the bounds of its tensor and its stride, where they are fetched,
  double piece = 2, wide_piece = 3.25;  // and each element, of less than 32 bits and of more
  int addresses_ahead = 8;              // loads whose addresses are made before the first of them is issued
  int loads_ahead = 12;                 // loads that are issued before the first of them is used
  int parameters_ahead = 5;    // parameters that are fetched into registers before the first of them is used
  int predicates = 3;          // that conditions of a loop are kept in
  int predicated_cost = 10;    // instructions up to which a guarded body is no block of its own
  int written_out_cost = 150;  // instructions up to which nvcc writes out a loop of constant bounds
  int partly_written_cost = 52;  // and, of a loop of unknown bounds, four turns
  int many_turns_cost = 280;     // instructions up to which ptxas writes out more turns
  int many_turns_words = 4;      // and registers that the loads of one turn may fill
};

/// What a stretch of code does, roughly.
struct Work {
  int64_t instructions = 0;
  int64_t loads = 0, words = 0;  // and registers that they fill
  bool calls = false;            // functions that branch for rare arguments
  bool stays = false;            // ptxas does not write out more turns of a loop around it
};

/// `x.load<kVector>({c})`, `x_line.load(c, part)`, `x.load_run<2>({c}, part)`
bool is_vector_load(const lowered::Expression& e);

/// Registers that a function of the runtime, or "div", needs while it runs.
double scratch_registers(std::string_view function, DType type);

/// Registers that each further call needs that runs at the same time; 0: it branches, and does not.
double overlapping_registers(std::string_view function);

/// The work of a block when vectors have `lanes` elements and rows have `strips`; loops of unknown bounds count as very long.
Work work_of(const lowered::Block& statements, int lanes, int strips);

/// Turns of a loop with constant bounds.
std::optional<int64_t> turns_of(const lowered::For& loop);

}  // namespace tessera::emit
