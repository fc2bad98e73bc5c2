// SPDX-License-Identifier: Apache-2.0
// Boxes, rings of barriers, and products of warpgroups: signals that are missing or one off, places that are others.
#include "planted/fault.h"

namespace tessera::planted {

namespace {

constexpr const char* kWords = "tessera/warpgroups.h";
constexpr const char* kRing = "tessera/tile_ring.h";
constexpr const char* kTurns = "tessera/team_turns.h";
constexpr const char* kColumns = "tessera/panel_columns.h";
constexpr const char* kEither = "tessera/either_ring.h";
constexpr const char* kPanel = "tessera/store_panel.h";
constexpr const char* kLoadPanel = "tessera/load_panel.h";
constexpr const char* kPairs = "tessera/pairs.h";
constexpr const char* kMaps = "tessera/tensor_map.h";
constexpr const char* kBoxed = "tessera/boxed_tensor.h";
constexpr const char* kFactors = "tessera/factor_boxes.h";
constexpr const char* kLineCopy = "tessera/copy_into_lines.h";
constexpr const char* kLines = "tessera/line_copy.h";
constexpr const char* kSplit = "tessera/split_into_parts.h";
constexpr const char* kParts = "tessera/split_tensor.h";
constexpr const char* kSplitProducts = "tessera/split_products.h";
constexpr const char* kDescriptors = "tessera/matrix_descriptor.h";
constexpr const char* kFragment = "tessera/fragment.h";
constexpr const char* kShare = "tessera/term_share.h";
constexpr const char* kTurned = "tessera/turned_rows.h";
constexpr const char* kHeld = "tessera/held_rows.h";
constexpr const char* kShared = "tessera/shared_terms.h";

void add_ring_faults(std::vector<PlantedFault>& faults) {
  const auto add = [&](const char* name, const char* file, const char* text, const char* replacement) {
    faults.push_back(
        {.name = name, .group = kWarpgroups, .effect = Effect::hazard, .edits = {{file, text, replacement}}});
  };
  add("stage given back to one block of a cluster", kRing,
      "ptx::mbarrier_arrive_cluster(empty, stage, blocks, where);",
      "ptx::mbarrier_arrive_cluster(empty, stage, 1, where);");
  add("readers of one block of a cluster awaited", kRing, "readers * blocks, where", "readers, where");
  add("cluster begins one block at a time", kWords, "  if (blocks > 1) ptx::barrier_cluster(where);\n", "");
  add("blocks of a cluster leave each other", kGenerated, "k_ring.drain(k_at);", "");
  add("launch before not waited for", "tessera/early_launch.h", "  ptx::griddepcontrol_wait(where);\n", "");
  add("parity of a ring never turns", kRing, "      parity ^= 1;\n", "");
  add("parity turns at each stage", kRing, "      stage = 0;\n      parity ^= 1;\n    }\n",
      "      stage = 0;\n    }\n    parity ^= 1;\n");
  add("ring of one stage less", kRing, "if (++stage == kStages) {", "if (++stage == kStages - 1) {");
  add("stage read by one warp less", kRing, "ptx::mbarrier_init(empty, stage, readers * blocks, where);",
      "ptx::mbarrier_init(empty, stage, readers * blocks - 1, where);");
  add("stage filled by two", kRing, "ptx::mbarrier_init(full, stage, 1, where);",
      "ptx::mbarrier_init(full, stage, 2, where);");
  add("barriers not shown to the copy engine", kRing, "    ptx::fence_mbarrier_init(where);\n", "");
  add("stage filled before it is read", kRing,
      "    ptx::mbarrier_wait_parity(empty, at.stage, at.parity ^ 1, where);\n    ptx::mbarrier_arrive",
      "    ptx::mbarrier_arrive");
  add("fill waits for the other phase", kRing,
      "(empty, at.stage, at.parity ^ 1, where);\n    ptx::mbarrier_arrive",
      "(empty, at.stage, at.parity, where);\n    ptx::mbarrier_arrive");
  add("half of the bytes announced", kRing, "ptx::mbarrier_arrive_expect_tx(full, at.stage, bytes, where);",
      "ptx::mbarrier_arrive_expect_tx(full, at.stage, bytes / 2, where);");
  add("boxes copied before the launch before has ended", kRing,
      "    tessera::wait_for_launch_before(where);\n", "");
  add("no wait before the boxes of a tile", kGenerated, "ring.wait_for_launch_before();", "");
  add("stage given back while lanes of a warp read", kWords,
      "  warp_barrier(0xffffffffu, where);\n  read();\n", "  read();\n");
  add("tile read before it has arrived", kRing,
      "    ptx::mbarrier_wait_parity(full, at.stage, at.parity, where);\n", "");
  add("reader waits for the other phase", kRing, "(full, at.stage, at.parity, where);",
      "(full, at.stage, at.parity ^ 1, where);");
  add("every warp gives a stage back twice", kRing, "    ptx::mbarrier_arrive_cluster(empty, stage",
      "    ptx::mbarrier_arrive_cluster(empty, stage, blocks, where);\n"
      "    ptx::mbarrier_arrive_cluster(empty, stage");
  add("ring used before it is ready", kGenerated, "cluster_barrier(cluster);  // the ring is ready", "");
  add("ring of one warpgroup", kGenerated, "k_ring.initialize(4 * kGroups)", "k_ring.initialize(4)");
  add("bytes of one factor announced", kGenerated,
      "bytes_of(A_tiles, A_box) + bytes_of(B_tiles, B_box, cluster)", "bytes_of(A_tiles, A_box)");
  add("panels announced that lie outside", kFactors, "boxes.lines * boxes.count * ring",
      "boxes.lines * ring.stage(0).boxes() * ring");
  add("bytes of one block of a cluster announced", kGenerated, "bytes_of(b_tiles, b_box, cluster)",
      "bytes_of(b_tiles, b_box)");
  add("bytes of lines in the other order announced", kFactors, "ring.is_along_k() ? boxes.lines * blocks",
      "true ? boxes.lines * blocks");
  add("boxes of a last tile in a cluster", kGenerated, "is_whole = cluster > 1 || ", "is_whole = ");
  add("boxes of whole tiles for the last", kFactors, "is_last ? &last : &whole.map()", "&whole.map()");
  add("lines of whole tiles announced for the last", kFactors, "is_last ? last_lines : whole.lines",
      "whole.lines");
  add("lines of a tensor where an axis begins later", kGenerated, "lines_of_boxes(64, M - 3)",
      "lines_of_boxes(64, M)");
  add("boxes of the last tile for all", kFactors, "is_last = first + Ring::kWidth > end;", "is_last = true;");
  add("function of the other order", kBoxed, "along_k ? run(AlongK{}) : run(AcrossK{})",
      "along_k ? run(AcrossK{}) : run(AlongK{})");
  add("function for one order of both factors", kBoxed, "return run(order, other);",
      "return run(order, order);");
  add("stage given back before it is read", kGenerated, "k_ring.release(k_previous)",
      "k_ring.release(k_at.stage)");
  add("stage never given back", kGenerated, "if (k_previous >= 0) k_ring.release(k_previous);", "");
  add("two products under way, and a stage given back", kGenerated, "wait_for_products<1>(acc)",
      "wait_for_products<2>(acc)");
  add("products not fenced", kWords, "  ptx::wgmma_fence(where);\n", "");
  add("products never closed", kWords, "  ptx::wgmma_commit_group(where);\n", "");
  add("team that waits for no turn", kTurns,
      "        ptx::mbarrier_wait_parity(begins_, team_, turn_ & 1, where);\n", "");
  add("team that waits for the other phase", kTurns, "turn_ & 1, where", "turn_ & 1 ^ 1, where");
  add("turn passed by one warp less", kTurns, "mbarrier_init(begins_, team, kWarps, where)",
      "mbarrier_init(begins_, team, kWarps - 1, where)");
  add("stage of a team where its last turn ended", kTurns, "        at.stage = place >> 1;\n", "");
  add("parity of a team as at its last turn", kTurns, "        at.parity = place & 1;\n", "");
  add("turn passed to the same team", kTurns, "(team_ + 1) % kTeams", "team_");
  add("turn never passed", kGenerated, "teams.end(k_at);", "");
  add("turn never taken", kGenerated, "teams.begin(k_at);", "");
  add("teams with the tiles of the first", kGenerated, "cluster_index() + teams.team() * cluster_count()",
      "cluster_index()");
  add("teams with each other's tiles, too", kGenerated, "kTeams * cluster_count()", "cluster_count()");
  add("values of columns over each other", kGenerated, "place + ColumnsSlope::kBytes", "place");
  add("panels of one team for all", kGenerated, "::kRoom * kTeams", "::kRoom");
  add("stages of a team awaited by all", kGenerated, "_ring.initialize(teams.kWarps)",
      "_ring.initialize(4 * kGroups)");
  add("columns read before all lanes have set theirs", kGenerated, "        warp_barrier();\n", "");
  add("columns over a panel that is being stored", kPanel, "    wait_for_place(where);\n    return",
      "    return");
  add("panel written before it is set", kPanel,
      "    ptx::fence_proxy_async(where);\n    warp_barrier(0xffffffffu, where);\n",
      "    ptx::fence_proxy_async(where);\n");
  add("halves of a panel's rows swapped", kPanel, "[row_slot % 2]", "[1 - row_slot % 2]");
  add("matrices of a panel in other columns", kPanel, "lane / 16 * 8), words", "lane / 8 % 2 * 8), words");
  add("panel set before it is read", kPanel, "wait_group_read<kPlaces - 1>", "wait_group_read<kPlaces>");
  add("panel set before all know that it is read", kPanel,
      "wait_group_read<kPlaces - 1>(where);\n    warp_barrier(0xffffffffu, where);\n",
      "wait_group_read<kPlaces - 1>(where);\n");
  add("one panel for all warps", kPanel, "thread_index() / kWarpThreads * kPlaces + turn_", "turn_");
  add("one place for all panels of a warp", kPanel, "turn_ ^= 1", "turn_ ^= 0");
  add("panels not fenced", kPanel, "    ptx::fence_proxy_async(where);\n", "");
  add("stores never closed", kPanel, "    ptx::cp_async_bulk_commit_group(where);\n", "");
  add("kernel ends before its panels are read", kGenerated, "    wait_for_stores();\n", "");
  add("sums read while products are under way", kGenerated, "wait_for_products<0>(acc);", "");
}

void add_place_faults(std::vector<PlantedFault>& faults) {
  const auto add = [&](const char* name, const char* file, const char* text, const char* replacement,
                       int times = 1) {
    faults.push_back({.name = name, .group = kWarpgroups, .edits = {{file, text, replacement, times}}});
  };
  add("columns of the first block for all", kColumns, "Panel::pair_of_panel(column_slot) * kPairStep +",
      "0 +");
  add("columns of the first panel for all", kPanel, "column_of(panel) + lane_column(i);", "lane_column(i);");
  add("rows of teams behind each other", kFragment, "kSpread ? thread_index() % kThreads : thread_index()",
      "thread_index()");
  add("all panels of a tile at its beginning", kWords, "tile.first + position * Tile::kLines", "tile.first",
      2);
  add("panels of a tile from one place of the tensor", kWords, "coordinates[0] += position;\n", "\n", 2);
  add("shared tile copied to one block of the cluster", kWords, "all = (1u << ring.blocks) - 1;",
      "all = 1u << cluster_rank();");
  add("first share of a tile copied by all blocks", kWords, "tile, boxes, at, cluster_rank(), ring.blocks",
      "tile, boxes, at, 0, ring.blocks");
  add("shares of a tile as of one block", kWords, "first = (lines >> (shares - 1)) * share;",
      "first = lines * share;");
  add("boxes of a tile behind lines along K", kWords, "(box * lines + first) * span",
      "(box * AlongK::kLines + first) * span");
  add("as many boxes in either order", kEither, "is_along_k() ? AlongK::boxes() : AcrossK::boxes()",
      "AlongK::boxes()");
  add("panels of the last tile that are whole alone", kFactors, "(width + tile.span() - 1) / tile.span()",
      "width / tile.span()");
  add("boxes of a tile from one place of the tensor", kWords, "    coordinates[0] += span;\n", "");
  add("boxes of lines across K where those along it are", kWords, "along_k ? static_cast<int>(at[along])",
      "true ? static_cast<int>(at[along])");
  add("clusters of whole pairs of tiles alone", "tessera/positions.h", "(tiles + blocks - 1) >> (blocks - 1)",
      "tiles >> (blocks - 1)");
  add("every group of rows as high as the first", "tessera/positions.h",
      "height == Rows ? of_group / Rows : of_group / height", "of_group / Rows");
  add("blocks of a cluster have the same tiles", kGenerated, " * cluster + cluster_rank()", " * cluster");
  add("dimensions of a box in the order of the tensor", kWords,
      "at[detail::mapped_dimension<kPositionDimension>(i)]", "at[i]");
  add("stages as large as tiles along K", kEither, "kRoom = kHasPanels ? AcrossK::kRoom : AlongK::kRoom",
      "kRoom = AlongK::kRoom");
  add("a product added where it is subtracted", kGenerated, "multiply_async<Sign::minus>", "multiply_async");
  add("lines of copies said to run along K", kFactors, "across_k, Major::mn};", "across_k, Major::k};");
  add("first rows for all warpgroups", kWords,
      ".moved(StepA::offset(64, 0) * (group % (Layout::kWarpRows / 4)))", "");
  add("second team with rows of another tile", kWords, "(group % (Layout::kWarpRows / 4))", "group");
  add("warpgroups 32 rows apart", kWords, "StepA::offset(64, 0) *", "StepA::offset(32, 0) *");
  add("one step of a factor for all", kWords, "first_b.moved(StepB::offset(0, k))", "first_b");
  add("rows of the other warpgroup", kWords, "StepA::offset(block * kRowStep, k)",
      "StepA::offset(block * 64, k)");
  add("four steps of a factor at one place", kWords, "StepB::offset(0, kStep)>(", "0>(");
  add("old sums forgotten", kWords, "at_b, adds || k > 0,", "at_b, k > 0,", 2);
  add("sums of fp8 kept by Tensor Cores", kWords, "multiply_async(part, a, b, group, false, where);",
      "multiply_async(sums, a, b, group, true, where);\n  part.fill(0.0f);");
  add("floats copied as they are for tf32", kMaps, "boxes.rounds_to_tf32 = std::is_same_v<T, tf32>;",
      "boxes.rounds_to_tf32 = false;");
  add("eight lines twice as far apart", kDescriptors, "kEightLines = 8 * Tile::kSpanBytes",
      "kEightLines = 16 * Tile::kSpanBytes");
  add("panels one line apart", kDescriptors, "kMajor == Major::mn ? Tile::kLines * Tile::kSpanBytes",
      "kMajor == Major::mn ? Tile::kSpanBytes");
  add("steps along a line from panel to panel", kDescriptors, "position % Tile::kSpan *", "position *");
  add("boxes of half the lines", kMaps, "d == Box::kLineDimension ? box.lines",
      "d == Box::kLineDimension ? box.lines / 2");
  add("boxes of a dense tensor", kMaps, "tensor.stride[d] * static_cast<index>(sizeof(T)) : 16",
      "tensor.extent[kPosition] * static_cast<index>(sizeof(T)) : 16");
  add("boxes of lines that begin anywhere", kMaps,
      "  if (!aligned_lines(tensor, dimension, 16)) return false;\n", "");
  add("boxes of a copy that is never made", kBoxed, "    if (along_ >= 0) copy();\n", "");
  add("lines of a copy over each other", kLines,
      "    if (__builtin_mul_overflow(elements, copy.extent[d], &elements)) return false;\n", "");
  add("source of a turned copy read as it is written", kLines,
      "put_in_order(from, source, turns ? along : across, turns ? across : along);",
      "put_in_order(from, source, across, along);");
  add("first tile of a line copied only", kLineCopy, "ceil_divide(extent[4], kTile)}", "1}");
  add("lines copied past one of a tile", kLineCopy, "here{at[3] * kTile, at[4]",
      "here{at[3] * (kTile - 1), at[4]");
  add("a box of a panel that is partly used", kPanel, "} else if (!is_whole(panel)) {",
      "} else if (false) {");
  add("columns behind the last whole panel left out", kPanel, "(kColumnsOfWarp + kWidth - 1) / kWidth",
      "kColumnsOfWarp / kWidth");
  add("lines of columns as long as their tile", "tessera/operand_tile.h",
      "return (length + kPanel - 1) / kPanel * kPanel;", "return length;");
  add("all panels in the first columns", kPanel, "panel % kPanelsOfRow * kWidth;", "0;");
  add("boxes of all rows in the first", kPanel, "(d == kLineDimension ? corner.line : 0)", "0");
  add("boxes of outputs where their columns begin", kPanel, "(at[Rank - 1] + corner.position)",
      "(at[Rank - 1])");

  add("rows of a panel eight apart", kPanel, "i % 2 * 8 + lane / 4", "i % 2 + lane / 4 * 2");
  add("panels to one row past the end", kPanel, "corner.line + line < corner.line_count",
      "corner.line + line <= corner.line_count", 2);
  add("ends of shifted lines left out", kPanel, "i < head + count - tail;", "i < 0;");
  add("shifted chunks of the words before", kPanel, "words[i] = static_cast<std::uint32_t>(pair >>",
      "words[i] = static_cast<std::uint32_t>(pair << 1 >>");
  add("boxes of whole eights of lines only", kFactors, "(rest + 7) / 8 * 8", "rest / 8 * 8");
  add("rows of warps in a piece, where warpgroups spread them", kFragment,
      "return spread ? 16 * warp_rows : 16;", "return 16;");
  add("warps of warpgroups as far apart as others", kFragment, "(spread ? 16 : rows / warp_rows)",
      "(rows / warp_rows)");
}

void add_turned_faults(std::vector<PlantedFault>& faults) {
  const auto add = [&](const char* name, const char* file, const char* text, const char* replacement) {
    faults.push_back({.name = name, .group = kTurnedTiles, .edits = {{file, text, replacement}}});
  };
  const auto add_hazard = [&](const char* name, const char* text, const char* replacement) {
    faults.push_back({.name = name,
                      .group = kTurnedTiles,
                      .effect = Effect::hazard,
                      .edits = {{kTurned, text, replacement}}});
  };
  add_hazard("turned rows not fenced", "  ptx::wgmma_fence(where);\n", "");
  add_hazard("products of turned rows never closed", "  ptx::wgmma_commit_group(where);\n", "");
  add_hazard("stage given back while lanes turn its rows",
             "  detail::keep_in_registers(sums);\n  warp_barrier(0xffffffffu, where);\n",
             "  detail::keep_in_registers(sums);\n");
  add("words of the upper lanes as they were read", kTurned,
      "words[below] = is_upper_ ? other.bits : one.bits;", "words[below] = one.bits;");
  add("turned words of the row below twice", kTurned, "row + 8 * below);\n      second_",
      "row + 8);\n      second_");
  add("pairs of bytes in the order of their lanes", kTurned, "lane_ % 4 < 2 ? 0x6420u : 0x2064u", "0x6420u");
  add("bytes of the row beside", kTurned, "even_bytes + 0x1111u", "even_bytes");
  add("turned words from the lane itself", kTurned, "row / 2 * 4 + lane_ % 4", "lane_ % 16");
  add("turned rows of even lanes below each other", kTurned, "words[0] = is_odd ? other : one;",
      "words[0] = one;");
  add("lines of K by twos from the same four", kTurned, "(matrix % 2 ^ row / 4) * 2", "matrix % 2 * 2");
  add("second half of K multiplied by the first", kTurned, "(first_step + step) * kDepth", "step * kDepth");
  add("second part of a turned product from the first rows", kTurned, "a.tile, first_step, where",
      "a.tile, 0, where");
  add("turned rows of the first warpgroup for all", kTurned, "Layout::warp_row());",
      "Layout::warp_row() % 64);");
  add("columns of a panel in the order of rows", kPanel, "lane / 8 % 2 * 8), words", "lane / 16 * 8), words");
  add("columns of a panel put as they are", kPanel, "ptx::stmatrix_x4_trans(", "ptx::stmatrix_x4(");
  add("words of a panel of columns in one row", kPanel, "block = i + k / 4, row = k / 2 % 2;",
      "block = i + k / 4, row = 0;");
  add("words of a panel of columns in one column", kPanel, "lane % 4 * 2 + k % 2, row * 8",
      "lane % 4 * 2, row * 8");
  add("lines of an output that are columns taken for rows", kPanel,
      ": Corner{column, row, column_count, row_count};", ": Corner{row, column, column_count, row_count};");
}

void add_load_faults(std::vector<PlantedFault>& faults) {
  const auto add = [&](const char* name, const char* file, const char* text, const char* replacement) {
    faults.push_back({.name = name, .group = kWarpgroups, .edits = {{file, text, replacement}}});
  };
  add("pairs of one row for both", kLoadPanel, "first_row_slot(panel) + i)", "first_row_slot(panel))");
  add("pairs of the next panel never read", kLoadPanel, "if (kPlaces == 2 && panel + 1 < Panel::kCount)",
      "if (false)");
  add("pairs of the next panel over those at hand", kLoadPanel, "pairs_[panel % kPlaces][i], where",
      "pairs_[0][i], where");
  add("pairs of rows that do not exist", kLoadPanel, "      if (row < row_count)\n", "");
  add("pairs of columns that do not exist", kLoadPanel, "Part<2, false>(column, 0, column_count)",
      "Part<2, false>(column, 0, column_count + 1)");
  add("pairs from the first column on", kLoadPanel, "first + column, Part", "first, Part");
  add("pairs four columns apart", kPairs, "kPairStep = 8", "kPairStep = 4");
  add("pairs that begin anywhere read at once", kPairs,
      "detail::elements_past_boundary<2>(line.data + i) == 0;", "true;");
  add("pairs of any stride read at once", kPairs, "bool are_whole = line.stride == 1 && ",
      "bool are_whole = ");
  add("second element of a pair for both", kPairs, "k * kPairStep + n, where", "k * kPairStep + 1, where");
}

void add_split_faults(std::vector<PlantedFault>& faults) {
  const auto add = [&](const char* name, const char* file, const char* text, const char* replacement) {
    faults.push_back({.name = name, .group = kWarpgroups, .edits = {{file, text, replacement}}});
  };
  const auto replace = [&](const char* name, const char* text, const char* replacement) {
    add(name, kSplitProducts, text, replacement);
  };
  replace("low parts of rows dropped", "add(kLowPart, kHighPart, false);",
          "add(kHighPart, kLowPart, false);");
  replace("low parts of columns dropped", "add(kHighPart, kLowPart, true);",
          "add(kLowPart, kLowPart, true);");
  replace("products of middle parts dropped", "add(kMiddlePart, kMiddlePart, true);",
          "add(kMiddlePart, kHighPart, true);");
  replace("middle parts of rows dropped", "add(kMiddlePart, kHighPart, true);",
          "add(kMiddlePart, kMiddlePart, true);");
  replace("middle parts of columns dropped", "add(kHighPart, kMiddlePart, true);",
          "add(kMiddlePart, kMiddlePart, true);");
  replace("middle part given back before it is read", "wait_for_products<1>(terms, where);",
          "wait_for_products<3>(terms, where);");
  replace("low part given back before it is read", "wait_for_products<2>(terms, where);",
          "wait_for_products<4>(terms, where);");
  add("parts in one stage", kSplitProducts, "    parts.place[part] = at;\n    at.advance();",
      "    parts.place[part] = at;\n    if (part == 0) at.advance();");
  add("low part of what the high one leaves", kSplit, "rest - to_float(middle)", "rest");
  add("what the cut leaves dropped", kSplit, "const float rest = x - high;", "const float rest = 0;");
  add("infinity in the high part", kSplit,
      "{{from_float<bf16>(x), bf16{}, from_float<bf16>(math::from_bits(sign | kOneBits))}}",
      "{{bf16{}, bf16{}, from_float<bf16>(x)}}");
  add("parts over each other", kParts, "number * parts_.stride[0]", "number * (parts_.stride[0] / 2)");
  add("parts never made", kParts, "    if (!is_made_) make_parts();\n", "");
}

void add_share_faults(std::vector<PlantedFault>& faults) {
  const auto add = [&](const char* name, const char* file, const char* text, const char* replacement) {
    faults.push_back({.name = name, .group = kWarpgroups, .edits = {{file, text, replacement}}});
  };
  add("first share never added", kShare, "for (int share = 0;", "for (int share = 1;");
  add("shares leave their sums in one place", kShare, "each(places + number_ * kPlace, Leave{}",
      "each(places, Leave{}");
  add("tiles leave their sums in one place", kShare, "shares_.sums + tile * shares_.shares * kPlace",
      "shares_.sums");
  add("one share too few awaited", kShare, "before == others ?", "before + 1 == others ?");
  add("counts of shares left behind", kShare, "(shares_.counts + warp, others)",
      "(shares_.counts + warp, others + 1)");
  add("a round of each share left out", kShare, "first + of_each + (", "first + of_each - 1 + (");
  add("rounds that are left over are nobody's", kShare, "(number < more ? 1 : 0)", "0");
  add("all shares begin with what is there before", kShare, "return number_ == 0; }", "return true; }");
  add("blocks of a cluster leave sums in one place", kShare, "unit_ * blocks + rank", "unit_ * blocks");
  add("warps of a tile count together", kShare,
      "(kThreads / kWarpThreads) + thread_of<Fragments...>() / kWarpThreads", "(kThreads / kWarpThreads)");
  add("sums of other shares on top of one's own", kShare, "    (sums.fill(0), ...);\n", "");
  add("counts of shares not cleared", kShared, "counts[i] = 0;", "static_cast<void>(counts);");
}

}  // namespace

/// Of factors that threads compute a round ahead.
void add_computed_faults(std::vector<PlantedFault>& faults) {
  const auto add = [&](const char* name, Effect effect, const char* file, const char* text,
                       const char* replacement) {
    faults.push_back(
        {.name = name, .group = kWarpgroups, .effect = effect, .edits = {{file, text, replacement}}});
  };
  add("computed tile not shown to products", Effect::hazard, kWords,
      "  ptx::fence_proxy_async(where);\n  groups_barrier", "  groups_barrier");
  add("computed tile not awaited", Effect::hazard, kWords, "  groups_barrier<kGroups>(where);\n", "");
  add("computed tile over the one that is multiplied", Effect::hazard, kGenerated, "factor_turn ^= 1;", "");
  add("sources read before they have arrived", Effect::hazard, kGenerated, "k_source_ring.wait(k_source_at);",
      "");
  add("sources given back before all lanes have read them", Effect::hazard, kGenerated,
      "warp_barrier();\n        k_source_ring.release", "k_source_ring.release");
  add("sources never given back", Effect::hazard, kGenerated, "k_source_ring.release(k_source_at.stage);",
      "");
  add("factors of this round computed for the next", Effect::wrong_result, kGenerated,
      "compute_k(k_tile + 1)", "compute_k(k_tile)");
  add("factors of one round for all", Effect::wrong_result, kGenerated, "_tiles.stage(x_turn);",
      "_tiles.stage(0);");
  add("computed lines across K multiplied as if along it", Effect::wrong_result, kGenerated,
      "across_k(factor_tile)", "factor_tile");
  add("part added while it is under way", Effect::hazard, kGenerated, "wait_for_products<0>(part);\n", "");
  add("part never added", Effect::wrong_result, kGenerated, "add_part(p, part);", "");
  add("stage given back by a product that did not read it", Effect::hazard, kGenerated,
      "multiply_promoted(q, factor_tile2, factor_tile3, group);",
      "multiply_promoted(q, factor_tile2, factor_tile3, group, [&] { k_ring.release(k_at.stage); });");
  add("boxes wider than what lies in shared memory", Effect::wrong_result, kGenerated,
      "boxes_of_b.map<0, 1, 64>(", "boxes_of_b.map<0, 1>(");
}

/// Of folds whose lines threads share out.
void add_line_fold_faults(std::vector<PlantedFault>& faults) {
  constexpr const char* kLineShares = "tessera/line_shares.h";
  const auto add = [&](const char* name, Effect effect, const char* file, const char* text,
                       const char* replacement) {
    faults.push_back(
        {.name = name, .group = kWarpgroups, .effect = effect, .edits = {{file, text, replacement}}});
  };
  add("folded lines not awaited", Effect::hazard, kLineShares, "  part_barrier<kThreads>(0, where);\n}", "}");
  add("folded lines over those that are read", Effect::hazard, kLineShares,
      "  part_barrier<kThreads>(0, where);\n  TESSERA_UNROLL", "  TESSERA_UNROLL");
  add("a share of a folded line for all of it", Effect::wrong_result, kLineShares,
      "distance = Lines::kLinesOfWarp", "distance = kWarpThreads");
  add("lines of the first warp for all", Effect::wrong_result, kLineShares,
      "thread_index() / kWarpThreads * kLinesOfWarp", "0 * kLinesOfWarp");
  add("shares of a folded line overlap", Effect::wrong_result, kLineShares, "round * kShares + share()",
      "round + share()");
  add("all that share a folded line speak for it", Effect::hazard, kLineShares, "share() == 0 && ", "");
  add("rows shared for factors not awaited", Effect::hazard, kGenerated,
      "      groups_barrier<kGroups>();  // they are there\n", "");
  add("tile given back before all lanes have folded it", Effect::hazard, kGenerated,
      "        warp_barrier();\n        wait_for_products<1>", "        wait_for_products<1>");
}

void add_held_row_faults(std::vector<PlantedFault>& faults) {
  const auto add = [&](const char* name, Effect effect, const char* file, const char* text,
                       const char* replacement) {
    faults.push_back(
        {.name = name, .group = kWarpgroups, .effect = effect, .edits = {{file, text, replacement}}});
  };
  add("rows in registers meet the first columns alone", Effect::wrong_result, kHeld, "step * Mma<T>::kDepth",
      "0 * Mma<T>::kDepth");
  add("products of rows in registers forget sums", Effect::wrong_result, kHeld, "adds || step > 0",
      "step > 0");
  add("own stage given back to the first block", Effect::hazard, kRing,
      "if (thread_index() % kWarpThreads == 0) ptx::mbarrier_arrive(empty, stage, where);",
      "ptx::mbarrier_arrive_cluster(empty, stage, 1, where);");
  add("own stage given back by half of the warps", Effect::hazard, kRing,
      "if (thread_index() % kWarpThreads == 0) ptx::mbarrier_arrive",
      "if (thread_index() % (2 * kWarpThreads) == 0) ptx::mbarrier_arrive");
  add("tile that stays not awaited", Effect::hazard, kGenerated, "q_ring.wait(q_at);", "");
  add("tile that stays not given back", Effect::hazard, kGenerated, "q_ring.release_own(q_at.stage);", "");
  add("tile that stays brought before it is read", Effect::hazard, kGenerated,
      "q_ring.begin_fill(q_at, bytes_of(q_tile, q_boxes.whole));",
      "ptx::mbarrier_arrive_expect_tx(q_ring.full, 0, bytes_of(q_tile, q_boxes.whole));");
  add("units with most rounds taken twice", Effect::wrong_result, kGenerated,
      "(units[1] - 1 - s_tile) * BS;\n      const int", "s_tile * BS;\n      const int");
}

void add_warpgroup_faults(std::vector<PlantedFault>& faults) {
  add_ring_faults(faults);
  add_place_faults(faults);
  add_turned_faults(faults);
  add_load_faults(faults);
  add_split_faults(faults);
  add_share_faults(faults);
  add_computed_faults(faults);
  add_line_fold_faults(faults);
  add_held_row_faults(faults);
}

}  // namespace tessera::planted
