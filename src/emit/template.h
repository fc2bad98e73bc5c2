// SPDX-License-Identifier: Apache-2.0
// Skeletons of generated files: real C++ with slots, each a whole line `//@ NAME`.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace tessera::emit {

/// The files of templates/ by name, embedded at build time.
const std::map<std::string_view, std::string_view>& embedded_templates();

/// The template with every slot replaced. A slot without a text, and a text without a slot, are internal errors.
std::string fill_template(std::string_view name, const std::map<std::string, std::string>& slots);

}  // namespace tessera::emit
