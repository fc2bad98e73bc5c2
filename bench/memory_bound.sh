#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Times memory-bound kernels on the GPU, each beside a copy of as many bytes: bench/memory_bound.sh [path of tesserac]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tesserac=${1:-build/release/bin/tesserac}

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
nvcc --version | tail -n 1
"$tesserac" --version

run() {
  echo "## $*"
  "$tesserac" run "$@" --on=gpu --repeat 50 | grep median
}

run examples/softmax/softmax.tsr --set R=32768 --set C=4096
run examples/softmax/softmax.tsr --set R=131072 --set C=1024
run examples/layernorm/layernorm.tsr --set R=32768 --set C=4096
run examples/elementwise/scale_shift_gelu.tsr --set M=8192 --set N=8192
run examples/transpose/transpose.tsr --set M=16384 --set N=8192
run examples/laplacian/laplacian.tsr --set X=512 --set Y=512 --set Z=512
run examples/geometric_product_2d/geometric_product_2d.tsr --set B=16384 --set N=1024
run tests/outsider/adamw.tsr --kernel adamw_bf16 --set N=134217728
run tests/outsider/swiglu.tsr --set R=16384 --set F=8192
run tests/outsider/bias_act_residual.tsr --kernel bias_gelu_residual --set R=16384 --set C=4096
run tests/outsider/group_norm.tsr --set B=64 --set G=32 --set C=16 --set S=4096
run tests/outsider/hole_fill.tsr --kernel hole_fill_3x3 --set Y=8192 --set X=8192
run tests/outsider/image_to_tensor.tsr --set N=64 --set H=512 --set W=512 --set C=3
run tests/outsider/logit_summary.tsr --set R=16384 --set V=8192
run tests/outsider/quantize_rows.tsr --set R=32768 --set C=4096
run tests/outsider/rotary.tsr --set B=16 --set S=2048 --set H=32 --set D=64
run tests/outsider/wave.tsr --set X=8192 --set Y=8192
echo "## odd extents"
run examples/softmax/softmax.tsr --set R=32768 --set C=4095
run examples/layernorm/layernorm.tsr --set R=32768 --set C=4095
run examples/elementwise/scale_shift_gelu.tsr --set M=8191 --set N=8193
run examples/transpose/transpose.tsr --set M=16383 --set N=8191
run examples/laplacian/laplacian.tsr --set X=511 --set Y=511 --set Z=511
run tests/outsider/swiglu.tsr --set R=16384 --set F=8191
run tests/outsider/quantize_rows.tsr --set R=32768 --set C=4093
