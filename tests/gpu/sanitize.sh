#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Kernels of every way of running under compute-sanitizer's four tools: sanitize.sh TESSERAC. A run that ends without a
# summary, or with an error of its own, is a failure too. All kernels run at once.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
tesserac=$1
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

kernels=(
  "examples/gemm/gemm.tsr --set M=200 --set N=136 --set K=264"
  "examples/gemm/gemm_types.tsr --kernel gemm_i8 --set M=200 --set N=136 --set K=264"
  "examples/batched/batched.tsr --set L=2 --set M=200 --set N=136 --set K=264"
  "bench/kernels/two_sources.tsr --set M=200 --set N=136 --set K=264 --set L=72"
  "bench/kernels/operand_of_two.tsr --set M=200 --set N=136 --set K=264"
  "bench/kernels/weights_in_groups.tsr --set B=2 --set M=200 --set N=136 --set K=384 --set G=3"
  "bench/kernels/cosine.tsr --set M=200 --set N=136 --set K=264"
  "bench/kernels/top_one.tsr --set M=200 --set N=136 --set K=264"
  "tests/corners/products.tsr --kernel turned --set M=200 --set N=136 --set K=264"
  "tests/corners/numbers.tsr --kernel chosen_extremes --set N=300"
  "tests/corners/turned.tsr --kernel both_ways --set M=200 --set N=136 --set K=264"
  "tests/corners/turned.tsr --kernel turned_words --set M=200 --set N=136 --set K=264"
  "tests/corners/turned.tsr --kernel turned_promoted --set B=2 --set M=200 --set N=144 --set K=264"
  "tests/corners/warpgroups.tsr --kernel gated_by_groups --set M=200 --set N=136 --set K=264"
  "tests/corners/warpgroups.tsr --kernel turns_by_groups --set J=2 --set M=200 --set N=136 --set K=264 --set L=72"
  "tests/corners/warpgroups.tsr --kernel shared_by_groups --set B=2 --set M=200 --set N=136 --set K=264"
  "tests/corners/warpgroups.tsr --kernel shared_in_clusters --set M=200 --set N=136 --set K=264"
  "tests/corners/warpgroups.tsr --kernel teams_by_groups --variant 1 --set M=2560 --set N=3000 --set K=136"
  "tests/corners/computed_factors.tsr --kernel computed_rows --set M=200 --set N=136 --set K=264"
  "tests/corners/computed_factors.tsr --kernel computed_columns --set M=200 --set N=136 --set K=264"
  "tests/corners/computed_factors.tsr --kernel computed_both --set M=200 --set N=136 --set K=264 --set L=72"
  "examples/gemm/gemm.tsr --set M=64 --set N=136 --set K=4096"
  "examples/gemm/gemm.tsr --variant 4 --set M=200 --set N=136 --set K=4096"
)

# One kernel under the four tools; what went wrong is printed.
check() {
  local log=$logs/$1 arguments
  read -ra arguments <<<"$2"
  local tool options
  for tool in memcheck racecheck initcheck synccheck; do
    # Every block has barriers of its own: more than the tool keeps by itself.
    options=()
    [[ $tool != synccheck ]] || options=(--num-cuda-barriers 16384)
    if compute-sanitizer --tool "$tool" "${options[@]}" --error-exitcode 9 "$tesserac" run "${arguments[@]}" --on=gpu >"$log" 2>&1 &&
      grep -qE 'ERROR SUMMARY: 0 errors|RACECHECK SUMMARY: 0 hazards' "$log"; then
      continue
    fi
    echo "$tool, $2:" && tail -n 20 "$log"
    echo "$tool" >>"$logs/failures"
  done
}

touch "$logs/failures"
for i in "${!kernels[@]}"; do check "$i" "${kernels[i]}" & done
wait
failures=$(wc -l <"$logs/failures")
echo "$((4 * ${#kernels[@]})) runs, $failures failures"
((failures == 0))
