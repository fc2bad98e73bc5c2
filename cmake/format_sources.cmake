# SPDX-License-Identifier: Apache-2.0
# Runs clang-format over the tracked C++ and CUDA sources: MODE=format rewrites them, MODE=format-check fails on a difference.

execute_process(
  COMMAND git ls-files -- "*.h" "*.cpp" "*.cu" "*.cuh"
  OUTPUT_VARIABLE sources OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" sources "${sources}")
if(MODE STREQUAL "format-check")
  set(action --dry-run -Werror)
else()
  set(action -i)
endif()
execute_process(COMMAND ${CLANG_FORMAT} ${action} ${sources} RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "clang-format: differences; the target `format` mends them")
endif()
