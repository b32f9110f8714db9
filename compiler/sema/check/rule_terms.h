// Conditions of rule files: a conjunction of terms, each one fact against constants and thresholds.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/base/source.h"
#include "compiler/model/policy.h"
#include "compiler/syntax/ast.h"

namespace muster::sema {

model::FactType type_of(const model::FactValue& value);

// "true or false", "a whole number", "a symbol".
std::string_view noun(model::FactType type);

// What a condition may ask about: a fact, or an output of an earlier table.
struct Known {
  std::string name;
  model::FactType type = model::FactType::boolean;
  std::vector<std::string> symbols = {};  // of a fact that is a symbol; those of an output are the proof's business
  bool collected = false;
  bool output = false;
};

// A constant, and the threshold whose value it is ("" for none).
struct Constant {
  model::FactValue value;
  std::string threshold;
};

class TermReader {
 public:
  // Borrows all; `known` may grow meanwhile.
  TermReader(const model::Policy& policy, const std::vector<Known>& known, const Sources& sources,
             Diagnostics& diagnostics)
      : policy_(policy), known_(known), sources_(sources), diagnostics_(diagnostics) {}

  const Known* find(std::string_view name) const;
  // The outputs that tables further down set, and those tables: to say so where a condition asks for one.
  std::vector<std::pair<std::string, std::string>> later;

  // A conjunction; `true` is the empty one. What is wrong is reported and left out.
  std::vector<model::Term> terms(const ast::Expr& e);
  // One term of it; nullopt: reported.
  std::optional<model::Term> term(const ast::Expr& e);
  // A literal, a symbol or the value of a `$threshold`; nullopt: reported.
  std::optional<Constant> constant(const ast::Expr& e);
  // That a fact or threshold `of` takes this word.
  void check_word(const std::string& word, const std::vector<std::string>& allowed, const std::string& of, Span span);

 private:
  void report(Code code, Span where, std::string message, std::string label = {});
  const Known* subject(const ast::Expr& e);
  const Known* unknown(const ast::Expr& e, const std::string& name);
  std::optional<Constant> threshold(const ast::Expr& e);
  bool fits(const Known& known, model::Compare compare, const model::FactValue& value, Span span);
  std::optional<model::Term> compared(const ast::Expr& e, bool negated, Span span);
  std::optional<model::Term> bare(const ast::Expr& e, bool value, Span span);

  const model::Policy& policy_;
  const std::vector<Known>& known_;
  const Sources& sources_;
  Diagnostics& diagnostics_;
};

}  // namespace muster::sema
