// SPDX-License-Identifier: Apache-2.0
// Counts over the IR: bytes from the tensors, operations from the values and the extents they run over.
#include "emit/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "emit/held_values.h"
#include "emit/print_launcher.h"
#include "emit/registers.h"
#include "sema/ir/extents.h"

namespace tessera::emit {

namespace {

// Operations of one evaluation, as the usual conventions count them.
int operations(const ir::Op& op) {
  if (std::holds_alternative<ir::FusedMultiplyAdd>(op)) return 2;
  if (std::holds_alternative<ir::Math>(op)) return 10;
  const auto* unary = std::get_if<ir::Unary>(&op);
  const bool counts = (unary && unary->op != ir::UnaryOp::split) || std::holds_alternative<ir::Binary>(op) ||
                      std::holds_alternative<ir::Reduce>(op);
  return counts ? 1 : 0;
}

class Reporter {
 public:
  Reporter(const KernelPlan& plan, const LoweredPhase& lowered)
      : plan_(plan), kernel_(*plan.kernel), lowered_(lowered), sizes_(plan.sizes) {}

  std::string run() {
    std::string text = fmt::format("kernel {} on {}\n", kernel_.c_name, plan_.target->name);
    text += fmt::format("  bytes read       {}\n  bytes written    {}\n", spell(bytes(false)),
                        spell(bytes(true)));
    text += fmt::format("  operations       {}\n", spell(flops()));
    if (!plan_.tiles.empty() && plan_.tiles.front().has_parts())
      text += fmt::format("  workspace        {}, where warpgroups multiply\n", spell(bytes_of_parts()));
    for (const Access& access : plan_.phase.analysis.accesses) text += describe(access);
    for (const Variant& variant : plan_.phase.variants) text += describe(variant);
    return text;
  }

 private:
  std::string spell(ir::SizeId size) const {
    return sizes_.spell(size, [&](ir::SymbolId id) { return kernel_.symbols[id].name; });
  }

  ir::SizeId bytes(bool written) {
    ir::SizeId sum = sizes_.constant(0);
    for (const ir::Tensor& tensor : kernel_.tensors)
      if (tensor.is_output == written)
        sum = sizes_.add(sum, bytes_of_elements(tensor, size_in_bytes(tensor.dtype)));
    return sum;
  }
  ir::SizeId bytes_of_elements(const ir::Tensor& tensor, int64_t bytes) {
    ir::SizeId product = sizes_.constant(bytes);
    for (ir::SizeId dim : tensor.dims) product = sizes_.multiply(product, dim);
    return product;
  }

  // Of tensors whose factors are taken in parts, without what fills up lines.
  ir::SizeId bytes_of_parts() {
    std::set<ir::TensorId> tensors;
    for (const TileFactor* factor : plan_.tiles.front().factors())
      if (factor->in_parts) tensors.insert(std::get<ir::Load>(kernel_.values[factor->load].op).tensor);
    ir::SizeId sum = sizes_.constant(0);
    for (const ir::TensorId tensor : tensors)
      sum = sizes_.add(sum,
                       bytes_of_elements(kernel_.tensors[tensor], kSplitParts * size_in_bytes(DType::bf16)));
    return sum;
  }

  // A value runs once at each point of the axes it needs; a reduction once at each point of its operand.
  ir::SizeId flops() {
    ir::SizeId sum = sizes_.constant(0);
    for (const auto& [id, dependence] : plan_.phase.analysis.dependence) {
      const ir::Value& value = kernel_.values[id];
      if (is_integer(value.dtype) || operations(value.op) == 0) continue;
      AxisSet axes = dependence.axes;
      if (const auto* reduce = std::get_if<ir::Reduce>(&value.op))
        axes.insert(reduce->axes.begin(), reduce->axes.end());
      axes.insert(dependence.loops.begin(), dependence.loops.end());
      ir::SizeId product = sizes_.constant(operations(value.op));
      for (ir::AxisId axis : axes) product = sizes_.multiply(product, ir::extent_of(kernel_, sizes_, axis));
      sum = sizes_.add(sum, product);
    }
    return sum;
  }

  std::string describe(const Access& access) const {
    const ir::Tensor& tensor = kernel_.tensors[access.tensor];
    const bool vector = access.write ? plan_.phase.vector_writes.contains(access.write)
                                     : plan_.phase.vector_loads.contains(access.value);
    const bool has_lane = std::any_of(plan_.phase.lanes.begin(), plan_.phase.lanes.end(),
                                      [&](const Lane& lane) { return access.axes.contains(lane.axis); });
    const bool staged = !plan_.tiles.empty() && plan_.general_tiles().majors.contains(access.value);
    const char* kind = staged     ? "tiles through shared memory"
                       : vector   ? "coalesced, vectors when aligned"
                       : has_lane ? "element by element"
                                  : "one address for a group";
    return fmt::format("  {} {:<14} {}\n", access.write ? "store" : "load ", tensor.name, kind);
  }

  std::string describe(const Variant& variant) const {
    if (!plan_.tiles.empty())
      return fmt::format("  variant {:<18} {:4} threads a block, {} bytes of shared memory, {}\n",
                         variant.name, variant.threads, variant.shared_bytes,
                         instantiation(function_of(variant), variant));
    const int threads = variant.threads * variant.rows;
    const int registers = estimate_registers(function_of(variant), variant, *plan_.target);
    const int taken = (registers + kRegisterUnit - 1) / kRegisterUnit * kRegisterUnit;
    const int blocks = std::min({plan_.target->threads_per_multiprocessor / threads,
                                 plan_.target->registers_per_multiprocessor / (taken * threads),
                                 plan_.target->blocks_per_multiprocessor});
    const double occupancy = static_cast<double>(blocks * threads) / plan_.target->threads_per_multiprocessor;
    return fmt::format(
        "  variant {:<18} {:4} threads a block, about {} registers, {} bytes of shared memory, occupancy "
        "{:.0f} %, {}\n",
        variant.name, threads, registers, shared_bytes(variant), occupancy * 100,
        instantiation(function_of(variant), variant));
  }

  const lowered::Function& function_of(const Variant& variant) const {
    return lowered_.functions[static_cast<size_t>(variant.function)];
  }

  // Groups larger than a warp leave one value of each warp in one of two buffers.
  int shared_bytes(const Variant& variant) const {
    constexpr int kBytes = 8, kBuffers = 2, kWarp = 32;
    const bool reduces = std::any_of(plan_.phase.analysis.crossed.begin(), plan_.phase.analysis.crossed.end(),
                                     [&](ir::AxisId axis) { return plan_.phase.is_lane(axis); });
    const int folded = reduces && variant.threads > kWarp ? kBuffers * kBytes * variant.threads / kWarp : 0;
    return folded + variant.rows * static_cast<int>(held_bytes_of_group(kernel_, plan_.phase));
  }

  const KernelPlan& plan_;
  const ir::Kernel& kernel_;
  const LoweredPhase& lowered_;
  ir::SizeTable sizes_;
};

}  // namespace

std::string report(const KernelPlan& plan, const LoweredPhase& lowered) {
  return Reporter(plan, lowered).run();
}

}  // namespace tessera::emit
