// The keys of a workload: the rows of compiler/model/fields.def as schemas. Inside compiler/sema only.
#pragma once

#include <algorithm>
#include <array>

#include "compiler/model/symbols.h"
#include "compiler/sema/schema/schema.h"

namespace muster::sema::tables {

using namespace model::symbols;
// Symbols that no enumeration of the model has.
inline constexpr std::string_view compats[] = {"none", "slurm"};
inline constexpr std::string_view contracts[] = {"auto", "full", "none"};
inline constexpr std::string_view inherits[] = {"all", "none"};
inline constexpr std::string_view unlimited[] = {"unlimited"};
inline constexpr std::string_view forever[] = {"forever"};
inline constexpr std::string_view site_default[] = {"default"};
inline constexpr std::string_view signals[] = {"TERM", "INT", "HUP", "QUIT", "USR1", "USR2"};
inline constexpr std::string_view sizes_or_auto[] = {"auto"};
inline constexpr std::string_view nccl_checks[] = {"none", "required"};
inline constexpr std::string_view metrics[] = {"requests-waiting", "requests-per-second", "concurrency", "kv-cache",
                                               "cpu"};
inline constexpr std::string_view routers[] = {"round-robin", "least-load", "prefix-aware"};
inline constexpr std::string_view modes[] = {"rw", "ro"};

constexpr KeySchema of(model::Field field, KeySchema key) {
  key.field = field;
  return key;
}

inline constexpr KeySchema field_keys[] = {
#define FIELD(id, block, key, type, ...) of(model::Field::id, {key, Type::type, __VA_ARGS__}),
#include "compiler/model/fields.def"
};
inline constexpr std::string_view field_blocks[] = {
#define FIELD(id, block, ...) block,
#include "compiler/model/fields.def"
};

// The keys of a block, which follow one another.
constexpr std::span<const KeySchema> keys_of(std::string_view block) {
  const auto first = std::find(std::begin(field_blocks), std::end(field_blocks), block);
  const auto last = std::find_if(first, std::end(field_blocks), [&](std::string_view other) { return other != block; });
  return std::span(field_keys)
      .subspan(static_cast<std::size_t>(first - std::begin(field_blocks)), static_cast<std::size_t>(last - first));
}

// The same key where it stands for the one in its block: `nodes` of a workload.
constexpr KeySchema short_form(model::Field field, std::string_view block, std::string_view doc) {
  KeySchema out = *std::find_if(std::begin(field_keys), std::end(field_keys),
                                [&](const KeySchema& key) { return key.field == field; });
  out.doc = doc;
  out.fallback = {};
  out.short_for = block;
  return out;
}

}  // namespace muster::sema::tables
