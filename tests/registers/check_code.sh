#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What ptxas makes of kernels spills no registers; it lets no products of warpgroups wait for each other, and heeds what
# they give away. The latter are remarks, which no flag makes errors.
# Usage: check_code.sh TESSERAC NVCC SOURCE_FOLDER FILE...
set -euo pipefail
tesserac=$1 nvcc=$2 source_folder=$3
shift 3

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# check FILE ARCHITECTURE: what there is to complain of goes into a file of its own. Flags as the driver passes them.
check() {
  local stem code
  stem=$(basename "$1" .tsr)
  code=${2/sm_90/sm_90a}
  local at="$folder/$stem.$2"
  mkdir "$at"
  "$tesserac" "$1" --arch="$2" -o "$at/"
  "$nvcc" -std=c++20 -fmad=false "-gencode=arch=compute_${code#sm_},code=$code" -cubin -Xptxas=-v,--warn-on-spills \
    --split-compile=0 "-I$source_folder/runtime/include" "-I$at" -o "$at/cubin" "$at/$stem.$2.cu" >"$at/ptxas" 2>&1 ||
    { cat "$at/ptxas" >&2; return 1; }
  grep -cE 'Compiling entry function' "$at/ptxas" >"$at/count"
  grep -E 'Registers are spilled|Potential Performance Loss' "$at/ptxas" | sed "s/^/$stem, $2: /" >"$at/said" || true
}

# Both architectures of a file at once: two cores are busy, and no more.
for file in "$@"; do
  check "$file" sm_80 &
  first=$!
  check "$file" sm_90
  wait "$first"
done
cat "$folder"/*/said
echo "$(cat "$folder"/*/count | awk '{ sum += $1 } END { print sum }') functions of $# files"
! grep -q . "$folder"/*/said
