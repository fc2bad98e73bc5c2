" SPDX-License-Identifier: Apache-2.0
" Compares the syntax group of words in sample.tsr with what is expected; writes $TESSERA_REPORT.
filetype plugin on
syntax on
setfiletype tessera

let s:expected = [
  \ [1, 'softmax', 'tesseraDocumentation'], [2, '@tile', 'tesseraAnnotation'], [3, 'kernel', 'tesseraDeclaration'],
  \ [3, 'softmax', 'tesseraFunction'], [3, 'in', 'tesseraModifier'], [3, 'bf16', 'tesseraType'],
  \ [3, 'R', 'tesseraSymbol'], [4, 'grid', 'tesseraControl'], [4, 'by', 'tesseraControl'],
  \ [4, 'auto', 'tesseraModifier'], [4, 'rows', 'tesseraComment'], [5, 'let', 'tesseraDeclaration'],
  \ [5, 'exp', 'tesseraFunction'], [5, 'max', 'tesseraReduction'], [6, 'f32', 'tesseraType'],
  \ [6, '1.5e-3', 'tesseraFloat'], [6, '0x1f', 'tesseraInteger'], [6, 'inf', 'tesseraConstant'],
  \ [7, ' / ', ''], [7, '/', 'tesseraOperator'], [7, 'as', 'tesseraConversion'], [10, 'import', 'tesseraDeclaration'],
  \ [10, 'a.tsr', 'tesseraString']]

let s:report = []
let s:wrong = 0
for [s:line, s:text, s:group] in s:expected
  let s:column = match(getline(s:line), '\V' . (s:text =~# '^\w\+$' ? '\<' . s:text . '\>' : s:text)) + 1
  let s:actual = synIDattr(synID(s:line, s:column, 1), 'name')
  if s:column == 0 || s:actual !=# s:group
    let s:wrong += 1
    call add(s:report, printf('line %d, %s: %s, expected %s', s:line, s:text, s:actual, s:group))
  endif
endfor

" The error format reads what `tesserac check --diagnostics-format=short` prints.
compiler tesserac
let s:lines = ['my file.tsr:12:7: error[T0312]: axis `c` is left over', 'a.tsr:3:1: warning[T0601]: this reads twice']
let s:parsed = getqflist({'lines': s:lines, 'efm': &errorformat}).items
let s:found = map(s:parsed, '[bufname(v:val.bufnr), v:val.lnum, v:val.col, v:val.type, v:val.nr]')
if s:found !=# [['my file.tsr', 12, 7, 'e', 312], ['a.tsr', 3, 1, 'w', 601]]
  let s:wrong += 1
  call add(s:report, 'errorformat: ' . string(s:found))
endif

call add(s:report, s:wrong . ' wrong of ' . (len(s:expected) + 1))
call writefile(s:report, $TESSERA_REPORT)
qall!
