#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Names of the runtime that generated code uses must be reserved: an axis or tensor of that name would hide them.
set -euo pipefail
root=$1 tesserac=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for file in "$root"/examples/*/*.tsr "$root"/tests/corners/*.tsr "$root"/tests/outsider/*.tsr; do
  for architecture in sm_80 sm_90; do
    "$tesserac" "$file" --arch="$architecture" --emit=cuda -o - >> "$work/code" 2> /dev/null
  done
done
sed 's|//.*||' "$work/code" | grep -oP '(?<![.:\w])[A-Za-z_]\w*(?=[(<{]|::)' | sort -u > "$work/used"
{
  grep -rhoP '(?:struct|class|using|enum class) \K\w+' "$root/runtime/include/tessera"
  grep -rhoP '(?:TESSERA_HD|TESSERA_DEVICE|inline)\b[\w *&<>:,]* [*&]?\K\w+(?=\()' "$root/runtime/include/tessera"
} | sort -u > "$work/defined"
grep -oP '^ +"\K\w+(?=",)' "$root/src/emit/naming.cpp" | sort -u > "$work/reserved"
grep -rhoP '^kernel \K\w+' "$root"/examples "$root"/tests --include=*.tsr | sort -u > "$work/kernels"
missing=$(comm -12 "$work/used" "$work/defined" | comm -23 - "$work/reserved" | comm -23 - "$work/kernels")
if [ -n "$missing" ]; then
  echo "not reserved in src/emit/naming.cpp:" $missing
  exit 1
fi
[ "$(wc -l < "$work/used")" -gt 50 ]
