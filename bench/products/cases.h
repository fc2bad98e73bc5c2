// SPDX-License-Identifier: Apache-2.0
// Cases as data: what is multiplied, by which kernel, read from a file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "types.h"

namespace bench {

/// What happens to sums before they are stored.
enum class Epilogue {
  none,
  bias_gelu,        ///< the library does it in its product, by tanh
  bias_gelu_apart,  ///< the library adds the bias, a kernel of this program reads and writes once more
};

/// C[m, n] = A[m, k] · B[k, n]
struct Shape {
  std::int64_t m = 0, n = 0, k = 0;
};

/// Whether the factors lie by rows (n) or by columns (t).
struct Orders {
  bool a_by_columns = false;
  bool b_by_columns = false;

  bool operator==(const Orders&) const = default;
  std::string text() const { return {a_by_columns ? 't' : 'n', b_by_columns ? 't' : 'n'}; }
};

/// A product to time.
struct Case {
  std::string group;   ///< what stands together in a picture
  std::string source;  ///< the .tsr file
  std::string kernel;
  Type type;
  Epilogue epilogue = Epilogue::none;
  Shape shape;
  std::int64_t pitch = 0;  ///< elements between the lines of a factor
  Orders orders;

  std::string shape_text() const;
  std::string name() const { return group + " " + shape_text() + " " + orders.text(); }
};

/// The cases of a file whose names contain one of the words, or all of them if there is no word. Throws.
std::vector<Case> read_cases(const std::string& path, const std::vector<std::string>& words);

}  // namespace bench
