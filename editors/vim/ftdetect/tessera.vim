" SPDX-License-Identifier: Apache-2.0
" Files named *.tsr are Tessera kernels.
autocmd BufNewFile,BufRead *.tsr setfiletype tessera
