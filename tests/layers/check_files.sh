#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every source file has its licence line and a size one can read; every folder has a README of at most 20 lines.
# Usage: check_files.sh SOURCE_FOLDER
set -euo pipefail
cd "$1"

max_lines=600
max_readme_lines=20
wrong=0
complain() { echo "$1"; wrong=$((wrong + 1)); }

# Tracked files where git can tell (not those that are being written), otherwise all but build folders.
list_files() { git ls-files 2>/dev/null || find . -type f -not -path './.git/*' -not -path './build*' | sed 's|^\./||'; }

folders=()
files=0
while IFS= read -r file; do
  [[ -f $file ]] || continue
  case $file in
    templates/*) ;;  # becomes part of the user's code
    tests/*/expected/* | tests/*.expected.* | tests/golden/*) ;;  # what the compiler wrote
    *.h | *.cpp | *.c | *.cu | *.cuh | *.def | *.S | *.g4 | *.cmake | *.cmake.in | *CMakeLists.txt | *.sh | *.vim)
      files=$((files + 1))
      head -n 3 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' || complain "$file: no SPDX line at the top"
      lines=$(wc -l <"$file")
      ((lines <= max_lines)) || complain "$file: $lines lines, more than $max_lines"
      ;;
  esac
  # Folders that need a README: the first level, and the second level where folders are parts of the whole.
  IFS=/ read -r first second third <<<"$file"
  if [[ -n ${second:-} && $first != .* ]]; then folders+=("$first"); fi
  if [[ -n ${third:-} && $first =~ ^(src|tests|examples|editors)$ ]]; then folders+=("$first/$second"); fi
done < <(list_files)

while IFS= read -r folder; do
  if [[ ! -f $folder/README.md ]]; then
    complain "$folder: no README.md"
  elif (($(wc -l <"$folder/README.md") > max_readme_lines)); then
    complain "$folder/README.md: more than $max_readme_lines lines"
  fi
done < <(printf '%s\n' "${folders[@]}" | sort -u)

echo "$files source files, $wrong complaints"
((files > 0 && wrong == 0))
