#include "why/facts.h"

#include <utility>

namespace muster::why {

const Field* Object::find(std::string_view key) const {
  for (const Field& field : fields)
    if (field.key == key) return &field;
  return nullptr;
}

std::string_view Object::get(std::string_view key) const {
  const Field* field = find(key);
  return field == nullptr ? std::string_view() : std::string_view(field->value);
}

std::vector<const Field*> Object::all(std::string_view key) const {
  std::vector<const Field*> out;
  for (const Field& field : fields)
    if (field.key == key) out.push_back(&field);
  return out;
}

const Field* Object::beside(const Field& field, std::string_view key) const {
  for (const Field& other : fields)
    if (other.item == field.item && other.key == key) return &other;
  return nullptr;
}

void Object::add(std::string key, std::string value, Place at, std::uint32_t item) {
  // Half a word is no value; half a text says something.
  if (is_cut(value) && value.find(' ') == std::string::npos) return;
  fields.push_back({std::move(key), std::move(value), at, item});
}

std::vector<const Object*> Facts::of(Kind kind) const {
  std::vector<const Object*> out;
  for (const Object& object : objects)
    if (object.kind == kind) out.push_back(&object);
  return out;
}

}  // namespace muster::why
