// SPDX-License-Identifier: Apache-2.0
// What a launcher finds out about its arguments before it launches anything. The first mistake counts.
#pragma once

#include <initializer_list>

#include "tessera/abi.h"
#include "tessera/location.h"

namespace tessera {

/// What a kernel does with a tensor.
enum class Access {
  in,      ///< reads it
  out,     ///< writes every element exactly once
  update,  ///< reads and writes, or writes some elements
};

namespace detail {

/// The bytes of an element, 0 for what is not a dtype of this interface.
inline index dtype_bytes(std::int32_t dtype) {
  switch (dtype) {
    case TESSERA_BOOL:
    case TESSERA_I8:
    case TESSERA_U8:
    case TESSERA_FP8_E4M3:
    case TESSERA_FP8_E5M2: return 1;
    case TESSERA_I16:
    case TESSERA_U16:
    case TESSERA_F16:
    case TESSERA_BF16: return 2;
    case TESSERA_I32:
    case TESSERA_U32:
    case TESSERA_F32: return 4;
    case TESSERA_I64:
    case TESSERA_U64:
    case TESSERA_INDEX:
    case TESSERA_F64: return 8;
    default: return 0;
  }
}

/// Of a power of two: a division takes longer than all else that is asked of an address.
inline bool is_multiple(std::uintptr_t number, index power_of_two) {
  return (number & (static_cast<std::uintptr_t>(power_of_two) - 1)) == 0;
}

/// Whether the tensor has no element.
inline bool is_empty(const Tensor& tensor) {
  for (int dimension = 0; dimension < tensor.rank; ++dimension) {
    if (tensor.extent[dimension] == 0) return true;
  }
  return false;
}

/// The bytes from the first element to the end of the last; -1 when 63 bits do not hold them.
TESSERA_OUT_OF_LINE inline index footprint(const Tensor& tensor) {
  if (is_empty(tensor)) return 0;
  index elements = 1;
  for (int dimension = 0; dimension < tensor.rank; ++dimension) {
    index span;
    if (__builtin_mul_overflow(tensor.extent[dimension] - 1, tensor.stride[dimension], &span)) return -1;
    if (__builtin_add_overflow(elements, span, &elements)) return -1;
  }
  index bytes;
  return __builtin_mul_overflow(elements, dtype_bytes(tensor.dtype), &bytes) ? -1 : bytes;
}

/// Whether extents alone multiply to at most 2^62 elements; broadcast tensors may have more elements than
/// bytes.
inline bool countable(const Tensor& tensor) {
  if (is_empty(tensor)) return true;
  index elements = 1;
  for (int dimension = 0; dimension < tensor.rank; ++dimension) {
    if (__builtin_mul_overflow(elements, tensor.extent[dimension], &elements) || elements > (index{1} << 62))
      return false;
  }
  return true;
}

/// The device that kernels of this build run on now; defined in architecture.h, which asks CUDA.
int current_device();

}  // namespace detail

/// Whether lines along `dimension` can be copied in pieces of `bytes` bytes, a power of two, whatever their length:
/// their elements follow each other, and each line begins at a multiple of that. Launchers ask before they look
/// whether the check has found a mistake, so any rank and dtype may come: of those that are none nothing can be
/// copied.
TESSERA_OUT_OF_LINE inline bool aligned_lines(const Tensor& tensor, int dimension, index bytes) {
  if (tensor.rank > TESSERA_MAX_RANK || detail::dtype_bytes(tensor.dtype) == 0 || bytes <= 0) return false;
  if (tensor.extent[dimension] > 1 && tensor.stride[dimension] != 1) return false;
  if (!detail::is_multiple(reinterpret_cast<std::uintptr_t>(tensor.data), bytes)) return false;
  for (int other = 0; other < tensor.rank; ++other) {
    if (other == dimension || tensor.extent[other] <= 1) continue;
    const index apart = tensor.stride[other] * detail::dtype_bytes(tensor.dtype);
    if (!detail::is_multiple(static_cast<std::uintptr_t>(apart), bytes)) return false;
  }
  return true;
}

/// Whether N elements at a time can be read or written along `dimension`: its stride is 1, its extent is a
/// multiple of N, and every row begins at an address that suits the access.
inline bool vector_access(const Tensor& tensor, int dimension, int N) {
  const index bytes = detail::dtype_bytes(tensor.dtype) * N;
  return tensor.extent[dimension] % N == 0 && aligned_lines(tensor, dimension, bytes < 16 ? bytes : 16);
}

/// Checks the arguments of one launch. Each function does nothing once a mistake has been found; status()
/// tells which. Names are string literals: they live on in the Status.
class LaunchCheck {
 public:
  /// An argument that has been checked; the host twin watches it during the launch.
  struct Argument {
    int number;
    const char* name;
    Tensor tensor;
    Access access;
    index bytes;  // its footprint, which is valid
  };

