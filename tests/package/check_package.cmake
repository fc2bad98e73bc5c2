# SPDX-License-Identifier: Apache-2.0
# Installs, uses and rebuilds; see README.md. Run by CTest with -D definitions, see CMakeLists.txt.
cmake_minimum_required(VERSION 3.21)

# Runs a command; what it printed is in `output`. Stops the test when it fails.
function(run title)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${title}: exit code ${result}\n${text}")
  endif()
  set(output "${text}" PARENT_SCOPE)
endfunction()

function(build title)
  run("${title}" "${CMAKE_COMMAND}" --build "${WORK}/build" --verbose)
  set(output "${output}" PARENT_SCOPE)
endfunction()

# expect(<title> <condition>...): the condition as if() takes it.
function(expect title)
  if(NOT (${ARGN}))
    message(FATAL_ERROR "not so: ${title} (${ARGN})\n${output}")
  endif()
endfunction()

# How many compilations of generated kernels, and how many runs of tesserac, the last build shows.
function(count_work)
  string(REGEX MATCHALL "-c [^\n]*scale\\.sm_[0-9]+\\.cu" compiled "${output}")
  string(REGEX MATCHALL "bin/tesserac" generated "${output}")
  list(LENGTH compiled compiled)
  list(LENGTH generated generated)
  set(compiled ${compiled} PARENT_SCOPE)
  set(generated ${generated} PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
file(COPY "${PROJECT}/" DESTINATION "${WORK}/my project")  # a path with a space
run("install" "${CMAKE_COMMAND}" --install "${TESSERA_BUILD}" --prefix "${WORK}/first place")
file(RENAME "${WORK}/first place" "${WORK}/prefix")

set(cuda -DOUTSIDE_CUDA=OFF)
if(FLAVOUR STREQUAL "cuda")
  set(cuda -DOUTSIDE_CUDA=ON "-DCMAKE_CUDA_COMPILER=${NVCC}" "-DCMAKE_CUDA_FLAGS=--use_fast_math")
endif()
run("configure" "${CMAKE_COMMAND}" -S "${WORK}/my project" -B "${WORK}/build" -G "${GENERATOR}"
  "-DCMAKE_PREFIX_PATH=${WORK}/prefix" "-DCMAKE_CXX_COMPILER=${CXX}" -DCMAKE_BUILD_TYPE=Release
  "-DCMAKE_CXX_FLAGS=-ffp-contract=fast ${CXX_FLAGS}" ${cuda})

build("first build")
count_work()
expect("the first build compiles a kernel file per architecture" ${compiled} GREATER_EQUAL 2)
if(FLAVOUR STREQUAL "cuda")
  expect("generated CUDA is compiled without contraction" output MATCHES "use_fast_math.*-fmad=false")
else()
  expect("generated code is compiled without contraction" output MATCHES "-ffp-contract=fast.*-ffp-contract=off")
  run("the program" "${WORK}/build/outside")
  message(STATUS "${output}")
endif()

build("second build")
count_work()
expect("a build without a change does nothing" ${generated} EQUAL 0 AND ${compiled} EQUAL 0)

# Ninja compares times to the nanosecond, but some file systems keep coarser ones.
execute_process(COMMAND "${CMAKE_COMMAND}" -E sleep 1)
file(TOUCH "${WORK}/my project/scale.tsr")
build("after a touch")
count_work()
expect("a touched source runs tesserac" ${generated} GREATER_EQUAL 1)
if(GENERATOR MATCHES "Ninja")
  expect("the same text compiles nothing" ${compiled} EQUAL 0)
endif()

file(READ "${WORK}/my project/scale.tsr" source)
string(REPLACE "+ 1;" "+ 2;" source "${source}")
execute_process(COMMAND "${CMAKE_COMMAND}" -E sleep 1)
file(WRITE "${WORK}/my project/scale.tsr" "${source}")
build("after a change")
count_work()
expect("a changed source compiles its kernels" ${compiled} GREATER_EQUAL 2)
if(FLAVOUR STREQUAL "twin")
  execute_process(COMMAND "${WORK}/build/outside" RESULT_VARIABLE result)
  expect("the program notices the new kernel" NOT ${result} EQUAL 0)
endif()
message(STATUS "${FLAVOUR}: install, use and rebuild as expected")
