
// Generated from MusterParser.g4 by ANTLR 4.7.2



#include "MusterParser.h"


using namespace antlrcpp;
using namespace muster::grammar;
using namespace antlr4;

MusterParser::MusterParser(TokenStream *input) : Parser(input) {
  static const Initializer once;
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

std::vector<MusterParser::ImportingContext *> MusterParser::FileContext::importing() {
  return getRuleContexts<MusterParser::ImportingContext>();
}

MusterParser::ImportingContext* MusterParser::FileContext::importing(size_t i) {
  return getRuleContext<MusterParser::ImportingContext>(i);
}

std::vector<MusterParser::BlockContext *> MusterParser::FileContext::block() {
  return getRuleContexts<MusterParser::BlockContext>();
}

MusterParser::BlockContext* MusterParser::FileContext::block(size_t i) {
  return getRuleContext<MusterParser::BlockContext>(i);
}

std::vector<MusterParser::ParamContext *> MusterParser::FileContext::param() {
  return getRuleContexts<MusterParser::ParamContext>();
}

MusterParser::ParamContext* MusterParser::FileContext::param(size_t i) {
  return getRuleContext<MusterParser::ParamContext>(i);
}

std::vector<MusterParser::BindingContext *> MusterParser::FileContext::binding() {
  return getRuleContexts<MusterParser::BindingContext>();
}

MusterParser::BindingContext* MusterParser::FileContext::binding(size_t i) {
  return getRuleContext<MusterParser::BindingContext>(i);
}

std::vector<MusterParser::BlueprintContext *> MusterParser::FileContext::blueprint() {
  return getRuleContexts<MusterParser::BlueprintContext>();
}

MusterParser::BlueprintContext* MusterParser::FileContext::blueprint(size_t i) {
  return getRuleContext<MusterParser::BlueprintContext>(i);
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
    setState(55);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while (_la == MusterParser::KW_IMPORT) {
      setState(52);
      importing();
      setState(57);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
    setState(64);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while ((((_la & ~ 0x3fULL) == 0) &&
      ((1ULL << _la) & ((1ULL << MusterParser::KW_PARAM)
      | (1ULL << MusterParser::KW_LET)
      | (1ULL << MusterParser::KW_TEMPLATE)
      | (1ULL << MusterParser::IDENT))) != 0)) {
      setState(62);
      _errHandler->sync(this);
      switch (_input->LA(1)) {
        case MusterParser::IDENT: {
          setState(58);
          block();
          break;
        }

        case MusterParser::KW_PARAM: {
          setState(59);
          param();
          break;
        }

        case MusterParser::KW_LET: {
          setState(60);
          binding();
          break;
        }

        case MusterParser::KW_TEMPLATE: {
          setState(61);
          blueprint();
          break;
        }

      default:
        throw NoViableAltException(this);
      }
      setState(66);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
    setState(67);
    match(MusterParser::EOF);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- ImportingContext ------------------------------------------------------------------

MusterParser::ImportingContext::ImportingContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MusterParser::ImportingContext::KW_IMPORT() {
  return getToken(MusterParser::KW_IMPORT, 0);
}

tree::TerminalNode* MusterParser::ImportingContext::STRING() {
  return getToken(MusterParser::STRING, 0);
}

tree::TerminalNode* MusterParser::ImportingContext::KW_AS() {
  return getToken(MusterParser::KW_AS, 0);
}

tree::TerminalNode* MusterParser::ImportingContext::IDENT() {
  return getToken(MusterParser::IDENT, 0);
}


size_t MusterParser::ImportingContext::getRuleIndex() const {
  return MusterParser::RuleImporting;
}


MusterParser::ImportingContext* MusterParser::importing() {
  ImportingContext *_localctx = _tracker.createInstance<ImportingContext>(_ctx, getState());
  enterRule(_localctx, 2, MusterParser::RuleImporting);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(69);
    match(MusterParser::KW_IMPORT);
    setState(70);
    match(MusterParser::STRING);
    setState(71);
    match(MusterParser::KW_AS);
    setState(72);
    match(MusterParser::IDENT);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- ParamContext ------------------------------------------------------------------

MusterParser::ParamContext::ParamContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MusterParser::ParamContext::KW_PARAM() {
  return getToken(MusterParser::KW_PARAM, 0);
}

MusterParser::SignatureContext* MusterParser::ParamContext::signature() {
  return getRuleContext<MusterParser::SignatureContext>(0);
}


size_t MusterParser::ParamContext::getRuleIndex() const {
  return MusterParser::RuleParam;
}


MusterParser::ParamContext* MusterParser::param() {
  ParamContext *_localctx = _tracker.createInstance<ParamContext>(_ctx, getState());
  enterRule(_localctx, 4, MusterParser::RuleParam);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(74);
    match(MusterParser::KW_PARAM);
    setState(75);
    signature();
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- SignatureContext ------------------------------------------------------------------

MusterParser::SignatureContext::SignatureContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MusterParser::SignatureContext::IDENT() {
  return getToken(MusterParser::IDENT, 0);
}

tree::TerminalNode* MusterParser::SignatureContext::COLON() {
  return getToken(MusterParser::COLON, 0);
}

MusterParser::TypeContext* MusterParser::SignatureContext::type() {
  return getRuleContext<MusterParser::TypeContext>(0);
}

tree::TerminalNode* MusterParser::SignatureContext::KW_IN() {
  return getToken(MusterParser::KW_IN, 0);
}

std::vector<MusterParser::ExprContext *> MusterParser::SignatureContext::expr() {
  return getRuleContexts<MusterParser::ExprContext>();
}

MusterParser::ExprContext* MusterParser::SignatureContext::expr(size_t i) {
  return getRuleContext<MusterParser::ExprContext>(i);
}

tree::TerminalNode* MusterParser::SignatureContext::ASSIGN() {
  return getToken(MusterParser::ASSIGN, 0);
}


size_t MusterParser::SignatureContext::getRuleIndex() const {
  return MusterParser::RuleSignature;
}


MusterParser::SignatureContext* MusterParser::signature() {
  SignatureContext *_localctx = _tracker.createInstance<SignatureContext>(_ctx, getState());
  enterRule(_localctx, 6, MusterParser::RuleSignature);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(77);
    match(MusterParser::IDENT);
    setState(78);
    match(MusterParser::COLON);
    setState(79);
    type();
    setState(82);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == MusterParser::KW_IN) {
      setState(80);
      match(MusterParser::KW_IN);
      setState(81);
      expr();
    }
    setState(86);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == MusterParser::ASSIGN) {
      setState(84);
      match(MusterParser::ASSIGN);
      setState(85);
      expr();
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- TypeContext ------------------------------------------------------------------

MusterParser::TypeContext::TypeContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

std::vector<tree::TerminalNode *> MusterParser::TypeContext::IDENT() {
  return getTokens(MusterParser::IDENT);
}

tree::TerminalNode* MusterParser::TypeContext::IDENT(size_t i) {
  return getToken(MusterParser::IDENT, i);
}

tree::TerminalNode* MusterParser::TypeContext::LPAREN() {
  return getToken(MusterParser::LPAREN, 0);
}

tree::TerminalNode* MusterParser::TypeContext::RPAREN() {
  return getToken(MusterParser::RPAREN, 0);
}


size_t MusterParser::TypeContext::getRuleIndex() const {
  return MusterParser::RuleType;
}


MusterParser::TypeContext* MusterParser::type() {
  TypeContext *_localctx = _tracker.createInstance<TypeContext>(_ctx, getState());
  enterRule(_localctx, 8, MusterParser::RuleType);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(88);
    match(MusterParser::IDENT);
    setState(92);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == MusterParser::LPAREN) {
      setState(89);
      match(MusterParser::LPAREN);
      setState(90);
      match(MusterParser::IDENT);
      setState(91);
      match(MusterParser::RPAREN);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- BindingContext ------------------------------------------------------------------

MusterParser::BindingContext::BindingContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MusterParser::BindingContext::KW_LET() {
  return getToken(MusterParser::KW_LET, 0);
}

tree::TerminalNode* MusterParser::BindingContext::IDENT() {
  return getToken(MusterParser::IDENT, 0);
}

tree::TerminalNode* MusterParser::BindingContext::ASSIGN() {
  return getToken(MusterParser::ASSIGN, 0);
}

MusterParser::ExprContext* MusterParser::BindingContext::expr() {
  return getRuleContext<MusterParser::ExprContext>(0);
}


size_t MusterParser::BindingContext::getRuleIndex() const {
  return MusterParser::RuleBinding;
}


MusterParser::BindingContext* MusterParser::binding() {
  BindingContext *_localctx = _tracker.createInstance<BindingContext>(_ctx, getState());
  enterRule(_localctx, 10, MusterParser::RuleBinding);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(94);
    match(MusterParser::KW_LET);
    setState(95);
    match(MusterParser::IDENT);
    setState(96);
    match(MusterParser::ASSIGN);
    setState(97);
    expr();
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- BlueprintContext ------------------------------------------------------------------

MusterParser::BlueprintContext::BlueprintContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MusterParser::BlueprintContext::KW_TEMPLATE() {
  return getToken(MusterParser::KW_TEMPLATE, 0);
}

tree::TerminalNode* MusterParser::BlueprintContext::IDENT() {
  return getToken(MusterParser::IDENT, 0);
}

tree::TerminalNode* MusterParser::BlueprintContext::LPAREN() {
  return getToken(MusterParser::LPAREN, 0);
}

tree::TerminalNode* MusterParser::BlueprintContext::RPAREN() {
  return getToken(MusterParser::RPAREN, 0);
}

MusterParser::BodyContext* MusterParser::BlueprintContext::body() {
  return getRuleContext<MusterParser::BodyContext>(0);
}

std::vector<MusterParser::SignatureContext *> MusterParser::BlueprintContext::signature() {
  return getRuleContexts<MusterParser::SignatureContext>();
}

MusterParser::SignatureContext* MusterParser::BlueprintContext::signature(size_t i) {
  return getRuleContext<MusterParser::SignatureContext>(i);
}

std::vector<tree::TerminalNode *> MusterParser::BlueprintContext::COMMA() {
  return getTokens(MusterParser::COMMA);
}

tree::TerminalNode* MusterParser::BlueprintContext::COMMA(size_t i) {
  return getToken(MusterParser::COMMA, i);
}


size_t MusterParser::BlueprintContext::getRuleIndex() const {
  return MusterParser::RuleBlueprint;
}


MusterParser::BlueprintContext* MusterParser::blueprint() {
  BlueprintContext *_localctx = _tracker.createInstance<BlueprintContext>(_ctx, getState());
  enterRule(_localctx, 12, MusterParser::RuleBlueprint);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    size_t alt;
    enterOuterAlt(_localctx, 1);
    setState(99);
    match(MusterParser::KW_TEMPLATE);
    setState(100);
    match(MusterParser::IDENT);
    setState(101);
    match(MusterParser::LPAREN);
    setState(113);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == MusterParser::IDENT) {
      setState(102);
      signature();
      setState(107);
      _errHandler->sync(this);
      alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 6, _ctx);
      while (alt != 2 && alt != atn::ATN::INVALID_ALT_NUMBER) {
        if (alt == 1) {
          setState(103);
          match(MusterParser::COMMA);
          setState(104);
          signature(); 
        }
        setState(109);
        _errHandler->sync(this);
        alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 6, _ctx);
      }
      setState(111);
      _errHandler->sync(this);

      _la = _input->LA(1);
      if (_la == MusterParser::COMMA) {
        setState(110);
        match(MusterParser::COMMA);
      }
    }
    setState(115);
    match(MusterParser::RPAREN);
    setState(116);
    body();
   
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

MusterParser::InstanceContext* MusterParser::BlockContext::instance() {
  return getRuleContext<MusterParser::InstanceContext>(0);
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
  enterRule(_localctx, 14, MusterParser::RuleBlock);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(118);
    match(MusterParser::IDENT);
    setState(120);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == MusterParser::IDENT

    || _la == MusterParser::STRING) {
      setState(119);
      label();
    }
    setState(127);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case MusterParser::KW_FROM: {
        setState(122);
        instance();
        setState(124);
        _errHandler->sync(this);

        _la = _input->LA(1);
        if (_la == MusterParser::LBRACE) {
          setState(123);
          body();
        }
        break;
      }

      case MusterParser::LBRACE: {
        setState(126);
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

//----------------- InstanceContext ------------------------------------------------------------------

MusterParser::InstanceContext::InstanceContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MusterParser::InstanceContext::KW_FROM() {
  return getToken(MusterParser::KW_FROM, 0);
}

std::vector<tree::TerminalNode *> MusterParser::InstanceContext::IDENT() {
  return getTokens(MusterParser::IDENT);
}

tree::TerminalNode* MusterParser::InstanceContext::IDENT(size_t i) {
  return getToken(MusterParser::IDENT, i);
}

tree::TerminalNode* MusterParser::InstanceContext::LPAREN() {
  return getToken(MusterParser::LPAREN, 0);
}

tree::TerminalNode* MusterParser::InstanceContext::RPAREN() {
  return getToken(MusterParser::RPAREN, 0);
}

tree::TerminalNode* MusterParser::InstanceContext::DOT() {
  return getToken(MusterParser::DOT, 0);
}

std::vector<MusterParser::ArgumentContext *> MusterParser::InstanceContext::argument() {
  return getRuleContexts<MusterParser::ArgumentContext>();
}

MusterParser::ArgumentContext* MusterParser::InstanceContext::argument(size_t i) {
  return getRuleContext<MusterParser::ArgumentContext>(i);
}

std::vector<tree::TerminalNode *> MusterParser::InstanceContext::COMMA() {
  return getTokens(MusterParser::COMMA);
}

tree::TerminalNode* MusterParser::InstanceContext::COMMA(size_t i) {
  return getToken(MusterParser::COMMA, i);
}


size_t MusterParser::InstanceContext::getRuleIndex() const {
  return MusterParser::RuleInstance;
}


MusterParser::InstanceContext* MusterParser::instance() {
  InstanceContext *_localctx = _tracker.createInstance<InstanceContext>(_ctx, getState());
  enterRule(_localctx, 16, MusterParser::RuleInstance);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    size_t alt;
    enterOuterAlt(_localctx, 1);
    setState(129);
    match(MusterParser::KW_FROM);
    setState(130);
    match(MusterParser::IDENT);
    setState(133);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == MusterParser::DOT) {
      setState(131);
      match(MusterParser::DOT);
      setState(132);
      match(MusterParser::IDENT);
    }
    setState(135);
    match(MusterParser::LPAREN);
    setState(147);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == MusterParser::IDENT) {
      setState(136);
      argument();
      setState(141);
      _errHandler->sync(this);
      alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 13, _ctx);
      while (alt != 2 && alt != atn::ATN::INVALID_ALT_NUMBER) {
        if (alt == 1) {
          setState(137);
          match(MusterParser::COMMA);
          setState(138);
          argument(); 
        }
        setState(143);
        _errHandler->sync(this);
        alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 13, _ctx);
      }
      setState(145);
      _errHandler->sync(this);

      _la = _input->LA(1);
      if (_la == MusterParser::COMMA) {
        setState(144);
        match(MusterParser::COMMA);
      }
    }
    setState(149);
    match(MusterParser::RPAREN);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- ArgumentContext ------------------------------------------------------------------

MusterParser::ArgumentContext::ArgumentContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MusterParser::ArgumentContext::IDENT() {
  return getToken(MusterParser::IDENT, 0);
}

tree::TerminalNode* MusterParser::ArgumentContext::ASSIGN() {
  return getToken(MusterParser::ASSIGN, 0);
}

MusterParser::ExprContext* MusterParser::ArgumentContext::expr() {
  return getRuleContext<MusterParser::ExprContext>(0);
}


size_t MusterParser::ArgumentContext::getRuleIndex() const {
  return MusterParser::RuleArgument;
}


MusterParser::ArgumentContext* MusterParser::argument() {
  ArgumentContext *_localctx = _tracker.createInstance<ArgumentContext>(_ctx, getState());
  enterRule(_localctx, 18, MusterParser::RuleArgument);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(151);
    match(MusterParser::IDENT);
    setState(152);
    match(MusterParser::ASSIGN);
    setState(153);
    expr();
   
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
  enterRule(_localctx, 20, MusterParser::RuleLabel);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(155);
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
  enterRule(_localctx, 22, MusterParser::RuleBody);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(157);
    match(MusterParser::LBRACE);
    setState(161);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while ((((_la & ~ 0x3fULL) == 0) &&
      ((1ULL << _la) & ((1ULL << MusterParser::KW_WHEN)
      | (1ULL << MusterParser::KW_REQUIRE)
      | (1ULL << MusterParser::KW_PREFER)
      | (1ULL << MusterParser::KW_ASSERT)
      | (1ULL << MusterParser::IDENT)
      | (1ULL << MusterParser::STRING))) != 0)) {
      setState(158);
      item();
      setState(163);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
    setState(164);
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
  enterRule(_localctx, 24, MusterParser::RuleItem);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    setState(171);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case MusterParser::IDENT:
      case MusterParser::STRING: {
        enterOuterAlt(_localctx, 1);
        setState(166);
        member();
        break;
      }

      case MusterParser::KW_REQUIRE: {
        enterOuterAlt(_localctx, 2);
        setState(167);
        requirement();
        break;
      }

      case MusterParser::KW_PREFER: {
        enterOuterAlt(_localctx, 3);
        setState(168);
        preference();
        break;
      }

      case MusterParser::KW_ASSERT: {
        enterOuterAlt(_localctx, 4);
        setState(169);
        assertion();
        break;
      }

      case MusterParser::KW_WHEN: {
        enterOuterAlt(_localctx, 5);
        setState(170);
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

MusterParser::ExprContext* MusterParser::MemberContext::expr() {
  return getRuleContext<MusterParser::ExprContext>(0);
}

MusterParser::BodyContext* MusterParser::MemberContext::body() {
  return getRuleContext<MusterParser::BodyContext>(0);
}

tree::TerminalNode* MusterParser::MemberContext::ASSIGN() {
  return getToken(MusterParser::ASSIGN, 0);
}

tree::TerminalNode* MusterParser::MemberContext::PLUS_ASSIGN() {
  return getToken(MusterParser::PLUS_ASSIGN, 0);
}

MusterParser::LabelContext* MusterParser::MemberContext::label() {
  return getRuleContext<MusterParser::LabelContext>(0);
}


size_t MusterParser::MemberContext::getRuleIndex() const {
  return MusterParser::RuleMember;
}


MusterParser::MemberContext* MusterParser::member() {
  MemberContext *_localctx = _tracker.createInstance<MemberContext>(_ctx, getState());
  enterRule(_localctx, 26, MusterParser::RuleMember);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(173);
    key();
    setState(180);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case MusterParser::ASSIGN:
      case MusterParser::PLUS_ASSIGN: {
        setState(174);
        _la = _input->LA(1);
        if (!(_la == MusterParser::ASSIGN

        || _la == MusterParser::PLUS_ASSIGN)) {
        _errHandler->recoverInline(this);
        }
        else {
          _errHandler->reportMatch(this);
          consume();
        }
        setState(175);
        expr();
        break;
      }

      case MusterParser::LBRACE:
      case MusterParser::IDENT:
      case MusterParser::STRING: {
        setState(177);
        _errHandler->sync(this);

        _la = _input->LA(1);
        if (_la == MusterParser::IDENT

        || _la == MusterParser::STRING) {
          setState(176);
          label();
        }
        setState(179);
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
  enterRule(_localctx, 28, MusterParser::RuleKey);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(182);
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
  enterRule(_localctx, 30, MusterParser::RuleRequirement);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(184);
    match(MusterParser::KW_REQUIRE);
    setState(185);
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
  enterRule(_localctx, 32, MusterParser::RulePreference);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(187);
    match(MusterParser::KW_PREFER);
    setState(188);
    expr();
    setState(191);
    _errHandler->sync(this);

    switch (getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 20, _ctx)) {
    case 1: {
      setState(189);
      match(MusterParser::IDENT);
      setState(190);
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

tree::TerminalNode* MusterParser::AssertionContext::RAW() {
  return getToken(MusterParser::RAW, 0);
}


size_t MusterParser::AssertionContext::getRuleIndex() const {
  return MusterParser::RuleAssertion;
}


MusterParser::AssertionContext* MusterParser::assertion() {
  AssertionContext *_localctx = _tracker.createInstance<AssertionContext>(_ctx, getState());
  enterRule(_localctx, 34, MusterParser::RuleAssertion);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(193);
    match(MusterParser::KW_ASSERT);
    setState(194);
    expr();
    setState(195);
    match(MusterParser::COMMA);
    setState(196);
    _la = _input->LA(1);
    if (!(_la == MusterParser::STRING

    || _la == MusterParser::RAW)) {
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

std::vector<MusterParser::BodyContext *> MusterParser::ConditionalContext::body() {
  return getRuleContexts<MusterParser::BodyContext>();
}

MusterParser::BodyContext* MusterParser::ConditionalContext::body(size_t i) {
  return getRuleContext<MusterParser::BodyContext>(i);
}

tree::TerminalNode* MusterParser::ConditionalContext::KW_ELSE() {
  return getToken(MusterParser::KW_ELSE, 0);
}


size_t MusterParser::ConditionalContext::getRuleIndex() const {
  return MusterParser::RuleConditional;
}


MusterParser::ConditionalContext* MusterParser::conditional() {
  ConditionalContext *_localctx = _tracker.createInstance<ConditionalContext>(_ctx, getState());
  enterRule(_localctx, 36, MusterParser::RuleConditional);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(198);
    match(MusterParser::KW_WHEN);
    setState(199);
    expr();
    setState(200);
    body();
    setState(203);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == MusterParser::KW_ELSE) {
      setState(201);
      match(MusterParser::KW_ELSE);
      setState(202);
      body();
    }
   
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

tree::TerminalNode* MusterParser::ExprContext::KW_IF() {
  return getToken(MusterParser::KW_IF, 0);
}

std::vector<MusterParser::ExprContext *> MusterParser::ExprContext::expr() {
  return getRuleContexts<MusterParser::ExprContext>();
}

MusterParser::ExprContext* MusterParser::ExprContext::expr(size_t i) {
  return getRuleContext<MusterParser::ExprContext>(i);
}

tree::TerminalNode* MusterParser::ExprContext::KW_THEN() {
  return getToken(MusterParser::KW_THEN, 0);
}

tree::TerminalNode* MusterParser::ExprContext::KW_ELSE() {
  return getToken(MusterParser::KW_ELSE, 0);
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
  enterRule(_localctx, 38, MusterParser::RuleExpr);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    setState(221);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case MusterParser::KW_IF: {
        enterOuterAlt(_localctx, 1);
        setState(205);
        match(MusterParser::KW_IF);
        setState(206);
        expr();
        setState(207);
        match(MusterParser::KW_THEN);
        setState(208);
        expr();
        setState(209);
        match(MusterParser::KW_ELSE);
        setState(210);
        expr();
        break;
      }

      case MusterParser::KW_NOT:
      case MusterParser::KW_TRUE:
      case MusterParser::KW_FALSE:
      case MusterParser::LBRACK:
      case MusterParser::LPAREN:
      case MusterParser::MINUS:
      case MusterParser::HEREDOC_OPEN:
      case MusterParser::IDENT:
      case MusterParser::QUANTITY:
      case MusterParser::NUMBER:
      case MusterParser::VARIABLE:
      case MusterParser::STRING:
      case MusterParser::RAW: {
        enterOuterAlt(_localctx, 2);
        setState(212);
        operand();
        setState(218);
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
          setState(213);
          binop();
          setState(214);
          operand();
          setState(220);
          _errHandler->sync(this);
          _la = _input->LA(1);
        }
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
  enterRule(_localctx, 40, MusterParser::RuleBinop);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(223);
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
  enterRule(_localctx, 42, MusterParser::RuleOperand);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(228);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while (_la == MusterParser::KW_NOT

    || _la == MusterParser::MINUS) {
      setState(225);
      _la = _input->LA(1);
      if (!(_la == MusterParser::KW_NOT

      || _la == MusterParser::MINUS)) {
      _errHandler->recoverInline(this);
      }
      else {
        _errHandler->reportMatch(this);
        consume();
      }
      setState(230);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
    setState(231);
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
  enterRule(_localctx, 44, MusterParser::RulePrimary);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    setState(261);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case MusterParser::NUMBER: {
        enterOuterAlt(_localctx, 1);
        setState(233);
        match(MusterParser::NUMBER);
        break;
      }

      case MusterParser::QUANTITY: {
        enterOuterAlt(_localctx, 2);
        setState(234);
        match(MusterParser::QUANTITY);
        break;
      }

      case MusterParser::STRING: {
        enterOuterAlt(_localctx, 3);
        setState(235);
        match(MusterParser::STRING);
        break;
      }

      case MusterParser::RAW: {
        enterOuterAlt(_localctx, 4);
        setState(236);
        match(MusterParser::RAW);
        break;
      }

      case MusterParser::KW_TRUE: {
        enterOuterAlt(_localctx, 5);
        setState(237);
        match(MusterParser::KW_TRUE);
        break;
      }

      case MusterParser::KW_FALSE: {
        enterOuterAlt(_localctx, 6);
        setState(238);
        match(MusterParser::KW_FALSE);
        break;
      }

      case MusterParser::VARIABLE: {
        enterOuterAlt(_localctx, 7);
        setState(239);
        match(MusterParser::VARIABLE);
        break;
      }

      case MusterParser::HEREDOC_OPEN: {
        enterOuterAlt(_localctx, 8);
        setState(240);
        heredoc();
        break;
      }

      case MusterParser::LBRACK: {
        enterOuterAlt(_localctx, 9);
        setState(241);
        list();
        break;
      }

      case MusterParser::IDENT: {
        enterOuterAlt(_localctx, 10);
        setState(242);
        match(MusterParser::IDENT);
        setState(255);
        _errHandler->sync(this);
        switch (_input->LA(1)) {
          case MusterParser::COLON: {
            setState(243);
            match(MusterParser::COLON);
            setState(244);
            match(MusterParser::NUMBER);
            break;
          }

          case MusterParser::EOF:
          case MusterParser::KW_PARAM:
          case MusterParser::KW_LET:
          case MusterParser::KW_TEMPLATE:
          case MusterParser::KW_WHEN:
          case MusterParser::KW_ELSE:
          case MusterParser::KW_THEN:
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
          case MusterParser::ASSIGN:
          case MusterParser::PLUS:
          case MusterParser::MINUS:
          case MusterParser::STAR:
          case MusterParser::SLASH:
          case MusterParser::IDENT:
          case MusterParser::STRING: {
            setState(249);
            _errHandler->sync(this);
            _la = _input->LA(1);
            while (_la == MusterParser::DOT) {
              setState(245);
              match(MusterParser::DOT);
              setState(246);
              match(MusterParser::IDENT);
              setState(251);
              _errHandler->sync(this);
              _la = _input->LA(1);
            }
            setState(253);
            _errHandler->sync(this);

            _la = _input->LA(1);
            if (_la == MusterParser::LPAREN) {
              setState(252);
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
        setState(257);
        match(MusterParser::LPAREN);
        setState(258);
        expr();
        setState(259);
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
  enterRule(_localctx, 46, MusterParser::RuleList);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    size_t alt;
    enterOuterAlt(_localctx, 1);
    setState(263);
    match(MusterParser::LBRACK);
    setState(275);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if ((((_la & ~ 0x3fULL) == 0) &&
      ((1ULL << _la) & ((1ULL << MusterParser::KW_IF)
      | (1ULL << MusterParser::KW_NOT)
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
      setState(264);
      expr();
      setState(269);
      _errHandler->sync(this);
      alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 29, _ctx);
      while (alt != 2 && alt != atn::ATN::INVALID_ALT_NUMBER) {
        if (alt == 1) {
          setState(265);
          match(MusterParser::COMMA);
          setState(266);
          expr(); 
        }
        setState(271);
        _errHandler->sync(this);
        alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 29, _ctx);
      }
      setState(273);
      _errHandler->sync(this);

      _la = _input->LA(1);
      if (_la == MusterParser::COMMA) {
        setState(272);
        match(MusterParser::COMMA);
      }
    }
    setState(277);
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
  enterRule(_localctx, 48, MusterParser::RuleCall);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    size_t alt;
    enterOuterAlt(_localctx, 1);
    setState(279);
    match(MusterParser::LPAREN);
    setState(291);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if ((((_la & ~ 0x3fULL) == 0) &&
      ((1ULL << _la) & ((1ULL << MusterParser::KW_IF)
      | (1ULL << MusterParser::KW_NOT)
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
      setState(280);
      expr();
      setState(285);
      _errHandler->sync(this);
      alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 32, _ctx);
      while (alt != 2 && alt != atn::ATN::INVALID_ALT_NUMBER) {
        if (alt == 1) {
          setState(281);
          match(MusterParser::COMMA);
          setState(282);
          expr(); 
        }
        setState(287);
        _errHandler->sync(this);
        alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 32, _ctx);
      }
      setState(289);
      _errHandler->sync(this);

      _la = _input->LA(1);
      if (_la == MusterParser::COMMA) {
        setState(288);
        match(MusterParser::COMMA);
      }
    }
    setState(293);
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
  enterRule(_localctx, 50, MusterParser::RuleHeredoc);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(295);
    match(MusterParser::HEREDOC_OPEN);
    setState(299);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while (_la == MusterParser::HEREDOC_LINE) {
      setState(296);
      match(MusterParser::HEREDOC_LINE);
      setState(301);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
    setState(302);
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
  "file", "importing", "param", "signature", "type", "binding", "blueprint", 
  "block", "instance", "argument", "label", "body", "item", "member", "key", 
  "requirement", "preference", "assertion", "conditional", "expr", "binop", 
  "operand", "primary", "list", "call", "heredoc"
};

std::vector<std::string> MusterParser::_literalNames = {
  "", "'import'", "'as'", "'param'", "'let'", "'template'", "'from'", "'when'", 
  "'else'", "'if'", "'then'", "'in'", "'and'", "'or'", "'not'", "'true'", 
  "'false'", "'require'", "'prefer'", "'assert'", "'{'", "'}'", "'['", "']'", 
  "'('", "')'", "','", "':'", "'..'", "'.'", "'=='", "'!='", "'<='", "'>='", 
  "'<'", "'>'", "'='", "'+='", "'+'", "'-'", "'*'", "'/'"
};

std::vector<std::string> MusterParser::_symbolicNames = {
  "", "KW_IMPORT", "KW_AS", "KW_PARAM", "KW_LET", "KW_TEMPLATE", "KW_FROM", 
  "KW_WHEN", "KW_ELSE", "KW_IF", "KW_THEN", "KW_IN", "KW_AND", "KW_OR", 
  "KW_NOT", "KW_TRUE", "KW_FALSE", "KW_REQUIRE", "KW_PREFER", "KW_ASSERT", 
  "LBRACE", "RBRACE", "LBRACK", "RBRACK", "LPAREN", "RPAREN", "COMMA", "COLON", 
  "DOTDOT", "DOT", "EQ", "NE", "LE", "GE", "LT", "GT", "ASSIGN", "PLUS_ASSIGN", 
  "PLUS", "MINUS", "STAR", "SLASH", "HEREDOC_OPEN", "IDENT", "QUANTITY", 
  "NUMBER", "VARIABLE", "STRING", "RAW", "COMMENT", "SPACE", "BAD_STRING", 
  "BAD_RAW", "BAD_CHAR", "HEREDOC_CLOSE", "HEREDOC_LINE"
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
    0x3, 0x39, 0x133, 0x4, 0x2, 0x9, 0x2, 0x4, 0x3, 0x9, 0x3, 0x4, 0x4, 
    0x9, 0x4, 0x4, 0x5, 0x9, 0x5, 0x4, 0x6, 0x9, 0x6, 0x4, 0x7, 0x9, 0x7, 
    0x4, 0x8, 0x9, 0x8, 0x4, 0x9, 0x9, 0x9, 0x4, 0xa, 0x9, 0xa, 0x4, 0xb, 
    0x9, 0xb, 0x4, 0xc, 0x9, 0xc, 0x4, 0xd, 0x9, 0xd, 0x4, 0xe, 0x9, 0xe, 
    0x4, 0xf, 0x9, 0xf, 0x4, 0x10, 0x9, 0x10, 0x4, 0x11, 0x9, 0x11, 0x4, 
    0x12, 0x9, 0x12, 0x4, 0x13, 0x9, 0x13, 0x4, 0x14, 0x9, 0x14, 0x4, 0x15, 
    0x9, 0x15, 0x4, 0x16, 0x9, 0x16, 0x4, 0x17, 0x9, 0x17, 0x4, 0x18, 0x9, 
    0x18, 0x4, 0x19, 0x9, 0x19, 0x4, 0x1a, 0x9, 0x1a, 0x4, 0x1b, 0x9, 0x1b, 
    0x3, 0x2, 0x7, 0x2, 0x38, 0xa, 0x2, 0xc, 0x2, 0xe, 0x2, 0x3b, 0xb, 0x2, 
    0x3, 0x2, 0x3, 0x2, 0x3, 0x2, 0x3, 0x2, 0x7, 0x2, 0x41, 0xa, 0x2, 0xc, 
    0x2, 0xe, 0x2, 0x44, 0xb, 0x2, 0x3, 0x2, 0x3, 0x2, 0x3, 0x3, 0x3, 0x3, 
    0x3, 0x3, 0x3, 0x3, 0x3, 0x3, 0x3, 0x4, 0x3, 0x4, 0x3, 0x4, 0x3, 0x5, 
    0x3, 0x5, 0x3, 0x5, 0x3, 0x5, 0x3, 0x5, 0x5, 0x5, 0x55, 0xa, 0x5, 0x3, 
    0x5, 0x3, 0x5, 0x5, 0x5, 0x59, 0xa, 0x5, 0x3, 0x6, 0x3, 0x6, 0x3, 0x6, 
    0x3, 0x6, 0x5, 0x6, 0x5f, 0xa, 0x6, 0x3, 0x7, 0x3, 0x7, 0x3, 0x7, 0x3, 
    0x7, 0x3, 0x7, 0x3, 0x8, 0x3, 0x8, 0x3, 0x8, 0x3, 0x8, 0x3, 0x8, 0x3, 
    0x8, 0x7, 0x8, 0x6c, 0xa, 0x8, 0xc, 0x8, 0xe, 0x8, 0x6f, 0xb, 0x8, 0x3, 
    0x8, 0x5, 0x8, 0x72, 0xa, 0x8, 0x5, 0x8, 0x74, 0xa, 0x8, 0x3, 0x8, 0x3, 
    0x8, 0x3, 0x8, 0x3, 0x9, 0x3, 0x9, 0x5, 0x9, 0x7b, 0xa, 0x9, 0x3, 0x9, 
    0x3, 0x9, 0x5, 0x9, 0x7f, 0xa, 0x9, 0x3, 0x9, 0x5, 0x9, 0x82, 0xa, 0x9, 
    0x3, 0xa, 0x3, 0xa, 0x3, 0xa, 0x3, 0xa, 0x5, 0xa, 0x88, 0xa, 0xa, 0x3, 
    0xa, 0x3, 0xa, 0x3, 0xa, 0x3, 0xa, 0x7, 0xa, 0x8e, 0xa, 0xa, 0xc, 0xa, 
    0xe, 0xa, 0x91, 0xb, 0xa, 0x3, 0xa, 0x5, 0xa, 0x94, 0xa, 0xa, 0x5, 0xa, 
    0x96, 0xa, 0xa, 0x3, 0xa, 0x3, 0xa, 0x3, 0xb, 0x3, 0xb, 0x3, 0xb, 0x3, 
    0xb, 0x3, 0xc, 0x3, 0xc, 0x3, 0xd, 0x3, 0xd, 0x7, 0xd, 0xa2, 0xa, 0xd, 
    0xc, 0xd, 0xe, 0xd, 0xa5, 0xb, 0xd, 0x3, 0xd, 0x3, 0xd, 0x3, 0xe, 0x3, 
    0xe, 0x3, 0xe, 0x3, 0xe, 0x3, 0xe, 0x5, 0xe, 0xae, 0xa, 0xe, 0x3, 0xf, 
    0x3, 0xf, 0x3, 0xf, 0x3, 0xf, 0x5, 0xf, 0xb4, 0xa, 0xf, 0x3, 0xf, 0x5, 
    0xf, 0xb7, 0xa, 0xf, 0x3, 0x10, 0x3, 0x10, 0x3, 0x11, 0x3, 0x11, 0x3, 
    0x11, 0x3, 0x12, 0x3, 0x12, 0x3, 0x12, 0x3, 0x12, 0x5, 0x12, 0xc2, 0xa, 
    0x12, 0x3, 0x13, 0x3, 0x13, 0x3, 0x13, 0x3, 0x13, 0x3, 0x13, 0x3, 0x14, 
    0x3, 0x14, 0x3, 0x14, 0x3, 0x14, 0x3, 0x14, 0x5, 0x14, 0xce, 0xa, 0x14, 
    0x3, 0x15, 0x3, 0x15, 0x3, 0x15, 0x3, 0x15, 0x3, 0x15, 0x3, 0x15, 0x3, 
    0x15, 0x3, 0x15, 0x3, 0x15, 0x3, 0x15, 0x3, 0x15, 0x7, 0x15, 0xdb, 0xa, 
    0x15, 0xc, 0x15, 0xe, 0x15, 0xde, 0xb, 0x15, 0x5, 0x15, 0xe0, 0xa, 0x15, 
    0x3, 0x16, 0x3, 0x16, 0x3, 0x17, 0x7, 0x17, 0xe5, 0xa, 0x17, 0xc, 0x17, 
    0xe, 0x17, 0xe8, 0xb, 0x17, 0x3, 0x17, 0x3, 0x17, 0x3, 0x18, 0x3, 0x18, 
    0x3, 0x18, 0x3, 0x18, 0x3, 0x18, 0x3, 0x18, 0x3, 0x18, 0x3, 0x18, 0x3, 
    0x18, 0x3, 0x18, 0x3, 0x18, 0x3, 0x18, 0x3, 0x18, 0x3, 0x18, 0x7, 0x18, 
    0xfa, 0xa, 0x18, 0xc, 0x18, 0xe, 0x18, 0xfd, 0xb, 0x18, 0x3, 0x18, 0x5, 
    0x18, 0x100, 0xa, 0x18, 0x5, 0x18, 0x102, 0xa, 0x18, 0x3, 0x18, 0x3, 
    0x18, 0x3, 0x18, 0x3, 0x18, 0x5, 0x18, 0x108, 0xa, 0x18, 0x3, 0x19, 
    0x3, 0x19, 0x3, 0x19, 0x3, 0x19, 0x7, 0x19, 0x10e, 0xa, 0x19, 0xc, 0x19, 
    0xe, 0x19, 0x111, 0xb, 0x19, 0x3, 0x19, 0x5, 0x19, 0x114, 0xa, 0x19, 
    0x5, 0x19, 0x116, 0xa, 0x19, 0x3, 0x19, 0x3, 0x19, 0x3, 0x1a, 0x3, 0x1a, 
    0x3, 0x1a, 0x3, 0x1a, 0x7, 0x1a, 0x11e, 0xa, 0x1a, 0xc, 0x1a, 0xe, 0x1a, 
    0x121, 0xb, 0x1a, 0x3, 0x1a, 0x5, 0x1a, 0x124, 0xa, 0x1a, 0x5, 0x1a, 
    0x126, 0xa, 0x1a, 0x3, 0x1a, 0x3, 0x1a, 0x3, 0x1b, 0x3, 0x1b, 0x7, 0x1b, 
    0x12c, 0xa, 0x1b, 0xc, 0x1b, 0xe, 0x1b, 0x12f, 0xb, 0x1b, 0x3, 0x1b, 
    0x3, 0x1b, 0x3, 0x1b, 0x2, 0x2, 0x1c, 0x2, 0x4, 0x6, 0x8, 0xa, 0xc, 
    0xe, 0x10, 0x12, 0x14, 0x16, 0x18, 0x1a, 0x1c, 0x1e, 0x20, 0x22, 0x24, 
    0x26, 0x28, 0x2a, 0x2c, 0x2e, 0x30, 0x32, 0x34, 0x2, 0x7, 0x4, 0x2, 
    0x2d, 0x2d, 0x31, 0x31, 0x3, 0x2, 0x26, 0x27, 0x3, 0x2, 0x31, 0x32, 
    0x6, 0x2, 0xd, 0xf, 0x1e, 0x1e, 0x20, 0x25, 0x28, 0x2b, 0x4, 0x2, 0x10, 
    0x10, 0x29, 0x29, 0x2, 0x14a, 0x2, 0x39, 0x3, 0x2, 0x2, 0x2, 0x4, 0x47, 
    0x3, 0x2, 0x2, 0x2, 0x6, 0x4c, 0x3, 0x2, 0x2, 0x2, 0x8, 0x4f, 0x3, 0x2, 
    0x2, 0x2, 0xa, 0x5a, 0x3, 0x2, 0x2, 0x2, 0xc, 0x60, 0x3, 0x2, 0x2, 0x2, 
    0xe, 0x65, 0x3, 0x2, 0x2, 0x2, 0x10, 0x78, 0x3, 0x2, 0x2, 0x2, 0x12, 
    0x83, 0x3, 0x2, 0x2, 0x2, 0x14, 0x99, 0x3, 0x2, 0x2, 0x2, 0x16, 0x9d, 
    0x3, 0x2, 0x2, 0x2, 0x18, 0x9f, 0x3, 0x2, 0x2, 0x2, 0x1a, 0xad, 0x3, 
    0x2, 0x2, 0x2, 0x1c, 0xaf, 0x3, 0x2, 0x2, 0x2, 0x1e, 0xb8, 0x3, 0x2, 
    0x2, 0x2, 0x20, 0xba, 0x3, 0x2, 0x2, 0x2, 0x22, 0xbd, 0x3, 0x2, 0x2, 
    0x2, 0x24, 0xc3, 0x3, 0x2, 0x2, 0x2, 0x26, 0xc8, 0x3, 0x2, 0x2, 0x2, 
    0x28, 0xdf, 0x3, 0x2, 0x2, 0x2, 0x2a, 0xe1, 0x3, 0x2, 0x2, 0x2, 0x2c, 
    0xe6, 0x3, 0x2, 0x2, 0x2, 0x2e, 0x107, 0x3, 0x2, 0x2, 0x2, 0x30, 0x109, 
    0x3, 0x2, 0x2, 0x2, 0x32, 0x119, 0x3, 0x2, 0x2, 0x2, 0x34, 0x129, 0x3, 
    0x2, 0x2, 0x2, 0x36, 0x38, 0x5, 0x4, 0x3, 0x2, 0x37, 0x36, 0x3, 0x2, 
    0x2, 0x2, 0x38, 0x3b, 0x3, 0x2, 0x2, 0x2, 0x39, 0x37, 0x3, 0x2, 0x2, 
    0x2, 0x39, 0x3a, 0x3, 0x2, 0x2, 0x2, 0x3a, 0x42, 0x3, 0x2, 0x2, 0x2, 
    0x3b, 0x39, 0x3, 0x2, 0x2, 0x2, 0x3c, 0x41, 0x5, 0x10, 0x9, 0x2, 0x3d, 
    0x41, 0x5, 0x6, 0x4, 0x2, 0x3e, 0x41, 0x5, 0xc, 0x7, 0x2, 0x3f, 0x41, 
    0x5, 0xe, 0x8, 0x2, 0x40, 0x3c, 0x3, 0x2, 0x2, 0x2, 0x40, 0x3d, 0x3, 
    0x2, 0x2, 0x2, 0x40, 0x3e, 0x3, 0x2, 0x2, 0x2, 0x40, 0x3f, 0x3, 0x2, 
    0x2, 0x2, 0x41, 0x44, 0x3, 0x2, 0x2, 0x2, 0x42, 0x40, 0x3, 0x2, 0x2, 
    0x2, 0x42, 0x43, 0x3, 0x2, 0x2, 0x2, 0x43, 0x45, 0x3, 0x2, 0x2, 0x2, 
    0x44, 0x42, 0x3, 0x2, 0x2, 0x2, 0x45, 0x46, 0x7, 0x2, 0x2, 0x3, 0x46, 
    0x3, 0x3, 0x2, 0x2, 0x2, 0x47, 0x48, 0x7, 0x3, 0x2, 0x2, 0x48, 0x49, 
    0x7, 0x31, 0x2, 0x2, 0x49, 0x4a, 0x7, 0x4, 0x2, 0x2, 0x4a, 0x4b, 0x7, 
    0x2d, 0x2, 0x2, 0x4b, 0x5, 0x3, 0x2, 0x2, 0x2, 0x4c, 0x4d, 0x7, 0x5, 
    0x2, 0x2, 0x4d, 0x4e, 0x5, 0x8, 0x5, 0x2, 0x4e, 0x7, 0x3, 0x2, 0x2, 
    0x2, 0x4f, 0x50, 0x7, 0x2d, 0x2, 0x2, 0x50, 0x51, 0x7, 0x1d, 0x2, 0x2, 
    0x51, 0x54, 0x5, 0xa, 0x6, 0x2, 0x52, 0x53, 0x7, 0xd, 0x2, 0x2, 0x53, 
    0x55, 0x5, 0x28, 0x15, 0x2, 0x54, 0x52, 0x3, 0x2, 0x2, 0x2, 0x54, 0x55, 
    0x3, 0x2, 0x2, 0x2, 0x55, 0x58, 0x3, 0x2, 0x2, 0x2, 0x56, 0x57, 0x7, 
    0x26, 0x2, 0x2, 0x57, 0x59, 0x5, 0x28, 0x15, 0x2, 0x58, 0x56, 0x3, 0x2, 
    0x2, 0x2, 0x58, 0x59, 0x3, 0x2, 0x2, 0x2, 0x59, 0x9, 0x3, 0x2, 0x2, 
    0x2, 0x5a, 0x5e, 0x7, 0x2d, 0x2, 0x2, 0x5b, 0x5c, 0x7, 0x1a, 0x2, 0x2, 
    0x5c, 0x5d, 0x7, 0x2d, 0x2, 0x2, 0x5d, 0x5f, 0x7, 0x1b, 0x2, 0x2, 0x5e, 
    0x5b, 0x3, 0x2, 0x2, 0x2, 0x5e, 0x5f, 0x3, 0x2, 0x2, 0x2, 0x5f, 0xb, 
    0x3, 0x2, 0x2, 0x2, 0x60, 0x61, 0x7, 0x6, 0x2, 0x2, 0x61, 0x62, 0x7, 
    0x2d, 0x2, 0x2, 0x62, 0x63, 0x7, 0x26, 0x2, 0x2, 0x63, 0x64, 0x5, 0x28, 
    0x15, 0x2, 0x64, 0xd, 0x3, 0x2, 0x2, 0x2, 0x65, 0x66, 0x7, 0x7, 0x2, 
    0x2, 0x66, 0x67, 0x7, 0x2d, 0x2, 0x2, 0x67, 0x73, 0x7, 0x1a, 0x2, 0x2, 
    0x68, 0x6d, 0x5, 0x8, 0x5, 0x2, 0x69, 0x6a, 0x7, 0x1c, 0x2, 0x2, 0x6a, 
    0x6c, 0x5, 0x8, 0x5, 0x2, 0x6b, 0x69, 0x3, 0x2, 0x2, 0x2, 0x6c, 0x6f, 
    0x3, 0x2, 0x2, 0x2, 0x6d, 0x6b, 0x3, 0x2, 0x2, 0x2, 0x6d, 0x6e, 0x3, 
    0x2, 0x2, 0x2, 0x6e, 0x71, 0x3, 0x2, 0x2, 0x2, 0x6f, 0x6d, 0x3, 0x2, 
    0x2, 0x2, 0x70, 0x72, 0x7, 0x1c, 0x2, 0x2, 0x71, 0x70, 0x3, 0x2, 0x2, 
    0x2, 0x71, 0x72, 0x3, 0x2, 0x2, 0x2, 0x72, 0x74, 0x3, 0x2, 0x2, 0x2, 
    0x73, 0x68, 0x3, 0x2, 0x2, 0x2, 0x73, 0x74, 0x3, 0x2, 0x2, 0x2, 0x74, 
    0x75, 0x3, 0x2, 0x2, 0x2, 0x75, 0x76, 0x7, 0x1b, 0x2, 0x2, 0x76, 0x77, 
    0x5, 0x18, 0xd, 0x2, 0x77, 0xf, 0x3, 0x2, 0x2, 0x2, 0x78, 0x7a, 0x7, 
    0x2d, 0x2, 0x2, 0x79, 0x7b, 0x5, 0x16, 0xc, 0x2, 0x7a, 0x79, 0x3, 0x2, 
    0x2, 0x2, 0x7a, 0x7b, 0x3, 0x2, 0x2, 0x2, 0x7b, 0x81, 0x3, 0x2, 0x2, 
    0x2, 0x7c, 0x7e, 0x5, 0x12, 0xa, 0x2, 0x7d, 0x7f, 0x5, 0x18, 0xd, 0x2, 
    0x7e, 0x7d, 0x3, 0x2, 0x2, 0x2, 0x7e, 0x7f, 0x3, 0x2, 0x2, 0x2, 0x7f, 
    0x82, 0x3, 0x2, 0x2, 0x2, 0x80, 0x82, 0x5, 0x18, 0xd, 0x2, 0x81, 0x7c, 
    0x3, 0x2, 0x2, 0x2, 0x81, 0x80, 0x3, 0x2, 0x2, 0x2, 0x82, 0x11, 0x3, 
    0x2, 0x2, 0x2, 0x83, 0x84, 0x7, 0x8, 0x2, 0x2, 0x84, 0x87, 0x7, 0x2d, 
    0x2, 0x2, 0x85, 0x86, 0x7, 0x1f, 0x2, 0x2, 0x86, 0x88, 0x7, 0x2d, 0x2, 
    0x2, 0x87, 0x85, 0x3, 0x2, 0x2, 0x2, 0x87, 0x88, 0x3, 0x2, 0x2, 0x2, 
    0x88, 0x89, 0x3, 0x2, 0x2, 0x2, 0x89, 0x95, 0x7, 0x1a, 0x2, 0x2, 0x8a, 
    0x8f, 0x5, 0x14, 0xb, 0x2, 0x8b, 0x8c, 0x7, 0x1c, 0x2, 0x2, 0x8c, 0x8e, 
    0x5, 0x14, 0xb, 0x2, 0x8d, 0x8b, 0x3, 0x2, 0x2, 0x2, 0x8e, 0x91, 0x3, 
    0x2, 0x2, 0x2, 0x8f, 0x8d, 0x3, 0x2, 0x2, 0x2, 0x8f, 0x90, 0x3, 0x2, 
    0x2, 0x2, 0x90, 0x93, 0x3, 0x2, 0x2, 0x2, 0x91, 0x8f, 0x3, 0x2, 0x2, 
    0x2, 0x92, 0x94, 0x7, 0x1c, 0x2, 0x2, 0x93, 0x92, 0x3, 0x2, 0x2, 0x2, 
    0x93, 0x94, 0x3, 0x2, 0x2, 0x2, 0x94, 0x96, 0x3, 0x2, 0x2, 0x2, 0x95, 
    0x8a, 0x3, 0x2, 0x2, 0x2, 0x95, 0x96, 0x3, 0x2, 0x2, 0x2, 0x96, 0x97, 
    0x3, 0x2, 0x2, 0x2, 0x97, 0x98, 0x7, 0x1b, 0x2, 0x2, 0x98, 0x13, 0x3, 
    0x2, 0x2, 0x2, 0x99, 0x9a, 0x7, 0x2d, 0x2, 0x2, 0x9a, 0x9b, 0x7, 0x26, 
    0x2, 0x2, 0x9b, 0x9c, 0x5, 0x28, 0x15, 0x2, 0x9c, 0x15, 0x3, 0x2, 0x2, 
    0x2, 0x9d, 0x9e, 0x9, 0x2, 0x2, 0x2, 0x9e, 0x17, 0x3, 0x2, 0x2, 0x2, 
    0x9f, 0xa3, 0x7, 0x16, 0x2, 0x2, 0xa0, 0xa2, 0x5, 0x1a, 0xe, 0x2, 0xa1, 
    0xa0, 0x3, 0x2, 0x2, 0x2, 0xa2, 0xa5, 0x3, 0x2, 0x2, 0x2, 0xa3, 0xa1, 
    0x3, 0x2, 0x2, 0x2, 0xa3, 0xa4, 0x3, 0x2, 0x2, 0x2, 0xa4, 0xa6, 0x3, 
    0x2, 0x2, 0x2, 0xa5, 0xa3, 0x3, 0x2, 0x2, 0x2, 0xa6, 0xa7, 0x7, 0x17, 
    0x2, 0x2, 0xa7, 0x19, 0x3, 0x2, 0x2, 0x2, 0xa8, 0xae, 0x5, 0x1c, 0xf, 
    0x2, 0xa9, 0xae, 0x5, 0x20, 0x11, 0x2, 0xaa, 0xae, 0x5, 0x22, 0x12, 
    0x2, 0xab, 0xae, 0x5, 0x24, 0x13, 0x2, 0xac, 0xae, 0x5, 0x26, 0x14, 
    0x2, 0xad, 0xa8, 0x3, 0x2, 0x2, 0x2, 0xad, 0xa9, 0x3, 0x2, 0x2, 0x2, 
    0xad, 0xaa, 0x3, 0x2, 0x2, 0x2, 0xad, 0xab, 0x3, 0x2, 0x2, 0x2, 0xad, 
    0xac, 0x3, 0x2, 0x2, 0x2, 0xae, 0x1b, 0x3, 0x2, 0x2, 0x2, 0xaf, 0xb6, 
    0x5, 0x1e, 0x10, 0x2, 0xb0, 0xb1, 0x9, 0x3, 0x2, 0x2, 0xb1, 0xb7, 0x5, 
    0x28, 0x15, 0x2, 0xb2, 0xb4, 0x5, 0x16, 0xc, 0x2, 0xb3, 0xb2, 0x3, 0x2, 
    0x2, 0x2, 0xb3, 0xb4, 0x3, 0x2, 0x2, 0x2, 0xb4, 0xb5, 0x3, 0x2, 0x2, 
    0x2, 0xb5, 0xb7, 0x5, 0x18, 0xd, 0x2, 0xb6, 0xb0, 0x3, 0x2, 0x2, 0x2, 
    0xb6, 0xb3, 0x3, 0x2, 0x2, 0x2, 0xb7, 0x1d, 0x3, 0x2, 0x2, 0x2, 0xb8, 
    0xb9, 0x9, 0x2, 0x2, 0x2, 0xb9, 0x1f, 0x3, 0x2, 0x2, 0x2, 0xba, 0xbb, 
    0x7, 0x13, 0x2, 0x2, 0xbb, 0xbc, 0x5, 0x28, 0x15, 0x2, 0xbc, 0x21, 0x3, 
    0x2, 0x2, 0x2, 0xbd, 0xbe, 0x7, 0x14, 0x2, 0x2, 0xbe, 0xc1, 0x5, 0x28, 
    0x15, 0x2, 0xbf, 0xc0, 0x7, 0x2d, 0x2, 0x2, 0xc0, 0xc2, 0x7, 0x2f, 0x2, 
    0x2, 0xc1, 0xbf, 0x3, 0x2, 0x2, 0x2, 0xc1, 0xc2, 0x3, 0x2, 0x2, 0x2, 
    0xc2, 0x23, 0x3, 0x2, 0x2, 0x2, 0xc3, 0xc4, 0x7, 0x15, 0x2, 0x2, 0xc4, 
    0xc5, 0x5, 0x28, 0x15, 0x2, 0xc5, 0xc6, 0x7, 0x1c, 0x2, 0x2, 0xc6, 0xc7, 
    0x9, 0x4, 0x2, 0x2, 0xc7, 0x25, 0x3, 0x2, 0x2, 0x2, 0xc8, 0xc9, 0x7, 
    0x9, 0x2, 0x2, 0xc9, 0xca, 0x5, 0x28, 0x15, 0x2, 0xca, 0xcd, 0x5, 0x18, 
    0xd, 0x2, 0xcb, 0xcc, 0x7, 0xa, 0x2, 0x2, 0xcc, 0xce, 0x5, 0x18, 0xd, 
    0x2, 0xcd, 0xcb, 0x3, 0x2, 0x2, 0x2, 0xcd, 0xce, 0x3, 0x2, 0x2, 0x2, 
    0xce, 0x27, 0x3, 0x2, 0x2, 0x2, 0xcf, 0xd0, 0x7, 0xb, 0x2, 0x2, 0xd0, 
    0xd1, 0x5, 0x28, 0x15, 0x2, 0xd1, 0xd2, 0x7, 0xc, 0x2, 0x2, 0xd2, 0xd3, 
    0x5, 0x28, 0x15, 0x2, 0xd3, 0xd4, 0x7, 0xa, 0x2, 0x2, 0xd4, 0xd5, 0x5, 
    0x28, 0x15, 0x2, 0xd5, 0xe0, 0x3, 0x2, 0x2, 0x2, 0xd6, 0xdc, 0x5, 0x2c, 
    0x17, 0x2, 0xd7, 0xd8, 0x5, 0x2a, 0x16, 0x2, 0xd8, 0xd9, 0x5, 0x2c, 
    0x17, 0x2, 0xd9, 0xdb, 0x3, 0x2, 0x2, 0x2, 0xda, 0xd7, 0x3, 0x2, 0x2, 
    0x2, 0xdb, 0xde, 0x3, 0x2, 0x2, 0x2, 0xdc, 0xda, 0x3, 0x2, 0x2, 0x2, 
    0xdc, 0xdd, 0x3, 0x2, 0x2, 0x2, 0xdd, 0xe0, 0x3, 0x2, 0x2, 0x2, 0xde, 
    0xdc, 0x3, 0x2, 0x2, 0x2, 0xdf, 0xcf, 0x3, 0x2, 0x2, 0x2, 0xdf, 0xd6, 
    0x3, 0x2, 0x2, 0x2, 0xe0, 0x29, 0x3, 0x2, 0x2, 0x2, 0xe1, 0xe2, 0x9, 
    0x5, 0x2, 0x2, 0xe2, 0x2b, 0x3, 0x2, 0x2, 0x2, 0xe3, 0xe5, 0x9, 0x6, 
    0x2, 0x2, 0xe4, 0xe3, 0x3, 0x2, 0x2, 0x2, 0xe5, 0xe8, 0x3, 0x2, 0x2, 
    0x2, 0xe6, 0xe4, 0x3, 0x2, 0x2, 0x2, 0xe6, 0xe7, 0x3, 0x2, 0x2, 0x2, 
    0xe7, 0xe9, 0x3, 0x2, 0x2, 0x2, 0xe8, 0xe6, 0x3, 0x2, 0x2, 0x2, 0xe9, 
    0xea, 0x5, 0x2e, 0x18, 0x2, 0xea, 0x2d, 0x3, 0x2, 0x2, 0x2, 0xeb, 0x108, 
    0x7, 0x2f, 0x2, 0x2, 0xec, 0x108, 0x7, 0x2e, 0x2, 0x2, 0xed, 0x108, 
    0x7, 0x31, 0x2, 0x2, 0xee, 0x108, 0x7, 0x32, 0x2, 0x2, 0xef, 0x108, 
    0x7, 0x11, 0x2, 0x2, 0xf0, 0x108, 0x7, 0x12, 0x2, 0x2, 0xf1, 0x108, 
    0x7, 0x30, 0x2, 0x2, 0xf2, 0x108, 0x5, 0x34, 0x1b, 0x2, 0xf3, 0x108, 
    0x5, 0x30, 0x19, 0x2, 0xf4, 0x101, 0x7, 0x2d, 0x2, 0x2, 0xf5, 0xf6, 
    0x7, 0x1d, 0x2, 0x2, 0xf6, 0x102, 0x7, 0x2f, 0x2, 0x2, 0xf7, 0xf8, 0x7, 
    0x1f, 0x2, 0x2, 0xf8, 0xfa, 0x7, 0x2d, 0x2, 0x2, 0xf9, 0xf7, 0x3, 0x2, 
    0x2, 0x2, 0xfa, 0xfd, 0x3, 0x2, 0x2, 0x2, 0xfb, 0xf9, 0x3, 0x2, 0x2, 
    0x2, 0xfb, 0xfc, 0x3, 0x2, 0x2, 0x2, 0xfc, 0xff, 0x3, 0x2, 0x2, 0x2, 
    0xfd, 0xfb, 0x3, 0x2, 0x2, 0x2, 0xfe, 0x100, 0x5, 0x32, 0x1a, 0x2, 0xff, 
    0xfe, 0x3, 0x2, 0x2, 0x2, 0xff, 0x100, 0x3, 0x2, 0x2, 0x2, 0x100, 0x102, 
    0x3, 0x2, 0x2, 0x2, 0x101, 0xf5, 0x3, 0x2, 0x2, 0x2, 0x101, 0xfb, 0x3, 
    0x2, 0x2, 0x2, 0x102, 0x108, 0x3, 0x2, 0x2, 0x2, 0x103, 0x104, 0x7, 
    0x1a, 0x2, 0x2, 0x104, 0x105, 0x5, 0x28, 0x15, 0x2, 0x105, 0x106, 0x7, 
    0x1b, 0x2, 0x2, 0x106, 0x108, 0x3, 0x2, 0x2, 0x2, 0x107, 0xeb, 0x3, 
    0x2, 0x2, 0x2, 0x107, 0xec, 0x3, 0x2, 0x2, 0x2, 0x107, 0xed, 0x3, 0x2, 
    0x2, 0x2, 0x107, 0xee, 0x3, 0x2, 0x2, 0x2, 0x107, 0xef, 0x3, 0x2, 0x2, 
    0x2, 0x107, 0xf0, 0x3, 0x2, 0x2, 0x2, 0x107, 0xf1, 0x3, 0x2, 0x2, 0x2, 
    0x107, 0xf2, 0x3, 0x2, 0x2, 0x2, 0x107, 0xf3, 0x3, 0x2, 0x2, 0x2, 0x107, 
    0xf4, 0x3, 0x2, 0x2, 0x2, 0x107, 0x103, 0x3, 0x2, 0x2, 0x2, 0x108, 0x2f, 
    0x3, 0x2, 0x2, 0x2, 0x109, 0x115, 0x7, 0x18, 0x2, 0x2, 0x10a, 0x10f, 
    0x5, 0x28, 0x15, 0x2, 0x10b, 0x10c, 0x7, 0x1c, 0x2, 0x2, 0x10c, 0x10e, 
    0x5, 0x28, 0x15, 0x2, 0x10d, 0x10b, 0x3, 0x2, 0x2, 0x2, 0x10e, 0x111, 
    0x3, 0x2, 0x2, 0x2, 0x10f, 0x10d, 0x3, 0x2, 0x2, 0x2, 0x10f, 0x110, 
    0x3, 0x2, 0x2, 0x2, 0x110, 0x113, 0x3, 0x2, 0x2, 0x2, 0x111, 0x10f, 
    0x3, 0x2, 0x2, 0x2, 0x112, 0x114, 0x7, 0x1c, 0x2, 0x2, 0x113, 0x112, 
    0x3, 0x2, 0x2, 0x2, 0x113, 0x114, 0x3, 0x2, 0x2, 0x2, 0x114, 0x116, 
    0x3, 0x2, 0x2, 0x2, 0x115, 0x10a, 0x3, 0x2, 0x2, 0x2, 0x115, 0x116, 
    0x3, 0x2, 0x2, 0x2, 0x116, 0x117, 0x3, 0x2, 0x2, 0x2, 0x117, 0x118, 
    0x7, 0x19, 0x2, 0x2, 0x118, 0x31, 0x3, 0x2, 0x2, 0x2, 0x119, 0x125, 
    0x7, 0x1a, 0x2, 0x2, 0x11a, 0x11f, 0x5, 0x28, 0x15, 0x2, 0x11b, 0x11c, 
    0x7, 0x1c, 0x2, 0x2, 0x11c, 0x11e, 0x5, 0x28, 0x15, 0x2, 0x11d, 0x11b, 
    0x3, 0x2, 0x2, 0x2, 0x11e, 0x121, 0x3, 0x2, 0x2, 0x2, 0x11f, 0x11d, 
    0x3, 0x2, 0x2, 0x2, 0x11f, 0x120, 0x3, 0x2, 0x2, 0x2, 0x120, 0x123, 
    0x3, 0x2, 0x2, 0x2, 0x121, 0x11f, 0x3, 0x2, 0x2, 0x2, 0x122, 0x124, 
    0x7, 0x1c, 0x2, 0x2, 0x123, 0x122, 0x3, 0x2, 0x2, 0x2, 0x123, 0x124, 
    0x3, 0x2, 0x2, 0x2, 0x124, 0x126, 0x3, 0x2, 0x2, 0x2, 0x125, 0x11a, 
    0x3, 0x2, 0x2, 0x2, 0x125, 0x126, 0x3, 0x2, 0x2, 0x2, 0x126, 0x127, 
    0x3, 0x2, 0x2, 0x2, 0x127, 0x128, 0x7, 0x1b, 0x2, 0x2, 0x128, 0x33, 
    0x3, 0x2, 0x2, 0x2, 0x129, 0x12d, 0x7, 0x2c, 0x2, 0x2, 0x12a, 0x12c, 
    0x7, 0x39, 0x2, 0x2, 0x12b, 0x12a, 0x3, 0x2, 0x2, 0x2, 0x12c, 0x12f, 
    0x3, 0x2, 0x2, 0x2, 0x12d, 0x12b, 0x3, 0x2, 0x2, 0x2, 0x12d, 0x12e, 
    0x3, 0x2, 0x2, 0x2, 0x12e, 0x130, 0x3, 0x2, 0x2, 0x2, 0x12f, 0x12d, 
    0x3, 0x2, 0x2, 0x2, 0x130, 0x131, 0x7, 0x38, 0x2, 0x2, 0x131, 0x35, 
    0x3, 0x2, 0x2, 0x2, 0x26, 0x39, 0x40, 0x42, 0x54, 0x58, 0x5e, 0x6d, 
    0x71, 0x73, 0x7a, 0x7e, 0x81, 0x87, 0x8f, 0x93, 0x95, 0xa3, 0xad, 0xb3, 
    0xb6, 0xc1, 0xcd, 0xdc, 0xdf, 0xe6, 0xfb, 0xff, 0x101, 0x107, 0x10f, 
    0x113, 0x115, 0x11f, 0x123, 0x125, 0x12d, 
  };

  atn::ATNDeserializer deserializer;
  _atn = deserializer.deserialize(_serializedATN);

  size_t count = _atn.getNumberOfDecisions();
  _decisionToDFA.reserve(count);
  for (size_t i = 0; i < count; i++) { 
    _decisionToDFA.emplace_back(_atn.getDecisionState(i), i);
  }
}

