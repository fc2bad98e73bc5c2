// SPDX-License-Identifier: Apache-2.0
// Variants of phases in tiles.
#include "emit/tile_variants.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/check.h"
#include "emit/box_arguments.h"
#include "emit/lower.h"
#include "emit/naming.h"
#include "emit/print.h"
#include "emit/print_launcher.h"
#include "emit/staged_loads.h"
#include "emit/term_shares.h"
#include "emit/tile_lines.h"
#include "emit/tile_memory.h"
#include "emit/tile_plan.h"
#include "emit/tile_price.h"
#include "emit/turned_variants.h"
#include "emit/uneven_loops.h"
#include "emit/warpgroup_plan.h"

namespace tessera::emit {

namespace {

constexpr int kCopyBytes = 16;

class TileVariants {
  using Conditions = std::vector<std::string>;

 public:
  TileVariants(KernelPlan& plan, size_t function)
      : plan_(plan),
        kernel_(*plan.kernel),
        tiles_(plan.tiles[function]),
        function_(static_cast<int>(function)),
        loads_(plan, tiles_),
        boxes_(plan, tiles_, loads_) {}

  /// The variants for one choice of the requests.
  void run(size_t choice) {
    take_shapes(choice);
    if (tiles_.way == TileWay::threads && !shapes_.empty()) return by_threads();
    for (const TileShape* shape : shapes_) add_boxes(*shape);
  }

  /// Whether one of them has threads copy chunks of 16 bytes.
  bool have_chunks(size_t choice) {
    take_shapes(choice);
    return tiles_.way == TileWay::threads && std::ranges::any_of(shapes_, [&](const TileShape* shape) {
             return !orders_in_chunks(*shape).empty() || (shape->few_quarters == 0 && may_shift(*shape));
           });
  }

  /// What the launcher says before it takes one of them, when those of all functions are there.
  void declare() {
    if (tiles_.way != TileWay::warpgroups) return;
    for (const TileShape& shape : tiles_.shapes) shapes_.push_back(&shape);
    declare_boxes();
  }

 private:
  void take_shapes(size_t choice) {
    for (const TileShape& shape : tiles_.shapes)
      if (shape.choice == choice) shapes_.push_back(&shape);
    find_boxed_lines(choice);
  }

  /// Of several sizes, those whose last panel is partly used are for factors whose lines run along what is summed over: panels
  /// are copied whole. By load, what holds then; nothing for the others.
  std::map<ir::ValueId, std::string> lines_that_suit(const TileShape& shape) const {
    const auto is_whole = [&](const TileShape* other) { return has_whole_panels(kernel_, tiles_, *other); };
    std::map<ir::ValueId, std::string> terms;
    if (is_whole(&shape) || std::ranges::none_of(shapes_, is_whole)) return terms;
    for (const auto& [dot, product] : tiles_.products) {
      if (product.columns.way != TileFactor::Way::staged) continue;
      const StagedLoad& load = loads_.of(product.columns.load);
      if (loads_.takes_either(load)) terms[load.value] = loads_.lie_along_depth(load);
    }
    return terms;
  }

