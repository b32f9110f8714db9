#include "compiler/model/text.h"

#include <algorithm>

#include "compiler/model/workload.h"

namespace muster::model {
namespace {

constexpr std::array<std::string_view, 6> words = {"env", "mount", "port", "address", "checkpoint", "run"};

}  // namespace

std::string_view name(RefersTo kind) {
  return kind == RefersTo::axis ? std::string_view() : words[static_cast<std::size_t>(kind)];
}

std::optional<RefersTo> kind_of_reference(std::string_view first) {
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] == first) return static_cast<RefersTo>(i);
  return std::nullopt;
}

std::optional<Reference> run_reference(std::string_view name) {
  const std::size_t dot = name.find('.');
  const auto to = dot == name.npos ? std::nullopt : kind_of_reference(name.substr(0, dot));
  if (!to) return std::nullopt;
  return Reference{*to, std::string(name.substr(dot + 1)), 0, {}};
}

bool Text::is_absolute() const {
  if (references.empty() || references[0].at > 0) return bytes.starts_with('/');
  const Reference& first = references[0];
  switch (first.to) {
    case RefersTo::env:
    case RefersTo::mount:
    case RefersTo::checkpoint: return true;
    case RefersTo::run: return first.name == "tmp" || first.name == "dir";
    default: return false;
  }
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

std::vector<const Text*> run_texts(const Role& role) {
  std::vector<const Text*> out;
  if (const auto* argv = role.program ? std::get_if<Argv>(&role.program->value) : nullptr)
    for (const Text& word : *argv) out.push_back(&word);
  for (const auto& arg : role.args) out.push_back(&arg.value);
  for (const EnvVar& variable : role.env) out.push_back(&variable.value);
  if (role.workdir) out.push_back(&role.workdir->value);
  for (const Probe& probe : role.probes) {
    if (probe.http) out.push_back(&probe.http->value);
    for (const auto& word : probe.command) out.push_back(&word.value);
  }
  return out;
}

bool refers_to(const Role& role, RefersTo to, std::string_view name) {
  const auto is_it = [&](const Reference& reference) { return reference.to == to && reference.name == name; };
  const std::vector<const Text*> texts = run_texts(role);
  return std::any_of(texts.begin(), texts.end(), [&](const Text* text) {
    return std::any_of(text->references.begin(), text->references.end(), is_it);
  });
}

}  // namespace muster::model
