# SPDX-License-Identifier: Apache-2.0
#[=======================================================================[
add_tessera_kernel(<target>
  SOURCES <a.tsr>...              # each becomes a.h, a.dispatch.cpp and one a.sm_NN.cu per architecture
  [ARCHITECTURES <80> <90>...]    # default: TESSERA_ARCHITECTURES, else CMAKE_CUDA_ARCHITECTURES, else 80 90
  [TYPE STATIC|SHARED|OBJECT|INTERFACE|SOURCES]   # default STATIC
  [NAMESPACE <ns>]                # C++ namespace of the launchers
  [HEADER <name.h>]               # one more header that includes every generated one
  [TWIN]                          # compile for the host twin although CUDA is there
  [OPTIONS <flag>...]             # passed on to tesserac
  [DEPENDS <file-or-target>...]
  [OUT_SOURCES <var>] [OUT_HEADERS <var>])

Compiles kernels as part of a CMake build. The library carries its headers, the runtime and the flags on which the
results depend; a target that links it needs nothing else:

  find_package(Tessera REQUIRED)
  add_tessera_kernel(kernels SOURCES softmax.tsr NAMESPACE app)
  target_link_libraries(app PRIVATE kernels)

Device or twin. If the project has enabled the CUDA language, nvcc compiles each a.sm_NN.cu for its own
architecture alone. Otherwise, or with TWIN, the C++ compiler compiles the same files and the kernels run on the host
twin: tensors live in host memory and no GPU is needed. `<target>` has the property TESSERA_TWIN accordingly.

Architectures. 86 and 89 take the code of 80: within a major version, code runs upwards. 90 stands for 90a, which chips of
compute capability 9.0 run, and for PTX that later ones run.

TYPE. OBJECT puts the objects into whoever links the library directly; INTERFACE does so through any number of
libraries; SOURCES compiles nothing: `<target>` generates, OUT_SOURCES lists what to compile (with the flags set as source
properties in this folder), and OUT_SOURCES_NN the part for architecture NN, whose target should have CUDA_ARCHITECTURES NN.

Flags. R24 of the language fixes the rounding of every operation, so generated files are compiled without
contraction and fast-math (-fmad=false, -ffp-contract=off), whatever the project's own flags say. nvcc warns of
registers that are spilled, which mostly requested tiles cause; with TESSERA_WARNINGS_AS_ERRORS that is an error.
#]=======================================================================]
include_guard(GLOBAL)

# What R24 asks of nvcc and of the host compiler. Placed after the project's own flags, they win. The language
# standard is an option too: older releases of CMake know no CUDA_STANDARD 20 for newer releases of nvcc.
set(TESSERA_CUDA_OPTIONS -std=c++20 -fmad=false -ftz=false -prec-div=true -prec-sqrt=true -Xcompiler=-ffp-contract=off
  CACHE INTERNAL "Flags that generated CUDA sources need")
set(TESSERA_HOST_OPTIONS -ffp-contract=off -fno-fast-math
  CACHE INTERNAL "Flags that generated sources need from the C++ compiler")

function(add_tessera_kernel target)
  # In `TYPE SOURCES` the value is spelled like a keyword, so it gets another name before the keywords are looked for.
  string(REGEX REPLACE "(^|;)TYPE;SOURCES(;|$)" "\\1TYPE;only_sources\\2" arguments "${ARGN}")
  cmake_parse_arguments(ARG "TWIN" "NAMESPACE;TYPE;HEADER;OUT_SOURCES;OUT_HEADERS"
    "SOURCES;ARCHITECTURES;OPTIONS;DEPENDS" ${arguments})
  _tessera_check_arguments("${target}")
  _tessera_architectures()

  set(twin ON)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if("CUDA" IN_LIST languages AND NOT ARG_TWIN)
    set(twin OFF)
  endif()

  # One folder per target: the same .tsr may be compiled for the device in one and for the twin in another.
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/tessera_kernels/${target}")
  file(MAKE_DIRECTORY "${folder}")
  set(headers "")
  set(dispatchers "")
  set(kernels "")
  foreach(source IN LISTS ARG_SOURCES)
    _tessera_generate("${source}" "${folder}")  # appends to headers, dispatchers, kernels, kernels_NN
  endforeach()
  if(ARG_HEADER)
    _tessera_umbrella_header("${folder}/${ARG_HEADER}" "${headers}")
  endif()
  _tessera_set_flags()

  if(ARG_TYPE STREQUAL "only_sources")
    add_custom_target(${target} DEPENDS ${headers} ${dispatchers} ${kernels})
  else()
    _tessera_add_library()
  endif()
  set_target_properties(${target} PROPERTIES TESSERA_TWIN ${twin})

  if(ARG_OUT_HEADERS)
    set(${ARG_OUT_HEADERS} ${headers} PARENT_SCOPE)
  endif()
  if(ARG_OUT_SOURCES)
    set(${ARG_OUT_SOURCES} ${dispatchers} ${kernels} PARENT_SCOPE)
    foreach(family IN LISTS families)
      set(${ARG_OUT_SOURCES}_${family} ${kernels_${family}} PARENT_SCOPE)
    endforeach()
  endif()