  // Which dimensions the variants ask lines of a tensor to run along, and how much is computed from it.
  void declare_boxes() {
    const std::map<std::string, const StagedLoad*> loads = loads_.by_boxes();
    for (const bool is_second : {false, true})
      for (const auto& [name, load] : loads)
        if ((columns_before(plan_, load->value) != nullptr) == is_second) declare_boxes(name, *load);
    if (names_boxes())
      add_statement(fmt::format("const bool {} = {};", kHaveBoxes, fmt::join(have_boxes(), " && ")));
    if (boxes_.launches_choose_clusters()) add_statement(boxes_.declare_clusters());
    if (tiles_.shared_axis) declare_terms();
  }
  /// Of each tensor that boxes are copied of, that they can be.
  std::vector<std::string> have_boxes() const {
    std::vector<std::string> conditions;
    std::set<std::string> known;
    for (const StagedLoad& load : loads_)
      if (known.insert(loads_.boxes_of(load)).second) conditions.push_back(loads_.have_boxes(load));
    return conditions;
  }
  /// Whether several variants ask that of several tensors.
  bool names_boxes() const {
    return tiles_.turned == Turned::none && tiles_.shapes.size() > 1 && have_boxes().size() > 1;
  }
  void declare_boxes(const std::string& name, const StagedLoad& load) {
    const ir::Tensor& tensor = loads_.tensor_of(load);
    const std::string type =
        load.factor->in_parts
            ? fmt::format("SplitTensor<{}>", tensor.dims.size())
            : fmt::format("BoxedTensor<{}, {}>", is_rounded(*load.factor) ? "tf32" : type_name(tensor.dtype),
                          tensor.dims.size());
    std::string dimensions = fmt::format("{}", fmt::join(loads_.dimensions_of_lines(load), ", ")), copied;
    if (loads_.may_turn(load)) {
      const size_t along = load.factor->depth_index;
      dimensions =
          fmt::format("{}, {} ? {} : {}", along, loads_.may_be_turned(load), load.factor->width_index, along);
      copied = fmt::format(", {}", along);
    }
    add_statement(fmt::format("{} {}(check, options, {}, {{{}}}, {{{}}}{});", type, name,
                              safe_name(tensor.name), dimensions,
                              fmt::join(loads_.extents_of_terms(*load.factor), ", "), copied));
  }
  void declare_terms() {
    const ir::Axis& axis = kernel_.axes[*tiles_.shared_axis];
    plan_.phase.shared_terms = plan_.sizes.subtract(axis.upper, axis.lower);
    const std::string terms = print(lower_size(kernel_, plan_.sizes, *plan_.phase.shared_terms));
    std::vector<std::string> bytes;
    for (const auto& [name, load] : loads_.by_boxes()) bytes.push_back(name + ".bytes()");
    add_statement(
        fmt::format("SharedTerms terms(check, options, {}, {{{}}});", terms, fmt::join(bytes, ", ")));
  }
  void add_statement(const std::string& statement) {
    if (std::ranges::count(plan_.phase.boxed, statement) == 0) plan_.phase.boxed.push_back(statement);
  }

  /// What threads copy on other chips, boxes are copied of here: tensors that have none are made to have them.
  void find_boxed_lines(size_t choice) {
    const TilePlan& first = plan_.tiles[0];
    const bool are_boxes = first.way == TileWay::warpgroups && tiles_.way != TileWay::warpgroups &&
                           std::ranges::count(first.shapes, choice, &TileShape::choice) > 0;
    if (!are_boxes) return;
    if (first.has_parts()) return;  // which are made where that is worth it
    const StagedLoads boxes(plan_, first);
    for (const StagedLoad& load : boxes) boxed_lines_[load.value] = boxes.dimensions_of_lines(load);
  }
  bool is_boxed(size_t order) const {
    const auto lies_across = [&](const StagedLoad& load) {
      return loads_.may_turn(load) &&
             contiguous_index(load, is_swapped(order, loads_.number_of(load.value))) ==
                 load.factor->width_index;
    };
    // One of them alone is turned. As the program is written tensors lie most often, also those that have no boxes.
    if (std::ranges::count_if(loads_, lies_across) > (order == 0 ? 0 : 1)) return false;
    return !boxed_lines_.empty() && std::ranges::all_of(loads_, [&](const StagedLoad& load) {
      const auto lines = boxed_lines_.find(load.value);
      return lines != boxed_lines_.end() &&
             lines->second.contains(contiguous_index(load, is_swapped(order, loads_.number_of(load.value))));
    });
  }

  void by_threads() {
    for (const TileShape* shape : shapes_) {
      for (size_t order : orders_in_chunks(*shape)) add(*shape, order, "copies");
      if (shape->few_quarters > 0) continue;
      if (may_shift(*shape)) add(*shape, 0, "shifted");
      add(shape_for_rest(*shape), 0, "elements");
    }
  }

