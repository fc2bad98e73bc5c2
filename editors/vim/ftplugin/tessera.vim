" SPDX-License-Identifier: Apache-2.0
" Editing of Tessera kernels: comments, two columns of indent, tesserac for :make.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal comments=:///,:// commentstring=//\ %s
setlocal expandtab shiftwidth=2 softtabstop=2 cindent cinoptions=L0
setlocal suffixesadd=.tsr
compiler tesserac

let b:undo_ftplugin = 'setlocal comments< commentstring< expandtab< shiftwidth< softtabstop< cindent< cinoptions< suffixesadd<'
