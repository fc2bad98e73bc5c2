// SPDX-License-Identifier: Apache-2.0
// Maps between coordinates and places that are swapped, divided wrongly, or different on two sides.
#include "planted/fault.h"

namespace tessera::planted {

namespace {

constexpr const char* kFragment = "tessera/fragment.h";
constexpr const char* kTile = "tessera/operand_tile.h";
constexpr const char* kParts = "tessera/operand_parts.h";
constexpr const char* kMma = "tessera/mma.h";

}  // namespace

void add_layout_faults(std::vector<PlantedFault>& faults) {
  const auto add = [&](const char* name, const char* file, const char* text, const char* replacement,
                       int times = 1) {
    faults.push_back({.name = name, .group = kLayouts, .edits = {{file, text, replacement, times}}});
  };
  add("panels of a tile overlap", kTile, "(p / kSpan * kLines + l) * kSpan",
      "(p / kSpan * (kLines - 1) + l) * kSpan");
  add("chunks moved by addition", kTile, "(index ^ positions % kSpan)", "(index + positions % kSpan)");
  add("lines moved by whole 16", kTile, "positions / kSpan * kLines + lines)",
      "positions / kSpan * kLines + lines / 16 * 16)");
  add("lines moved by whole 32", kTile, "positions / kSpan * kLines + lines)",
      "positions / kSpan * kLines + lines / 32 * 32)");
  add("chunks change places on one side", kTile, "return (index ^ positions % kSpan)",
      "return ((index ^ positions % kSpan) ^ (lines > 8 ? kChunk : 0))");
  add("8 and 16 of rows swapped", kFragment, "slot / 2 * row_step() + slot % 2 * 8",
      "slot / 2 * 8 + slot % 2 * row_step()");
  add("row of a lane by the remainder", kFragment, "slot % 2 * 8 + thread % kWarpThreads / 4",
      "slot % 2 * 8 + thread % kWarpThreads % 8");
  add("columns of a lane interleaved", kFragment, "slot % 2 + thread % 4 * 2", "slot % 2 * 4 + thread % 4");
  add("rows of warps by the remainder", kFragment,
      "return thread / kWarpThreads / warp_columns * (spread ? 16 : rows / warp_rows);",
      "return thread / kWarpThreads % warp_rows * (spread ? 16 : rows / warp_rows);");
  add("columns of warps by the quotient", kFragment,
      "thread / kWarpThreads % warp_columns * (columns / warp_columns)",
      "thread / kWarpThreads / warp_columns * (columns / warp_columns)");
  add("column of an element by the row's block", kFragment, "return i / 4 % column_blocks() * 2 + i % 2;",
      "return i / 4 / column_blocks() * 2 + i % 2;");
  add("halves of a block swapped", kFragment, "row_slot % 2 * 2 + column_slot % 2",
      "column_slot % 2 * 2 + row_slot % 2");
  add("share of a row ignores the warp", kFragment,
      "return thread() / kWarpThreads % kWarpColumns * 4 + thread() % 4;", "return thread() % 4;");
  add("ldmatrix: matrices of A swapped", kParts, "tile.index_of(first + lane % 16, lane / 16 * 4 * kPerWord)",
      "tile.index_of(first + lane / 16 * 8 + lane % 8, lane / 8 % 2 * 4 * kPerWord)");
  add("ldmatrix: rows of A by 8", kParts, "tile.index_of(first + lane % 16, lane / 16 * 4 * kPerWord)",
      "tile.index_of(first + lane % 8, lane / 16 * 4 * kPerWord)");
  add("ldmatrix: matrices of B swapped", kParts,
      "tile.index_of(first + lane / 16 * 8 + lane % 8, lane / 8 % 2 * 4 * kPerWord)",
      "tile.index_of(first + lane % 16, lane / 16 * 4 * kPerWord)");
  add("ldmatrix: transposed B swapped", kParts, "tile.index_of(lane % 16, first + lane / 16 * 8)",
      "tile.index_of(lane / 16 * 8 + lane % 8, first + lane / 8 % 2 * 8)");
  add("ldmatrix: A is not transposed", kParts, "ptx::ldmatrix_x4_trans(part.word",
      "ptx::ldmatrix_x4(part.word", 2);
  add("ldmatrix: B is not transposed", kParts, "ptx::ldmatrix_x4_trans(words", "ptx::ldmatrix_x4(words");
  add("words of two blocks mixed", kParts, "{{words[0], words[1]}}", "{{words[0], words[2]}}");
  add("words of A in the other order", kParts, "origin + rows + w % 2 * 8, k + w / 2 * 4 * kPerWord",
      "origin + rows + w / 2 * 8, k + w % 2 * 4 * kPerWord");
  add("elements of a word in reverse", kParts, "k + kPerWord * lane.column + i",
      "k + kPerWord * lane.column + kPerWord - 1 - i");
  add("K of f64 twice", kMma, "other = 2 * number(k, i);", "other = 2 * number(k, 0);");
  add("K of f64 in another order across the lines", kMma, "origin ^ Tile::at(other, 0)",
      "origin ^ other * Tile::kSpan");
  add("rows of f64 swapped for A", kMma, "rows + i % 2 * 8, k, i / 2", "rows + i / 2 * 8, k, i % 2");
  add("copies of the panels behind the first lie too near", "tessera/copy_order.h",
      "c / kPerPanel * Tile::kSpan", "c / kPerPanel * (Tile::kSpan / 2)");
  add("chunks keep their order over any lines", "tessera/copy_order.h",
      "kIsRegular && kThreads / kPerSpan % 8 == 0", "kIsRegular");
  add("operand from sums: blocks and rows swapped", "tessera/multiply.h", "2 * step + w / 2, w % 2 * 2",
      "2 * step + w % 2, w / 2 * 2");
  add("tile is written transposed", kGenerated,
      "x_tile[(m - m_first) * kPitch + (n - n_first)] =", "x_tile[(n - n_first) * kPitch + (m - m_first)] =");
  add("tiles numbered by the wrong extent", "tessera/positions.h", "divide_counts(tile, counts[dimension]);",
      "divide_counts(tile, counts[0]);");
  add("shifted words from the wrong half", "tessera/shifted_copy.h", "words[i + 2]", "words[i + 1]");
  add("line of a plane along the other axis", "tessera/plane.h", "result.stride[1] += y_axis.step",
      "result.stride[1] += x_axis.step");
  add("strides of a view in reverse", "tessera/view.h",
      "tensor.extent[dimension] > 1 ? tensor.stride[dimension] : 1",
      "tensor.extent[dimension] > 1 ? tensor.stride[Rank - 1 - dimension] : 1");
  add("no chunk changes places", kTile, "p % kSpan ^ l * kSpanBytes / 128 % kChunks * kChunk", "p % kSpan");
}

}  // namespace tessera::planted
