// SPDX-License-Identifier: Apache-2.0
// Group sizes, vector widths and strips from the registers that a resident row takes, in closed form.
#include "emit/plan_variants.h"
#include "emit/tile_variants.h"

#include <fmt/format.h>

#include <algorithm>

#include "emit/held_values.h"
#include "emit/plan_extents.h"
#include "emit/plan_lanes.h"
#include "emit/plan_requests.h"
#include "sema/ir/extents.h"

namespace tessera::emit {

namespace {

constexpr int kTinyThreads = 8;  // for lanes that would leave most of a warp idle
constexpr int kAccessBytes = 16;
constexpr int kWidestOperandBytes = 32;  // two accesses for the widest type that moves with the narrowest
constexpr int kRegisterBudget = 64;      // of a thread, for what stays resident
constexpr int kMostStrips = 16;
constexpr int kWarpRows = 4;      // groups of a warp in a block of rows
constexpr int kRowThreads = 128;  // small groups meet sooner, and many of them hide each other's waits
constexpr int kRowStrips = 4;
constexpr int kScalarStrips = 8;  // element by element: what a vector would hold
constexpr int kBoundedStrips = 2;
constexpr int kUnreadStrips = 2;  // of a map that reads nothing ahead
constexpr int kMostMapStrips = 8;
constexpr int kMapRegisters = 32;  // of a thread, for what is read ahead
constexpr int kChunkRows = 8;
constexpr int kFewMoving = 16;          // registers, of vectors on their way
constexpr int kWorkingRegisters = 20;   // addresses, loop state, and an element under way
constexpr int kGroupRegisters = 8;      // more, where a block has several groups
constexpr int kRowRegisters = 16;       // more, where rows of an instance are units
constexpr int kFewThreads = 640;        // of a multiprocessor, at up to 100 registers each
constexpr int kShortBody = 40;          // values of an element
constexpr int kThreadsInFlight = 1024;  // of a multiprocessor: enough to hide memory's latency

int power_of_two_below(int64_t n) {
  int result = 1;
  while (result * 2 <= n) result *= 2;
  return result;
}

class VariantChooser {
 public:
  VariantChooser(KernelPlan& plan, const LoweredPhase& lowered, const PlanOverrides& overrides)
      : plan_(plan),
        kernel_(*plan.kernel),
        phase_(plan.phase),
        lowered_(lowered),
        overrides_(overrides),
        warps_(requested_warps(*plan.kernel, overrides)) {}

  void run() {
    const int widest = overrides_.vector.value_or(vector_width());
    std::vector<int> widths;
    if (phase_.has_vectors() && widest > 1) widths.push_back(widest);
    widths.push_back(1);
    const bool rows = phase_.has_row_functions();
    const bool chunked =
        std::all_of(phase_.lanes.begin(), phase_.lanes.end(), [](const Lane& lane) { return lane.chunked; });
    const bool ragged = !phase_.anchors.empty() && widths.size() > 1 && phase_.has_narrow_vectors(kernel_);
    if (phase_.staging) {
      staged_variants();
      direct_variants(widths, ragged);
      return;
    }
    if (rows) {
      ragged ? ragged_row_variants(widest) : plain_variants(widths, &VariantChooser::row_variants);
    } else if (chunked && fixed_extent() == 0) {
      ragged ? ragged_map_variants(widest) : plain_variants(widths, &VariantChooser::map_variants);
    } else {
      plain_variants(widths, &VariantChooser::bounded_variants);
      if (ragged) bounded_ragged_variant(widest);
    }
    // Only the last one may be without a condition, and it must be.
    const bool is_open = !phase_.variants.back().aligned && phase_.variants.back().lane_limit == 0;
    TESSERA_CHECK(is_open, "the last variant takes every launch");
  }

