// SPDX-License-Identifier: Apache-2.0
// Raises internal errors; see check.h.
#include "base/check.h"

#include <fmt/format.h>

namespace tessera {

namespace {

/// The file name from `src/` on, so that the text does not depend on where the compiler was built.
std::string_view source_relative(std::string_view path) {
  const auto position = path.rfind("src/");
  return position == std::string_view::npos ? path : path.substr(position);
}

}  // namespace

void fail_check(const char* file, int line, const char* condition, std::string_view text) {
  throw InternalError(fmt::format("{} ({}:{}: {})", text, source_relative(file), line, condition));
}

void unreachable(std::string_view text) { throw InternalError(fmt::format("unreachable: {}", text)); }

}  // namespace tessera
