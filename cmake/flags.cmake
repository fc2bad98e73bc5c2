# SPDX-License-Identifier: Apache-2.0
# The interface target `tessera_flags`: language standard, warnings, sanitizers for the project's own C++ sources.
# src/CMakeLists.txt and tests/CMakeLists.txt link it to everything below them, so no folder names it again.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)  # kernels may end up in shared objects

add_library(tessera_flags INTERFACE)
target_compile_options(tessera_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra>
  # The interpreter and the host twin promise the bits of the GPU: no silent a * b + c.
  $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>)
# GCC 12 warns of overlapping copies in `"text" + std::string(…)` (GCC bug 105651) and of uninitialised members of
# std::variant, where there are none.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(tessera_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict;-Wno-maybe-uninitialized>)
endif()
# In generated code what a guard kept a thread from writing, the same guard keeps it from reading; in unrolled loops GCC
# loses sight of that.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(tessera_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-uninitialized>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping copies in `"text" + string` at -O3 (its bug 105651).
  target_compile_options(tessera_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
# Clang 14 ends temporaries too late that a `consteval` constructor had a part in, such as builders of diagnostics, also
# on paths where they never began. GCC checks their arguments.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 15)
  target_compile_options(tessera_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Dconsteval=constexpr>)
endif()
if(TESSERA_WARNINGS_AS_ERRORS)
  target_compile_options(tessera_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()

# Sanitizers must reach every object that meets another, so they are set for the whole tree.
if(TESSERA_SANITIZE)
  add_compile_options(
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${TESSERA_SANITIZE}>
    $<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer>
    $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=all>)
  add_link_options(-fsanitize=${TESSERA_SANITIZE})
endif()
if(TESSERA_FUZZ)
  # What asks for most of the code and finds nothing here that the address sanitizer does not: null, alignment and sizes
  # of objects. Edges alone guide the fuzzers; comparisons, of which a compiler has many, cost more than they tell.
  add_compile_options(
    $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=null,alignment,object-size>
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize-coverage=inline-8bit-counters,pc-table>)
  # Whoever starts a fuzzer waits for this build, and reading these headers is a quarter of it.
  target_precompile_headers(tessera_flags INTERFACE
    <algorithm> <functional> <map> <memory> <optional> <set> <string> <string_view> <utility> <variant> <vector>
    <fmt/format.h> <fmt/ranges.h>)
endif()
