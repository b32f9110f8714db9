// Text of a workload in which the run fills in what only it knows: `"${env.HOME}/run-${run.id}"`.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/source.h"

namespace muster::model {

// What a run reference names; `axis` is the sweep's value at this point.
enum class RefersTo : std::uint8_t { env, mount, port, address, checkpoint, run, axis };

// The first word of a reference: "env" of `${env.HOME}`. "" of an axis.
std::string_view name(RefersTo kind);
// The kind of reference that begins with this word; nullopt for others.
std::optional<RefersTo> kind_of_reference(std::string_view first);

// What may follow `run.`: "node-rank" of `${run.node-rank}`.
inline constexpr std::array<std::string_view, 15> run_names = {
    "name",      "role",         "nodes", "gpus", "replicas", "id",  "attempt", "replica",
    "node-rank", "node-address", "head",  "port", "point",    "tmp", "dir"};

struct Reference {
  RefersTo to = RefersTo::env;
  std::string name;    // behind the first word: "HOME"; of an axis its name
  std::size_t at = 0;  // its value stands in front of this byte of the text
  Span span;

  bool operator==(const Reference& other) const { return to == other.to && name == other.name && at == other.at; }
};

// The run reference of that name, such as "env.HOME", without a place; nullopt for a name without such a first word.
std::optional<Reference> run_reference(std::string_view name);

struct Text {
  Text() = default;
  Text(std::string text) : bytes(std::move(text)) {}  // most texts refer to nothing
  Text(const char* text) : bytes(text) {}
  Text(std::string text, std::vector<Reference> references)
      : bytes(std::move(text)), references(std::move(references)) {}

  std::string bytes;                  // without the values
  std::vector<Reference> references;  // by their place

  bool is_plain() const { return references.empty(); }
  bool operator==(const Text& other) const = default;
  // Whether it is a path from the root: also one that begins with a folder that the run knows, such as `${run.tmp}`.
  bool is_absolute() const;
  // Where the text is the value of an axis and nothing else: the axis.
  const std::string* axis() const;
};

// As a muster file has it: "${env.HOME}/run-${run.id}".
std::string spelling(const Text& text);
std::vector<std::string> spellings(const std::vector<Text>& texts);

}  // namespace muster::model
