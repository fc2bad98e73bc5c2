" SPDX-License-Identifier: Apache-2.0
" Syntax of Tessera kernels (.tsr).
if exists('b:current_syntax')
  finish
endif

syn case match

syn keyword tesseraDeclaration kernel fn graph mesh instance import extern inline const static
syn keyword tesseraDeclaration let var temp shared channel role
syn keyword tesseraControl grid for if else return by where
syn keyword tesseraModifier in out inout auto precision verify
syn keyword tesseraConversion as
syn keyword tesseraConstant true false inf
syn keyword tesseraType f64 f32 f16 bf16 fp8_e4m3 fp8_e5m2 i4 i8 i16 i32 i64 u4 u8 u16 u32 u64 bool index

syn match tesseraFunction '\<\l\w*\>\ze\s*(' contains=tesseraDeclaration,tesseraControl,tesseraModifier
syn match tesseraReduction '\<\l\w*\>\ze\[[A-Za-z_][A-Za-z0-9_, ]*\]('
syn match tesseraSymbol '\<\u\w*\>'
syn match tesseraAnnotation '@\s*\h\w*'
syn match tesseraInteger '\<\d\+\>\|\<0x\x\+\>'
syn match tesseraFloat '\<\d\+\.\d\+\%([eE][+-]\=\d\+\)\=\>\|\<\d\+[eE][+-]\=\d\+\>'
syn match tesseraOperator '??\|\.\.\|->\|&&\|||\|[-+*/%<>=!&|^~]=\=\|<<\|>>'

syn region tesseraString start=+"+ end=+"+ oneline
syn include @tesseraCpp syntax/cpp.vim
unlet! b:current_syntax
syn region tesseraCuda matchgroup=tesseraString start=+"""+ end=+"""+ contains=@tesseraCpp keepend

syn match tesseraComment '//.*$' contains=@Spell
syn match tesseraDocumentation '///.*$' contains=@Spell
syn region tesseraComment start='/\*' end='\*/' contains=@Spell
syn sync minlines=200

hi def link tesseraDeclaration Keyword
hi def link tesseraControl Statement
hi def link tesseraModifier StorageClass
hi def link tesseraConversion Operator
hi def link tesseraConstant Constant
hi def link tesseraType Type
hi def link tesseraFunction Function
hi def link tesseraReduction Function
hi def link tesseraSymbol Identifier
hi def link tesseraAnnotation PreProc
hi def link tesseraInteger Number
hi def link tesseraFloat Float
hi def link tesseraOperator Operator
hi def link tesseraString String
hi def link tesseraComment Comment
hi def link tesseraDocumentation SpecialComment

let b:current_syntax = 'tessera'
