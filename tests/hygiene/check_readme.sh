#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the README shows as generated is what the compiler prints for the kernel above it.
# Usage: check_readme.sh SOURCE_FOLDER TESSERAC
set -euo pipefail
readme=$1/README.md
tesserac=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Fenced blocks, one a file: 01.tsr, 02.cpp, …
awk -v folder="$folder" '
  /^```/ { if (file) { close(file); file = "" } else { ++count; file = sprintf("%s/%02d.%s", folder, count, substr($0, 4)) } next }
  file { print > file }' "$readme"

checked=0
wrong=0
name=""
for block in "$folder"/[0-9]*; do
  case $block in
    *.tsr)
      name=$(sed -n 's/^kernel \([a-z_0-9]*\).*/\1/p' "$block" | head -n 1)
      cp "$block" "$folder/$name.tsr"
      ;;
    *.cpp)
      head -n 1 "$block" | grep -q "^/// $name: " || continue  # a program of a user
      "$tesserac" "$folder/$name.tsr" --arch=sm_90 -o "$folder/out"
      checked=$((checked + 1))
      [[ $(<"$folder/out/$name.sm_90.cu") == *"$(<"$block")"* ]] && continue
      echo "README.md shows another $name than the compiler prints:"
      diff "$block" "$folder/out/$name.sm_90.cu" | grep '^<' || true
      wrong=$((wrong + 1))
      ;;
  esac
done
echo "$checked blocks, $wrong other than printed"
((checked >= 2 && wrong == 0))
