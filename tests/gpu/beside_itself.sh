#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a program several times at once, so that its copies take turns on the GPU: beside_itself.sh COUNT PROGRAM [ARGUMENT …]
# Prints what each that fails has printed, and exits with the status of the last of them. One that takes four minutes has
# failed.
set -euo pipefail
count=$1
shift

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
copies=()
for ((i = 0; i < count; ++i)); do
  timeout --kill-after=5 240 "$@" >"$folder/$i" 2>&1 &
  copies+=($!)
done
status=0
for ((i = 0; i < count; ++i)); do
  wait "${copies[i]}" && continue
  status=$?
  echo "copy $i exits with $status:"
  cat "$folder/$i"
done
exit "$status"