endfunction()

# The helpers are macros: they read ARG_* of the call and set its variables.

macro(_tessera_check_arguments target)
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "add_tessera_kernel(${target}): unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(ARG_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "add_tessera_kernel(${target}): no value after: ${ARG_KEYWORDS_MISSING_VALUES}")
  endif()
  if(NOT ARG_SOURCES)
    message(FATAL_ERROR "add_tessera_kernel(${target}): SOURCES is empty")
  endif()
  if(NOT ARG_TYPE)
    set(ARG_TYPE STATIC)
  endif()
  if(NOT ARG_TYPE MATCHES "^(STATIC|SHARED|OBJECT|INTERFACE|only_sources)$")
    message(FATAL_ERROR "add_tessera_kernel(${target}): TYPE is STATIC, SHARED, OBJECT, INTERFACE or SOURCES, not ${ARG_TYPE}")
  endif()
  if(NOT TARGET Tessera::tesserac)
    message(FATAL_ERROR "add_tessera_kernel(${target}): the compiler is not there (Tessera::tesserac)")
  endif()
endmacro()

# Sets families, the generated files that the architectures need (86 90a: 80 90), and members_NN, what compiles each.
macro(_tessera_architectures)
  set(architectures ${ARG_ARCHITECTURES})
  if(NOT architectures)
    set(architectures ${TESSERA_ARCHITECTURES})
  endif()
  if(NOT architectures AND CMAKE_CUDA_ARCHITECTURES MATCHES "^[0-9]")
    set(architectures ${CMAKE_CUDA_ARCHITECTURES})
  endif()
  if(NOT architectures)
    set(architectures 80 90)  # also for `native` and `all-major`, which name no number
  endif()
  set(families "")
  foreach(architecture IN LISTS architectures)
    if(NOT architecture MATCHES "^([0-9]+)[0-9][af]?(-real|-virtual)?$")
      message(FATAL_ERROR "add_tessera_kernel(${target}): '${architecture}' is not an architecture; write 80 or 90a")
    endif()
    set(family "${CMAKE_MATCH_1}0")
    list(APPEND families ${family})
    # Products of warpgroups are there in code for 90a alone, and only that for 90 runs on later chips.
    if(architecture MATCHES "^90(-real|-virtual)?$")
      list(APPEND members_90 90a-real)
      string(REGEX REPLACE "^90$" "90-virtual" architecture ${architecture})
    endif()
    if(NOT architecture STREQUAL "90-real")
      list(APPEND members_${family} ${architecture})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES families)
  foreach(family IN LISTS families)
    list(REMOVE_DUPLICATES members_${family})
  endforeach()
endmacro()

# The rule that runs tesserac on one source. The depfile names every file that it read.
macro(_tessera_generate source folder)
  get_filename_component(input "${source}" ABSOLUTE)
  get_filename_component(stem "${source}" NAME_WLE)
  set(outputs "${folder}/${stem}.h" "${folder}/${stem}.dispatch.cpp")
  list(APPEND headers "${folder}/${stem}.h")
  list(APPEND dispatchers "${folder}/${stem}.dispatch.cpp")
  foreach(family IN LISTS families)
    list(APPEND outputs "${folder}/${stem}.sm_${family}.cu")
    list(APPEND kernels "${folder}/${stem}.sm_${family}.cu")
    list(APPEND kernels_${family} "${folder}/${stem}.sm_${family}.cu")
  endforeach()
  list(TRANSFORM families PREPEND "sm_" OUTPUT_VARIABLE targets)
  list(JOIN targets "," targets)

  set(command "${input}" -o "${folder}/" --arch=${targets} -MD -MF "${folder}/${stem}.d")
  if(ARG_NAMESPACE)
    list(APPEND command --namespace=${ARG_NAMESPACE})
  endif()
  # tesserac leaves a file alone that would not change, so that nvcc has nothing to do. Ninja understands that; for
  # Make the files must be newer than what they come from.
  set(touch "")
  if(NOT CMAKE_GENERATOR MATCHES "Ninja")
    set(touch COMMAND "${CMAKE_COMMAND}" -E touch ${outputs})
  endif()
  add_custom_command(
    OUTPUT ${outputs}
    COMMAND Tessera::tesserac ${command} ${ARG_OPTIONS}
    ${touch}
    DEPENDS "${input}" "$<TARGET_FILE:Tessera::tesserac>" ${ARG_DEPENDS}
    DEPFILE "${folder}/${stem}.d"
    COMMENT "tesserac ${stem}.tsr"
    VERBATIM)
