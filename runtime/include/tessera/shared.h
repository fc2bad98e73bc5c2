// SPDX-License-Identifier: Apache-2.0
// Shared memory of a block: arrays that can be indexed, and read and written in vectors.
#pragma once

#include "tessera/vector.h"

#if TESSERA_TWIN
#include "tessera/twin/shared_memory.h"
#endif

namespace tessera {

#if TESSERA_TWIN
template <typename T>
using Shared = twin::Shared<T>;
#else
/// An array in shared memory.
template <typename T>
struct Shared {
  T* data;

  TESSERA_DEVICE T& operator[](int i) const { return data[i]; }

  /// Element i; for words that pass on the place they were called from.
  TESSERA_DEVICE T load(int i, Location = Location::current()) const { return data[i]; }
  TESSERA_DEVICE void store(int i, T value, Location = Location::current()) const { data[i] = value; }

  /// N elements from i on; i is a multiple of N.
  template <int N>
  TESSERA_DEVICE Vector<T, N> load(int i, Location = Location::current()) const {
    return detail::load_vector<false, N, T>(data + i);
  }
  template <int N>
  TESSERA_DEVICE void store(int i, const Vector<T, N>& value, Location = Location::current()) const {
    detail::store_vector<detail::Space::shared>(data + i, value);
  }
};
#endif

}  // namespace tessera

/// TESSERA_SHARED(type, name, count); declares an array of the block, 16-byte aligned and not initialised.
/// TESSERA_DYNAMIC_SHARED(type, name, first_byte, count); declares one inside the bytes that the launch asked
/// for (DynamicShared), which begin at a multiple of 1024; first_byte is a multiple of 16. `name[i]` is an element; `const T x = name[i]`, not
/// `auto`.
#if TESSERA_TWIN
#define TESSERA_SHARED(type, name, count) \
  static constexpr char name##_key = 0;   \
  const ::tessera::Shared<type> name(#name, count, &name##_key)
#define TESSERA_DYNAMIC_SHARED(type, name, first_byte, count) \
  const ::tessera::Shared<type> name(#name, count, ::tessera::twin::DynamicByte{first_byte})
#else
#define TESSERA_SHARED(type, name, count)             \
  __shared__ alignas(16) type name##_elements[count]; \
  const ::tessera::Shared<type> name { name##_elements }
#define TESSERA_DYNAMIC_SHARED(type, name, first_byte, count)                     \
  extern __shared__ __align__(1024) unsigned char tessera_dynamic_shared_bytes[]; \
  const ::tessera::Shared<type> name { reinterpret_cast<type*>(tessera_dynamic_shared_bytes + (first_byte)) }
#endif
