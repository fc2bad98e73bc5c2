#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# No tracked file names a machine, a package mirror or unfinished work. Usage: check_text.sh SOURCE_FOLDER
set -euo pipefail
cd "$1"

# Bracketed letters keep this file from finding itself.
patterns=(
  '(^|[^A-Za-z0-9_.])/([w]ork|[h]ome|[m]nt|[U]sers)/'               # folders of somebody's machine
  '/[t]mp/(brief|build)'
  '[d]eb\.debian\.org|[a]rchive\.ubuntu\.com|[n]odesource\.com'     # mirrors and registries
  '[r]egistry\.npmjs|[p]ypi\.org|[c]rates\.io'
  '\b([T]ODO|[F]IXME|[X]XX)\b'                                      # unfinished work
  '\b([s]ub-?agents?|[c]laude|[a]nthropic|[c]hatgpt|[o]penai|this [w]orkplace)\b'
  '\b(this|that|[a]n earlier|[a] later|previous|next|last) [s]ession\b'
  '\b([h]elper|[a]i|[c]oding) [a]gents?\b'
  '\b[i]ssue #?[0-9]+\b'
)

wrong=0
for pattern in "${patterns[@]}"; do
  if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    found=$(git grep -nIiP -e "$pattern" -- . ':!LICENSE' || true)
  else
    found=$(grep -rnIiP --exclude-dir=.git --exclude-dir='build*' --exclude=LICENSE -e "$pattern" . || true)
  fi
  if [[ -n $found ]]; then
    echo "matches $pattern:"
    echo "$found"
    wrong=$((wrong + 1))
  fi
done
echo "${#patterns[@]} patterns, $wrong with matches"
((wrong == 0))
