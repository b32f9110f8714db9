#include "targets/kubernetes/draft.h"

#include <algorithm>
#include <set>

#include "compiler/base/text.h"
#include "compiler/data/write.h"
#include "compiler/model/coupling.h"
#include "targets/compiled_mark.h"
#include "targets/kubernetes/names.h"
#include "targets/kubernetes/pod_draft.h"
#include "targets/kubernetes/report.h"
#include "targets/kubernetes/security.h"
#include "targets/shell.h"

namespace muster::targets::kubernetes {
namespace {

constexpr std::size_t digest_digits = 8;

// The tenant's namespace, else the plane's.
std::string name_space_of(const plan::Plan& plan) {
  const model::Tenant* found = nullptr;
  for (const model::Tenant& tenant : plan.site->tenants)
    for (const auto& account : tenant.accounts)
      if (account.value == plan.account) found = &tenant;
  if (found == nullptr && plan.account.empty() && plan.site->tenants.size() == 1) found = &plan.site->tenants.front();
  if (found != nullptr && found->name_space) return found->name_space->value;
  const model::PodPlane& plane = *plan.plane->pods();
  return plane.name_space ? plane.name_space->value : std::string();
}

// A target that is a provider's name wins over the site.
model::GangProvider provider_of(const model::PodPlane& plane, std::string_view target) {
  for (const kubernetes::GangProviderRow& row : kubernetes::gang_providers())
    if (model::name(row.provider) == target) return row.provider;
  return plane.gang;
}

std::string title_of(const Draft& draft) {
  const std::string from = draft.options.source.empty() ? "" : " from " + draft.options.source;
  std::string out = "# " + one_line(draft.workload.name + std::string(compiled_mark) + from) + "\n";
  for (const std::string& remark : draft.remarks) out += "# " + one_line(remark) + "\n";
  return out;
}

std::string render(const Draft& draft) {
  std::string out = title_of(draft);
  for (const Node& object : draft.objects) {
    if (&object != &draft.objects.front()) out += "---\n";
    out += data::to_yaml(object);
  }
  return out;
}

// A gang that the workload breaks up: on pods nothing else starts its nodes together.
bool breaks_gang_up(Draft& draft) {
  const auto& gang = draft.workload.gang;
  if (!gang || gang->value != model::Gang::none || model::coupled_nodes(draft.workload) <= 1) return false;
  draft.refuse_at(gang->span, model::Field::gang,
                  model::together(draft.workload) + ", but `gang = none` starts each alone",
                  "remove `gang = none`, or give a range of nodes from 1 to a launcher that starts with one");
  return true;
}

// What keeps this plan from every target of pods.
bool target_takes(Draft& draft, std::string_view operator_name) {
  const std::string target = "`" + std::string(draft.target) + "`";
  const std::size_t before = draft.diagnostics.size();
  if (draft.plan.roles.empty() || draft.plan.roles[0].role == nullptr) {
    draft.refuse_at(draft.workload.span, model::Field::workload,
                    "`" + draft.workload.name + "` was not placed on a plane");
  } else if (!operator_name.empty() && !draft.pods.operators.empty() && !draft.pods.has_operator(operator_name)) {
    draft.refuse_at(draft.workload.span, model::Field::workload,
                    "target " + target + " requires the operator `" + std::string(operator_name) + "`, which plane `" +
                        draft.plane.name + "` does not declare",
                    "install it and add `operator " + std::string(operator_name) + " {}` to the plane");
  } else if (!is_dns_label(draft.base)) {
    draft.refuse_at(draft.workload.span, model::Field::workload,
                    "`" + draft.base + "` is not a valid name of an object",
                    "begin it with a lower-case letter, then use such letters, digits and dashes, at most 63 in all");
  } else if (breaks_gang_up(draft)) {
    return false;
  }
  return draft.diagnostics.size() == before;
}

std::optional<model::Topology> near_topology(const Draft& draft) {
  const model::TopologyLevel* level = draft.pods.nearest_level(draft.provider);
  if (level == nullptr || !draft.plan.wants_near) return std::nullopt;
  const model::Within within = level->name == "leaf" ? model::Within::leaf : model::Within::block;
  return model::Topology{.within = {within, {}}, .required = false, .segment = {}, .span = {}, .segment_within = {}};
}

Draft start(const plan::Plan& plan, const LowerOptions& options, Diagnostics& diagnostics, std::string_view target) {
  Draft draft{{*plan.workload, diagnostics}, plan, *plan.plane, *plan.plane->pods(), *plan.site, options, target};
  draft.base = dns_label(plan.workload->name);
  draft.name = draft.base;
  draft.name_space = name_space_of(plan);
  draft.provider = provider_of(draft.pods, target);
  draft.near = near_topology(draft);
  const bool serves = plan.workload->kind.value == model::Kind::serve;
  draft.limit = model::limit_of(*plan.workload, serves ? nullptr : plan.queue);
  if (!draft.near && !plan.spread.empty()) draft.remarks.push_back(plan.spread);
  return draft;
}

std::string_view operator_of(const Target& target) {
  const kubernetes::Kind* kind = kubernetes::kind_of_target(target.name);
  return kind == nullptr ? std::string_view() : kind->operator_name;
}

struct Origin {
  std::string_view key;
  model::Field field;
};

// The field of the workload that a key of the output comes from, where that is one field.
model::Field field_of_key(std::string_view key) {
  using enum model::Field;
  constexpr Origin origins[] = {{"activeDeadlineSeconds", time_limit},
                                {"terminationGracePeriodSeconds", stop_grace},
                                {"networkTopology", topology},
                                {"volcano.sh/network-topology-mode", topology},
                                {"rules", retry_on},
                                {"dependsOn", role_depends_on},
                                {"resourceClaimTemplateName", resources_gpus},
                                {"schedulingGroup", gang},
                                {"kai.scheduler/batch-min-member", gang}};
  const auto found =
      std::find_if(std::begin(origins), std::end(origins), [&](const Origin& origin) { return origin.key == key; });
  return found == std::end(origins) ? workload : found->field;
}

// The user's own YAML in a `target` block: the first that there is.
const model::RawOption* own_yaml(const Draft& draft) {
  for (const model::TargetOptions& target : draft.workload.targets)
    for (const model::RawOption& option : target.options)
      if (is_own_block(draft, target) && (option.name == "object" || option.name == "pod")) return &option;
  return nullptr;
}

// What the declared releases would drop or reject is refused, whoever wrote it.
void refuse_what_is_lacking(Draft& draft) {
  for (const Node& object : draft.objects)
    for (const Lacking& part : lacking(draft.plane, root_field(object))) {
      const model::Field field = field_of_key(part.where.key);
      const model::RawOption* yaml = field == model::Field::workload ? own_yaml(draft) : nullptr;
      draft.refuse_at(yaml != nullptr ? yaml->value.span : draft.span_of(field), field, sentence(draft.plane, part),
                      way_out(part));
    }
}

// What the pod security standard of the plane does not admit, whoever wrote it. Where the plane names no level, the
// namespace that the pods need is at the top of the file.
void check_security(Draft& draft) {
  const std::string level = draft.pods.security ? draft.pods.security->value : "";
  if (level == "privileged") return;
  for (const Node& object : draft.objects) {
    const std::optional<Excess> excess = beyond(object, level == "restricted" ? level : "baseline");
    if (!excess) continue;
    if (level.empty()) {
      draft.remarks.push_back("its namespace must admit privileged pods (" + excess->what +
                              "): label pod-security.kubernetes.io/enforce=privileged, or none");
      return;
    }
    const model::RawOption* yaml = own_yaml(draft);
    return draft.refuse_at(
        yaml != nullptr ? yaml->value.span : draft.workload.span, model::Field::workload,
        "plane `" + draft.plane.name + "` admits pods of level `" + level + "`, which excludes " + excess->what,
        "remove it, or set `security = " + std::string(excess->admitted_by) + "` in the plane if its namespaces do");
  }
}

// Kubernetes gives added capabilities to root alone; what they are for, such as memory that is pinned for a network,
// may then fail when the program runs.
void check_capabilities(Draft& draft) {
  for (const Node& object : draft.objects)
    if (const auto found = useless_capability(object))
      return draft.remarks.push_back(*found + ": run it as root (`identity` of the site), or give the program the " +
                                     "capability in the image (setcap)");
}

void build_with(Draft& draft, const Target& kind) {
  if (!target_takes(draft, operator_of(kind))) return;
  const std::size_t before = draft.diagnostics.size();
  kind.build(draft);
  if (draft.diagnostics.size() == before) refuse_what_is_lacking(draft);
  if (draft.diagnostics.size() == before) check_security(draft);
  if (draft.diagnostics.size() == before) check_capabilities(draft);
  report_workload(draft, draft.diagnostics.size() > before);
}

// A suffix that only the document itself can give is found by writing it with zeros first.
std::string suffix_of(const plan::Plan& plan, const LowerOptions& options, std::string_view target,
                      const Target& kind) {
  if (!options.run.empty()) return "-" + dns_label(options.run);
  if (options.names == Names::fixed) return {};
  Diagnostics unused;
  Draft first = start(plan, options, unused, target);
  first.name += "-" + std::string(digest_digits, '0');
  first.for_digest = true;
  build_with(first, kind);
  if (first.keeps_name) return {};
  return "-" + digest(unused.has_errors() ? std::string() : render(first));
}

// Pod templates below a node, in their order.
void add_templates(Node& node, std::vector<Node*>& out) {
  if (const Node* containers = node.at("spec.containers"); containers != nullptr) return out.push_back(&node);
  for (Node& item : node.items) add_templates(item, out);
  for (data::Member& member : node.members) add_templates(member.value, out);
}

void drop_if_empty(Node& map, std::string_view key) {
  std::erase_if(map.members, [&](const data::Member& member) {
    return member.key == key && member.value.items.empty() && member.value.members.empty();
  });
}

void drop_empty_lists(Node& pod_template) {
  Node& spec = at(pod_template, "spec");
  drop_if_empty(spec, "volumes");
  for (const char* key : {"initContainers", "containers"})
    if (spec.get(key) != nullptr)
      for (Node& container : at(spec, key).items) drop_if_empty(container, "volumeMounts");
}

// The keys of labels that the selectors below a node look for.
void add_selected(const Node& node, std::set<std::string, std::less<>>& out) {
  for (const data::Member& member : node.members) {
    if (member.key == "matchLabels" || member.key == "selector")
      for (const data::Member& label : member.value.members) out.insert(label.key);
    add_selected(member.value, out);
  }
  for (const Node& item : node.items) add_selected(item, out);
}

// Controllers name their object on its pods themselves: of muster's own labels, pods need those that a selector looks
// for, and the role where there are several.
void drop_unselected_labels(const Draft& draft, Node& pod_template,
                            const std::set<std::string, std::less<>>& selected) {
  Node& metadata = at(pod_template, "metadata");
  std::erase_if(at(metadata, "labels").members, [&](const data::Member& label) {
    const auto is_this = [&](const auto& users) { return users.first == label.key; };
    const bool users = std::any_of(draft.workload.labels.begin(), draft.workload.labels.end(), is_this);
    const bool names_workload = label.key == "app.kubernetes.io/name" || label.key == "app.kubernetes.io/instance";
    return names_workload && !users && !selected.contains(label.key);
  });
  drop_if_empty(metadata, "labels");
  drop_if_empty(pod_template, "metadata");
}

void drop_what_nothing_reads(Draft& draft) {
  std::set<std::string, std::less<>> selected;
  for (const Node& object : draft.objects) add_selected(object, selected);
  for (Node& object : draft.objects) {
    std::vector<Node*> templates;
    add_templates(object, templates);
    for (Node* pod_template : templates) {
      drop_empty_lists(*pod_template);
      if (pod_template != &object) drop_unselected_labels(draft, *pod_template, selected);
    }
  }
}

// A kind may want the same pod in two places, which a person would write once.
void share_templates(Draft& draft) {
  for (Node& object : draft.objects) {
    std::vector<Node*> templates;
    add_templates(object, templates);
    int anchors = 0;
    for (std::size_t i = 0; i < templates.size(); ++i)
      for (std::size_t j = i + 1; j < templates.size(); ++j) {
        if (templates[j]->aliased || templates[i]->aliased) continue;
        if (data::to_json(*templates[i]) != data::to_json(*templates[j])) continue;
        if (templates[i]->text.empty()) templates[i]->text = anchors++ == 0 ? "pod" : "pod" + std::to_string(anchors);
        templates[j]->text = templates[i]->text;
        templates[j]->aliased = true;
      }
  }
}

Lowered finish(Draft& draft) {
  Lowered out;
  drop_what_nothing_reads(draft);
  share_templates(draft);
  const std::string file = draft.workload.name + "." + std::string(draft.target) + ".yaml";
  out.documents.push_back({file, render(draft)});
  // The API server makes names up only for what is created.
  out.submit = std::string(draft.is_generated() ? "kubectl create -f " : "kubectl apply -f ") + sh_word(file);
  out.loss = std::move(draft.loss);
  out.object = draft.main;
  return out;
}

}  // namespace

Node Draft::labels_for(std::string_view role) const {
  // Of a pod: whose it is. Of an object: what wrote it; its name is the run's.
  Node out = map({{"app.kubernetes.io/name", text(base)}});
  if (role.empty()) put(out, "app.kubernetes.io/managed-by", text("muster"));
  if (!role.empty() && !is_generated()) put(out, "app.kubernetes.io/instance", text(name));
  // Of the only pods that there are, it would say nothing; mpirun has one of its own.
  const model::Role& first = *plan.roles.front().role;
  const bool alone = plan.roles.size() == 1 && !first.span.known() && first.launch.runner.value != model::Runner::mpi;
  if (!role.empty() && !alone) put(out, "app.kubernetes.io/component", text(dns_label(role)));
  // In the namespace of its tenant the account is clear.
  if (name_space.empty() && !plan.account.empty() && is_label_value(plan.account))
    put(out, "account", text(plan.account));
  for (const auto& [key, value] : workload.labels)
    if (is_label_key(key) && is_label_value(value.value)) put(out, key, text(value.value));
  return out;
}

Node Draft::object(std::string_view api_version, std::string_view kind, std::string_view object_name) const {
  Node labels = map({});
  for (const auto& [key, value] : workload.labels)
    if (is_label_key(key) && is_label_value(value.value)) put(labels, key, text(value.value));
  return map({{"apiVersion", text(api_version)},
              {"kind", text(kind)},
              {"metadata", map({{"name", text(object_name)},
                                {"namespace", name_space.empty() ? nothing() : text(name_space)},
                                {"labels", labels.members.empty() ? nothing() : std::move(labels)}})}});
}

Node Draft::main_object(const kubernetes::Kind& kind) const {
  Node out = object(kind.api_version(), kind.name, name);
  put(at(out, "metadata"), "labels", labels_for(""));
  if (!is_generated()) return out;
  Node metadata = map({{"generateName", text(base + "-")}});
  for (data::Member& member : at(out, "metadata").members)
    if (member.key != "name") metadata.members.push_back(std::move(member));
  put(out, "metadata", std::move(metadata));
  return out;
}

std::string Draft::name_word() const { return is_generated() ? "$MUSTER_OBJECT" : name; }

Node Draft::name_variable(const kubernetes::Kind& kind) const {
  if (!is_generated()) return nothing();
  const std::string path = "metadata.labels['" + std::string(kind.pod_label) + "']";
  return map({{"name", text("MUSTER_OBJECT")}, {"valueFrom", map({{"fieldRef", map({{"fieldPath", text(path)}})}})}});
}

bool Draft::fits(std::size_t room, std::string_view what) {
  if (name.size() + room <= longest_label && is_dns_label(name)) return true;
  refuse_as(
      Code::name_not_valid, workload.span, model::Field::workload,
      std::string(what) + " of `" + name + "` " +
          (name.size() + room > longest_label
               ? "would have " + std::to_string(name.size() + room) + " characters, but a DNS label has at most 63"
               : "is not a valid DNS label: lower-case letters, digits and dashes, a letter first"),
      "give the workload or the run (`--run`) a shorter name");
  return false;
}

void Draft::report_limit(std::string_view as, std::string_view note) {
  if (workload.time_limit)
    return note.empty() ? exact(model::Field::time_limit, as) : approximated(model::Field::time_limit, as, note);
  if (!limit) return;
  const std::string text = std::string(as) + ", the default-time of queue " + plan.queue->name;
  if (note.empty()) loss.exact(model::Field::time_limit, text);
  else loss.approximated(model::Field::time_limit, text, std::string(note));
}

bool Draft::needs(const Gate& gate, Span where, const FieldRef& field) {
  if (!lacks(gate)) return false;
  const std::string what = "`" + std::string(gate.path.substr(gate.path.rfind('.') + 1)) + "`";
  refuse_at(where, field, sentence(plane, what, gate.component, gate.in), way_out({{}, gate.component, gate.in}));
  return true;
}

bool Draft::needs(std::string_view component, std::string_view feature, std::string_view what, const FieldRef& field) {
  if (has_feature(plane, component, feature).value_or(true)) return false;
  const Releases& in = feature_row(component, feature).in;
  refuse(field, sentence(plane, what, component, in), way_out({{}, component, in}));
  return true;
}

bool Draft::has_flag(std::string_view operator_name, std::string_view flag) const {
  return kubernetes::has_flag(plane, operator_name, flag);
}

bool Draft::has_flag_with(std::string_view operator_name, std::string_view beginning) const {
  for (const model::Operator& installed : pods.operators)
    for (const auto& given : installed.flags)
      if (installed.name == operator_name && given.value.starts_with(beginning)) return true;
  return false;
}

namespace {

// Who asks whether the target takes the workload needs no digest: a name as long as one with it does. nullopt: its
// objects keep their names.
std::optional<Loss> built_once(const Target& target, const Target& kind, const plan::Plan& plan,
                               const LowerOptions& options, Diagnostics& diagnostics) {
  Diagnostics reports;
  Draft draft = start(plan, options, reports, target.name);
  draft.name += "-" + digest(std::string());  // as a workload that is refused has it
  build_with(draft, kind);
  if (draft.keeps_name) return std::nullopt;
  for (Diagnostic& d : reports.sorted()) diagnostics.add(std::move(d));
  return std::move(draft.loss);
}

}  // namespace

Lowered lower_pods(const Target& target, const plan::Plan& plan, const LowerOptions& options,
                   Diagnostics& diagnostics) {
  return lower_pods_as(target, target, plan, options, diagnostics);
}

Lowered lower_pods_as(const Target& target, const Target& kind, const plan::Plan& plan, const LowerOptions& options,
                      Diagnostics& diagnostics) {
  if (plan.site == nullptr || plan.plane == nullptr || plan.plane->pods() == nullptr) {
    Account account{*plan.workload, diagnostics};
    account.refuse_at(
        plan.workload->span, model::Field::workload,
        "target `" + std::string(target.name) + "` requires a site with a plane of kind `kubernetes` or `k3s`");
    for (const model::WrittenField& field : plan.workload->written)
      account.loss.refused(field.field, "no Kubernetes plane");
    return {{}, std::move(account.loss), {}};
  }
  if (options.one_reason && lacks_image(plan)) {
    Account account{*plan.workload, diagnostics};
    account.refuse(model::Field::image, "a pod requires an image, but the workload does not set one");
    return {{}, std::move(account.loss), {}};
  }
  if (options.asks != LowerOptions::Asks::file && options.names != Names::fixed && options.run.empty())
    if (auto loss = built_once(target, kind, plan, options, diagnostics)) return {{}, std::move(*loss), {}};
  const std::string suffix = suffix_of(plan, options, target.name, kind);
  Draft draft = start(plan, options, diagnostics, target.name);
  draft.name += suffix;
  build_with(draft, kind);
  return finish(draft);
}

}  // namespace muster::targets::kubernetes
