// SPDX-License-Identifier: Apache-2.0
// The host twin of the instructions by which warpgroups multiply. Each warp does its 16 of the 64 rows. What is read from
// shared memory is read when a product is asked for, and again when its group has been waited for: what changes in between
// is a fault. Sums change at once, or when they have been waited for, and hold NaN until then. What a product takes from
// registers, sums among it, is fenced first; sums to which products under way add need it no more.
#pragma once

#include <array>
#include <bit>
#include <functional>
#include <limits>
#include <memory>
#include <type_traits>

#include "tessera/ptx_wgmma.h"
#include "tessera/twin/machine.h"
#include "tessera/twin/ptx_mma.h"
#include "tessera/twin/sums_of_fp8.h"

namespace tessera::twin {

/// A product that a warp has asked for. All functions are called for the warp as a whole.
struct WarpProduct {
  std::array<void*, kLanes> sums;  ///< of the lanes: words
  int count;                       ///< of sums of a lane
  bool adds;
  bool takes_words;  ///< of registers, besides sums
  Location where;
  /// Notes what is read; then adds to sums, which are count words of each lane, one lane after the other.
  std::function<void()> read;
  std::function<void(std::uint32_t*)> multiply;
};

/// What the current warp's registers hold is there for products up to the end of their group.
void fence_registers();
/// Puts a product behind those of the current warp.
void start_product(WarpProduct product);
/// Closes a group of the current warp's products; waits until at most the newest `pending` groups are under way.
void commit_products();
void wait_for_products(int pending);

/// sum + row[0] column[0] + …: in order, each rounded.
template <typename Sum, int kDepth>
Sum add_products(Sum sum, const Sum (&row)[kDepth], const Sum (&column)[kDepth]) {
  for (int k = 0; k < kDepth; ++k) sum = mma_add(sum, row[k], column[k]);
  return sum;
}

/// Sixteen rows of one warp times kColumns columns, 32 bytes of K.
template <typename A, typename B, int kColumns>
struct ProductOperands {
  static_assert(sizeof(A) == sizeof(B), "an instruction takes as many elements of both");
  static constexpr int kDepth = 32 / static_cast<int>(sizeof(A));
  using Number = decltype(mma_number(A{}));
  Number a[16][kDepth];
  Number b[kColumns][kDepth];

