// SPDX-License-Identifier: Apache-2.0
#include "operands.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <algorithm>

#include "tessera/tensor.h"

namespace bench {
namespace {

constexpr int kThreads = 256;
constexpr std::int64_t kSamples = 8192;  // elements that are compared with f64

// The factors are read, and the results checked, by CUDA's own types: nothing here is shared with what is tested.
template <typename T>
__device__ double number(T value) {
  if constexpr (sizeof(T) <= 2 && !std::is_integral_v<T>) {
    return static_cast<double>(static_cast<float>(value));
  } else {
    return static_cast<double>(value);
  }
}

__device__ std::uint64_t scrambled(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

/// A normal number of variance 1.
__device__ double normal(std::uint64_t seed, std::uint64_t at) {
  const std::uint64_t bits = scrambled(scrambled(seed) + at);
  const double first = (static_cast<double>(bits >> 32) + 0.5) * 0x1p-32;
  const double second = static_cast<double>(bits & 0xffffffffu) * 0x1p-32;
  return sqrt(-2 * log(first)) * cospi(2 * second);
}

template <typename T>
__device__ T factor_of(double value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(rint(fmin(fmax(40 * value, -128.0), 127.0)));
  } else if constexpr (std::is_same_v<T, double>) {
    return value;
  } else {
    return T(static_cast<float>(value));
  }
}

/// An element depends on its row and column, not on where it lies. What lies between lines stays as it is.
template <typename T>
__global__ void fill_factor(T* data, Layout layout, std::uint64_t seed) {
  const std::int64_t count = layout.rows * layout.columns;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step) {
    const std::int64_t line = i / layout.length(), at = i % layout.length();
    const std::int64_t row = layout.by_columns ? at : line, column = layout.by_columns ? line : at;
    const double value = normal(seed, static_cast<std::uint64_t>(row * layout.columns + column));
    data[line * layout.line_stride() + at] = factor_of<T>(value);
  }
}

/// What comparisons add up on the device. Numbers that are not negative are ordered as their bits are.
struct Found {
  unsigned long long far;
  unsigned long long unwritten;
  unsigned long long largest_error;
  unsigned long long largest_result;
};

template <typename T>
__global__ void count_unwritten(const unsigned char* data, std::int64_t count, int poison, Found* found) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  unsigned long long own = 0;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step) {
    bool is_poison = true;
    for (int byte = 0; byte < static_cast<int>(sizeof(T)); ++byte) {
      is_poison = is_poison && data[i * static_cast<int>(sizeof(T)) + byte] == poison;
    }
    const double value = number(reinterpret_cast<const T*>(data)[i]);
    if (is_poison || isnan(value)) ++own;
  }
  if (own > 0) atomicAdd(&found->unwritten, own);
}

/// Everything a comparison reads.
struct Comparison {
  Layout a, b, c;
  std::int64_t samples;
  double result_unit, product_unit, sum_unit;
  const __nv_bfloat16* bias;  ///< null: the sums are the result
  double approximation;       ///< how far the activation may be off besides
};

/// Which element sample number i is: all of a small matrix; else many at the last row and column, where tiles end.
__device__ void place_of_sample(const Layout& c, std::int64_t samples, std::int64_t i, std::int64_t* row,
                                std::int64_t* column) {
  if (c.rows * c.columns <= samples) {
    *row = i / c.columns;
    *column = i % c.columns;
    return;
  }
  const std::uint64_t bits = scrambled(static_cast<std::uint64_t>(i) + 1234567);
  *row =
      i % 8 == 0 ? c.rows - 1 : static_cast<std::int64_t>((bits >> 32) % static_cast<std::uint64_t>(c.rows));
  *column = i % 8 == 1
                ? c.columns - 1
                : static_cast<std::int64_t>((bits & 0xffffffffu) % static_cast<std::uint64_t>(c.columns));
}

