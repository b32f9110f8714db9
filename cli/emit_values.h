// Small parts of the model as JSON, for the files that print it.
#pragma once

#include "cli/emit.h"

namespace muster::cli {

// Adds a key if the value is there.
template <class T, class Print>
void put(Json& out, const char* key, const model::Optional<T>& value, Print print) {
  if (value) out[key] = print(value->value);
}

inline constexpr auto same = [](const auto& v) { return Json(v); };
inline constexpr auto printed = [](const auto& v) { return Json(to_string(v)); };

template <class T>
Json plain(const std::vector<model::Located<T>>& values) {
  Json out = Json::array();
  for (const auto& v : values) out.push_back(v.value);
  return out;
}

inline Json count_json(const model::Count& c) {
  return c.low == c.high ? Json(c.low) : Json{{"low", c.low}, {"high", c.high}};
}

// What stands around a role's program, and a workload's services; in emit_needs.cc.
void add_needs(const model::Role& role, Json& out);
void add_service(const model::Workload& workload, Json& out);

}  // namespace muster::cli
