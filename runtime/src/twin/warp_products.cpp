// SPDX-License-Identifier: Apache-2.0
// Products of warpgroups that are under way: in groups of each warp, and when sums get their values.
#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "machine_state.h"
#include "tessera/twin/ptx_wgmma.h"

namespace tessera::twin {

namespace {

constexpr std::uint32_t kNothing = 0x7fc00000;  // NaN, in registers whose sums are under way

struct PendingProduct {
  WarpProduct product;
  int group;
};

/// Sums that products under way add to: their values, while registers hold nothing.
struct HeldSums {
  std::array<void*, kLanes> registers;
  std::vector<std::uint32_t> values;  // of one lane after the other
  int products = 0;                   // under way
};

/// The products of one warp. Group number `groups` is still open.
struct ProductQueue {
  std::uint32_t block_stamp = 0;  // of another block: there are none
  std::vector<PendingProduct> products;
  std::vector<HeldSums> held;
  int groups = 0;
  bool fenced = false;  // registers, for the open group
};

thread_local std::vector<ProductQueue> queues;  // by warp of the block

/// What a warp reads is read by its first lane, which is also the one that tells others of it.
class AsFirstLane {
 public:
  AsFirstLane() : thread_(context.thread) { context.thread = thread_ / kLanes * kLanes; }
  ~AsFirstLane() { context.thread = thread_; }
  AsFirstLane(const AsFirstLane&) = delete;

 private:
  int thread_;
};

ProductQueue& own_queue() {
  const auto warp = static_cast<std::size_t>(context.thread / kLanes);
  if (queues.size() <= warp) queues.resize(warp + 1);
  ProductQueue& queue = queues[warp];
  if (queue.block_stamp != machine().block_stamp())
    queue = {.block_stamp = machine().block_stamp(), .products = {}, .held = {}};
  return queue;
}

bool are_held(const ProductQueue& queue, const WarpProduct& product) {
  return std::any_of(queue.held.begin(), queue.held.end(),
                     [&](const HeldSums& held) { return held.registers[0] == product.sums[0]; });
}

void check_fence(const ProductQueue& queue, const WarpProduct& product) {
  if (queue.fenced || (!product.takes_words && are_held(queue, product))) return;
  report(FaultKind::not_fenced, product.where, "a product takes registers without wgmma.fence before it");
}

HeldSums& hold(ProductQueue& queue, const WarpProduct& product) {
  for (HeldSums& held : queue.held)
    if (held.registers[0] == product.sums[0]) return held;
  const auto count = static_cast<std::size_t>(product.count);
  HeldSums& held =
      queue.held.emplace_back(HeldSums{product.sums, std::vector<std::uint32_t>(kLanes * count)});
  const std::vector<std::uint32_t> nothing(count, kNothing);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    std::memcpy(&held.values[lane * count], product.sums[lane], count * sizeof kNothing);
    std::memcpy(product.sums[lane], nothing.data(), count * sizeof kNothing);
  }
  return held;
}

void release(ProductQueue& queue, const HeldSums& held) {
  const std::size_t count = held.values.size() / kLanes;
  for (std::size_t lane = 0; lane < kLanes; ++lane)
    std::memcpy(held.registers[lane], &held.values[lane * count], count * sizeof kNothing);
  std::erase_if(queue.held, [&](const HeldSums& other) { return &other == &held; });
}

/// Registers get the sums of a product when no other adds to them; until then they are held.
void finish(ProductQueue& queue, const WarpProduct& product) {
  product.read();
  HeldSums& held = hold(queue, product);
  if (!product.adds) std::fill(held.values.begin(), held.values.end(), 0);
  product.multiply(held.values.data());
  if (--held.products == 0) release(queue, held);
}

}  // namespace

void fence_registers() {
  const AsFirstLane first;
  own_queue().fenced = true;
}

void start_product(WarpProduct product) {
  const AsFirstLane first;
  ProductQueue& queue = own_queue();
  check_fence(queue, product);
  product.read();
  ++hold(queue, product).products;
  queue.products.push_back({std::move(product), queue.groups});
}

void commit_products() {
  const AsFirstLane first;
  ProductQueue& queue = own_queue();
  ++queue.groups;
  queue.fenced = false;
}

void wait_for_products(int pending) {
  const AsFirstLane first;
  ProductQueue& queue = own_queue();
  std::erase_if(queue.products, [&](const PendingProduct& entry) {
    if (entry.group >= queue.groups - pending) return false;
    finish(queue, entry.product);
    return true;
  });
}

}  // namespace tessera::twin
