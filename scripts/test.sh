#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a fresh clone to a verdict: installs what is missing, builds everything and runs every test through CTest.
# Tests that need a GPU run where there is one. Arguments go to ctest: scripts/test.sh -R softmax
for_tests=yes
source "$(dirname "${BASH_SOURCE[0]}")/set_up.sh"

say "Building"
cmake --build "$build" --parallel "$jobs"

say "Testing"
selection=()
if [[ $device == twin ]]; then selection=(-LE gpu); fi
ctest --test-dir "$build" --parallel "$jobs" --timeout 600 --output-on-failure --no-tests=error \
  "${selection[@]}" "$@" </dev/null
