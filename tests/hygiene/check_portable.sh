#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The program needs the C library and nothing else. Usage: check_portable.sh PROGRAM
set -euo pipefail

needed=$(LC_ALL=C readelf -d "$1" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p')
echo "$needed"
! grep -vE '^(libc|libm|libdl|libpthread|librt|ld-linux-[a-z0-9-]+)\.so\.[0-9]+$' <<<"$needed"
