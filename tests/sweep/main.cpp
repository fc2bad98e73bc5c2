// SPDX-License-Identifier: Apache-2.0
// The sweep without a GPU: the interpreter and the host twin, held against the reference and each other.
#include "sweep/entries.h"
#include "sweep/interpreter_executor.h"
#include "sweep/sweep.h"

int main(int count, char** arguments) {
  using namespace tessera::sweep;
  const Options options = parse_options(count, arguments, {});
  Executors executors;
  executors.push_back(std::make_unique<InterpreterExecutor>());
  executors.push_back(std::make_unique<LaunchExecutor>(entry_of));
  return sweep([&](const tessera::reference::Case&) -> const Executors& { return executors; }, options);
}
