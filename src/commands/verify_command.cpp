// SPDX-License-Identifier: Apache-2.0
// `tesserac verify`: a kernel's results at many sizes and in every way of running it, against exact
// arithmetic.
//
// The reference is the interpreter in f64 over the whole extent. What must lie within the error bound of the
// kernel: the interpreter in declared types at partitions 1, 3, the plan's and the whole; every variant of
// the generated code on the host twin and on the GPU. A kernel without float sums and products is met bit by
// bit by all of them. A `verify` clause is a claim of the kernel's author about its accuracy, and holds besides.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>

#include "commands/arguments.h"
#include "commands/error_analysis.h"
#include "commands/execution.h"
#include "commands/odd_problems.h"
#include "commands/pipeline.h"
#include "commands/run_flags.h"
#include "commands/verify_table.h"
#include "commands/work.h"

namespace tessera::commands {

namespace {

constexpr int64_t kByteLimit = int64_t{1} << 30;  // of the given sizes
/// There are many odd problems, and the twin takes its time: about a million terms a second where functions are dear.
constexpr ProblemLimits kOddLimits = {.bytes = int64_t{512} << 10, .terms = 1 << 26};
/// Tiles of one or three elements take a time of their own each; larger problems are tried at coarser
/// partitions.
constexpr int64_t kFineElementLimit = 1 << 16;
constexpr double kFineTermLimit = 1 << 22;
/// Failures that are described one by one.
constexpr std::size_t kShownFailures = 5;

struct VerifyOptions {
  CommonOptions common;
  TargetOptions target;
  ToolOptions tools;
  KernelOptions kernel;
  Place place = Place::host_twin;
};

struct NamedPartition {
  const char* name;
  int64_t step;
};
constexpr NamedPartition kPartitions[] = {
    {"step 1", 1}, {"step 3", 3}, {"plan", interp::Partition::kChosen}, {"whole", interp::Partition::kWhole}};

/// Whether results must be equal to the last bit: no float is summed or multiplied up in an order that is
/// free.
bool is_exact(const ir::Kernel& kernel) {
  return std::ranges::none_of(kernel.values, [](const ir::Value& value) {
    if (std::holds_alternative<ir::Dot>(value.op)) return is_float(value.dtype);
    const auto* reduce = std::get_if<ir::Reduce>(&value.op);
    return reduce != nullptr && is_float(value.dtype) &&
           (reduce->op == ir::ReduceOp::sum || reduce->op == ir::ReduceOp::prod);
  });
}

bool has_clause(const ir::Kernel& kernel) { return kernel.max_relative_error || kernel.max_absolute_error; }

/// The `verify` clause as it is written; empty without one.
std::string spell_clause(const ir::Kernel& kernel) {
  std::string bounds;
  if (kernel.max_relative_error) bounds = fmt::format("max_rel = {:g}", *kernel.max_relative_error);
  if (kernel.max_absolute_error) {
    bounds += fmt::format("{}max_abs = {:g}", bounds.empty() ? "" : ", ", *kernel.max_absolute_error);
  }
  return bounds.empty() ? "" : fmt::format("verify({})", bounds);
}

/// The error that the `verify` clause allows a result: absolute and relative share add up, as in `allclose`;
/// none to one that is not finite.
double allowed_by_clause(const ir::Kernel& kernel, double exact) {
  if (!std::isfinite(exact)) return 0;
  return kernel.max_absolute_error.value_or(0) + kernel.max_relative_error.value_or(0) * std::fabs(exact);
}

/// A problem with everything its results are compared with.
struct Reference {
  const Problem& problem;
  std::vector<interp::Array> tensors;
  std::vector<OutputBounds> bounds;
  std::vector<interp::Array> exact_bits;  // by TensorId; empty unless the kernel is exact
};

/// Verifies one kernel and prints its table.
class Verification {
 public:
  Verification(Session& session, Toolbox& toolbox, const VerifyOptions& options, const ir::Module& module,
               const ir::Kernel& kernel)
      : session_(session), toolbox_(toolbox), options_(options), module_(module), kernel_(kernel) {}

  void run() {
    const auto settings = parse_settings(options_.kernel.settings, session_.sink);
    const auto given =
        settings ? make_default_problem(kernel_, *settings, kByteLimit, session_.sink) : std::nullopt;
    if (!given || !load_places()) return;
    std::vector<Problem> problems = {*given};
    std::ranges::move(odd_problems(*given, *settings, kOddLimits), std::back_inserter(problems));
    for (const Problem& problem : problems) {
      if (!verify(problem)) return;
    }
    std::vector<std::string> sizes;
    for (const Problem& problem : problems) sizes.push_back(problem.spell_sizes());
    print(table_.text({kernel_.c_name, sizes, is_exact(kernel_), spell_clause(kernel_)}));
    report_failures();
  }

