#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# nvcc takes generated programs for both architectures, warnings being errors.
# Usage: check_nvcc.sh FUZZ_WRITE NVCC SOURCE_FOLDER SEEDS JOBS
set -euo pipefail
write=$1 nvcc=$2 source_folder=$3 seeds=$4 jobs=$5

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export nvcc source_folder folder

compile() {
  local unit=$1 target=$2
  local flags=(-std=c++20 -fmad=false "-arch=$target" -Werror all-warnings "-I$source_folder/runtime/include")
  # Warnings of ptxas are none of those that -Werror knows.
  if ! "$nvcc" "${flags[@]}" "-I$unit" -cubin -o "$unit.cubin" "$unit/unit.cu" >"$unit.log" 2>&1 || [[ -s $unit.log ]]; then
    echo "nvcc refuses $(basename "$unit") for $target:"
    head -n 20 "$unit.log"
    return 1
  fi
}
export -f compile

status=0
for pair in sm_80:sm_80 sm_90:sm_90a; do
  architecture=${pair%:*} target=${pair#*:}
  "$write" "--seeds=$seeds" "--folder=$folder/$architecture" "--architecture=$architecture"
  find "$folder/$architecture" -mindepth 1 -type d -print0 | sort -z |
    xargs -0 -P "$jobs" -I '{}' bash -c 'compile "$1" "$2"' _ '{}' "$target" || status=1
done
exit "$status"
