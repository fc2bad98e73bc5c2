// SPDX-License-Identifier: Apache-2.0
// Masks that are wrong or missing, numbers in place of what does not exist, ends of loops, widths of offsets.
#include "planted/fault.h"

namespace tessera::planted {

namespace {

constexpr const char* kPart = "tessera/part.h";
constexpr const char* kWindow = "tessera/plane_window.h";
constexpr const char* kFill = "tessera/fill_tile.h";
constexpr const char* kView = "tessera/view.h";
constexpr const char* kPlane = "tessera/plane.h";
constexpr const char* kPositions = "tessera/positions.h";

struct Adder {
  std::vector<PlantedFault>& faults;
  const char* group;

  void operator()(const char* name, const char* file, const char* text, const char* replacement,
                  int times = 1) const {
    faults.push_back({.name = name, .group = group, .edits = {{file, text, replacement, times}}});
  }
};

void add_masks(std::vector<PlantedFault>& faults) {
  using Kind = emit::Fault::Kind;
  const auto add_lowered = [&](const char* name, Kind kind, int number) {
    faults.push_back({.name = name + std::string(" number ") + std::to_string(number) + " left out",
                      .group = kMasks,
                      .lowered = emit::Fault{kind, number}});
  };
  for (int number = 0; number < 3; ++number) add_lowered("guard", Kind::guard, number);
  for (int number = 0; number < 2; ++number) add_lowered("mask", Kind::mask, number);
  add_lowered("fill", Kind::fill, 0);
  const Adder add{faults, kMasks};
  add("guard of a column <=", kGenerated, "if (n < n_end) {", "if (n <= n_end) {");
  add("guard of a tile's rows <=", kGenerated, "TileMN::row_of_slot(row_slot) < m_count",
      "TileMN::row_of_slot(row_slot) <= m_count");
  add("element behind the last exists", kPart, "i >= before_ && i < rest_", "i >= before_ && i <= rest_");
  add("elements before the first exist", kPart, "i >= before_ && i < rest_", "i < rest_");
  add("vectors behind the end exist", kPart, "if constexpr (kAlwaysWhole) return rest_ > 0;",
      "if constexpr (kAlwaysWhole) return rest_ >= 0;");
  add("vectors that begin early are whole", kPart, "before_ <= 0 && rest_ >= N", "rest_ >= N");
  add("vectors that lack one element are whole", kPart, "rest_ >= N;", "rest_ >= N - 1;");
  add("nothing in place of what does not exist", kPart, "if (!has(i)) result.set(i, other);", "");
  add("one in place of terms that do not exist", kGenerated, "part.or_else(e[i], 0.0f)",
      "part.or_else(e[i], 1.0f)");
  add("plane has one more", kPlane, "at >= begin[axis] && at < end[axis]",
      "at >= begin[axis] && at <= end[axis]");
  add("lines of a tile exist one further", kWindow, "clamp(plane.end[axis] - from)",
      "clamp(plane.end[axis] - from + 1)");
  add("copies are whole", kWindow, "left < 0 ? 0 : left < kStep ? left : kStep", "left < 0 ? 0 : kStep");
  add("tile that lacks a line is whole", kWindow, "at[kLineAxis] + Tile::kLines <= plane.end[kLineAxis]",
      "at[kLineAxis] + Tile::kLines <= plane.end[kLineAxis] + 1");
  add("tile that lacks a position is whole", kWindow,
      "at[kPositionAxis] + Tile::kLength <= plane.end[kPositionAxis]",
      "at[kPositionAxis] + Tile::kLength <= plane.end[kPositionAxis] + 1");
  add("copies of single elements are not asked whether they exist", kFill,
      "{fill.from(place), exists ? count : 0,", "{fill.from(place), count,");
  add("one in place of elements that do not exist", kFill, "element[i] = T{};", "element[i] = T(1);");
  add("neighbours outside of the line exist", "tessera/window.h",
      "window.exists[place + k] = inside(at, extent);", "window.exists[place + k] = true;");
  add("shifted line keeps what lies before it", "tessera/shifted_copy.h",
      "bytes_below(end - 4 * i) & ~bytes_below(begin - 4 * i)", "bytes_below(end - 4 * i)");
  add("shifted line keeps what lies behind it", "tessera/shifted_copy.h",
      "bytes_below(end - 4 * i) & ~bytes_below(begin - 4 * i)", "~bytes_below(begin - 4 * i)");
  add("tile has a row more", "tessera/fragment.h", "const index left = end - first;",
      "const index left = end - first + 1;");
  add("index at the end is inside", kPositions,
      "static_cast<std::uint64_t>(i) < static_cast<std::uint64_t>(extent)",
      "static_cast<std::uint64_t>(i) <= static_cast<std::uint64_t>(extent)");
  add("factors that are computed have a line more", "tessera/vector_share.h",
      ": line(round) < Tile::kLines &&", ": line(round) <= Tile::kLines &&");
}

void add_tails(std::vector<PlantedFault>& faults) {
  const Adder add{faults, kTails};
  add("the rest of K is lost", kGenerated, "ceil_divide(K, kKTile)", "K / kKTile");
  add("the last tile of rows is lost", kGenerated, "ceil_divide(M, kMTile)", "(M / kMTile)");
  add("one trip over K less", kGenerated, "k_tile < k_tiles; ++k_tile", "k_tile + 1 < k_tiles; ++k_tile");
  add("the last row is lost", kGenerated, "r < R; r +=", "r + 1 < R; r +=");
  add("the rest of a row is lost", kGenerated, "c_first < C; c_first += kChunk",
      "c_first + kChunk <= C; c_first += kChunk");
  add("the last tile of a transposition is lost", kGenerated, "ceil_divide(M, kChunk)", "(M / kChunk)");
  add("one strip less", kGenerated, "i < kStrips; ++i", "i + 1 < kStrips; ++i");
  add("blocks for whole tiles alone", kGenerated, "Blocks{ceil_divide(M, 32)", "Blocks{(M / 32)");
  add("one step over K less", "tessera/multiply.h", "group < kSteps * kGroups; ++group",
      "group + kGroups < kSteps * kGroups; ++group", 2);
  add("copies of whole rounds alone", "tessera/copy_order.h", "kEach = (kCopies + kThreads - 1) / kThreads",
      "kEach = kCopies / kThreads");
  add("one copy of a thread less", kFill, "i < Order::kEach; ++i", "i + 1 < Order::kEach; ++i");
  add("one element of a round less", kFill, "i < kElementsAtOnce; ++i", "i + 1 < kElementsAtOnce; ++i", 2);
  add("blocks leave out tiles", kGenerated, "unit += block_count()", "unit += block_count() + 1");
  add("blocks leave out rows", kGenerated, "r += block_count() * kRows", "r += block_count() * kRows + 1");
  add("no room for lines that begin early", kGenerated, "kAligned ? 0 : kVector - 1", "0");
  add("end of a line is not copied", "tessera/shifted_copy.h",
      "if (raw.shift(line) > 0) raw.start(line, Tile::kLength, fill.tile.end_of(line));", ";");
  add("blocks for all tiles but those of the last group", "tessera/positions.h",
      "height = rows - first < Rows ? rows - first : Rows, of_group", "height = Rows, of_group");
}

void add_offsets(std::vector<PlantedFault>& faults) {
  const Adder add{faults, kOffsets};
  constexpr const char* kSum =
      "    for (int dimension = 0; dimension < Rank; ++dimension) offset += at[dimension] * "
      "stride[dimension];\n";
  constexpr const char* kCutSum =
      "    for (int dimension = 0; dimension < Rank; ++dimension) offset += static_cast<int>(at[dimension] * "
      "stride[dimension]);\n";
  constexpr const char* kLeadSum =
      "    for (int dimension = 0; dimension < Rank - 1; ++dimension) offset += at[dimension] * "
      "stride[dimension];\n";
  constexpr const char* kCutLeadSum =
      "    for (int dimension = 0; dimension < Rank - 1; ++dimension) offset += "
      "static_cast<int>(at[dimension] * "
      "stride[dimension]);\n";
  add("offset of an element in 32 bits", kView, kSum, kCutSum);
  add("offset of vectors and lines in 32 bits", kView, kLeadSum, kCutLeadSum, 2);
  add("offset in unsigned 32 bits", kView, kSum,
      "    for (int dimension = 0; dimension < Rank; ++dimension) offset += "
      "static_cast<unsigned>(at[dimension] * "
      "stride[dimension]);\n");
  add("offset in a line in 32 bits", kPart, "line.data + (i + n) * line.stride",
      "line.data + static_cast<int>((i + n) * line.stride)");
  add("offset of a stored vector in 32 bits", kPart, "line.data + i * line.stride;",
      "line.data + static_cast<int>(i * line.stride);");
  add("stride of a plane in 32 bits", kPlane,
      "result.stride[0] += x_axis.step[dimension] * view.stride[dimension];",
      "result.stride[0] += static_cast<int>(x_axis.step[dimension] * view.stride[dimension]);");
  add("origin of a plane in 32 bits", kPlane, "result.data += origin[dimension] * view.stride[dimension];",
      "result.data += static_cast<int>(origin[dimension] * view.stride[dimension]);");
  add("place of a copy in 32 bits", kWindow, "(at[kLineAxis] + place.line) * plane.stride[kLineAxis]",
      "static_cast<int>((at[kLineAxis] + place.line) * plane.stride[kLineAxis])");
  add("distance of copies in 32 bits", kFill, "from + on.line * fill.plane.stride[Fill::kLineAxis]",
      "from + static_cast<int>(on.line * fill.plane.stride[Fill::kLineAxis])");
  add("distance of words in 32 bits", kFill, "base + place.line * fill.plane.stride[Words::kLineAxis]",
      "base + static_cast<int>(place.line * fill.plane.stride[Words::kLineAxis])");
  add("distance of shifted lines in 32 bits", "tessera/shifted_copy.h", "base + line * pitch + begin,",
      "base + static_cast<int>(line * pitch) + begin,");
  add("neighbours in 32 bits", "tessera/window.h", "line.data + at * line.stride",
      "line.data + static_cast<int>(at * line.stride)");
  add("places before the first are huge", kWindow, "x < 0 ? 0 : x < room ? x : room",
      "static_cast<std::uint64_t>(x) < static_cast<std::uint64_t>(room) ? x : room");
  add("bytes of a tensor in 32 bits", "tessera/launch_check.h",
      "  index elements = 1;\n  for (int dimension = 0; dimension < tensor.rank; ++dimension) {\n    index "
      "span;",
      "  int elements = 1;\n  for (int dimension = 0; dimension < tensor.rank; ++dimension) {\n    index "
      "span;");
  add("remainder of a negative index", kPositions, "return rest < 0 ? rest + extent : rest;", "return rest;");
  add("end of a view in 32 bits", kView, "last += (extent[dimension] - 1) * stride[dimension];",
      "last += static_cast<int>((extent[dimension] - 1) * stride[dimension]);");
  faults.back().equivalent =
      "what is cut is at most what it was, and vectors that seem to reach beyond the end are read element by "
      "element";
}

}  // namespace

void add_mask_faults(std::vector<PlantedFault>& faults) {
  add_masks(faults);
  add_tails(faults);
  add_offsets(faults);
}

}  // namespace tessera::planted
