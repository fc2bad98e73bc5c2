# SPDX-License-Identifier: Apache-2.0
# add_existing_subdirectory(): a folder joins the build as soon as it has a CMakeLists.txt.

function(add_existing_subdirectory folder)
  if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt")
    add_subdirectory("${folder}")
  endif()
endfunction()
