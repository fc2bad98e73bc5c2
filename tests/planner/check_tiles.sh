#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Kernels around products run in tiles, on every chip: the compiler has nothing to warn of.
# Usage: check_tiles.sh FOLDER_OF_KERNELS TESSERAC
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0
for file in "$1"/*.tsr; do
  for architecture in sm_80 sm_90; do
    "$2" "$file" --arch="$architecture" -o "$work/out" > "$work/said" 2>&1 || { cat "$work/said"; exit 1; }
    if [ -s "$work/said" ]; then
      cat "$work/said"
      exit 1
    fi
    grep -q "multiply<" "$work/out/$(basename "$file" .tsr).$architecture.cu" || { echo "$file has no tiles"; exit 1; }
    count=$((count + 1))
  done
done
echo "$count programs"
((count >= 30))
