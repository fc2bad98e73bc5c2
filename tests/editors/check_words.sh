#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Editors know exactly the words and types of the language. Usage: check_words.sh SOURCE_FOLDER
set -euo pipefail
cd "$1"

lexer=grammar/TesseraLexer.g4
textmate=editors/vscode/syntaxes/tessera.tmLanguage.json
vim=editors/vim/syntax/tessera.vim
wrong=0

# Compares two lists, one word a line; prints the difference.
compare() {
  if ! diff <(sort -u <<<"$2") <(sort -u <<<"$3"); then
    echo "^ $1: < the language, > the editor file"
    wrong=$((wrong + 1))
  fi
}

words=$(sed -nE "s/^[A-Z_]+: '([a-z]+)';.*/\1/p" "$lexer")
types=$(sed -nE 's/^TESSERA_DTYPE\([a-z0-9_]+, *"([a-z0-9_]+)".*/\1/p' src/base/dtype.def)
(($(wc -l <<<"$words") > 20 && $(wc -l <<<"$types") > 10)) || { echo "cannot read the lists of the language"; exit 1; }

# The alternatives of `\\b(a|b|c)\\b` on the lines of a range of the TextMate file.
alternatives() { grep -oE '\\\\b\([a-z0-9_|]+\)\\\\b' | tr -d '()' | sed 's/\\\\b//g' | tr '|' '\n'; }
textmate_words=$(sed -n '/^    "words": {/,/^    },/p' "$textmate" | alternatives)
textmate_types=$(sed -n '/^    "types": {/,/^    },/p' "$textmate" | alternatives)
compare "words, TextMate" "$words" "$textmate_words"
compare "types, TextMate" "$types" "$textmate_types"

vim_list() { sed -nE "s/^syn keyword $1 //p" "$vim" | tr ' ' '\n'; }
compare "words, Vim" "$words" "$(vim_list 'tessera(Declaration|Control|Modifier|Conversion|Constant)')"
compare "types, Vim" "$types" "$(vim_list tesseraType)"

echo "$(wc -l <<<"$words") words and $(wc -l <<<"$types") types, $wrong lists differ"
((wrong == 0))
