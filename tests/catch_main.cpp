// SPDX-License-Identifier: Apache-2.0
// The `main` of every unit test, compiled once. Version 3 of Catch2 brings its own as a library.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif
