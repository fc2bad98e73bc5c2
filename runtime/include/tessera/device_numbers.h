// SPDX-License-Identifier: Apache-2.0
// What is asked of each device once.
#pragma once

namespace tessera::detail {

/// A number of each device, asked for at the first use; launches come from any host thread, which at worst ask twice.
/// The compiler's own atomics: <atomic> takes nvcc longer to read than everything else here together.
class DeviceNumbers {
 public:
  static constexpr int kDevices = 64;

  /// `ask(device)` gives a number other than 0, or 0 for an error, which is asked again; 0 of devices beyond the table.
  template <typename Ask>
  int of(int device, Ask ask) {
    if (device < 0 || device >= kDevices) return 0;
    int number = __atomic_load_n(&numbers_[device], __ATOMIC_RELAXED);
    if (number == 0) {
      number = ask(device);
      __atomic_store_n(&numbers_[device], number, __ATOMIC_RELAXED);
    }
    return number;
  }

 private:
  int numbers_[kDevices] = {};
};

}  // namespace tessera::detail
