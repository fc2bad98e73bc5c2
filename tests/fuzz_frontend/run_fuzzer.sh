#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs one fuzzer from the project's own programs: run_fuzzer.sh SOURCE_FOLDER FUZZ_BUILD FUZZER LONGEST_INPUT
# Exit code 77 (skipped) where the fuzzers could not be built for want of Clang.
#
# TESSERA_FUZZ_SECONDS=N   how long (default 120)
# TESSERA_FUZZ_SEED=N      of libFuzzer (default 1)
# TESSERA_FUZZ_CORPUS=DIR  keeps what was found for the next run (default: forgotten)
set -euo pipefail
root=$1 build=$2 fuzzer=$3 longest=$4
seconds=${TESSERA_FUZZ_SECONDS:-120}
program=$build/bin/$fuzzer
if [[ ! -x $program ]]; then
  echo "skipped: $fuzzer is not built (Clang with libFuzzer: clang-14, libclang-rt-14-dev)"
  exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
corpus=${TESSERA_FUZZ_CORPUS:-$work/corpus}
mkdir -p "$work/seeds" "$corpus"
"$build/bin/write_seeds" "$work/seeds"
# Every fixed spelling of the grammar is a word of the dictionary.
sed -nE "s/^[A-Z_]+: '([^']*)';\$/\"\1\"/p" "$root/grammar/TesseraLexer.g4" >"$work/words"

# What breaks a promise stays in the build folder, with the sentence that says which.
mkdir -p "$build/found"
status=0
# Entropic schedules keep a count of every feature for every input: three quarters of the time with a program of this
# size. Leaks are looked for once, at the end: the parser's caches grow, and each growth would be taken for one. Traces of
# one call for each allocation and a small quarantine show that something is wrong; what was found is run again without
# these options.
export ASAN_OPTIONS=malloc_context_size=1:quarantine_size_mb=4:${ASAN_OPTIONS:-}
TIMEFORMAT=%U
{ time "$program" -entropic=0 -detect_leaks=0 -len_control=0 -max_total_time="$seconds" \
  -seed="${TESSERA_FUZZ_SEED:-1}" -max_len="$longest" -timeout=60 \
  -rss_limit_mb=2048 -dict="$work/words" -artifact_prefix="$build/found/$fuzzer-" -print_final_stats=1 \
  -reload=0 "$corpus" "$work/seeds" >"$work/log" 2>&1; } 2>"$work/cpu" || status=$?
grep -aE 'Recommended|^#[0-9]+.*(INITED|DONE)|^stat::|^inputs ' "$work/log" || true
if ((status != 0)); then
  tail -n 80 "$work/log"
  exit 1
fi
executed=$(sed -nE 's/^stat::number_of_executed_units: *([0-9]+)$/\1/p' "$work/log")
cpu=$(cut -d . -f 1 "$work/cpu")
echo "$fuzzer: $executed inputs in $cpu s of one core, nothing found"
# A fuzzer that hardly runs finds nothing either. Seconds of the core, because others may have it most of the time.
((executed >= 100 * cpu))
