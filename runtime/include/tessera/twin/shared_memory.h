// SPDX-License-Identifier: Apache-2.0
// Shared memory of the host twin. Each byte knows who wrote it and who has read it since, so that a missing
// barrier, an index outside of its array and a read of nothing are found on every schedule.
#pragma once

#include <cstring>
#include <type_traits>

#include "tessera/twin/fault.h"
#include "tessera/vector.h"

namespace tessera::twin {

struct Event;

/// Where an array of TESSERA_DYNAMIC_SHARED begins.
struct DynamicByte {
  int first;
};

/// The memory of a shared array of the running block; the same for all its threads.
struct SharedArray {
  const char* name;
  void* region;  ///< its shadow; null when the dynamic shared memory does not hold the array (reported then)
  unsigned char* bytes;  ///< its first element
  int first_byte;        ///< in the region
  int element_bytes;
  int count;
  const void* key;  ///< of its declaration; null in dynamic shared memory
};

/// A launch begins: forgets all arrays, and provides this much dynamic shared memory.
void begin_shared(int dynamic_bytes);

/// Counts bytes of shared memory that a declaration takes; more than kMostStaticBytes in one function are reported.
inline constexpr int kMostStaticBytes = 48 * 1024;
void count_static_bytes(const char* name, int bytes, Location where);

/// The array that belongs to `key` (one for each declaration), made by the first thread of the block that
/// asks.
SharedArray static_shared(const void* key, const char* name, int element_bytes, int count, Location where);
/// The array at a byte of the dynamic shared memory.
SharedArray dynamic_shared(DynamicByte first, const char* name, int element_bytes, int count, Location where);

/// The same array of another block of the cluster.
SharedArray array_of_block(const SharedArray& array, int rank, Location where);

/// How shared memory is read: by a thread, or by an engine for one, which sees what threads wrote behind their fences.
enum class Proxy { generic, async };

/// Whether the current thread may read or write the elements [i, i + count), which is thereby noted; reports
/// it if not. A race is reported, and the access still made.
bool may_read_shared(const SharedArray& array, int i, int count, Location where,
                     Proxy proxy = Proxy::generic);
bool may_write_shared(const SharedArray& array, int i, int count, Location where);

/// The same of an operand of a product of warpgroups, which may take in what nobody wrote: it only makes sums that nobody
/// reads. False then, without a report.
bool may_multiply_shared(const SharedArray& array, int i, int count, Location where);

/// How many of these launches of this host thread have made so far.
std::int64_t shared_accesses();

/// Starts an asynchronous copy of `value` to the elements from `i` on, at most kMaxCopyBytes. Checked as a write where it
/// is started; the write counts as done by this thread when it has waited for it.
inline constexpr int kMaxCopyBytes = 16;
void start_copy(const SharedArray& array, int i, int count, const void* value, Location where);
/// A copy by an engine of its own to elements that may be written: nobody touches them before it has ended. The write
/// counts as done when it was started.
void begin_flight(const SharedArray& array, int i, int count);
void end_flight(const SharedArray& array, int i, int count, const Event& started);
/// An engine reads elements that may be read, for this thread: nobody writes them before it has ended, which the thread has
/// to wait for.
void begin_reading(const SharedArray& array, int i, int count);
void end_reading(const SharedArray& array, int i, int count);
/// What the current thread wrote is there for engines.
void fence_proxies();
/// Closes a group of this thread's copies; waits until at most the newest `pending` of its groups are under way.
void commit_copies();
void wait_for_copies(int pending);

/// An index and the place where it was written: the conversion happens in the statement that indexes.
struct SharedIndex {
  template <typename Integer, typename = std::enable_if_t<std::is_integral_v<Integer>>>
  SharedIndex(Integer i, Location where = Location::current())
      : i(static_cast<std::int64_t>(i) == static_cast<int>(i) ? static_cast<int>(i) : -1), where(where) {}
  int i;
  Location where;
};

/// Shared<T> of the host twin; see tessera/shared.h.
template <typename T>
class Shared {
 public:
  /// `name[i]`: reads when it is converted to T, writes when it is assigned to.
  class Element {
   public:
    Element(const SharedArray& array, SharedIndex at) : array_(array), at_(at) {}
    Element(const Element&) = delete;

    operator T() const { return load(array_, at_.i, at_.where); }
    const Element& operator=(const T& value) const { return store(array_, at_.i, value, at_.where), *this; }
    const Element& operator=(const Element& other) const { return *this = static_cast<T>(other); }

   private:
    const SharedArray& array_;
    SharedIndex at_;
  };

  Shared(const char* name, int count, const void* key, Location where = Location::current())
      : array_(static_shared(key, name, sizeof(T), count, where)) {}
  Shared(const char* name, int count, DynamicByte first, Location where = Location::current())
      : array_(dynamic_shared(first, name, sizeof(T), count, where)) {}

  const SharedArray& array() const { return array_; }

  Element operator[](SharedIndex at) const { return Element(array_, at); }

  T load(int i, Location where = Location::current()) const { return load(array_, i, where); }
  void store(int i, const T& value, Location where = Location::current()) const {
    store(array_, i, value, where);
  }

  template <int N>
  Vector<T, N> load(int i, Location where = Location::current()) const {
    Vector<T, N> result{};
    if (may_access_vector(i, N, alignof(Vector<T, N>), where) && may_read_shared(array_, i, N, where)) {
      std::memcpy(&result, array_.bytes + i * sizeof(T), sizeof result);
    }
    return result;
  }
  template <int N>
  void store(int i, const Vector<T, N>& value, Location where = Location::current()) const {
    if (may_access_vector(i, N, alignof(Vector<T, N>), where) && may_write_shared(array_, i, N, where)) {
      std::memcpy(array_.bytes + i * sizeof(T), &value, sizeof value);
    }
  }

  /// Starts an asynchronous copy of N elements.
  template <int N>
  void copy_async(int i, const Vector<T, N>& value, Location where) const {
    static_assert(sizeof value <= kMaxCopyBytes);
    if (may_access_vector(i, N, sizeof value, where)) start_copy(array_, i, N, &value, where);
  }

 private:
  static T load(const SharedArray& array, int i, Location where) {
    T result{};
    if (may_read_shared(array, i, 1, where)) std::memcpy(&result, array.bytes + i * sizeof(T), sizeof(T));
    return result;
  }
  static void store(const SharedArray& array, int i, const T& value, Location where) {
    if (may_write_shared(array, i, 1, where)) std::memcpy(array.bytes + i * sizeof(T), &value, sizeof(T));
  }

  bool may_access_vector(int i, int count, std::size_t alignment, Location where) const {
    if (i * sizeof(T) % alignment == 0) return true;
    report(FaultKind::misaligned, where,
           std::to_string(count) + " elements at " + array_.name + "[" + std::to_string(i) + "]");
    return false;
  }

  SharedArray array_;
};

}  // namespace tessera::twin
