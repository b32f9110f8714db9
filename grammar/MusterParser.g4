// Shapes of the muster language. It knows no nouns: which block and key belongs where is the
// schema table's business (compiler/sema). Operators are a flat list; precedence is resolved by the
// AST builder.
parser grammar MusterParser;

options { tokenVocab = MusterLexer; }

file : importing* ( block | param | binding | blueprint )* EOF ;

importing : KW_IMPORT STRING KW_AS IDENT ;
param     : KW_PARAM signature ;
signature : IDENT COLON type ( KW_IN expr )? ( ASSIGN expr )? ;
type      : IDENT ( LPAREN IDENT RPAREN )? ;
binding   : KW_LET IDENT ASSIGN expr ;
blueprint : KW_TEMPLATE IDENT LPAREN ( signature ( COMMA signature )* COMMA? )? RPAREN body ;

block     : IDENT label? ( instance body? | body ) ;
instance  : KW_FROM IDENT ( DOT IDENT )? LPAREN ( argument ( COMMA argument )* COMMA? )? RPAREN ;
argument  : IDENT ASSIGN expr ;
label : IDENT | STRING ;
body  : LBRACE item* RBRACE ;
item  : member | requirement | preference | assertion | conditional ;

// A setting or a block inside a body; one rule, so that one word of look-ahead decides.
member      : key ( ( ASSIGN | PLUS_ASSIGN ) expr | label? body ) ;
key         : IDENT | STRING ;
requirement : KW_REQUIRE expr ;
preference  : KW_PREFER expr ( IDENT NUMBER )? ;
assertion   : KW_ASSERT expr COMMA ( STRING | RAW ) ;
conditional : KW_WHEN expr body ( KW_ELSE body )? ;

expr    : KW_IF expr KW_THEN expr KW_ELSE expr | operand ( binop operand )* ;
binop   : KW_OR | KW_AND | EQ | NE | LE | GE | LT | GT | KW_IN | DOTDOT | PLUS | MINUS | STAR | SLASH ;
operand : ( KW_NOT | MINUS )* primary ;
primary : NUMBER | QUANTITY | STRING | RAW | KW_TRUE | KW_FALSE | VARIABLE | heredoc | list
        | IDENT ( COLON NUMBER | ( DOT IDENT )* call? )
        | LPAREN expr RPAREN ;
list    : LBRACK ( expr ( COMMA expr )* COMMA? )? RBRACK ;
call    : LPAREN ( expr ( COMMA expr )* COMMA? )? RPAREN ;
heredoc : HEREDOC_OPEN HEREDOC_LINE* HEREDOC_CLOSE ;
