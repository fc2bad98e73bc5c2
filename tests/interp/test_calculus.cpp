// SPDX-License-Identifier: Apache-2.0
// Real kernels from source to numbers: parsed, checked, interpreted in both modes and at every partition, and
// compared with the plain loops of tests/reference.
#include <map>

#include "base/load_source.h"
#include "catch.h"
#include "frontend/parse.h"
#include "interp/interpreter.h"
#include "reference/reference.h"
#include "sema/check.h"
#include "sema/ir/verifier.h"

namespace tessera {

namespace {

using interp::Numbers;
using reference::Case;
using reference::Problem;
using reference::Sizes;

/// The kernel of a case, checked once for each file; fails the running test with the diagnostics.
const ir::Kernel& kernel_of(const Case& description) {
  static std::map<std::string, ir::Module> modules;
  auto module = modules.find(description.file);
  if (module == modules.end()) {
    SourceManager sources;
    DiagnosticSink sink;
    const auto file = load_source(std::string(TESSERA_SOURCE_DIR) + "/" + description.file, sources, sink);
    const std::optional<ast::File> tree = file ? parse(sources.file(*file), sink) : std::nullopt;
    std::optional<ir::Module> checked = tree ? check(*tree, sink) : std::nullopt;
    for (const Diagnostic& diagnostic : sink.sorted()) UNSCOPED_INFO(diagnostic.message);
    REQUIRE(checked);
    module = modules.emplace(description.file, std::move(*checked)).first;
  }
  for (const ir::Kernel& kernel : module->second.kernels) {
    if (kernel.c_name == description.kernel) return kernel;
  }
  FAIL("no kernel of that name");
  return module->second.kernels.front();
}

/// Each symbol in turn takes every odd extent, the others a small one, as far as the case allows them.
std::vector<Sizes> sweep(const Case& description) {
  std::vector<Sizes> result;
  for (const std::string& varied : description.symbols) {
    for (const int64_t extent : {0, 1, 2, 7, 17, 127}) {
      for (const int64_t rest : {1, 3, 17}) {
        Sizes sizes;
        for (const std::string& symbol : description.symbols)
          sizes[symbol] = symbol == varied ? extent : rest;
        if (!description.allowed || description.allowed(sizes)) result.push_back(std::move(sizes));
      }
    }
  }
  return result;
}

DType dtype_of(const std::string& spelling) {
  const std::optional<DType> dtype = dtype_from_spelling(spelling);
  REQUIRE(dtype);
  return *dtype;
}

interp::Arguments arguments_of(Problem& problem) {
  interp::Arguments arguments;
  arguments.symbols = problem.sizes();
  for (const reference::TensorSpec& spec : problem.description().tensors) {
    if (spec.output) continue;
    interp::Array array = interp::Array::zeros(dtype_of(spec.dtype), problem.shape(spec.name));
    const std::vector<double>& values = problem.values(spec.name);
    for (size_t i = 0; i < values.size(); ++i) interp::set_element(array, static_cast<int64_t>(i), values[i]);
    arguments.tensors[spec.name] = std::move(array);
  }
  for (const reference::ScalarSpec& spec : problem.description().scalars) {
    const double value = problem.scalar(spec.name);
    arguments.scalars[spec.name] = {value, static_cast<int64_t>(value)};
  }
  return arguments;
}

/// Holds every output of a run against the loops; gives the largest ratio of error to bound.
double compare_outputs(const Problem& problem, const interp::Result& result, Numbers numbers) {
  double worst = 0;
  for (const reference::TensorSpec& spec : problem.description().tensors) {
    // Rounding to an integer in double may cross a boundary that rounding in float does not.
    if (!spec.output || (numbers == Numbers::f64 && !is_float(dtype_of(spec.dtype)))) continue;
    const interp::Array& output = result.outputs.at(spec.name);
    // The loops round what they store, so the reference mode's doubles are rounded likewise.
    interp::Array stored = interp::Array::zeros(dtype_of(spec.dtype), output.extents);
    std::vector<double> actual;
    for (int64_t i = 0; i < output.count(); ++i) {
      interp::set_element(stored, i, interp::element_as_double(output, i));
      actual.push_back(interp::element_as_double(stored, i));
    }
    const reference::Comparison comparison = compare(problem, spec.name, actual);
    INFO("output " << spec.name << " at " << comparison.first_wrong.value_or(-1));
    CHECK(comparison.wrong == 0);
    worst = std::max(worst, comparison.worst);
  }
  return worst;
}

interp::Result run_or_fail(const ir::Kernel& kernel, const interp::Arguments& arguments,
                           const interp::Options& options) {
  interp::Result result = interp::run(kernel, arguments, options);
  if (!result.ok()) UNSCOPED_INFO(result.error->message);
  REQUIRE(result.ok());
  return result;
}

std::string spell(const Sizes& sizes) {
  std::string text;
  for (const auto& [symbol, value] : sizes) text += symbol + " = " + std::to_string(value) + " ";
  return text;
}

/// Runs a problem at every partition; exact kernels must not change by a bit.
void check_partitions(Problem& problem, const ir::Kernel& kernel, const interp::Arguments& arguments,
                      const interp::Result& expected) {
  using interp::InstanceOrder;
  using interp::Partition;
  for (const Partition& partition :
       {Partition{1, {}, InstanceOrder::random, 5}, Partition{3, {}, InstanceOrder::reverse, 1},
        Partition{Partition::kWhole, {}, InstanceOrder::forward, 1}}) {
    INFO("step " << partition.step);
    const interp::Result result = run_or_fail(kernel, arguments, {Numbers::declared, partition});
    compare_outputs(problem, result, Numbers::declared);
    if (problem.description().exactness != reference::Exactness::kBitwise) continue;
    for (const auto& [name, output] : expected.outputs) {
      INFO(name);
      CHECK(interp::compare_bits(output, result.outputs.at(name)).count == 0);
    }
  }
}

void check_case(const Case& description) {
  const ir::Kernel& kernel = kernel_of(description);
  REQUIRE(ir::verify(kernel) == std::vector<std::string>{});
  double worst = 0;
  int runs = 0;
  for (const Sizes& sizes : sweep(description)) {
    Problem problem(description, sizes, static_cast<uint64_t>(++runs));
    INFO(spell(problem.sizes()));
    const interp::Arguments arguments = arguments_of(problem);
    const interp::Result declared = run_or_fail(kernel, arguments, {});
    problem.solve();
    worst = std::max(worst, compare_outputs(problem, declared, Numbers::declared));
    if (!description.rounds_between)
      compare_outputs(problem, run_or_fail(kernel, arguments, {Numbers::f64, {}}), Numbers::f64);
    if (runs % 4 == 0) check_partitions(problem, kernel, arguments, declared);
  }
  CHECK(runs >= 6);
  WARN(description.name << ": " << runs << " shapes, largest error / bound " << worst);
}

}  // namespace

TEST_CASE("kernels compute what their loops say") {
  for (const Case& description : reference::cases()) {
    DYNAMIC_SECTION(description.name) { check_case(description); }
  }
}

}  // namespace tessera
