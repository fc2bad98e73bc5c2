// SPDX-License-Identifier: Apache-2.0
// The checker and the interpreter on generated programs, and the comparison with the independent evaluation.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostics.h"
#include "fuzz/evaluate.h"
#include "sema/ir/module.h"

namespace tessera::fuzz {

/// A program that went through the front end and the checker.
struct Checked {
  std::string text;
  SourceManager sources;
  std::optional<ir::Module> module;
  std::string refusal;  ///< "T0512: …" of the first error; "internal" where the compiler broke
};

/// Never throws: what the compiler throws is a refusal that begins with "internal".
void check_program(const Program& program, Checked& checked);

/// Codes and messages of the errors.
std::string errors_of(const DiagnosticSink& sink);

/// Runs the interpreter at some partitions; what is wrong with it, or nothing.
std::string judge_interpreter(const Program& program, const ir::Kernel& kernel, int problem,
                              const Expected& expected);

}  // namespace tessera::fuzz
