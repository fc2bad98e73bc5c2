// SPDX-License-Identifier: Apache-2.0
// Boxes on their way from shared memory to tensors: they are read when they are stored, or when their thread waits for it.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "box_copies.h"
#include "machine_state.h"
#include "tessera/twin/ptx_tensor.h"
#include "tessera/twin/tensor_shadow.h"

namespace tessera::twin {

namespace {

struct PendingStore {
  BoxMap map;
  std::int64_t at[BoxMap::kMostDimensions];
  SharedArray from;
  int i, count;
  int group;
  Location where;
};

/// The stores of one thread. Group number `groups` is still open.
struct StoreQueue {
  std::uint32_t block_stamp = 0;  // of another block: there are none
  std::vector<PendingStore> stores;
  int groups = 0;
};

thread_local std::vector<StoreQueue> queues;

StoreQueue& own_stores() {
  if (queues.size() < static_cast<std::size_t>(context.threads))
    queues.resize(static_cast<std::size_t>(context.threads));
  StoreQueue& queue = queues[static_cast<std::size_t>(context.thread)];
  if (queue.block_stamp != machine().block_stamp()) queue = {machine().block_stamp(), {}, 0};
  return queue;
}

/// Whether the launch may write the elements of a line, which are thereby written. The last dimension of the tensor is the
/// first of the map.
bool may_store_line(const BoxMap& map, const std::int64_t* at, int count, Location where) {
  TensorShadow* shadow = map.shadow;
  if (shadow == nullptr || !shadow->write_once) return true;
  std::int64_t index[BoxMap::kMostDimensions], extent[BoxMap::kMostDimensions], element = 0;
  for (int d = 0; d < map.rank; ++d) {
    const int mapped = d + 1 < map.rank ? d + 1 : 0;
    index[d] = at[mapped];
    extent[d] = map.extent[mapped];
    element = element * extent[d] + index[d];
  }
  shadow->last_store = where;
  const auto first = shadow->written.begin() + element;
  if (std::find(first, first + count, 1) != first + count) {
    report_written_twice({shadow, extent, index, map.rank, count}, where);
    return false;
  }
  std::fill(first, first + count, std::uint8_t{1});
  return true;
}

/// Writes what of a line lies in the tensor; `byte` is that of its first element in shared memory.
void write_line(const PendingStore& store, std::int64_t* at, int byte) {
  const BoxMap& map = store.map;
  for (int d = 0; d < map.rank; ++d)
    if (at[d] < 0 || at[d] >= map.extent[d]) return;
  const int size = map.element_bytes;
  const auto count = static_cast<int>(std::min<std::int64_t>(map.box[0], map.extent[0] - at[0]));
  if (!may_store_line(map, at, count, store.where)) return;
  auto* to = static_cast<unsigned char*>(map.data) + at[0] * size;
  for (int d = 1; d < map.rank; ++d) to += at[d] * map.stride[d];
  for (int k = 0; k < count * size; ++k)
    to[k] = store.from.bytes[swizzled(byte + k, map.span_bytes) - store.from.first_byte];
}

void write(const PendingStore& store) {
  const BoxMap& map = store.map;
  const int length = map.box[0] * map.element_bytes;
  const int first = store.from.first_byte + store.i * store.from.element_bytes;
  const int lines = store.count / map.box[0];
  for (int line = 0; line < lines; ++line) {
    std::int64_t at[BoxMap::kMostDimensions] = {store.at[0]}, rest = line;
    for (int d = 1; d < map.rank; ++d) {
      at[d] = store.at[d] + rest % map.box[d];
      rest /= map.box[d];
    }
    write_line(store, at, first + line * length);
  }
}

void finish(const PendingStore& store) {
  if (options().copies == Copies::late) write(store);
  end_reading(store.from, store.i, store.count);
}

}  // namespace

void store_box(const BoxStore& store, Location where) {
  if (context.ahead > 0) check_behind_predecessor(where);
  if (!begins_box(store.from, store.i, where) || !begins_at_chunk(*store.map, store.at, where)) return;
  int count = 1;
  for (int d = 0; d < store.map->rank; ++d) count *= store.map->box[d];
  if (!may_read_shared(store.from, store.i, count, where, Proxy::async)) return;
  StoreQueue& queue = own_stores();
  PendingStore pending{*store.map, {}, store.from, store.i, count, queue.groups, where};
  std::copy_n(store.at, store.map->rank, pending.at);
  if (options().copies == Copies::early) write(pending);
  begin_reading(store.from, store.i, count);
  queue.stores.push_back(pending);
}

void commit_stores() { ++own_stores().groups; }

void wait_for_stores(int pending) {
  StoreQueue& queue = own_stores();
  std::erase_if(queue.stores, [&](const PendingStore& store) {
    if (store.group >= queue.groups - pending) return false;
    finish(store);
    return true;
  });
}

void check_stores() {
  for (const StoreQueue& queue : queues) {
    if (queue.block_stamp != machine().block_stamp()) continue;
    for (const PendingStore& store : queue.stores)
      report(FaultKind::copy_in_flight, store.where,
             std::string(store.from.name) +
                 " is still read when its block ends: nobody waits for a store from it");
  }
}

}  // namespace tessera::twin
