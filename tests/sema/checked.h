// SPDX-License-Identifier: Apache-2.0
// A program for tests of sema: parsed and checked.
#pragma once

#include "sema/ir/module.h"
#include "support/program.h"

namespace tessera::test {

struct Checked : Program {
  std::optional<ir::Module> module;
};

std::unique_ptr<Checked> check_text(std::string text, std::string path = "test.tsr");
/// A file below tests/, known to the diagnostics by its path from there.
std::unique_ptr<Checked> check_file(const std::filesystem::path& path);

}  // namespace tessera::test
