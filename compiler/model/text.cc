#include "compiler/model/text.h"

#include <array>

namespace muster::model {
namespace {

constexpr std::array<std::string_view, 6> words = {"env", "mount", "port", "address", "checkpoint", "run"};

}  // namespace

std::string_view name(RefersTo kind) {
  return kind == RefersTo::axis ? std::string_view() : words[static_cast<std::size_t>(kind)];
}

std::optional<RefersTo> refers_to(std::string_view first) {
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] == first) return static_cast<RefersTo>(i);
  return std::nullopt;
}

const std::string* Text::axis() const {
  const bool whole = bytes.empty() && references.size() == 1 && references[0].to == RefersTo::axis;
  return whole ? &references[0].name : nullptr;
}

std::string spelling(const Text& text) {
  std::string out;
  std::size_t from = 0;
  for (const Reference& reference : text.references) {
    out.append(text.bytes, from, reference.at - from);
    from = reference.at;
    const std::string_view first = name(reference.to);
    out += "${" + std::string(first) + (first.empty() ? "" : ".") + reference.name + "}";
  }
  return out.append(text.bytes, from);
}

std::vector<std::string> spellings(const std::vector<Text>& texts) {
  std::vector<std::string> out;
  for (const Text& text : texts) out.push_back(spelling(text));
  return out;
}

}  // namespace muster::model
