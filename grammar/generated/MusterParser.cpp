
// Generated from MusterParser.g4 by ANTLR 4.7.2



#include "MusterParser.h"


using namespace antlrcpp;
using namespace muster::grammar;
using namespace antlr4;

MusterParser::MusterParser(TokenStream *input) : Parser(input) {
  _interpreter = new atn::ParserATNSimulator(this, _atn, _decisionToDFA, _sharedContextCache);
}

MusterParser::~MusterParser() {
  delete _interpreter;
}

std::string MusterParser::getGrammarFileName() const {
  return "MusterParser.g4";
}

const std::vector<std::string>& MusterParser::getRuleNames() const {
  return _ruleNames;
}

dfa::Vocabulary& MusterParser::getVocabulary() const {
  return _vocabulary;
}


//----------------- FileContext ------------------------------------------------------------------

MusterParser::FileContext::FileContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MusterParser::FileContext::EOF() {
  return getToken(MusterParser::EOF, 0);
}

std::vector<MusterParser::BlockContext *> MusterParser::FileContext::block() {
  return getRuleContexts<MusterParser::BlockContext>();
}

MusterParser::BlockContext* MusterParser::FileContext::block(size_t i) {
  return getRuleContext<MusterParser::BlockContext>(i);
}


size_t MusterParser::FileContext::getRuleIndex() const {
  return MusterParser::RuleFile;
}


