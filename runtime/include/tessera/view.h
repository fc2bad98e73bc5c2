// SPDX-License-Identifier: Apache-2.0
// View<T, Rank>: a tensor inside a kernel. Indices are 64-bit, strides are in elements.
#pragma once

#include <type_traits>

#include "tessera/window.h"

#if TESSERA_TWIN
#include "tessera/twin/tensor_shadow.h"
#endif

namespace tessera {

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
        // The last run of a line may be cut: nobody needs what it lacks.
        result.set(i, at[Rank - 1] < extent[Rank - 1] ? load(at, where) : Value{});
        ++at.at[Rank - 1];
      }
      return result;
    }
  }

  /// As Line::load, Line::load_run, Line::store and Line::boundary, at `at`.
  template <int N, bool kAligned>
  TESSERA_DEVICE Vector<Value, N> load(Index<Rank> at, const Part<N, kAligned>& part,
                                       [[maybe_unused]] Location where = Location::current()) const {
    return line(lead(at)).load(at[Rank - 1], part, where);
  }
  template <int N, bool kAligned, int kStrips>
  TESSERA_DEVICE void load_strips(Index<Rank> at, const Part<N, kAligned>& part, int distance,
                                  Vector<Value, N> (&row)[kStrips],
                                  [[maybe_unused]] Location where = Location::current()) const {
    line(lead(at)).load_strips(at[Rank - 1], part, distance, row, where);
  }
  template <int kStep, int N, bool kAligned>
  TESSERA_DEVICE Vector<Value, kStep * N> load_run(
      Index<Rank> at, const Part<N, kAligned>& part,
      [[maybe_unused]] Location where = Location::current()) const {
    return line(lead(at)).template load_run<kStep>(at[Rank - 1], part, where);
  }
  template <int N, bool kAligned>
  TESSERA_DEVICE void store(Index<Rank> at, const Vector<Value, N>& value, const Part<N, kAligned>& part,
                            [[maybe_unused]] Location where = Location::current()) const {
    line(lead(at)).store(at[Rank - 1], value, part, where);
  }
  template <int N, bool kAligned>
  TESSERA_DEVICE index boundary(Index<Rank> at) const {
    return line(lead(at)).template boundary<N, kAligned>(at[Rank - 1]);
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
    return {data + offset, stride[kDimensions - 1], extent[kDimensions - 1], data, end(), this, at};
#else
    return {data + offset, stride[kDimensions - 1], extent[kDimensions - 1], data, end()};
#endif
  }

 private:
  /// The end of the memory that the elements lie in.
  TESSERA_DEVICE T* end() const {
    T* last = data;
    TESSERA_UNROLL
    for (int dimension = 0; dimension < Rank; ++dimension)
      last += (extent[dimension] - 1) * stride[dimension];
    return last + 1;
  }

  static TESSERA_DEVICE Index<Rank - 1> lead(const Index<Rank>& at) {
    Index<Rank - 1> result{};
    if constexpr (Rank > 1) {
      TESSERA_UNROLL
      for (int dimension = 0; dimension < Rank - 1; ++dimension) result.at[dimension] = at[dimension];
    }
    return result;
  }

