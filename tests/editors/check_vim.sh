#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The Vim syntax, token by token. Usage: check_vim.sh SOURCE_FOLDER BUILD_FOLDER; exit code 77: skipped
set -euo pipefail

vim=$(command -v vim || true)
if [[ -z $vim ]] || ! "$vim" --version | grep -q '+syntax' || ! "$vim" --version | grep -q '+eval'; then
  echo "skipped: needs a Vim with +syntax and +eval"
  exit 77
fi

mkdir -p "$2"
report=$2/vim.txt
rm -f "$report"
TESSERA_REPORT=$report "$vim" -N -u NONE -i NONE -n -es --cmd "set runtimepath^=$1/editors/vim" \
  -S "$1/tests/editors/check_syntax.vim" "$1/tests/editors/sample.tsr" </dev/null || true
cat "$report"
grep -q '^0 wrong' "$report"
