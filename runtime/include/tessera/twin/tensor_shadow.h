// SPDX-License-Identifier: Apache-2.0
// What the host twin knows of a tensor during a launch: its name, and which elements of an output have been
// written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/twin/fault.h"
#include "tessera/twin/machine.h"

namespace tessera::twin {

struct TensorShadow {
  const char* name = "tensor";
  bool write_once = false;            ///< an output: every element is to be written, once
  std::vector<std::uint8_t> written;  ///< of an output: one entry an element, in row-major order
  Location last_store{};              ///< of an output: the statement that wrote last
};

/// An access as the slow path reports it.
struct TensorAccess {
  const TensorShadow* shadow;
  const std::int64_t* extent;
  const std::int64_t* at;
  int rank;
  int count;  ///< elements along the last dimension
};

/// Reports an access outside of the extents, or at an address that its size does not divide.
[[gnu::cold]] void report_out_of_bounds(const TensorAccess& access, Location where);
[[gnu::cold]] void report_misaligned(const TensorAccess& access, std::size_t alignment, Location where);
/// Reports vector access along a dimension whose elements do not follow each other.
[[gnu::cold]] void report_broken_promise(const TensorAccess& access, std::int64_t stride, Location where);
[[gnu::cold]] void report_written_twice(const TensorAccess& access, Location where);
[[gnu::cold]] void report_read_before_written(const TensorAccess& access, Location where);

/// Whether the elements lie inside the extents, at an aligned address; reports it if not. An Index of rank 0
/// is empty, hence the pointer.
template <int Rank>
inline bool in_bounds(const TensorAccess& access, const void* address, std::size_t alignment,
                      std::int64_t stride, Location where) {
  if (context.ahead > 0) check_behind_predecessor(where);
  for (int dimension = 0; dimension < Rank; ++dimension) {
    const std::int64_t last = access.at[dimension] + (dimension == Rank - 1 ? access.count - 1 : 0);
    const auto extent = static_cast<std::uint64_t>(access.extent[dimension]);
    const bool inside = static_cast<std::uint64_t>(access.at[dimension]) < extent &&
                        static_cast<std::uint64_t>(last) < extent;
    if (!inside) return report_out_of_bounds(access, where), false;
  }
  if (access.count > 1 && stride != 1) return report_broken_promise(access, stride, where), false;
  if (reinterpret_cast<std::uintptr_t>(address) % alignment != 0)
    return report_misaligned(access, alignment, where), false;
  return true;
}

/// The entry of TensorShadow::written for the first element of the access.
template <int Rank>
inline std::uint8_t* written_entry(TensorShadow& shadow, const TensorAccess& access) {
  std::int64_t element = 0;
  for (int dimension = 0; dimension < Rank; ++dimension) {
    element = element * access.extent[dimension] + access.at[dimension];
  }
  return shadow.written.data() + element;
}

/// Whether the kernel may read these elements; reports it if not.
template <int Rank>
inline bool may_load(TensorShadow* shadow, const TensorAccess& access, const void* address,
                     std::size_t alignment, std::int64_t stride, Location where) {
  if (!in_bounds<Rank>(access, address, alignment, stride, where)) return false;
  if (shadow == nullptr || !shadow->write_once) return true;
  const std::uint8_t* written = written_entry<Rank>(*shadow, access);
  for (int i = 0; i < access.count; ++i) {
    if (written[i] == 0) return report_read_before_written(access, where), false;
  }
  return true;
}

/// Whether the kernel may write these elements, which are thereby written; reports it if not.
template <int Rank>
inline bool may_store(TensorShadow* shadow, const TensorAccess& access, const void* address,
                      std::size_t alignment, std::int64_t stride, Location where) {
  if (!in_bounds<Rank>(access, address, alignment, stride, where)) return false;
  if (shadow == nullptr || !shadow->write_once) return true;
  shadow->last_store = where;
  std::uint8_t* written = written_entry<Rank>(*shadow, access);
  for (int i = 0; i < access.count; ++i) {
    if (written[i] != 0) return report_written_twice(access, where), false;
    written[i] = 1;
  }
  return true;
}

}  // namespace tessera::twin
