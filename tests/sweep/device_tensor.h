// SPDX-License-Identifier: Apache-2.0
// Tensors in the memory where kernels run, on a GPU or on the host twin, and how the twin runs them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sweep/placement.h"
#include "tessera/abi.h"

namespace tessera::sweep {

/// A tensor in device memory of its own.
class DeviceTensor {
 public:
  explicit DeviceTensor(Placement placement) : placement_(std::move(placement)) {}
  DeviceTensor(DeviceTensor&& other) noexcept
      : placement_(std::move(other.placement_)),
        image_(std::move(other.image_)),
        memory_(std::exchange(other.memory_, nullptr)) {}
  ~DeviceTensor();

  TesseraTensor argument() const;

  /// These are false when the runner failed.
  bool allocate();
  bool put(const std::vector<double>& values);
  bool poison();

  /// Whether an input is as it was put.
  bool is_unchanged() const { return read() == image_; }
  /// The elements of an output; `is_clean` tells whether everything around them is still poison.
  std::vector<double> take(bool& is_clean) const;

 private:
  /// Empty when the runner failed, which shows as a change.
  std::vector<std::byte> read() const;

  Placement placement_;
  std::vector<std::byte> image_;  // inputs
  void* memory_ = nullptr;
};

/// In what order the host twin runs threads, when the bytes of asynchronous copies arrive, how many blocks there are; a
/// GPU does not ask.
struct TwinOrder {
  int schedule = 0;  ///< as for tessera_runner_twin_options
  std::uint64_t seed = 0;
  bool late_copies = false;
  std::int64_t most_blocks = 0;  ///< 0: as many as the launcher wants
};

struct NamedOrder {
  const char* name;
  TwinOrder order;
};
/// Orders that differ in everything.
inline constexpr NamedOrder kTwinOrders[] = {
    {"forward, copies late, 2 blocks", {.late_copies = true, .most_blocks = 2}},
    {"reverse, copies early", {.schedule = 1}},
    {"random 7, copies late", {.schedule = 2, .seed = 7, .late_copies = true}},
    {"random 8, copies early, 1 block", {.schedule = 2, .seed = 8, .most_blocks = 1}},
};

/// For the launches of this thread from now on, whose faults are kept instead of printed. Does nothing on a GPU.
void set_order(const TwinOrder& order);

/// The message of a launch, and the twin's faults.
std::string status_text(const TesseraStatus& status);

}  // namespace tessera::sweep
