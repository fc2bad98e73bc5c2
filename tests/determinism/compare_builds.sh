#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Two builds of write_outputs print the same bytes: compare_builds.sh ONE OTHER
# Exit code 77 (skipped) where the other could not be built for want of Clang.
set -euo pipefail
one=$1 other=$2
if [[ ! -x $other ]]; then
  echo "skipped: the Clang build is not there (clang-14, libclang-rt-14-dev)"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$one" >"$work/one"
"$other" >"$work/other"
cmp "$work/one" "$work/other" || { diff -a "$work/one" "$work/other" | head -n 20; exit 1; }
echo "$(grep -ac '^==== ' "$work/one") texts, $(wc -c <"$work/one") bytes, equal"
(($(wc -c <"$work/one") > 1000000))
