// Words of the muster language. The lexer itself never reports: what it cannot read becomes a
// BAD_ token, and compiler/syntax says what is wrong with it.
lexer grammar MusterLexer;

KW_IMPORT   : 'import' ;
KW_AS       : 'as' ;
KW_PARAM    : 'param' ;
KW_LET      : 'let' ;
KW_TEMPLATE : 'template' ;
KW_FROM     : 'from' ;
KW_WHEN     : 'when' ;
KW_ELSE     : 'else' ;
KW_IF       : 'if' ;
KW_THEN     : 'then' ;
KW_IN       : 'in' ;
KW_AND      : 'and' ;
KW_OR       : 'or' ;
KW_NOT      : 'not' ;
KW_TRUE     : 'true' ;
KW_FALSE    : 'false' ;
KW_REQUIRE  : 'require' ;
KW_PREFER   : 'prefer' ;
KW_ASSERT   : 'assert' ;

LBRACE : '{' ;
RBRACE : '}' ;
LBRACK : '[' ;
RBRACK : ']' ;
LPAREN : '(' ;
RPAREN : ')' ;
COMMA  : ',' ;
COLON  : ':' ;
DOTDOT : '..' ;
DOT    : '.' ;
EQ     : '==' ;
NE     : '!=' ;
LE     : '<=' ;
GE     : '>=' ;
LT     : '<' ;
GT     : '>' ;
ASSIGN : '=' ;
PLUS_ASSIGN : '+=' ;
PLUS   : '+' ;
MINUS  : '-' ;
STAR   : '*' ;
SLASH  : '/' ;

// The mode keeps an unclosed heredoc linear in time: no token spans more than a line.
HEREDOC_OPEN : '<<<' [a-zA-Z0-9_-]* [ \t]* ( '\r'? '\n' ) -> pushMode(HEREDOC) ;

IDENT    : ID ;
QUANTITY : NUM UNIT ( NUM UNIT )* ;
NUMBER   : NUM ( [eE] [+-]? [0-9]+ )? ;
VARIABLE : '$' ID ;
STRING   : '"' ( ~["\\\r\n] | '\\' ~[\r\n] )* '"' ;
RAW      : '\'' ~['\r\n]* '\'' ;

COMMENT : '#' ~[\r\n]* -> channel(HIDDEN) ;
SPACE   : [ \t\r\n]+ -> skip ;

BAD_STRING : '"' ( ~["\\\r\n] | '\\' ~[\r\n] )* '\\'? ;
BAD_RAW    : '\'' ~['\r\n]* ;
BAD_CHAR   : . ;

fragment ID   : [A-Za-z_] [A-Za-z0-9_]* ( '-' [A-Za-z0-9_]+ )* ;
fragment NUM  : [0-9] [0-9_]* ( '.' [0-9]+ )? ;
fragment UNIT : [A-Za-z]+ | '%' ;

mode HEREDOC;
HEREDOC_CLOSE : [ \t]* '>>>' [ \t]* ( '\r'? '\n' | EOF ) -> popMode ;
HEREDOC_LINE  : ~[\r\n]+ ( '\r'? '\n' )? | '\r'? '\n' | '\r' ;
