// SPDX-License-Identifier: Apache-2.0
// Launches generated code through its type-erased entry, with memory from the runner.
#include <algorithm>

#include "sweep/executor.h"
#include "sweep/sizes.h"
#include "tessera/runner.h"

namespace tessera::sweep {

namespace {

using reference::Problem;
using reference::TensorSpec;

constexpr int kDevice = 0;
constexpr int kMostVariants = 32;
/// The launcher's own choice is one of the variants, so that it is tried on small problems only.
constexpr std::int64_t kSmall = 1 << 14;

/// A tensor in device memory of its own.
class DeviceTensor {
 public:
  DeviceTensor(const TensorSpec& spec, Placement placement) : spec_(spec), placement_(std::move(placement)) {}
  DeviceTensor(DeviceTensor&& other) noexcept
      : spec_(other.spec_),
        placement_(std::move(other.placement_)),
        image_(std::move(other.image_)),
        memory_(std::exchange(other.memory_, nullptr)) {}
  ~DeviceTensor() {
    if (memory_ != nullptr) (void)tessera_runner_free(kDevice, memory_);
  }

  const TensorSpec& spec() const { return spec_; }
  TesseraTensor argument() const {
    return placement_.tensor(memory_, tessera_runner_is_twin() != 0 ? TESSERA_HOST : kDevice);
  }

  /// False when the runner failed.
  bool allocate() { return tessera_runner_allocate(kDevice, placement_.bytes(), &memory_) == 0; }
  bool put(const std::vector<double>& values) {
    image_ = placement_.write(values);
    return tessera_runner_copy_in(kDevice, memory_, image_.data(), placement_.bytes()) == 0;
  }
  bool poison() { return tessera_runner_fill(kDevice, memory_, kPoison, placement_.bytes()) == 0; }

  /// Whether an input is as it was put.
  bool unchanged() const { return read() == image_; }
  /// The elements of an output; `clean` tells whether everything around them is still poison.
  std::vector<double> take(bool& clean) const {
    std::vector<std::byte> bytes = read();
    std::vector<double> values = placement_.take(bytes);
    clean =
        std::ranges::all_of(bytes, [](std::byte byte) { return byte == static_cast<std::byte>(kPoison); });
    return values;
  }

 private:
  /// Empty when the runner failed, which shows as a change.
  std::vector<std::byte> read() const {
    std::vector<std::byte> bytes(static_cast<std::size_t>(placement_.bytes()));
    if (tessera_runner_copy_out(kDevice, bytes.data(), memory_, placement_.bytes()) != 0) bytes.clear();
    return bytes;
  }

  const TensorSpec& spec_;
  Placement placement_;
  std::vector<std::byte> image_;  // inputs
  void* memory_ = nullptr;
};

std::string status_text(const TesseraStatus& status) {
  char text[1024];
  tessera_status_message(&status, text, sizeof text);
  std::string result = text;
  for (int fault = 0; status.code == TESSERA_FAULT && fault < 4; ++fault) {
    if (tessera_runner_twin_fault(fault, text, sizeof text) == 0) result += std::string("\n      ") + text;
  }
  return result;
}

/// The tensors and scalars of a call, kept for all its variants.
class Call {
 public:
  Call(Entry entry, Problem& problem) : entry_(entry) {
    for (const reference::ScalarSpec& spec : problem.description().scalars) {
      const double value = problem.scalar(spec.name);
      TesseraScalar scalar;
      if (reference::format_of(spec.dtype).is_float())
        scalar.real = value;
      else
        scalar.integer = static_cast<std::int64_t>(value);
      scalars_.push_back(scalar);
    }
  }

  /// Brings the inputs to the device; false when the runner failed.
  bool prepare(Problem& problem, Layout layout) {
    for (const TensorSpec& spec : problem.description().tensors) {
      tensors_.emplace_back(spec, Placement(layout, spec, problem.shape(spec.name), tensors_.size()));
      DeviceTensor& tensor = tensors_.back();
      if (!tensor.allocate() || (!spec.output && !tensor.put(problem.values(spec.name)))) return false;
      arguments_.push_back(tensor.argument());
    }
    return true;
  }

  /// Runs one variant; absent when it does not exist or does not fit.
  std::optional<Run> run(int variant) {
    Run run{variant < 0 ? "chosen variant" : "variant " + std::to_string(variant), {}, {}};
    for (DeviceTensor& tensor : tensors_) {
      if (tensor.spec().output && !tensor.poison()) return run.error = tessera_runner_last_error(), run;
    }
    const TesseraLaunch launch{nullptr, variant < 0 ? 0 : TESSERA_VARIANT(variant), 0};
    const TesseraStatus status = entry_(arguments_.data(), scalars_.data(), &launch);
    if (status.code == TESSERA_UNKNOWN_VARIANT && variant >= 0) return std::nullopt;
    if (status.code != TESSERA_OK) return run.error = status_text(status), run;
    if (tessera_runner_synchronize(kDevice) != 0) return run.error = tessera_runner_last_error(), run;
    collect(run);
    return run;
  }

 private:
  void collect(Run& run) const {
    for (const DeviceTensor& tensor : tensors_) {
      const std::string& name = tensor.spec().name;
      bool clean = true;
      if (tensor.spec().output)
        run.outputs[name] = tensor.take(clean);
      else
        clean = tensor.unchanged();
      if (!clean)
        run.error += (run.error.empty() ? "" : "; ") + ("memory that is not an output's changed at " + name);
    }
  }

  Entry entry_;
  std::vector<DeviceTensor> tensors_;
  std::vector<TesseraTensor> arguments_;
  std::vector<TesseraScalar> scalars_;
};

}  // namespace

std::string LaunchExecutor::name() const { return tessera_runner_is_twin() != 0 ? "twin" : "gpu"; }

void LaunchExecutor::run(Problem& problem, Layout layout, const std::function<void(Run)>& take) {
  if (tessera_runner_is_twin() != 0) {
    (void)tessera_runner_twin_options(order_.schedule, order_.seed, -1);  // faults are kept, not printed
    (void)tessera_runner_twin_copies(order_.late_copies ? 1 : 0);
    (void)tessera_runner_twin_blocks(order_.most_blocks);
  }
  const Entry entry = find_(problem.description().kernel);
  if (entry == nullptr) return;
  Call call(entry, problem);
  if (!call.prepare(problem, layout)) return take({label_ + "preparation", tessera_runner_last_error(), {}});
  const bool small = element_count(problem.description(), problem.sizes()) <= kSmall;
  int ran = 0;
  for (int variant = small ? -1 : 0; variant < kMostVariants; ++variant) {
    if (std::optional<Run> run = call.run(variant)) {
      ran += variant >= 0 ? 1 : 0;
      run->how = label_ + run->how;
      take(std::move(*run));
    }
  }
  if (ran == 0) take({label_ + "all variants", "no variant fits", {}});
}

}  // namespace tessera::sweep