  explicit LaunchCheck(const char* kernel) : kernel_(kernel), device_(detail::current_device()) {}

  /// Argument number `argument` is a tensor of T (const for one that is only read) with Rank dimensions, on
  /// this device.
  template <typename T, int Rank>
  void tensor(int argument, const char* name, const Tensor& tensor,
              Access access = std::is_const_v<T> ? Access::in : Access::out) {
    static_assert(kDType<T> >= 0, "T is the C++ type of a tensor element");
    static_assert(Rank >= 0 && Rank <= TESSERA_MAX_RANK, "a tensor has at most TESSERA_MAX_RANK dimensions");
    check_tensor(argument, name, tensor, kDType<T>, Rank, access);
  }

  /// The extent of a dimension, which gives the symbol `name` its value.
  index symbol([[maybe_unused]] const char* name, [[maybe_unused]] int argument, const Tensor& tensor,
               int dimension) {
    return ok() ? tensor.extent[dimension] : 0;
  }

  /// The extent of a dimension is `expected`, which the source spells `rule`.
  void extent(int argument, const char* name, const Tensor& tensor, int dimension, index expected,
              const char* rule) {
    if (tensor.extent[dimension] == expected) return;
    refuse(TESSERA_WRONG_EXTENT, argument, name, expected, tensor.extent[dimension], dimension, rule);
  }

  /// A condition of the kernel, in the words of the source.
  void require(bool holds, const char* rule) {
    if (!holds) refuse(TESSERA_CONSTRAINT, -1, nullptr, 1, 0, -1, rule);
  }

  /// The memory of each written tensor overlaps with that of no other tensor checked so far.
  TESSERA_OUT_OF_LINE void outputs_are_disjoint() {
    if (!ok()) return;
    for (const Argument& output : *this) {
      if (output.access == Access::in) continue;
      for (const Argument& other : *this) {
        const bool seen = other.access != Access::in && other.number <= output.number;
        if (!seen && overlap(output, other))
          refuse(TESSERA_OVERLAP, output.number, output.name, -1, other.number, -1, other.name);
      }
    }
  }

  /// The first variant whose condition holds, or the one that the options name if its condition holds. -1,
  /// and a mistake, if there is none.
  TESSERA_OUT_OF_LINE int choose(const LaunchOptions& options, std::initializer_list<bool> conditions) {
    const int count = static_cast<int>(conditions.size());
    if (!ok()) return -1;
    for (int variant = 0; variant < count; ++variant) {
      if ((options.variant < 0 || options.variant == variant) && conditions.begin()[variant]) return variant;
    }
    refuse(TESSERA_UNKNOWN_VARIANT, -1, nullptr, -1, options.variant, -1, nullptr);
    return -1;
  }

  /// What the launch of another kernel, which this one waits for, has come to.
  void pass_on(const Status& status) {
    if (ok()) status_ = status;
  }

  /// Whether every tensor that the kernel writes is empty.
  bool nothing_to_write() const {
    for (const Argument& argument : *this) {
      if (argument.access != Access::in && !detail::is_empty(argument.tensor)) return false;
    }
    return true;
  }

  bool ok() const { return status_.ok(); }
  const Status& status() const { return status_; }
  const char* kernel() const { return kernel_; }

  /// The current device, on which the launch runs.
  int device() const { return device_; }

  /// The tensors seen so far, in the order of the checks.
  const Argument* begin() const { return arguments_; }
  const Argument* end() const { return arguments_ + count_; }

  /// Notes a mistake unless there is one already.
  TESSERA_OUT_OF_LINE void refuse(TesseraStatusCode code, int argument, const char* name, index expected,
                                  index actual, int dimension = -1, const char* rule = nullptr) {
    if (!ok()) return;
    status_ = Status(TesseraStatus{code, argument, dimension, 0, expected, actual, kernel_, name, rule});
  }

