// SPDX-License-Identifier: Apache-2.0
// What the warp that copies does: it walks over the loops that boxes turn with, and asks for those of each round.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "emit/print.h"
#include "emit/tile_lowering.h"
#include "emit/warpgroup_plan.h"

namespace tessera::emit {

using lowered::Expr;

namespace {

Expr local(const std::string& name) { return lowered::name(name, DType::index); }

}  // namespace

void TileLowering::copy_boxes(const std::vector<std::string>& positions) {
  instances(positions, "", [&] { copy_instance(); });
  for (const StageNames* stages : boxes_->rings())
    if (cluster_axis_) emit(lowered::Evaluate{local(fmt::format("{}.drain({})", stages->ring, stages->at))});
}

// Where the last tiles of factors may have other boxes, the same stands in a lambda: for whole tiles, and for any. In
// clusters all tiles have the boxes of whole ones.
void TileLowering::copy_instance() {
  std::vector<FactorTile*> cut;
  for (FactorTile& tile : factors_)
    if (is_cut(tile)) cut.push_back(&tile);
  const auto copy = [&] { ask_for_boxes(phase_.grid->body, true); };
  if (cut.empty()) return copy();
  std::vector<std::string> parameters, are_whole, whole, any;
  for (FactorTile* tile : cut) {
    tile->tile_boxes = named(name_of(tile->factor) + "_box");
    const std::string at = fmt::format("({}, {}, {})", tile->ring, print(first_of_tile(tile->factor.width)),
                                       print(upper_bound(tile->factor.width)));
    parameters.push_back("const auto& " + tile->tile_boxes);
    are_whole.push_back(tile->boxes + ".is_whole" + at);
    whole.push_back(tile->boxes + ".whole");
    any.push_back(tile->boxes + ".at" + at);
  }
  const std::string bring = named("bring");
  const auto wrap = [&](lowered::Block inner) {
    return lowered::Lambda{bring, fmt::format("{}", fmt::join(parameters, ", ")), std::move(inner)};
  };
  emit(lowered::Comment{"twice: with the maps of whole tiles, which have constant addresses, and with any"});
  scope(Scope{}, wrap, [&] {
    copy();
    if (looks_ahead()) emit(lowered::Evaluate{local("return true")});
  });
  const auto call = [&](const std::vector<std::string>& boxes) {
    return local(fmt::format("{}({})", bring, fmt::join(boxes, ", ")));
  };
  const std::string all = fmt::format("{}", fmt::join(are_whole, " && "));
  bring_boxes(are_whole.size() > 1 && cluster_axis_ ? "(" + all + ")" : all, call(whole), call(any));
}

// One of two calls, which say whether to go on where the first boxes are asked for twice.
void TileLowering::bring_boxes(const std::string& condition, const Expr& whole, const Expr& any) {
  const std::string is_whole = named("is_whole");
  if (cluster_axis_) emit(lowered::Comment{"blocks of a cluster have whole boxes everywhere"});
  emit(lowered::Local{
      "bool", is_whole, {}, local(cluster_axis_ ? "cluster > 1 || " + condition : condition), true, false});
  if (!looks_ahead()) {
    lowered::Block for_any = apart([&] { emit(lowered::Evaluate{any}); });
    lowered::Block for_whole = apart([&] { emit(lowered::Evaluate{whole}); });
    return emit(lowered::If{local(is_whole), std::move(for_whole), "", false, std::move(for_any)});
  }
  const std::string goes_on = named("goes_on");
  emit(lowered::Local{"bool", goes_on, {}, lowered::ternary(local(is_whole), whole, any), true, false});
  guard(local("!" + goes_on), "", false, Scope{}, [&] { emit(lowered::Evaluate{local("return")}); });
}

// Whether blocks may ask for their first boxes before they may read them: where the launcher knows that memory takes longer
// than products, which it does not of rows that threads turn.
bool TileLowering::looks_ahead() const {
  return tiles_.shared_axis.has_value() && tiles_.turned == Turned::none && !tiles_.has_parts() &&
         all_stages().size() == 1;
}

// The same twice: of the first rounds, which begin_fill ends, boxes go to the cache alone.
void TileLowering::copy_ahead(const std::vector<std::string>& positions) {
  StageNames& stages = boxes_->factors.ring.empty() ? boxes_->sources : boxes_->factors;
  const std::string outer = std::exchange(stages.ring, named("ring")), copy = named("copy");
  const auto wrap = [&](lowered::Block inner) {
    return lowered::Lambda{copy, "const auto& " + stages.ring, std::move(inner)};
  };
  scope(Scope{}, wrap, [&] {
    begin_rings();
    copy_boxes(positions);
  });
  stages.ring = outer;
  const auto call = [&](const std::string& ring) {
    emit(lowered::Evaluate{local(fmt::format("{}({})", copy, ring))});
  };
  lowered::Block ahead = apart([&] {
    guard(local("terms.look_ahead"), "to the cache, while the launch before ends", false, Scope{},
          [&] { call(stages.ring + ".look_ahead()"); });
  });
  emit(lowered::If{local("kSharesTerms"), std::move(ahead), "", false, {}, true});
  call(stages.ring);
}

// What the statements of an instance, or of a loop in it, need, in the order in which they are run.
void TileLowering::ask_for_boxes(const ir::Block& statements, bool is_instance) {
  const std::vector<Walk> walks = walks_of(statements);
  for (size_t k = 0; k < statements.size(); ++k) {
    if (is_instance) ask_for_staying(statements, k);
    for (const Walk& walk : walks)
      if (walks_at(walk, statements[k])) ask_for_boxes(site_of(walk, {}), 0);
    const auto* loop = std::get_if<ir::Loop>(&statements[k].node);
    if (loop == nullptr) continue;
    std::vector<const TileFactor*> staged;
    collect_staged(loop->body, loop->axis, {}, staged);
    std::vector<RingSite> inside;
    collect_rings(loop->body, {}, inside);
    if (!staged.empty())
      ask_for_boxes({{}, loop->axis, staged, loop});
    else if (!inside.empty())
      around_boxes({loop->axis, loop}, [&] { ask_for_boxes(loop->body, false); });
  }
}

// A walk, inside of the loops around it from number `depth` on.
void TileLowering::ask_for_boxes(const RingSite& site, size_t depth) {
  if (site.factors.empty()) return;
  if (depth == site.around.size()) return ask_for_boxes(site);
  around_boxes(site.around[depth], [&] { ask_for_boxes(site, depth + 1); });
}

void TileLowering::around_boxes(const RingLoop& loop, const std::function<void()>& body) {
  const Range range = rounds_of(loop);
  if (!extents_.contains(loop.axis)) return coordinates(loop.axis, range, body);
  rounds(loop.axis, range, count_rounds(loop.axis, range), body);
}

void TileLowering::ask_for_boxes(const RingSite& site) {
  const std::vector<Fill> fills = fills_of(site);
  const RingTurn turn = turn_of(site.axis, rounds_of({site.axis, site.loop}), false);
  const std::string tile = named(lowercase(kernel_.axes[site.axis].name) + "_tile");
  Scope bindings;
  bindings.loops.insert(site.axis);
  const Range share = share_of(site.axis, turn.end);
  // Others wait before they begin.
  if (looks_ahead()) {
    emit(lowered::Comment{"for the first tile alone; what is above reads no tensor"});
    emit(lowered::Evaluate{local(stages_of(*site.factors[0]).ring + ".wait_for_launch_before()")});
  }
  count_loop(tile, share, "1", std::move(bindings), [&] {
    bind_tile(site.axis, turn.range, tile);
    const auto fill = [&] {
      for (const Fill& each : fills) fill_stage(*each.stages, each.factors, each.bytes);
    };
    if (!tiles_.has_parts()) return fill();
    boxes_->part = named("part");
    count_loop(boxes_->part, {lowered::integer(0), local("kSplitParts")}, "1", Scope{}, fill);
  });
}

// Sources first: they are read first.
std::vector<TileLowering::Fill> TileLowering::fills_of(const RingSite& site) {
  std::vector<Fill> fills;
  for (const bool is_source : {true, false}) {
    std::vector<const TileFactor*> factors = site.factors;
    std::erase_if(factors, [&](const TileFactor* factor) { return factor->is_source != is_source; });
    if (factors.empty()) continue;
    const StageNames& stages = stages_of(*factors[0]);
    const std::string bytes =
        named(lowercase(kernel_.axes[site.axis].name) + (is_source ? "_source_bytes" : "_bytes"));
    emit(lowered::Local{"int", bytes, {}, local(bytes_of(factors)), true, false});
    fills.push_back({&stages, std::move(factors), bytes});
  }
  return fills;
}

// What boxes bring to a stage of those.
std::string TileLowering::bytes_of(const std::vector<const TileFactor*>& factors) {
  std::string bytes;
  for (const TileFactor* factor : factors)
    bytes += fmt::format("{}bytes_of({}, {}{})", bytes.empty() ? "" : " + ", tile_of(*factor).ring,
                         boxes_of(tile_of(*factor)), is_shared(*factor) ? ", cluster" : "");
  return bytes;
}

void TileLowering::fill_stage(const StageNames& stages, const std::vector<const TileFactor*>& factors,
                              const std::string& bytes) {
  const std::string begin = fmt::format("{}.begin_fill({}, {})", stages.ring, stages.at, bytes);
  if (looks_ahead())
    guard(local("!" + begin), "looking ahead ends with the stages", false, Scope{},
          [&] { emit(lowered::Evaluate{local(has_cut_tiles() ? "return false" : "return")}); });
  else
    emit(lowered::Evaluate{local(begin)});
  for (const TileFactor* factor : factors) load_box(*factor);
  emit(lowered::Evaluate{local(stages.at + ".advance()")});
}

void TileLowering::load_box(const TileFactor& read) {
  const FactorTile& entry = tile_of(read);
  const TileFactor& factor = entry.factor;
  const StageNames& stages = stages_of(factor);
  const auto& load = std::get<ir::Load>(kernel_.values[factor.load].op);
  std::vector<Expr> at;
  if (factor.in_parts) at.push_back(local(boxes_->part));
  for (size_t d = 0; d < load.indices.size(); ++d)
    at.push_back(d == factor.width_index
                     ? lowered::add(reach_of_index(load, d, factor.width).at, first_of_tile(factor.width))
                 : d == factor.depth_index ? first_of_tile(factor.depth)
                                           : eval_total(load.indices[d]));
  const size_t before = at.size() - load.indices.size();
  const bool is_across = entry.major == "Major::mn";
  const std::string callee =
      fmt::format("{}<{}, {}>", is_shared(factor) ? "load_multicast_tile" : "load_tile",
                  before + (is_across ? factor.depth_index : factor.width_index),
                  before + (is_across ? factor.width_index : factor.depth_index));
  emit(lowered::Evaluate{lowered::call(
           callee,
           {local(fmt::format("{}.stage({}.stage)", entry.ring, stages.at)), local(boxes_of(entry)),
            lowered::braces(fmt::format("Index<{}>", at.size()), at), local(stages.ring),
            local(stages.at + ".stage")},
           DType::index)},
       kernel_.values[factor.load].span);
}

}  // namespace tessera::emit
