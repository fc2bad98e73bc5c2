// SPDX-License-Identifier: Apache-2.0
// Faults of cache keys: a copy of the driver with the fault is loaded, and asked for the keys of many requests.
#pragma once

#include <optional>
#include <string>

#include "planted/fault.h"
#include "planted/trial.h"

namespace tessera::planted {

/// Nothing when every difference between two requests is one between their keys.
std::optional<Kill> try_keys(const PlantedFault& fault);

/// Prints the key of a request as the driver in a shared object makes it; an exit code.
int print_key(const char* object);

}  // namespace tessera::planted
