// SPDX-License-Identifier: Apache-2.0
// The host twin of matrix descriptors: what a warpgroup product reads is found by its address, as the hardware finds it.
#pragma once

#include "tessera/operand_tile.h"
#include "tessera/twin/shared_memory.h"

namespace tessera::twin {

/// A matrix in a shared array. Addresses are bytes of the array's region, which begins at a multiple of all alignments.
struct MatrixDescriptor {
  SharedArray array;
  int address;
  int panel, eight_lines, span;  ///< in bytes

  MatrixDescriptor moved(int bytes) const {
    MatrixDescriptor result = *this;
    result.address += bytes;
    return result;
  }

  /// The index in the array of the element of `size` bytes in row (column) mn, at k, counted from the address.
  template <Major kMajor>
  int index_of(int mn, int k, int size) const {
    const int line = kMajor == Major::k ? mn : k, position = (kMajor == Major::k ? k : mn) * size;
    const int byte =
        address + position / span * panel + line / 8 * eight_lines + line % 8 * span + position % span;
    return ((byte ^ (byte >> 7 & (span / 16 - 1)) << 4) - array.first_byte) / size;
  }
};

}  // namespace tessera::twin
