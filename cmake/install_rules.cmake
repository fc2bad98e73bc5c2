# SPDX-License-Identifier: Apache-2.0
# `cmake --install`: the compiler, the runtime, and the package files that make find_package(Tessera) work.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Tessera")
