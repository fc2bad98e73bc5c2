// SPDX-License-Identifier: Apache-2.0
// The sweep without a GPU: the interpreter and the host twin, held against the reference and each other.
#include "sweep/interpreter_executor.h"
#include "sweep/sweep.h"

int main(int count, char** arguments) {
  using namespace tessera::sweep;
  const Options options = parse_options(count, arguments, {});
  std::vector<std::unique_ptr<Executor>> executors;
  executors.push_back(std::make_unique<InterpreterExecutor>());
  executors.push_back(std::make_unique<LaunchExecutor>());
  return sweep(executors, options);
}
