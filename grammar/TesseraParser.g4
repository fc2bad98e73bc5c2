// SPDX-License-Identifier: Apache-2.0
// Syntax of .tsr files. Rules are named like the nodes of src/frontend/ast.h, without actions. One token of
// lookahead decides everywhere, which is what keeps parsing fast: a test fails if a decision needs more.
// An expression is a flat sequence of operands and operators; the ladder of R23 is applied when the tree is built
// (src/frontend/antlr/build_expr.cpp), so no chain of operators, however long, recurses here.
parser grammar TesseraParser;

options { tokenVocab = TesseraLexer; }

file: declarations+=declaration* EOF;

// ---- Declarations

declaration
  : annotations+=annotation*
    ( kernel=kernelDecl | fn=fnDecl | graph=graphDecl | mesh=meshDecl | instance=instanceDecl | import_=importDecl
    | extern_=externFnDecl | const_=constDecl )
  ;

kernelDecl: 'kernel' name=NAME generics=genericParameters? params=parameters clauses+=clause* body=block;

fnDecl
  : 'fn' name=NAME generics=genericParameters? ( '[' axes+=NAME ( ',' axes+=NAME )* ']' )? params=parameters
    ( '->' result=type )? body=block
  ;

// The first word after the result type is `on`.
graphDecl
  : 'graph' name=NAME generics=genericParameters? params=parameters ( '->' result=type )? ( on=NAME mesh=NAME )?
    clauses+=clause* body=block
  ;

meshDecl: 'mesh' name=NAME axes=arguments ';';

instanceDecl: 'instance' kernel=NAME generics=genericArguments? 'as' name=NAME ';';

importDecl: 'import' ( names+=NAME ( ',' names+=NAME )* from=NAME )? path=STRING ';';

externFnDecl: 'extern' 'fn' name=NAME params=parameters ( '->' result=type )? from=NAME header=STRING ';';

constDecl: 'const' ( fn=fnDecl | name=NAME ( ':' constType=type )? '=' value=expression ';' );

genericParameters: '<' items+=genericParameter ( ',' items+=genericParameter )* '>';
genericParameter: kind=( 'fn' | NAME ) name=NAME ( ':' bound=NAME )? ( '=' defaultValue=genericValue )?;
genericArguments: GENERIC_OPEN items+=genericArgument ( ',' items+=genericArgument )* '>';
genericArgument: name=NAME '=' value=genericValue;
genericValue: sign='-'? literal=( INTEGER | FLOAT | 'true' | 'false' | 'inf' | NAME ) | '(' inner=expression ')';

parameters: '(' ( items+=parameter ( ',' items+=parameter )* )? ')';
parameter
  : direction=( 'in' | 'out' | 'inout' )? name=NAME ':' parameterType=type nullable='?'? properties+=property*
    ( '=' initial=expression )?
  ;
property: name=NAME ( '(' values+=expression ( ':' values+=expression )* ')' )?;

clause
  : kind='where' conditions+=expression ( ',' conditions+=expression )*
  | kind='precision' args=arguments
  | kind='verify' args=arguments
  ;

annotation: '@' name=NAME args=arguments?;
arguments: '(' ( items+=argument ( ',' items+=argument )* )? ')';
argument: first=expression ( '=' value=expression )?;

// ---- Types

type
  : element=NAME ( open='[' ( dimensions+=dimension ( ',' dimensions+=dimension )* )? ']' )?
  | '(' items+=type ( ',' items+=type )* ')'
  | list='[' item=type ']'
  ;

// `..`, `R..`, `B on dp`, or a size.
dimension: rest='..' | size=expression ( leading='..' | on=NAME meshAxis=NAME )?;

// ---- Statements

block: open='{' statements+=statement* close='}';