  /// What a lane has of sums of 16 rows: as in FragmentLayout.
  void add_to(std::uint32_t* sums) const {
    for (int lane = 0; lane < kLanes; ++lane) {
      for (int i = 0; i < kColumns / 2; ++i) {
        const auto& row = a[lane / 4 + i / 2 % 2 * 8];
        const auto& column = b[i / 4 * 8 + lane % 4 * 2 + i % 2];
        std::uint32_t& word = sums[lane * (kColumns / 2) + i];
        const auto sum = std::bit_cast<Number>(word);
        if constexpr (is_fp8<A>)
          word = std::bit_cast<std::uint32_t>(add_products_of_fp8(sum, row, column));
        else
          word = std::bit_cast<std::uint32_t>(add_products(sum, row, column));
      }
    }
  }
};

/// Stands for what nobody wrote: sums that take it in are wrong.
template <typename Number>
constexpr Number kAnything = std::is_integral_v<Number> ? Number(85)
                                                        : std::numeric_limits<Number>::quiet_NaN();

/// Calls visit(mn, k, element) for the elements [first, first + count) x [0, kDepth) of a matrix, having noted that they
/// are read.
template <typename T, Major kMajor, typename Visit>
void read_matrix(const MatrixDescriptor& matrix, int first, int count, Location where, Visit visit) {
  constexpr int kSize = static_cast<int>(sizeof(T)), kDepth = 32 / kSize, kChunk = 16 / kSize;
  const bool along_k = kMajor == Major::k;
  for (int line = 0; line < (along_k ? count : kDepth); ++line) {
    for (int position = 0; position < (along_k ? kDepth : count); position += kChunk) {
      const int mn = first + (along_k ? line : position), k = along_k ? position : line;
      const int from = matrix.index_of<kMajor>(mn, k, kSize);
      const bool is_written = may_multiply_shared(matrix.array, from, kChunk, where);
      for (int i = 0; i < kChunk; ++i) {
        T element{};
        if (is_written) std::memcpy(&element, matrix.array.bytes + (from + i) * kSize, sizeof element);
        visit(mn - first + (along_k ? 0 : i), along_k ? k + i : k,
              is_written ? mma_number(element) : kAnything<decltype(mma_number(element))>);
      }
    }
  }
}

/// What a lane brings to a product: a descriptor of A, or words of it.
struct ProductLane {
  void* sums;
  const MatrixDescriptor* a;
  const std::uint32_t* words;
  const MatrixDescriptor* b;
  bool adds;
  Location where;
};

/// All lanes of a warp are at a product: it is put behind those under way.
template <typename A, typename B, int kColumns, Major kMajorA, Major kMajorB, Sign kSign>
void begin_product(void* const (&lanes)[kLanes]) {
  using Operands = ProductOperands<A, B, kColumns>;
  using Number = typename Operands::Number;
  static_assert(kSign == Sign::plus || !std::is_integral_v<A>, "products of integers are only added");
  const auto with_sign = [](Number x) { return kSign == Sign::plus ? x : -x; };
  const auto lane_of = [&](int lane) { return static_cast<const ProductLane*>(lanes[lane]); };
  const ProductLane mine = *lane_of(0);
  const MatrixDescriptor b = *mine.b;
  const int row = context.thread / kLanes % 4 * 16;
  const auto operands = std::make_shared<Operands>();
  WarpProduct product{{}, kColumns / 2, mine.adds, mine.a == nullptr, mine.where, {}, {}};
  for (int lane = 0; lane < kLanes; ++lane)
    product.sums[static_cast<std::size_t>(lane)] = lane_of(lane)->sums;
  std::function<void()> read_a;
  if (mine.a != nullptr) {
    read_a = [a = *mine.a, row, operands, with_sign, where = mine.where] {
      read_matrix<A, kMajorA>(a, row, 16, where,
                              [&](int mn, int k, Number x) { operands->a[mn][k] = with_sign(x); });
    };
  } else {
    for (int lane = 0; lane < kLanes; ++lane) {
      A elements[4][4 / sizeof(A)];
      std::memcpy(elements, lane_of(lane)->words, sizeof elements);
      constexpr int kPerWord = static_cast<int>(4 / sizeof(A));
      for (int w = 0; w < 4; ++w)
        for (int i = 0; i < kPerWord; ++i)
          operands->a[lane / 4 + w % 2 * 8][lane % 4 * kPerWord + w / 2 * 4 * kPerWord + i] =
              with_sign(mma_number(elements[w][i]));
    }
    read_a = [] {};
  }
  product.read = [read_a, b, operands, where = mine.where] {
    read_a();
    read_matrix<B, kMajorB>(b, 0, kColumns, where, [&](int mn, int k, Number x) { operands->b[mn][k] = x; });
  };
  product.multiply = [operands](std::uint32_t* sums) { operands->add_to(sums); };
  start_product(std::move(product));
}

/// What lanes do together that needs nothing but all of them.
inline void meet(void* const (&)[kLanes]) {}
inline void fence_together(void* const (&)[kLanes]) { fence_registers(); }
inline void commit_together(void* const (&)[kLanes]) { commit_products(); }
template <int kPending>
void wait_together(void* const (&)[kLanes]) {
  wait_for_products(kPending);
}
/// Everyone gets what lane 0 brought.
inline void share_first(void* const (&lanes)[kLanes]) {
  for (void* lane : lanes) *static_cast<int*>(lane) = *static_cast<int*>(lanes[0]);
}

}  // namespace tessera::twin

