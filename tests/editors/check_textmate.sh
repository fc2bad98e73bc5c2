#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The TextMate grammar, token by token. Usage: check_textmate.sh SOURCE_FOLDER BUILD_FOLDER; exit code 77: skipped
set -euo pipefail
source_folder=$1
modules=$2/npm

skip() { echo "skipped: $1"; exit 77; }
command -v node >/dev/null && command -v npm >/dev/null || skip "needs node and npm"

version=$(sed -nE 's/.*"vscode-tmgrammar-test": "([0-9.]+)".*/\1/p' "$source_folder/editors/vscode/package.json")
if [[ ! -x $modules/node_modules/.bin/vscode-tmgrammar-test ]]; then
  mkdir -p "$modules"
  timeout 150 npm install --silent --no-save --no-package-lock --no-audit --no-fund --ignore-scripts \
    --prefix "$modules" "vscode-tmgrammar-test@$version" </dev/null || skip "npm cannot install vscode-tmgrammar-test"
fi

cd "$source_folder/editors/vscode"
"$modules/node_modules/.bin/vscode-tmgrammar-test" -g syntaxes/tessera.tmLanguage.json 'tests/*.test.tsr'

cd "$source_folder"
mapfile -t programs < <(find examples tests/outsider -name '*.tsr' 2>/dev/null | sort)
NODE_PATH=$modules/node_modules node tests/editors/tokenize.js "${programs[@]}"
