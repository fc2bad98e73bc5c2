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

template <typename T, int Rank>
struct Line;

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

  /// The kStep * N elements that begin at `at`: N > 1 as vectors, under the same conditions; N == 1 one by one, at any
  /// stride.
  template <int kStep, int N>
  TESSERA_DEVICE Vector<Value, kStep * N> load_run(
      Index<Rank> at, [[maybe_unused]] Location where = Location::current()) const {
    if constexpr (N > 1) {
      return load<kStep * N>(at, where);
    } else {
      Vector<Value, kStep> result;
      TESSERA_UNROLL
      for (int i = 0; i < kStep; ++i) {
        result.set(i, load(at, where));
        ++at.at[Rank - 1];
      }
      return result;
    }
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

  /// The line along the last dimension at `at`, the position along the dimensions before it: what its elements
  /// have in common is computed once.
  TESSERA_DEVICE Line<T, Rank> line(Index<Rank - 1> at) const {
    index offset = 0;
    TESSERA_UNROLL
    for (int dimension = 0; dimension < Rank - 1; ++dimension) offset += at[dimension] * stride[dimension];
#if TESSERA_TWIN
    return {data + offset, stride[kDimensions - 1], this, at};
#else
    return {data + offset, stride[kDimensions - 1]};
#endif
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

/// The elements of a tensor along its last dimension; made by View::line.
template <typename T, int Rank>
struct Line {
  using Value = std::remove_const_t<T>;

  T* data;
  index stride;
#if TESSERA_TWIN
  const View<T, Rank>* view;
  Index<Rank - 1> lead;
#endif

  /// As View::load, View::load_run and View::store at element `i` of the line.
  TESSERA_DEVICE Value load(index i, [[maybe_unused]] Location where = Location::current()) const {
#if TESSERA_TWIN
    return view->load(position(i), where);
#else
    return detail::load_vector<std::is_const_v<T>, 1, Value>(data + i * stride)[0];
#endif
  }
  template <int N>
  TESSERA_DEVICE Vector<Value, N> load(index i, [[maybe_unused]] Location where = Location::current()) const {
#if TESSERA_TWIN
    return view->template load<N>(position(i), where);
#else
    return detail::load_vector<std::is_const_v<T>, N, Value>(data + (N == 1 ? i * stride : i));
#endif
  }
  template <int kStep, int N>
  TESSERA_DEVICE Vector<Value, kStep * N> load_run(
      index i, [[maybe_unused]] Location where = Location::current()) const {
    if constexpr (N > 1) {
      return load<kStep * N>(i, where);
    } else {
      Vector<Value, kStep> result;
      TESSERA_UNROLL
      for (int k = 0; k < kStep; ++k) result.set(k, load(i + k, where));
      return result;
    }
  }
  TESSERA_DEVICE void store(index i, Value value,
                            [[maybe_unused]] Location where = Location::current()) const {
#if TESSERA_TWIN
    view->store(position(i), value, where);
#else
    detail::store_vector<detail::Space::global>(data + i * stride, Vector<Value, 1>{{value}});
#endif
  }
  template <int N>
  TESSERA_DEVICE void store(index i, const Vector<Value, N>& value,
                            [[maybe_unused]] Location where = Location::current()) const {
#if TESSERA_TWIN
    view->store(position(i), value, where);
#else
    detail::store_vector<detail::Space::global>(data + (N == 1 ? i * stride : i), value);
#endif
  }

#if TESSERA_TWIN
 private:
  Index<Rank> position(index i) const {
    Index<Rank> at{};
    for (int dimension = 0; dimension < Rank - 1; ++dimension) at.at[dimension] = lead[dimension];
    at.at[Rank - 1] = i;
    return at;
  }
#endif
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
