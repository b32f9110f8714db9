
// Generated from MusterLexer.g4 by ANTLR 4.7.2

#pragma once


#include "antlr4-runtime.h"


namespace muster::grammar {


class  MusterLexer : public antlr4::Lexer {
public:
  enum {
    KW_IMPORT = 1, KW_AS = 2, KW_PARAM = 3, KW_LET = 4, KW_TEMPLATE = 5, 
    KW_FROM = 6, KW_WHEN = 7, KW_ELSE = 8, KW_IF = 9, KW_THEN = 10, KW_IN = 11, 
    KW_AND = 12, KW_OR = 13, KW_NOT = 14, KW_TRUE = 15, KW_FALSE = 16, KW_REQUIRE = 17, 
    KW_PREFER = 18, KW_ASSERT = 19, LBRACE = 20, RBRACE = 21, LBRACK = 22, 
    RBRACK = 23, LPAREN = 24, RPAREN = 25, COMMA = 26, COLON = 27, DOTDOT = 28, 
    DOT = 29, EQ = 30, NE = 31, LE = 32, GE = 33, LT = 34, GT = 35, ASSIGN = 36, 
    PLUS_ASSIGN = 37, PLUS = 38, MINUS = 39, STAR = 40, SLASH = 41, HEREDOC_OPEN = 42, 
    IDENT = 43, QUANTITY = 44, NUMBER = 45, VARIABLE = 46, STRING = 47, 
    RAW = 48, COMMENT = 49, SPACE = 50, BAD_STRING = 51, BAD_RAW = 52, BAD_CHAR = 53, 
    HEREDOC_CLOSE = 54, HEREDOC_LINE = 55
  };

  enum {
    HEREDOC = 1
  };

  MusterLexer(antlr4::CharStream *input);
  ~MusterLexer();

  virtual std::string getGrammarFileName() const override;
  virtual const std::vector<std::string>& getRuleNames() const override;

  virtual const std::vector<std::string>& getChannelNames() const override;
  virtual const std::vector<std::string>& getModeNames() const override;
  virtual const std::vector<std::string>& getTokenNames() const override; // deprecated, use vocabulary instead
  virtual antlr4::dfa::Vocabulary& getVocabulary() const override;

  virtual const std::vector<uint16_t> getSerializedATN() const override;
  virtual const antlr4::atn::ATN& getATN() const override;

private:
  static std::vector<antlr4::dfa::DFA> _decisionToDFA;
  static antlr4::atn::PredictionContextCache _sharedContextCache;
  static std::vector<std::string> _ruleNames;
  static std::vector<std::string> _tokenNames;
  static std::vector<std::string> _channelNames;
  static std::vector<std::string> _modeNames;

  static std::vector<std::string> _literalNames;
  static std::vector<std::string> _symbolicNames;
  static antlr4::dfa::Vocabulary _vocabulary;
  static antlr4::atn::ATN _atn;
  static std::vector<uint16_t> _serializedATN;


  // Individual action functions triggered by action() above.

  // Individual semantic predicate functions triggered by sempred() above.

  struct Initializer {
    Initializer();
  };
  static Initializer _init;
};

}  // namespace muster::grammar
