#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Include arrows between the folders of src/ and runtime/. Usage: check_layers.sh SOURCE_FOLDER
set -euo pipefail
cd "$1"

# One row per folder: what its files may include with quotes, as a pattern over the included path. A more special
# folder stands first. Names without a slash are files of the same folder or generated ones.
rows=(
  'src/base/      ^(base/|[^/]+$)'
  'src/driver/    ^(base/|driver/|[^/]+$)'
  'src/frontend/  ^(base/|frontend/|[^/]+$)'
  'src/sema/ir/   ^(base/|sema/ir/|[^/]+$)'
  'src/sema/      ^(base/|frontend/ast\.h$|sema/|[^/]+$)'
  'src/interp/    ^(base/|sema/ir/|interp/|tessera/(config|convert|integer|math|narrow|numbers)|[^/]+$)'
  'src/emit/      ^(base/|sema/ir/|emit/|[^/]+$)'
  'src/commands/  ^(base/|frontend/|sema/|interp/|emit/|driver/|commands/|tessera/(abi|config|convert|integer|math|narrow|numbers)|[^/]+$)'
  'src/main.cpp   ^(base/|commands/)'
  'runtime/       ^(tessera/|[^/]+$)'
)

# Libraries, by the folders that may include them with angle brackets.
libraries=(
  'antlr4        ^src/frontend/'
  'CLI/          ^src/(commands/|main\.cpp)'
  'nlohmann/     ^src/(base|driver|interp|emit|commands)/'
  'cuda          ^runtime/'
)

wrong=0
checked=0

complain() {  # place, what, reason
  echo "$1: must not include $2 ($3)"
  wrong=$((wrong + 1))
}

check_own() {  # file, line, included path
  local row folder pattern
  for row in "${rows[@]}"; do
    read -r folder pattern <<<"$row"
    if [[ $1 == "$folder"* ]]; then
      [[ $3 =~ $pattern ]] || complain "$1:$2" "\"$3\"" "$folder may include $pattern"
      return
    fi
  done
}

check_library() {  # file, line, included path
  local row library pattern
  for row in "${libraries[@]}"; do
    read -r library pattern <<<"$row"
    if [[ $3 == "$library"* && ! $1 =~ $pattern ]]; then
      complain "$1:$2" "<$3>" "only $pattern includes $library"
    fi
  done
}

directive='^([^:]+):([0-9]+):[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]'
while IFS= read -r found; do
  [[ $found =~ $directive ]] || continue
  checked=$((checked + 1))
  if [[ ${BASH_REMATCH[3]} == '"' ]]; then
    check_own "${BASH_REMATCH[@]:1:2}" "${BASH_REMATCH[4]}"
  else
    check_library "${BASH_REMATCH[@]:1:2}" "${BASH_REMATCH[4]}"
  fi
done < <(grep -rnE '^[ \t]*#[ \t]*include' src runtime --include='*.h' --include='*.cpp' --include='*.cu' --include='*.cuh')

echo "$checked includes, $wrong against the arrows"
((checked > 0 && wrong == 0))
