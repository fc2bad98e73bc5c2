// SPDX-License-Identifier: Apache-2.0
// The long texts behind `tesserac --explain`, embedded from docs/diagnostics/ when the compiler is built.
#pragma once

#include <optional>
#include <string_view>

#include "base/diagnostics.h"

namespace tessera {

/// The explanation of a diagnostic in Markdown, with a program that fails and how to mend it; absent if
/// docs/diagnostics/ has none (a test fails then).
std::optional<std::string_view> explanation(Diag kind);

/// The explanation for a code or a slug as a user types it.
std::optional<std::string_view> explain(std::string_view code_or_slug);

}  // namespace tessera
