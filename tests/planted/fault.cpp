// SPDX-License-Identifier: Apache-2.0
// The table of all groups.
#include "planted/fault.h"

namespace tessera::planted {

std::vector<PlantedFault> all_faults() {
  std::vector<PlantedFault> faults;
  add_synchronisation_faults(faults);
  add_mask_faults(faults);
  add_layout_faults(faults);
  add_reduction_faults(faults);
  add_number_faults(faults);
  add_launcher_faults(faults);
  add_warpgroup_faults(faults);
  add_key_faults(faults);
  return faults;
}

}  // namespace tessera::planted