#if TESSERA_TWIN
  friend struct Line<T, Rank>;

  /// Whether one element may be read (written); reports it if not.
  template <bool kLoad>
  bool may_access(const Index<Rank>& at, Location where) const {
    const T* address = data + offset_of(at);
    if constexpr (kLoad) return twin::may_load<Rank>(shadow, access(at, 1), address, sizeof(T), 1, where);
    return twin::may_store<Rank>(shadow, access(at, 1), address, sizeof(T), 1, where);
  }

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
  index extent;
  T* tensor_begin;
  T* tensor_end;
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
  /// The same if `condition` holds, without a branch; any numbers otherwise.
  template <int N>
  TESSERA_DEVICE Vector<Value, N> load_if(bool condition, index i,
                                          [[maybe_unused]] Location where = Location::current()) const {
#if TESSERA_TWIN
    return condition ? load<N>(i, where) : Vector<Value, N>{};
#else
    return detail::load_vector_if<std::is_const_v<T>, N, Value>(condition, data + (N == 1 ? i * stride : i));
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
      for (int k = 0; k < kStep; ++k) result.set(k, i + k < extent ? load(i + k, where) : Value{});
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

  /// The last position at or before `i` whose address suits a vector of N elements; `i` itself where lines are
  /// whole vectors.
  template <int N, bool kAligned>
  TESSERA_DEVICE index boundary(index i) const {
    if constexpr (kAligned || N == 1) return i;
    return stride == 1 ? i - detail::elements_past_boundary<N>(data + i) : i;
  }

  /// The N elements from `i` on, any numbers in place of those that do not exist. Unless lines are whole vectors, at any
  /// address and stride.
  template <int N, bool kAligned>
  TESSERA_DEVICE Vector<Value, N> load(index i, const Part<N, kAligned>& part,
                                       [[maybe_unused]] Location where = Location::current()) const {
    if constexpr (kAligned || N == 1) {
      return load<N>(i, where);
    } else {
#if TESSERA_TWIN
      if (!may_access<true>(i, 1, part, where)) return {};
#endif
      return detail::load_part<std::is_const_v<T>>(stretch(), i, part);
    }
  }

  /// row[k]: as `load` of the elements from i + k * distance on. Nothing waits until all of them are under way.
  template <int N, bool kAligned, int kStrips>
  TESSERA_DEVICE void load_strips(index i, const Part<N, kAligned>& part, int distance,
                                  Vector<Value, N> (&row)[kStrips],
                                  [[maybe_unused]] Location where = Location::current()) const {
#if TESSERA_TWIN
    for (int k = 0; k < kStrips; ++k) {
      const Part<N, kAligned> here = part.moved(k * distance);
      row[k] = here.any() ? load(i + k * distance, here, where) : Vector<Value, N>{};
    }
#else
    if constexpr (kAligned || N == 1) {
      TESSERA_UNROLL
      for (int k = 0; k < kStrips; ++k) {
        if (part.moved(k * distance).any()) row[k] = load<N>(i + k * distance);
      }
    } else {
      detail::load_strips<std::is_const_v<T>>(stretch(), i, part, distance, row);
    }
#endif
  }

  /// The kStep elements from i + kStep * n on for each n that exists, zero in place of the others.
  template <int kStep, int N, bool kAligned>
  TESSERA_DEVICE Vector<Value, kStep * N> load_run(
      index i, const Part<N, kAligned>& part, [[maybe_unused]] Location where = Location::current()) const {
    if constexpr (kAligned || N == 1) {
      return load_run<kStep, N>(i, where);
    } else {
#if TESSERA_TWIN
      if (!may_access<true>(i, kStep, part, where)) return {};
#endif
      const T* from = data + i * stride;
      if (stride == 1 && part.is_whole() && i + kStep * N <= extent &&
          detail::elements_past_boundary<kStep * N>(from) == 0)
        return detail::load_vector<std::is_const_v<T>, kStep * N>(from);
      Vector<Value, kStep * N> result{};
      TESSERA_UNROLL
      for (int n = 0; n < kStep * N; ++n) {
        if (part.has(n / kStep) && i + n < extent)
          result.set(n, detail::load_vector<std::is_const_v<T>, 1>(from + n * stride)[0]);
      }
      return result;
    }
  }

  /// The N elements from `i` on and their neighbours, at any address and stride.
  template <int kBefore, int kBehind, int N, bool kAligned>
  TESSERA_DEVICE Window<Value, N, kBefore, kBehind> window(
      index i, const Part<N, kAligned>&, [[maybe_unused]] Location where = Location::current()) const {
#if TESSERA_TWIN
    check_window<false>(i - kBefore, i + N + kBehind, where);
#endif
    return load_window<false, kBefore, kBehind, N, kAligned>(i);
  }

  /// The same of a line that begins again behind its end.
  template <int kBefore, int kBehind, int N, bool kAligned>
  TESSERA_DEVICE Window<Value, N, kBefore, kBehind> periodic_window(
      index i, const Part<N, kAligned>&, [[maybe_unused]] Location where = Location::current()) const {
#if TESSERA_TWIN
    check_window<true>(i - kBefore, i + N + kBehind, where);
#endif
    return load_window<true, kBefore, kBehind, N, kAligned>(i);
  }

  /// Writes those of the N elements from `i` on that exist.
  template <int N, bool kAligned>
  TESSERA_DEVICE void store(index i, const Vector<Value, N>& value, const Part<N, kAligned>& part,
                            [[maybe_unused]] Location where = Location::current()) const {
    if constexpr (kAligned || N == 1) {
      store(i, value, where);
    } else {
#if TESSERA_TWIN
      if (!may_access<false>(i, 1, part, where)) return;
      for (int n = 0; n < N; ++n)
        if (part.has(n)) twin::check_initialised(value[n], where);
#endif
      detail::store_part(stretch(), i, value, part);
    }
  }

 private:
  template <bool kPeriodic, int kBefore, int kBehind, int N, bool kAligned>
  TESSERA_DEVICE auto load_window(index i) const {
    if constexpr (kAligned && N > 1) {
      return detail::load_window_of_vectors<std::is_const_v<T>, kPeriodic, kBefore, kBehind, N>(stretch(),
                                                                                                extent, i);
    } else {
      return detail::load_window_of_elements<std::is_const_v<T>, kPeriodic, kBefore, kBehind, N>(stretch(),
                                                                                                 extent, i);
    }
  }

  TESSERA_DEVICE detail::Stretch<T> stretch() const { return {data, stride, tensor_begin, tensor_end}; }

#if TESSERA_TWIN
  /// Lets the twin see the reads of a window.
  template <bool kPeriodic>
  void check_window(index first, index end, Location where) const {
    for (index i = first; i < end; ++i) {
      const index at = kPeriodic ? wrap(i, extent) : i;
      if (inside(at, extent)) view->load(position(at), where);
    }
  }

  /// Whether the kStep elements of each n that exists may be read (written); reports it if not.
  template <bool kLoad, int N>
  bool may_access(index i, int step, const Part<N, false>& part, Location where) const {
    for (int n = 0; n < N * step; ++n) {
      const bool is_cut = step > 1 && i + n >= extent;  // of a run: nobody needs it
      if (part.has(n / step) && !is_cut && !view->template may_access<kLoad>(position(i + n), where))
        return false;
    }
    return true;
  }

  Index<Rank> position(index i) const {
    Index<Rank> at{};
    for (int dimension = 0; dimension < Rank - 1; ++dimension) at.at[dimension] = lead[dimension];
    at.at[Rank - 1] = i;
    return at;
  }
#endif
};

/// The view of a tensor that a LaunchCheck has accepted as one of T and Rank. The stride of a dimension of one element says
/// nothing; it is 1 here, so that what asks for contiguous elements need not know of the case.
template <typename T, int Rank>
inline View<T, Rank> view(const Tensor& tensor) {
  View<T, Rank> result{};
  result.data = static_cast<T*>(tensor.data);
  for (int dimension = 0; dimension < Rank; ++dimension) {
    result.extent[dimension] = tensor.extent[dimension];
    result.stride[dimension] = tensor.extent[dimension] > 1 ? tensor.stride[dimension] : 1;
  }
  return result;
}

}  // namespace tessera
