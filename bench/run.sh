#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Products beside cuBLASLt on this machine's GPU: compiles the kernels, times them, draws and prints a summary.
# bench/run.sh [--tesserac PATH] [--plan PLAN] [--out FOLDER] [--cases FILE] [--warm] [--seconds S] [--triton]
#              [WORD …]
# Words choose cases by a part of their name ("bf16 4096x4096x4096 nt"). All of them go to bench/results, chosen ones to
# build/bench, unless a folder is named. --triton times a few, or those chosen, beside Triton and PyTorch, too.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tesserac=build/release/bin/tesserac
cases=bench/products/cases.csv
triton=false
out=""
plan=()
options=()
words=()
while (($# > 0)); do
  case $1 in
    --tesserac) tesserac=$2; shift ;;
    --plan) plan=("--plan=$2"); shift ;;
    --out) out=$2; shift ;;
    --cases) cases=$2; shift ;;
    --seconds) options+=("$1" "$2"); shift ;;
    --warm) options+=("$1") ;;
    --triton) triton=true ;;
    -*) echo "unknown option $1" >&2; exit 2 ;;
    *) words+=("$1") ;;
  esac
  shift
done
if [[ -z $out ]]; then
  out=bench/results
  ((${#words[@]} == 0)) || out=build/bench
fi

read -r capability device < <(nvidia-smi --id=0 --query-gpu=compute_cap,name --format=csv,noheader | tr ',' ' ')
case $capability in
  9.0) architecture=sm_90 code=arch=compute_90a,code=sm_90a ;;
  8.*) architecture=sm_80 code=arch=compute_80,code=sm_80 ;;
  *) echo "no code for compute capability $capability" >&2; exit 1 ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# cuBLASLt of the toolkit, or the one that came with PyTorch.
toolkit=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")
header=$(find -L "$toolkit/include" "$toolkit/targets" -name cublasLt.h -print -quit 2>/dev/null || true)
libraries=$toolkit
if [[ -z $header ]]; then
  libraries=$(python3 -c 'import nvidia; print(next(iter(nvidia.__path__)))')
  header=$(find -L "$libraries" -name cublasLt.h -print -quit)
fi
library=$(find -L "$libraries" -name 'libcublasLt.so*' -not -path '*/stubs/*' -print -quit)
nvcc -t 0 -std=c++20 -O2 "-gencode=$code" -Iruntime/include -I "$(dirname "$header")" bench/products/*.cpp \
  bench/products/*.cu -Xlinker "$library,-rpath=$(dirname "$library")" -ldl -o "$work/products"

# One shared library of each source, as a package would compile it.
compile() {
  local source=$1 stem
  stem=$(basename "$source" .tsr)
  "$tesserac" "$source" "--arch=$architecture" "${plan[@]}" --emit-dir "$work/$stem"
  nvcc -shared -O3 -std=c++20 --split-compile=0 -fmad=false -Xcompiler=-fPIC,-ffp-contract=off "-gencode=$code" \
    -Iruntime/include "$work/$stem"/*.cu "$work/$stem"/*.cpp -o "$work/$stem.so"
}
compilers=()
while read -r source; do
  compile "$source" &
  compilers+=($!)
done < <("$work/products" "$cases" --sources "${words[@]}")
for compiler in "${compilers[@]}"; do wait "$compiler"; done

mkdir -p "$out"
name=$out/$(date +%F)-$(sed 's/NVIDIA *//; s/ .*//' <<<"$device" | tr '[:upper:]' '[:lower:]')
status=0
{
  "$work/products" "$cases" "$work" "${options[@]}" "${words[@]}" || status=$?
  echo "# $("$tesserac" --version), $(nvcc --version | sed -n 's/.*release \([0-9.]*\).*/nvcc \1/p'), driver" \
    "$(nvidia-smi --id=0 --query-gpu=driver_version --format=csv,noheader), $(date +%F) ${plan[*]}"
} >"$name.csv"
python3 bench/plot.py "$name.csv"
if $triton; then
  python3 bench/triton_products.py --tesserac "$tesserac" "${words[@]}" | tee "$name-triton.csv" || status=$?
fi
ls "$name"*
exit "$status"