 private:
  // 16 bytes of the narrowest type that moves as a vector, unless the widest would then need more than two accesses.
  // Bytes among wider types move 8 at a time: twice as many would leave registers for few strips.
  int vector_width() const {
    uint32_t narrowest = 16, widest = 1;
    for (const AlignmentNeed& need : phase_.alignment) {
      const uint32_t bytes = size_in_bytes(kernel_.tensors[need.tensor].dtype);
      narrowest = std::min(narrowest, bytes);
      widest = std::max(widest, bytes * static_cast<uint32_t>(need.step));
    }
    if (widest > 1) narrowest = std::max(narrowest, 2u);
    return static_cast<int>(std::min<uint32_t>(kAccessBytes / narrowest, kWidestOperandBytes / widest));
  }

  // The extent that every lane has at most, when tiles or literals fix it; 0 otherwise.
  int64_t fixed_extent() const {
    int64_t greatest = 0;
    for (const Lane& lane : phase_.lanes) greatest = std::max(greatest, emit::fixed_extent(plan_, lane));
    return greatest;
  }

  int strips_in_budget(int width) const {
    const int bytes = std::max(lowered_.kept[0].bytes, 4) * width;
    return std::min(power_of_two_below(std::max(kRegisterBudget * 4 / bytes, 1)), kMostStrips);
  }

  // As many groups as have room for what each of them holds.
  int groups_in_room(int rows) const {
    const int64_t bytes = held_bytes_of_group(kernel_, phase_);
    while (rows > 1 && rows * bytes > kMostStaticBytes / 2) rows /= 2;
    return rows;
  }

  void add(std::string name, int function, int threads, int rows, int width, int strips, int64_t limit) {
    rows = groups_in_room(rows);
    phase_.variants.push_back({.name = std::move(name),
                               .function = function,
                               .threads = threads,
                               .rows = rows,
                               .vector = width,
                               .strips = strips,
                               .blocks = blocks_of(function, threads, rows, width, strips),
                               .aligned = width > 1,
                               .lane_limit = limit});
  }

  void plain_variants(const std::vector<int>& widths, void (VariantChooser::*choose)(int)) {
    for (int width : widths) (this->*choose)(width);
  }

  // The last variant added takes lines that begin anywhere: the vectors at their ends cost it part of one.
  void make_ragged() {
    Variant& variant = phase_.variants.back();
    variant.aligned = false;
    variant.ragged = true;
    if (variant.lane_limit > 0) variant.lane_limit -= variant.vector - 1;
    // What ends of lines take of registers is the compiler's business, but a few warps must find room.
    variant.blocks = has_short_body() ? most_blocks(variant.threads * variant.rows, kFewThreads) : 1;
  }

  // Rows of whole vectors and any rows: six variants in all.
  void ragged_row_variants(int width) {
    if (warps_) return requested_ragged_rows(width);
    const bool resident = phase_.functions[0].resident;
    const int function = static_cast<int>(phase_.functions.size()) - 1;
    const int strips = resident ? strips_in_budget(width) : streaming_strips(function, width);
    const bool small = resident && strips >= kRowStrips && !writes_copies();
    const int few = resident ? std::min(strips, small ? kRowStrips : kBoundedStrips) : strips;
    const int block = small ? kRowThreads : kBlockThreads;
    const auto rows = [&](const std::string& name, int threads, int groups, int held) {
      add(name, 0, threads, groups, width, held, resident ? int64_t{threads} * width * held : 0);
    };
    const auto short_rows = [&](const std::string& name, int held) {
      rows(name, kWarp, kWarpRows, held);
      if (!resident) phase_.variants.back().lane_limit = int64_t{kWarp} * width * 2;
    };
    short_rows("warp_vector", strips);
    rows("block_vector", resident ? block : streaming_threads(2 * kBlockThreads), 1, few);
    if (resident) rows("wide_vector", 2 * block, 1, few);
    short_rows("warp_ragged", std::min(strips, kRowStrips));
    make_ragged();
    if (resident) {
      rows("block_ragged", 2 * block, 1, small ? few - 1 : few);
      make_ragged();
    }
    add("streaming_ragged", function, streaming_threads(2 * kBlockThreads), 1, width,
        streaming_strips(function, width), 0);
    make_ragged();
  }