/// Holds a result against the exact sum and the sum of its squared terms.
__device__ void judge(const Comparison& comparison, double result, double sum, double squares,
                      std::int64_t column, Found* found) {
  double unit = comparison.product_unit + comparison.sum_unit * static_cast<double>(comparison.a.columns);
  double exact = sum;
  if (comparison.bias != nullptr) {
    const double argument = sum + number(comparison.bias[column]);
    exact = argument * normcdf(argument);
    unit *= 1.2;  // the steepest that the activation is
  }
  const double permitted =
      unit * sqrt(squares) + comparison.result_unit * fabs(exact) + comparison.approximation;
  const double error = fabs(result - exact);
  if (!(error <= permitted)) atomicAdd(&found->far, 1ull);
  atomicMax(&found->largest_error, static_cast<unsigned long long>(__double_as_longlong(error)));
  atomicMax(&found->largest_result, static_cast<unsigned long long>(__double_as_longlong(fabs(exact))));
}

/// A block computes one element in f64.
template <typename Factor, typename Result>
__global__ void compare_samples(const Factor* a, const Factor* b, const Result* c, Comparison comparison,
                                Found* found) {
  __shared__ double sums[2][kThreads];
  std::int64_t row = 0, column = 0;
  place_of_sample(comparison.c, comparison.samples, blockIdx.x, &row, &column);
  double sum = 0, squares = 0;
  for (std::int64_t k = threadIdx.x; k < comparison.a.columns; k += kThreads) {
    const double term = number(a[row * comparison.a.row_stride() + k * comparison.a.column_stride()]) *
                        number(b[k * comparison.b.row_stride() + column * comparison.b.column_stride()]);
    sum += term;
    squares += term * term;
  }
  sums[0][threadIdx.x] = sum;
  sums[1][threadIdx.x] = squares;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < half) {
      sums[0][threadIdx.x] += sums[0][threadIdx.x + half];
      sums[1][threadIdx.x] += sums[1][threadIdx.x + half];
    }
  }
  if (threadIdx.x == 0) {
    const double result = number(c[row * comparison.c.row_stride() + column * comparison.c.column_stride()]);
    judge(comparison, result, sums[0][0], sums[1][0], column, found);
  }
}

constexpr int kGeluElements = 8;

__global__ void apply_gelu(uint4* data, std::int64_t vectors) {
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at >= vectors) return;
  union {
    uint4 whole;
    __nv_bfloat16 elements[kGeluElements];
  } vector;
  vector.whole = data[at];
  for (__nv_bfloat16& element : vector.elements) {
    const float value = __bfloat162float(element);
    element = __float2bfloat16(0.5f * value * (1 + erff(value * 0.70710678f)));
  }
  data[at] = vector.whole;
}

int blocks_for(std::int64_t elements) {
  return static_cast<int>(std::clamp<std::int64_t>((elements + kThreads - 1) / kThreads, 1, 8192));
}

/// Calls with pointers of the types of factors and of results.
template <typename Function>
void with_types(const Type& type, Function function) {
  switch (type.factor) {
    case TESSERA_BF16:
      return function(static_cast<__nv_bfloat16*>(nullptr), static_cast<__nv_bfloat16*>(nullptr));
    case TESSERA_F16: return function(static_cast<__half*>(nullptr), static_cast<__half*>(nullptr));
    case TESSERA_F32: return function(static_cast<float*>(nullptr), static_cast<float*>(nullptr));
    case TESSERA_F64: return function(static_cast<double*>(nullptr), static_cast<double*>(nullptr));
    case TESSERA_FP8_E4M3:
      if (type.result == TESSERA_F32)
        return function(static_cast<__nv_fp8_e4m3*>(nullptr), static_cast<float*>(nullptr));
      return function(static_cast<__nv_fp8_e4m3*>(nullptr), static_cast<__nv_bfloat16*>(nullptr));
    default: return function(static_cast<std::int8_t*>(nullptr), static_cast<std::int32_t*>(nullptr));
  }
}

template <typename T>
Buffer random_matrix(T*, const Layout& layout, std::uint64_t seed) {
  Buffer buffer(static_cast<std::size_t>(layout.elements()) * sizeof(T));
  buffer.fill(0xff);  // NaN between lines, or -1
  fill_factor<<<blocks_for(layout.rows * layout.columns), kThreads>>>(static_cast<T*>(buffer.data()), layout,
                                                                      seed);
  check(cudaGetLastError(), "fill_factor");
  return buffer;
}

