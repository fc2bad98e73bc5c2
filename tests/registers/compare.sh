#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The registers that `--emit=report` estimates beside those that ptxas gives, for every variant of every kernel.
# Fails when fewer than SHARE percent of them are within 20 %.
# Usage: compare.sh TESSERAC NVCC SOURCE_FOLDER SHARE FILE...
set -euo pipefail
tesserac=$1 nvcc=$2 source_folder=$3 share=$4
shift 4

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Flags as the driver and add_tessera_kernel() pass them.
compile() {
  "$nvcc" -std=c++20 -fmad=false "-arch=$1" -cubin -Xptxas=-v "-I$source_folder/runtime/include" "-I$folder" \
    -o /dev/null "$2" 2>&1
}

for file in "$@"; do
  stem=$(basename "$file" .tsr)
  for architecture in sm_80 sm_90; do
    # One call for each text: a report alone goes to standard output.
    "$tesserac" "$file" --arch=$architecture -o "$folder/"
    "$tesserac" "$file" --arch=$architecture --emit=report -o - >"$folder/report"
    code=${architecture/sm_90/sm_90a}
    compile "$code" "$folder/$stem.$architecture.cu" >"$folder/ptxas" || { cat "$folder/ptxas"; exit 1; }
    # A report's line ends with name<1, 2>; ptxas writes the same as 4nameILi1ELi2EE.
    awk -v architecture="$architecture" -v ptxas="$folder/ptxas" '
      BEGIN {
        while ((getline line < ptxas) > 0) {
          if (match(line, /entry function .[^ ]+/)) entry = substr(line, RSTART, RLENGTH)
          if (match(line, /Used [0-9]+ registers/)) used[entry] = substr(line, RSTART + 5, RLENGTH - 15)
        }
      }
      /^  variant/ {
        match($0, /about [0-9]+ registers/); estimate = substr($0, RSTART + 6, RLENGTH - 16)
        match($0, /[A-Za-z0-9_]+<[0-9, ]*>$/); name = substr($0, RSTART, RLENGTH)
        split(name, part, /[<>]/)
        numbers = part[2]; gsub(/, /, "ELi", numbers)
        mangled = length(part[1]) part[1] "ILi" numbers "EE"
        found = 0
        for (entry in used) if (index(entry, mangled)) found = used[entry]
        print architecture, estimate + 0, found + 0, name
      }' "$folder/report" >>"$folder/all"
  done
done

sort -k4 "$folder/all" | awk -v share="$share" '
  { off = $3 ? 100 * ($2 - $3) / $3 : 1000; size = off < 0 ? -off : off
    name = $0; sub(/^[^ ]+ [^ ]+ [^ ]+ /, "", name)
    printf "%-6s  estimate %3d  ptxas %3d  %+4.0f %%%s  %s\n", $1, $2, $3, off, (size > 20 ? " *" : "  "), name
    sum += size; if (size <= 20) good++
    if (size > worst) { worst = size; where = name " on " $1 } }
  END {
    printf "%d variants, %.1f %% within 20 %%, %.1f %% off on average, at most %.0f %% (%s)\n", NR, 100 * good / NR,
      sum / NR, worst, where
    exit (100 * good / NR < share) }'
