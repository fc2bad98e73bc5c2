#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Times kernels around products on the GPU beside a plain one of as many terms: bench/other_products.sh [path of tesserac]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tesserac=${1:-build/release/bin/tesserac}

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
"$tesserac" --version

# All kernels are compiled first, side by side; then they are timed one after another.
compiles=true

run() {
  local file=$1
  shift
  $compiles || echo "## $file $*"
  milliseconds "$file" "$@"
}

# The median of a kernel in milliseconds, of enough launches that the chip's clock has settled.
milliseconds() {
  if $compiles; then
    while (($(jobs -rp | wc -l) >= $(nproc))); do wait -n || true; done
    "$tesserac" run "$@" --on=gpu >/dev/null 2>&1 &
  else
    "$tesserac" run "$@" --on=gpu --repeat 1000 | sed -n 's/^\([0-9.e+-]*\) ms (median.*/\1/p' | grep .
  fi
}

cube=(--set M=4096 --set N=4096 --set K=4096)

kernels_alone() {
  run examples/gemm/gemm.tsr "${cube[@]}"
  run bench/kernels/gated_mlp.tsr "${cube[@]}"
  run bench/kernels/row_maximum.tsr --set M=65536 --set N=256 --set K=4096
  run bench/kernels/top_one.tsr --set M=65536 --set N=256 --set K=4096
  run bench/kernels/gram.tsr --set M=4096 --set K=4096
  run bench/kernels/masked.tsr --kernel masked_rows "${cube[@]}"
  run bench/kernels/masked.tsr --kernel masked_elements "${cube[@]}"
  run bench/kernels/operand_of_two.tsr "${cube[@]}"
  for kernel in byte_weights gated_down normalised; do
    run bench/kernels/projections.tsr --kernel "$kernel" "${cube[@]}"
    run bench/kernels/projections.tsr --kernel "$kernel" --set M=16 --set N=8192 --set K=8192
  done
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
}

# A kernel beside a plain product of as many terms and the same type, or a batch of those, in both orders:
# beside NAME TYPE SIZES -- SIZES
beside() {
  local file=bench/kernels/$1.tsr plain=(bench/kernels/plain_products.tsr --kernel "plain_$2") own=() terms=()
  [ "$2" != batched ] || plain=(examples/batched/batched.tsr)
  shift 2
  while [ "$1" != -- ]; do own+=(--set "$1") && shift; done
  shift
  while [ $# -gt 0 ]; do terms+=(--set "$1") && shift; done
  if $compiles; then
    milliseconds "${plain[@]}" "${terms[@]}"
    milliseconds "$file" "${own[@]}"
    return
  fi
  echo "## $file ${own[*]}"
  local before time again after
  before=$(milliseconds "${plain[@]}" "${terms[@]}")
  time=$(milliseconds "$file" "${own[@]}")
  again=$(milliseconds "$file" "${own[@]}")
  after=$(milliseconds "${plain[@]}" "${terms[@]}")
  awk -v y="$before" -v t="$time" -v u="$again" -v z="$after" -v n="${plain[-1]}" \
    'BEGIN { printf "%s %s ms, %.2f of the %s %s ms of %s\n", t, u, (t + u) / (y + z), y, z, n
      exit !(t > 0 && u > 0 && y > 0 && z > 0) }'
}

sizes=(M=4096 N=4096 K=4096)

kernels_beside_plain_ones() {
  beside batched_residual bf16 B=4 M=1024 N=4096 K=4096 -- "${sizes[@]}"
  beside fp8_scaled fp8 "${sizes[@]}" -- "${sizes[@]}"
  beside grouped_scores batched B=1 H=16 J=4 S=4096 T=4096 D=128 scale=0.1 -- L=16 M=4096 N=4096 K=128
  beside int8_requantized i8 "${sizes[@]}" -- "${sizes[@]}"
  beside lora bf16 "${sizes[@]}" R=64 scale=0.5 -- "${sizes[@]}"
  beside scaled_update f16 "${sizes[@]}" beta=0.5 -- "${sizes[@]}"
  beside softcapped tf32 "${sizes[@]}" -- "${sizes[@]}"
  beside transposed_output bf16 "${sizes[@]}" -- "${sizes[@]}"
  beside two_outputs f16 "${sizes[@]}" -- "${sizes[@]}"
  beside two_sources bf16 M=4096 N=4096 K=2048 L=2048 -- "${sizes[@]}"
}

# lora sums a product beside the first of a chain, whose sums a factor is made of: beside examples of both.
lora_beside_its_structure() {
  if $compiles; then
    milliseconds examples/chain/chain.tsr --set M=4096 --set K=4096 --set R=64 --set N=4096
    milliseconds bench/kernels/plain_products.tsr --kernel plain_bf16 "${cube[@]}"
    return
  fi
  echo "## bench/kernels/lora.tsr beside a chain and a plain product"
  local chain plain time
  chain=$(milliseconds examples/chain/chain.tsr --set M=4096 --set K=4096 --set R=64 --set N=4096)
  plain=$(milliseconds bench/kernels/plain_products.tsr --kernel plain_bf16 "${cube[@]}")
  time=$(milliseconds bench/kernels/lora.tsr "${cube[@]}" --set R=64 --set scale=0.5)
  awk -v t="$time" -v c="$chain" -v p="$plain" \
    'BEGIN { printf "%s ms, %.2f of %s ms and %s ms\n", t, t / (c + p), c, p; exit !(t > 0 && c > 0 && p > 0) }'
}

everything() {
  kernels_alone
  kernels_beside_plain_ones
  lora_beside_its_structure
}

everything
wait
compiles=false
everything
