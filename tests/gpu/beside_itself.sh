#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a program several times at once, so that its copies take turns on the GPU:
# beside_itself.sh COUNT SECONDS PROGRAM [ARGUMENT …]
# Prints what each has printed that does not exit with 0, and exits with the status of the first that fails, or with 77 where
# some skip and none fails. One that takes longer than SECONDS has failed.
set -euo pipefail
count=$1
seconds=$2
shift 2

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
copies=()
for ((i = 0; i < count; ++i)); do
  timeout --kill-after=5 "$seconds" "$@" >"$folder/$i" 2>&1 &
  copies+=($!)
done
status=0
for ((i = 0; i < count; ++i)); do
  code=0
  wait "${copies[i]}" || code=$?
  if ((code == 0)); then continue; fi
  echo "copy $i exits with $code:"
  cat "$folder/$i"
  if ((status == 0 || status == 77)); then status=$code; fi
done
exit "$status"
