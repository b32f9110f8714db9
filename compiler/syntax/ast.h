// The syntax tree: what was written, with places. It knows no nouns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/base/source.h"

namespace muster::ast {

// A key, a block's kind or a block's label.
struct Name {
  std::string text;  // decoded, if it was written as a text
  Span span;
  bool quoted = false;
};

enum class Op : std::uint8_t {
  logical_or,
  logical_and,
  equal,
  not_equal,
  at_most,
  at_least,
  less,
  greater,
  in,
  range,
  add,
  subtract,
  multiply,
  divide,
  logical_not,
  negate,
};

// The word or sign of an operator: "and", ">=".
const char* spelling(Op op);

struct Expr {
  enum class Kind : std::uint8_t {
    number,     // text: as spelt, without `_`
    quantity,   // text: as spelt
    text,       // text: decoded; operands: the ${variables} in it; tag: the interpreter, of a file's bytes
    boolean,    // text: true or false
    variable,   // text: the name without `$`
    path,       // text: `h100`, `gpu.memory`
    ratio,      // text: the symbol, tag: the number (`H100:8`)
    heredoc,    // text: the bytes, tag: the interpreter
    list,       // operands
    call,       // text: the function, operands: arguments
    operation,  // op, operands (n-ary for and, or)
    choice,     // if operands[0] then operands[1] else operands[2]
  };
  Kind kind = Kind::number;
  Op op = Op::equal;
  bool grouped = false;  // written in parentheses; they say nothing that the tree does not
  Span span;             // with the parentheses
  std::string text;
  std::string tag;
  std::vector<Expr> operands;
  // Of a ${variable} in a text: where in the decoded bytes its value goes. Of a text: 1 + the place of the first
  // `$name` in it, which may be meant as one.
  std::uint32_t at = 0;

  // A bare word: `h100`, not `gpu.memory`.
  bool is_symbol() const { return kind == Kind::path && text.find('.') == std::string::npos; }
};

struct Setting {
  Name key;
  Expr value;
  bool append = false;  // `+=`: to what the template has
};

struct Requirement {
  Expr condition;
  Span span;
};

struct Preference {
  Expr condition;
  Name weight_word;  // the word before the number; empty without one
  std::string weight;
  Span span;
};

struct Assertion {
  Expr condition;
  Expr message;  // a text
  Span span;
};

struct Item;

struct Argument {
  Name name;
  Expr value;
};

// `from lib.fsdp(nodes = 4)`: the body is laid over that template's.
struct Instance {
  std::optional<Name> module;  // the alias of an import
  Name base;                   // a template or a workload
  std::vector<Argument> arguments;
  Span span;
};

struct Block {
  Name kind;
  std::optional<Name> label;
  std::vector<Item> items;
  Span span;  // from the kind to the closing brace
  std::optional<Instance> from;
  Span made_at;  // of a block that sema::expand made of a template: where it was asked for
};

struct Conditional {
  Expr condition;
  Block body;  // kind is empty
  Span span;
  std::optional<Block> otherwise;  // else
};

struct Item {
  std::variant<Setting, Block, Requirement, Preference, Assertion, Conditional> value;
};

struct Import {
  Name path;  // relative to the file's folder
  Name alias;
  Span span;
};

// `int`, `list(string)`.
struct TypeName {
  Name name;
  std::string element;  // of a list
  Span span;
};

// "int", "list(string)".
std::string spelling(const TypeName& type);

// A parameter of a file or a template.
struct Signature {
  Name name;
  TypeName type;
  std::optional<Expr> range;     // after `in`: a range or a list
  std::optional<Expr> fallback;  // after `=`
  Span span;                     // with the word `param`
};

struct Binding {
  Name name;
  Expr value;
  Span span;
};

struct Template {
  Name name;
  std::vector<Signature> parameters;
  Block body;  // kind is empty
  Span span;
};

struct File {
  std::uint32_t file = 0;
  std::vector<Import> imports;
  std::vector<Signature> parameters;
  std::vector<Binding> bindings;
  std::vector<Template> templates;
  std::vector<Block> blocks;
  std::vector<Span> comments;  // from `#` to the end of the line, in order
};

// Whether two trees say the same: places, parentheses and comments apart, and quantities by their
// canonical spelling (`64Gi` is `64GiB`). Keys are compared as they are.
bool equal(const File& a, const File& b);
bool equal(const Block& a, const Block& b);
bool equal(const Expr& a, const Expr& b);

}  // namespace muster::ast
