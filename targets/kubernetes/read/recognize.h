// What a text holds for a cluster: decided by its parsed documents, for a key can be spelt in many ways.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::targets::kubernetes {

enum class Holds : std::uint8_t {
  objects,    // a document has `apiVersion` and `kind`
  templates,  // none has, and one must be rendered before it is YAML
  faults,     // none has, and one cannot be parsed
  data,       // all documents are parsed, and none has
};

struct Held {
  Holds holds = Holds::data;
  std::string why{};       // of faults: the first one
  bool only_maps = false;  // each document is a map: a script is not
};

// Parses all documents, unless no byte of the text can be part of a key `apiVersion`.
Held what_is_in(std::string_view text);

// Whether a text can have the key `apiVersion`, in any spelling of YAML or JSON. It parses nothing.
bool may_have_objects(std::string_view text);

}  // namespace muster::targets::kubernetes
