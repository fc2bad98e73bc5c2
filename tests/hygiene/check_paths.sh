#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Files that the guides name in backticks exist. Usage: check_paths.sh SOURCE_FOLDER
set -euo pipefail
cd "$1"

wrong=0
checked=0
while IFS=: read -r guide path; do
  [[ $path == *NAME* || $path == *Txxxx* ]] && continue  # stands for many
  checked=$((checked + 1))
  compgen -G "$path" >/dev/null || { echo "$guide names $path, which does not exist"; wrong=$((wrong + 1)); }
done < <(grep -oHE '`(\.ci|bench|cmake|docs|editors|examples|grammar|runtime|scripts|src|templates|tests)/[A-Za-z0-9_./*-]+`' \
  README.md CONTRIBUTING.md */README.md src/*/README.md tests/*/README.md 2>/dev/null | tr -d '`' | sort -u)
echo "$checked paths, $wrong missing"
((checked > 10 && wrong == 0))
