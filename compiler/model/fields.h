// What a user can write of a workload: one name for each key and block, from the rows of fields.def. The check, the
// model, its printers and the loss report all go by these names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace muster::model {

enum class Field : std::uint8_t {
#define FIELD(id, ...) id,
#define BLOCK(id, path) id,
#include "compiler/model/fields.def"
};

// As the reference of the language spells it: "time-limit", "resources.nodes", "mount.path", "role.primary".
std::string_view name(Field field);
// The last word of it: "nodes".
std::string_view key(Field field);
// Whether `field` is `block` itself or one of its keys.
bool is_or_below(Field field, Field block);

// A field where a workload has it: which of several blocks or of the user's own keys, and in which role. Below a block
// without a detail are all of its kind.
struct FieldRef {
  Field field;
  std::string detail{};  // "data" of mount.data.path, "SEED" of env.SEED, "slurm.nice" of target.slurm.nice
  std::string role{};    // the role in whose block it is; "": the workload's own

  FieldRef(Field of, std::string which = {}, std::string in_role = {})
      : field(of), detail(std::move(which)), role(std::move(in_role)) {}

  bool operator==(const FieldRef&) const = default;
  // Whether it is `block` itself or below it: `env.SEED` is below `env`, `role.head.image` below `role.head`.
  bool is_or_below(const FieldRef& block) const;
};

// The path as it is spelt in reports: "role.train.mount.data.path".
std::string to_string(const FieldRef& ref);

}  // namespace muster::model
