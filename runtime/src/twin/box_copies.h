// SPDX-License-Identifier: Apache-2.0
// What the machine has to do with boxes that are on their way.
#pragma once

namespace tessera::twin {

/// A block begins: no box is on its way.
void begin_boxes();

/// Nobody can go on: one box more arrives, if there is one.
bool land_next_box();

}  // namespace tessera::twin
