// SPDX-License-Identifier: Apache-2.0
// .npy files, the array format of NumPy: versions 1.0 and 2.0, little endian, C order.
//
// NumPy has no bf16 and no fp8: they travel as `<u2` and `|u1`, their bits. Reading gives u16 and u8, and
// `reinterpreted` makes the intended type of it.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "interp/array.h"

namespace tessera::interp {

/// The array in a file's bytes, or a sentence that says why there is none.
std::variant<Array, std::string> parse_npy(const std::string& bytes);
/// The bytes of a file that holds the array, version 1.0.
std::string format_npy(const Array& array);

/// The same over files. `read_npy` names the path in its sentence; `write_npy` returns a sentence on failure.
std::variant<Array, std::string> read_npy(const std::string& path);
std::optional<std::string> write_npy(const std::string& path, const Array& array);

/// The array as `dtype`: itself, or its bits when they travelled as unsigned integers, or a sentence.
std::variant<Array, std::string> reinterpreted(Array array, DType dtype);

}  // namespace tessera::interp
