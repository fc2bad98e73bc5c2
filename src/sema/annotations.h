// SPDX-License-Identifier: Apache-2.0
// `@tile`, `@warps` and their like: requests to the planner, which change speed and never meaning.
#pragma once

#include <vector>

#include "sema/context.h"

namespace tessera::sema {

/// The annotations before a kernel: `@tile` and `@autotune` fill the context's tiles, the others become requests.
void check_kernel_annotations(Context& context, const std::vector<ast::Annotation>& annotations);

/// The annotations behind the ranges of a grid.
std::vector<ir::Request> check_grid_annotations(Context& context,
                                                const std::vector<ast::Annotation>& annotations);

/// The annotations behind the ranges of a `for` whose body made the values from `first_value` on.
void check_loop_annotations(Context& context, const std::vector<ast::Annotation>& annotations,
                            std::size_t first_value);

/// Annotations at a place where none is honoured yet. False if one was no annotation but the product `x @ a`, which
/// is reported, so that what it stands behind is worth no other message.
bool refuse_annotations(Context& context, const std::vector<ast::Annotation>& annotations);

}  // namespace tessera::sema
