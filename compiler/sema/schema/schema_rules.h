// The tables of `rules`. Inside compiler/sema only.
#pragma once

#include "compiler/sema/schema/schema_common.h"

namespace muster::sema::tables {

inline constexpr std::string_view fact_types[] = {"bool", "int", "sym"};
inline constexpr std::string_view hits[] = {"unique", "collect", "first"};

inline constexpr KeySchema fact_keys[] = {
    {"type", Type::symbol, "bool, int or sym", "", fact_types, true},
    {"values", Type::names, "the symbols it can be"},
    {"min", Type::integer, "least value"},
    {"max", Type::integer, "greatest value"},
    {"default", Type::fact, "value where nobody says; without one the fact is required"},
    {"default-from", Type::name, "the fact whose value it then has"},
    {"unread", Type::text, "why no row reads it", "every fact is read"},
};

inline constexpr KeySchema threshold_keys[] = {
    {"value", Type::fact, "the value that conditions compare with", "", {}, true},
    {"values", Type::names, "the symbols a site may choose from"},
    {"min", Type::integer, "least value a site may set"},
    {"max", Type::integer, "greatest value a site may set"},
    {"source", Type::text, "where the value comes from", "", {}, true},
};

inline constexpr KeySchema row_keys[] = {
    {"reason", Type::text, "why, in one sentence", "", {}, true},
    {"cite", Type::text, "what it rests on"},
    {"locked", Type::boolean, "no layer may touch it", "false"},
};

inline constexpr KeySchema table_keys[] = {{"hit", Type::symbol, "which rows count", "", hits, true}};
inline constexpr KeySchema invariant_keys[] = {{"locked", Type::boolean, "no layer may touch it", "false"}};

inline constexpr KeySchema addon_keys[] = {
    {"satisfies", Type::names, "the requirements it meets", "", {}, true},
    {"needs", Type::text, "what must hold besides", "nothing"},
    {"versions", Type::text, "which versions do"},
    {"source", Type::text, "where that is written", "", {}, true},
};

inline constexpr KeySchema disable_keys[] = {
    {"reason", Type::text, "why, in one sentence", "", {}, true},
    {"owner", Type::text, "who answers for it", "", {}, true},
    {"expires", Type::text, "the last day on which it holds: \"2026-12-31\"", "", {}, true},
};

inline constexpr KeySchema waive_keys[] = {
    {"subject", Type::text, "the workload or file it is for: its name or path", "all"},
    disable_keys[0],
    disable_keys[1],
    disable_keys[2],
};

inline constexpr BlockSchema table_blocks[] = {
    {"row", "one rule: a condition and its outputs", LabelRule::required, true, row_keys, {}, {.conditionals = true}}};

inline constexpr BlockSchema rules_blocks[] = {
    {"fact", "a declared input", LabelRule::required, true, fact_keys},
    {"threshold", "a value that a site may change within bounds", LabelRule::required, true, threshold_keys},
    {"table", "rows that give one output", LabelRule::required, true, table_keys, table_blocks},
    {"invariant", "what holds in every cell", LabelRule::required, true, invariant_keys, {}, {.conditionals = true}},
    {"addon", "what fulfils a requirement", LabelRule::required, true, addon_keys},
    {"disable", "takes a row or an invariant of a lower layer out of force", LabelRule::required, true, disable_keys},
    {"waive", "a lint finding that is accepted, by its code", LabelRule::required, true, waive_keys},
};

inline constexpr KeySchema rules_keys[] = {
    {"version", Type::text, "SemVer of the policy", "", {}, true},
    {"extends", Type::names, "the rules that these are edits of, in this order", "nothing: a policy of its own"},
    {"locked", Type::boolean, "no layer may extend it", "false"},
};

// ---- case: a named case of a policy

inline constexpr BlockSchema case_blocks[] = {
    {"facts", "facts of the case; others have their defaults", LabelRule::none, false, {}, {}, open_facts},
    {"expect",
     "outputs, each with its whole value, and `rows` that must hold",
     LabelRule::none,
     false,
     {},
     {},
     {.any_key = true, .any_type = Type::any}},
};

}  // namespace muster::sema::tables
