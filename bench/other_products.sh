#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Times kernels around products on the GPU beside a plain one of as many terms: bench/other_products.sh [path of tesserac]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tesserac=${1:-build/release/bin/tesserac}

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
"$tesserac" --version

run() {
  local file=$1
  shift
  echo "## $file $*"
  "$tesserac" run "$file" "$@" --on=gpu --repeat 20 | grep median | cut -d, -f1
}

cube=(--set M=4096 --set N=4096 --set K=4096)
run examples/gemm/gemm.tsr "${cube[@]}"
run bench/kernels/gated_mlp.tsr "${cube[@]}"
run bench/kernels/row_maximum.tsr --set M=65536 --set N=256 --set K=4096
run bench/kernels/top_one.tsr --set M=65536 --set N=256 --set K=4096
run bench/kernels/gram.tsr --set M=4096 --set K=4096
run bench/kernels/masked.tsr --kernel masked_rows "${cube[@]}"
run bench/kernels/masked.tsr --kernel masked_elements "${cube[@]}"
run bench/kernels/operand_of_two.tsr "${cube[@]}"
run bench/kernels/weights_in_groups.tsr --set B=1 "${cube[@]}" --set G=32
run bench/kernels/weights_in_steps.tsr --set B=1 "${cube[@]}" --set G=32
run bench/kernels/int8_scaled.tsr "${cube[@]}"
run bench/kernels/mixed_fp8.tsr "${cube[@]}"
run bench/kernels/dgemm.tsr "${cube[@]}"
run bench/kernels/cosine.tsr "${cube[@]}"
run bench/kernels/norm_linear.tsr --kernel rms_linear "${cube[@]}"
run bench/kernels/cross_entropy.tsr --set N=16384 --set D=4096 --set V=16384
run bench/kernels/nearest_centre.tsr --set N=65536 --set P=1024 --set D=256
run bench/kernels/radial_basis.tsr --set N=16384 --set D=128
run bench/kernels/linear_attention.tsr --set B=4 --set H=16 --set S=4096 --set D=128
run bench/kernels/convolution.tsr --kernel conv2d --set B=32 --set H=56 --set W=56 --set C=128 --set F=128 --set R=3 \
  --set Q=3 --set OH=56 --set OW=56