  /// The orders of lines in which threads copy chunks for a shape.
  std::vector<size_t> orders_in_chunks(const TileShape& shape) const {
    const bool is_one =
        std::ranges::all_of(tiles_.shapes, [](const TileShape& s) { return s.symbols.empty(); });
    const size_t orders = loads_.empty()                           ? 0
                          : is_one && loads_.size() <= kMostOrders ? size_t{1} << loads_.size()
                                                                   : 1;
    const bool is_left_out = shape.few_quarters == 0 && &shape_for_rest(shape) != &shape;
    std::vector<size_t> found;
    for (size_t order = 0; order < orders; ++order)
      if (!is_left_out && copies_chunks(order) && fits(shape, order) && !is_boxed(order))
        found.push_back(order);
    return found;
  }
  bool may_shift(const TileShape& shape) const { return tiles_.shifts && fits(shape, 0) && !is_boxed(0); }

  /// Where boxes are made of what has none, as soon as that is worth it, the rest is small: tiles that are many.
  const TileShape& shape_for_rest(const TileShape& shape) const {
    const auto few =
        std::ranges::find_if(shapes_, [](const TileShape* other) { return other->few_quarters > 0; });
    return boxed_lines_.empty() || few == shapes_.end() ? shape : **few;
  }

  /// The index that is contiguous in memory: the last one as written, or the other one of the two.
  size_t contiguous_index(const StagedLoad& load, bool swapped) const {
    const size_t last = std::max(load.factor->width_index, load.factor->depth_index);
    return swapped ? std::min(load.factor->width_index, load.factor->depth_index) : last;
  }
  bool is_swapped(size_t order, size_t load) const { return (order >> load & 1u) != 0; }
  bool is_along_depth(const StagedLoad& load, bool swapped) const {
    return contiguous_index(load, swapped) == load.factor->depth_index;
  }

  bool copies_chunks(size_t order) const {
    for (size_t k = 0; k < loads_.size(); ++k)
      if (!begins_at_blocks(kernel_, plan_.sizes, *loads_[k].factor,
                            contiguous_index(loads_[k], is_swapped(order, k)),
                            kernel_.values[loads_[k].value].dtype))
        return false;
    return true;
  }

  /// Lines of tiles are whole chunks, those of computed tiles too, which run as those of their first part.
  bool fits(const TileShape& shape, size_t order) const {
    for (size_t k = 0; k < loads_.size(); ++k)
      if (!has_whole_lines(shape, *loads_[k].factor, is_along_depth(loads_[k], is_swapped(order, k))))
        return false;
    return std::ranges::all_of(tiles_.factors(), [&](const TileFactor* factor) {
      if (factor->parts.empty()) return true;
      const size_t k = loads_.number_of(factor->parts[0].load);
      return has_whole_lines(shape, *factor, is_along_depth(loads_[k], is_swapped(order, k)));
    });
  }
  bool has_whole_lines(const TileShape& shape, const TileFactor& factor, bool along_depth) const {
    const int64_t length = shape.extent.at(along_depth ? factor.depth : factor.width);
    return length * size_in_bytes(kernel_.values[factor.value].dtype) % kLineBytes == 0;
  }

  void add(const TileShape& shape, size_t order, const std::string& way) {
    Variant variant = begin(shape, way);
    std::vector<std::string> conditions = conditions_on_symbols(shape), orders;
    std::ranges::move(constraints_of(shape), std::back_inserter(conditions));
    for (size_t k = 0; k < loads_.size(); ++k) {
      const bool is_order_free = way == "elements" && !fits(shape, order);
      const bool along_depth = is_order_free || is_along_depth(loads_[k], is_swapped(order, k));
      variant.arguments[tiles_.majors.at(loads_[k].value)] = along_depth ? "Major::k" : "Major::mn";
      if (way != "elements") conditions.push_back(aligned(loads_[k], is_swapped(order, k), way));
      const TileFactor& factor = *loads_[k].factor;
      orders.push_back(fmt::format("{} along {}", loads_.tensor_of(loads_[k]).name,
                                   kernel_.axes[along_depth ? factor.depth : factor.width].name));
    }
    variant.condition = conditions.empty() ? "true" : conjunction({conditions});
    if (variant.few_quarters > 0) orders.push_back("few tiles");
    const std::string lines = fmt::format("{}", fmt::join(orders, ", "));
    variant.explanation = way == "elements" ? "any strides: element by element"
                          : way == "copies" ? lines + ": copies of 16 bytes"
                                            : lines + ": blocks of 16 bytes, shifted into place";
    plan_.phase.variants.push_back(std::move(variant));
  }

