#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What nvcc makes of a handwritten kernel: no warning, no spill, no local memory, accesses as wide as they were written.
# Usage: check_device_code.sh NVCC SOURCE_FOLDER KERNEL ARCHITECTURE
set -euo pipefail
nvcc=$1 source_folder=$2 kernel=$3 architecture=$4

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
source=$source_folder/tests/runtime/handwritten_$kernel.cu
flags=(-std=c++20 -fmad=false "-arch=$architecture" -Werror all-warnings "-I$source_folder/runtime/include")

fail() { echo "$kernel, $architecture: $*"; exit 1; }

"$nvcc" "${flags[@]}" -Xptxas -v -cubin -o "$folder/cubin" "$source" 2>"$folder/log" || { cat "$folder/log"; fail "nvcc"; }
grep -E 'spill|Used' "$folder/log"
if grep -E ' [1-9][0-9]* bytes (stack frame|spill)' "$folder/log"; then fail "registers are spilled"; fi

"$nvcc" "${flags[@]}" -ptx -o "$folder/ptx" "$source"
if grep -nE '(ld|st)\.local' "$folder/ptx"; then fail "uses local memory"; fi
if grep -nE 'ld\.global\.(v|b|u|f|s)' "$folder/ptx"; then fail "reads an input on the coherent path"; fi

case $kernel in
  add_one | softmax)
    grep -q 'ld\.global\.nc\.v4' "$folder/ptx" || fail "no 16-byte load"
    grep -q 'st\.global\.v4' "$folder/ptx" || fail "no 16-byte store"
    ;;
esac
case $kernel in
  extremes)
    # ptxas makes one instruction of two of these, and loses the sign of an operand.
    if grep -nE '(max|min)\.s(16|32)' "$folder/ptx"; then fail "has extremes that ptxas fuses"; fi
    # Nor may it see a selection, of which it makes an extreme itself; one is the absolute value.
    selections=$(grep -cE 'selp\.[bsu]32' "$folder/ptx")
    [ "$selections" -le 1 ] || fail "$selections selections, of which ptxas makes extremes"
    ;;
  ring)
    for instruction in init.shared::cta.b64 arrive.shared::cta.b64 arrive.expect_tx.shared::cta.b64 \
      try_wait.parity.shared::cta.b64; do
      grep -qF "mbarrier.$instruction" "$folder/ptx" || fail "no mbarrier.$instruction"
    done
    grep -qF 'fence.mbarrier_init.release.cluster' "$folder/ptx" || fail "no fence behind the initialisation"
    grep -qE '\.shared \.align 8 .*full_words' "$folder/ptx" || fail "no barriers at multiples of 8 bytes"
    ;;
  warpgroups | split)
    # Notes of ptxas: products that wait for each other, registers that are not given away.
    if grep -nE 'wgmma|setmaxnreg' "$folder/log"; then fail "ptxas has something to say"; fi
    [ "$kernel" = split ] && rank=3 columns=128 || rank=2 columns=256
    for instruction in "cp.async.bulk.tensor.${rank}d" "wgmma.mma_async.sync.aligned.m64n${columns}k16" \
      setmaxnreg.inc.sync.aligned; do
      grep -qF "$instruction" "$folder/ptx" || fail "no $instruction"
    done
    ;;
  softmax)
    if grep -nE '(div|rem)\.[su]64' "$folder/ptx"; then fail "divides 64-bit integers"; fi
    grep -q 'shfl\.sync\.bfly' "$folder/ptx" || fail "no shuffle"
    ;;
  gemm)
    grep -q 'cp\.async\.cg' "$folder/ptx" || fail "no asynchronous copy of 16 bytes"
    grep -q 'ldmatrix.*x4\.trans' "$folder/ptx" || fail "no transposed ldmatrix"
    grep -q 'shf\.r\.' "$folder/ptx" || fail "no funnel shift of lines that begin anywhere"
    # The kernel with the most copies, those of 4 bytes: their addresses are at constant distances from the first.
    sed -n '/\.entry .*CopyE2/,/^}/p' "$folder/ptx" >"$folder/copies"
    copies=$(grep -c 'cp\.async\.ca' "$folder/copies") products=$(grep -cE 'm(ul|ad)\.lo\.s64' "$folder/copies")
    [ "$products" -lt "$copies" ] || fail "$products 64-bit products for $copies copies"
    ;;
  product)
    case $architecture in sm_80) doubles=m8n8k4 ;; *) doubles=m16n8k8 ;; esac
    grep -q "mma\.sync\.aligned\.$doubles\.row\.col\.f64" "$folder/ptx" || fail "no $doubles of doubles"
    ;;
  transpose)
    grep -q 'ld\.shared' "$folder/ptx" || fail "shared memory is read by generic loads"
    grep -q 'st\.shared' "$folder/ptx" || fail "shared memory is written by generic stores"
    ;;
esac
