// SPDX-License-Identifier: Apache-2.0
// Boxes of tensors on their way to shared memory: they arrive when they are asked for, or when nobody can go on.
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

constexpr int kBoxAlignment = 128;

struct PendingBox {
  SharedArray to;
  int i, count;
  int span_bytes;
  std::vector<unsigned char> bytes;  // before chunks change places
  Barrier* barrier;
  Knowledge carried;  // what the thread knew that asked for it
  Event started;
  Location where;
};

thread_local std::vector<PendingBox> pending;

void round_to_tf32(unsigned char* element) {
  float value;
  std::memcpy(&value, element, sizeof value);
  value = math::round_tf32(value);
  std::memcpy(element, &value, sizeof value);
}

/// The elements of a box, dimension 0 first; zeros outside of the tensor.
std::vector<unsigned char> read_box(const TensorMap& map, const int* at) {
  int count = 1;
  for (int d = 0; d < map.rank; ++d) count *= map.box[d];
  const auto size = static_cast<std::size_t>(map.element_bytes);
  std::vector<unsigned char> bytes(static_cast<std::size_t>(count) * size, 0);
  for (int element = 0; element < count; ++element) {
    int rest = element;
    std::int64_t from = 0;
    bool inside = true;
    for (int d = 0; d < map.rank; ++d) {
      const std::int64_t coordinate = std::int64_t{at[d]} + rest % map.box[d];
      rest /= map.box[d];
      inside &= coordinate >= 0 && coordinate < map.extent[d];
      from += coordinate * (d == 0 ? map.element_bytes : map.stride[d]);
    }
    if (!inside) continue;
    unsigned char* to = bytes.data() + static_cast<std::size_t>(element) * size;
    std::memcpy(to, static_cast<const unsigned char*>(map.data) + from, size);
    if (map.rounds_to_tf32) round_to_tf32(to);
  }
  return bytes;
}

/// The bytes are there.
void land(const PendingBox& box) {
  const int first = box.to.first_byte + box.i * box.to.element_bytes;
  for (int k = 0; k < static_cast<int>(box.bytes.size()); ++k) {
    const int byte = first + k, swizzled = byte ^ (byte >> 7 & (box.span_bytes / 16 - 1)) << 4;
    box.to.bytes[swizzled - box.to.first_byte] = box.bytes[static_cast<std::size_t>(k)];
  }
  end_flight(box.to, box.i, box.count, box.started);
  complete_transaction(*box.barrier, static_cast<int>(box.bytes.size()), box.carried, box.where);
}

}  // namespace

void copy_box(const BoxCopy& copy, Location where) {
  if (context.ahead > 0) check_behind_predecessor(where);
  Barrier* barrier = copy.barriers->for_copy(copy.barrier, where);
  if (barrier == nullptr) return;
  const int first = copy.to.first_byte + copy.i * copy.to.element_bytes;
  if (first % kBoxAlignment != 0) {
    report(FaultKind::misaligned, where,
           std::string("a box at byte ") + std::to_string(first) +
               " of shared memory, and boxes begin at multiples of " + std::to_string(kBoxAlignment));
    return;
  }
  std::vector<unsigned char> bytes = read_box(*copy.map, copy.at);
  const int count = static_cast<int>(bytes.size()) / copy.to.element_bytes;
  if (!may_write_shared(copy.to, copy.i, count, where)) return;
  begin_flight(copy.to, copy.i, count);
  const Event started = machine().now();
  PendingBox box{copy.to,          copy.i,  count, copy.map->span_bytes, std::move(bytes), barrier,
                 machine().told(), started, where};
  if (options().copies == Copies::early) return land(box);
  pending.push_back(std::move(box));
}

void begin_boxes() { pending.clear(); }

bool land_next_box() {
  if (pending.empty()) return false;
  const PendingBox box = std::move(pending.front());
  pending.erase(pending.begin());
  land(box);
  return true;
}

}  // namespace tessera::twin
