// SPDX-License-Identifier: Apache-2.0
// Looks at a compiler's output before it is trusted: nvcc has been seen to end with exit code 0 and half a
// file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::driver {

/// What is wrong with a 64-bit little-endian ELF file (shared object or cubin), or nothing: its section table
/// and every section must lie inside the file, and each of `symbols` must be defined in it.
std::optional<std::string> elf_problem(std::string_view bytes, const std::vector<std::string>& symbols);

/// The same for PTX text: a `.version` line, balanced braces and an end after the last of them.
std::optional<std::string> ptx_problem(std::string_view text);

}  // namespace tessera::driver