 private:
  static constexpr int kMaxArguments = 64;

  TESSERA_OUT_OF_LINE void check_tensor(int argument, const char* name, const Tensor& tensor,
                                        std::int32_t dtype, int rank, Access access) {
    if (tensor.rank != rank) return refuse(TESSERA_WRONG_RANK, argument, name, rank, tensor.rank);
    const bool same_dtype = tensor.dtype == dtype || (dtype == TESSERA_I64 && tensor.dtype == TESSERA_INDEX);
    if (!same_dtype) return refuse(TESSERA_WRONG_DTYPE, argument, name, dtype, tensor.dtype);
    index bytes = 0;
    check_shape(argument, name, tensor, access, bytes);
    check_memory(argument, name, tensor);
    if (count_ == kMaxArguments)
      return refuse(TESSERA_TOO_LARGE, argument, name, 0, 0, -1, "more than 64 tensors");
    arguments_[count_++] = {argument, name, tensor, access, bytes};
  }

  /// Says how many bytes there are from the first element to the end of the last.
  void check_shape(int argument, const char* name, const Tensor& tensor, Access access, index& bytes) {
    for (int dimension = 0; dimension < tensor.rank; ++dimension) {
      const index extent = tensor.extent[dimension], stride = tensor.stride[dimension];
      if (extent < 0) return refuse(TESSERA_WRONG_EXTENT, argument, name, 0, extent, dimension, "at least 0");
      if (stride < 0) return refuse(TESSERA_WRONG_STRIDE, argument, name, 0, stride, dimension);
    }
    bytes = detail::footprint(tensor);
    if (!detail::countable(tensor) || bytes < 0) {
      return refuse(TESSERA_TOO_LARGE, argument, name, 0, 0, -1, "more than 2^62 elements or bytes");
    }
    if (access != Access::in) check_injective(argument, name, tensor);
  }

  /// No two elements of a written tensor lie at one address: taken by growing stride, each dimension steps
  /// over all that the smaller ones reach.
  void check_injective(int argument, const char* name, const Tensor& tensor) {
    bool done[TESSERA_MAX_RANK] = {};
    index reach = 1;
    for (int step = 0; step < tensor.rank && !detail::is_empty(tensor); ++step) {
      int smallest = -1;
      for (int dimension = 0; dimension < tensor.rank; ++dimension) {
        if (done[dimension]) continue;
        if (smallest < 0 || tensor.stride[dimension] < tensor.stride[smallest]) smallest = dimension;
      }
      done[smallest] = true;
      if (tensor.extent[smallest] == 1) continue;
      const index stride = tensor.stride[smallest];
      if (stride < reach) return refuse(TESSERA_WRONG_STRIDE, argument, name, reach, stride, smallest);
      reach += (tensor.extent[smallest] - 1) * stride;
    }
  }

  /// Whether a byte lies between the first and the last of both.
  static bool overlap(const Argument& a, const Argument& b) {
    const auto a_begin = reinterpret_cast<std::uintptr_t>(a.tensor.data);
    const auto b_begin = reinterpret_cast<std::uintptr_t>(b.tensor.data);
    const auto a_bytes = static_cast<std::uintptr_t>(a.bytes), b_bytes = static_cast<std::uintptr_t>(b.bytes);
    return a_bytes > 0 && b_bytes > 0 && a_begin < b_begin + b_bytes && b_begin < a_begin + a_bytes;
  }

  void check_memory(int argument, const char* name, const Tensor& tensor) {
    if (detail::is_empty(tensor)) return;
    if (tensor.data == nullptr) return refuse(TESSERA_NULL_POINTER, argument, name, 0, 0);
    const index bytes = detail::dtype_bytes(tensor.dtype);
    const auto address = reinterpret_cast<std::uintptr_t>(tensor.data);
    if (!detail::is_multiple(address, bytes))
      return refuse(TESSERA_MISALIGNED, argument, name, bytes,
                    static_cast<index>(address % static_cast<std::uintptr_t>(bytes)));
    if (tensor.device != device_) return refuse(TESSERA_WRONG_DEVICE, argument, name, device_, tensor.device);
  }

  const char* kernel_;
  int device_;
  Status status_;
  Argument arguments_[kMaxArguments];
  int count_ = 0;
};

}  // namespace tessera
