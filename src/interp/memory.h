// SPDX-License-Identifier: Apache-2.0
// Elements between tiles and tensors: reading inputs, and writing outputs with the proof that each element is
// written by one instance.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "interp/address.h"
#include "interp/array.h"
#include "interp/tile.h"

namespace tessera::interp {

/// The elements at an address; what lies outside does not exist.
Tile load_tile(const Array& array, const Address& address, Rep rep, const Frame& frame);

/// An output, and who wrote each element.
class Output {
 public:
  Output(DType dtype, const std::vector<int64_t>& extents);

  const std::vector<int64_t>& extents() const { return array_.extents; }
  Array take() { return std::move(array_); }

  /// Begins a phase: instances of the next grid may write what earlier grids wrote.
  void begin_phase();

  /// Writer of each point of a frame: `base + Σ strides · position`, a number for each instance.
  struct Writers {
    uint64_t base = 0;
    Strides strides{};
  };

  /// Writes what exists of `value` where the address leads. Gives the position of an element that another
  /// instance has written before, if there is one; then nothing is promised about the contents.
  std::optional<int64_t> write(const Address& address, const Tile& value, const Writers& writers,
                               const Frame& frame);

  /// The position of the first element that nobody has written.
  std::optional<int64_t> first_unwritten() const;

 private:
  Array array_;
  std::vector<uint32_t> stamps_;  // by element: 0, or who wrote it
};

}  // namespace tessera::interp
