#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Kernels of every way of running under compute-sanitizer's four tools: sanitize.sh TESSERAC. A run that ends without a
# summary, or with an error of its own, is a failure too.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
tesserac=$1
log=$(mktemp)
trap 'rm -f "$log"' EXIT

kernels=(
  "examples/gemm/gemm.tsr --set M=200 --set N=136 --set K=264"
  "examples/gemm/gemm_types.tsr --kernel gemm_i8 --set M=200 --set N=136 --set K=264"
  "examples/batched/batched.tsr --set L=2 --set M=200 --set N=136 --set K=264"
  "bench/kernels/operand_of_two.tsr --set M=200 --set N=136 --set K=264"
  "bench/kernels/weights_in_groups.tsr --set B=2 --set M=200 --set N=136 --set K=384 --set G=3"
  "bench/kernels/cosine.tsr --set M=200 --set N=136 --set K=264"
  "bench/kernels/top_one.tsr --set M=200 --set N=136 --set K=264"
  "tests/corners/products.tsr --kernel turned --set M=200 --set N=136 --set K=264"
  "tests/corners/numbers.tsr --kernel chosen_extremes --set N=300"
  "tests/corners/warpgroups.tsr --kernel gated_by_groups --set M=200 --set N=136 --set K=264"
)
failures=0
for kernel in "${kernels[@]}"; do
  read -ra arguments <<<"$kernel"
  for tool in memcheck racecheck initcheck synccheck; do
    if compute-sanitizer --tool "$tool" --error-exitcode 9 "$tesserac" run "${arguments[@]}" --on=gpu >"$log" 2>&1 &&
      grep -qE 'ERROR SUMMARY: 0 errors|RACECHECK SUMMARY: 0 hazards' "$log"; then
      continue
    fi
    echo "$tool, $kernel:" && tail -n 20 "$log"
    failures=$((failures + 1))
  done
done
echo "$((4 * ${#kernels[@]})) runs, $failures failures"
((failures == 0))