  // Vectors of a thread that are under way at once.
  int streaming_strips(int function, int width) const {
    const int registers = lowered_.kept[static_cast<size_t>(function)].bytes * width / 4;
    return registers == 0
               ? 1
               : std::clamp(power_of_two_below(std::max(kMapRegisters / 2 / registers, 1)), 1, kRowStrips);
  }

  void requested_ragged_rows(int width) {
    row_variants(width);
    const int function = static_cast<int>(phase_.functions.size()) - 1;
    add("streaming_ragged", function, *warps_ * kWarp, 1, width, streaming_strips(function, width), 0);
    make_ragged();
  }

  // Rows of which nothing is kept: a warp for short ones, a block for the others.
  void streaming_variants(int width) {
    const std::string kind = width > 1 ? "vector" : "any";
    if (warps_) return add(kind, 0, *warps_ * kWarp, 1, width, streaming_strips(0, width), 0);
    const int strips = streaming_strips(0, width);
    add("warp_" + kind, 0, kWarp, kWarpRows, width, strips, static_cast<int64_t>(kWarp) * width * 2);
    add("block_" + kind, 0, streaming_threads(4 * kBlockThreads), 1, width, strips, 0);
  }

  void row_variants(int width) {
    if (!phase_.functions[0].resident) return streaming_variants(width);
    const std::string kind = width > 1 ? "vector" : "any";
    const int strips = strips_in_budget(width);
    const bool small = width > 1 && strips >= kRowStrips && !writes_copies();
    const int block = warps_ ? *warps_ * kWarp : small ? kRowThreads : kBlockThreads;
    const int streaming = warps_ ? block : streaming_threads(width > 1 ? 2 * kBlockThreads : kBlockThreads);
    if ((!warps_ && width > 1) || (warps_ && *warps_ == 1))
      add("warp_" + kind, 0, kWarp, warps_ ? 1 : kWarpRows, width, strips,
          static_cast<int64_t>(kWarp) * width * strips);
    const int few = warps_ ? strips
                           : std::min(strips, small       ? kRowStrips
                                              : width > 1 ? kBoundedStrips
                                                          : kScalarStrips);
    if (block > kWarp)
      add("block_" + kind, 0, block, 1, width, few, static_cast<int64_t>(block) * width * few);
    if (!warps_ && width > 1)
      add("wide_" + kind, 0, 2 * block, 1, width, few, static_cast<int64_t>(2 * block) * width * few);
    add("streaming_" + kind, 1, streaming, 1, width, streaming_strips(1, width), 0);
  }

  // A warp for a row of the tile, as many groups as the block has warps.
  void staged_variants() {
    uint32_t widest = 1;
    for (ir::ValueId load : phase_.staging->loads)
      widest = std::max(widest, size_in_bytes(kernel_.values[load].dtype));
    const int64_t fixed = phase_.lanes[0].tile;
    const int64_t strips = fixed > 0 ? (fixed + kWarp - 1) / kWarp : widest <= 2 ? 2 : 1;
    add("tile", 0, kWarp, warps_.value_or(kChunkRows), 1, static_cast<int>(strips), 0);
    phase_.variants.back().blocks = staged_blocks(phase_.variants.back());
    // Tiles of few rows would leave most of their threads idle: then each thread reads for itself.
    phase_.variants.back().rows_least = kWarp / 2;
  }

  void direct_variants(const std::vector<int>& widths, bool ragged) {
    const int rows = warps_.value_or(kChunkRows);
    const int64_t fixed = phase_.lanes[0].tile;
    for (int width : widths) {
      const int64_t held = int64_t{kWarp} * width;
      const int strips = fixed > 0 ? static_cast<int>((fixed + held - 1) / held) : map_strips(1, width);
      add(width > 1 ? "direct_vector" : "direct_any", 1, kWarp, rows, width, strips, 0);
      if (!ragged) continue;
      add("direct_ragged", 1, kWarp, rows, width, fixed > 0 ? strips : 1, 0);
      return make_ragged();
    }
  }

