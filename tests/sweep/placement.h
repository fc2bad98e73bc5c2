// SPDX-License-Identifier: Apache-2.0
// Where a tensor lies in its memory: dense, off its alignment, with gaps, in another order, or one element for
// many; and the bytes around and between its elements, which no kernel may touch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "reference/reference.h"
#include "tessera/abi.h"

namespace tessera::sweep {

/// How all tensors of a call are laid out.
enum class Layout {
  dense,       ///< row-major, aligned
  misaligned,  ///< row-major, one element after an aligned address
  pitched,     ///< rows begin at multiples of 16 elements
  padded,      ///< rows are followed by 3 elements of somebody else
  transposed,  ///< the first dimension is the contiguous one
  spread,      ///< every other element belongs to the tensor
  mixed,       ///< the first tensor padded, the second dense, the third misaligned, and again
  broadcast,   ///< inputs have stride 0 along one dimension; needs repeat_values()
};
inline constexpr Layout kLayouts[] = {Layout::dense,  Layout::misaligned, Layout::pitched,
                                      Layout::padded, Layout::transposed, Layout::spread,
                                      Layout::mixed,  Layout::broadcast};
const char* to_string(Layout layout);

/// How the elements of a dtype are stored.
struct Storage {
  std::string name;                            ///< "bf16"
  std::int32_t dtype;                          ///< TesseraDType
  std::int64_t bytes;                          ///< of an element
  void (*store)(std::byte* to, double value);  ///< `value` is one of the dtype's
  double (*load)(const std::byte* from);
};
const Storage& storage_of(const std::string& dtype);

/// What surrounds elements in memory: no kernel may change it, and outputs hold nothing else before a run.
inline constexpr int kPoison = 0xA5;

/// One tensor in an allocation of its own.
class Placement {
 public:
  /// `number` counts the tensors of a call. The allocation has to begin at a multiple of 256 bytes.
  Placement(Layout layout, const reference::TensorSpec& spec, std::vector<std::int64_t> shape,
            std::size_t number);

  /// Bytes of the allocation, canaries at both ends included.
  std::int64_t bytes() const { return bytes_; }
  /// The view of the allocation at `memory` that the kernel gets.
  TesseraTensor tensor(void* memory, std::int32_t device) const;
  /// The allocation's bytes: canaries everywhere but in the elements.
  std::vector<std::byte> write(const std::vector<double>& values) const;
  /// Takes the elements out of the allocation's bytes and leaves canaries.
  std::vector<double> take(std::vector<std::byte>& memory) const;

 private:
  template <typename Body>
  void visit(Body&& body) const;

  const Storage& storage_;
  std::vector<std::int64_t> shape_, strides_;
  std::int64_t first_ = 0;  // element
  std::int64_t bytes_ = 0;
};

/// The dimension along which Layout::broadcast repeats an input; its rank is at least 1.
std::size_t broadcast_dimension(std::size_t number, std::size_t rank);

/// Makes the inputs of a problem constant along that dimension. Solve the problem again afterwards.
void repeat_values(reference::Problem& problem);

}  // namespace tessera::sweep
