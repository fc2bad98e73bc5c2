/* SPDX-License-Identifier: Apache-2.0 */
/* What test_abi.c, which is C, shows of itself to the tests in C++. */
#ifndef TESSERA_TESTS_TEST_ABI_H
#define TESSERA_TESTS_TEST_ABI_H

#include "tessera/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Writes the message of a refused launch; returns its length. */
int test_abi_message(char* buffer, size_t size);

/** The rank of a tensor that crosses from C++ to C by value. */
int test_abi_rank(TesseraTensor tensor);

/** All zeros, except for the variant where it is not negative. */
TesseraLaunch test_abi_launch(int variant);

#ifdef __cplusplus
}
#endif

#endif
