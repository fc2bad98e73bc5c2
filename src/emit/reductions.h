// SPDX-License-Identifier: Apache-2.0
// The runtime's words for reductions.
#pragma once

#include "sema/ir/ops.h"

namespace tessera::emit {

/// Whether a reduction gives a position.
inline bool is_argument(ir::ReduceOp op) { return op == ir::ReduceOp::argmax || op == ir::ReduceOp::argmin; }

/// What combines two elements: "Maximum{}".
inline const char* functor(ir::ReduceOp op) {
  switch (op) {
    case ir::ReduceOp::sum:
    case ir::ReduceOp::count: return "Sum{}";
    case ir::ReduceOp::prod: return "Product{}";
    case ir::ReduceOp::max: return "Maximum{}";
    case ir::ReduceOp::min: return "Minimum{}";
    case ir::ReduceOp::any: return "Any{}";
    case ir::ReduceOp::all: return "All{}";
    case ir::ReduceOp::argmax: return "ArgMaximum{}";
    case ir::ReduceOp::argmin: return "ArgMinimum{}";
  }
  return "";
}

}  // namespace tessera::emit
