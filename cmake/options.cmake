# SPDX-License-Identifier: Apache-2.0
# Every choice a user has, in one place. Presets in CMakePresets.json set the usual combinations.

option(TESSERA_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(TESSERA_BUILD_EXAMPLES "Build the example programs" ${PROJECT_IS_TOP_LEVEL})
option(TESSERA_BUILD_BENCHMARKS "Build the benchmark programs" OFF)
option(TESSERA_WARNINGS_AS_ERRORS "Treat warnings of our own sources as errors" ${PROJECT_IS_TOP_LEVEL})

set(TESSERA_SANITIZE "" CACHE STRING "Sanitizers for every C++ target, as -fsanitize= takes them (address,undefined)")
option(TESSERA_FUZZ "Build the libFuzzer programs of tests/fuzz_frontend instead of the tests (Clang, TESSERA_SANITIZE)" OFF)
option(TESSERA_FUZZ_TESTS "Build those programs, and fuzz for some minutes, as tests" OFF)
set(TESSERA_TESSERAC "" CACHE FILEPATH
  "A finished tesserac; then only the runtime, the kernels and their tests are built")
set(TESSERA_CUDA "AUTO" CACHE STRING "Compile kernels with nvcc: AUTO (when a toolkit is found), ON or OFF")
set_property(CACHE TESSERA_CUDA PROPERTY STRINGS AUTO ON OFF)

# An unoptimised build is asked for, never met by accident.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# Compiling the same text twice is common here (several build folders, fresh clones).
find_program(TESSERA_CCACHE ccache)
mark_as_advanced(TESSERA_CCACHE)
if(TESSERA_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${TESSERA_CCACHE}" CACHE STRING "Launcher of the C++ compiler")
endif()
