// SPDX-License-Identifier: Apache-2.0
// libFuzzer over bytes: any text through lexer, parser, formatter and the printing of diagnostics. Short and fast.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "promises.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    tessera::fuzz::require_promises({reinterpret_cast<const char*>(data), size},
                                    tessera::fuzz::Reach::syntax);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "broken promise: %s\n", error.what());
    std::abort();
  }
  return 0;
}