  void add_boxes(const TileShape& shape) {
    Variant variant = begin(shape, "boxes");
    Conditions all = constraints_of(shape);
    if (names_boxes())
      all.push_back(kHaveBoxes);
    else
      std::ranges::move(have_boxes(), std::back_inserter(all));
    for (const StagedLoad& load : loads_) variant.maps.push_back(boxes_.argument(load, shape));
    const std::map<ir::ValueId, std::string> suitable = lines_that_suit(shape);
    choose_orders(variant, shape, suitable);
    std::set<std::string> terms;
    for (const auto& [load, term] : suitable) terms.insert(term);
    const Conditions values = conditions_on_symbols(shape), lines(terms.begin(), terms.end());
    for (const std::string& stored : tiles_.stored)
      variant.maps.push_back(lowered::name(stored, DType::index));
    if (tiles_.shared_axis) variant.maps.push_back(lowered::name("terms", DType::index));
    if (shape.clocks > 0)
      variant.rival = rival(shape, values, lines, all);
    else
      variant.condition = conjunction({values, all, lines});
    variant.explanation = "boxes, multiplied by warpgroups";
    variant.is_uneven = has_uneven_loops(kernel_, plan_.sizes, kernel_.grids.at(0).body);
    for (const StagedLoad& load : loads_)
      if (load.factor->is_turned)
        variant.explanation += fmt::format(", rows of {} turned", loads_.tensor_of(load).name);
    plan_.phase.variants.push_back(std::move(variant));
  }

  /// Functions of small tiles are for one order each, those of others for all, but of factors that suit them one way only.
  void choose_orders(Variant& variant, const TileShape& shape,
                     const std::map<ir::ValueId, std::string>& suitable) const {
    constexpr const char* kNames[] = {kOrder, kOtherOrder};
    TESSERA_CHECK(shape.has_panels || (!tiles_.orders.empty() && !suitable.empty()),
                  "tiles without panels are for lines along what is summed over");
    for (const auto& [load, parameter] : tiles_.orders) {
      variant.arguments[parameter] = suitable.contains(load) ? "Order::k" : "Order::either";
      if (!is_of_orders(kernel_, tiles_, shape)) continue;
      variant.arguments[parameter] = kNames[variant.along_k.size()];
      variant.along_k.push_back(loads_.lie_along_depth(loads_.of(load)));
    }
  }

  /// All but what depends on the order of lines in memory.
  Variant begin(const TileShape& shape, const std::string& way) const {
    Variant variant{.name = way, .function = function_, .threads = tiles_.block_threads(shape), .rows = 1};
    for (const auto& [axis, name] : tiles_.extents)
      variant.arguments[name] = std::to_string(shape.extent.at(axis));
    variant.arguments["kStages"] = std::to_string(shape.stages);
    if (tiles_.has_groups()) variant.arguments["kRaster"] = std::to_string(shape.raster);
    if (way == "boxes") {
      variant.arguments["kGroups"] = std::to_string(shape.all_groups());
      if (tiles_.has_teams()) variant.arguments["kTeams"] = std::to_string(shape.teams);
      variant.cluster = boxes_.cluster_of(shape);
      if (tiles_.has_clusters() && tiles_.has_lone_blocks())
        variant.arguments["kClustered"] = variant.cluster == nullptr ? "false" : "true";
      if (tiles_.shared_axis) share_terms(variant, shape);
    } else {
      variant.arguments["kWarpRows"] = std::to_string(shape.warp_rows);
      variant.arguments["kWarpColumns"] = std::to_string(shape.warp_columns);
      variant.arguments["kCopy"] = "Copy::" + (way == "copies" ? "async_16" : way);
    }
    variant.shared_bytes = shape.shared_bytes + (way == "shifted" ? shape.end_bytes : 0);
    if (shape.few_quarters == 0 || way == "elements" || !boxed_lines_.empty()) return variant;
    variant.name = "few";
    variant.few_units_of = way;
    variant.few_quarters = shape.few_quarters;
    return variant;
  }

