// SPDX-License-Identifier: Apache-2.0
// Writes the seeds of the fuzzers into a folder: write_seeds FOLDER
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <string>

#include "programs.h"

int main(int count, char** arguments) {
  if (count != 2) return 2;
  std::size_t number = 0;
  for (const std::string& text : tessera::fuzz::seed_texts()) {
    std::ofstream stream(std::string(arguments[1]) + "/seed" + std::to_string(number++), std::ios::binary);
    if (!(stream << text)) return 1;
  }
  std::printf("%zu seeds\n", number);
  return number > 300 ? 0 : 1;
}
