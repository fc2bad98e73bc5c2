#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a fresh clone to running kernels: installs what is missing, builds the compiler, turns every example into CUDA
# C++ and runs it, on the GPU if there is one and otherwise on the host twin. Fails when a result is wrong.
source "$(dirname "${BASH_SOURCE[0]}")/set_up.sh"

say "Building the compiler and the examples"
cmake --build "$build" --parallel "$jobs" --target examples

programs=("$build/examples/$device"/*)
[[ -x ${programs[0]} ]] || fail "no example was built for $device"

wrong=()
for program in "${programs[@]}"; do
  say "$(basename "$program") ($device)"
  "$program" </dev/null || wrong+=("$(basename "$program")")
done

say "${#programs[@]} examples, ${#wrong[@]} wrong${wrong[*]:+: ${wrong[*]}}"
((${#wrong[@]} == 0)) || exit 4
