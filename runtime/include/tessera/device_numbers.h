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

  /// The same of the device `current()`, which is asked for only where the `count()` devices differ: it is asked for often,
  /// and few machines have several kinds.
  template <typename Count, typename Current, typename Ask>
  int of_current(Count count, Current current, Ask ask) {
    int common = __atomic_load_n(&common_, __ATOMIC_RELAXED);
    if (common == 0) {
      common = of_all(count(), ask);
      __atomic_store_n(&common_, common, __ATOMIC_RELAXED);
    }
    return common > 0 ? common : of(current(), ask);
  }

 private:
  static constexpr int kDiffer = -1;

  /// What all of so many devices have, or kDiffer; 0 for an error.
  template <typename Ask>
  int of_all(int count, Ask ask) {
    if (count > kDevices) return kDiffer;
    int all = 0;
    for (int device = 0; device < count; ++device) {
      const int number = of(device, ask);
      if (number == 0) return 0;
      if (all != 0 && number != all) return kDiffer;
      all = number;
    }
    return all;
  }

  int numbers_[kDevices] = {};
  int common_ = 0;
};

}  // namespace tessera::detail
