#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Generated programs on a GPU of compute capability 9.0: writes, compiles and runs them. Code of sm_80 is compiled as
# PTX of compute_80.
# Usage: run_gpu.sh FUZZ_WRITE FUZZ_GPU NVCC SOURCE_FOLDER SEEDS ARCHITECTURE [OPTION OF FUZZ_WRITE ...]
set -euo pipefail
write=$1 run=$2 nvcc=$3 source_folder=$4 seeds=$5 architecture=$6
shift 6

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
case $architecture in
  sm_80) code=arch=compute_80,code=sm_90 ;;
  sm_90) code=arch=compute_90a,code=sm_90a ;;
  *) echo "run_gpu.sh: sm_80 or sm_90, not $architecture" >&2 && exit 2 ;;
esac
export nvcc source_folder code

compile() {
  local unit=$1
  local flags=(-std=c++20 -fmad=false "-gencode=$code" "-I$source_folder/runtime/include" -shared -Xcompiler -fPIC)
  "$nvcc" "${flags[@]}" "-I$unit" -o "$unit.so" "$unit/unit.cu" || { echo "nvcc refuses:" && cat "$unit.txt" && return 1; }
}
export -f compile

"$write" "--seeds=$seeds" "--folder=$folder" "--architecture=$architecture" "$@"
status=0
find "$folder" -mindepth 1 -type d -print0 | xargs -0 -P "$(nproc)" -I '{}' bash -c 'compile "$1"' _ '{}' || status=1
"$run" "--folder=$folder" || status=1
exit "$status"
