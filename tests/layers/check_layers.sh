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
  'src/interp/    ^(base/|sema/ir/|interp/|tessera/(config|narrow|integer|math)|[^/]+$)'
  'src/emit/      ^(base/|sema/ir/|emit/|[^/]+$)'
  'src/commands/  ^(base/|frontend/|sema/|interp/|emit/|driver/|commands/|[^/]+$)'
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

complain() {  # file, line number, included path, reason
  echo "$1:$2: must not include $3 ($4)"
  wrong=$((wrong + 1))
}

check_file() {
  local file=$1 row folder pattern line include
  for row in "${rows[@]}"; do
    read -r folder pattern <<<"$row"
    if [[ $file != "$folder"* ]]; then continue; fi
    while IFS=: read -r line include; do
      checked=$((checked + 1))
      [[ $include =~ $pattern ]] || complain "$file" "$line" "\"$include\"" "$folder may include $pattern"
    done < <(sed -nE '/^[ \t]*#[ \t]*include[ \t]*"/{=;s/.*"([^"]*)".*/\1/p}' "$file" | paste -d: - -)
    return
  done
}

check_libraries() {
  local file=$1 row library pattern line include
  for row in "${libraries[@]}"; do
    read -r library pattern <<<"$row"
    while IFS=: read -r line include; do
      [[ $file =~ $pattern ]] || complain "$file" "$line" "<$include>" "only $pattern includes $library"
    done < <(sed -nE "/^[ \t]*#[ \t]*include[ \t]*<${library//\//\\/}/{=;s/.*<([^>]*)>.*/\1/p}" "$file" | paste -d: - -)
  done
}

while IFS= read -r file; do
  check_file "$file"
  check_libraries "$file"
done < <(find src runtime -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' -o -name '*.def' \) | sort)

echo "$checked includes, $wrong against the arrows"
((checked > 0 && wrong == 0))
