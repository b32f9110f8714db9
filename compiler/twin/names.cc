#include "compiler/twin/names.h"

#include <algorithm>
#include <array>

#include "compiler/base/text.h"

namespace muster::twin {

const sema::BlockSchema* Scope::block(std::string_view name) const {
  if (schema != nullptr) return schema->block(name);
  if (top)
    for (const sema::BlockSchema& block : sema::top_level())
      if (block.name == name) return &block;
  return nullptr;
}

const sema::KeySchema* Scope::key(std::string_view name) const {
  return schema != nullptr ? schema->key(name) : nullptr;
}

std::string Scope::canonical(std::string_view name) const {
  std::string with_dashes = dashed(name);
  const bool known = key(with_dashes) != nullptr || block(with_dashes) != nullptr;
  return known ? with_dashes : std::string(name);
}

Scope inside_when(const Scope& scope) {
  if (scope.schema == nullptr || !scope.schema->extras.conditionals) return scope;
  static constexpr sema::BlockSchema schema{
      "when", "", sema::LabelRule::none, false, {}, {}, {.any_key = true, .any_type = sema::Type::fact}};
  return {&schema, false};
}

bool is_reserved(std::string_view member) {
  static constexpr std::array<std::string_view, 9> words = {"import",  "param",  "let",    "template", "from",
                                                            "require", "prefer", "assert", "when"};
  return std::find(words.begin(), words.end(), member) != words.end();
}

std::string escaped(std::string_view name) { return (name.starts_with('$') ? "$$" : "") + std::string(name); }

std::string member_of(std::string_view name, const Scope& scope, bool append) {
  std::string out = is_reserved(name) ? "$$" + std::string(name) : escaped(name);
  if (scope.key(name) != nullptr || scope.block(name) != nullptr) std::replace(out.begin(), out.end(), '-', '_');
  if (out.ends_with("+=") || out.ends_with("==")) out += "=";
  return append ? out + "+=" : out;
}

}  // namespace muster::twin
