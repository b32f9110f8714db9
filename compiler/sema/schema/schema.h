// The vocabulary as data: which block has which keys, of what type. One table drives the check, the
// did-you-mean and the reference in docs/reference/keys.md.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "compiler/model/fields.h"

namespace muster::sema {

enum class Type : std::uint8_t {
  boolean,      // true
  integer,      // 8
  symbol,       // one of `words`
  symbols,      // a list of them
  name,         // a symbol or a text
  names,        // one or a list
  text,         // "…"
  run_text,     // the same, with run references
  texts,        // ["…", …]
  run_texts,    // the same, with run references
  scalar,       // a text, number, boolean or symbol, kept as spelt: labels
  run_scalar,   // the same, with run references: env
  fact,         // a number, boolean or symbol
  axis,         // 1..3 or a list of scalars
  size,         // 80GB
  size_or_all,  // 44GiB or all
  duration,     // 72h
  rate,         // 400Gbps
  percent,      // 50%
  number,       // 2.5, kept as spelt
  count,        // 8 or 2..6
  cpus,         // 96, 48..96 or all
  memory,       // 1TB, 1TB..2TB or all
  gpu,          // h100, H100:8 or [a100, h100]
  integers,     // [1, 2]
  hosts,        // "n[001-064]"
  hosts_or_count,
  version,   // "24.11"
  script,    // <<<bash … >>>
  document,  // a heredoc or a text
  option,    // a scalar or a heredoc, in the words of a target
  code,      // a text (a path)
  any,       // whatever a parameter may be
};

// How a type is named in messages: "a whole number".
std::string_view noun(Type type);

struct KeySchema {
  std::string_view name;
  Type type;
  std::string_view doc;
  std::string_view fallback = {};                  // the default, in words
  std::span<const std::string_view> symbols = {};  // of symbol and symbols; of a size: words instead of one
  bool required = false;
  std::int64_t min = std::numeric_limits<std::int64_t>::min();
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
  // The key is the short form of the same key in this block: `nodes` of a workload is resources.nodes.
  std::string_view short_for = {};
  std::optional<model::Field> field = {};  // of a workload's keys
};

enum class LabelRule : std::uint8_t { none, required };

// What is allowed in a block besides its declared keys and blocks.
struct Extras {
  bool any_key = false;  // env { NAME = … }; every key has `any_type`
  Type any_type = Type::scalar;
  std::int64_t any_max = std::numeric_limits<std::int64_t>::max();
  bool conditions = false;    // require, prefer
  bool conditionals = false;  // when … { … }
  bool assertions = false;    // assert …, "…"
};

struct BlockSchema {
  std::string_view name;
  std::string_view doc;
  LabelRule label = LabelRule::none;
  bool repeats = false;
  std::span<const KeySchema> keys = {};
  std::span<const BlockSchema> blocks = {};
  Extras extras = {};
  std::optional<model::Field> field = {};  // of a workload's block whose keys the user names

  const KeySchema* key(std::string_view name) const;
  const BlockSchema* block(std::string_view name) const;
};

// What is allowed at the top of a file: workload, fleet, site, rules, test.
std::span<const BlockSchema> top_level();

// Of a workload, and so of a template's body.
const BlockSchema& workload_schema();

// A path such as "resources.nodes" to its schema within a block; nullptr if there is none.
const KeySchema* find_key(const BlockSchema& block, std::string_view path);

}  // namespace muster::sema
