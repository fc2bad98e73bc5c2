#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Same input and flags, same bytes out: check_outputs.sh SOURCE_FOLDER TESSERAC [OTHER_TESSERAC…]
# Other builds of the compiler may be named as well, here or in TESSERA_OTHER_COMPILERS, separated by spaces.
set -euo pipefail
root=$1 tesserac=$2
shift 2
read -ra named <<<"${TESSERA_OTHER_COMPILERS:-}"
others=("$@" "${named[@]}")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The programs as a tree of their own, twice: what is named by a relative path is the same in both.
for place in "$work/here" "$work/another place/with ünusual name"; do
  mkdir -p "$place"
  (cd "$root" && cp --parents -r examples tests/corners tests/outsider tests/sema/programs tests/frontend "$place/")
  find "$place" -type f ! -name '*.tsr' -delete
done
cd "$work/here"
mapfile -t programs < <(ls examples/*/*.tsr tests/corners/*.tsr tests/outsider/*.tsr)
mapfile -t wrong < <(ls tests/outsider/bad/*.tsr tests/sema/programs/fail_*.tsr tests/frontend/fail_*.tsr)
clean=(env -i PATH="$PATH" HOME="$work" LC_ALL=C)

# Everything the compiler prints, into a folder: outputs FOLDER COMMAND… (run in the folder of the programs)
outputs() {
  local folder=$1 program
  shift
  for program in "${programs[@]}"; do
    mkdir -p "$folder/$program"
    "$@" "$program" --emit=ast,ir,plan,report,cuda,header -MD -MT "${program##*/}" -o "$folder/$program" \
      2>"$folder/$program/messages" || echo "exit $?" >>"$folder/$program/messages"
    "$@" "$program" --line-map=tsr --emit=cuda -o - >"$folder/$program/mapped" 2>&1 || true
    "$@" fmt --stdout "$program" >"$folder/$program/formatted" 2>&1
  done
  for form in text json short; do
    "$@" check --error-limit=100000 --diagnostics-format="$form" "${wrong[@]}" >"$folder/$form" 2>&1 ||
      echo "exit $?" >>"$folder/$form"
  done
  "$@" --list-diagnostics >"$folder/list"
  "$@" --help >"$folder/help" 2>&1
}

checked=0
failures=0
# The outputs of one variation against those of the first run: compare NAME [FILES_TO_LEAVE_OUT…]
compare() {
  local name=$1 options=()
  shift
  for file in "$@"; do options+=(-x "$file"); done
  checked=$((checked + 1))
  if ! diff -r -q "${options[@]}" "$work/first" "$work/$name" >"$work/difference"; then
    echo "$name: other bytes"
    head -n 5 "$work/difference"
    diff -r "${options[@]}" "$work/first" "$work/$name" | head -n 20 || true
    failures=$((failures + 1))
  fi
  rm -rf "${work:?}/$name"
}

outputs "$work/first" "${clean[@]}" "$tesserac"
count=$(find "$work/first" -type f | wc -l)
[[ $(tail -n 1 "$work/first/text") == "exit 1" ]] || { head -n 5 "$work/first/text"; exit 1; }

outputs "$work/again" "${clean[@]}" "$tesserac"
compare again

(cd "$work/another place/with ünusual name" && outputs "$work/folder" "${clean[@]}" "$tesserac")
compare folder

# A locale that writes 1,5. It is made here, so that no machine needs to have it.
mkdir -p "$work/locales"
locale=(LC_ALL=C.UTF-8 LANG=de_DE.UTF-8)
if localedef -i de_DE -f UTF-8 "$work/locales/de_DE.UTF-8" 2>/dev/null || [[ -e $work/locales/de_DE.UTF-8/LC_NUMERIC ]]; then
  locale=(LOCPATH="$work/locales" LC_ALL=de_DE.UTF-8 LANG=de_DE.UTF-8)
  [[ $(env "${locale[@]}" locale decimal_point 2>/dev/null) == "," ]] || echo "the locale is not what it should be"
else
  echo "left out: a locale with decimal commas (localedef and the sources of locales are missing)"
fi
mkdir -p "$work/temporary"
(
  umask 077
  outputs "$work/environment" env -i PATH="$PATH" HOME=/nonexistent TZ=Asia/Kathmandu TMPDIR="$work/temporary" TERM=xterm \
    COLUMNS=40 SOURCE_DATE_EPOCH=1 USER=somebody "${locale[@]}" "$tesserac"
)
compare environment

# What is read before it is written: the heap full of rubbish, the stack elsewhere, addresses fixed.
outputs "$work/rubbish" "${clean[@]}" MALLOC_PERTURB_=165 MALLOC_ARENA_MAX=1 FILLER="$(printf '%8000s' x)" "$tesserac"
compare rubbish
if setarch "$(uname -m)" -R true 2>/dev/null; then
  outputs "$work/addresses" "${clean[@]}" setarch "$(uname -m)" -R "$tesserac"
  compare addresses
else
  echo "left out: fixed addresses (setarch -R is not allowed here)"
fi

# An absolute path is named by messages and dependencies, and by nothing else.
relative=("${programs[@]}")
programs=("${relative[@]/#/$PWD/}")
outputs "$work/absolute_all" "${clean[@]}" "$tesserac"
mv "$work/absolute_all$PWD" "$work/absolute"
programs=("${relative[@]}")
rm -f "$work"/absolute_all/{text,json,short,list,help}
compare absolute messages mapped '*.d' text json short list help

for other in "${others[@]}"; do
  outputs "$work/other" "${clean[@]}" "$other"
  compare other
done

# The order of files decides the order of the messages, and nothing else.
reversed=()
for program in "${wrong[@]}"; do reversed=("$program" "${reversed[@]}"); done
for order in wrong reversed; do
  declare -n list=$order
  "${clean[@]}" "$tesserac" check --error-limit=100000 --diagnostics-format=short "${list[@]}" 2>&1 | sort \
    >"$work/$order" || true
done
cmp "$work/wrong" "$work/reversed" || failures=$((failures + 1))
"${clean[@]}" "$tesserac" fmt --stdout "${programs[@]}" >"$work/together"
for program in "${programs[@]}"; do cat "$work/first/$program/formatted"; done | cmp - "$work/together" ||
  failures=$((failures + 1))

echo "$count outputs, $checked variations and 2 orders, $failures differ"
((count > 200 && failures == 0))
