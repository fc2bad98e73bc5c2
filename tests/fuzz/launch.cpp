// SPDX-License-Identifier: Apache-2.0
// Launches of generated programs; see launch.h.
#include "fuzz/launch.h"

#include <optional>

#include "fuzz/choices.h"
#include "fuzz/judge.h"
#include "tessera/runner.h"

namespace tessera::fuzz {

namespace {

using sweep::DeviceTensor;
using sweep::Layout;
using sweep::Placement;

constexpr int kMostVariants = 32;

/// Inputs with stride 0 are left out: their elements are not those of the evaluation.
constexpr Layout kFuzzedLayouts[] = {Layout::dense,  Layout::dense,      Layout::misaligned, Layout::pitched,
                                     Layout::padded, Layout::transposed, Layout::spread,     Layout::mixed};

/// The tensors of a call in one layout.
class Call {
 public:
  Call(const Program& program, int problem, Layout layout) : program_(program) {
    for (std::size_t i = 0; i < program.tensors.size(); ++i) {
      const Tensor& tensor = program.tensors[i];
      reference::TensorSpec spec;
      spec.name = tensor.name;
      spec.dtype = spelling(tensor.type);
      spec.output = tensor.is_output;
      tensors_.emplace_back(Placement(layout, spec, shape_of(program, tensor, problem), i));
      is_ready_ =
          is_ready_ && tensors_.back().allocate() &&
          (tensor.is_output || tensors_.back().put(input_values(program, static_cast<int>(i), problem)));
    }
    for (const Scalar& scalar : program.scalars) {
      const std::int64_t value = scalar.values[static_cast<std::size_t>(problem)];
      TesseraScalar argument;
      if (is_float(scalar.type))
        argument.real = static_cast<double>(value);
      else
        argument.integer = value;
      scalars_.push_back(argument);
    }
  }

  /// Runs one variant, or what the launcher chooses for -1; absent when it does not exist or does not fit.
  std::optional<std::string> run(sweep::Entry entry, int variant, const Expected& expected) {
    if (!is_ready_) return runner_failed();
    std::vector<TesseraTensor> arguments;
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (program_.tensors[i].is_output && !tensors_[i].poison()) return runner_failed();
      arguments.push_back(tensors_[i].argument());
    }
    const TesseraLaunch launch{nullptr, variant < 0 ? 0 : TESSERA_VARIANT(variant), 0, 0};
    const TesseraStatus status = entry(arguments.data(), scalars_.data(), &launch);
    if (status.code == TESSERA_UNKNOWN_VARIANT && variant >= 0) return std::nullopt;
    if (status.code != TESSERA_OK) return "status: " + sweep::status_text(status);
    if (tessera_runner_synchronize(0) != 0) return runner_failed();
    return judge(expected);
  }

 private:
  static std::string runner_failed() { return std::string("runner: ") + tessera_runner_last_error(); }

  std::string judge(const Expected& expected) const {
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      const Tensor& tensor = program_.tensors[i];
      bool is_clean = true;
      if (!tensor.is_output) {
        is_clean = tensors_[i].is_unchanged();
      } else {
        const std::string wrong = difference(expected, tensor.name, tensors_[i].take(is_clean));
        if (!wrong.empty()) return "wrong result: " + wrong;
      }
      if (!is_clean) return "memory that is not an output's changed at " + tensor.name;
    }
    return {};
  }

  const Program& program_;
  std::vector<DeviceTensor> tensors_;
  std::vector<TesseraScalar> scalars_;
  bool is_ready_ = true;
};

}  // namespace

std::string launch_everywhere(sweep::Entry entry, const Program& program, int problem,
                              const Expected& expected, std::uint64_t seed, std::size_t& runs) {
  Choices choices(seed * 31 + static_cast<std::uint64_t>(problem));
  int next_variant = 0;
  for (const sweep::NamedOrder& one : sweep::kTwinOrders) {
    const Layout layout = kFuzzedLayouts[choices.between(0, std::size(kFuzzedLayouts) - 1)];
    sweep::set_order(one.order);
    Call call(program, problem, layout);
    const bool is_last = &one == std::end(sweep::kTwinOrders) - 1;
    const int until = is_last ? kMostVariants : next_variant + 1;
    for (int variant = -1; variant < until; variant = variant < 0 ? next_variant : variant + 1) {
      if (variant >= 0) next_variant = variant + 1;
      const std::optional<std::string> wrong = call.run(entry, variant, expected);
      if (!wrong) continue;
      ++runs;
      if (wrong->empty()) continue;
      return *wrong + " (problem " + std::to_string(problem) + ", " + sweep::to_string(layout) + ", " +
             (variant < 0 ? "chosen variant" : "variant " + std::to_string(variant)) +
             (tessera_runner_is_twin() != 0 ? std::string(", ") + one.name : "") + ")";
    }
  }
  return {};
}

}  // namespace tessera::fuzz
