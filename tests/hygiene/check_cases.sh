#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The cases that are timed have ten fields, and their kernels are in the files they name. Usage: check_cases.sh SOURCE_FOLDER
set -euo pipefail
cd "$1"

wrong=0
checked=0
complain() { echo "$1"; wrong=$((wrong + 1)); }
while IFS= read -r line; do
  [[ -z $line || $line == \#* ]] && continue
  checked=$((checked + 1))
  IFS=, read -ra fields <<<"${line//, /,}"
  ((${#fields[@]} == 10)) || { complain "not ten fields: $line"; continue; }
  source=${fields[1]} kernel=${fields[2]}
  grep -qsE "^(kernel $kernel\(|instance .* as $kernel;)" "$source" || complain "$source has no kernel $kernel"
  [[ ${fields[9]} =~ ^[nt]{2}(\ [nt]{2})*$ ]] || complain "not orders: ${fields[9]}"
done <bench/products/cases.csv
echo "$checked lines, $wrong wrong"
((checked > 10 && wrong == 0))
