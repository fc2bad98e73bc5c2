// SPDX-License-Identifier: Apache-2.0
// The host twin of the copy engine: boxes arrive at once, or when nobody can go on without them. Those that are stored are
// read at once, or when their thread waits for that.
#pragma once

#include "tessera/ptx_tensor.h"
#include "tessera/twin/machine.h"

namespace tessera::twin {

/// A box that the current thread asks for.
struct BoxCopy {
  SharedArray to;
  int i;  ///< of its first element
  const BoxMap* map;
  const int* at;
  const Barriers* barriers;
  int barrier;           ///< that gets its bytes
  std::uint32_t blocks;  ///< of the cluster that it goes to, a bit each
};
void copy_box(const BoxCopy& copy, Location where);

/// A box that the current thread wants in the cache before it copies it.
void ask_ahead(const BoxMap& map, const int* at, Location where);

/// A box that the current thread has stored.
struct BoxStore {
  const BoxMap* map;
  const int* at;
  SharedArray from;
  int i;  ///< of its first element
};
void store_box(const BoxStore& store, Location where);
/// Closes a group of this thread's stores; waits until at most the newest `pending` of its groups may still read.
void commit_stores();
void wait_for_stores(int pending);

}  // namespace tessera::twin

namespace tessera::ptx {

inline void prefetch_tensormap(const BoxMap&, Location = Location::current()) {}

inline void fence_proxy_async(Location = Location::current()) { twin::fence_proxies(); }
inline void griddepcontrol_launch_dependents(Location = Location::current()) {}
inline void griddepcontrol_wait(Location = Location::current()) { twin::meet_predecessor(); }

template <typename T, int kRank>
void cp_async_bulk_tensor_load(const Shared<T>& to, int i, const BoxMap& map, CachePolicy,
                               const int (&at)[kRank], const Barriers& barriers, int barrier,
                               Location where = Location::current()) {
  twin::copy_box({to.array(), i, &map, at, &barriers, barrier, 1u << twin::block_rank()}, where);
}
template <typename T, int kRank>
void cp_async_bulk_tensor_load_multicast(const Shared<T>& to, int i, const BoxMap& map, CachePolicy,
                                         const int (&at)[kRank], const Barriers& barriers, int barrier,
                                         std::uint32_t blocks, Location where = Location::current()) {
  twin::copy_box({to.array(), i, &map, at, &barriers, barrier, blocks}, where);
}

template <int kRank>
void cp_async_bulk_prefetch_tensor(const BoxMap& map, CachePolicy, const int (&at)[kRank],
                                   Location where = Location::current()) {
  twin::ask_ahead(map, at, where);
}

template <typename T, int kRank>
void cp_async_bulk_tensor_store(const BoxMap& map, const int (&at)[kRank], const Shared<T>& from, int i,
                                Location where = Location::current()) {
  twin::store_box({&map, at, from.array(), i}, where);
}
inline void cp_async_bulk_commit_group(Location = Location::current()) { twin::commit_stores(); }
template <int kPending>
void cp_async_bulk_wait_group_read(Location = Location::current()) {
  twin::wait_for_stores(kPending);
}

}  // namespace tessera::ptx
