#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Stands in for tesserac: whatever is compiled, spilling.cu is what comes out.
# Usage: spilling.sh FILE --arch=sm_NN -o FOLDER/
cp "$(dirname "$0")/spilling.cu" "$4/$(basename "$1" .tsr).${2#--arch=}.cu"
