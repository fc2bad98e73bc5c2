#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the libFuzzer programs with their own libraries: build_fuzzers.sh SOURCE_FOLDER FUZZ_BUILD COMPILER CMAKE
# Exit code 77 (skipped) where there is no Clang with libFuzzer.
set -euo pipefail
root=$1 build=$2 compiler=$3 cmake=$4

probe=$(mktemp -d)
trap 'rm -rf "$probe"' EXIT
echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' >"$probe/probe.cpp"
if ! "$compiler" -fsanitize=fuzzer,address,undefined "$probe/probe.cpp" -o "$probe/probe" 2>"$probe/log"; then
  echo "skipped: no Clang with libFuzzer (clang-14, libclang-rt-14-dev)"
  head -n 5 "$probe/log"
  exit 77
fi

# Places without variables are enough for a report. -O2 takes as long as -O1, whose calls the sanitizers would all see.
"$cmake" -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_COMPILER="$compiler" \
  "-DCMAKE_CXX_FLAGS_DEBUG=-O2 -gline-tables-only" "-DTESSERA_SANITIZE=address,undefined" \
  -DTESSERA_FUZZ=ON -DTESSERA_CUDA=OFF -DTESSERA_BUILD_TESTS=OFF \
  -DTESSERA_BUILD_EXAMPLES=OFF >"$probe/log" || { cat "$probe/log"; exit 1; }
"$cmake" --build "$build" --parallel 2 --target fuzz_text fuzz_words write_outputs write_seeds
