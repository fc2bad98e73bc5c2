#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Lines of the guides fit a window: 120 columns, tables and code left aside. Usage: check_lines.sh SOURCE_FOLDER
set -euo pipefail
cd "$1"
export LC_ALL=C.UTF-8

wrong=0
for guide in README.md docs/*.md docs/diagnostics/*.md; do
  found=$(awk '/^```/ { code = !code } { print code || /^\|/ ? "" : $0 }' "$guide" | grep -nP '^.{121,}' || true)
  [[ -z $found ]] && continue
  sed "s|^|$guide:|" <<<"$found"
  wrong=$((wrong + 1))
done
((wrong == 0))
