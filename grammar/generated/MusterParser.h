
// Generated from MusterParser.g4 by ANTLR 4.7.2

#pragma once


#include "antlr4-runtime.h"


namespace muster::grammar {


class  MusterParser : public antlr4::Parser {
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
    RuleFile = 0, RuleImporting = 1, RuleParam = 2, RuleSignature = 3, RuleType = 4, 
    RuleBinding = 5, RuleBlueprint = 6, RuleBlock = 7, RuleInstance = 8, 
    RuleArgument = 9, RuleLabel = 10, RuleBody = 11, RuleItem = 12, RuleMember = 13, 
    RuleKey = 14, RuleRequirement = 15, RulePreference = 16, RuleAssertion = 17, 
    RuleConditional = 18, RuleExpr = 19, RuleBinop = 20, RuleOperand = 21, 
    RulePrimary = 22, RuleList = 23, RuleCall = 24, RuleHeredoc = 25
  };

  MusterParser(antlr4::TokenStream *input);
  ~MusterParser();

  virtual std::string getGrammarFileName() const override;
  virtual const antlr4::atn::ATN& getATN() const override { return _atn; };
  virtual const std::vector<std::string>& getTokenNames() const override { return _tokenNames; }; // deprecated: use vocabulary instead.
  virtual const std::vector<std::string>& getRuleNames() const override;
  virtual antlr4::dfa::Vocabulary& getVocabulary() const override;


  class FileContext;
  class ImportingContext;
  class ParamContext;
  class SignatureContext;
  class TypeContext;
  class BindingContext;
  class BlueprintContext;
  class BlockContext;
  class InstanceContext;
  class ArgumentContext;
  class LabelContext;
  class BodyContext;
  class ItemContext;
  class MemberContext;
  class KeyContext;
  class RequirementContext;
  class PreferenceContext;
  class AssertionContext;
  class ConditionalContext;
  class ExprContext;
  class BinopContext;
  class OperandContext;
  class PrimaryContext;
  class ListContext;
  class CallContext;
  class HeredocContext; 

  class  FileContext : public antlr4::ParserRuleContext {
  public:
    FileContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *EOF();
    std::vector<ImportingContext *> importing();
    ImportingContext* importing(size_t i);
    std::vector<BlockContext *> block();
    BlockContext* block(size_t i);
    std::vector<ParamContext *> param();
    ParamContext* param(size_t i);
    std::vector<BindingContext *> binding();
    BindingContext* binding(size_t i);
    std::vector<BlueprintContext *> blueprint();
    BlueprintContext* blueprint(size_t i);

   
  };

  FileContext* file();

  class  ImportingContext : public antlr4::ParserRuleContext {
  public:
    ImportingContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *KW_IMPORT();
    antlr4::tree::TerminalNode *STRING();
    antlr4::tree::TerminalNode *KW_AS();
    antlr4::tree::TerminalNode *IDENT();

   
  };

  ImportingContext* importing();

  class  ParamContext : public antlr4::ParserRuleContext {
  public:
    ParamContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *KW_PARAM();
    SignatureContext *signature();

   
  };

  ParamContext* param();

  class  SignatureContext : public antlr4::ParserRuleContext {
  public:
    SignatureContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *IDENT();
    antlr4::tree::TerminalNode *COLON();
    TypeContext *type();
    antlr4::tree::TerminalNode *KW_IN();
    std::vector<ExprContext *> expr();
    ExprContext* expr(size_t i);
    antlr4::tree::TerminalNode *ASSIGN();

   
  };

  SignatureContext* signature();

  class  TypeContext : public antlr4::ParserRuleContext {
  public:
    TypeContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    std::vector<antlr4::tree::TerminalNode *> IDENT();
    antlr4::tree::TerminalNode* IDENT(size_t i);
    antlr4::tree::TerminalNode *LPAREN();
    antlr4::tree::TerminalNode *RPAREN();

   
  };

  TypeContext* type();

  class  BindingContext : public antlr4::ParserRuleContext {
  public:
    BindingContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *KW_LET();
    antlr4::tree::TerminalNode *IDENT();
    antlr4::tree::TerminalNode *ASSIGN();
    ExprContext *expr();

   
  };

  BindingContext* binding();

