// What a scalar of YAML or JSON is to the tools of Kubernetes: one place decides type and value, so nothing else
// compares spellings. The rules are those of sigs.k8s.io/yaml (go.yaml.in/yaml/v2, resolve.go), which is YAML 1.1
// without base 60: https://yaml.org/type/ lists the forms.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "compiler/data/tree.h"

namespace muster::data {

struct Scalar {
  Node::Kind kind = Node::Kind::text;
  // "true" or "false"; a number as JSON has it, as short as possible: 8 of `010`, `0x8`, `8.0` and `+8`; "" of
  // null; else the text.
  std::string value;
  bool floating = false;  // a number that is a float to Go, also where its value is whole
};

// Of a plain scalar without a tag. `.inf` and `.nan` are numbers that JSON does not have; their value is the spelling.
Scalar plain_scalar(std::string_view spelling);

// With a tag such as "tag:yaml.org,2002:int"; nothing if it is no such value. A tag that is not of YAML means text.
std::optional<Scalar> tagged_scalar(std::string_view tag, std::string_view text);

// Of a number of JSON, which has no octal numbers.
Scalar json_number(std::string_view spelling);

// The key of a map as the JSON that the tools send has it; nothing for a key that they refuse.
std::optional<std::string> key_of(const Scalar& scalar);

bool is_finite(const Scalar& scalar);

}  // namespace muster::data
