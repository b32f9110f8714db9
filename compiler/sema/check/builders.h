// The model builders, one a noun: a checked block to plain data. Inside compiler/sema only.
#pragma once

#include <optional>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/base/source.h"
#include "compiler/model/module.h"
#include "compiler/sema/schema/reader.h"

namespace muster::sema {

model::Workload build_workload(const Node& node, const Sources& sources, Diagnostics& diagnostics);
model::Fleet build_fleet(const Node& node, Diagnostics& diagnostics);
model::Site build_site(const Node& node, const Sources& sources, Diagnostics& diagnostics);
// `defaults` of a site. What is wrong there is reported at each workload under which it is laid.
model::Workload build_defaults(const Node& node, const Sources& sources);

// The blocks around a role's program: replicas, secrets, files, ports, probes, fabric…
void build_needs(const Node& node, model::Role& role, Diagnostics& diagnostics);
// That there are at most `most` blocks of each kind. Reports otherwise.
bool few_enough(const Node& node, std::initializer_list<std::string_view> kinds, std::size_t most,
                Diagnostics& diagnostics);
// Gives roles that run with another one its nodes; `blocks` are those of the roles. Reports what contradicts it.
void share_nodes(const std::vector<const Node*>& blocks, model::Workload& workload, Diagnostics& diagnostics);
// The blocks depends-on, scale, serve and dev of a workload.
void build_service(const Node& node, model::Workload& workload, Diagnostics& diagnostics);
std::vector<model::Allow> build_allows(const Node& node, Diagnostics& diagnostics);

// The tenants and cohorts of a site whose queues are there. Reports names that are not, and circles of cohorts.
void build_tenants(const Node& node, model::Site& site, Diagnostics& diagnostics);

// The environment of an `env` block; nullptr has none.
std::vector<model::EnvVar> build_env(const Node* node);
inline model::Script script_of(const Value& v) { return {v.tag, v.text}; }

// The parts of a software environment that workloads and sites spell alike.
model::SoftwareSpec build_software(const Node& node);

// True if `name` is fit for file names, job names and host names: a letter or digit, then letters,
// digits, `.`, `_`, `-`; at most 63. Reports otherwise.
bool check_name(const std::string& name, Span span, std::string_view what, Diagnostics& diagnostics);

// The index of `word` among the words of a symbol key; an enumerator's number.
template <class Enum>
Enum enumerator(std::string_view word, const KeySchema& key) {
  std::size_t index = 0;
  while (index < key.symbols.size() && key.symbols[index] != word) ++index;
  return static_cast<Enum>(index);
}

// The enumerator of a symbol key of a node, or `fallback` where the key is absent.
template <class Enum>
Enum symbol_of(const Node& node, std::string_view key, Enum fallback) {
  const Value* value = node.get(key);
  return value == nullptr ? fallback : enumerator<Enum>(value->text, *node.schema->key(key));
}

}  // namespace muster::sema
