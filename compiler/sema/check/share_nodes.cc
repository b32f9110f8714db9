// Roles that run on the nodes of another one, `role … { with = OTHER }`: what is said of the nodes is that role's.
#include <algorithm>
#include <utility>

#include "compiler/base/text.h"
#include "compiler/sema/check/builders.h"

namespace muster::sema {
namespace {

using model::Field;
using model::Role;

std::string quoted(const std::string& name) { return "`" + name + "`"; }

// Where the role's own block has the key, also in `resources`; nowhere: it does not.
Span said_at(const Node& own, Field field) {
  const Node* resources = own.one("resources");
  for (const Node* node : {&own, resources})
    if (const Entry* entry = node != nullptr ? node->entry(field) : nullptr) return entry->name_span;
  return {};
}

class Sharing {
 public:
  Sharing(model::Workload& workload, Diagnostics& diagnostics) : workload_(workload), diagnostics_(diagnostics) {}

  // Nothing: reported.
  const Role* other_of(const Role& role) {
    const std::string& name = role.with->value;
    const auto found = std::find_if(workload_.roles.begin(), workload_.roles.end(),
                                    [&](const Role& other) { return other.name == name; });
    if (found == workload_.roles.end()) unknown(role);
    else if (&*found == &role) conflict(role.with->span, "role " + quoted(name) + " cannot run with itself");
    else if (found->with)
      conflict(role.with->span,
               "role " + quoted(name) + " has no nodes of its own: it runs with role " + quoted(found->with->value))
          .notes.push_back("write `with = " + found->with->value + "`");
    else return &*found;
    return nullptr;
  }

  // What is about nodes, from the role that has them; `own` is the block of the role that runs with it.
  void take_nodes(const Node& own, Role& role, const Role& other) {
    const auto nodes = [](const Role& r) {
      return std::pair(r.resources.nodes ? r.resources.nodes->value.low : 1,
                       r.resources.nodes ? r.resources.nodes->value.high : 1);
    };
    const auto copies = [](const Role& r) {
      return std::pair(r.replicas ? r.replicas->value.low : 1, r.replicas ? r.replicas->value.high : 1);
    };
    const auto models = [](const Role& r) {
      return r.resources.gpu ? r.resources.gpu->value : std::vector<std::string>{};
    };
    same(said_at(own, Field::resources_nodes), nodes(role) == nodes(other), role, other, "`nodes`");
    same(said_at(own, Field::replicas), copies(role) == copies(other), role, other, "`replicas`");
    const bool same_gpus = other.gpus() == 0 || models(role) == models(other);
    same(said_at(own, Field::resources_gpu), same_gpus, role, other, "GPU model");
    role.resources.nodes = other.resources.nodes, role.replicas = other.replicas;
    if (other.gpus() > 0) role.resources.gpu = role.gpus() > 0 ? other.resources.gpu : std::nullopt;
    for (const Field field : {Field::resources_gpu_memory, Field::resources_exclusive, Field::resources_smt})
      only_of(said_at(own, field), std::string(model::key(field)), role, other);
    if (const Node* topology = own.one("topology")) only_of(topology->span, "topology", role, other);
    if (!own.requirements.empty()) only_of(own.requirements.front()->span, "require", role, other);
    if (!own.preferences.empty()) only_of(own.preferences.front()->span, "prefer", role, other);
    role.resources.gpu_memory = std::nullopt, role.resources.exclusive = std::nullopt,
    role.resources.smt = std::nullopt;
    role.topology.reset(), role.requires_.clear(), role.prefers.clear();
  }

  // What both can have only on nodes of their own.
  void check_pair(const Role& role, const Role& other) {
    if (role.primary && role.primary->value)
      conflict(role.primary->span,
               "role " + quoted(role.name) + " ends with role " + quoted(other.name) + ", so it cannot be `primary`");
    for (const Role* one : {&role, &other}) {
      const model::Resources& r = one->resources;
      if (r.part_of_gpu())
        divided(r.gpu_share ? r.gpu_share->span : r.gpu_slice->span, "a part of a GPU", "whole `gpus`", role, other);
      if (r.cpus && r.cpus->value.all) divided(r.cpus->span, "`cpus = all`", "the number of each role", role, other);
      if (r.memory && r.memory->value.all)
        divided(r.memory->span, "`memory = all`", "the amount of each role", role, other);
    }
    for (const model::Port& port : role.ports)
      for (const Role* one : workload_.on_nodes_of(other))
        for (const model::Port& taken : one->ports)
          if (one != &role && taken.number.value == port.number.value)
            conflict(port.number.span, "port " + std::to_string(port.number.value) + " is already used by role " +
                                           quoted(one->name) + " on the same nodes")
                .labels.push_back({taken.number.span, "used here"});
  }

 private:
  Diagnostic& conflict(Span where, std::string message) {
    return diagnostics_.add(Code::conflict, where, std::move(message));
  }

  void unknown(const Role& role) {
    std::vector<std::string_view> names;
    for (const Role& other : workload_.roles)
      if (&other != &role) names.push_back(other.name);
    const std::string& name = role.with->value;
    Diagnostic& d = diagnostics_.add(Code::unknown_name, role.with->span, "the workload has no role " + quoted(name));
    if (const std::string near = closest(name, names); !near.empty())
      d.fixes.push_back({role.with->span, near, "did you mean " + quoted(near) + "?", false});
  }

  void same(Span said, bool is_same, const Role& role, const Role& other, const std::string& what) {
    if (!said.known() || is_same) return;
    conflict(said, "role " + quoted(role.name) + " runs on the nodes of role " + quoted(other.name) +
                       " and cannot have another " + what)
        .notes.push_back("remove it: it is that of role " + quoted(other.name));
  }

  void only_of(Span said, const std::string& key, const Role& role, const Role& other) {
    if (!said.known()) return;
    conflict(said, "role " + quoted(role.name) + " runs on the nodes of role " + quoted(other.name) + ", so " +
                       quoted(key) + " belongs in that role");
  }

  void divided(Span said, const std::string& what, const std::string& instead, const Role& role, const Role& other) {
    conflict(said, "roles " + quoted(other.name) + " and " + quoted(role.name) +
                       " divide their nodes, so neither can have " + what)
        .notes.push_back("write " + instead);
  }

  model::Workload& workload_;
  Diagnostics& diagnostics_;
};

}  // namespace

void share_nodes(const std::vector<const Node*>& blocks, model::Workload& workload, Diagnostics& diagnostics) {
  Sharing sharing(workload, diagnostics);
  std::vector<std::pair<Role*, const Role*>> pairs;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    Role& role = workload.roles[i];
    if (!role.with) continue;
    const Role* other = sharing.other_of(role);
    if (other == nullptr) continue;
    sharing.take_nodes(*blocks[i], role, *other);
    pairs.emplace_back(&role, other);
  }
  for (const auto& [role, other] : pairs) sharing.check_pair(*role, *other);
}

}  // namespace muster::sema
