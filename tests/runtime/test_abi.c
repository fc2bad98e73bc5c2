/* SPDX-License-Identifier: Apache-2.0 */
/* The headers of the C interface, compiled as C11. */
#include "test_abi.h"

int test_abi_message(char* buffer, size_t size) {
  const TesseraStatus status = {TESSERA_WRONG_EXTENT, 1, 0, 0, 7, 8, "softmax", "y", "R"};
  return tessera_status_message(&status, buffer, size);
}

int test_abi_rank(TesseraTensor tensor) {
  const TesseraScalar scalar = {.integer = tensor.rank};
  return (int)scalar.integer;
}

TesseraLaunch test_abi_launch(int variant) {
  TesseraLaunch launch = {0};
  if (variant >= 0) launch.variant = TESSERA_VARIANT(variant);
  return launch;
}