namespace tessera::ptx {

inline bool elect_sync(Location where = Location::current()) {
  twin::do_together(&twin::meet, nullptr, where);
  return twin::context.thread % twin::kLanes == 0;
}
inline int shfl_sync_first(int value, Location where = Location::current()) {
  twin::do_together(&twin::share_first, &value, where);
  return value;
}
template <int kRegisters>
void setmaxnreg_dec(Location where = Location::current()) {
  twin::do_together(&twin::meet, nullptr, where);
}
template <int kRegisters>
void setmaxnreg_inc(Location where = Location::current()) {
  twin::do_together(&twin::meet, nullptr, where);
}
inline void keep_in_registers(float*) {}
inline void keep_in_registers(std::int32_t*) {}
inline void wgmma_fence(Location where = Location::current()) {
  twin::do_together(&twin::fence_together, nullptr, where);
}
inline void wgmma_commit_group(Location where = Location::current()) {
  twin::do_together(&twin::commit_together, nullptr, where);
}
template <int kPending>
void wgmma_wait_group(Location where = Location::current()) {
  twin::do_together(&twin::wait_together<kPending>, nullptr, where);
}
template <typename A, typename B, int kColumns, Major kMajorA, Major kMajorB, Sign kSign = Sign::plus,
          typename Sum, int kSums>
void wgmma_mma_async(Sum (&d)[kSums], MatrixDescriptor a, MatrixDescriptor b, bool adds,
                     Location where = Location::current()) {
  static_assert(kSums == kColumns / 2);
  static_assert(sizeof(A) == 2 || (kMajorA == Major::k && kMajorB == Major::k),
                "only 16-bit elements may lie across K");
  static_assert(std::is_same_v<Sum, typename twin::ProductOperands<A, B, kColumns>::Number>);
  twin::ProductLane mine{d, &a, nullptr, &b, adds, where};
  twin::do_together(&twin::begin_product<A, B, kColumns, kMajorA, kMajorB, kSign>, &mine, where);
}
template <typename A, typename B, int kColumns, Major kMajorA, Major kMajorB, Sign kSign, int kStepA,
          int kStepB, typename Sum, int kSums>
void wgmma_mma_async_four(Sum (&d)[kSums], MatrixDescriptor a, MatrixDescriptor b, bool adds,
                          Location where = Location::current()) {
  for (int i = 0; i < 4; ++i)
    wgmma_mma_async<A, B, kColumns, kMajorA, kMajorB, kSign>(d, a.moved(i * kStepA), b.moved(i * kStepB),
                                                             adds || i > 0, where);
}
template <typename A, typename B, int kColumns, Major kMajorB, Sign kSign = Sign::plus, typename Sum,
          int kSums>
void wgmma_mma_async(Sum (&d)[kSums], const std::uint32_t (&a)[4], MatrixDescriptor b, bool adds,
                     Location where = Location::current()) {
  static_assert(kSums == kColumns / 2);
  static_assert(sizeof(A) == 2 || kMajorB == Major::k, "only 16-bit elements may lie across K");
  twin::ProductLane mine{d, nullptr, a, &b, adds, where};
  twin::do_together(&twin::begin_product<A, B, kColumns, Major::k, kMajorB, kSign>, &mine, where);
}

template <typename A, typename B, int kColumns, Sign kSign, int kStepB, typename Sum, int kSums>
void wgmma_mma_async_two(Sum (&d)[kSums], const std::uint32_t (&a)[4], const std::uint32_t (&other_a)[4],
                         MatrixDescriptor b, bool adds, Location where = Location::current()) {
  wgmma_mma_async<A, B, kColumns, Major::k, kSign>(d, a, b, adds, where);
  wgmma_mma_async<A, B, kColumns, Major::k, kSign>(d, other_a, b.moved(kStepB), true, where);
}

}  // namespace tessera::ptx
