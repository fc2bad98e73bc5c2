# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT, a C++ file that holds the files of the runtime as a table from path to text.
# Call: cmake -DRUNTIME_DIR=<runtime> -DOUTPUT=<file.cpp> -P embed_runtime.cmake
file(GLOB_RECURSE files RELATIVE "${RUNTIME_DIR}"
  "${RUNTIME_DIR}/include/*" "${RUNTIME_DIR}/src/*" "${RUNTIME_DIR}/tools/*")
list(FILTER files EXCLUDE REGEX "(README\\.md|CMakeLists\\.txt)$")
list(SORT files)
file(WRITE "${OUTPUT}.new" "// Made from runtime/ by src/driver/embed_runtime.cmake.
#include \"driver/runtime_files.h\"

namespace tessera::driver {

namespace {
constexpr RuntimeFile kRuntimeFiles[] = {
")
foreach(path IN LISTS files)
  file(READ "${RUNTIME_DIR}/${path}" text)
  file(APPEND "${OUTPUT}.new" "  {\"${path}\", R\"~runtime~(${text})~runtime~\"},\n")
endforeach()
file(APPEND "${OUTPUT}.new" "};
}  // namespace

std::span<const RuntimeFile> runtime_files() { return kRuntimeFiles; }

}  // namespace tessera::driver
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
