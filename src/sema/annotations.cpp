// SPDX-License-Identifier: Apache-2.0
// Annotations: known names, integer arguments, the tiles of `@tile`.
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

/// Those that travel to the planner, which honours them or says why not.
constexpr std::array kRequests = {"warps", "persistent", "resident", "registers", "vectorize", "unroll"};

template <typename List>
bool contains(const List& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

void refuse(Context& context, const ast::Annotation& annotation) {
  const std::string& name = annotation.name.text;
  if (contains(kKnown, name)) {
    context.sink.report(Diag::annotation_refused, annotation.span, name)
        .note("a request that cannot be honoured is an error, never ignored");
    return;
  }
  auto report = context.sink.report(Diag::unknown_annotation, annotation.name.span, name);
  if (const auto suggestion = nearest(name, {kKnown.begin(), kKnown.end()})) {
    report.fix(annotation.name.span, *suggestion, fmt::format("did you mean `@{}`?", *suggestion));
  }
}

std::optional<ir::Request> request(Context& context, const ast::Annotation& annotation) {
  ir::Request result{annotation.name.text, {}, annotation.span};
  if (!annotation.arguments) return result;
  for (const ast::Argument& argument : *annotation.arguments) {
    if (argument.name) {
      context.sink.report(Diag::named_argument, argument.span, argument.name->text,
                          "@" + annotation.name.text);
      return std::nullopt;
    }
    const auto value = constant_integer(context, argument.value, "the argument of an annotation");
    if (!value) return std::nullopt;
    result.arguments.push_back(*value);
  }
  return result;
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
    } else if (!contains(kRequests, annotation.name.text)) {
      refuse(context, annotation);
    } else if (auto wanted = request(context, annotation)) {
      context.kernel.requests.push_back(std::move(*wanted));
    }
  }
}

std::vector<ir::Request> check_grid_annotations(Context& context,
                                                const std::vector<ast::Annotation>& annotations) {
  std::vector<ir::Request> requests;
  for (const ast::Annotation& annotation : annotations) {
    if (!contains(kRequests, annotation.name.text)) {
      refuse(context, annotation);
    } else if (auto wanted = request(context, annotation)) {
      requests.push_back(std::move(*wanted));
    }
  }
  return requests;
}

void refuse_annotations(Context& context, const std::vector<ast::Annotation>& annotations) {
  for (const ast::Annotation& annotation : annotations) refuse(context, annotation);
}

}  // namespace tessera::sema
