# SPDX-License-Identifier: Apache-2.0
# sweep_kernels: the sources of all kernels that tests/reference has cases for.
set(sweep_kernels
  examples/attention/attention.tsr
  examples/batched/batched.tsr
  examples/chain/chain.tsr
  examples/elementwise/scale_shift_gelu.tsr
  examples/gemm/gemm.tsr
  examples/gemm/gemm_types.tsr
  examples/geometric_product_2d/geometric_product_2d.tsr
  examples/laplacian/laplacian.tsr
  examples/layernorm/layernorm.tsr
  examples/linear/linear.tsr
  examples/softmax/softmax.tsr
  examples/transpose/transpose.tsr
  tests/corners/computed_factors.tsr
  tests/corners/contractions.tsr
  tests/corners/lines.tsr
  tests/corners/numbers.tsr
  tests/corners/products.tsr
  tests/corners/relations.tsr
  tests/corners/requests.tsr
  tests/corners/state.tsr
  tests/corners/stores.tsr
  tests/corners/tiles.tsr
  tests/corners/turned.tsr
  tests/corners/warpgroups.tsr
  tests/outsider/adamw.tsr
  tests/outsider/bias_act_residual.tsr
  tests/outsider/group_norm.tsr
  tests/outsider/hole_fill.tsr
  tests/outsider/image_to_tensor.tsr
  tests/outsider/logit_summary.tsr
  tests/outsider/quantize_rows.tsr
  tests/outsider/rotary.tsr
  tests/outsider/swiglu.tsr
  tests/outsider/wave.tsr)
list(TRANSFORM sweep_kernels PREPEND "${PROJECT_SOURCE_DIR}/")