statement
  : grid=gridStmt
  | for_=forStmt
  | staticFor=staticForStmt
  | let=letStmt
  | var=varStmt
  | temp=tempStmt
  | shared=sharedStmt
  | channel=channelStmt
  | role=roleStmt
  | if_=ifStmt
  | return_=returnStmt
  | inlineCuda=inlineCudaStmt
  | const_=constDecl
  | fn=fnDecl
  | assignment=assignStmt
  ;

gridStmt: 'grid' ( ranges+=range ( ',' ranges+=range )* )? annotations+=annotation* body=block;
forStmt: 'for' ranges+=range ( ',' ranges+=range )* annotations+=annotation* body=block;
staticForStmt: 'static' 'for' bindings+=staticBinding ( ',' bindings+=staticBinding )* body=block;
staticBinding: ( names+=NAME | tuple='(' names+=NAME ( ',' names+=NAME )* ')' ) 'in' in=domain;

range: name=NAME 'in' in=domain stepOf=step? ( 'where' relation=expression )?;
domain: first=expression ( '..' end=expression )?;
step: 'by' ( automatic='auto' | value=expression );

// Ranges, or one value.
letStmt
  : 'let'
    ( name=NAME
      ( 'in' in=domain stepOf=step? ( 'where' relation=expression )? ( ',' ranges+=range )*
      | ( ':' valueType=type )? '=' value=expression )
    | tuple='(' names+=NAME ( ',' names+=NAME )* ')' '=' value=expression )
    annotations+=annotation* ';'
  ;

varStmt: 'var' name=NAME ':' varType=type ( '=' initial=expression )? annotations+=annotation* ';';
tempStmt: 'temp' name=NAME ':' tempType=type ( '=' initial=expression )? annotations+=annotation* ';';
sharedStmt: 'shared' item=buffer ';';
channelStmt: 'channel' name=NAME generics=genericArguments? '{' ( buffers+=buffer ';' )* '}';
buffer: name=NAME ':' bufferType=type annotations+=annotation*;
roleStmt: 'role' name=NAME annotations+=annotation* body=block;
ifStmt: 'if' condition=expression body=block elses+=elseBranch*;
elseBranch: 'else' ( 'if' condition=expression )? body=block;
returnStmt: 'return' value=expression? annotations+=annotation* ';';

// The word is `cuda`; an access is `reads a` or `writes a`, and a name alone repeats the kind before it.
inlineCudaStmt: 'inline' word=NAME '(' ( accesses+=cudaAccess ( ',' accesses+=cudaAccess )* )? ')' text=TEXT ';';
cudaAccess: first=NAME second=NAME?;

// An assignment, or an expression for its effect. `max=` and `min=` are two tokens.
assignStmt: target=expression ( op=assignOperator value=expression )? annotations+=annotation* ';';
assignOperator: symbol=( '=' | '+=' | '-=' | '*=' | '/=' | '|=' | '&=' ) | word=NAME '=';

// ---- Expressions

expression: first=operand rest+=operation*;

operation
  : operator_=( '??' | '||' | '&&' | '==' | '!=' | '<' | '<=' | '>' | '>=' | '|' | '^' | '&' | '<<' | '>>' | '+' | '-'
              | '*' | '/' | '%' ) right=operand
  | membership='in' '{' elements+=setElement ( ',' elements+=setElement )* close='}'
  | cast='as' castType=NAME
  ;

setElement: value=expression ( '..' end=expression )?;

operand
  : unary+=( '-' | '!' | '~' )*
    ( atom=( INTEGER | FLOAT | 'true' | 'false' | 'inf' | NAME | 'where' )
    | paren='(' items+=expression ( ',' items+=expression )* close=')'
    | bracket='[' ( items+=expression ( ',' items+=expression )* )? close=']' )
    suffixes+=suffix*
  ;

suffix
  : open='[' ( elements+=indexElement ( ',' elements+=indexElement )* )? close=']'
  | call=arguments
  | dot='.' member=NAME
  | generics=genericArguments
  ;

indexElement: whole=':' | first=expression ( slice='..' end=expression | pick='=' value=expression )?;
