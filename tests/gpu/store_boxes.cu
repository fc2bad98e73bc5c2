// SPDX-License-Identifier: Apache-2.0
// For a GPU with boxes (9.0): a warp stores a box of 16 rows and 64 or 128 bytes, or of 32 or 64 columns of 16 rows, to outputs of
// all small sizes, and what changes around them is counted. Exits 1 where an output that boxes_for_stores takes is written wrongly, or beside; outputs that
// it does not take are listed with what the copy engine would write behind their lines. Exits 77 without such a GPU.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tessera/kernel.h"
#include "tessera/warpgroups.h"

namespace store_boxes {

using namespace tessera;
using tessera::index;

namespace {

constexpr unsigned char kUntouched = 0xee, kStored = 0x11;
constexpr int kSkipped = 77;

void check_cuda(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::printf("%s\n", cudaGetErrorString(error));
  std::exit(2);
}

/// One warp stores one box at the origin.
template <typename T, StoredLine kLine>
TESSERA_KERNEL(kWarpThreads, 1)
void store_one(TESSERA_PARAMETER TensorMap map) {
  using Tile = detail::PanelTile<T, kLine>;
  TESSERA_DYNAMIC_SHARED(T, elements, 0, Tile::kRoom);
  for (int i = thread_index(); i < Tile::kRoom; i += kWarpThreads) {
    T value;
    std::memset(&value, kStored, sizeof value);
    elements.store(i, value);
  }
  ptx::fence_proxy_async();
  warp_barrier(0xffffffffu);
  if (ptx::elect_sync()) {
    ptx::cp_async_bulk_tensor_store(map, {0, 0}, elements, 0);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read<0>();
  }
}

/// Bytes of an output that are not as stored, and bytes around it that are not as they were.
struct Count {
  int missing = 0, beside = 0;
};

/// Of an output of `rows` lines of `columns` elements, `pitch` apart, in the midst of memory.
template <typename T, StoredLine kLine>
Count store(index rows, index columns, index pitch) {
  using Tile = detail::PanelTile<T, kLine>;
  constexpr index kAround = 4096;
  const index line = pitch * index{sizeof(T)}, bytes = rows * line + 2 * kAround;
  unsigned char* memory = nullptr;
  check_cuda(cudaMalloc(&memory, bytes));
  check_cuda(cudaMemset(memory, kUntouched, bytes));
  const Tensor output = strided_tensor(reinterpret_cast<T*>(memory + kAround), {rows, columns}, {pitch, 1});
  TensorMap map;
  if (!make_tensor_map<T, 2, Tile::kLineBytes>(map, output, TensorBox<0, 1>{Tile::kLines})) {
    std::printf("no map of %ld x %ld\n", static_cast<long>(rows), static_cast<long>(columns));
    std::exit(2);
  }
  store_one<T, kLine><<<1, kWarpThreads, Tile::kBytes>>>(map);
  check_cuda(cudaGetLastError());
  std::vector<unsigned char> host(static_cast<std::size_t>(bytes));
  check_cuda(cudaMemcpy(host.data(), memory, bytes, cudaMemcpyDeviceToHost));
  check_cuda(cudaFree(memory));

  const index box_rows = minimum(rows, index{Tile::kLines});
  const index box_bytes = minimum(columns * index{sizeof(T)}, index{Tile::kLineBytes});
  Count count;
  for (index i = 0; i < bytes; ++i) {
    const index at = i - kAround;
    const bool is_inside = at >= 0 && at / line < box_rows && at % line < box_bytes;
    const bool is_stored = host[static_cast<std::size_t>(i)] == kStored;
    if (is_inside && !is_stored) ++count.missing;
    if (!is_inside && host[static_cast<std::size_t>(i)] != kUntouched) ++count.beside;
  }
  return count;
}

/// Outputs of all widths up to a box and a bit, one row and several, close together and apart. Counts those that are wrong.
template <typename T, StoredLine kLine = StoredLine::row>
int store_all(const char* type) {
  using Tile = detail::PanelTile<T, kLine>;
  int wrong = 0;
  for (const index rows : {1, 2, 5, Tile::kLines, Tile::kLines + 1}) {
    for (index columns = 1; columns <= Tile::kLength + 9; ++columns) {
      constexpr index kChunk = 16 / sizeof(T);
      for (const index apart : {index{0}, kChunk}) {
        const index pitch = ceil_divide(columns, kChunk) * kChunk + apart;
        const Count count = store<T, kLine>(rows, columns, pitch);
        alignas(16) T anywhere{};
        const bool is_taken =
            boxes_for_stores<T, 2, 0, kLine>(strided_tensor(&anywhere, {rows, columns}, {pitch, 1}))
                .are_there;
        const bool is_right = count.missing == 0 && count.beside == 0;
        if (is_taken && !is_right) ++wrong;
        if (!is_right)
          std::printf("%s %s, %ld x %ld, pitch %ld: %d bytes missing, %d written beside\n",
                      is_taken ? "WRONG" : "not taken", type, static_cast<long>(rows),
                      static_cast<long>(columns), static_cast<long>(pitch), count.missing, count.beside);
      }
    }
  }
  std::printf("%s: %d outputs that are taken are wrong\n", type, wrong);
  return wrong;
}

int run() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0 || !device_has_boxes()) {
    std::printf("no GPU with boxes\n");
    return kSkipped;
  }
  const int wrong = store_all<std::int8_t>("i8") + store_all<bf16>("bf16") + store_all<float>("f32") +
                    store_all<bf16, StoredLine::column>("bf16, columns") +
                    store_all<float, StoredLine::column>("f32, columns");
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace store_boxes

int main() { return store_boxes::run(); }
