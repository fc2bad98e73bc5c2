# SPDX-License-Identifier: Apache-2.0
# Uses the finished program TESSERA_TESSERAC instead of building the compiler: for machines that have no ANTLR.

if(NOT EXISTS "${TESSERA_TESSERAC}")
  message(FATAL_ERROR "TESSERA_TESSERAC names '${TESSERA_TESSERAC}', which does not exist")
endif()
add_executable(Tessera::tesserac IMPORTED GLOBAL)
set_target_properties(Tessera::tesserac PROPERTIES IMPORTED_LOCATION "${TESSERA_TESSERAC}")