  // A tile's way through shared memory waits most of the time: the more blocks the better.
  int staged_blocks(const Variant& variant) const {
    if (!has_short_body()) return 1;
    const int threads = variant.threads * variant.rows;
    const auto registers = static_cast<int>(24 + 8 * phase_.staging->loads.size());
    return std::clamp(plan_.target->registers_per_multiprocessor / (registers * threads), 1,
                      most_blocks(threads, plan_.target->threads_per_multiprocessor));
  }

  void map_variants(int width) {
    const std::string kind = width > 1 ? "vector" : "any";
    const int strips = map_strips(0, width);
    if (warps_) return add(kind, 0, *warps_ * kWarp, 1, width, strips, 0);
    add("tiny_" + kind, 0, kTinyThreads, kBlockThreads / kTinyThreads, width, phase_.strip_axis ? strips : 1,
        static_cast<int64_t>(kTinyThreads) * width);
    const int64_t narrow =
        phase_.has_neighbour_groups() ? 0 : static_cast<int64_t>(kWarp) * width * kChunkRows;
    add("narrow_" + kind, 0, kWarp, kChunkRows, width, phase_.strip_axis || narrow == 0 ? strips : 1, narrow);
    if (narrow > 0) add("wide_" + kind, 0, kBlockThreads, 1, width, strips, 0);
  }

  // Lines of whole vectors and any lines. The shortest ones have more ends than vectors: they go element by element.
  void ragged_map_variants(int width) {
    const int function = static_cast<int>(phase_.functions.size()) - 1;
    if (warps_) {
      map_variants(width);
      add("ragged", function, *warps_ * kWarp, 1, width, map_strips(function, width), 0);
      return make_ragged();
    }
    map_variants(width);
    const int strips = phase_.strip_axis ? map_strips(0, 1) : 1;
    add("tiny_any", 0, kTinyThreads, kBlockThreads / kTinyThreads, 1, strips, kTinyThreads);
    add("narrow_ragged", function, kWarp, kChunkRows, width, map_strips(function, width), 0);
    make_ragged();
  }

  // As many as registers hold of what is read ahead.
  int map_strips(int function, int width) const {
    const int bytes = lowered_.kept[static_cast<size_t>(function)].bytes;
    if (!phase_.windows.empty()) return 1;
    if (bytes == 0) return has_short_body() ? kUnreadStrips : 1;
    const int registers = std::max(bytes * width / 4, 1);
    return std::clamp(power_of_two_below(std::max(kMapRegisters / registers, 1)), 1, kMostMapStrips);
  }

  // Blocks that a multiprocessor holds if a thread has the registers that it needs, and no more. What a long body needs, or
  // loops that fold what is held, is the compiler's business.
  int blocks_of(int function, int group, int rows, int width, int strips) const {
    if (!has_short_body() || !phase_.held.empty()) return 1;
    const Kept& kept = lowered_.kept[static_cast<size_t>(function)];
    const int threads = group * rows;
    int moving = 0;  // in vectors beside what is kept
    for (ir::ValueId load : phase_.vector_loads)
      if (!kept.values.contains(load))
        moving += static_cast<int>(size_in_bytes(kernel_.values[load].dtype)) * width / 4;
    for (const ir::Write* write : phase_.vector_writes)
      moving += static_cast<int>(size_in_bytes(kernel_.tensors[write->tensor].dtype)) * width / 4;
    if (moving > kFewMoving) return 1;
    const int registers = kWorkingRegisters + (rows > 1 ? kGroupRegisters : 0) +
                          (has_units_inside() ? kRowRegisters : 0) + moving + kept.bytes * width * strips / 4;
    const int granule = (registers + 7) / 8 * 8;
    return std::clamp(plan_.target->registers_per_multiprocessor / (granule * threads), 1,
                      most_blocks(threads, kThreadsInFlight));
  }

  // Whether rows of an instance are units.
  bool has_units_inside() const {
    return std::ranges::any_of(phase_.units, [&](const UnitAxis& unit) {
      return !unit.is_chunk && kernel_.axes[unit.axis].kind == ir::AxisKind::let;
    });
  }

