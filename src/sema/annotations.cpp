// SPDX-License-Identifier: Apache-2.0
// Annotations: known names, the number of `@warps`, the tiles of `@tile`; what nothing honours is refused.
#include "sema/annotations.h"

#include <algorithm>
#include <array>
#include <optional>

#include "sema/constants.h"

namespace tessera::sema {

namespace {

/// Annotations of the language.
constexpr std::array kKnown = {
    "tile",         "autotune", "pipeline",  "warps",    "warpgroups", "stages",  "cluster",   "persistent",
    "raster",       "split",    "arch",      "resident", "registers",  "swizzle", "multicast", "in_shared",
    "in_registers", "cache",    "vectorize", "ilp",      "unroll",     "prefetch"};

/// Warps that a block may have.
constexpr std::int64_t kMostWarps = 32;

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
    if (name == "warps") report.help("it stands before the kernel, or behind the ranges of its `grid`");
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

/// `@warps(4)`, the one request that travels to the planner.
std::optional<ir::Request> warps(Context& context, const ast::Annotation& annotation) {
  const bool one = annotation.arguments && annotation.arguments->size() == 1;
  if (one && !annotation.arguments->front().name) {
    const auto count =
        constant_integer(context, annotation.arguments->front().value, "the argument of an annotation");
    if (!count) return std::nullopt;
    if (*count >= 1 && *count <= kMostWarps) return ir::Request{"warps", {*count}, annotation.span};
  }
  context.sink.report(Diag::warps_argument, annotation.span, kMostWarps)
      .note("it asks for the warps of one block: `@warps(4)`");
  return std::nullopt;
}

void check_tile(Context& context, const ast::Annotation& annotation) {
  if (!annotation.arguments) return;
  for (const ast::Argument& argument : *annotation.arguments) {
    if (!argument.name) {
      context.sink.report(Diag::tile_argument, argument.span);
      continue;
    }
    if (argument.name->text == "when") {
      not_implemented(context.sink, argument.span, "a variant's condition `when`", "R6");
      continue;
    }
    const auto size = constant_integer(context, argument.value, "a tile size");
    if (!size) continue;
    if (*size < 1) {
      context.sink.report(Diag::step_not_positive, context.expr(argument.value).span, *size);
      continue;
    }
    const auto [entry, inserted] =
        context.tiles.try_emplace(argument.name->text, TileRequest{*size, argument.span, false});
    if (!inserted) {
      context.sink.report(Diag::tile_twice, argument.span, argument.name->text)
          .label(entry->second.span, "first here");
    }
  }
}

}  // namespace

void check_kernel_annotations(Context& context, const std::vector<ast::Annotation>& annotations) {
  for (const ast::Annotation& annotation : annotations) {
    if (annotation.name.text == "tile") {
      check_tile(context, annotation);
    } else if (annotation.name.text != "warps") {
      refuse(context, annotation);
    } else if (auto wanted = warps(context, annotation)) {
      context.kernel.requests.push_back(std::move(*wanted));
    }
  }
}

std::vector<ir::Request> check_grid_annotations(Context& context,
                                                const std::vector<ast::Annotation>& annotations) {
  std::vector<ir::Request> requests;
  for (const ast::Annotation& annotation : annotations) {
    if (annotation.name.text != "warps") {
      refuse(context, annotation);
    } else if (auto wanted = warps(context, annotation)) {
      requests.push_back(std::move(*wanted));
    }
  }
  return requests;
}

bool refuse_annotations(Context& context, const std::vector<ast::Annotation>& annotations) {
  for (const ast::Annotation& annotation : annotations) refuse(context, annotation);
  return std::ranges::none_of(annotations, [&](const auto& a) { return is_product(context, a); });
}

}  // namespace tessera::sema
