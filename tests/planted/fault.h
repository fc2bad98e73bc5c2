// SPDX-License-Identifier: Apache-2.0
// A planted fault: what a compiler with a certain mistake would have made, and where the mistake is put.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "emit/emit.h"

namespace tessera::planted {

/// What a fault does to a program that has it.
enum class Effect {
  wrong_result,  ///< on some input the outputs are wrong, whatever the threads do
  hazard,        ///< outputs may be right by luck: races, reads past ends, what a later launch would notice
};

/// A text and what stands in its place.
struct Edit {
  std::string file;  ///< kGenerated, or a path from runtime/include, or from the repository's root
  std::string text;
  std::string replacement;
  int times = 1;  ///< how often the text is there, all of which are replaced; anything else is an error
};

/// The generated code of all kernels together. How often a text is there depends on plans: at least so many times.
inline constexpr const char* kGenerated = "generated";

/// One row of the table.
struct PlantedFault {
  std::string name;
  std::string group;
  Effect effect = Effect::wrong_result;
  std::optional<emit::Fault> lowered = {};  ///< in the lowered program
  std::vector<Edit> edits = {};             ///< in texts
  std::vector<std::string> options = {};    ///< more options of the compiler
  std::string equivalent =
      {};  ///< why no input can tell it from the right program: it is tried, and not counted
};

/// The groups, each with its table.
inline constexpr const char* kBarriers = "barriers and waits";
inline constexpr const char* kStages = "stages and wait counts";
inline constexpr const char* kMasks = "masks and padding";
inline constexpr const char* kOffsets = "widths of offsets";
inline constexpr const char* kLayouts = "layout maps";
inline constexpr const char* kTails = "tails and trips";
inline constexpr const char* kReductions = "reductions";
inline constexpr const char* kNumbers = "numbers";
inline constexpr const char* kLaunchers = "launchers";
inline constexpr const char* kWarpgroups = "warpgroups";
inline constexpr const char* kTurnedTiles = "turned tiles";
inline constexpr const char* kKeys = "cache keys";

void add_synchronisation_faults(std::vector<PlantedFault>& faults);
void add_mask_faults(std::vector<PlantedFault>& faults);
void add_layout_faults(std::vector<PlantedFault>& faults);
void add_reduction_faults(std::vector<PlantedFault>& faults);
void add_number_faults(std::vector<PlantedFault>& faults);
void add_launcher_faults(std::vector<PlantedFault>& faults);
void add_warpgroup_faults(std::vector<PlantedFault>& faults);
void add_key_faults(std::vector<PlantedFault>& faults);

/// The whole table.
std::vector<PlantedFault> all_faults();

}  // namespace tessera::planted
