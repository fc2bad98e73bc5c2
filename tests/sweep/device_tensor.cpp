// SPDX-License-Identifier: Apache-2.0
// Device memory through the runner; see device_tensor.h.
#include "sweep/device_tensor.h"

#include <algorithm>

#include "tessera/runner.h"

namespace tessera::sweep {

namespace {

constexpr int kDevice = 0;
constexpr int kMostFaults = 4;

}  // namespace

DeviceTensor::~DeviceTensor() {
  if (memory_ != nullptr) (void)tessera_runner_free(kDevice, memory_);
}

TesseraTensor DeviceTensor::argument() const {
  return placement_.tensor(memory_, tessera_runner_is_twin() != 0 ? TESSERA_HOST : kDevice);
}

bool DeviceTensor::allocate() { return tessera_runner_allocate(kDevice, placement_.bytes(), &memory_) == 0; }

bool DeviceTensor::put(const std::vector<double>& values) {
  image_ = placement_.write(values);
  return tessera_runner_copy_in(kDevice, memory_, image_.data(), placement_.bytes()) == 0;
}

bool DeviceTensor::poison() {
  return tessera_runner_fill(kDevice, memory_, kPoison, placement_.bytes()) == 0;
}

std::vector<double> DeviceTensor::take(bool& is_clean) const {
  std::vector<std::byte> bytes = read();
  is_clean = !bytes.empty();
  if (!is_clean) return {};
  std::vector<double> values = placement_.take(bytes);
  is_clean =
      std::ranges::all_of(bytes, [](std::byte byte) { return byte == static_cast<std::byte>(kPoison); });
  return values;
}

std::vector<std::byte> DeviceTensor::read() const {
  std::vector<std::byte> bytes(static_cast<std::size_t>(placement_.bytes()));
  if (tessera_runner_copy_out(kDevice, bytes.data(), memory_, placement_.bytes()) != 0) bytes.clear();
  return bytes;
}

void set_order(const TwinOrder& order) {
  if (tessera_runner_is_twin() == 0) return;
  (void)tessera_runner_twin_options(order.schedule, order.seed, -1);
  (void)tessera_runner_twin_copies(order.late_copies ? 1 : 0);
  (void)tessera_runner_twin_blocks(order.most_blocks);
}

std::string status_text(const TesseraStatus& status) {
  char text[1024];
  tessera_status_message(&status, text, sizeof text);
  std::string result = text;
  for (int fault = 0; status.code == TESSERA_FAULT && fault < kMostFaults; ++fault) {
    if (tessera_runner_twin_fault(fault, text, sizeof text) == 0) result += std::string("\n      ") + text;
  }
  return result;
}

}  // namespace tessera::sweep