  class  BlueprintContext : public antlr4::ParserRuleContext {
  public:
    BlueprintContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *KW_TEMPLATE();
    antlr4::tree::TerminalNode *IDENT();
    antlr4::tree::TerminalNode *LPAREN();
    antlr4::tree::TerminalNode *RPAREN();
    BodyContext *body();
    std::vector<SignatureContext *> signature();
    SignatureContext* signature(size_t i);
    std::vector<antlr4::tree::TerminalNode *> COMMA();
    antlr4::tree::TerminalNode* COMMA(size_t i);

   
  };

  BlueprintContext* blueprint();

  class  BlockContext : public antlr4::ParserRuleContext {
  public:
    BlockContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *IDENT();
    InstanceContext *instance();
    BodyContext *body();
    LabelContext *label();

   
  };

  BlockContext* block();

  class  InstanceContext : public antlr4::ParserRuleContext {
  public:
    InstanceContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *KW_FROM();
    std::vector<antlr4::tree::TerminalNode *> IDENT();
    antlr4::tree::TerminalNode* IDENT(size_t i);
    antlr4::tree::TerminalNode *LPAREN();
    antlr4::tree::TerminalNode *RPAREN();
    antlr4::tree::TerminalNode *DOT();
    std::vector<ArgumentContext *> argument();
    ArgumentContext* argument(size_t i);
    std::vector<antlr4::tree::TerminalNode *> COMMA();
    antlr4::tree::TerminalNode* COMMA(size_t i);

   
  };

  InstanceContext* instance();

  class  ArgumentContext : public antlr4::ParserRuleContext {
  public:
    ArgumentContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *IDENT();
    antlr4::tree::TerminalNode *ASSIGN();
    ExprContext *expr();

   
  };

  ArgumentContext* argument();

  class  LabelContext : public antlr4::ParserRuleContext {
  public:
    LabelContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *IDENT();
    antlr4::tree::TerminalNode *STRING();

   
  };

  LabelContext* label();

  class  BodyContext : public antlr4::ParserRuleContext {
  public:
    BodyContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *LBRACE();
    antlr4::tree::TerminalNode *RBRACE();
    std::vector<ItemContext *> item();
    ItemContext* item(size_t i);

   
  };

  BodyContext* body();

  class  ItemContext : public antlr4::ParserRuleContext {
  public:
    ItemContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    MemberContext *member();
    RequirementContext *requirement();
    PreferenceContext *preference();
    AssertionContext *assertion();
    ConditionalContext *conditional();

   
  };

  ItemContext* item();

  class  MemberContext : public antlr4::ParserRuleContext {
  public:
    MemberContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    KeyContext *key();
    ExprContext *expr();
    BodyContext *body();
    antlr4::tree::TerminalNode *ASSIGN();
    antlr4::tree::TerminalNode *PLUS_ASSIGN();
    LabelContext *label();

   
  };

  MemberContext* member();

  class  KeyContext : public antlr4::ParserRuleContext {
  public:
    KeyContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *IDENT();
    antlr4::tree::TerminalNode *STRING();

   
  };

  KeyContext* key();

  class  RequirementContext : public antlr4::ParserRuleContext {
  public:
    RequirementContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *KW_REQUIRE();
    ExprContext *expr();

   
  };

  RequirementContext* requirement();

  class  PreferenceContext : public antlr4::ParserRuleContext {
  public:
    PreferenceContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *KW_PREFER();
    ExprContext *expr();
    antlr4::tree::TerminalNode *IDENT();
    antlr4::tree::TerminalNode *NUMBER();

   
  };

  PreferenceContext* preference();

  class  AssertionContext : public antlr4::ParserRuleContext {
  public:
    AssertionContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *KW_ASSERT();
    ExprContext *expr();
    antlr4::tree::TerminalNode *COMMA();
    antlr4::tree::TerminalNode *STRING();
    antlr4::tree::TerminalNode *RAW();

   
  };

  AssertionContext* assertion();

  class  ConditionalContext : public antlr4::ParserRuleContext {
  public:
    ConditionalContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *KW_WHEN();
    ExprContext *expr();
    std::vector<BodyContext *> body();
    BodyContext* body(size_t i);
    antlr4::tree::TerminalNode *KW_ELSE();

   
  };

  ConditionalContext* conditional();

  class  ExprContext : public antlr4::ParserRuleContext {
  public:
    ExprContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *KW_IF();
    std::vector<ExprContext *> expr();
    ExprContext* expr(size_t i);
    antlr4::tree::TerminalNode *KW_THEN();
    antlr4::tree::TerminalNode *KW_ELSE();
    std::vector<OperandContext *> operand();
    OperandContext* operand(size_t i);
    std::vector<BinopContext *> binop();
    BinopContext* binop(size_t i);

   
  };