MusterParser::FileContext* MusterParser::file() {
  FileContext *_localctx = _tracker.createInstance<FileContext>(_ctx, getState());
  enterRule(_localctx, 0, MusterParser::RuleFile);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(39);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while (_la == MusterParser::IDENT) {
      setState(36);
      block();
      setState(41);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
    setState(42);
    match(MusterParser::EOF);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- BlockContext ------------------------------------------------------------------

MusterParser::BlockContext::BlockContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MusterParser::BlockContext::IDENT() {
  return getToken(MusterParser::IDENT, 0);
}

MusterParser::BodyContext* MusterParser::BlockContext::body() {
  return getRuleContext<MusterParser::BodyContext>(0);
}

MusterParser::LabelContext* MusterParser::BlockContext::label() {
  return getRuleContext<MusterParser::LabelContext>(0);
}


size_t MusterParser::BlockContext::getRuleIndex() const {
  return MusterParser::RuleBlock;
}


MusterParser::BlockContext* MusterParser::block() {
  BlockContext *_localctx = _tracker.createInstance<BlockContext>(_ctx, getState());
  enterRule(_localctx, 2, MusterParser::RuleBlock);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(44);
    match(MusterParser::IDENT);
    setState(46);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == MusterParser::IDENT

    || _la == MusterParser::STRING) {
      setState(45);
      label();
    }
    setState(48);
    body();
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- LabelContext ------------------------------------------------------------------

MusterParser::LabelContext::LabelContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MusterParser::LabelContext::IDENT() {
  return getToken(MusterParser::IDENT, 0);
}

tree::TerminalNode* MusterParser::LabelContext::STRING() {
  return getToken(MusterParser::STRING, 0);
}


size_t MusterParser::LabelContext::getRuleIndex() const {
  return MusterParser::RuleLabel;
}


MusterParser::LabelContext* MusterParser::label() {
  LabelContext *_localctx = _tracker.createInstance<LabelContext>(_ctx, getState());
  enterRule(_localctx, 4, MusterParser::RuleLabel);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(50);
    _la = _input->LA(1);
    if (!(_la == MusterParser::IDENT

    || _la == MusterParser::STRING)) {
    _errHandler->recoverInline(this);
    }
    else {
      _errHandler->reportMatch(this);
      consume();
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- BodyContext ------------------------------------------------------------------

MusterParser::BodyContext::BodyContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MusterParser::BodyContext::LBRACE() {
  return getToken(MusterParser::LBRACE, 0);
}

tree::TerminalNode* MusterParser::BodyContext::RBRACE() {
  return getToken(MusterParser::RBRACE, 0);
}

std::vector<MusterParser::ItemContext *> MusterParser::BodyContext::item() {
  return getRuleContexts<MusterParser::ItemContext>();
}

MusterParser::ItemContext* MusterParser::BodyContext::item(size_t i) {
  return getRuleContext<MusterParser::ItemContext>(i);
}


size_t MusterParser::BodyContext::getRuleIndex() const {
  return MusterParser::RuleBody;
}


MusterParser::BodyContext* MusterParser::body() {
  BodyContext *_localctx = _tracker.createInstance<BodyContext>(_ctx, getState());
  enterRule(_localctx, 6, MusterParser::RuleBody);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(52);
    match(MusterParser::LBRACE);
    setState(56);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while ((((_la & ~ 0x3fULL) == 0) &&
      ((1ULL << _la) & ((1ULL << MusterParser::KW_WHEN)
      | (1ULL << MusterParser::KW_REQUIRE)
      | (1ULL << MusterParser::KW_PREFER)
      | (1ULL << MusterParser::KW_ASSERT)
      | (1ULL << MusterParser::IDENT)
      | (1ULL << MusterParser::STRING))) != 0)) {
      setState(53);
      item();
      setState(58);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
    setState(59);
    match(MusterParser::RBRACE);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- ItemContext ------------------------------------------------------------------

MusterParser::ItemContext::ItemContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

MusterParser::MemberContext* MusterParser::ItemContext::member() {
  return getRuleContext<MusterParser::MemberContext>(0);
}

MusterParser::RequirementContext* MusterParser::ItemContext::requirement() {
  return getRuleContext<MusterParser::RequirementContext>(0);
}

MusterParser::PreferenceContext* MusterParser::ItemContext::preference() {
  return getRuleContext<MusterParser::PreferenceContext>(0);
}

MusterParser::AssertionContext* MusterParser::ItemContext::assertion() {
  return getRuleContext<MusterParser::AssertionContext>(0);
}

MusterParser::ConditionalContext* MusterParser::ItemContext::conditional() {
  return getRuleContext<MusterParser::ConditionalContext>(0);
}


size_t MusterParser::ItemContext::getRuleIndex() const {
  return MusterParser::RuleItem;
}


MusterParser::ItemContext* MusterParser::item() {
  ItemContext *_localctx = _tracker.createInstance<ItemContext>(_ctx, getState());
  enterRule(_localctx, 8, MusterParser::RuleItem);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    setState(66);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case MusterParser::IDENT:
      case MusterParser::STRING: {
        enterOuterAlt(_localctx, 1);
        setState(61);
        member();
        break;
      }

      case MusterParser::KW_REQUIRE: {
        enterOuterAlt(_localctx, 2);
        setState(62);
        requirement();
        break;
      }

      case MusterParser::KW_PREFER: {
        enterOuterAlt(_localctx, 3);
        setState(63);
        preference();
        break;
      }

      case MusterParser::KW_ASSERT: {
        enterOuterAlt(_localctx, 4);
        setState(64);
        assertion();
        break;
      }

      case MusterParser::KW_WHEN: {
        enterOuterAlt(_localctx, 5);
        setState(65);
        conditional();
        break;
      }

    default:
      throw NoViableAltException(this);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- MemberContext ------------------------------------------------------------------

MusterParser::MemberContext::MemberContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

MusterParser::KeyContext* MusterParser::MemberContext::key() {
  return getRuleContext<MusterParser::KeyContext>(0);
}

tree::TerminalNode* MusterParser::MemberContext::ASSIGN() {
  return getToken(MusterParser::ASSIGN, 0);
}

MusterParser::ExprContext* MusterParser::MemberContext::expr() {
  return getRuleContext<MusterParser::ExprContext>(0);
}

MusterParser::BodyContext* MusterParser::MemberContext::body() {
  return getRuleContext<MusterParser::BodyContext>(0);
}

MusterParser::LabelContext* MusterParser::MemberContext::label() {
  return getRuleContext<MusterParser::LabelContext>(0);
}


size_t MusterParser::MemberContext::getRuleIndex() const {
  return MusterParser::RuleMember;
}


MusterParser::MemberContext* MusterParser::member() {
  MemberContext *_localctx = _tracker.createInstance<MemberContext>(_ctx, getState());
  enterRule(_localctx, 10, MusterParser::RuleMember);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(68);
    key();
    setState(75);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case MusterParser::ASSIGN: {
        setState(69);
        match(MusterParser::ASSIGN);
        setState(70);
        expr();
        break;
      }

      case MusterParser::LBRACE:
      case MusterParser::IDENT:
      case MusterParser::STRING: {
        setState(72);
        _errHandler->sync(this);

        _la = _input->LA(1);
        if (_la == MusterParser::IDENT

        || _la == MusterParser::STRING) {
          setState(71);
          label();
        }
        setState(74);
        body();
        break;
      }

    default:
      throw NoViableAltException(this);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- KeyContext ------------------------------------------------------------------

MusterParser::KeyContext::KeyContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MusterParser::KeyContext::IDENT() {
  return getToken(MusterParser::IDENT, 0);
}

tree::TerminalNode* MusterParser::KeyContext::STRING() {
  return getToken(MusterParser::STRING, 0);
}


size_t MusterParser::KeyContext::getRuleIndex() const {
  return MusterParser::RuleKey;
}


MusterParser::KeyContext* MusterParser::key() {
  KeyContext *_localctx = _tracker.createInstance<KeyContext>(_ctx, getState());
  enterRule(_localctx, 12, MusterParser::RuleKey);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(77);
    _la = _input->LA(1);
    if (!(_la == MusterParser::IDENT

    || _la == MusterParser::STRING)) {
    _errHandler->recoverInline(this);
    }
    else {
      _errHandler->reportMatch(this);
      consume();
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- RequirementContext ------------------------------------------------------------------

MusterParser::RequirementContext::RequirementContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MusterParser::RequirementContext::KW_REQUIRE() {
  return getToken(MusterParser::KW_REQUIRE, 0);
}

MusterParser::ExprContext* MusterParser::RequirementContext::expr() {
  return getRuleContext<MusterParser::ExprContext>(0);
}


size_t MusterParser::RequirementContext::getRuleIndex() const {
  return MusterParser::RuleRequirement;
}


MusterParser::RequirementContext* MusterParser::requirement() {
  RequirementContext *_localctx = _tracker.createInstance<RequirementContext>(_ctx, getState());
  enterRule(_localctx, 14, MusterParser::RuleRequirement);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(79);
    match(MusterParser::KW_REQUIRE);
    setState(80);
    expr();
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- PreferenceContext ------------------------------------------------------------------

MusterParser::PreferenceContext::PreferenceContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MusterParser::PreferenceContext::KW_PREFER() {
  return getToken(MusterParser::KW_PREFER, 0);
}

MusterParser::ExprContext* MusterParser::PreferenceContext::expr() {
  return getRuleContext<MusterParser::ExprContext>(0);
}

tree::TerminalNode* MusterParser::PreferenceContext::IDENT() {
  return getToken(MusterParser::IDENT, 0);
}

tree::TerminalNode* MusterParser::PreferenceContext::NUMBER() {
  return getToken(MusterParser::NUMBER, 0);
}


size_t MusterParser::PreferenceContext::getRuleIndex() const {
  return MusterParser::RulePreference;
}


MusterParser::PreferenceContext* MusterParser::preference() {
  PreferenceContext *_localctx = _tracker.createInstance<PreferenceContext>(_ctx, getState());
  enterRule(_localctx, 16, MusterParser::RulePreference);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(82);
    match(MusterParser::KW_PREFER);
    setState(83);
    expr();
    setState(86);
    _errHandler->sync(this);

    switch (getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 6, _ctx)) {
    case 1: {
      setState(84);
      match(MusterParser::IDENT);
      setState(85);
      match(MusterParser::NUMBER);
      break;
    }

    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- AssertionContext ------------------------------------------------------------------

MusterParser::AssertionContext::AssertionContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MusterParser::AssertionContext::KW_ASSERT() {
  return getToken(MusterParser::KW_ASSERT, 0);
}

MusterParser::ExprContext* MusterParser::AssertionContext::expr() {
  return getRuleContext<MusterParser::ExprContext>(0);
}

tree::TerminalNode* MusterParser::AssertionContext::COMMA() {
  return getToken(MusterParser::COMMA, 0);
}

tree::TerminalNode* MusterParser::AssertionContext::STRING() {
  return getToken(MusterParser::STRING, 0);
}


size_t MusterParser::AssertionContext::getRuleIndex() const {
  return MusterParser::RuleAssertion;
}


MusterParser::AssertionContext* MusterParser::assertion() {
  AssertionContext *_localctx = _tracker.createInstance<AssertionContext>(_ctx, getState());
  enterRule(_localctx, 18, MusterParser::RuleAssertion);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(88);
    match(MusterParser::KW_ASSERT);
    setState(89);
    expr();
    setState(90);
    match(MusterParser::COMMA);
    setState(91);
    match(MusterParser::STRING);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- ConditionalContext ------------------------------------------------------------------

MusterParser::ConditionalContext::ConditionalContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MusterParser::ConditionalContext::KW_WHEN() {
  return getToken(MusterParser::KW_WHEN, 0);
}

MusterParser::ExprContext* MusterParser::ConditionalContext::expr() {
  return getRuleContext<MusterParser::ExprContext>(0);
}

MusterParser::BodyContext* MusterParser::ConditionalContext::body() {
  return getRuleContext<MusterParser::BodyContext>(0);
}


size_t MusterParser::ConditionalContext::getRuleIndex() const {
  return MusterParser::RuleConditional;
}


MusterParser::ConditionalContext* MusterParser::conditional() {
  ConditionalContext *_localctx = _tracker.createInstance<ConditionalContext>(_ctx, getState());
  enterRule(_localctx, 20, MusterParser::RuleConditional);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(93);
    match(MusterParser::KW_WHEN);
    setState(94);
    expr();
    setState(95);
    body();
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- ExprContext ------------------------------------------------------------------

MusterParser::ExprContext::ExprContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

std::vector<MusterParser::OperandContext *> MusterParser::ExprContext::operand() {
  return getRuleContexts<MusterParser::OperandContext>();
}

MusterParser::OperandContext* MusterParser::ExprContext::operand(size_t i) {
  return getRuleContext<MusterParser::OperandContext>(i);
}

std::vector<MusterParser::BinopContext *> MusterParser::ExprContext::binop() {
  return getRuleContexts<MusterParser::BinopContext>();
}

MusterParser::BinopContext* MusterParser::ExprContext::binop(size_t i) {
  return getRuleContext<MusterParser::BinopContext>(i);
}


size_t MusterParser::ExprContext::getRuleIndex() const {
  return MusterParser::RuleExpr;
}


MusterParser::ExprContext* MusterParser::expr() {
  ExprContext *_localctx = _tracker.createInstance<ExprContext>(_ctx, getState());
  enterRule(_localctx, 22, MusterParser::RuleExpr);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(97);
    operand();
    setState(103);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while ((((_la & ~ 0x3fULL) == 0) &&
      ((1ULL << _la) & ((1ULL << MusterParser::KW_IN)
      | (1ULL << MusterParser::KW_AND)
      | (1ULL << MusterParser::KW_OR)
      | (1ULL << MusterParser::DOTDOT)
      | (1ULL << MusterParser::EQ)
      | (1ULL << MusterParser::NE)
      | (1ULL << MusterParser::LE)
      | (1ULL << MusterParser::GE)
      | (1ULL << MusterParser::LT)
      | (1ULL << MusterParser::GT)
      | (1ULL << MusterParser::PLUS)
      | (1ULL << MusterParser::MINUS)
      | (1ULL << MusterParser::STAR)
      | (1ULL << MusterParser::SLASH))) != 0)) {
      setState(98);
      binop();
      setState(99);
      operand();
      setState(105);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- BinopContext ------------------------------------------------------------------

MusterParser::BinopContext::BinopContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MusterParser::BinopContext::KW_OR() {
  return getToken(MusterParser::KW_OR, 0);
}

tree::TerminalNode* MusterParser::BinopContext::KW_AND() {
  return getToken(MusterParser::KW_AND, 0);
}

tree::TerminalNode* MusterParser::BinopContext::EQ() {
  return getToken(MusterParser::EQ, 0);
}

tree::TerminalNode* MusterParser::BinopContext::NE() {
  return getToken(MusterParser::NE, 0);
}

tree::TerminalNode* MusterParser::BinopContext::LE() {
  return getToken(MusterParser::LE, 0);
}

tree::TerminalNode* MusterParser::BinopContext::GE() {
  return getToken(MusterParser::GE, 0);
}

tree::TerminalNode* MusterParser::BinopContext::LT() {
  return getToken(MusterParser::LT, 0);
}

tree::TerminalNode* MusterParser::BinopContext::GT() {
  return getToken(MusterParser::GT, 0);
}

tree::TerminalNode* MusterParser::BinopContext::KW_IN() {
  return getToken(MusterParser::KW_IN, 0);
}

tree::TerminalNode* MusterParser::BinopContext::DOTDOT() {
  return getToken(MusterParser::DOTDOT, 0);
}

tree::TerminalNode* MusterParser::BinopContext::PLUS() {
  return getToken(MusterParser::PLUS, 0);
}

tree::TerminalNode* MusterParser::BinopContext::MINUS() {
  return getToken(MusterParser::MINUS, 0);
}

tree::TerminalNode* MusterParser::BinopContext::STAR() {
  return getToken(MusterParser::STAR, 0);
}

tree::TerminalNode* MusterParser::BinopContext::SLASH() {
  return getToken(MusterParser::SLASH, 0);
}


size_t MusterParser::BinopContext::getRuleIndex() const {
  return MusterParser::RuleBinop;
}


MusterParser::BinopContext* MusterParser::binop() {
  BinopContext *_localctx = _tracker.createInstance<BinopContext>(_ctx, getState());
  enterRule(_localctx, 24, MusterParser::RuleBinop);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(106);
    _la = _input->LA(1);
    if (!((((_la & ~ 0x3fULL) == 0) &&
      ((1ULL << _la) & ((1ULL << MusterParser::KW_IN)
      | (1ULL << MusterParser::KW_AND)
      | (1ULL << MusterParser::KW_OR)
      | (1ULL << MusterParser::DOTDOT)
      | (1ULL << MusterParser::EQ)
      | (1ULL << MusterParser::NE)
      | (1ULL << MusterParser::LE)
      | (1ULL << MusterParser::GE)
      | (1ULL << MusterParser::LT)
      | (1ULL << MusterParser::GT)
      | (1ULL << MusterParser::PLUS)
      | (1ULL << MusterParser::MINUS)
      | (1ULL << MusterParser::STAR)
      | (1ULL << MusterParser::SLASH))) != 0))) {
    _errHandler->recoverInline(this);
    }
    else {
      _errHandler->reportMatch(this);
      consume();
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- OperandContext ------------------------------------------------------------------

MusterParser::OperandContext::OperandContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

MusterParser::PrimaryContext* MusterParser::OperandContext::primary() {
  return getRuleContext<MusterParser::PrimaryContext>(0);
}

std::vector<tree::TerminalNode *> MusterParser::OperandContext::KW_NOT() {
  return getTokens(MusterParser::KW_NOT);
}

tree::TerminalNode* MusterParser::OperandContext::KW_NOT(size_t i) {
  return getToken(MusterParser::KW_NOT, i);
}

std::vector<tree::TerminalNode *> MusterParser::OperandContext::MINUS() {
  return getTokens(MusterParser::MINUS);
}

tree::TerminalNode* MusterParser::OperandContext::MINUS(size_t i) {
  return getToken(MusterParser::MINUS, i);
}


size_t MusterParser::OperandContext::getRuleIndex() const {
  return MusterParser::RuleOperand;
}


MusterParser::OperandContext* MusterParser::operand() {
  OperandContext *_localctx = _tracker.createInstance<OperandContext>(_ctx, getState());
  enterRule(_localctx, 26, MusterParser::RuleOperand);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(111);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while (_la == MusterParser::KW_NOT

    || _la == MusterParser::MINUS) {
      setState(108);
      _la = _input->LA(1);
      if (!(_la == MusterParser::KW_NOT

      || _la == MusterParser::MINUS)) {
      _errHandler->recoverInline(this);
      }
      else {
        _errHandler->reportMatch(this);
        consume();
      }
      setState(113);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
    setState(114);
    primary();
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- PrimaryContext ------------------------------------------------------------------

MusterParser::PrimaryContext::PrimaryContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MusterParser::PrimaryContext::NUMBER() {
  return getToken(MusterParser::NUMBER, 0);
}

tree::TerminalNode* MusterParser::PrimaryContext::QUANTITY() {
  return getToken(MusterParser::QUANTITY, 0);
}

tree::TerminalNode* MusterParser::PrimaryContext::STRING() {
  return getToken(MusterParser::STRING, 0);
}

tree::TerminalNode* MusterParser::PrimaryContext::RAW() {
  return getToken(MusterParser::RAW, 0);
}

tree::TerminalNode* MusterParser::PrimaryContext::KW_TRUE() {
  return getToken(MusterParser::KW_TRUE, 0);
}

tree::TerminalNode* MusterParser::PrimaryContext::KW_FALSE() {
  return getToken(MusterParser::KW_FALSE, 0);
}

tree::TerminalNode* MusterParser::PrimaryContext::VARIABLE() {
  return getToken(MusterParser::VARIABLE, 0);
}

MusterParser::HeredocContext* MusterParser::PrimaryContext::heredoc() {
  return getRuleContext<MusterParser::HeredocContext>(0);
}

MusterParser::ListContext* MusterParser::PrimaryContext::list() {
  return getRuleContext<MusterParser::ListContext>(0);
}

std::vector<tree::TerminalNode *> MusterParser::PrimaryContext::IDENT() {
  return getTokens(MusterParser::IDENT);
}

tree::TerminalNode* MusterParser::PrimaryContext::IDENT(size_t i) {
  return getToken(MusterParser::IDENT, i);
}

tree::TerminalNode* MusterParser::PrimaryContext::COLON() {
  return getToken(MusterParser::COLON, 0);
}

std::vector<tree::TerminalNode *> MusterParser::PrimaryContext::DOT() {
  return getTokens(MusterParser::DOT);
}

tree::TerminalNode* MusterParser::PrimaryContext::DOT(size_t i) {
  return getToken(MusterParser::DOT, i);
}

MusterParser::CallContext* MusterParser::PrimaryContext::call() {
  return getRuleContext<MusterParser::CallContext>(0);
}

tree::TerminalNode* MusterParser::PrimaryContext::LPAREN() {
  return getToken(MusterParser::LPAREN, 0);
}

MusterParser::ExprContext* MusterParser::PrimaryContext::expr() {
  return getRuleContext<MusterParser::ExprContext>(0);
}

tree::TerminalNode* MusterParser::PrimaryContext::RPAREN() {
  return getToken(MusterParser::RPAREN, 0);
}


size_t MusterParser::PrimaryContext::getRuleIndex() const {
  return MusterParser::RulePrimary;
}


MusterParser::PrimaryContext* MusterParser::primary() {
  PrimaryContext *_localctx = _tracker.createInstance<PrimaryContext>(_ctx, getState());
  enterRule(_localctx, 28, MusterParser::RulePrimary);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    setState(144);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case MusterParser::NUMBER: {
        enterOuterAlt(_localctx, 1);
        setState(116);
        match(MusterParser::NUMBER);
        break;
      }

      case MusterParser::QUANTITY: {
        enterOuterAlt(_localctx, 2);
        setState(117);
        match(MusterParser::QUANTITY);
        break;
      }

      case MusterParser::STRING: {
        enterOuterAlt(_localctx, 3);
        setState(118);
        match(MusterParser::STRING);
        break;
      }

      case MusterParser::RAW: {
        enterOuterAlt(_localctx, 4);
        setState(119);
        match(MusterParser::RAW);
        break;
      }

      case MusterParser::KW_TRUE: {
        enterOuterAlt(_localctx, 5);
        setState(120);
        match(MusterParser::KW_TRUE);
        break;
      }

      case MusterParser::KW_FALSE: {
        enterOuterAlt(_localctx, 6);
        setState(121);
        match(MusterParser::KW_FALSE);
        break;
      }

      case MusterParser::VARIABLE: {
        enterOuterAlt(_localctx, 7);
        setState(122);
        match(MusterParser::VARIABLE);
        break;
      }

      case MusterParser::HEREDOC_OPEN: {
        enterOuterAlt(_localctx, 8);
        setState(123);
        heredoc();
        break;
      }

      case MusterParser::LBRACK: {
        enterOuterAlt(_localctx, 9);
        setState(124);
        list();
        break;
      }

      case MusterParser::IDENT: {
        enterOuterAlt(_localctx, 10);
        setState(125);
        match(MusterParser::IDENT);
        setState(138);
        _errHandler->sync(this);
        switch (_input->LA(1)) {
          case MusterParser::COLON: {
            setState(126);
            match(MusterParser::COLON);
            setState(127);
            match(MusterParser::NUMBER);
            break;
          }

          case MusterParser::KW_WHEN:
          case MusterParser::KW_IN:
          case MusterParser::KW_AND:
          case MusterParser::KW_OR:
          case MusterParser::KW_REQUIRE:
          case MusterParser::KW_PREFER:
          case MusterParser::KW_ASSERT:
          case MusterParser::LBRACE:
          case MusterParser::RBRACE:
          case MusterParser::RBRACK:
          case MusterParser::LPAREN:
          case MusterParser::RPAREN:
          case MusterParser::COMMA:
          case MusterParser::DOTDOT:
          case MusterParser::DOT:
          case MusterParser::EQ:
          case MusterParser::NE:
          case MusterParser::LE:
          case MusterParser::GE:
          case MusterParser::LT:
          case MusterParser::GT:
          case MusterParser::PLUS:
          case MusterParser::MINUS:
          case MusterParser::STAR:
          case MusterParser::SLASH:
          case MusterParser::IDENT:
          case MusterParser::STRING: {
            setState(132);
            _errHandler->sync(this);
            _la = _input->LA(1);
            while (_la == MusterParser::DOT) {
              setState(128);
              match(MusterParser::DOT);
              setState(129);
              match(MusterParser::IDENT);
              setState(134);
              _errHandler->sync(this);
              _la = _input->LA(1);
            }
            setState(136);
            _errHandler->sync(this);

            _la = _input->LA(1);
            if (_la == MusterParser::LPAREN) {
              setState(135);
              call();
            }
            break;
          }

        default:
          throw NoViableAltException(this);
        }
        break;
      }

      case MusterParser::LPAREN: {
        enterOuterAlt(_localctx, 11);
        setState(140);
        match(MusterParser::LPAREN);
        setState(141);
        expr();
        setState(142);
        match(MusterParser::RPAREN);
        break;
      }

    default:
      throw NoViableAltException(this);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- ListContext ------------------------------------------------------------------

MusterParser::ListContext::ListContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MusterParser::ListContext::LBRACK() {
  return getToken(MusterParser::LBRACK, 0);
}

tree::TerminalNode* MusterParser::ListContext::RBRACK() {
  return getToken(MusterParser::RBRACK, 0);
}

std::vector<MusterParser::ExprContext *> MusterParser::ListContext::expr() {
  return getRuleContexts<MusterParser::ExprContext>();
}

MusterParser::ExprContext* MusterParser::ListContext::expr(size_t i) {
  return getRuleContext<MusterParser::ExprContext>(i);
}

std::vector<tree::TerminalNode *> MusterParser::ListContext::COMMA() {
  return getTokens(MusterParser::COMMA);
}

tree::TerminalNode* MusterParser::ListContext::COMMA(size_t i) {
  return getToken(MusterParser::COMMA, i);
}


size_t MusterParser::ListContext::getRuleIndex() const {
  return MusterParser::RuleList;
}


MusterParser::ListContext* MusterParser::list() {
  ListContext *_localctx = _tracker.createInstance<ListContext>(_ctx, getState());
  enterRule(_localctx, 30, MusterParser::RuleList);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    size_t alt;
    enterOuterAlt(_localctx, 1);
    setState(146);
    match(MusterParser::LBRACK);
    setState(158);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if ((((_la & ~ 0x3fULL) == 0) &&
      ((1ULL << _la) & ((1ULL << MusterParser::KW_NOT)
      | (1ULL << MusterParser::KW_TRUE)
      | (1ULL << MusterParser::KW_FALSE)
      | (1ULL << MusterParser::LBRACK)
      | (1ULL << MusterParser::LPAREN)
      | (1ULL << MusterParser::MINUS)
      | (1ULL << MusterParser::HEREDOC_OPEN)
      | (1ULL << MusterParser::IDENT)
      | (1ULL << MusterParser::QUANTITY)
      | (1ULL << MusterParser::NUMBER)
      | (1ULL << MusterParser::VARIABLE)
      | (1ULL << MusterParser::STRING)
      | (1ULL << MusterParser::RAW))) != 0)) {
      setState(147);
      expr();
      setState(152);
      _errHandler->sync(this);
      alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 13, _ctx);
      while (alt != 2 && alt != atn::ATN::INVALID_ALT_NUMBER) {
        if (alt == 1) {
          setState(148);
          match(MusterParser::COMMA);
          setState(149);
          expr(); 
        }
        setState(154);
        _errHandler->sync(this);
        alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 13, _ctx);
      }
      setState(156);
      _errHandler->sync(this);

      _la = _input->LA(1);
      if (_la == MusterParser::COMMA) {
        setState(155);
        match(MusterParser::COMMA);
      }
    }
    setState(160);
    match(MusterParser::RBRACK);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- CallContext ------------------------------------------------------------------

MusterParser::CallContext::CallContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MusterParser::CallContext::LPAREN() {
  return getToken(MusterParser::LPAREN, 0);
}

tree::TerminalNode* MusterParser::CallContext::RPAREN() {
  return getToken(MusterParser::RPAREN, 0);
}

std::vector<MusterParser::ExprContext *> MusterParser::CallContext::expr() {
  return getRuleContexts<MusterParser::ExprContext>();
}

MusterParser::ExprContext* MusterParser::CallContext::expr(size_t i) {
  return getRuleContext<MusterParser::ExprContext>(i);
}

std::vector<tree::TerminalNode *> MusterParser::CallContext::COMMA() {
  return getTokens(MusterParser::COMMA);
}

tree::TerminalNode* MusterParser::CallContext::COMMA(size_t i) {
  return getToken(MusterParser::COMMA, i);
}


size_t MusterParser::CallContext::getRuleIndex() const {
  return MusterParser::RuleCall;
}


MusterParser::CallContext* MusterParser::call() {
  CallContext *_localctx = _tracker.createInstance<CallContext>(_ctx, getState());
  enterRule(_localctx, 32, MusterParser::RuleCall);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    size_t alt;
    enterOuterAlt(_localctx, 1);
    setState(162);
    match(MusterParser::LPAREN);
    setState(174);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if ((((_la & ~ 0x3fULL) == 0) &&
      ((1ULL << _la) & ((1ULL << MusterParser::KW_NOT)
      | (1ULL << MusterParser::KW_TRUE)
      | (1ULL << MusterParser::KW_FALSE)
      | (1ULL << MusterParser::LBRACK)
      | (1ULL << MusterParser::LPAREN)
      | (1ULL << MusterParser::MINUS)
      | (1ULL << MusterParser::HEREDOC_OPEN)
      | (1ULL << MusterParser::IDENT)
      | (1ULL << MusterParser::QUANTITY)
      | (1ULL << MusterParser::NUMBER)
      | (1ULL << MusterParser::VARIABLE)
      | (1ULL << MusterParser::STRING)
      | (1ULL << MusterParser::RAW))) != 0)) {
      setState(163);
      expr();
      setState(168);
      _errHandler->sync(this);
      alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 16, _ctx);
      while (alt != 2 && alt != atn::ATN::INVALID_ALT_NUMBER) {
        if (alt == 1) {
          setState(164);
          match(MusterParser::COMMA);
          setState(165);
          expr(); 
        }
        setState(170);
        _errHandler->sync(this);
        alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 16, _ctx);
      }
      setState(172);
      _errHandler->sync(this);

      _la = _input->LA(1);
      if (_la == MusterParser::COMMA) {
        setState(171);
        match(MusterParser::COMMA);
      }
    }
    setState(176);
    match(MusterParser::RPAREN);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- HeredocContext ------------------------------------------------------------------

MusterParser::HeredocContext::HeredocContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MusterParser::HeredocContext::HEREDOC_OPEN() {
  return getToken(MusterParser::HEREDOC_OPEN, 0);
}

tree::TerminalNode* MusterParser::HeredocContext::HEREDOC_CLOSE() {
  return getToken(MusterParser::HEREDOC_CLOSE, 0);
}

std::vector<tree::TerminalNode *> MusterParser::HeredocContext::HEREDOC_LINE() {
  return getTokens(MusterParser::HEREDOC_LINE);
}

tree::TerminalNode* MusterParser::HeredocContext::HEREDOC_LINE(size_t i) {
  return getToken(MusterParser::HEREDOC_LINE, i);
}


size_t MusterParser::HeredocContext::getRuleIndex() const {
  return MusterParser::RuleHeredoc;
}


MusterParser::HeredocContext* MusterParser::heredoc() {
  HeredocContext *_localctx = _tracker.createInstance<HeredocContext>(_ctx, getState());
  enterRule(_localctx, 34, MusterParser::RuleHeredoc);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(178);
    match(MusterParser::HEREDOC_OPEN);
    setState(182);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while (_la == MusterParser::HEREDOC_LINE) {
      setState(179);
      match(MusterParser::HEREDOC_LINE);
      setState(184);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
    setState(185);
    match(MusterParser::HEREDOC_CLOSE);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

// Static vars and initialization.
std::vector<dfa::DFA> MusterParser::_decisionToDFA;
atn::PredictionContextCache MusterParser::_sharedContextCache;

// We own the ATN which in turn owns the ATN states.
atn::ATN MusterParser::_atn;
std::vector<uint16_t> MusterParser::_serializedATN;

std::vector<std::string> MusterParser::_ruleNames = {
  "file", "block", "label", "body", "item", "member", "key", "requirement", 
  "preference", "assertion", "conditional", "expr", "binop", "operand", 
  "primary", "list", "call", "heredoc"
};

std::vector<std::string> MusterParser::_literalNames = {
  "", "'import'", "'as'", "'param'", "'let'", "'template'", "'from'", "'when'", 
  "'else'", "'if'", "'then'", "'in'", "'and'", "'or'", "'not'", "'true'", 
  "'false'", "'require'", "'prefer'", "'assert'", "'{'", "'}'", "'['", "']'", 
  "'('", "')'", "','", "':'", "'..'", "'.'", "'=='", "'!='", "'<='", "'>='", 
  "'<'", "'>'", "'='", "'+'", "'-'", "'*'", "'/'"
};

std::vector<std::string> MusterParser::_symbolicNames = {
  "", "KW_IMPORT", "KW_AS", "KW_PARAM", "KW_LET", "KW_TEMPLATE", "KW_FROM", 
  "KW_WHEN", "KW_ELSE", "KW_IF", "KW_THEN", "KW_IN", "KW_AND", "KW_OR", 
  "KW_NOT", "KW_TRUE", "KW_FALSE", "KW_REQUIRE", "KW_PREFER", "KW_ASSERT", 
  "LBRACE", "RBRACE", "LBRACK", "RBRACK", "LPAREN", "RPAREN", "COMMA", "COLON", 
  "DOTDOT", "DOT", "EQ", "NE", "LE", "GE", "LT", "GT", "ASSIGN", "PLUS", 
  "MINUS", "STAR", "SLASH", "HEREDOC_OPEN", "IDENT", "QUANTITY", "NUMBER", 
  "VARIABLE", "STRING", "RAW", "COMMENT", "SPACE", "BAD_STRING", "BAD_RAW", 
  "BAD_CHAR", "HEREDOC_CLOSE", "HEREDOC_LINE"
};

dfa::Vocabulary MusterParser::_vocabulary(_literalNames, _symbolicNames);

std::vector<std::string> MusterParser::_tokenNames;

MusterParser::Initializer::Initializer() {
	for (size_t i = 0; i < _symbolicNames.size(); ++i) {
		std::string name = _vocabulary.getLiteralName(i);
		if (name.empty()) {
			name = _vocabulary.getSymbolicName(i);
		}

		if (name.empty()) {
			_tokenNames.push_back("<INVALID>");
		} else {
      _tokenNames.push_back(name);
    }
	}

  _serializedATN = {
    0x3, 0x608b, 0xa72a, 0x8133, 0xb9ed, 0x417c, 0x3be7, 0x7786, 0x5964, 
    0x3, 0x38, 0xbe, 0x4, 0x2, 0x9, 0x2, 0x4, 0x3, 0x9, 0x3, 0x4, 0x4, 0x9, 
    0x4, 0x4, 0x5, 0x9, 0x5, 0x4, 0x6, 0x9, 0x6, 0x4, 0x7, 0x9, 0x7, 0x4, 
    0x8, 0x9, 0x8, 0x4, 0x9, 0x9, 0x9, 0x4, 0xa, 0x9, 0xa, 0x4, 0xb, 0x9, 
    0xb, 0x4, 0xc, 0x9, 0xc, 0x4, 0xd, 0x9, 0xd, 0x4, 0xe, 0x9, 0xe, 0x4, 
    0xf, 0x9, 0xf, 0x4, 0x10, 0x9, 0x10, 0x4, 0x11, 0x9, 0x11, 0x4, 0x12, 
    0x9, 0x12, 0x4, 0x13, 0x9, 0x13, 0x3, 0x2, 0x7, 0x2, 0x28, 0xa, 0x2, 
    0xc, 0x2, 0xe, 0x2, 0x2b, 0xb, 0x2, 0x3, 0x2, 0x3, 0x2, 0x3, 0x3, 0x3, 
    0x3, 0x5, 0x3, 0x31, 0xa, 0x3, 0x3, 0x3, 0x3, 0x3, 0x3, 0x4, 0x3, 0x4, 
    0x3, 0x5, 0x3, 0x5, 0x7, 0x5, 0x39, 0xa, 0x5, 0xc, 0x5, 0xe, 0x5, 0x3c, 
    0xb, 0x5, 0x3, 0x5, 0x3, 0x5, 0x3, 0x6, 0x3, 0x6, 0x3, 0x6, 0x3, 0x6, 
    0x3, 0x6, 0x5, 0x6, 0x45, 0xa, 0x6, 0x3, 0x7, 0x3, 0x7, 0x3, 0x7, 0x3, 
    0x7, 0x5, 0x7, 0x4b, 0xa, 0x7, 0x3, 0x7, 0x5, 0x7, 0x4e, 0xa, 0x7, 0x3, 
    0x8, 0x3, 0x8, 0x3, 0x9, 0x3, 0x9, 0x3, 0x9, 0x3, 0xa, 0x3, 0xa, 0x3, 
    0xa, 0x3, 0xa, 0x5, 0xa, 0x59, 0xa, 0xa, 0x3, 0xb, 0x3, 0xb, 0x3, 0xb, 
    0x3, 0xb, 0x3, 0xb, 0x3, 0xc, 0x3, 0xc, 0x3, 0xc, 0x3, 0xc, 0x3, 0xd, 
    0x3, 0xd, 0x3, 0xd, 0x3, 0xd, 0x7, 0xd, 0x68, 0xa, 0xd, 0xc, 0xd, 0xe, 
    0xd, 0x6b, 0xb, 0xd, 0x3, 0xe, 0x3, 0xe, 0x3, 0xf, 0x7, 0xf, 0x70, 0xa, 
    0xf, 0xc, 0xf, 0xe, 0xf, 0x73, 0xb, 0xf, 0x3, 0xf, 0x3, 0xf, 0x3, 0x10, 
    0x3, 0x10, 0x3, 0x10, 0x3, 0x10, 0x3, 0x10, 0x3, 0x10, 0x3, 0x10, 0x3, 
    0x10, 0x3, 0x10, 0x3, 0x10, 0x3, 0x10, 0x3, 0x10, 0x3, 0x10, 0x3, 0x10, 
    0x7, 0x10, 0x85, 0xa, 0x10, 0xc, 0x10, 0xe, 0x10, 0x88, 0xb, 0x10, 0x3, 
    0x10, 0x5, 0x10, 0x8b, 0xa, 0x10, 0x5, 0x10, 0x8d, 0xa, 0x10, 0x3, 0x10, 
    0x3, 0x10, 0x3, 0x10, 0x3, 0x10, 0x5, 0x10, 0x93, 0xa, 0x10, 0x3, 0x11, 
    0x3, 0x11, 0x3, 0x11, 0x3, 0x11, 0x7, 0x11, 0x99, 0xa, 0x11, 0xc, 0x11, 
    0xe, 0x11, 0x9c, 0xb, 0x11, 0x3, 0x11, 0x5, 0x11, 0x9f, 0xa, 0x11, 0x5, 
    0x11, 0xa1, 0xa, 0x11, 0x3, 0x11, 0x3, 0x11, 0x3, 0x12, 0x3, 0x12, 0x3, 
    0x12, 0x3, 0x12, 0x7, 0x12, 0xa9, 0xa, 0x12, 0xc, 0x12, 0xe, 0x12, 0xac, 
    0xb, 0x12, 0x3, 0x12, 0x5, 0x12, 0xaf, 0xa, 0x12, 0x5, 0x12, 0xb1, 0xa, 
    0x12, 0x3, 0x12, 0x3, 0x12, 0x3, 0x13, 0x3, 0x13, 0x7, 0x13, 0xb7, 0xa, 
    0x13, 0xc, 0x13, 0xe, 0x13, 0xba, 0xb, 0x13, 0x3, 0x13, 0x3, 0x13, 0x3, 
    0x13, 0x2, 0x2, 0x14, 0x2, 0x4, 0x6, 0x8, 0xa, 0xc, 0xe, 0x10, 0x12, 
    0x14, 0x16, 0x18, 0x1a, 0x1c, 0x1e, 0x20, 0x22, 0x24, 0x2, 0x5, 0x4, 
    0x2, 0x2c, 0x2c, 0x30, 0x30, 0x6, 0x2, 0xd, 0xf, 0x1e, 0x1e, 0x20, 0x25, 
    0x27, 0x2a, 0x4, 0x2, 0x10, 0x10, 0x28, 0x28, 0x2, 0xcb, 0x2, 0x29, 
    0x3, 0x2, 0x2, 0x2, 0x4, 0x2e, 0x3, 0x2, 0x2, 0x2, 0x6, 0x34, 0x3, 0x2, 
    0x2, 0x2, 0x8, 0x36, 0x3, 0x2, 0x2, 0x2, 0xa, 0x44, 0x3, 0x2, 0x2, 0x2, 
    0xc, 0x46, 0x3, 0x2, 0x2, 0x2, 0xe, 0x4f, 0x3, 0x2, 0x2, 0x2, 0x10, 
    0x51, 0x3, 0x2, 0x2, 0x2, 0x12, 0x54, 0x3, 0x2, 0x2, 0x2, 0x14, 0x5a, 
    0x3, 0x2, 0x2, 0x2, 0x16, 0x5f, 0x3, 0x2, 0x2, 0x2, 0x18, 0x63, 0x3, 
    0x2, 0x2, 0x2, 0x1a, 0x6c, 0x3, 0x2, 0x2, 0x2, 0x1c, 0x71, 0x3, 0x2, 
    0x2, 0x2, 0x1e, 0x92, 0x3, 0x2, 0x2, 0x2, 0x20, 0x94, 0x3, 0x2, 0x2, 
    0x2, 0x22, 0xa4, 0x3, 0x2, 0x2, 0x2, 0x24, 0xb4, 0x3, 0x2, 0x2, 0x2, 
    0x26, 0x28, 0x5, 0x4, 0x3, 0x2, 0x27, 0x26, 0x3, 0x2, 0x2, 0x2, 0x28, 
    0x2b, 0x3, 0x2, 0x2, 0x2, 0x29, 0x27, 0x3, 0x2, 0x2, 0x2, 0x29, 0x2a, 
    0x3, 0x2, 0x2, 0x2, 0x2a, 0x2c, 0x3, 0x2, 0x2, 0x2, 0x2b, 0x29, 0x3, 
    0x2, 0x2, 0x2, 0x2c, 0x2d, 0x7, 0x2, 0x2, 0x3, 0x2d, 0x3, 0x3, 0x2, 
    0x2, 0x2, 0x2e, 0x30, 0x7, 0x2c, 0x2, 0x2, 0x2f, 0x31, 0x5, 0x6, 0x4, 
    0x2, 0x30, 0x2f, 0x3, 0x2, 0x2, 0x2, 0x30, 0x31, 0x3, 0x2, 0x2, 0x2, 
    0x31, 0x32, 0x3, 0x2, 0x2, 0x2, 0x32, 0x33, 0x5, 0x8, 0x5, 0x2, 0x33, 
    0x5, 0x3, 0x2, 0x2, 0x2, 0x34, 0x35, 0x9, 0x2, 0x2, 0x2, 0x35, 0x7, 
    0x3, 0x2, 0x2, 0x2, 0x36, 0x3a, 0x7, 0x16, 0x2, 0x2, 0x37, 0x39, 0x5, 
    0xa, 0x6, 0x2, 0x38, 0x37, 0x3, 0x2, 0x2, 0x2, 0x39, 0x3c, 0x3, 0x2, 
    0x2, 0x2, 0x3a, 0x38, 0x3, 0x2, 0x2, 0x2, 0x3a, 0x3b, 0x3, 0x2, 0x2, 
    0x2, 0x3b, 0x3d, 0x3, 0x2, 0x2, 0x2, 0x3c, 0x3a, 0x3, 0x2, 0x2, 0x2, 
    0x3d, 0x3e, 0x7, 0x17, 0x2, 0x2, 0x3e, 0x9, 0x3, 0x2, 0x2, 0x2, 0x3f, 
    0x45, 0x5, 0xc, 0x7, 0x2, 0x40, 0x45, 0x5, 0x10, 0x9, 0x2, 0x41, 0x45, 
    0x5, 0x12, 0xa, 0x2, 0x42, 0x45, 0x5, 0x14, 0xb, 0x2, 0x43, 0x45, 0x5, 
    0x16, 0xc, 0x2, 0x44, 0x3f, 0x3, 0x2, 0x2, 0x2, 0x44, 0x40, 0x3, 0x2, 
    0x2, 0x2, 0x44, 0x41, 0x3, 0x2, 0x2, 0x2, 0x44, 0x42, 0x3, 0x2, 0x2, 
    0x2, 0x44, 0x43, 0x3, 0x2, 0x2, 0x2, 0x45, 0xb, 0x3, 0x2, 0x2, 0x2, 
    0x46, 0x4d, 0x5, 0xe, 0x8, 0x2, 0x47, 0x48, 0x7, 0x26, 0x2, 0x2, 0x48, 
    0x4e, 0x5, 0x18, 0xd, 0x2, 0x49, 0x4b, 0x5, 0x6, 0x4, 0x2, 0x4a, 0x49, 
    0x3, 0x2, 0x2, 0x2, 0x4a, 0x4b, 0x3, 0x2, 0x2, 0x2, 0x4b, 0x4c, 0x3, 
    0x2, 0x2, 0x2, 0x4c, 0x4e, 0x5, 0x8, 0x5, 0x2, 0x4d, 0x47, 0x3, 0x2, 
    0x2, 0x2, 0x4d, 0x4a, 0x3, 0x2, 0x2, 0x2, 0x4e, 0xd, 0x3, 0x2, 0x2, 
    0x2, 0x4f, 0x50, 0x9, 0x2, 0x2, 0x2, 0x50, 0xf, 0x3, 0x2, 0x2, 0x2, 
    0x51, 0x52, 0x7, 0x13, 0x2, 0x2, 0x52, 0x53, 0x5, 0x18, 0xd, 0x2, 0x53, 
    0x11, 0x3, 0x2, 0x2, 0x2, 0x54, 0x55, 0x7, 0x14, 0x2, 0x2, 0x55, 0x58, 
    0x5, 0x18, 0xd, 0x2, 0x56, 0x57, 0x7, 0x2c, 0x2, 0x2, 0x57, 0x59, 0x7, 
    0x2e, 0x2, 0x2, 0x58, 0x56, 0x3, 0x2, 0x2, 0x2, 0x58, 0x59, 0x3, 0x2, 
    0x2, 0x2, 0x59, 0x13, 0x3, 0x2, 0x2, 0x2, 0x5a, 0x5b, 0x7, 0x15, 0x2, 
    0x2, 0x5b, 0x5c, 0x5, 0x18, 0xd, 0x2, 0x5c, 0x5d, 0x7, 0x1c, 0x2, 0x2, 
    0x5d, 0x5e, 0x7, 0x30, 0x2, 0x2, 0x5e, 0x15, 0x3, 0x2, 0x2, 0x2, 0x5f, 
    0x60, 0x7, 0x9, 0x2, 0x2, 0x60, 0x61, 0x5, 0x18, 0xd, 0x2, 0x61, 0x62, 
    0x5, 0x8, 0x5, 0x2, 0x62, 0x17, 0x3, 0x2, 0x2, 0x2, 0x63, 0x69, 0x5, 
    0x1c, 0xf, 0x2, 0x64, 0x65, 0x5, 0x1a, 0xe, 0x2, 0x65, 0x66, 0x5, 0x1c, 
    0xf, 0x2, 0x66, 0x68, 0x3, 0x2, 0x2, 0x2, 0x67, 0x64, 0x3, 0x2, 0x2, 
    0x2, 0x68, 0x6b, 0x3, 0x2, 0x2, 0x2, 0x69, 0x67, 0x3, 0x2, 0x2, 0x2, 
    0x69, 0x6a, 0x3, 0x2, 0x2, 0x2, 0x6a, 0x19, 0x3, 0x2, 0x2, 0x2, 0x6b, 
    0x69, 0x3, 0x2, 0x2, 0x2, 0x6c, 0x6d, 0x9, 0x3, 0x2, 0x2, 0x6d, 0x1b, 
    0x3, 0x2, 0x2, 0x2, 0x6e, 0x70, 0x9, 0x4, 0x2, 0x2, 0x6f, 0x6e, 0x3, 
    0x2, 0x2, 0x2, 0x70, 0x73, 0x3, 0x2, 0x2, 0x2, 0x71, 0x6f, 0x3, 0x2, 
    0x2, 0x2, 0x71, 0x72, 0x3, 0x2, 0x2, 0x2, 0x72, 0x74, 0x3, 0x2, 0x2, 
    0x2, 0x73, 0x71, 0x3, 0x2, 0x2, 0x2, 0x74, 0x75, 0x5, 0x1e, 0x10, 0x2, 
    0x75, 0x1d, 0x3, 0x2, 0x2, 0x2, 0x76, 0x93, 0x7, 0x2e, 0x2, 0x2, 0x77, 
    0x93, 0x7, 0x2d, 0x2, 0x2, 0x78, 0x93, 0x7, 0x30, 0x2, 0x2, 0x79, 0x93, 
    0x7, 0x31, 0x2, 0x2, 0x7a, 0x93, 0x7, 0x11, 0x2, 0x2, 0x7b, 0x93, 0x7, 
    0x12, 0x2, 0x2, 0x7c, 0x93, 0x7, 0x2f, 0x2, 0x2, 0x7d, 0x93, 0x5, 0x24, 
    0x13, 0x2, 0x7e, 0x93, 0x5, 0x20, 0x11, 0x2, 0x7f, 0x8c, 0x7, 0x2c, 
    0x2, 0x2, 0x80, 0x81, 0x7, 0x1d, 0x2, 0x2, 0x81, 0x8d, 0x7, 0x2e, 0x2, 
    0x2, 0x82, 0x83, 0x7, 0x1f, 0x2, 0x2, 0x83, 0x85, 0x7, 0x2c, 0x2, 0x2, 
    0x84, 0x82, 0x3, 0x2, 0x2, 0x2, 0x85, 0x88, 0x3, 0x2, 0x2, 0x2, 0x86, 
    0x84, 0x3, 0x2, 0x2, 0x2, 0x86, 0x87, 0x3, 0x2, 0x2, 0x2, 0x87, 0x8a, 
    0x3, 0x2, 0x2, 0x2, 0x88, 0x86, 0x3, 0x2, 0x2, 0x2, 0x89, 0x8b, 0x5, 
    0x22, 0x12, 0x2, 0x8a, 0x89, 0x3, 0x2, 0x2, 0x2, 0x8a, 0x8b, 0x3, 0x2, 
    0x2, 0x2, 0x8b, 0x8d, 0x3, 0x2, 0x2, 0x2, 0x8c, 0x80, 0x3, 0x2, 0x2, 
    0x2, 0x8c, 0x86, 0x3, 0x2, 0x2, 0x2, 0x8d, 0x93, 0x3, 0x2, 0x2, 0x2, 
    0x8e, 0x8f, 0x7, 0x1a, 0x2, 0x2, 0x8f, 0x90, 0x5, 0x18, 0xd, 0x2, 0x90, 
    0x91, 0x7, 0x1b, 0x2, 0x2, 0x91, 0x93, 0x3, 0x2, 0x2, 0x2, 0x92, 0x76, 
    0x3, 0x2, 0x2, 0x2, 0x92, 0x77, 0x3, 0x2, 0x2, 0x2, 0x92, 0x78, 0x3, 
    0x2, 0x2, 0x2, 0x92, 0x79, 0x3, 0x2, 0x2, 0x2, 0x92, 0x7a, 0x3, 0x2, 
    0x2, 0x2, 0x92, 0x7b, 0x3, 0x2, 0x2, 0x2, 0x92, 0x7c, 0x3, 0x2, 0x2, 
    0x2, 0x92, 0x7d, 0x3, 0x2, 0x2, 0x2, 0x92, 0x7e, 0x3, 0x2, 0x2, 0x2, 
    0x92, 0x7f, 0x3, 0x2, 0x2, 0x2, 0x92, 0x8e, 0x3, 0x2, 0x2, 0x2, 0x93, 
    0x1f, 0x3, 0x2, 0x2, 0x2, 0x94, 0xa0, 0x7, 0x18, 0x2, 0x2, 0x95, 0x9a, 
    0x5, 0x18, 0xd, 0x2, 0x96, 0x97, 0x7, 0x1c, 0x2, 0x2, 0x97, 0x99, 0x5, 
    0x18, 0xd, 0x2, 0x98, 0x96, 0x3, 0x2, 0x2, 0x2, 0x99, 0x9c, 0x3, 0x2, 
    0x2, 0x2, 0x9a, 0x98, 0x3, 0x2, 0x2, 0x2, 0x9a, 0x9b, 0x3, 0x2, 0x2, 
    0x2, 0x9b, 0x9e, 0x3, 0x2, 0x2, 0x2, 0x9c, 0x9a, 0x3, 0x2, 0x2, 0x2, 
    0x9d, 0x9f, 0x7, 0x1c, 0x2, 0x2, 0x9e, 0x9d, 0x3, 0x2, 0x2, 0x2, 0x9e, 
    0x9f, 0x3, 0x2, 0x2, 0x2, 0x9f, 0xa1, 0x3, 0x2, 0x2, 0x2, 0xa0, 0x95, 
    0x3, 0x2, 0x2, 0x2, 0xa0, 0xa1, 0x3, 0x2, 0x2, 0x2, 0xa1, 0xa2, 0x3, 
    0x2, 0x2, 0x2, 0xa2, 0xa3, 0x7, 0x19, 0x2, 0x2, 0xa3, 0x21, 0x3, 0x2, 
    0x2, 0x2, 0xa4, 0xb0, 0x7, 0x1a, 0x2, 0x2, 0xa5, 0xaa, 0x5, 0x18, 0xd, 
    0x2, 0xa6, 0xa7, 0x7, 0x1c, 0x2, 0x2, 0xa7, 0xa9, 0x5, 0x18, 0xd, 0x2, 
    0xa8, 0xa6, 0x3, 0x2, 0x2, 0x2, 0xa9, 0xac, 0x3, 0x2, 0x2, 0x2, 0xaa, 
    0xa8, 0x3, 0x2, 0x2, 0x2, 0xaa, 0xab, 0x3, 0x2, 0x2, 0x2, 0xab, 0xae, 
    0x3, 0x2, 0x2, 0x2, 0xac, 0xaa, 0x3, 0x2, 0x2, 0x2, 0xad, 0xaf, 0x7, 
    0x1c, 0x2, 0x2, 0xae, 0xad, 0x3, 0x2, 0x2, 0x2, 0xae, 0xaf, 0x3, 0x2, 
    0x2, 0x2, 0xaf, 0xb1, 0x3, 0x2, 0x2, 0x2, 0xb0, 0xa5, 0x3, 0x2, 0x2, 
    0x2, 0xb0, 0xb1, 0x3, 0x2, 0x2, 0x2, 0xb1, 0xb2, 0x3, 0x2, 0x2, 0x2, 
    0xb2, 0xb3, 0x7, 0x1b, 0x2, 0x2, 0xb3, 0x23, 0x3, 0x2, 0x2, 0x2, 0xb4, 
    0xb8, 0x7, 0x2b, 0x2, 0x2, 0xb5, 0xb7, 0x7, 0x38, 0x2, 0x2, 0xb6, 0xb5, 
    0x3, 0x2, 0x2, 0x2, 0xb7, 0xba, 0x3, 0x2, 0x2, 0x2, 0xb8, 0xb6, 0x3, 
    0x2, 0x2, 0x2, 0xb8, 0xb9, 0x3, 0x2, 0x2, 0x2, 0xb9, 0xbb, 0x3, 0x2, 
    0x2, 0x2, 0xba, 0xb8, 0x3, 0x2, 0x2, 0x2, 0xbb, 0xbc, 0x7, 0x37, 0x2, 
    0x2, 0xbc, 0x25, 0x3, 0x2, 0x2, 0x2, 0x16, 0x29, 0x30, 0x3a, 0x44, 0x4a, 
    0x4d, 0x58, 0x69, 0x71, 0x86, 0x8a, 0x8c, 0x92, 0x9a, 0x9e, 0xa0, 0xaa, 
    0xae, 0xb0, 0xb8, 
  };

  atn::ATNDeserializer deserializer;
  _atn = deserializer.deserialize(_serializedATN);

  size_t count = _atn.getNumberOfDecisions();
  _decisionToDFA.reserve(count);
  for (size_t i = 0; i < count; i++) { 
    _decisionToDFA.emplace_back(_atn.getDecisionState(i), i);
  }
}

MusterParser::Initializer MusterParser::_init;
