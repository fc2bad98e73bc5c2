// SPDX-License-Identifier: Apache-2.0
// What a generated program means, straight from the definitions of the language: points one after another, nothing
// shared with the interpreter, the checker or generated code. Slow, and only for exact programs.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "fuzz/program.h"

namespace tessera::fuzz {

/// A program that is not what the generator promises: a number that is not exact, an index that is no integer.
struct NotExact : std::logic_error {
  using std::logic_error::logic_error;
};

/// The elements of each output in row-major order.
struct Expected {
  std::map<std::string, std::vector<double>> outputs;
  /// Elements that nothing writes, as text; a checked program has none.
  std::vector<std::string> unwritten;
};

/// `partition` is the extent of tiles along ranges whose step is the plan's.
Expected evaluate(const Program& program, int problem, std::int64_t partition);

}  // namespace tessera::fuzz
