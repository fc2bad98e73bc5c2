// SPDX-License-Identifier: Apache-2.0
// The sweep on a GPU: every layout of every problem. With --expect-digests it compares exact results bit by bit
// with what `sweep --all --write-digests` found on the interpreter and the host twin.
#include <cstdio>
#include <thread>

#include "sweep/entries.h"
#include "sweep/sweep.h"
#include "tessera/runner.h"

int main(int count, char** arguments) {
  using namespace tessera::sweep;
  Options defaults;
  defaults.largest = std::int64_t{1} << 21;
  defaults.budget = std::int64_t{1} << 62;
  defaults.all_layouts = true;
  defaults.threads = static_cast<int>(std::thread::hardware_concurrency());
  const Options options = parse_options(count, arguments, defaults);

  int devices = 0;
  char name[256] = "";
  if (tessera_runner_device_count(&devices) != 0 || tessera_runner_device_name(0, name, sizeof name) != 0) {
    std::fprintf(stderr, "no GPU: %s\n", tessera_runner_last_error());
    return 3;
  }
  std::printf("on %s\n", name);
  Executors executors;
  executors.push_back(std::make_unique<LaunchExecutor>(entry_of));
  return sweep([&](const tessera::reference::Case&) -> const Executors& { return executors; }, options);
}
