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
  "$nvcc" -std=c++20 -fmad=false "-arch=$1" -cubin -Xptxas=-v "-I$source_folder/runtime/include" "-I$2" \
    -o /dev/null "$3" 2>&1
}

# measure FILE ARCHITECTURE: the lines of one text, into a file of its own.
measure() {
  local stem code
  stem=$(basename "$1" .tsr)
  code=${2/sm_90/sm_90a}
  # One folder and one call for each text: a report alone goes to standard output.
  local at="$folder/$stem.$2"
  mkdir "$at"
  "$tesserac" "$1" --arch="$2" -o "$at/"
  "$tesserac" "$1" --arch="$2" --emit=report -o - >"$at/report"
  compile "$code" "$at" "$at/$stem.$2.cu" >"$at/ptxas" || { cat "$at/ptxas" >&2; return 1; }
  # A report's line ends with name<1, true>; ptxas writes the same as 4nameILi1ELb1EE.
  awk -v architecture="$2" -v ptxas="$at/ptxas" '
    BEGIN {
      while ((getline line < ptxas) > 0) {
        if (match(line, /entry function .[^ ]+/)) entry = substr(line, RSTART, RLENGTH)
        if (match(line, /Used [0-9]+ registers/)) used[entry] = substr(line, RSTART + 5, RLENGTH - 15)
      }
    }
    # Functions in tiles have no estimate.
    /^  variant.* about [0-9]+ registers/ {
      match($0, /about [0-9]+ registers/); estimate = substr($0, RSTART + 6, RLENGTH - 16)
      match($0, /[A-Za-z0-9_]+<[a-z0-9, ]*>$/); name = substr($0, RSTART, RLENGTH)
      split(name, part, /[<>]/)
      mangled = length(part[1]) part[1] "I"
      count = split(part[2], argument, /, /)
      for (k = 1; k <= count; ++k) {
        if (argument[k] == "true") mangled = mangled "Lb1E"
        else if (argument[k] == "false") mangled = mangled "Lb0E"
        else mangled = mangled "Li" argument[k] "E"
      }
      mangled = mangled "E"
      found = 0
      for (entry in used) if (index(entry, mangled)) found = used[entry]
      print architecture, estimate + 0, found + 0, name
    }' "$at/report" >"$at/rows"
}

# Both architectures of a file at once: two cores are busy, and no more.
for file in "$@"; do
  measure "$file" sm_80 &
  first=$!
  measure "$file" sm_90
  wait "$first"
done
cat "$folder"/*/rows >"$folder/all"

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
