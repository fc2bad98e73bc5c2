#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# cppcheck finds nothing in the compiler and the runtime: check_cppcheck.sh SOURCE_FOLDER
# Exit code 77 (skipped) where there is no cppcheck.
set -euo pipefail
cd "$1"
command -v cppcheck >/dev/null || { echo "skipped: cppcheck is missing"; exit 77; }
cppcheck --version
cppcheck -j2 --quiet --std=c++20 --language=c++ --enable=warning,performance,portability --error-exitcode=1 \
  -I src -I runtime/include --suppressions-list=tests/static_analysis/cppcheck.txt \
  --template='{file}:{line}: {id}: {message}' src runtime
