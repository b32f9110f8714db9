// The tables of `rules`. Inside compiler/sema only.
#pragma once

#include "compiler/sema/schema/schema.h"

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
};

inline constexpr KeySchema table_keys[] = {{"hit", Type::symbol, "which rows count", "", hits, true}};
inline constexpr KeySchema invariant_keys[] = {{"locked", Type::boolean, "no layer may touch it", "false"}};

inline constexpr BlockSchema table_blocks[] = {
    {"row", "one rule: a condition and its outputs", LabelRule::required, true, row_keys, {}, {.conditionals = true}}};

inline constexpr BlockSchema rules_blocks[] = {
    {"fact", "a declared input", LabelRule::required, true, fact_keys},
    {"threshold", "a value that a site may change within bounds", LabelRule::required, true, threshold_keys},
    {"table", "rows that give one output", LabelRule::required, true, table_keys, table_blocks},
    {"invariant", "what holds in every cell", LabelRule::required, true, invariant_keys, {}, {.conditionals = true}},
};

inline constexpr KeySchema rules_keys[] = {{"version", Type::text, "SemVer of the policy", "", {}, true}};

}  // namespace muster::sema::tables
