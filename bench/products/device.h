// SPDX-License-Identifier: Apache-2.0
// What the device is, and how fast it could be.
#pragma once

#include <string>

#include "cases.h"

namespace bench {

struct Device {
  std::string name;
  int major = 0, minor = 0;
  int multiprocessors = 0;
  std::int64_t cache_bytes = 0;
  double memory_bytes_per_second = 0;  ///< what its memory's clock and width say
};

/// The current device. Throws where there is none.
Device current_device();

/// What a copy within the device reaches, in bytes read and written per second.
double copy_bytes_per_second();

/// The least seconds of a product: of its operations or of its bytes, whatever takes longer; 0 where the table of types
/// does not know the chip.
double least_seconds(const Device& device, const Case& product);

}  // namespace bench
