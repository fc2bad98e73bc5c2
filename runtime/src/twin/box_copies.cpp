// SPDX-License-Identifier: Apache-2.0
// Boxes of tensors on their way to shared memory: they arrive when they are asked for, or when nobody can go on.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "barrier_state.h"
#include "box_copies.h"
#include "machine_state.h"
#include "tessera/math.h"
#include "tessera/twin/ptx_tensor.h"

namespace tessera::twin {

namespace {

struct PendingBox {
  SharedArray to;
  int rank;  // of the block that it goes to
  int i, count;
  int span_bytes;
  std::vector<unsigned char> bytes;  // before chunks change places
  Barrier* barrier;
  Knowledge carried;  // what the thread knew that asked for it
  Event started;
  Location where;
};

thread_local std::vector<PendingBox> pending;

/// A box that was asked for ahead: for the cache, and so to be copied by the thread that asked.
struct BoxAhead {
  const BoxMap* map;
  std::vector<int> at;
  Location where;
};

thread_local std::vector<BoxAhead> boxes_ahead;

std::vector<int> coordinates(const BoxMap& map, const int* at) { return {at, at + map.rank}; }

void round_to_tf32(unsigned char* element) {
  float value;
  std::memcpy(&value, element, sizeof value);
  value = math::round_tf32(value);
  std::memcpy(element, &value, sizeof value);
}

/// The elements of a box, dimension 0 first; zeros outside of the tensor.
std::vector<unsigned char> read_box(const BoxMap& map, const int* at) {
  const std::int64_t size = map.element_bytes, length = map.box[0];
  std::int64_t lines = 1;
  for (int d = 1; d < map.rank; ++d) lines *= map.box[d];
  std::vector<unsigned char> bytes(static_cast<std::size_t>(lines * length * size), 0);
  const std::int64_t first = std::max<std::int64_t>(0, -std::int64_t{at[0]});
  const std::int64_t end = std::min<std::int64_t>(length, map.extent[0] - at[0]);
  for (std::int64_t line = 0; line < lines; ++line) {
    std::int64_t rest = line, from = (at[0] + first) * size;
    bool inside = first < end;
    for (int d = 1; d < map.rank; ++d) {
      const std::int64_t coordinate = at[d] + rest % map.box[d];
      rest /= map.box[d];
      inside &= coordinate >= 0 && coordinate < map.extent[d];
      from += coordinate * map.stride[d];
    }
    if (!inside) continue;
    unsigned char* to = bytes.data() + (line * length + first) * size;
    std::memcpy(to, static_cast<const unsigned char*>(map.data) + from,
                static_cast<std::size_t>((end - first) * size));
    for (std::int64_t i = 0; map.rounds_to_tf32 && i < end - first; ++i) round_to_tf32(to + i * size);
  }
  return bytes;
}

/// The bytes are there.
void land(const PendingBox& box) {
  check_presence(box.rank, box.where);
  const int first = box.to.first_byte + box.i * box.to.element_bytes;
  for (int k = 0; k < static_cast<int>(box.bytes.size()); ++k) {
    const int byte = swizzled(first + k, box.span_bytes);
    box.to.bytes[byte - box.to.first_byte] = box.bytes[static_cast<std::size_t>(k)];
  }
  end_flight(box.to, box.i, box.count, box.started);
  complete_transaction(*box.barrier, static_cast<int>(box.bytes.size()), box.carried, box.where);
}

}  // namespace

namespace {

/// The box on its way to one block of the cluster.
void send(const BoxCopy& copy, int rank, const std::vector<unsigned char>& bytes, Location where) {
  Barrier* barrier = copy.barriers->for_copy(copy.barrier, rank, where);
  if (barrier == nullptr) return;
  const SharedArray to = array_of_block(copy.to, rank, where);
  const int count = static_cast<int>(bytes.size()) / to.element_bytes;
  if (!may_write_shared(to, copy.i, count, where)) return;
  begin_flight(to, copy.i, count);
  const Event started = machine().now();
  PendingBox box{to,    rank,    copy.i,           count,   copy.map->span_bytes,
                 bytes, barrier, machine().told(), started, where};
  if (options().copies == Copies::early) return land(box);
  pending.push_back(std::move(box));
}

}  // namespace

bool begins_box(const SharedArray& array, int i, Location where) {
  constexpr int kBoxAlignment = 128;
  const int first = array.first_byte + i * array.element_bytes;
  if (first % kBoxAlignment == 0) return true;
  report(FaultKind::misaligned, where,
         std::string("a box at byte ") + std::to_string(first) +
             " of shared memory, and boxes begin at multiples of " + std::to_string(kBoxAlignment));
  return false;
}

bool begins_at_chunk(const BoxMap& map, const int* at, Location where) {
  constexpr int kChunkBytes = 16;
  if (std::int64_t{at[0]} * map.element_bytes % kChunkBytes == 0) return true;
  report(FaultKind::misaligned, where,
         "a box from element " + std::to_string(at[0]) + " of a line on, and boxes begin at multiples of " +
             std::to_string(kChunkBytes) + " bytes");
  return false;
}

void ask_ahead(const BoxMap& map, const int* at, Location where) {
  if (!begins_at_chunk(map, at, where)) return;
  boxes_ahead.push_back({&map, coordinates(map, at), where});
}

void check_boxes_ahead() {
  if (boxes_ahead.empty()) return;
  report(FaultKind::never_copied, boxes_ahead.front().where,
         std::to_string(boxes_ahead.size()) + " boxes were asked for ahead, and are not copied");
  boxes_ahead.clear();
}

void copy_box(const BoxCopy& copy, Location where) {
  if (context.ahead > 0) check_behind_predecessor(where);
  if (!boxes_ahead.empty())
    std::erase_if(boxes_ahead, [&](const BoxAhead& box) {
      return box.map == copy.map && box.at == coordinates(*copy.map, copy.at);
    });
  if (!begins_box(copy.to, copy.i, where) || !begins_at_chunk(*copy.map, copy.at, where)) return;
  const std::vector<unsigned char> bytes = read_box(*copy.map, copy.at);
  for (int rank = 0; rank < context.threads / context.block_threads; ++rank)
    if ((copy.blocks >> rank & 1u) != 0) send(copy, rank, bytes, where);
}

void begin_boxes() {
  pending.clear();
  boxes_ahead.clear();
}

bool land_next_box() {
  if (pending.empty()) return false;
  const PendingBox box = std::move(pending.back());
  pending.pop_back();
  land(box);
  return true;
}

}  // namespace tessera::twin
