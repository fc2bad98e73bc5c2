// SPDX-License-Identifier: Apache-2.0
// What went wrong in a run, as a value.
#pragma once

#include <string>

#include "base/source.h"

namespace tessera::interp {

struct Error {
  std::string message;  ///< one sentence without a full stop
  Span span;            ///< the statement or value at fault; not valid for arguments
};

}  // namespace tessera::interp
