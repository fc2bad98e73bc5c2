// SPDX-License-Identifier: Apache-2.0
// The table of entries; `kernels.h` is made by the build and includes the header of every kernel.
#include "sweep/entries.h"

#include <cstdio>
#include <cstdlib>
#include <map>

#include "kernels.h"

namespace tessera::sweep {

Entry entry_of(const std::string& kernel) {
  static const std::map<std::string, Entry> kEntries = {
      {"adamw_bf16", adamw_bf16_invoke},
      {"adamw_f16", adamw_f16_invoke},
      {"adamw_f32", adamw_f32_invoke},
      {"bias_gelu_residual", bias_gelu_residual_invoke},
      {"bias_squared_relu_residual", bias_squared_relu_residual_invoke},
      {"blocks", blocks_invoke},
      {"both_dimensions", both_dimensions_invoke},
      {"column_state", column_state_invoke},
      {"five_rows", five_rows_invoke},
      {"geometric_product_2d", geometric_product_2d_invoke},
      {"group_norm", group_norm_invoke},
      {"held_before", held_before_invoke},
      {"held_before_row", held_before_row_invoke},
      {"hole_fill_3x3", hole_fill_3x3_invoke},
      {"hole_fill_5x5", hole_fill_5x5_invoke},
      {"image_to_tensor", image_to_tensor_invoke},
      {"interleaved", interleaved_invoke},
      {"laplacian", laplacian_invoke},
      {"later_wins", later_wins_invoke},
      {"layernorm", layernorm_invoke},
      {"logit_summary", logit_summary_invoke},
      {"narrow", narrow_invoke},
      {"narrow_index", narrow_index_invoke},
      {"others_of_itself", others_of_itself_invoke},
      {"picked", picked_invoke},
      {"picked_of_many", picked_of_many_invoke},
      {"quantize_rows", quantize_rows_invoke},
      {"rotary", rotary_invoke},
      {"running_top", running_top_invoke},
      {"scale_shift_gelu", scale_shift_gelu_invoke},
      {"softmax", softmax_invoke},
      {"swiglu", swiglu_invoke},
      {"transpose", transpose_invoke},
      {"wave", wave_invoke},
  };
  const auto found = kEntries.find(kernel);
  if (found == kEntries.end()) {
    std::fprintf(stderr, "sweep: the kernel %s is not linked; see tests/sweep/entries.cpp\n", kernel.c_str());
    std::abort();
  }
  return found->second;
}

}  // namespace tessera::sweep