 private:
  bool load_places() {
    std::vector<Place> places;
    if (options_.place != Place::interpreter) places.push_back(Place::host_twin);
    if (options_.place == Place::gpu) places.push_back(Place::gpu);
    for (const Place place : places) {
      auto loaded =
          load_kernel(session_, toolbox_, module_, kernel_, place, options_.target, options_.kernel.file);
      if (!loaded) return false;
      loaded_.push_back(std::move(*loaded));
    }
    return true;
  }

  bool verify(const Problem& problem) {
    Reference reference{problem, make_tensors(problem, {}, options_.kernel.seed), {}, {}};
    const auto exact = session_.timed("f64 reference", [&] {
      return interpret(problem, reference.tensors, {interp::Numbers::f64, {interp::Partition::kWhole}},
                       session_.sink);
    });
    if (!exact) return false;
    reference.bounds =
        session_.timed("error bounds", [&] { return bound_errors(problem, reference.tensors); });
    take_reference_values(*exact, reference);
    return verify_interpreter(reference) && verify_loaded(reference);
  }

  /// The interpreter gives the values, the analysis their bounds. Both computed the values, so a difference
  /// beyond the rounding of f64 is a fault of one of them.
  void take_reference_values(const std::vector<interp::Array>& exact, Reference& reference) {
    for (OutputBounds& bounds : reference.bounds) {
      const interp::Array& array = exact[bounds.tensor.index()];
      for (std::size_t i = 0; i < bounds.values.size(); ++i) {
        const double value = interp::element_as_double(array, static_cast<int64_t>(i));
        const double distance = std::fabs(value - bounds.values[i]);
        if (distance > bounds.errors[i] + 1e-12 * std::fabs(value)) {
          table_.add_failure({"error analysis", "", reference.problem.spell_sizes(),
                              kernel_.tensors[bounds.tensor].name,
                              interp::spell_position(array.extents, static_cast<int64_t>(i)), value,
                              bounds.values[i], bounds.errors[i]});
        }
        bounds.values[i] = value;
      }
    }
  }

  bool verify_interpreter(Reference& reference) {
    const bool large = reference.problem.bytes().value_or(0) / 4 > kFineElementLimit ||
                       count_terms(reference.problem) > kFineTermLimit;
    for (const NamedPartition& partition : kPartitions) {
      const bool fine = partition.step == 1 || partition.step == 3;
      if (fine && large) continue;
      auto results = session_.timed("interpret", [&] {
        return interpret(reference.problem, reference.tensors, {interp::Numbers::declared, {partition.step}},
                         session_.sink);
      });
      if (!results) return false;
      if (is_exact(kernel_) && reference.exact_bits.empty()) reference.exact_bits = *results;
      compare("interpreter", partition.name, reference, *results);
    }
    return true;
  }

  bool verify_loaded(const Reference& reference) {
    // Of nothing all variants say that it is done, also those that a kernel does not have.
    const bool has_elements = std::ranges::any_of(
        reference.bounds, [](const OutputBounds& bounds) { return !bounds.values.empty(); });
    const int most = has_elements ? LoadedKernel::kMostVariants : 0;
    for (const LoadedKernel& loaded : loaded_) {
      for (int variant = -1; variant < most; ++variant) {
        const auto outcome = session_.timed("run", [&] {
          return loaded.run(reference.problem, reference.tensors, {variant, 0}, session_.sink);
        });
        if (!outcome) return false;
        const std::string name = variant < 0 ? "chosen" : fmt::format("variant {:2}", variant);
        if (outcome->ran) compare(loaded.device(), name, reference, outcome->tensors);
      }
    }
    return true;
  }

  void compare(const std::string& device, const std::string& variant, const Reference& reference,
               const std::vector<interp::Array>& results) {
    VerifyTable::Row& row = table_.row(device, variant);
    ++row.sizes;
    for (const OutputBounds& bounds : reference.bounds) {
      const interp::Array& array = results[bounds.tensor.index()];
      for (std::size_t i = 0; i < bounds.values.size(); ++i) {
        compare_element(row, reference, bounds, i, interp::element_as_double(array, static_cast<int64_t>(i)));
      }
      if (!reference.exact_bits.empty()) compare_bits(row, reference, bounds.tensor, array);
    }
  }

