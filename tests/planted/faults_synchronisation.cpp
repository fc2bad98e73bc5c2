// SPDX-License-Identifier: Apache-2.0
// Barriers, waits and stages that are missing, elsewhere, or one off.
#include "planted/fault.h"

namespace tessera::planted {

namespace {

constexpr const char* kGroup = "tessera/group.h";
constexpr const char* kFragmentGroup = "tessera/fragment_group.h";

PlantedFault hazard(const char* group, const char* name, std::vector<Edit> edits) {
  return {.name = name, .group = group, .effect = Effect::hazard, .edits = std::move(edits)};
}

void add_barrier_faults(std::vector<PlantedFault>& faults) {
  for (int number = 0; number < 4; ++number) {
    faults.push_back({.name = "barrier number " + std::to_string(number) + " left out",
                      .group = kBarriers,
                      .effect = Effect::hazard,
                      .lowered = emit::Fault{emit::Fault::Kind::barrier, number}});
  }
  const auto add = [&](const char* name, const char* file, const char* text, const char* replacement) {
    faults.push_back(hazard(kBarriers, name, {{file, text, replacement}}));
  };
  add("no barrier before a stage is read", kGenerated,
      "barrier();  // this tile has arrived, and the one before is read", "");
  add("barrier of a warp before a stage is read", kGenerated,
      "barrier();  // this tile has arrived, and the one before is read", "warp_barrier();");
  add("barrier in front of the wait", kGenerated,
      "ptx::cp_async_wait_group<kStages - 2>();\n      barrier();  // this tile has arrived, and the one "
      "before is read",
      "barrier();\n      ptx::cp_async_wait_group<kStages - 2>();");
  add("stage filled in front of the barrier", kGenerated,
      "barrier();  // this tile has arrived, and the one before is read\n      fill_k(k_next, k_tile + "
      "kStages - 1);",
      "fill_k(k_next, k_tile + kStages - 1);\n      barrier();");
  add("no barrier between two tiles of a block", kGenerated,
      "barrier();  // everyone has read the tiles before", "");
  add("no barrier behind a filled tile", kGenerated, "barrier();  // the tile is complete", "");
  add("no barrier before a tile is overwritten", kGenerated,
      "barrier();  // everyone has read the tile before the next one overwrites it", "");
  add("no barrier behind shifted lines", kGenerated, "barrier();  // all lines are in place", "");
  add("warps combine rows without a barrier", kFragmentGroup, "    barrier(where);\n", "");
  add("warps combine rows in one buffer", kFragmentGroup, "    buffer_ ^=\n        1;", "    ");
  add("barrier for leaders alone", kFragmentGroup, "    barrier(where);\n",
      "    if (leads) barrier(where);\n");
  add("warps of a group combine without a barrier", kGroup, "    sync(where);\n", "");
  add("warps of a group combine in one buffer", kGroup, "    buffer_ ^= 1;", "    ");
  add("barrier of a group is one of a warp", kGroup,
      "    if constexpr (kGroups == 1 && kThreads > kWarpThreads) {\n      barrier(where);",
      "    if constexpr (kGroups == 1 && kThreads > kWarpThreads) {\n      warp_barrier(0xffffffffu, "
      "where);");
  add("shuffle among all lanes where a part takes part", kGroup,
      "return kFirst << (thread_index() % kWarpThreads / kLanes * kLanes);", "return kFirst;");
  faults.back().equivalent =
      "no plan gives a reduction less than a warp; tests of the runtime see such groups";
  add("lines shifted without a barrier of the warp", "tessera/shifted_copy.h",
      "      warp_barrier(0xffffffffu, raw.fill.where);\n", "");
}

void add_stage_faults(std::vector<PlantedFault>& faults) {
  const auto add = [&](const char* name, const char* file, const char* text, const char* replacement) {
    faults.push_back(hazard(kStages, name, {{file, text, replacement}}));
  };
  const auto add_wrong = [&](const char* name, const char* file, const char* text, const char* replacement) {
    faults.push_back({.name = name, .group = kStages, .edits = {{file, text, replacement}}});
  };
  add("waits for one group less", kGenerated, "cp_async_wait_group<kStages - 2>",
      "cp_async_wait_group<kStages - 1>");
  add("no wait", kGenerated, "ptx::cp_async_wait_group<kStages - 2>();", "");
  add("groups never closed", kGenerated, "ptx::cp_async_commit_group();", "");
  add("no group closed where no tile is left", kGenerated, "      }\n      ptx::cp_async_commit_group();",
      "      ptx::cp_async_commit_group();\n      }");
  add("fills the stage that is read", kGenerated, "fill_k(k_next, k_tile + kStages - 1)",
      "fill_k(k_stage, k_tile + kStages - 1)");
  add_wrong("fills with the tile behind the next", kGenerated, "fill_k(k_next, k_tile + kStages - 1)",
            "fill_k(k_next, k_tile + kStages)");
  add_wrong("one stage less before the loop", kGenerated, "stage < kStages - 1; ++stage) fill_k",
            "stage < kStages - 2; ++stage) fill_k");
  add_wrong("stages begin again one later", kGenerated, "k_stage + 1 == kStages ? 0",
            "k_stage == kStages ? 0");
  add_wrong("the stage to fill never changes", kGenerated, "k_next = k_stage;", "");
  add_wrong("first stage to fill one off", kGenerated, "int k_next = kStages - 1;", "int k_next = 0;");
  add_wrong("reads the stage behind", kGenerated, "k_stage = k_stage + 1 == kStages ? 0 : k_stage + 1",
            "k_stage = k_stage");
  add("room for one stage less", "tessera/operand_tile.h", "kRoom = kStages * Tile::kRoom",
      "kRoom = (kStages - 1) * Tile::kRoom");
  add("stages without room for ends", "tessera/operand_tile.h", "number * Tile::kRoom}",
      "number * Tile::kCount}");
  add("second operand over the first", kGenerated, "RingA::kRoomBytes, RingB::kRoom",
      "RingA::kRoom, RingB::kRoom");
  add("too little shared memory asked for", "tessera/launch.h", "{blocks.count, threads.count, shared.bytes,",
      "{blocks.count, threads.count, shared.bytes - 16,");
  add_wrong("operands read ahead into those in use", "tessera/multiply.h",
            "rows.load(row_parts[step % 2], step);", "rows.load(row_parts[0], step);");
}

}  // namespace

void add_synchronisation_faults(std::vector<PlantedFault>& faults) {
  add_barrier_faults(faults);
  add_stage_faults(faults);
}

}  // namespace tessera::planted
