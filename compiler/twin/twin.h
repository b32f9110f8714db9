// The data twin: a muster file as a JSON or YAML document, for programs that write specs and for those who
// know YAML. It is read into the syntax tree that the parser makes, and everything after that is the same.
//
// A block is an object below its kind, or below its kind and name; a key is a member, with `_` for `-`. What
// a string means follows from the type of the key (values.h). docs/reference/language.md has the mapping.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/base/diagnostic.h"
#include "compiler/base/limits.h"
#include "compiler/base/source.h"
#include "compiler/data/read.h"
#include "compiler/syntax/ast.h"

namespace muster::twin {

enum class Form : std::uint8_t { muster, json, yaml };

// What a twin may cost; in all else it is bounded as a muster file is.
inline constexpr data::Budget budget{value_of(Limit::checked_bytes), 100, value_of(Limit::file_tokens),
                                     static_cast<int>(value_of(Limit::nesting)), value_of(Limit::text_bytes)};

// Bytes of a file worth reading: one more, and it is over the budget of any form.
inline constexpr std::size_t max_bytes = budget.bytes;

// By the name: *.muster.json, *.muster.yaml, *.muster.yml. Standard input, `-`, is JSON if it begins with
// `{`, as no muster file can. Everything else is muster.
Form form_of(std::string_view file_name, std::string_view text);

// The tree of a file. nullopt if anything was reported. Places are those of the document, also inside of
// expressions that are in strings.
std::optional<ast::File> read(const Sources& sources, std::uint32_t file, Form form, Diagnostics& diagnostics);

// A tree as a document, json or yaml. The tree is to be normalised.
std::string write(const ast::File& file, const Sources& sources, Form form);

// What the twin does not tell apart is made one: `_` in the keys that the schema knows becomes `-`, names stand
// in quotes only where they must, numbers lose their `_`.
void normalise(ast::File& file);

struct Converted {
  std::string text;
  std::size_t comments = 0;  // that the result does not have
};

// A file in another form, or the same one in the one style. nullopt: it could not be read, or the proof failed
// that the result reads back as the same tree.
std::optional<Converted> convert(const Sources& sources, std::uint32_t file, Form from, Form to,
                                 Diagnostics& diagnostics);

// The JSON Schema (2020-12) of documents, made of the schema tables.
std::string json_schema();

}  // namespace muster::twin
