// SPDX-License-Identifier: Apache-2.0
// Finds the explanation of a diagnostic among the embedded pages.
#include "base/explain.h"

#include "base/embedded_explanations.h"

namespace tessera {

std::optional<std::string_view> explanation(Diag kind) {
  for (const auto& page : detail::embedded_explanations()) {
    if (page.code == info(kind).code) return page.text;
  }
  return std::nullopt;
}

std::optional<std::string_view> explain(std::string_view code_or_slug) {
  const auto kind = diagnostic_from_name(code_or_slug);
  return kind ? explanation(*kind) : std::nullopt;
}

}  // namespace tessera
