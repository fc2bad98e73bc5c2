# SPDX-License-Identifier: Apache-2.0
# tessera_test(<name> SOURCES a.cpp... [LIBRARIES tessera_base...] [LABELS unit] [TIMEOUT seconds] [ARGUMENTS ...])
#
# Builds the Catch2 program test_<name> (a leading `test_` in <name> is not doubled) and registers it with CTest.
# Sources may include "catch.h" and, as "src/...", any header of the project. Labels: `unit` (default) runs in seconds;
# `slow` takes longer; `gpu` needs a device. A test runs at most TIMEOUT seconds (default 300).

function(tessera_test name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "TIMEOUT" "SOURCES;LIBRARIES;LABELS;ARGUMENTS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tessera_test(${name}): unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  string(REGEX REPLACE "^test_" "" name "${name}")
  add_executable(test_${name} ${ARG_SOURCES})
  target_link_libraries(test_${name} PRIVATE ${ARG_LIBRARIES} tessera_catch)
  target_include_directories(test_${name} PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/tests")
  # Tests find their inputs here and never depend on the folder they are started from.
  target_compile_definitions(test_${name} PRIVATE TESSERA_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  add_test(NAME ${name} COMMAND test_${name} ${ARG_ARGUMENTS})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT})
endfunction()
