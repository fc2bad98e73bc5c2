// SPDX-License-Identifier: Apache-2.0
// Tokens of .tsr files. Names of types, functions and annotations are ordinary names. The stream below the lexer
// hands out bytes, so token positions are byte offsets.
lexer grammar TesseraLexer;

// `<` before `name =`: set by the token filter (src/frontend/antlr/token_filter.h), so that the parser needs one token
// of lookahead to tell `dot<T = f16>(a, b)` from a comparison.
tokens { GENERIC_OPEN }

KERNEL: 'kernel';
FN: 'fn';
GRAPH: 'graph';
MESH: 'mesh';
INSTANCE: 'instance';
IMPORT: 'import';
EXTERN: 'extern';
INLINE: 'inline';
CONST: 'const';
STATIC: 'static';
GRID: 'grid';
FOR: 'for';
LET: 'let';
VAR: 'var';
TEMP: 'temp';
SHARED: 'shared';
CHANNEL: 'channel';
ROLE: 'role';
IF: 'if';
ELSE: 'else';
RETURN: 'return';
IN: 'in';
OUT: 'out';
INOUT: 'inout';
WHERE: 'where';
BY: 'by';
AS: 'as';
AUTO: 'auto';
PRECISION: 'precision';
VERIFY: 'verify';
TRUE: 'true';
FALSE: 'false';
INF: 'inf';

NAME: [A-Za-z_] [A-Za-z0-9_]*;

// A digit stands on both sides of a decimal point, so `0..4` is a range.
FLOAT: DIGIT+ '.' DIGIT+ EXPONENT? | DIGIT+ EXPONENT;
INTEGER: DIGIT+ | '0x' HEX_DIGIT+;
// Taken whole to be reported whole: `12ab`, `1.5f`, `0x`, `1.5.2`.
MALFORMED_NUMBER: DIGIT [A-Za-z0-9_]* | DIGIT+ '.' DIGIT [A-Za-z0-9_]* ( '.' DIGIT [A-Za-z0-9_]* )*;

STRING: '"' ~["\r\n]* '"';
TEXT: '"""' .*? '"""';
UNTERMINATED_STRING: '"' ~["\r\n]*;

ARROW: '->';
DOT_DOT: '..';
DOT: '.';
COMMA: ',';
SEMICOLON: ';';
COLON: ':';
AT: '@';
OPEN_PAREN: '(';
CLOSE_PAREN: ')';
OPEN_BRACKET: '[';
CLOSE_BRACKET: ']';
OPEN_BRACE: '{';
CLOSE_BRACE: '}';

PLUS_ASSIGN: '+=';
MINUS_ASSIGN: '-=';
STAR_ASSIGN: '*=';
SLASH_ASSIGN: '/=';
OR_ASSIGN: '|=';
AND_ASSIGN: '&=';

QUESTION_QUESTION: '??';
QUESTION: '?';
OR_OR: '||';
AND_AND: '&&';
EQUAL: '==';
NOT_EQUAL: '!=';
LESS_EQUAL: '<=';
GREATER_EQUAL: '>=';
SHIFT_LEFT: '<<';
SHIFT_RIGHT: '>>';
LESS: '<';
GREATER: '>';
ASSIGN: '=';
PLUS: '+';
MINUS: '-';
STAR: '*';
SLASH: '/';
PERCENT: '%';
OR: '|';
XOR: '^';
AND: '&';
NOT: '!';
TILDE: '~';

DOCUMENTATION: '///' ~[\r\n]*;
LINE_COMMENT: '//' ~[\r\n]*;
BLOCK_COMMENT: '/*' .*? '*/';
// A carriage return alone ends no line, though it would end a comment.
WHITESPACE: ( [ \t\n\f] | '\r\n' )+ -> skip;

UNKNOWN_CHARACTER: .;

fragment DIGIT: [0-9];
fragment HEX_DIGIT: [0-9A-Fa-f];
fragment EXPONENT: [eE] [+-]? DIGIT+;
