// SPDX-License-Identifier: Apache-2.0
// Launches on the host twin; see twin_call.h.
#include "fuzz/twin_call.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include "fuzz/choices.h"
#include "fuzz/oracle.h"
#include "sweep/placement.h"
#include "tessera/runner.h"
#include "tessera/twin/machine.h"

namespace tessera::fuzz {

namespace {

using sweep::Layout;
using sweep::Placement;

constexpr int kMostVariants = 32;

struct Schedule {
  const char* name;
  int schedule;
  std::uint64_t seed;
  twin::Copies copies;
};
constexpr Schedule kSchedules[] = {{"forward, copies late", 0, 0, twin::Copies::late},
                                   {"reverse, copies early", 1, 0, twin::Copies::early},
                                   {"random 7, copies late", 2, 7, twin::Copies::late},
                                   {"random 8, copies early", 2, 8, twin::Copies::early}};

/// Inputs with stride 0 are left out: their elements are not those of the evaluation.
constexpr Layout kFuzzedLayouts[] = {Layout::dense,  Layout::dense,      Layout::misaligned, Layout::pitched,
                                     Layout::padded, Layout::transposed, Layout::spread,     Layout::mixed};

/// The memory of one tensor.
class Memory {
 public:
  Memory(const Tensor& tensor, Placement placement) : tensor_(tensor), placement_(std::move(placement)) {
    (void)tessera_runner_allocate(0, placement_.bytes(), &memory_);
  }
  Memory(Memory&& other) noexcept
      : tensor_(other.tensor_),
        placement_(std::move(other.placement_)),
        image_(std::move(other.image_)),
        memory_(std::exchange(other.memory_, nullptr)) {}
  ~Memory() {
    if (memory_ != nullptr) (void)tessera_runner_free(0, memory_);
  }

  const Tensor& tensor() const { return tensor_; }
  TesseraTensor argument() const { return placement_.tensor(memory_, TESSERA_HOST); }
  void put(const std::vector<double>& values) {
    image_ = placement_.write(values);
    std::memcpy(memory_, image_.data(), image_.size());
  }
  void poison() { std::memset(memory_, sweep::kPoison, static_cast<std::size_t>(placement_.bytes())); }

  bool is_unchanged() const { return std::memcmp(memory_, image_.data(), image_.size()) == 0; }
  std::vector<double> take(bool& is_clean) const {
    const auto* bytes = static_cast<const std::byte*>(memory_);
    std::vector<std::byte> copy(bytes, bytes + placement_.bytes());
    std::vector<double> values = placement_.take(copy);
    is_clean = std::ranges::all_of(copy, [](std::byte byte) { return byte == std::byte{sweep::kPoison}; });
    return values;
  }

 private:
  const Tensor& tensor_;
  Placement placement_;
  std::vector<std::byte> image_;
  void* memory_ = nullptr;
};

std::vector<Memory> place(const Program& program, int problem, Layout layout) {
  std::vector<Memory> memories;
  for (std::size_t i = 0; i < program.tensors.size(); ++i) {
    const Tensor& tensor = program.tensors[i];
    reference::TensorSpec spec;
    spec.name = tensor.name;
    spec.dtype = spelling(tensor.type);
    spec.output = tensor.is_output;
    memories.emplace_back(tensor, Placement(layout, spec, shape_of(program, tensor, problem), i));
    if (!tensor.is_output) memories.back().put(input_values(program, static_cast<int>(i), problem));
  }
  return memories;
}

std::string status_text(const TesseraStatus& status) {
  char text[1024];
  tessera_status_message(&status, text, sizeof text);
  std::string result = text;
  for (int fault = 0; status.code == TESSERA_FAULT && fault < 3; ++fault) {
    if (tessera_runner_twin_fault(fault, text, sizeof text) == 0) result += std::string("; ") + text;
  }
  return result;
}

std::string judge(const std::vector<Memory>& memories, const Expected& expected) {
  for (const Memory& memory : memories) {
    bool is_clean = true;
    if (!memory.tensor().is_output) {
      is_clean = memory.is_unchanged();
    } else {
      const std::string wrong = difference(expected, memory.tensor().name, memory.take(is_clean));
      if (!wrong.empty()) return "wrong result: " + wrong;
    }
    if (!is_clean) return "memory that is not an output's changed at " + memory.tensor().name;
  }
  return {};
}

/// Runs one variant; absent when it does not exist or does not fit.
std::optional<std::string> run_variant(sweep::Entry entry, std::vector<Memory>& memories, int variant,
                                       const Expected& expected) {
  std::vector<TesseraTensor> arguments;
  for (Memory& memory : memories) {
    if (memory.tensor().is_output) memory.poison();
    arguments.push_back(memory.argument());
  }
  const TesseraLaunch launch{nullptr, variant < 0 ? 0 : TESSERA_VARIANT(variant), 0};
  const TesseraStatus status = entry(arguments.data(), nullptr, &launch);
  if (status.code == TESSERA_UNKNOWN_VARIANT && variant >= 0) return std::nullopt;
  if (status.code != TESSERA_OK) return "status: " + status_text(status);
  return judge(memories, expected);
}

}  // namespace

std::string run_on_twin(sweep::Entry entry, const Program& program, int problem, const Expected& expected,
                        std::uint64_t seed, std::size_t& runs) {
  Choices choices(seed * 31 + static_cast<std::uint64_t>(problem));
  int next_variant = 0;
  for (const Schedule& schedule : kSchedules) {
    const Layout layout = kFuzzedLayouts[choices.between(0, std::size(kFuzzedLayouts) - 1)];
    (void)tessera_runner_twin_options(schedule.schedule, schedule.seed, -1);
    twin::options().copies = schedule.copies;
    std::vector<Memory> memories = place(program, problem, layout);
    const bool is_last = &schedule == std::end(kSchedules) - 1;
    const int until = is_last ? kMostVariants : next_variant + 1;
    for (int variant = -1; variant < until; variant = variant < 0 ? next_variant : variant + 1) {
      if (variant >= 0) next_variant = variant + 1;
      const std::optional<std::string> wrong = run_variant(entry, memories, variant, expected);
      if (!wrong) continue;
      ++runs;
      if (wrong->empty()) continue;
      return *wrong + " (problem " + std::to_string(problem) + ", " + sweep::to_string(layout) + ", " +
             (variant < 0 ? "chosen variant" : "variant " + std::to_string(variant)) + ", " + schedule.name +
             ")";
    }
  }
  return {};
}

}  // namespace tessera::fuzz
