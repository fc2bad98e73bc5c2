// SPDX-License-Identifier: Apache-2.0
// Broken invariants. A user's mistake is a diagnostic; what fails here is a fault of the compiler itself.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace tessera {

/// Thrown when the compiler breaks one of its own invariants. Only `main` catches it: it prints the text with
/// the command line that reproduces it and exits with code 70.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Throws `InternalError` with the place, the failed condition and the text.
[[noreturn]] void fail_check(const char* file, int line, const char* condition, std::string_view text);

/// Marks a place that no run can reach; throws `InternalError` if one does.
[[noreturn]] void unreachable(std::string_view text);

}  // namespace tessera

/// Requires `condition`; `text` says in words what must hold ("a tile has a dtype").
#define TESSERA_CHECK(condition, text)                                             \
  do {                                                                             \
    if (!(condition)) ::tessera::fail_check(__FILE__, __LINE__, #condition, text); \
  } while (false)
