// SPDX-License-Identifier: Apache-2.0
// Names that CUDA, C++ and Python have and this language has not: what to write in their place.
#pragma once

#include <string>

#include "sema/context.h"

namespace tessera::sema {

/// Says what stands here for the function `name` of another language: a fix at `span`, or a help. False if it is none.
bool suggest_function(DiagnosticBuilder& report, const std::string& name, Span span);

/// The same for a name that is no function: a constant, an index of a thread, a word.
bool suggest_value(DiagnosticBuilder& report, const std::string& name, Span span);

/// Whether `name` is a module of another language, as in `np.exp(x)`.
bool is_foreign_module(const std::string& name);

}  // namespace tessera::sema