/// Of floats NaN; of integers a number that no sum of products of bytes reaches here.
int poison_of(const Type& type) { return type.result == TESSERA_I32 ? 0x80 : 0xff; }

}  // namespace

std::int64_t bytes_of(const Type& type, const Shape& shape) {
  return type.factor_bytes * (shape.m * shape.k + shape.k * shape.n) + type.result_bytes * shape.m * shape.n;
}

Operands::Operands(const Case& product, Shape shape, Orders orders, std::int64_t pitch, int sets)
    : product_(product),
      a_{shape.m, shape.k, orders.a_by_columns, pitch},
      b_{shape.k, shape.n, orders.b_by_columns, pitch},
      c_{shape.m, shape.n, false, 0} {
  with_types(product.type, [&](auto* factor, auto*) {
    for (int set = 0; set < sets; ++set) {
      const auto seed = static_cast<std::uint64_t>(2 * set + 1);
      sets_.push_back({random_matrix(factor, a_, seed), random_matrix(factor, b_, seed + 1),
                       Buffer(static_cast<std::size_t>(c_.elements() * product.type.result_bytes))});
      sets_.back().c.fill(poison_of(product.type));
    }
  });
  if (product.epilogue != Epilogue::none) {
    bias_ = random_matrix(static_cast<__nv_bfloat16*>(nullptr), Layout{1, shape.n}, 77);
  }
  check(cudaDeviceSynchronize(), "random matrices");
}

void Operands::poison(int set) const {
  sets_[static_cast<std::size_t>(set)].c.fill(poison_of(product_.type));
  check(cudaDeviceSynchronize(), "poison");
}

Outcome Operands::compare(int set, bool of_library) const {
  check(cudaDeviceSynchronize(), "product");
  const Type& type = product_.type;
  const double parts = of_library ? 2 * type.result_unit : 0;
  const Comparison comparison{.a = a_,
                              .b = b_,
                              .c = c_,
                              .samples = std::min(kSamples, c_.elements()),
                              .result_unit = type.result_unit,
                              .product_unit = type.product_unit + parts,
                              .sum_unit = type.sum_unit,
                              .bias = static_cast<const __nv_bfloat16*>(bias()),
                              .approximation = of_library && bias() != nullptr ? 1e-3 : 0};
  Buffer room(sizeof(Found));
  room.fill(0);
  auto* const found = static_cast<Found*>(room.data());
  with_types(type, [&](auto* factor, auto* result) {
    using Factor = std::remove_pointer_t<decltype(factor)>;
    using Result = std::remove_pointer_t<decltype(result)>;
    count_unwritten<Result><<<blocks_for(c_.elements()), kThreads>>>(
        static_cast<const unsigned char*>(c_data(set)), c_.elements(), poison_of(type), found);
    compare_samples<<<static_cast<unsigned>(comparison.samples), kThreads>>>(
        static_cast<const Factor*>(a_data(set)), static_cast<const Factor*>(b_data(set)),
        static_cast<const Result*>(c_data(set)), comparison, found);
  });
  check(cudaGetLastError(), "comparison");
  Found seen{};
  check(cudaMemcpy(&seen, found, sizeof seen, cudaMemcpyDeviceToHost), "comparison");
  double error = 0, result = 0;
  static_assert(sizeof error == sizeof seen.largest_error);
  __builtin_memcpy(&error, &seen.largest_error, sizeof error);
  __builtin_memcpy(&result, &seen.largest_result, sizeof result);
  return {result > 0 ? error / result : error, seen.far, seen.unwritten};
}

void gelu_in_place(void* data, std::int64_t elements, cudaStream_t stream) {
  const std::int64_t vectors = elements / kGeluElements;
  apply_gelu<<<static_cast<unsigned>((vectors + kThreads - 1) / kThreads), kThreads, 0, stream>>>(
      static_cast<uint4*>(data), vectors);
  check(cudaGetLastError(), "gelu");
}

}  // namespace bench
