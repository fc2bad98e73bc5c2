# SPDX-License-Identifier: Apache-2.0
# Commands of every day as targets: `format` rewrites, `format-check` only looks, `tidy` runs the linter.

find_program(TESSERA_CLANG_FORMAT clang-format)
find_program(TESSERA_RUN_CLANG_TIDY NAMES run-clang-tidy run-clang-tidy-14)
mark_as_advanced(TESSERA_CLANG_FORMAT TESSERA_RUN_CLANG_TIDY)

if(TESSERA_CLANG_FORMAT AND PROJECT_IS_TOP_LEVEL)
  set(format_script "${CMAKE_CURRENT_SOURCE_DIR}/cmake/format_sources.cmake")
  foreach(mode IN ITEMS format format-check)
    add_custom_target(${mode}
      COMMAND ${CMAKE_COMMAND} -DMODE=${mode} -DCLANG_FORMAT=${TESSERA_CLANG_FORMAT} -P ${format_script}
      WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
      USES_TERMINAL VERBATIM)
  endforeach()
endif()
if(TESSERA_RUN_CLANG_TIDY AND PROJECT_IS_TOP_LEVEL)
  add_custom_target(tidy
    COMMAND ${TESSERA_RUN_CLANG_TIDY} -quiet -p ${CMAKE_CURRENT_BINARY_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/src/
    USES_TERMINAL VERBATIM)
endif()
