// SPDX-License-Identifier: Apache-2.0
// The host twin of the instructions that bring operands of products to shared memory and into registers,
// and tiles back.
#pragma once

#include <string>

#include "tessera/ptx_copy.h"
#include "tessera/twin/machine.h"

namespace tessera::twin {

/// What a lane brings to an ldmatrix: the row that it names, and where its words go.
struct MatrixLane {
  std::uint16_t row[8];
  std::uint32_t* words;
};

template <int kCount, bool kTransposed>
void distribute_matrices(void* const (&lanes)[kLanes]) {
  const auto lane_of = [&](int lane) -> MatrixLane& { return *static_cast<MatrixLane*>(lanes[lane]); };
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int matrix = 0; matrix < kCount; ++matrix) {
      const auto element = [&](int i) {
        const int row = kTransposed ? lane % 4 * 2 + i : lane / 4;
        const int column = kTransposed ? lane / 4 : lane % 4 * 2 + i;
        return std::uint32_t{lane_of(8 * matrix + row).row[column]};
      };
      lane_of(lane).words[matrix] = element(1) << 16 | element(0);
    }
  }
}

template <int kCount, bool kTransposed, typename T>
void load_matrices(std::uint32_t (&words)[kCount], const Shared<T>& array, int i, Location where) {
  MatrixLane mine{{}, words};
  if (context.thread % kLanes < 8 * kCount) {  // the others name rows that nobody reads
    const auto row = array.template load<16 / static_cast<int>(sizeof(T))>(i, where);
    std::memcpy(mine.row, &row, sizeof mine.row);
  }
  do_together(&distribute_matrices<kCount, kTransposed>, &mine, where);
}

/// What a lane brings to a stmatrix, and the row that it stores.
struct StoredMatrixLane {
  const std::uint32_t* words;
  std::uint16_t row[8];
};

template <bool kTransposed>
void collect_matrices(void* const (&lanes)[kLanes]) {
  const auto lane_of = [&](int lane) -> StoredMatrixLane& {
    return *static_cast<StoredMatrixLane*>(lanes[lane]);
  };
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int column = 0; column < 8; ++column) {
      const int across = kTransposed ? column : lane % 8, along = kTransposed ? lane % 8 : column;
      const std::uint32_t word = lane_of(across * 4 + along / 2).words[lane / 8];
      lane_of(lane).row[column] = static_cast<std::uint16_t>(word >> (along % 2 * 16));
    }
  }
}

template <bool kTransposed, typename T>
void store_matrices(const Shared<T>& array, int i, const std::uint32_t (&words)[4], Location where) {
  StoredMatrixLane mine{words, {}};
  do_together(&collect_matrices<kTransposed>, &mine, where);
  Vector<T, 16 / static_cast<int>(sizeof(T))> row;
  std::memcpy(&row, mine.row, sizeof mine.row);
  array.store(i, row, where);
}

/// What a lane brings to a shfl, and the lane that it asks.
struct ShuffleLane {
  std::uint32_t value, result;
  int from;
};

inline void shuffle_lanes(void* const (&lanes)[kLanes]) {
  const auto lane_of = [&](int lane) -> ShuffleLane& { return *static_cast<ShuffleLane*>(lanes[lane]); };
  for (int lane = 0; lane < kLanes; ++lane) lane_of(lane).result = lane_of(lane_of(lane).from).value;
}

/// Reports an address that is not a multiple of a copy's size.
inline bool is_aligned_copy(const void* from, int size, Location where) {
  if (reinterpret_cast<std::uintptr_t>(from) % static_cast<std::uintptr_t>(size) == 0) return true;
  report(FaultKind::misaligned, where,
         "a copy of " + std::to_string(size) + " bytes reads at no multiple of that");
  return false;
}

template <int kSize, typename T>
void copy_async(const Shared<T>& to, int i, const T* from, int bytes, Location where) {
  if (bytes > 0 && !is_aligned_copy(from, kSize, where)) return;
  Vector<T, kSize / static_cast<int>(sizeof(T))> elements{};
  if (bytes > 0) std::memcpy(&elements, from, static_cast<std::size_t>(bytes));
  to.copy_async(i, elements, where);
}

}  // namespace tessera::twin

namespace tessera::ptx {

template <typename T>
void ldmatrix_x4(std::uint32_t (&words)[4], const Shared<T>& array, int i,
                 Location where = Location::current()) {
  twin::load_matrices<4, false>(words, array, i, where);
}
template <typename T>
void ldmatrix_x4_trans(std::uint32_t (&words)[4], const Shared<T>& array, int i,
                       Location where = Location::current()) {
  twin::load_matrices<4, true>(words, array, i, where);
}
template <typename T>
void ldmatrix_x2(std::uint32_t (&words)[2], const Shared<T>& array, int i,
                 Location where = Location::current()) {
  twin::load_matrices<2, false>(words, array, i, where);
}
template <typename T>
void ldmatrix_x2_trans(std::uint32_t (&words)[2], const Shared<T>& array, int i,
                       Location where = Location::current()) {
  twin::load_matrices<2, true>(words, array, i, where);
}

template <typename T>
void stmatrix_x4(const Shared<T>& array, int i, const std::uint32_t (&words)[4],
                 Location where = Location::current()) {
  twin::store_matrices<false>(array, i, words, where);
}
template <typename T>
void stmatrix_x4_trans(const Shared<T>& array, int i, const std::uint32_t (&words)[4],
                       Location where = Location::current()) {
  twin::store_matrices<true>(array, i, words, where);
}

inline std::uint32_t prmt(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  const std::uint64_t bytes = std::uint64_t{b} << 32 | a;
  std::uint32_t result = 0;
  for (int i = 0; i < 4; ++i)
    result |= static_cast<std::uint32_t>(bytes >> (selector >> 4 * i & 7u) * 8 & 0xffu) << 8 * i;
  return result;
}
inline std::uint32_t shfl_sync(std::uint32_t value, int lane, Location where = Location::current()) {
  twin::ShuffleLane mine{value, 0, lane};
  twin::do_together(&twin::shuffle_lanes, &mine, where);
  return mine.result;
}

template <typename T>
void cp_async_4(const Shared<T>& to, int i, const T* from, int bytes, Location where = Location::current()) {
  twin::copy_async<4>(to, i, from, bytes, where);
}
template <typename T>
void cp_async_8(const Shared<T>& to, int i, const T* from, int bytes, Location where = Location::current()) {
  twin::copy_async<8>(to, i, from, bytes, where);
}
template <typename T>
void cp_async_16(const Shared<T>& to, int i, const T* from, int bytes, Location where = Location::current()) {
  twin::copy_async<16>(to, i, from, bytes, where);
}
inline void cp_async_commit_group(Location = Location::current()) { twin::commit_copies(); }
template <int kPending>
void cp_async_wait_group(Location = Location::current()) {
  twin::wait_for_copies(kPending);
}

}  // namespace tessera::ptx
