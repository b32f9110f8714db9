// From syntax to typed values: checks a block against its schema and gives the model builders a
// tree in which every key that is present has the right type.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/model/text.h"
#include "compiler/model/value.h"
#include "compiler/sema/schema/schema.h"
#include "compiler/syntax/ast.h"

namespace muster::sema {

// One checked value. Which members mean something follows from its type:
//   boolean: flag · integer, size (bytes; or text, one of the key's words), duration (ms), rate (bit/s): low · count,
//   cpus, memory: low..high or all percent: low, whole percents · symbol, name, text, number, document, scalar,
//   version, hosts: text (scalar of a boolean or number: as spelt; tag says `boolean`, or `variable` for `$name`, whose
//   name is text) · run_text, run_scalar: text, references · axis: list of scalars script: text is the bytes, tag the
//   interpreter · gpu: list of models, low the count (or -1) symbols, names, texts, integers: list · fact: fact ·
//   hosts_or_count: text, or low if text is empty
struct Value {
  Span span;
  bool flag = false;
  bool all = false;
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::string text;
  std::string tag;
  std::vector<Value> list;
  std::vector<model::Reference> references;  // of a run_text and run_scalar
  model::FactValue fact;
};

struct Entry {
  const KeySchema* schema;  // nullptr for a key of an open block
  std::string name;
  Span name_span;
  Value value;
};

// A checked block. Borrows the syntax tree and the schema.
struct Node {
  const BlockSchema* schema = nullptr;
  const ast::Block* source = nullptr;
  std::string label;
  Span label_span;
  Span span;  // of the kind word
  std::vector<Entry> entries;
  std::vector<Node> blocks;
  std::vector<std::string> reported;  // keys that were meant, but their name or value was an error
  std::vector<const ast::Requirement*> requirements;
  std::vector<const ast::Preference*> preferences;
  std::vector<const ast::Conditional*> conditionals;
  std::vector<const ast::Assertion*> assertions;

  const Value* get(std::string_view key) const;
  bool was_reported(std::string_view key) const;
  const Entry* entry(std::string_view key) const;
  // The same of a key of a workload, also where its short form is written.
  const Entry* entry(model::Field field) const;
  const Node* one(std::string_view block) const;
  std::vector<const Node*> all(std::string_view block) const;

  // The shapes that model builders ask for; nullopt where the key is absent.
  model::Optional<std::string> text(std::string_view key) const;
  model::Optional<std::int64_t> integer(std::string_view key) const;
  model::Optional<bool> boolean(std::string_view key) const;
  std::vector<model::Located<std::string>> texts(std::string_view key) const;
  // The value with its span as Located<T>, made by `convert`.
  template <class Convert>
  auto located(std::string_view key, Convert convert) const
      -> std::optional<model::Located<decltype(convert(std::declval<const Value&>()))>> {
    const Value* value = get(key);
    if (value == nullptr) return std::nullopt;
    return {{convert(*value), value->span}};
  }
};

// Checks a block and all in it: unknown and doubled keys, labels, types, required keys. What is
// wrong is reported and left out, so that the rest is still checked.
Node read_block(const ast::Block& block, const BlockSchema& schema, Diagnostics& diagnostics);

// One value of a type, with the key's bounds and words. nullopt: reported.
std::optional<Value> read_value(const ast::Expr& expr, const KeySchema& key, Diagnostics& diagnostics);

// Arithmetic on literals done: `2 * 4` is 8, `2 * 80GB` is 160GB. Other expressions come back as they are.
ast::Expr fold(const ast::Expr& expr, Diagnostics& diagnostics);

// The quotient of two literals, rounded to a whole number; nullopt where it is not a plain number.
std::optional<ast::Expr> rounded_quotient(const ast::Expr& left, const ast::Expr& right, bool up, Span span);

// What an expression is, for messages: "the text `\"8\"`", "the symbol `h100`", "a list".
std::string describe(const ast::Expr& expr);

}  // namespace muster::sema