  void compare_element(VerifyTable::Row& row, const Reference& reference, const OutputBounds& bounds,
                       std::size_t i, double actual) {
    const double expected = bounds.values[i];
    const ir::Tensor& tensor = kernel_.tensors[bounds.tensor];
    const double ratio = error_ratio(actual, expected, bounds.errors[i]);
    const bool claimed = has_clause(kernel_) && is_float(tensor.dtype);
    const double allowed = claimed ? allowed_by_clause(kernel_, expected) : INFINITY;
    const double claim_ratio = error_ratio(actual, expected, allowed);
    ++row.elements;
    if (std::isinf(bounds.errors[i])) ++row.unbounded;
    if (!std::isinf(bounds.errors[i]) || claimed || !reference.exact_bits.empty()) ++row.held;
    row.worst = std::max(row.worst, ratio);
    row.worst_for_clause = std::max(row.worst_for_clause, claim_ratio);
    if (ratio <= 1 && claim_ratio <= 1) return;
    ++row.wrong;
    const bool by_clause = ratio <= 1;
    const std::vector<int64_t>& extents = reference.tensors[bounds.tensor.index()].extents;
    table_.add_failure({row.device, row.variant, reference.problem.spell_sizes(), tensor.name,
                        interp::spell_position(extents, static_cast<int64_t>(i)), expected, actual,
                        by_clause ? allowed : bounds.errors[i], by_clause});
  }

  /// |actual - expected| / bound; 0 where both are the same, infinite where an exact result is missed.
  static double error_ratio(double actual, double expected, double bound) {
    if (actual == expected || (std::isnan(actual) && std::isnan(expected)) || std::isinf(bound)) return 0;
    const double distance = std::fabs(actual - expected);
    return std::isnan(distance) || bound == 0 ? INFINITY : distance / bound;
  }

  void compare_bits(VerifyTable::Row& row, const Reference& reference, ir::TensorId id,
                    const interp::Array& array) {
    const interp::Difference difference = interp::compare_bits(reference.exact_bits[id.index()], array);
    if (difference.count == 0) return;
    row.wrong += difference.count;
    row.worst = INFINITY;
    table_.add_failure({row.device, row.variant, reference.problem.spell_sizes(), kernel_.tensors[id].name,
                        interp::spell_position(array.extents, *difference.first),
                        interp::element_as_double(reference.exact_bits[id.index()], *difference.first),
                        interp::element_as_double(array, *difference.first), 0});
  }

  void report_failures() {
    if (table_.failures().empty()) return;
    auto report =
        session_.sink.report(Diag::verification_failed, kernel_.span, kernel_.c_name, table_.failure_count());
    for (std::size_t i = 0; i < std::min(kShownFailures, table_.failures().size()); ++i) {
      const VerifyFailure& failure = table_.failures()[i];
      report.note("{} {} with {}: {}{} is {:.9g}, expected {:.9g} within {:.3g}{}", failure.device,
                  failure.variant, failure.sizes, failure.tensor, failure.position, failure.actual,
                  failure.expected, failure.bound, failure.by_clause ? ", says its `verify` clause" : "");
    }
    if (std::ranges::any_of(table_.failures(), &VerifyFailure::by_clause)) {
      report.help("compute more accurately or allow more; `max_abs` is what can hold near zero");
    }
  }

  Session& session_;
  Toolbox& toolbox_;
  const VerifyOptions& options_;
  const ir::Module& module_;
  const ir::Kernel& kernel_;
  std::vector<LoadedKernel> loaded_;
  VerifyTable table_;
};

ExitCode verify_file(const VerifyOptions& options) {
  Session session(options.common);
  Toolbox toolbox(options.tools, session.sink);
  const auto module = load_module(session, options.kernel.file);
  if (!module || session.failed()) return session.finish();
  std::vector<const ir::Kernel*> kernels;
  if (options.kernel.kernel.empty()) {
    for (const ir::Kernel& kernel : module->kernels) kernels.push_back(&kernel);
  } else if (const ir::Kernel* kernel =
                 choose_kernel(*module, options.kernel.kernel, options.kernel.file, session.sink)) {
    kernels.push_back(kernel);
  }
  // One kernel is compiled alone; all of a file together, which takes less time than one by one.
  const ir::Module compiled = kernels.size() == 1 ? ir::Module{{*kernels[0]}} : *module;
  for (const ir::Kernel* kernel : kernels) Verification(session, toolbox, options, compiled, *kernel).run();
  return session.finish();
}

}  // namespace

Action define_verify(CLI::App& app) {
  const auto options = std::make_shared<VerifyOptions>();
  add_kernel_flags(app, options->kernel);
  add_place_flag(app, options->place,
                 "what is compared: interp alone, host (default: the generated code too) or gpu (all)");
  add_target_flags(app, options->target);
  add_tool_flags(app, options->tools);
  add_common_flags(app, options->common);
  return [options] { return verify_file(*options); };
}

}  // namespace tessera::commands
