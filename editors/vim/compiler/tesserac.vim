" SPDX-License-Identifier: Apache-2.0
" :make checks the file; the quickfix list takes `file:line:column: error[T0312]: text`.
if exists('g:current_compiler')
  finish
endif
let g:current_compiler = 'tesserac'

if exists(':CompilerSet') != 2
  command -nargs=* CompilerSet setlocal <args>
endif

CompilerSet makeprg=tesserac\ check\ --diagnostics-format=short\ %:S
CompilerSet errorformat=%f:%l:%c:\ %trror[T%n]:\ %m,%f:%l:%c:\ %tarning[T%n]:\ %m,%f:%l:%c:\ %tote:\ %m,%f:%l:%c:\ %m
