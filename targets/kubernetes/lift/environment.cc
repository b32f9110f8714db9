// Variables of a container as keys: values, secrets by reference.
#include <algorithm>
#include <map>
#include <set>

#include "compiler/base/text.h"
#include "compiler/model/runner.h"
#include "targets/kubernetes/lift/object_lift.h"
#include "targets/shell.h"

namespace muster::targets::kubernetes::lifting {
namespace {

std::set<std::string_view> names_set(const Container& container) {
  std::set<std::string_view> out;
  for (const Field& variable : container.field.get("env").items()) out.insert(variable.get("name").text());
  return out;
}

// Whether a value takes one of the container's other variables.
bool takes_others(const Container& container, const model::Text& value) {
  const std::set<std::string_view> names = names_set(container);
  return std::any_of(value.references.begin(), value.references.end(),
                     [&](const model::Reference& reference) { return names.contains(reference.name); });
}

// Whether `$(NAME)` is a variable that the file does not show: what the operator or the cluster sets, by the names of
// both and by their spelling. In a text for a shell it may be a command of the shell.
bool is_of_cluster(const ObjectLift& lift, std::string_view name, bool one_word, bool of_env) {
  const OperatorName* row = operator_name(lift.givers, name);
  if (of_env) return row != nullptr && row->in_front;
  if (row != nullptr) return true;
  return one_word && std::none_of(name.begin(), name.end(), [](char c) { return is_lower(c); });
}

void lift_secret(ObjectLift& lift, const Field& variable, model::Role& role) {
  const Field ref = variable.at("valueFrom.secretKeyRef");
  const std::string object(ref.get("name").text()), key(ref.get("key").text()), name(variable.get("name").text());
  if (object.empty() || key.empty() || ref.get("optional")) return;
  const std::string own = muster::lower(name_from(object + "-" + key));
  const bool there =
      std::any_of(role.secrets.begin(), role.secrets.end(), [&](const auto& s) { return s.name == own; });
  if (there) return;  // twice in one container: the second stays as it is
  if (lift.out.site.secrets.find(own, lift.plane()) == nullptr) {
    model::SiteSecret secret;
    secret.name = own;
    secret.object = model::unplaced(object);
    secret.key = model::unplaced(key);
    lift.out.site.secrets.push_back(std::move(secret));
  }
  model::Secret used;
  used.name = own;
  used.env = model::unplaced(name);
  role.secrets.push_back(std::move(used));
  lift.ledger.line(variable, Fate::moved, "secret." + own + ", and secret " + own + " of the site");
}

// A field of the pod that has what the operator gives: settle_names() finds out what it means.
bool lift_field(ObjectLift& lift, const Field& variable, model::Role& role) {
  const std::string_view given = name_of_field(variable.at("valueFrom.fieldRef.fieldPath").text());
  const OperatorName* row = given.empty() ? nullptr : operator_name(lift.givers, given);
  if (row == nullptr || run_name(row->meaning).empty()) return false;
  const std::string name(variable.get("name").text());
  const model::RunnerVariables& own = row_of(role.launch.runner.value).variables;
  if (is_one_of(name, {own.world, own.process_rank, own.local_rank, own.node_rank})) return false;  // muster sets it
  model::Text value("", {{model::RefersTo::env, std::string(given), 0, {}}});
  role.env.push_back({name, std::move(value), variable.span()});
  lift.ledger.line(variable, Fate::mapped, "env." + name);
  return true;
}

}  // namespace

model::Text kubelet_text(const ObjectLift& lift, const Container& container, std::string_view value, bool of_env) {
  const std::set<std::string_view> names = names_set(container);
  const bool one_word = value.find_first_of(" \t\n;|&") == std::string_view::npos;
  model::Text out;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] != '$' || i + 1 == value.size()) {
      out.bytes += value[i];
      continue;
    }
    if (value[i + 1] == '$') {
      out.bytes += '$';
      ++i;
      continue;
    }
    const std::size_t end = value[i + 1] == '(' ? value.find(')', i) : std::string_view::npos;
    const std::string_view name = end == std::string_view::npos ? std::string_view() : value.substr(i + 2, end - i - 2);
    const bool known = names.contains(name) || (is_env_name(name) && is_of_cluster(lift, name, one_word, of_env));
    if (name.empty() || !known || !is_env_name(name)) {
      out.bytes += '$';  // the kubelet leaves what it does not know
      continue;
    }
    out.references.push_back({model::RefersTo::env, std::string(name), out.bytes.size(), {}});
    i = end;
  }
  return out;
}

void lift_environment(ObjectLift& lift, const Container& container, model::Role& role,
                      const std::set<std::string>* only) {
  std::set<std::string> there;
  for (const model::EnvVar& variable : role.env) there.insert(variable.name);
  std::map<std::string_view, int> count;
  for (const Field& variable : container.field.get("env").items()) ++count[variable.get("name").text()];
  for (const Field& variable : container.field.get("env").items()) {
    if (lift.ledger.has(*variable.node)) continue;
    const std::string_view name = variable.get("name").text();
    const Field value = variable.get("value");
    if (only != nullptr && !only->contains(std::string(name))) continue;
    if (count[name] > 1 || !is_env_name(name) || name.starts_with("MUSTER_")) continue;
    if (there.contains(std::string(name))) {
      lift.ledger.line(variable, Fate::dropped, "", "the launcher gives its processes another value");
      continue;
    }
    if (variable.get("valueFrom")) {
      if (!lift_field(lift, variable, role)) lift_secret(lift, variable, role);
      continue;
    }
    const model::Text text = kubelet_text(lift, container, value.text(), true);
    if (takes_others(container, text)) continue;  // variables of the block do not refer to each other
    if (has_nul(text.bytes)) continue;
    role.env.push_back({std::string(name), text, variable.span()});
    const bool template_left = value.text().starts_with('$') && value.text().size() > 1;
    lift.ledger.line(variable, Fate::mapped, "env." + std::string(name),
                     template_left ? "its value is the text `" + printable(value.text(), 60) +
                                         "`: Kubernetes fills in `$(NAME)` of its own variables only"
                                   : "");
  }
}

}  // namespace muster::targets::kubernetes::lifting