  // Of so many threads that all have no more than those.
  int most_blocks(int threads, int all) const {
    return std::clamp(all / threads, 1, plan_.target->blocks_per_multiprocessor);
  }

  bool has_short_body() const {
    if (!phase_.windows.empty()) return false;  // they take registers of their own
    int count = 0;
    for (const auto& [value, dependence] : phase_.analysis.dependence) {
      if (size_in_bytes(kernel_.values[value].dtype) > 4 && is_float(kernel_.values[value].dtype))
        return false;
      count += std::any_of(dependence.axes.begin(), dependence.axes.end(), [&](ir::AxisId axis) {
        return phase_.is_lane(axis) || phase_.role(axis) != Role::unit;
      });
    }
    return count <= kShortBody && !writes_copies();
  }

  // Long rows are read again from the second level cache: the fewer of them are under way, the more of each it holds.
  int streaming_threads(int most) const { return has_short_body() ? most : kBlockThreads; }

  // Copies for each coordinate of an axis, or loops of a window that the compiler writes out.
  bool writes_copies() const {
    return std::any_of(phase_.roles.begin(), phase_.roles.end(), [&](const auto& role) {
      return role.second == Role::unrolled ||
             (role.second == Role::serial && ir::constant_extent(kernel_, plan_.sizes, role.first));
    });
  }

  static int64_t divide_up(int64_t count, int64_t by) { return (count + by - 1) / by; }

  // The extent is known: as many threads as it keeps busy, and strips for the rest.
  void bounded_variants(int width) {
    const int64_t extent = std::max<int64_t>(fixed_extent(), 1);
    const int64_t wanted = divide_up(extent, width);
    int threads =
        warps_ ? *warps_ * kWarp
               : static_cast<int>(std::clamp<int64_t>(divide_up(wanted, kWarp), 1, kBlockThreads / kWarp)) *
                     kWarp;
    if (fixed_extent() == 0) threads = warps_ ? *warps_ * kWarp : kBlockThreads;
    const int rows = warps_ || threads > kWarp ? 1 : kWarpRows;
    const int64_t strips =
        fixed_extent() == 0 ? std::min(strips_in_budget(width), kBoundedStrips) : divide_up(wanted, threads);
    add(width > 1 ? "vector" : "any", 0, threads, rows, width, static_cast<int>(strips), 0);
  }

  // In place of the variant for any strides, with as many strips as the overhang needs.
  void bounded_ragged_variant(int width) {
    phase_.variants.pop_back();
    Variant ragged = phase_.variants.back();
    ragged.name = "ragged";
    ragged.aligned = false;
    ragged.ragged = true;
    const int64_t held = int64_t{ragged.threads} * width;
    // Beside what is a multiple of them the overhang takes one strip more, or two.
    const int64_t rest = fixed_extent() % held;
    if (fixed_extent() > 0)
      ragged.strips = static_cast<int>(fixed_extent() / held + divide_up(rest + width - 1, held));
    ragged.blocks = 1;
    phase_.variants.push_back(ragged);
  }

  KernelPlan& plan_;
  const ir::Kernel& kernel_;
  PhasePlan& phase_;
  const LoweredPhase& lowered_;
  const PlanOverrides& overrides_;
  std::optional<int> warps_;
};

}  // namespace

void choose_variants(KernelPlan& plan, const LoweredPhase& lowered, const PlanOverrides& overrides) {
  if (!plan.tiles.empty()) return choose_tile_variants(plan);
  VariantChooser(plan, lowered, overrides).run();
  std::string names;
  for (ir::ValueId value : lowered.kept[0].values) {
    const std::string& name = plan.kernel->values[value].name;
    names += (names.empty() ? "" : ", ") + (name.empty() ? std::string("a load") : "`" + name + "`");
  }
  if (!names.empty())
    plan.phase.reasons.push_back(
        fmt::format("registers keep {} ({} bytes for each element)", names, lowered.kept[0].bytes));
}

}  // namespace tessera::emit
