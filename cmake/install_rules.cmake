# SPDX-License-Identifier: Apache-2.0
# `cmake --install`: the compiler, the runtime, and the package files that make find_package(Tessera) work.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Tessera")

install(PROGRAMS "$<TARGET_FILE:Tessera::tesserac>" DESTINATION "${CMAKE_INSTALL_BINDIR}" RENAME tesserac)
install(DIRECTORY runtime/include/ DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(TARGETS tessera_runtime tessera_twin EXPORT TesseraTargets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT TesseraTargets NAMESPACE Tessera:: DESTINATION "${package_dir}")

configure_package_config_file(cmake/TesseraConfig.cmake.in "${CMAKE_CURRENT_BINARY_DIR}/TesseraConfig.cmake"
  INSTALL_DESTINATION "${package_dir}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/TesseraConfigVersion.cmake"
  COMPATIBILITY SameMajorVersion)
install(FILES
  "${CMAKE_CURRENT_BINARY_DIR}/TesseraConfig.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/TesseraConfigVersion.cmake"
  cmake/AddTesseraKernel.cmake
  DESTINATION "${package_dir}")
install(FILES LICENSE README.md CHANGELOG.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
