// Values of keys: between the nodes of a document and expressions. Inside compiler/twin only.
//
// Numbers and booleans are themselves, lists are lists. A string is
//   the text that it holds        for texts, hosts, versions, env, labels, and unknown keys
//   the word that it holds        for symbols and names; a text where it is not a word
//   a GPU model, and how many     for `gpu`: "h100", "h100:8"
//   an expression                 for amounts, ranges, counts and conditions: "64GiB", "2..6", "gpu.memory >= 80GB"
//   a script                      for scripts; {"python": "…"} says whose it is
// Everything else is {"$expr": "…"}: an expression as a muster file spells it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/base/source.h"
#include "compiler/data/tree.h"
#include "compiler/sema/schema/schema.h"
#include "compiler/syntax/ast.h"

namespace muster::twin {

enum class Strings : std::uint8_t { text, word, gpu, expression, script };

// What a string means for a key of this type, and in a list that such a key takes.
Strings strings_of(sema::Type type);
Strings strings_in_list(sema::Type type);

// How a value of a key is read: its strings, and those of a list in its place.
struct Reading {
  Strings whole = Strings::text;
  Strings element = Strings::text;
};
Reading reading_of(const sema::KeySchema* key);
// Conditions, and whatever has no key: parameters, arguments, `let`.
inline constexpr Reading condition{Strings::expression, Strings::expression};
// What an assertion says.
inline constexpr Reading message{Strings::text, Strings::text};
// A parameter's range and default, by its declared type.
Reading reading_of(const ast::TypeName& type);

// Whether a node is a value though it is a map: {"$expr": …}.
bool is_marked_value(const data::Node& node);

// A node of `sources` as an expression. nullopt: reported.
std::optional<ast::Expr> read_value(const data::Node& node, Reading reading, const Sources& sources,
                                    Diagnostics& diagnostics);

// The node that reads back as the expression.
data::Node write_value(const ast::Expr& expr, Reading reading, const Sources& sources);

// An expression that is in a string at `scalar`, as a muster file spells it. nullopt: reported.
std::optional<ast::Expr> read_expression(const std::string& text, Span scalar, const Sources& sources,
                                         Diagnostics& diagnostics);

// The grammar of numbers of RFC 8259, without a sign.
bool is_json_number(std::string_view text);

// The span of a scalar without its quotes.
Span inside(Span scalar, const Sources& sources);

// Nodes without a place.
data::Node scalar_node(data::Node::Kind kind, std::string text);
inline data::Node text_node(std::string text) { return scalar_node(data::Node::Kind::text, std::move(text)); }
data::Node list_node(std::vector<data::Node> items);
data::Node map_node(std::string key, data::Node value);

}  // namespace muster::twin
