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
      {"adamw_bf16", tessera_adamw_bf16_invoke},
      {"adamw_f16", tessera_adamw_f16_invoke},
      {"adamw_f32", tessera_adamw_f32_invoke},
      {"batches", tessera_batches_invoke},
      {"batched", tessera_batched_invoke},
      {"attention", tessera_attention_invoke},
      {"attention_causal", tessera_attention_causal_invoke},
      {"attended", tessera_attended_invoke},
      {"band", tessera_band_invoke},
      {"before_one", tessera_before_one_invoke},
      {"bias_gelu_residual", tessera_bias_gelu_residual_invoke},
      {"bias_squared_relu_residual", tessera_bias_squared_relu_residual_invoke},
      {"block_totals", tessera_block_totals_invoke},
      {"blocks", tessera_blocks_invoke},
      {"both_dimensions", tessera_both_dimensions_invoke},
      {"byte_windows", tessera_byte_windows_invoke},
      {"chained", tessera_chained_invoke},
      {"causal", tessera_causal_invoke},
      {"column_state", tessera_column_state_invoke},
      {"computed_factors", tessera_computed_factors_invoke},
      {"convolutions", tessera_convolutions_invoke},
      {"counted", tessera_counted_invoke},
      {"counted_tiles", tessera_counted_tiles_invoke},
      {"first_and_last", tessera_first_and_last_invoke},
      {"five_rows", tessera_five_rows_invoke},
      {"folds_in_both_orders", tessera_folds_in_both_orders_invoke},
      {"folded_behind_loop", tessera_folded_behind_loop_invoke},
      {"four_orientations", tessera_four_orientations_invoke},
      {"gated", tessera_gated_invoke},
      {"gemm", tessera_gemm_invoke},
      {"gemm_f16", tessera_gemm_f16_invoke},
      {"gemm_f64", tessera_gemm_f64_invoke},
      {"gemm_i8", tessera_gemm_i8_invoke},
      {"geometric_product_2d", tessera_geometric_product_2d_invoke},
      {"gram", tessera_gram_invoke},
      {"group_norm", tessera_group_norm_invoke},
      {"grouped_heads", tessera_grouped_heads_invoke},
      {"held_before", tessera_held_before_invoke},
      {"held_before_row", tessera_held_before_row_invoke},
      {"hole_fill_3x3", tessera_hole_fill_3x3_invoke},
      {"hole_fill_5x5", tessera_hole_fill_5x5_invoke},
      {"image_to_tensor", tessera_image_to_tensor_invoke},
      {"interleaved", tessera_interleaved_invoke},
      {"kept_in_loop", tessera_kept_in_loop_invoke},
      {"laplacian", tessera_laplacian_invoke},
      {"later_wins", tessera_later_wins_invoke},
      {"layernorm", tessera_layernorm_invoke},
      {"linear", tessera_linear_invoke},
      {"linear_gelu", tessera_linear_gelu_invoke},
      {"logit_summary", tessera_logit_summary_invoke},
      {"long_steps", tessera_long_steps_invoke},
      {"masked_terms", tessera_masked_terms_invoke},
      {"narrow", tessera_narrow_invoke},
      {"narrow_index", tessera_narrow_index_invoke},
      {"narrow_rows", tessera_narrow_rows_invoke},
      {"nested_loops", tessera_nested_loops_invoke},
      {"met_before", tessera_met_before_invoke},
      {"one_at_a_time", tessera_one_at_a_time_invoke},
      {"online", tessera_online_invoke},
      {"others_of_itself", tessera_others_of_itself_invoke},
      {"pairs", tessera_pairs_invoke},
      {"picked", tessera_picked_invoke},
      {"picked_of_many", tessera_picked_of_many_invoke},
      {"product_chain", tessera_product_chain_invoke},
      {"products_as_values", tessera_products_as_values_invoke},
      {"quantize_rows", tessera_quantize_rows_invoke},
      {"read_both_ways", tessera_read_both_ways_invoke},
      {"row_distances", tessera_row_distances_invoke},
      {"rotary", tessera_rotary_invoke},
      {"rounds", tessera_rounds_invoke},
      {"running_top", tessera_running_top_invoke},
      {"scale_shift_gelu", tessera_scale_shift_gelu_invoke},
      {"shared_by_tile", tessera_shared_by_tile_invoke},
      {"short_windows", tessera_short_windows_invoke},
      {"softmax", tessera_softmax_invoke},
      {"step_beside_row", tessera_step_beside_row_invoke},
      {"strided", tessera_strided_invoke},
      {"sums_of_steps", tessera_sums_of_steps_invoke},
      {"swiglu", tessera_swiglu_invoke},
      {"transpose", tessera_transpose_invoke},
      {"wave", tessera_wave_invoke},
      {"weighted_rest", tessera_weighted_rest_invoke},
      {"weighted_rows", tessera_weighted_rows_invoke},
      {"whole_floats", tessera_whole_floats_invoke},
      {"held_beside", tessera_held_beside_invoke},
      {"parts", tessera_parts_invoke},
      {"signs", tessera_signs_invoke},
      {"sized", tessera_sized_invoke},
      {"chain", tessera_chain_invoke},
      {"chosen", tessera_chosen_invoke},
      {"below_diagonal", tessera_below_diagonal_invoke},
      {"triangle", tessera_triangle_invoke},
      {"upsampled", tessera_upsampled_invoke},
      {"windowed", tessera_windowed_invoke},
  };
  const auto found = kEntries.find(kernel);
  if (found == kEntries.end()) {
    std::fprintf(stderr, "sweep: the kernel %s is not linked; see tests/sweep/entries.cpp\n", kernel.c_str());
    std::abort();
  }
  return found->second;
}

}  // namespace tessera::sweep