  void share_terms(Variant& variant, const TileShape& shape) const {
    const int64_t bytes = bytes_of_sums(tiles_, shape);
    const bool is_shared = shape.split > 1 || (shape.split == 0 && may_share_terms(tiles_, shape));
    variant.arguments["kSharesTerms"] = is_shared ? "true" : "false";
    variant.shared =
        SharedUnit{clocks_of(shape), shape.clocks_behind, shape.teams, is_shared ? bytes : 0, shape.split};
  }

  std::string clocks_of(const TileShape& shape) const {
    const auto axis =
        boxes_.launches_choose_clusters() ? cluster_axis(kernel_, plan_.sizes, tiles_) : std::nullopt;
    return clocks_in_launches(kernel_, tiles_, shape, axis);
  }

  Rival rival(const TileShape& shape, const Conditions& values, const Conditions& lines,
              const Conditions& all) const {
    const auto number = std::ranges::find(shapes_, &shape) - shapes_.begin();
    return {shape.choice,         static_cast<size_t>(number), clocks_of(shape), conjunction({values}),
            conjunction({lines}), conjunction({all}),          tiles_.turned};
  }

  static std::string conjunction(std::initializer_list<Conditions> conditions) {
    Conditions terms;
    for (const Conditions& more : conditions) terms.insert(terms.end(), more.begin(), more.end());
    return fmt::format("{}", fmt::join(terms, " && "));
  }

  std::vector<std::string> conditions_on_symbols(const TileShape& shape) const {
    std::vector<std::string> terms;
    for (const auto& [symbol, value] : shape.symbols)
      terms.push_back(fmt::format("{} == {}", safe_name(kernel_.symbols[symbol].name), value));
    return terms;
  }

  /// Of the launches that a choice is made for.
  std::vector<std::string> constraints_of(const TileShape& shape) const {
    std::vector<std::string> terms;
    for (const ir::Constraint& constraint : shape.when) {
      const std::string term = condition_of(kernel_, plan_.sizes, constraint);
      terms.push_back(constraint.values.size() > 1 ? "(" + term + ")" : term);
    }
    return terms;
  }

  std::string aligned(const StagedLoad& load, bool swapped, const std::string& way) const {
    const ir::Tensor& tensor = loads_.tensor_of(load);
    return fmt::format("aligned_lines({}, {}, {})", safe_name(tensor.name), contiguous_index(load, swapped),
                       way == "copies" ? kCopyBytes : size_in_bytes(tensor.dtype));
  }

  /// Whether a product reads it as tf32: copies round.
  bool is_rounded(const TileFactor& factor) const {
    return std::ranges::any_of(tiles_.products, [&](const auto& entry) {
      const TileProduct& product = entry.second;
      return product.is_tf32 && (product.rows.shares_tile(factor) || product.columns.shares_tile(factor));
    });
  }

  KernelPlan& plan_;
  const ir::Kernel& kernel_;
  const TilePlan& tiles_;
  const int function_;
  const StagedLoads loads_;
  const BoxArguments boxes_;
  std::vector<const TileShape*> shapes_;  // of the choice at hand
  /// Of the same loads, where warpgroups multiply them: the dimensions that lines may run along.
  std::map<ir::ValueId, std::set<size_t>> boxed_lines_;
};

}  // namespace

size_t last_choice(const KernelPlan& plan) { return plan.general_tiles().shapes.back().choice; }

bool copies_chunks(KernelPlan& plan, size_t function) {
  for (size_t choice = 0; choice <= last_choice(plan); ++choice)
    if (TileVariants(plan, function).have_chunks(choice)) return true;
  return false;
}

void choose_tile_variants(KernelPlan& plan) {
  for (size_t choice = 0; choice <= last_choice(plan); ++choice)
    for (size_t function = 0; function < plan.tiles.size(); ++function)
      TileVariants(plan, function).run(choice);
  for (size_t function = 0; function < plan.tiles.size(); ++function) TileVariants(plan, function).declare();
}

}  // namespace tessera::emit
