// SPDX-License-Identifier: Apache-2.0
#include "types.h"

#include <stdexcept>

#include "tessera/tensor.h"

namespace bench {
namespace {

// A term that is left out is 1 / sqrt(K) of the root of all squares: the bounds below are less, at the depths that
// cases have but the greatest of fp8. Tensor Cores cut f32 sums off, and tf32 factors; of sums of fp8 they keep 14 bits
// between promotions.
constexpr Type kTypes[] = {
    {"bf16", TESSERA_BF16, TESSERA_BF16, 2, 2, 0x1p-8, 0x1p-20, 0x1p-26, 312, 989.4},
    {"f16", TESSERA_F16, TESSERA_F16, 2, 2, 0x1p-10, 0x1p-20, 0x1p-26, 312, 989.4},
    {"tf32", TESSERA_F32, TESSERA_F32, 4, 4, 0x1p-23, 0x1p-7, 0x1p-26, 156, 494.7},
    {"f32", TESSERA_F32, TESSERA_F32, 4, 4, 0x1p-23, 0x1p-20, 0x1p-26, 19.5, 66.9},
    {"f64", TESSERA_F64, TESSERA_F64, 8, 8, 0x1p-52, 0x1p-49, 0x1p-55, 19.5, 66.9},
    {"fp8_e4m3", TESSERA_FP8_E4M3, TESSERA_BF16, 1, 2, 0x1p-8, 0x1p-9, 0x1p-20, 0, 1978.9},
    {"fp8_e4m3 to f32", TESSERA_FP8_E4M3, TESSERA_F32, 1, 4, 0x1p-23, 0x1p-9, 0x1p-20, 0, 1978.9},
    {"i8", TESSERA_I8, TESSERA_I32, 1, 4, 0, 0, 0, 624, 1978.9},
};

}  // namespace

const Type& type_of(const std::string& name) {
  for (const Type& type : kTypes) {
    if (name == type.name) return type;
  }
  throw std::runtime_error("no type " + name);
}

}  // namespace bench
