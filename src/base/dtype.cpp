// SPDX-License-Identifier: Apache-2.0
// The table of element types, made from dtype.def.
#include "base/dtype.h"

#include "base/check.h"

namespace tessera {

namespace {

constexpr DTypeInfo kDTypes[] = {
#define TESSERA_DTYPE(enumerator, spelling, bits, family, arithmetic, cpp, roundoff) \
  {DType::enumerator, spelling, bits, DTypeFamily::family, DType::arithmetic, cpp, roundoff},
#include "base/dtype.def"
};

}  // namespace

const DTypeInfo& info(DType dtype) {
  const auto index = static_cast<std::size_t>(dtype);
  TESSERA_CHECK(index < std::size(kDTypes), "a dtype has a row in dtype.def");
  return kDTypes[index];
}

std::span<const DTypeInfo> all_dtypes() { return kDTypes; }

std::optional<DType> dtype_from_spelling(std::string_view spelling) {
  for (const DTypeInfo& row : kDTypes) {
    if (row.spelling == spelling) return row.dtype;
  }
  return std::nullopt;
}

}  // namespace tessera
