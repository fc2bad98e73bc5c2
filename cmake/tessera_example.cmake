# SPDX-License-Identifier: Apache-2.0
# tessera_example(<name> KERNELS a.tsr... PROGRAMS main.cpp [main.c] [ARGUMENTS ...] [NAMESPACE ns])
#
# Builds each host program with its kernels for the host twin and, where there is a CUDA compiler, for the GPU:
# <build>/examples/{twin,gpu}/<name> and, for a C program, <name>_c. Each is a test: it exits with a code other than 0 when a
# result is wrong. The target `examples` builds them all.

if(NOT TARGET examples)
  add_custom_target(examples)
endif()

function(tessera_example name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "NAMESPACE" "KERNELS;PROGRAMS;ARGUMENTS")
  if(ARG_UNPARSED_ARGUMENTS OR NOT ARG_KERNELS OR NOT ARG_PROGRAMS)
    message(FATAL_ERROR "tessera_example(${name}): needs KERNELS and PROGRAMS and knows no '${ARG_UNPARSED_ARGUMENTS}'")
  endif()
  _tessera_example_for(twin TWIN)
  if(TESSERA_HAS_CUDA)
    _tessera_example_for(gpu "")
  endif()
endfunction()

# One flavour: kernels and programs. `device` is twin or gpu.
macro(_tessera_example_for device twin)
  set(kernels example_${name}_kernels_${device})
  set(namespace "")
  if(ARG_NAMESPACE)
    set(namespace NAMESPACE ${ARG_NAMESPACE})
  endif()
  add_tessera_kernel(${kernels} SOURCES ${ARG_KERNELS} ${namespace} ${twin})
  foreach(program IN LISTS ARG_PROGRAMS)
    set(suffix "")
    if(program MATCHES "\\.c$")
      set(suffix "_c")
    endif()
    set(target example_${name}${suffix}_${device})
    add_executable(${target} ${program})
    target_link_libraries(${target} PRIVATE ${kernels} tessera_flags)
    set_target_properties(${target} PROPERTIES
      OUTPUT_NAME ${name}${suffix}
      RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/examples/${device}"
      LINKER_LANGUAGE CXX)  # the launchers are C++, whatever calls them
    add_dependencies(examples ${target})
    if(TESSERA_BUILD_TESTS)
      add_test(NAME example_${name}${suffix}_${device} COMMAND ${target} ${ARG_ARGUMENTS})
      set_tests_properties(example_${name}${suffix}_${device} PROPERTIES LABELS example TIMEOUT 300)
      if("${device}" STREQUAL "gpu")
        set_tests_properties(example_${name}${suffix}_${device} PROPERTIES LABELS "example;gpu" RESOURCE_LOCK gpu)
      endif()
    endif()
  endforeach()
endmacro()
