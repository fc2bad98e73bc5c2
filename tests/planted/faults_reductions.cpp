// SPDX-License-Identifier: Apache-2.0
// Reductions: identities, orders, partial results that are lost or counted twice.
#include "planted/fault.h"

namespace tessera::planted {

namespace {

constexpr const char* kGroup = "tessera/group.h";
constexpr const char* kFragmentGroup = "tessera/fragment_group.h";
constexpr const char* kOperations = "tessera/reductions.h";
constexpr const char* kNumbersHeader = "tessera/numbers.h";

}  // namespace

void add_reduction_faults(std::vector<PlantedFault>& faults) {
  for (int number = 0; number < 3; ++number) {
    faults.push_back({.name = "start value number " + std::to_string(number) + " left out",
                      .group = kReductions,
                      .lowered = emit::Fault{emit::Fault::Kind::initialisation, number}});
  }
  const auto add = [&](const char* name, const char* file, const char* text, const char* replacement,
                       int times = 1) {
    faults.push_back({.name = name, .group = kReductions, .edits = {{file, text, replacement, times}}});
  };
  add("maxima start from zero", kNumbersHeader, "    return detail::kLowest<T>;", "    return T{};");
  add("maxima of narrow floats start from zero", kNumbersHeader, "highest<T>().bits | kSignBit", "0");
  add("minima start from zero", kNumbersHeader, "    return detail::kHighest<T>;", "    return T{};");
  add("sums start from one", kGenerated, "float sum_c = 0.0f", "float sum_c = 1.0f");
  add("sums of products start from one", kGenerated, "acc.fill(0.0f)", "acc.fill(1.0f)");
  add("neighbouring lanes are not combined", kGroup, "distance = kLanes / 2; distance > 0;",
      "distance = kLanes / 2; distance > 1;");
  add("halves of a warp are not combined", kGroup, "distance = kLanes / 2; distance > 0;",
      "distance = kLanes / 4; distance > 0;");
  add("the last warp is lost", kGroup, "warp = 1; warp < kWarps;", "warp = 1; warp < kWarps - 1;");
  add("the first warp counts twice", kGroup, "warp = 1; warp < kWarps;", "warp = 0; warp < kWarps;");
  add("of many warps neighbours are not combined", kGroup, "distance = kWarps / 2; distance > 0;",
      "distance = kWarps / 2; distance > 1;");
  add("lanes of a row: half of them", kFragmentGroup, "combine_lanes<1, 2>", "combine_lanes<1, 1>");
  add("lanes of a column: half of them", kFragmentGroup, "combine_lanes<4, 16>", "combine_lanes<4, 8>");
  add("the second warp of a row is lost", kFragmentGroup, "other = 1; other < kWarps;",
      "other = 2; other < kWarps;");
  add("one column of a warp's four has a leader", kFragmentGroup, "thread_index() % kWarpThreads < 4",
      "thread_index() % kWarpThreads < 3");
  add("warps take each other's buffer", kFragmentGroup,
      "partial.store(first + warp * kLength + position(slot)", "partial.store(first + position(slot)");
  add("the last of equal extremes", kOperations, "(a.position < b.position)", "(a.position > b.position)");
  add("the last of equal extremes of a thread", kOperations,
      "detail::as_number(a.value) <= detail::as_number(b.value)",
      "detail::as_number(a.value) < detail::as_number(b.value)");
  add("a position in a tile taken for one in the tensor", kGenerated,
      "c_first + argmin_c_partial[slot].position", "argmin_c_partial[item].position");
  add("a NaN is no extreme of positions", kOperations, "(a_is_nan & !b_is_nan)", "(b_is_nan & !a_is_nan)");
  add("a NaN is no maximum", kNumbersHeader, "return math::max(a, b);", "return a < b ? b : a;");
  add("a maximum of narrow floats keeps no NaN", kNumbersHeader,
      "from_float<T>(math::max(to_float(a), to_float(b)))", "(to_float(a) < to_float(b) ? b : a)");
  add("sums of positions instead of values", kOperations,
      "detail::as_number(a.value) > detail::as_number(b.value)", "a.position > b.position");
  add("a sum of integers keeps the larger", kOperations, "return integer::add(a, b);",
      "return a < b ? b : a;");
  add("a sum of floats keeps the larger", kOperations, "      return a + b;", "      return a < b ? b : a;");
}

}  // namespace tessera::planted
