# SPDX-License-Identifier: Apache-2.0
# Enables the CUDA language where a toolkit is found. Without one, kernels are compiled for the host twin only.

set(TESSERA_DEFAULT_ARCHITECTURES 80 90 CACHE STRING "Architectures that kernels are compiled for by default")

set(TESSERA_HAS_CUDA OFF)
if(NOT TESSERA_CUDA STREQUAL "OFF")
  # nvcc is often installed outside of PATH.
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(TESSERA_NVCC nvcc HINTS ENV CUDA_PATH ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES bin)
    mark_as_advanced(TESSERA_NVCC)
    if(TESSERA_NVCC)
      set(ENV{CUDACXX} "${TESSERA_NVCC}")
    endif()
  endif()
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    # Set before the language is enabled: an older CMake would probe with an architecture nvcc no longer has.
    set(CMAKE_CUDA_ARCHITECTURES ${TESSERA_DEFAULT_ARCHITECTURES})
  endif()
  include(CheckLanguage)
  check_language(CUDA)  # an nvcc that does not work with this host compiler counts as none
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    set(TESSERA_HAS_CUDA ON)
    if(TESSERA_CCACHE AND NOT DEFINED CMAKE_CUDA_COMPILER_LAUNCHER)
      set(CMAKE_CUDA_COMPILER_LAUNCHER "${TESSERA_CCACHE}" CACHE STRING "Launcher of the CUDA compiler")
    endif()
  elseif(TESSERA_CUDA STREQUAL "ON")
    message(FATAL_ERROR "TESSERA_CUDA is ON, but no CUDA compiler was found (set CMAKE_CUDA_COMPILER or CUDACXX)")
  endif()
endif()

if(TESSERA_HAS_CUDA)
  message(STATUS "Tessera: kernels are compiled by ${CMAKE_CUDA_COMPILER} (${CMAKE_CUDA_COMPILER_VERSION})")
else()
  message(STATUS "Tessera: no CUDA compiler; kernels are compiled for the host twin")
endif()
