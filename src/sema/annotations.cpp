// SPDX-License-Identifier: Apache-2.0
// Annotations: known names, requests of one number; what nothing honours is refused.
#include "sema/annotations.h"

#include <algorithm>
#include <array>
#include <optional>

#include "sema/constants.h"
#include "sema/tilings.h"

namespace tessera::sema {

namespace {

/// Annotations of the language.
constexpr std::array kKnown = {
    "tile",         "autotune", "pipeline",  "warps",    "warpgroups", "stages",  "cluster",   "persistent",
    "raster",       "split",    "arch",      "resident", "registers",  "swizzle", "multicast", "in_shared",
    "in_registers", "cache",    "vectorize", "ilp",      "unroll",     "prefetch"};

template <typename List>
bool contains(const List& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

/// `x @ a`, the product of Python's matrices.
bool is_product(Context& context, const ast::Annotation& annotation) {
  return !contains(kKnown, annotation.name.text) && context.scope.find(annotation.name.text) != nullptr;
}

void refuse(Context& context, const ast::Annotation& annotation) {
  const std::string& name = annotation.name.text;
  if (contains(kKnown, name)) {
    auto report = context.sink.report(Diag::annotation_refused, annotation.span, name);
    report.note("a request that cannot be honoured is an error, never ignored");
    if (name == "tile") report.help("it stands before the kernel, and names what it sets: `@tile(BM = 64)`");
    if (name == "autotune") report.help("it stands before the kernel");
    if (name == "warps" || name == "stages" || name == "raster" || name == "warpgroups" || name == "cluster" ||
        name == "split")
      report.help("it stands before the kernel, or behind the ranges of its `grid`");
    if (name == "pipeline") report.help("it stands behind the ranges of a `for` with a `dot`");
    return;
  }
  auto report = context.sink.report(Diag::unknown_annotation, annotation.name.span, name);
  if (is_product(context, annotation)) {
    report.help("`@` begins an annotation; a product of matrices is `dot(a[m, :], b[:, n])`");
    return;
  }
  if (const auto suggestion = nearest(name, {kKnown.begin(), kKnown.end()})) {
    report.fix(annotation.name.span, *suggestion, fmt::format("did you mean `@{}`?", *suggestion));
  } else {
    report.help("`@tile(BM = 64)` sets the sizes of steps, and `@warps(4)` the warps of a block");
  }
}

/// What a request of one number asks for, and between which bounds.
struct Count {
  std::string_view annotation, subject;
  ir::RequestRange range;
  const char* meaning;
};
constexpr const char* kStages =
    "it asks for the tiles that a loop holds of each factor: one is read while others arrive";
constexpr std::array kCounts = {
    Count{"warps", "warps", ir::kWarpsRange, "it asks for the warps of one block: `@warps(4)`"},
    Count{"stages", "stages", ir::kStagesRange, kStages},
    Count{"pipeline", "stages", ir::kStagesRange, kStages},
    Count{"raster", "raster", ir::kRasterRange,
          "blocks walk over the tiles of a grid in groups of so many rows: `@raster(8)`"},
    Count{"warpgroups", "warpgroups", ir::kWarpgroupsRange,
          "so many groups of four warps multiply what another warp has copied, or 0 for none: "
          "`@warpgroups(2)`"},
    Count{"cluster", "cluster", ir::kClusterRange,
          "so many blocks with neighbouring rows of tiles run together and share what they read of columns: "
          "`@cluster(2)`"},
    Count{"split", "split", ir::kSplitRange,
          "so many blocks share the terms of each tile's sums, or 1 for each tile alone: `@split(4)`"}};

DiagnosticBuilder refuse_count(Context& context, const Count& count, Span span) {
  auto report = count.annotation == "warps"
                    ? context.sink.report(Diag::warps_argument, span, count.range.most)
                    : context.sink.report(Diag::count_argument, span, count.annotation, count.range.least,
                                          count.range.most);
  report.note("{}", count.meaning);
  return report;
}

/// Whether the number can be; else the nearest that can stands beside the mistake.
bool check_count(Context& context, const Count& count, Span span, std::int64_t number, Span number_span) {
  if (count.range.contains(number)) return true;
  const std::int64_t nearest = std::clamp(number, count.range.least, count.range.most);
  refuse_count(context, count, span)
      .fix(number_span, std::to_string(nearest), fmt::format("the nearest that can be is `{}`", nearest));
  return false;
}

/// A plan parameter in place of the number: `@stages(S)`. What sets it for all launches is settled here.
std::optional<ir::Request> parameter(Context& context, const Count& count, const ast::Annotation& annotation,
                                     const std::string& name) {
  context.plan_parameters.insert(name);
  const auto set = context.tiles.find(name);
  if (set == context.tiles.end()) return std::nullopt;  // the planner is free
  TileRequest& value = set->second;
  value.used = true;
  const std::string request(count.annotation);
  if (value.annotation == "autotune" || value.size == 0)
    return ir::Request{request, {}, annotation.span, name};
  if (!check_count(context, count, value.value_span, value.size, value.value_span)) return std::nullopt;
  const bool is_fixed = std::ranges::none_of(context.kernel.tilings, [&](const ir::Tiling& tiling) {
    return std::ranges::any_of(tiling.settings, [&](const auto& setting) { return setting.name == name; });
  });
  if (is_fixed) return ir::Request{request, {value.size}, annotation.span};
  return ir::Request{request, {value.size}, annotation.span, name};
}

std::optional<ir::Request> read_count(Context& context, const Count& count,
                                      const ast::Annotation& annotation) {
  const bool one = annotation.arguments && annotation.arguments->size() == 1;
  if (!one || annotation.arguments->front().name) {
    refuse_count(context, count, annotation.span);
    return std::nullopt;
  }
  const ast::ExprId value = annotation.arguments->front().value;
  const auto* name = std::get_if<ast::NameRef>(&context.expr(value).node);
  if (name && !context.scope.find(name->name)) return parameter(context, count, annotation, name->name);
  const auto number = constant_integer(context, value, "the argument of an annotation");
  if (!number || !check_count(context, count, annotation.span, *number, context.expr(value).span))
    return std::nullopt;
  return ir::Request{std::string(count.annotation), {*number}, annotation.span};
}

/// A request of one number, unless another annotation of the kernel asks for another one.
void add_count(Context& context, const Count& count, const ast::Annotation& annotation,
               std::vector<ir::Request>& requests) {
  std::optional<ir::Request> request = read_count(context, count, annotation);
  if (!request) return;
  const auto [first, is_first] = context.requested.try_emplace(std::string(count.subject), *request);
  const ir::Request& before = first->second;
  if (is_first) {
    requests.push_back(std::move(*request));
  } else if (before.arguments != request->arguments || before.parameter != request->parameter) {
    context.sink.report(Diag::request_twice, annotation.span, count.annotation, before.name)
        .label(before.span, "first here")
        .note("a kernel has one plan: both can be honoured only if they say the same");
  }
}

const Count* count_of(const ast::Annotation& annotation, bool in_loop) {
  const auto found = std::ranges::find(kCounts, annotation.name.text, &Count::annotation);
  return found != kCounts.end() && (found->annotation == "pipeline") == in_loop ? &*found : nullptr;
}

}  // namespace

void check_kernel_annotations(Context& context, const std::vector<ast::Annotation>& annotations) {
  const ast::Annotation* space = nullptr;
  for (const ast::Annotation& annotation : annotations) {  // before those that name what is set here
    if (annotation.name.text == "tile") check_tile(context, annotation);
    if (annotation.name.text != "autotune") continue;
    if (space) {
      context.sink.report(Diag::request_twice, annotation.span, "autotune", "autotune")
          .label(space->span, "first here")
          .note("one space holds all that is tried together");
      continue;
    }
    space = &annotation;
    check_autotune(context, annotation);
  }
  for (const ast::Annotation& annotation : annotations) {
    if (annotation.name.text == "tile" || annotation.name.text == "autotune") continue;
    const Count* count = count_of(annotation, false);
    count ? add_count(context, *count, annotation, context.kernel.requests) : refuse(context, annotation);
  }
}

std::vector<ir::Request> check_grid_annotations(Context& context,
                                                const std::vector<ast::Annotation>& annotations) {
  std::vector<ir::Request> requests;
  for (const ast::Annotation& annotation : annotations) {
    const Count* count = count_of(annotation, false);
    count ? add_count(context, *count, annotation, requests) : refuse(context, annotation);
  }
  return requests;
}

void check_loop_annotations(Context& context, const std::vector<ast::Annotation>& annotations,
                            std::size_t first_value) {
  const ir::Kernel& kernel = context.kernel;
  bool has_product = false;
  for (std::size_t i = first_value; i < kernel.values.size(); ++i)
    has_product = has_product || std::holds_alternative<ir::Dot>(kernel.values[kernel.values.id_at(i)].op);
  for (const ast::Annotation& annotation : annotations) {
    const Count* count = has_product ? count_of(annotation, true) : nullptr;
    count ? add_count(context, *count, annotation, context.kernel.requests) : refuse(context, annotation);
  }
}

bool refuse_annotations(Context& context, const std::vector<ast::Annotation>& annotations) {
  for (const ast::Annotation& annotation : annotations) refuse(context, annotation);
  return std::ranges::none_of(annotations, [&](const auto& a) { return is_product(context, a); });
}

}  // namespace tessera::sema
