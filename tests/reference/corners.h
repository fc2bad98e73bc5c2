// SPDX-License-Identifier: Apache-2.0
// What the cases of tests/corners share.
#pragma once

#include "reference.h"

namespace tessera::reference {

using std::int64_t;

inline TensorSpec small(std::string name, std::vector<std::string> dims) {
  return input(std::move(name), "i32", std::move(dims), -9, 9);
}

inline TensorSpec result(std::string name, std::vector<std::string> dims) {
  return output(std::move(name), "i32", std::move(dims));
}

inline Case corner(const char* file, const char* kernel, std::vector<std::string> symbols,
                   std::vector<TensorSpec> tensors, void reference(Problem&)) {
  return {
      .name = kernel,
      .file = std::string("tests/corners/") + file,
      .kernel = kernel,
      .symbols = std::move(symbols),
      .tensors = std::move(tensors),
      .reference = reference,
  };
}

inline bool has_columns(const Sizes& sizes) { return sizes.at("C") >= 1; }

inline int64_t around(int64_t i, int64_t extent) { return (i % extent + extent) % extent; }

/// Cases of tests/corners/lines.tsr.
void add_line_cases(std::vector<Case>& cases);
/// Cases of tests/corners/products.tsr.
void add_product_cases(std::vector<Case>& cases);

/// Cases of tests/corners/relations.tsr.
void add_relation_cases(std::vector<Case>& cases);

}  // namespace tessera::reference
