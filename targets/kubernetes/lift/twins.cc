// Kinds with two pod templates for one role: what they run alike, and the template that runs something else.
#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/data/write.h"
#include "targets/kubernetes/lift/given_names.h"
#include "targets/kubernetes/lift/raw.h"
#include "targets/kubernetes/lift/secrets.h"

namespace muster::targets::kubernetes::lifting {
namespace {

// How a pod is reached and looked at; the rest of a container says what runs and with what.
bool is_of_program(std::string_view key) {
  return !key.ends_with("Probe") && !is_one_of(key, {"name", "ports", "imagePullPolicy"});
}

Node program_of(const Node& container) {
  Node out = plain_copy(container);
  std::erase_if(out.members, [](const data::Member& member) { return !is_of_program(member.key); });
  Node words = list({});
  for (const char* key : {"command", "args"})
    if (const Node* part = out.get(key))
      for (const Node& word : part->items) words.items.push_back(word);
  std::erase_if(out.members, [](const data::Member& m) { return m.key == "command" || m.key == "args"; });
  put(out, "words", std::move(words));
  std::sort(out.members.begin(), out.members.end(),
            [](const data::Member& a, const data::Member& b) { return a.key < b.key; });
  return out;
}

// All that the pods run, and what it is given.
std::string programs_of(const PodTemplate& pods) {
  std::string out;
  for (const char* key : {"initContainers", "containers"})
    for (const Field& container : pods.spec.get(key).items()) out += data::to_json(program_of(*container.node)) + "\n";
  if (const Field volumes = pods.spec.get("volumes")) out += data::to_json(*volumes.node);
  return out;
}

}  // namespace

bool run_alike(const PodTemplate& one, const PodTemplate& other) { return programs_of(one) == programs_of(other); }

void keep_template(ObjectLift& lift, const PodTemplate& pods, const PodTemplate& of, std::string_view option) {
  Node tree = map({});
  if (pods.metadata) put(tree, "metadata", plain_copy(*pods.metadata.node));
  put(tree, "spec", plain_copy(*pods.spec.node));
  if (!hide_secrets(lift, pods.spec, tree)) return;
  own_block(lift).options.push_back({std::string(option), model::unplaced(data::to_yaml(tree)), false});
  const std::string as = "target " + lift.out.target + " { " + std::string(option) + " }";
  lift.ledger.line(pods.metadata, Fate::raw, as);
  lift.ledger.line(pods.spec, Fate::raw, as, "it runs another program than the pods of `" + of.role + "`");
  const Field amounts = container_of(pods).resources(), others = container_of(of).resources();
  const bool alike = amounts && others ? data::to_json(*amounts.node) == data::to_json(*others.node)
                                       : static_cast<bool>(amounts) == static_cast<bool>(others);
  if (!alike)
    lift.ledger.say(pods.spec.span(), pods.spec.path, Fate::approximated, "resources",
                    "`muster fit` and `muster review` count these pods as those of `" + of.role + "`");
}

}  // namespace muster::targets::kubernetes::lifting
