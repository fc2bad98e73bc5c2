#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How long nvcc takes for a generated file of each example with products, twice: the first run reads cold files.
# bench/compile_times.sh [path of tesserac] [architecture]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tesserac=${1:-build/release/bin/tesserac}
architecture=${2:-sm_90}

case $architecture in
  sm_90) code=arch=compute_90a,code=sm_90a ;;
  *) code=arch=compute_${architecture#sm_},code=$architecture ;;
esac
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
nvcc --version | tail -n 1
echo "$(nproc) cores, $architecture"
TIMEFORMAT=%R
for source in gemm/gemm batched/batched chain/chain linear/linear attention/attention; do
  name=$(basename "$source")
  "$tesserac" "examples/$source.tsr" "--arch=$architecture" --emit-dir "$folder" >/dev/null
  for run in first second; do
    seconds=$({ time nvcc --split-compile=0 -std=c++20 "-gencode=$code" -Iruntime/include "-I$folder" \
      -c -o "$folder/object" "$folder/$name.$architecture.cu"; } 2>&1)
    echo "$name, $run: $seconds s"
  done
done
