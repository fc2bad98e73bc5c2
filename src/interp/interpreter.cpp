// SPDX-License-Identifier: Apache-2.0
// A run from arguments to outputs: checks, preparation, the instances of each grid, the check that all is
// written.
#include "interp/interpreter.h"

#include <fmt/format.h>

#include <exception>
#include <new>
#include <stdexcept>

#include "interp/machine.h"
#include "interp/memory.h"
#include "interp/program.h"
#include "sema/ir/verifier.h"

namespace tessera::interp {

namespace {

using Outputs = std::vector<std::optional<Output>>;

Outputs make_outputs(const ir::Kernel& kernel, const Launch& launch, Numbers numbers) {
  Outputs outputs;
  for (size_t i = 0; i < kernel.tensors.size(); ++i) {
    const ir::Tensor& tensor = kernel.tensors[kernel.tensors.id_at(i)];
    const bool as_f64 = numbers == Numbers::f64 && is_float(tensor.dtype);
    outputs.emplace_back();
    if (tensor.is_output) outputs.back().emplace(as_f64 ? DType::f64 : tensor.dtype, launch.extents[i]);
  }
  return outputs;
}

/// Every combination of tiles of the grid's axes, in the partition's order. False after an error.
bool run_grid(Machine& machine, const ir::Kernel& kernel, size_t number, const std::vector<AxisRange>& ranges,
              const Partition& partition) {
  const std::vector<ir::AxisId>& axes = kernel.grids[number].axes;
  int64_t count = 1;
  for (const ir::AxisId axis : axes) count *= ranges[axis.index()].tiles();
  std::vector<int64_t> begins(axes.size());
  for (const int64_t instance : instance_order(count, partition)) {
    int64_t rest = instance;
    for (size_t i = axes.size(); i-- > 0;) {
      const AxisRange& range = ranges[axes[i].index()];
      begins[i] = range.lower + rest % range.tiles() * range.tile;
      rest /= range.tiles();
    }
    if (!machine.run_instance(number, begins)) return false;
  }
  return true;
}

std::optional<Error> find_unwritten(const ir::Kernel& kernel, const Outputs& outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::optional<int64_t> position = outputs[i] ? outputs[i]->first_unwritten() : std::nullopt;
    if (!position) continue;
    const ir::Tensor& tensor = kernel.tensors[kernel.tensors.id_at(i)];
    return Error{fmt::format("element {}{} is not written", tensor.name,
                             spell_position(outputs[i]->extents(), *position)),
                 tensor.span};
  }
  return std::nullopt;
}

std::optional<Error> find_unsound(const ir::Kernel& kernel) {
  const std::vector<std::string> sentences = ir::verify(kernel);
  if (sentences.empty()) return std::nullopt;
  return Error{fmt::format("the kernel's IR is not sound: {}", sentences.front()), kernel.span};
}

std::optional<Error> find_large_rank(const ir::Kernel& kernel, const Program& program) {
  for (size_t i = 0; i < program.value_axes.size(); ++i) {
    if (program.value_axes[i].size() > kMaxAxes) {
      return Error{
          fmt::format("a value with {} axes; at most {} can be run", program.value_axes[i].size(), kMaxAxes),
          kernel.values[kernel.values.id_at(i)].span};
    }
  }
  return std::nullopt;
}

Result failure(Error error) { return {{}, std::move(error)}; }

Result run_checked(const ir::Kernel& kernel, const Arguments& arguments, const Options& options) {
  if (std::optional<Error> error = find_unsound(kernel)) return failure(*error);
  std::variant<Launch, Error> checked = check_arguments(kernel, arguments);
  if (auto* error = std::get_if<Error>(&checked)) return failure(*error);
  const Launch& launch = std::get<Launch>(checked);
  const Program program = make_program(kernel, launch.symbols);
  if (std::optional<Error> error = find_large_rank(kernel, program)) return failure(*error);
  const std::vector<AxisRange> ranges = make_ranges(program, launch, options.partition);
  Outputs outputs = make_outputs(kernel, launch, options.numbers);
  Machine machine(program, launch, options.numbers, ranges, outputs);
  for (size_t grid = 0; grid < kernel.grids.size(); ++grid) {
    for (std::optional<Output>& output : outputs) {
      if (output && grid > 0) output->begin_phase();
    }
    if (!run_grid(machine, kernel, grid, ranges, options.partition)) return failure(*machine.error());
  }
  if (std::optional<Error> error = find_unwritten(kernel, outputs)) return failure(*error);
  Result result;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i]) result.outputs[kernel.tensors[kernel.tensors.id_at(i)].name] = outputs[i]->take();
  }
  return result;
}

}  // namespace

Result run(const ir::Kernel& kernel, const Arguments& arguments, const Options& options) {
  try {
    return run_checked(kernel, arguments, options);
  } catch (const std::bad_alloc&) {
    return failure({"the arrays of this run do not fit in memory", kernel.span});
  } catch (const std::length_error&) {
    return failure({"the arrays of this run do not fit in memory", kernel.span});
  }
}

}  // namespace tessera::interp