  ExprContext* expr();

  class  BinopContext : public antlr4::ParserRuleContext {
  public:
    BinopContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *KW_OR();
    antlr4::tree::TerminalNode *KW_AND();
    antlr4::tree::TerminalNode *EQ();
    antlr4::tree::TerminalNode *NE();
    antlr4::tree::TerminalNode *LE();
    antlr4::tree::TerminalNode *GE();
    antlr4::tree::TerminalNode *LT();
    antlr4::tree::TerminalNode *GT();
    antlr4::tree::TerminalNode *KW_IN();
    antlr4::tree::TerminalNode *DOTDOT();
    antlr4::tree::TerminalNode *PLUS();
    antlr4::tree::TerminalNode *MINUS();
    antlr4::tree::TerminalNode *STAR();
    antlr4::tree::TerminalNode *SLASH();

   
  };

  BinopContext* binop();

  class  OperandContext : public antlr4::ParserRuleContext {
  public:
    OperandContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    PrimaryContext *primary();
    std::vector<antlr4::tree::TerminalNode *> KW_NOT();
    antlr4::tree::TerminalNode* KW_NOT(size_t i);
    std::vector<antlr4::tree::TerminalNode *> MINUS();
    antlr4::tree::TerminalNode* MINUS(size_t i);

   
  };

  OperandContext* operand();

  class  PrimaryContext : public antlr4::ParserRuleContext {
  public:
    PrimaryContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *NUMBER();
    antlr4::tree::TerminalNode *QUANTITY();
    antlr4::tree::TerminalNode *STRING();
    antlr4::tree::TerminalNode *RAW();
    antlr4::tree::TerminalNode *KW_TRUE();
    antlr4::tree::TerminalNode *KW_FALSE();
    antlr4::tree::TerminalNode *VARIABLE();
    HeredocContext *heredoc();
    ListContext *list();
    std::vector<antlr4::tree::TerminalNode *> IDENT();
    antlr4::tree::TerminalNode* IDENT(size_t i);
    antlr4::tree::TerminalNode *COLON();
    std::vector<antlr4::tree::TerminalNode *> DOT();
    antlr4::tree::TerminalNode* DOT(size_t i);
    CallContext *call();
    antlr4::tree::TerminalNode *LPAREN();
    ExprContext *expr();
    antlr4::tree::TerminalNode *RPAREN();

   
  };

  PrimaryContext* primary();

  class  ListContext : public antlr4::ParserRuleContext {
  public:
    ListContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *LBRACK();
    antlr4::tree::TerminalNode *RBRACK();
    std::vector<ExprContext *> expr();
    ExprContext* expr(size_t i);
    std::vector<antlr4::tree::TerminalNode *> COMMA();
    antlr4::tree::TerminalNode* COMMA(size_t i);

   
  };

  ListContext* list();

  class  CallContext : public antlr4::ParserRuleContext {
  public:
    CallContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *LPAREN();
    antlr4::tree::TerminalNode *RPAREN();
    std::vector<ExprContext *> expr();
    ExprContext* expr(size_t i);
    std::vector<antlr4::tree::TerminalNode *> COMMA();
    antlr4::tree::TerminalNode* COMMA(size_t i);

   
  };

  CallContext* call();

  class  HeredocContext : public antlr4::ParserRuleContext {
  public:
    HeredocContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *HEREDOC_OPEN();
    antlr4::tree::TerminalNode *HEREDOC_CLOSE();
    std::vector<antlr4::tree::TerminalNode *> HEREDOC_LINE();
    antlr4::tree::TerminalNode* HEREDOC_LINE(size_t i);

   
  };

  HeredocContext* heredoc();


private:
  static std::vector<antlr4::dfa::DFA> _decisionToDFA;
  static antlr4::atn::PredictionContextCache _sharedContextCache;
  static std::vector<std::string> _ruleNames;
  static std::vector<std::string> _tokenNames;

  static std::vector<std::string> _literalNames;
  static std::vector<std::string> _symbolicNames;
  static antlr4::dfa::Vocabulary _vocabulary;
  static antlr4::atn::ATN _atn;
  static std::vector<uint16_t> _serializedATN;


  struct Initializer {
    Initializer();
  };
  static Initializer _init;
};

}  // namespace muster::grammar
