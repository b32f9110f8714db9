// The tables of `rules`. Inside compiler/sema only.
#pragma once

#include "compiler/sema/schema/schema_common.h"

namespace muster::sema::tables {

inline constexpr std::string_view fact_types[] = {"bool", "int", "sym"};
inline constexpr std::string_view hits[] = {"unique", "collect", "first"};

inline constexpr KeySchema fact_keys[] = {
    {"type", Type::symbol, "bool, int or sym", "", fact_types, true},
    {"values", Type::names, "allowed symbols"},
    {"min", Type::integer, "minimum value"},
    {"max", Type::integer, "maximum value"},
    {"default", Type::fact, "value if the fact is not stated; without a default the fact is required"},
    {"default-from", Type::name, "the fact whose value is the default"},
    {"unread", Type::text, "why no row reads it", "none: every fact must be read"},
};

inline constexpr KeySchema threshold_keys[] = {
    {"value", Type::fact, "value that conditions compare with", "", {}, true},
    {"values", Type::names, "symbols that a site may set"},
    {"min", Type::integer, "minimum value that a site may set"},
    {"max", Type::integer, "maximum value that a site may set"},
    {"source", Type::text, "source of the value", "", {}, true},
};

inline constexpr KeySchema row_keys[] = {
    {"reason", Type::text, "why, in one sentence", "", {}, true},
    {"cite", Type::text, "source of the rule"},
    {"locked", Type::boolean, "no layer may change it", "false"},
};

inline constexpr KeySchema table_keys[] = {{"hit", Type::symbol, "which matching rows decide", "", hits, true}};
inline constexpr KeySchema invariant_keys[] = {{"locked", Type::boolean, "no layer may change it", "false"}};

inline constexpr KeySchema addon_keys[] = {
    {"satisfies", Type::names, "requirements that it satisfies", "", {}, true},
    {"needs", Type::text, "further conditions", "nothing"},
    {"versions", Type::text, "versions that satisfy the requirements"},
    {"source", Type::text, "source of this information", "", {}, true},
};

inline constexpr KeySchema disable_keys[] = {
    {"reason", Type::text, "why, in one sentence", "", {}, true},
    {"owner", Type::text, "person or team that is responsible", "", {}, true},
    {"expires", Type::text, "last day on which the entry applies: \"2026-12-31\"", "", {}, true},
};

inline constexpr KeySchema waive_keys[] = {
    {"subject", Type::text, "name or path of the workload or file to which it applies", "all"},
    disable_keys[0],
    disable_keys[1],
    disable_keys[2],
};

inline constexpr BlockSchema table_blocks[] = {
    {"row", "one rule: a condition and its outputs", LabelRule::required, true, row_keys, {}, {.conditionals = true}}};

inline constexpr BlockSchema rules_blocks[] = {
    {"fact", "a declared input", LabelRule::required, true, fact_keys},
    {"threshold", "a value that a site may change within bounds", LabelRule::required, true, threshold_keys},
    {"table", "rows that determine one output", LabelRule::required, true, table_keys, table_blocks},
    {"invariant",
     "a condition that must be true for all facts",
     LabelRule::required,
     true,
     invariant_keys,
     {},
     {.conditionals = true}},
    {"addon", "software that satisfies a requirement", LabelRule::required, true, addon_keys},
    {"disable", "disables a row or an invariant of a lower layer", LabelRule::required, true, disable_keys},
    {"waive", "accepts a lint finding, by its code", LabelRule::required, true, waive_keys},
};

inline constexpr KeySchema rules_keys[] = {
    {"version", Type::text, "version of the policy (SemVer)", "", {}, true},
    {"extends", Type::names, "the rules that these extend, in this order", "none: a complete policy"},
    {"locked", Type::boolean, "no layer may extend it", "false"},
};

// ---- case: a named case of a policy

inline constexpr BlockSchema case_blocks[] = {
    {"facts", "facts of the case; all others have their default", LabelRule::none, false, {}, {}, open_facts},
    {"expect",
     "expected outputs, each with its complete value, and `rows` that must apply",
     LabelRule::none,
     false,
     {},
     {},
     {.any_key = true, .any_type = Type::any}},
};

}  // namespace muster::sema::tables
