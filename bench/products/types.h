// SPDX-License-Identifier: Apache-2.0
// The types of products: what factors and results are, how far from f64 a result may be, what a chip promises.
#pragma once

#include <string>

namespace bench {

/// A row of the table: how a product multiplies.
struct Type {
  const char* name;  ///< as cases say it
  int factor;        ///< of TesseraDType
  int result;        ///< of TesseraDType
  int factor_bytes;
  int result_bytes;
  double result_unit;   ///< a result may be wrong by this much of itself: one unit in the last place
  double product_unit;  ///< and by this much of the root of the sum of its squared terms,
  double sum_unit;      ///< and by this much of that for each term
  double peak_80;       ///< TFLOP/s of dense factors, as the data sheet of the A100 has it
  double peak_90;       ///< and that of the H100 SXM, which is the H200's
};

/// The type of that name; throws where there is none.
const Type& type_of(const std::string& name);

}  // namespace bench
