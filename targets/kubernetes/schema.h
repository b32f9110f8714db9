// What the API server or an operator takes: the fields of the kinds, their types, and the values of those that list
// them. The facts are the rows of schema_table.inc, which tests/judges/manifest_schema.py writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "targets/kubernetes/read/field.h"

namespace muster::targets::kubernetes {

// A kind of one API version; `release` is the newest one of its component that the table knows.
struct SchemaKind {
  std::string_view api_version, kind;
  std::uint16_t type;
  std::string_view release;
};

// The row of a kind; nullptr if the table has none.
const SchemaKind* find_schema(std::string_view api_version, std::string_view kind);

// A field that the API server or the operator does not take as it is.
struct Refusal {
  enum class Why : std::uint8_t { unknown_field, wrong_type, unknown_value };
  Why why;
  Field where;
  std::string holder;      // the path of the object that has no such field; "" for the object itself
  std::string instead;     // the name or value that is nearest, or else the path where the field belongs; "" if none
  bool elsewhere = false;  // `instead` is such a path
  std::string_view expected{};             // of a wrong type: "a whole number"
  std::vector<std::string_view> values{};  // that the field takes
};

// What of an object its schema does not take, in the order of the file, at most `most`. Placeholders and the
// directives of patches (`$patch`) are left out, and so is a text that may be a name for a number to fill in.
std::vector<Refusal> refused(const SchemaKind& kind, const Field& object, std::size_t most);

// An API version that serves a kind no more, or never did.
struct WrongApi {
  std::string instead;          // "apps/v1"
  std::string_view removed_in;  // "Kubernetes 1.16"; "": no current release serves it
  bool was_served;              // false: no release has the kind there
};
std::optional<WrongApi> wrong_api(std::string_view api_version, std::string_view kind);

}  // namespace muster::targets::kubernetes
