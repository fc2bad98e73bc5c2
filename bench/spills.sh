#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What ptxas spills of the kernels here and of the examples, and its other warnings; nothing where all is well.
# bench/spills.sh [path of tesserac] [source …]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export tesserac=${1:-build/release/bin/tesserac}
shift || true
work=$(mktemp -d)
export work
trap 'rm -rf "$work"' EXIT

compile() {
  local name source
  name=$(basename "$1" .tsr)
  "$tesserac" "$1" --arch=sm_90 --emit-dir "$work/$name" >/dev/null
  for source in "$work/$name"/*.cu; do
    nvcc --split-compile=0 -std=c++20 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a -Iruntime/include \
      "-I$work/$name" -cubin -Xptxas -v -o "$work/$name.cubin" "$source" 2>&1 |
      { grep -E "[1-9][0-9]* bytes spill|[Ww]arning|error|serializ" || true; } | sort | uniq -c | sed "s/^ */$name: /"
  done
}
export -f compile

sources=("$@")
((${#sources[@]} > 0)) || sources=(bench/kernels/*.tsr examples/*/*.tsr)
# shellcheck disable=SC2016
printf '%s\n' "${sources[@]}" | xargs -P "$(nproc)" -I '{}' bash -c 'compile "$1"' _ '{}'
