// SPDX-License-Identifier: Apache-2.0
// See checked.h.
#include "checked.h"

#include "sema/check.h"

namespace tessera::test {

std::unique_ptr<Checked> check_text(std::string text, std::string path) {
  auto program = std::make_unique<Checked>();
  parse_into(*program, std::move(text), std::move(path));
  if (program->file) program->module = check(*program->file, program->sink);
  return program;
}

std::unique_ptr<Checked> check_file(const std::filesystem::path& path) {
  return check_text(read_file(path), std::filesystem::relative(path, tests_folder()).generic_string());
}

}  // namespace tessera::test
