// SPDX-License-Identifier: Apache-2.0
// Runs the checked IR of a kernel in the interpreter; see interpreter_executor.h.
#include "sweep/interpreter_executor.h"

#include <cstdio>
#include <cstdlib>

#include "base/load_source.h"
#include "frontend/parse.h"
#include "interp/interpreter.h"
#include "sema/check.h"
#include "sweep/sizes.h"

namespace tessera::sweep {

namespace {

using interp::Partition;
using reference::Case;
using reference::Problem;

struct NamedPartition {
  const char* name;
  Partition partition;
  std::int64_t largest;  ///< elements of a problem: small tiles of large problems take long
};

const NamedPartition kPartitions[] = {
    {"partition plan", {}, std::numeric_limits<std::int64_t>::max()},
    {"partition whole", {Partition::kWhole, {}, interp::InstanceOrder::forward, 1}, 1 << 18},
    {"partition 3", {3, {}, interp::InstanceOrder::reverse, 1}, 1 << 13},
    {"partition 1", {1, {}, interp::InstanceOrder::random, 5}, 1 << 11},
};

[[noreturn]] void fail(const std::string& reason) {
  std::fprintf(stderr, "sweep: %s\n", reason.c_str());
  std::abort();
}

ir::Module check_file(const std::string& path) {
  SourceManager sources;
  DiagnosticSink sink;
  const auto file = load_source(std::string(TESSERA_SOURCE_DIR) + "/" + path, sources, sink);
  const std::optional<ast::File> tree = file ? parse(sources.file(*file), sink) : std::nullopt;
  std::optional<ir::Module> module = tree ? check(*tree, sink) : std::nullopt;
  if (module) return std::move(*module);
  std::string reason = path;
  for (const Diagnostic& diagnostic : sink.sorted()) reason += "\n  " + diagnostic.message;
  fail(reason);
}

interp::Arguments arguments_of(Problem& problem) {
  interp::Arguments arguments;
  arguments.symbols = problem.sizes();
  for (const reference::TensorSpec& spec : problem.description().tensors) {
    if (spec.output) continue;
    interp::Array array =
        interp::Array::zeros(dtype_from_spelling(spec.dtype).value(), problem.shape(spec.name));
    const Storage& storage = storage_of(spec.dtype);
    std::byte* element = array.data.data();
    for (const double value : problem.values(spec.name)) {
      storage.store(element, value);
      element += storage.bytes;
    }
    arguments.tensors[spec.name] = std::move(array);
  }
  for (const reference::ScalarSpec& spec : problem.description().scalars) {
    const double value = problem.scalar(spec.name);
    arguments.scalars[spec.name] = {value, static_cast<std::int64_t>(value)};
  }
  return arguments;
}

std::vector<double> values_of(const interp::Array& array, const Storage& storage) {
  std::vector<double> values;
  const std::byte* element = array.data.data();
  for (std::int64_t i = 0; i < array.count(); ++i, element += storage.bytes)
    values.push_back(storage.load(element));
  return values;
}

}  // namespace

InterpreterExecutor::InterpreterExecutor() {
  for (const Case& description : reference::cases()) {
    if (!modules_.contains(description.file))
      modules_.emplace(description.file, check_file(description.file));
    (void)kernel_of(description);
  }
}

const ir::Kernel& InterpreterExecutor::kernel_of(const Case& description) const {
  for (const ir::Kernel& kernel : modules_.at(description.file).kernels) {
    if (kernel.c_name == description.kernel) return kernel;
  }
  fail(description.file + " has no kernel " + description.kernel);
}

std::int64_t InterpreterExecutor::run(Problem& problem, Layout, const std::function<void(Run)>& take) {
  const ir::Kernel& kernel = kernel_of(problem.description());
  const interp::Arguments arguments = arguments_of(problem);
  const std::int64_t elements = element_count(problem.description(), problem.sizes());
  for (const NamedPartition& named : kPartitions) {
    if (elements > named.largest) continue;
    const interp::Result result =
        interp::run(kernel, arguments, {interp::Numbers::declared, named.partition});
    Run run{named.name, result.ok() ? "" : result.error->message, {}};
    for (const reference::TensorSpec& spec : problem.description().tensors) {
      if (result.ok() && spec.output)
        run.outputs[spec.name] = values_of(result.outputs.at(spec.name), storage_of(spec.dtype));
    }
    take(std::move(run));
  }
  return 0;
}

}  // namespace tessera::sweep
