#include "compiler/model/fields.h"

#include <stdexcept>

namespace muster::model {
namespace {

struct Row {
  std::string_view block, key;
  std::string_view path;
};

// The keys of a workload itself have no block before them.
constexpr std::string_view path_of(std::string_view block, std::string_view path) {
  return block == "workload" || block == "program" ? path.substr(block.size() + 1) : path;
}

constexpr Row rows[] = {
#define FIELD(id, block, key, ...) {block, key, path_of(block, block "." key)},
#define BLOCK(id, path) {path, "", path},
#include "compiler/model/fields.def"
};

const Row& row(Field field) { return rows[static_cast<std::size_t>(field)]; }

bool is_path_below(std::string_view path, std::string_view above) {
  return path.starts_with(above) && (path.size() == above.size() || path[above.size()] == '.');
}

}  // namespace

std::string_view name(Field field) { return row(field).path; }

std::string_view key(Field field) { return row(field).key; }

bool is_or_below(Field field, Field block) { return is_path_below(name(field), name(block)); }

bool FieldRef::is_or_below(const FieldRef& block) const {
  if (block.field == Field::role && field != Field::role)
    return block.role.empty() && !role.empty() && (block.detail.empty() || block.detail == role);
  if (role != block.role || !model::is_or_below(field, block.field)) return false;
  return block.detail.empty() || is_path_below(detail, block.detail);
}

FieldRef FieldRef::parsed(std::string_view path) {
  const std::string_view whole = path;
  std::string role;
  if (path.starts_with("role.") && path != "role.primary" && !path.starts_with("role.depends-on.on")) {
    path.remove_prefix(5);
    const auto dot = path.find('.');
    if (dot == std::string_view::npos) return {Field::role, std::string(path)};
    role = path.substr(0, dot);
    path.remove_prefix(dot + 1);
  }
  if (path == "primary") return {Field::role_primary, "", role};
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    const auto f = static_cast<Field>(i);
    if (rows[i].path == path || (!role.empty() && rows[i].path == "role." + std::string(path))) return {f, "", role};
  }
  // block.detail.key, block.detail
  for (const bool keyed : {true, false})
    for (std::size_t i = 0; i < std::size(rows); ++i) {
      std::string_view block = rows[i].path;
      if (!role.empty() && block.starts_with("role.")) block.remove_prefix(5);
      else if (block.starts_with("role.depends")) continue;
      if (role.size() && rows[i].path.starts_with("depends-on")) continue;
      if (keyed == rows[i].key.empty()) continue;
      block.remove_suffix(rows[i].key.size());
      if (keyed && (block.empty() || !path.starts_with(block) || !path.ends_with("." + std::string(rows[i].key)) ||
                    path.size() <= block.size() + rows[i].key.size() + 1))
        continue;
      if (keyed)
        return {static_cast<Field>(i),
                std::string(path.substr(block.size(), path.size() - block.size() - rows[i].key.size() - 1)), role};
      if (path.starts_with(std::string(block) + ".") && rows[i].path != "sweep" && rows[i].path != "code")
        return {static_cast<Field>(i), std::string(path.substr(block.size() + 1)), role};
    }
  throw std::logic_error("no field " + std::string(whole));
}

std::string to_string(const FieldRef& ref) {
  const Row& of = row(ref.field);
  const std::string_view path = of.path;
  if (ref.role.empty() && ref.detail.empty()) return std::string(path);
  // `role.primary` in the role `head` is role.head.primary.
  const std::string_view in_role = path.starts_with("role.") ? path.substr(5) : path;
  const std::string_view block = in_role.substr(0, in_role.size() - of.key.size());
  std::string out = ref.role.empty() ? "" : "role." + ref.role + ".";
  out += block;
  if (ref.detail.empty()) return out + std::string(of.key);
  if (of.key.empty()) return out + "." + ref.detail;
  return out + ref.detail + "." + std::string(of.key);
}

}  // namespace muster::model
