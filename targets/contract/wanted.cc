#include "targets/contract/wanted.h"

#include <algorithm>
#include <iterator>
#include <variant>
#include <vector>

#include "compiler/base/text.h"
#include "targets/lookup.h"

namespace muster::targets::contract {
namespace {

constexpr std::string_view names[] = {
    "MUSTER_NAME",           "MUSTER_ROLE",      "MUSTER_ID",       "MUSTER_ATTEMPT",  "MUSTER_POINT",
    "MUSTER_POINTS",         "MUSTER_REPLICA",   "MUSTER_REPLICAS", "MUSTER_NODES",    "MUSTER_NODE_RANK",
    "MUSTER_NODE_ADDR",      "MUSTER_HEAD_ADDR", "MUSTER_PORT",     "MUSTER_CPUS",     "MUSTER_GPUS_PER_NODE",
    "MUSTER_MEMORY_MB",      "MUSTER_DIR",       "MUSTER_TMP",      "MUSTER_HOSTFILE", "MUSTER_CHECKPOINT",
    "MUSTER_PROCS_PER_NODE", "MUSTER_WORLD_SIZE"};

using Texts = std::vector<std::string_view>;

void add(Texts& out, const std::vector<model::Located<std::string>>& words) {
  for (const auto& word : words) out.push_back(word.value);
}

void add(Texts& out, const std::vector<model::EnvVar>& variables) {
  for (const model::EnvVar& variable : variables) out.push_back(variable.value.bytes);
}

void add(Texts& out, const model::Optional<model::Script>& script) {
  if (script) out.push_back(script->value.bytes);
}

void add(Texts& out, const model::Optional<std::string>& text) {
  if (text) out.push_back(text->value);
}

void add_role(Texts& out, const model::Role& role) {
  if (role.program) {
    if (const auto* script = std::get_if<model::Script>(&role.program->value)) out.push_back(script->bytes);
    else
      for (const model::Text& word : std::get<model::Argv>(role.program->value)) out.push_back(word.bytes);
  }
  for (const auto& word : role.args) out.push_back(word.value.bytes);
  add(out, role.launch.args);
  add(out, role.script_flags);
  add(out, role.setup);
  add(out, role.env);
  for (const model::SmallFile& file : role.files) out.push_back(file.bytes);
  if (role.workdir) out.push_back(role.workdir->value.bytes);
  for (const model::Probe& probe : role.probes)
    for (const auto& word : probe.command) out.push_back(word.value.bytes);
}

// What the site adds to the program's surroundings.
void add_site(Texts& out, const plan::Plan& plan, const plan::RolePlan& shape) {
  if (plan.site == nullptr || plan.plane == nullptr) return;
  if (plan.plane->pods() != nullptr) add(out, plan.plane->pods()->pod);
  if (const model::SoftwareSpec* spec = find_software(*shape.role, *plan.site, *plan.plane)) add(out, spec->prelude);
  if (const model::FabricAttachment* fabric = find_fabric(plan, shape)) {
    add(out, fabric->env);
    add(out, fabric->prelude);
    add(out, fabric->pod);
  }
}

// A program on Ray runs on the machines of all roles.
Texts texts_of(const plan::Plan& plan, const plan::RolePlan& shape) {
  Texts out;
  if (shape.role->launch.runner.value == model::Runner::ray)
    for (const model::Role& role : plan.workload->roles) add_role(out, role);
  else add_role(out, *shape.role);
  if (plan.workload->serve) {
    add(out, plan.workload->serve->args);
    add(out, plan.workload->serve->config);
  }
  const Texts around = texts_around(plan, shape);
  out.insert(out.end(), around.begin(), around.end());
  return out;
}

bool is_of_name(char c) { return is_upper(c) || is_digit(c) || c == '_'; }

// The words of the text that begin with MUSTER.
std::vector<std::string_view> names_in(std::string_view text) {
  constexpr std::string_view begin = "MUSTER";
  std::vector<std::string_view> out;
  for (std::size_t at = 0; (at = text.find(begin, at)) != std::string_view::npos;) {
    std::size_t end = at + begin.size();
    while (end < text.size() && is_of_name(text[end])) ++end;
    if (at == 0 || !is_of_name(text[at - 1])) out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

}  // namespace

Texts texts_around(const plan::Plan& plan, const plan::RolePlan& shape) {
  Texts out;
  for (const model::TargetOptions& block : plan.workload->targets) {
    for (const model::RawOption& option : block.options) out.push_back(option.value.value);
    add(out, block.srun);
    add(out, block.launch);
  }
  add_site(out, plan, shape);
  if (plan.site != nullptr && plan.plane != nullptr)
    if (const model::FabricAttachment* fabric = find_fabric(plan, shape))
      for (const model::EnvVar& variable : fabric->env) out.push_back(variable.name);
  return out;
}

Wanted Wanted::everything() {
  Wanted out;
  out.all_ = true;
  return out;
}

bool Wanted::has_any(std::string_view prefix) const {
  const auto first = names_.lower_bound(prefix);
  return all_ || (first != names_.end() && first->starts_with(prefix));
}

std::set<std::string, std::less<>> names_of(const model::Workload& workload, const model::Role& role) {
  std::set<std::string, std::less<>> out(std::begin(names), std::end(names));
  for (const model::Port& port : role.ports) out.insert(contract_name("MUSTER_PORT_", port.name));
  for (const model::Mount& mount : role.mounts) out.insert(contract_name("MUSTER_MOUNT_", mount.name));
  if (workload.roles.size() < 2) return out;
  for (const model::Role& other : workload.roles)
    for (const std::string_view prefix : {"MUSTER_ADDR_", "MUSTER_HOSTS_"})
      out.insert(contract_name(prefix, other.name));
  return out;
}

Wanted wanted_by(const plan::Plan& plan, const plan::RolePlan& shape) {
  Wanted out;
  if (shape.role->launch.contract.value == model::Contract::full) out.all_ = true;
  const auto known = names_of(*plan.workload, *shape.role);
  for (const std::string_view text : texts_of(plan, shape))
    for (const std::string_view name : names_in(text)) {
      const auto at = known.lower_bound(name);
      if (at == known.end()) continue;
      if (*at == name) out.names_.insert(*at);
      else if (at->starts_with(name)) out.all_ = true;  // the rest is put to it when it runs
    }
  return out;
}

Wanted both(const Wanted& one, const Wanted& other) {
  Wanted out = one;
  out.all_ = one.all_ || other.all_;
  out.names_.insert(other.names_.begin(), other.names_.end());
  return out;
}

void check_wanted(Account& account, const plan::Plan& plan, const plan::RolePlan& shape) {
  const auto& contract = shape.role->launch.contract;
  if (contract.value != model::Contract::none)
    return account.read(Field::launch_contract, contract.value == model::Contract::full
                                                    ? "all variables are set"
                                                    : "the variables that the text names are set");
  account.read(Field::launch_contract, "no variable is set");
  const Wanted wanted = wanted_by(plan, shape);
  if (wanted.none()) return;
  const std::string name = wanted.names().empty() ? "MUSTER_*" : *wanted.names().begin();
  account.refuse_at(contract.span, Field::launch_contract,
                    "`contract = none` sets no variable of muster's, but the text names " + name,
                    "remove `contract`, or the name from the text");
}

}  // namespace muster::targets::contract
