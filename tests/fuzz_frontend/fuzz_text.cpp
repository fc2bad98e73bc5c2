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
  using namespace tessera::fuzz;
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    require_promises(text, Reach::syntax, is_chosen(text, 0, 8) ? Forms::all : Forms::brief);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "broken promise: %s\n", error.what());
    std::abort();
  }
  return 0;
}
