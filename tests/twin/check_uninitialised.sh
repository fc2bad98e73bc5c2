#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A dropped initialisation leaves nothing for the twin to see at run time: the compiler of the twin must see it, at its
# line. Usage: check_uninitialised.sh CXX SOURCE_FOLDER
set -euo pipefail
cxx=$1 source_folder=$2

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
source=$source_folder/tests/runtime/handwritten_softmax.cu
flags=(-std=c++20 -O2 -ffp-contract=off -x c++ "-I$source_folder/runtime/include" "-I$source_folder/tests/runtime"
  -Werror=uninitialized -Werror=maybe-uninitialized)

compile() { "$cxx" "${flags[@]}" -c -o "$folder/object" "$1" 2>"$folder/log"; }

compile "$source" || { cat "$folder/log"; echo "the good kernel does not compile"; exit 1; }
for variable in max_x sum_e; do
  sed -E "s/float $variable = [^;]*;/float $variable;/" "$source" >"$folder/kernel.cu"
  if cmp -s "$source" "$folder/kernel.cu"; then echo "$variable: nothing to drop"; exit 1; fi
  if compile "$folder/kernel.cu"; then echo "$variable: a dropped initialisation compiles"; exit 1; fi
  grep -qE "kernel\.cu:[0-9]+:[0-9]+: error: .*$variable" "$folder/log" || { cat "$folder/log"; exit 1; }
done
