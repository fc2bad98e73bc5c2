// SPDX-License-Identifier: Apache-2.0
// The table that cmake/embed_explanations.cmake makes from docs/diagnostics/.
#pragma once

#include <span>
#include <string_view>

namespace tessera::detail {

struct EmbeddedExplanation {
  std::string_view code;
  std::string_view text;
};

/// One row per page, sorted by code.
std::span<const EmbeddedExplanation> embedded_explanations();

}  // namespace tessera::detail
