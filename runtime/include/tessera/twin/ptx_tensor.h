// SPDX-License-Identifier: Apache-2.0
// The host twin of the copy engine: boxes arrive at once, or when nobody can go on without them.
#pragma once

#include "tessera/ptx_tensor.h"
#include "tessera/twin/machine.h"

namespace tessera::twin {

/// A box that the current thread asks for.
struct BoxCopy {
  SharedArray to;
  int i;  ///< of its first element
  const TensorMap* map;
  const int* at;
  const Barriers* barriers;
  int barrier;           ///< that gets its bytes
  std::uint32_t blocks;  ///< of the cluster that it goes to, a bit each
};
void copy_box(const BoxCopy& copy, Location where);

}  // namespace tessera::twin

namespace tessera::ptx {

inline void prefetch_tensormap(const TensorMap&, Location = Location::current()) {}

inline void fence_proxy_async(Location = Location::current()) {}
inline void griddepcontrol_launch_dependents(Location = Location::current()) {}
inline void griddepcontrol_wait(Location = Location::current()) { twin::meet_predecessor(); }

template <typename T, int kRank>
void cp_async_bulk_tensor_load(const Shared<T>& to, int i, const TensorMap& map, const int (&at)[kRank],
                               const Barriers& barriers, int barrier, Location where = Location::current()) {
  twin::copy_box({to.array(), i, &map, at, &barriers, barrier, 1u << twin::block_rank()}, where);
}
template <typename T, int kRank>
void cp_async_bulk_tensor_load_multicast(const Shared<T>& to, int i, const TensorMap& map,
                                         const int (&at)[kRank], const Barriers& barriers, int barrier,
                                         std::uint32_t blocks, Location where = Location::current()) {
  twin::copy_box({to.array(), i, &map, at, &barriers, barrier, blocks}, where);
}

}  // namespace tessera::ptx
