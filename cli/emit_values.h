// Small parts of the model as JSON, for the files that print it.
#pragma once

#include <algorithm>
#include <concepts>
#include <string>
#include <vector>

#include "cli/emit.h"
#include "compiler/model/members.h"

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

// As a muster file has it.
inline Json value_json(const model::Text& value) { return model::spelling(value); }
inline Json plain(const std::vector<model::Located<model::Text>>& values) {
  Json out = Json::array();
  for (const auto& v : values) out.push_back(value_json(v.value));
  return out;
}

inline Json count_json(const model::Count& c) {
  return c.low == c.high ? Json(c.low) : Json{{"low", c.low}, {"high", c.high}};
}

// `gpu-memory` of the language is `gpu_memory` in JSON.
inline std::string json_key(model::Field field) {
  std::string out(model::key(field));
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

inline Json value_json(bool value) { return value; }
inline Json value_json(std::int64_t value) { return value; }
inline Json value_json(const std::string& value) { return value; }
inline Json value_json(Duration value) { return to_string(value); }
template <class Enum>
requires std::is_enum_v<Enum> Json value_json(Enum value) { return model::name(value); }

template <class T>
void put_member(Json& out, const std::string& key, const T& value) {
  out[key] = value_json(value);
}
template <class T>
void put_member(Json& out, const std::string& key, const model::Located<T>& value) {
  out[key] = value_json(value.value);
}
template <class T>
void put_member(Json& out, const std::string& key, const model::Optional<T>& value) {
  if (value) out[key] = value_json(value->value);
}
template <class T>
void put_member(Json& out, const std::string& key, const std::vector<model::Located<T>>& values) {
  if (!values.empty()) out[key] = plain(values);
}

// The members of a block that are one value a key; of those that may be missing, the ones that are there.
template <class Block>
void put_members(Json& out, const Block& block) {
  model::each_member<Block>([&](model::Field field, auto member) { put_member(out, json_key(field), block.*member); });
}
template <class Block>
Json members_json(const Block& block) {
  Json out = Json::object();
  put_members(out, block);
  return out;
}

// The blocks around a role's program, and a workload's services; in emit_needs.cc.
void add_needs(const model::Role& role, Json& out);
void add_service(const model::Workload& workload, Json& out);

}  // namespace muster::cli
