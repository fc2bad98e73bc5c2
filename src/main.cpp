// SPDX-License-Identifier: Apache-2.0
// tesserac: the table of its commands. Each one is a file in src/commands/.
#include "commands/command.h"

namespace {

using namespace tessera::commands;

constexpr Command kCommands[] = {
    {"", "turns a .tsr file into readable CUDA C++", define_compile},
    {"check", "reports every mistake of .tsr files, and writes nothing", define_check},
    {"fmt", "lays .tsr files out in the canonical way", define_fmt},
    {"run", "runs a kernel: interpreted, on the host twin or on a GPU", define_run},
    {"verify", "compares a kernel's results with exact arithmetic at many sizes", define_verify},
    {"doctor", "looks for everything that compiling and running kernels needs", define_doctor},
};

}  // namespace

int main(int argc, char** argv) { return run_program(argc, argv, kCommands); }
