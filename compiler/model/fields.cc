#include "compiler/model/fields.h"

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
