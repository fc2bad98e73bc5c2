// SPDX-License-Identifier: Apache-2.0
// The one way for a test to include Catch2: version 3 where it is installed, version 2 otherwise (Debian 12).
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
