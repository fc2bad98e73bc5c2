// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic of every width, on elements held in 64 bits (R25): it wraps, division floors, a divisor
// of 0 gives 0, a shift beyond the width gives 0 or the sign.
#pragma once

#include <cstdint>

#include "base/dtype.h"
#include "sema/ir/integer.h"

namespace tessera::interp {

/// What the rules ask of an integer type.
struct IntegerType {
  int bits;
  bool is_signed;

  explicit IntegerType(DType dtype) : bits(info(dtype).bits), is_signed(is_signed_integer(dtype)) {}

  /// The element of the type that is congruent to `value`. Elements of u64 are held as their bits.
  int64_t wrap(uint64_t value) const {
    const int unused = 64 - bits;
    const uint64_t shifted = value << unused;
    return is_signed ? static_cast<int64_t>(shifted) >> unused : static_cast<int64_t>(shifted >> unused);
  }
  bool is_wide_unsigned() const { return bits == 64 && !is_signed; }

  int64_t divide(int64_t a, int64_t b) const {
    if (!is_wide_unsigned()) return wrap(static_cast<uint64_t>(ir::floor_divide(a, b)));
    return b == 0 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) / static_cast<uint64_t>(b));
  }
  int64_t modulo(int64_t a, int64_t b) const {
    if (!is_wide_unsigned()) return ir::floor_modulo(a, b);
    return b == 0 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) % static_cast<uint64_t>(b));
  }
  bool less(int64_t a, int64_t b) const {
    return is_wide_unsigned() ? static_cast<uint64_t>(a) < static_cast<uint64_t>(b) : a < b;
  }
  /// A negative count is one beyond the width.
  int64_t shift_left(int64_t a, int64_t count) const {
    if (static_cast<uint64_t>(count) >= static_cast<uint64_t>(bits)) return 0;
    return wrap(static_cast<uint64_t>(a) << count);
  }
  int64_t shift_right(int64_t a, int64_t count) const {
    if (static_cast<uint64_t>(count) >= static_cast<uint64_t>(bits)) return is_signed && a < 0 ? -1 : 0;
    return is_signed ? a >> count : static_cast<int64_t>(static_cast<uint64_t>(a) >> count);
  }
};

}  // namespace tessera::interp