endmacro()

macro(_tessera_umbrella_header path generated)
  set(umbrella "// Every kernel of the CMake target ${target}.\n#pragma once\n\n")
  foreach(header IN ITEMS ${generated})
    get_filename_component(header "${header}" NAME)
    string(APPEND umbrella "#include \"${header}\"\n")
  endforeach()
  file(CONFIGURE OUTPUT "${path}" CONTENT "${umbrella}" @ONLY)
  list(APPEND headers "${path}")
endmacro()

# Flags as properties of the generated files: they hold in whichever target of this folder compiles them.
macro(_tessera_set_flags)
  set_source_files_properties(${dispatchers} PROPERTIES COMPILE_OPTIONS "${TESSERA_HOST_OPTIONS}")
  if(twin)
    set_source_files_properties(${kernels} PROPERTIES
      LANGUAGE CXX COMPILE_OPTIONS "-x;c++;${TESSERA_HOST_OPTIONS}")
  else()
    # The variants of a kernel are functions of one file: ptxas takes them in parallel, with the same machine code.
    set(assembler "")
    if(CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA")
      list(APPEND assembler -Xptxas=--warn-on-spills)
      if(TESSERA_WARNINGS_AS_ERRORS)
        list(APPEND assembler -Xptxas=--warning-as-error)
      endif()
      if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.1)
        list(APPEND assembler --split-compile=0)
      endif()
    endif()
    set_source_files_properties(${kernels} PROPERTIES
      LANGUAGE CUDA COMPILE_OPTIONS "${TESSERA_CUDA_OPTIONS};${assembler}")
  endif()
endmacro()

# The library, of the objects of each architecture and the dispatchers.
macro(_tessera_add_library)
  set(runtime Tessera::runtime)
  if(twin)
    set(runtime Tessera::twin)
  endif()

  set(objects "")
  if(NOT twin)
    foreach(family IN LISTS families)
      set(part ${target}_sm_${family})
      add_library(${part} OBJECT ${kernels_${family}})
      # The project's C++ standard becomes that of CUDA, too; where CMake knows no flag for it, ours does.
      set_target_properties(${part} PROPERTIES
        CUDA_ARCHITECTURES "${members_${family}}" CUDA_STANDARD_REQUIRED OFF CXX_STANDARD_REQUIRED OFF)
      _tessera_configure(${part})
      list(APPEND objects $<TARGET_OBJECTS:${part}>)
    endforeach()
  endif()

  set(owner ${target})
  if(ARG_TYPE STREQUAL "INTERFACE")
    set(owner ${target}_objects)
    add_library(${target} INTERFACE)
    add_library(${owner} OBJECT)
    target_sources(${target} INTERFACE $<TARGET_OBJECTS:${owner}> ${objects})
    target_include_directories(${target} INTERFACE "$<BUILD_INTERFACE:${folder}>")
    target_link_libraries(${target} INTERFACE ${runtime})
    add_dependencies(${target} ${owner})
  elseif(ARG_TYPE STREQUAL "OBJECT")
    # An object library hands on its own objects only, so those of its parts travel as sources.
    add_library(${owner} OBJECT)
    target_sources(${owner} INTERFACE ${objects})
  else()
    add_library(${owner} ${ARG_TYPE} ${objects})
  endif()
  target_sources(${owner} PRIVATE ${dispatchers} ${headers})
  if(twin)
    target_sources(${owner} PRIVATE ${kernels})
  endif()
  _tessera_configure(${owner})
endmacro()

macro(_tessera_configure library)
  target_compile_features(${library} PUBLIC cxx_std_20)
  target_include_directories(${library} PUBLIC "$<BUILD_INTERFACE:${folder}>")
  target_link_libraries(${library} PUBLIC ${runtime})
  set_target_properties(${library} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(NOT twin)
    find_package(CUDAToolkit REQUIRED)
    target_link_libraries(${library} PUBLIC CUDA::cudart_static)
  endif()
endmacro()
