// SPDX-License-Identifier: Apache-2.0
// The ordered list of passes, each with the reason for its place. What else simplifies a kernel happens while it is
// built: promotion of variables (variables.h), contraction (arithmetic.cpp), sharing and folding (builder.h).
#include "sema/passes/passes.h"

#include <fmt/format.h>

#include "base/check.h"
#include "sema/ir/text.h"
#include "sema/ir/verifier.h"
#include "sema/passes/drop_presence_tests.h"
#include "sema/passes/merge_stores.h"
#include "sema/passes/remove_dead_values.h"

namespace tessera::sema {

namespace {

struct Pass {
  const char* name;
  void (*run)(ir::Kernel&);
};

constexpr Pass kPasses[] = {
    // Before idle tests go: what a store adds to another is one.
    {"merge_stores", merge_stores},
    // What it replaces becomes dead.
    {"drop_presence_tests", drop_presence_tests},
    // Last: it leaves nothing but what is stored, numbered in the order of definition.
    {"remove_dead_values", remove_dead_values},
};

void require_sound(const ir::Kernel& kernel, const char* when) {
  const std::vector<std::string> broken = ir::verify(kernel);
  TESSERA_CHECK(broken.empty(), fmt::format("the IR of kernel `{}` is broken {}: {}\n{}", kernel.name, when,
                                            broken.front(), ir::print(kernel)));
}

}  // namespace

void run_passes(ir::Kernel& kernel) {
  require_sound(kernel, "after lowering");
  for (const Pass& pass : kPasses) {
    pass.run(kernel);
    require_sound(kernel, pass.name);
  }
}

}  // namespace tessera::sema
