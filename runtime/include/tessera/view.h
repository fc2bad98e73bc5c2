// SPDX-License-Identifier: Apache-2.0
// View<T, Rank>: a tensor inside a kernel. Indices are 64-bit, strides are in elements.
#pragma once

#include <type_traits>

#include "tessera/vector.h"

#if TESSERA_TWIN
#include "tessera/twin/tensor_shadow.h"
#endif

namespace tessera {

/// A position in a tensor, written {r, c}.
template <int Rank>
struct Index {
  index at[Rank];
  TESSERA_HD constexpr index operator[](int dimension) const { return at[dimension]; }
};
template <>
struct Index<0> {
  TESSERA_HD constexpr index operator[](int) const { return 0; }
};

/// A tensor of Rank dimensions. View<const T, Rank> is read only, and nobody writes its memory during the
/// kernel. Vector access (load<N>, store of a Vector) goes along the last dimension, whose stride must then
/// be 1 and whose first element must be aligned to the vector: the launcher has checked both with
/// vector_access().
template <typename T, int Rank>
struct View {
  using Value = std::remove_const_t<T>;
  static constexpr int kDimensions = Rank > 0 ? Rank : 1;

  T* data;
  index extent[kDimensions];
  index stride[kDimensions];
#if TESSERA_TWIN
  twin::TensorShadow* shadow;  ///< what the twin knows of the tensor; null outside a launch
#endif

  /// The element at `at`.
  TESSERA_DEVICE Value load(Index<Rank> at, [[maybe_unused]] Location where = Location::current()) const {
    const index offset = offset_of(at);
#if TESSERA_TWIN
    if (!twin::may_load<Rank>(shadow, access(at, 1), data + offset, sizeof(T), 1, where)) return Value{};
#endif
    return detail::load_vector<std::is_const_v<T>, 1, Value>(data + offset)[0];
  }

  /// The N elements that begin at `at` and follow each other along the last dimension.
  template <int N>
  TESSERA_DEVICE Vector<Value, N> load(Index<Rank> at,
                                       [[maybe_unused]] Location where = Location::current()) const {
    const index offset = N == 1 ? offset_of(at) : vector_offset_of(at);
#if TESSERA_TWIN
    const bool may =
        twin::may_load<Rank>(shadow, access(at, N), data + offset, alignof(Vector<Value, N>), step(), where);
    if (!may) return {};
#endif
    return detail::load_vector<std::is_const_v<T>, N, Value>(data + offset);
  }

  /// Writes the element at `at`.
  TESSERA_DEVICE void store(Index<Rank> at, Value value,
                            [[maybe_unused]] Location where = Location::current()) const {
    const index offset = offset_of(at);
#if TESSERA_TWIN
    if (!twin::may_store<Rank>(shadow, access(at, 1), data + offset, sizeof(T), 1, where)) return;
    twin::check_initialised(value, where);
#endif
    detail::store_vector<detail::Space::global>(data + offset, Vector<Value, 1>{{value}});
  }

  /// Writes N elements from `at` on along the last dimension.
  template <int N>
  TESSERA_DEVICE void store(Index<Rank> at, const Vector<Value, N>& value,
                            [[maybe_unused]] Location where = Location::current()) const {
    const index offset = N == 1 ? offset_of(at) : vector_offset_of(at);
#if TESSERA_TWIN
    const bool may =
        twin::may_store<Rank>(shadow, access(at, N), data + offset, alignof(Vector<Value, N>), step(), where);
    if (!may) return;
    for (int i = 0; i < N; ++i) twin::check_initialised(value[i], where);
#endif
    detail::store_vector<detail::Space::global>(data + offset, value);
  }

 private:
#if TESSERA_TWIN
  twin::TensorAccess access(const Index<Rank>& at, int count) const {
    return {shadow, extent, reinterpret_cast<const index*>(&at), Rank, count};
  }
  /// The stride that vector access goes along, 1 for a row of one vector.
  index step() const { return stride[kDimensions - 1]; }
#endif

  TESSERA_DEVICE index offset_of(Index<Rank> at) const {
    index offset = 0;
    TESSERA_UNROLL
    for (int dimension = 0; dimension < Rank; ++dimension) offset += at[dimension] * stride[dimension];
    return offset;
  }

  TESSERA_DEVICE index vector_offset_of(Index<Rank> at) const {
    static_assert(Rank > 0, "a tensor without dimensions has one element");
    index offset = at[Rank - 1];
    TESSERA_UNROLL
    for (int dimension = 0; dimension < Rank - 1; ++dimension) offset += at[dimension] * stride[dimension];
    return offset;
  }
};

/// The view of a tensor that a LaunchCheck has accepted as one of T and Rank.
template <typename T, int Rank>
inline View<T, Rank> view(const Tensor& tensor) {
  View<T, Rank> result{};
  result.data = static_cast<T*>(tensor.data);
  for (int dimension = 0; dimension < Rank; ++dimension) {
    result.extent[dimension] = tensor.extent[dimension];
    result.stride[dimension] = tensor.stride[dimension];
  }
  return result;
}

}  // namespace tessera
