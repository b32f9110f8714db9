// What the site gives to pods: the attachment of a fast network, and the YAML that every pod of the plane gets.
#include <algorithm>
#include <array>
#include <set>

#include "compiler/base/text.h"
#include "compiler/data/read.h"
#include "compiler/model/attachment.h"
#include "targets/contract/resolve.h"
#include "targets/kubernetes/names.h"
#include "targets/kubernetes/pod_draft.h"
#include "targets/kubernetes/schema.h"
#include "targets/lookup.h"
#include "targets/shell.h"

namespace muster::targets::kubernetes {
namespace {

// YAML as a tree; nothing after a refusal.
Node parsed(Account& account, const model::Located<std::string>& yaml, const FieldRef& field, const std::string& what) {
  Sources sources;
  data::Documents read = data::read_yaml(sources, sources.add("site", yaml.value));
  const bool one = !read.diagnostics.has_errors() && read.documents.size() == 1 &&
                   !read.documents[0].diagnostics.has_errors() && read.documents[0].root.is_map();
  if (one) return std::move(read.documents[0].root);
  const Diagnostics& why = read.documents.empty() ? read.diagnostics : read.documents[0].diagnostics;
  account.refuse_at(yaml.span, field,
                    what + " is not a YAML map" + (why.has_errors() ? ": " + why.sorted()[0].message : ""));
  return nothing();
}

void apply(Account& account, Node& into, const Node& patch, Span where, const FieldRef& field,
           const std::string& what) {
  for (const std::string& path : merge(into, patch))
    account.refuse_at(where, field, what + " sets `" + path + "` to a different value than muster writes");
}

// Whether a patch of a pod brings containers beside the program's.
bool adds_containers(const Node& patch, const std::string& own) {
  const Node* spec = patch.get("spec");
  const Node* inits = spec != nullptr ? spec->get("initContainers") : nullptr;
  const Node* containers = spec != nullptr ? spec->get("containers") : nullptr;
  const auto is_new = [&](const Node& item) {
    const Node* name = item.get("name");
    return name != nullptr && name->text != "*" && name->text != own;
  };
  if (inits != nullptr && !inits->items.empty()) return true;
  return containers != nullptr && std::any_of(containers->items.begin(), containers->items.end(), is_new);
}

constexpr std::size_t most_refusals = 50;

constexpr std::array fields_of_template = std::to_array<std::string_view>({"metadata", "spec"});

// Of PodSpec: Kubernetes 1.37, and `workloadRef` of 1.35.
constexpr std::array fields_of_spec = std::to_array<std::string_view>({"activeDeadlineSeconds",
                                                                       "affinity",
                                                                       "automountServiceAccountToken",
                                                                       "containers",
                                                                       "dnsConfig",
                                                                       "dnsPolicy",
                                                                       "enableServiceLinks",
                                                                       "ephemeralContainers",
                                                                       "evictionResponders",
                                                                       "hostAliases",
                                                                       "hostIPC",
                                                                       "hostNetwork",
                                                                       "hostPID",
                                                                       "hostUsers",
                                                                       "hostname",
                                                                       "hostnameOverride",
                                                                       "imagePullSecrets",
                                                                       "initContainers",
                                                                       "nodeName",
                                                                       "nodeSelector",
                                                                       "os",
                                                                       "overhead",
                                                                       "preemptionPolicy",
                                                                       "priority",
                                                                       "priorityClassName",
                                                                       "readinessGates",
                                                                       "resourceClaims",
                                                                       "resources",
                                                                       "restartPolicy",
                                                                       "runtimeClassName",
                                                                       "schedulerName",
                                                                       "schedulingGates",
                                                                       "schedulingGroup",
                                                                       "securityContext",
                                                                       "serviceAccount",
                                                                       "serviceAccountName",
                                                                       "setHostnameAsFQDN",
                                                                       "shareProcessNamespace",
                                                                       "subdomain",
                                                                       "terminationGracePeriodSeconds",
                                                                       "tolerations",
                                                                       "topologySpreadConstraints",
                                                                       "volumes",
                                                                       "workloadRef"});

// The first key of a patch that no pod template has, with its path.
std::string unknown_field(const Node& patch) {
  const auto first = [](const Node& map, const auto& known) -> std::string {
    for (const data::Member& member : map.members)
      if (std::find(known.begin(), known.end(), member.key) == known.end()) return member.key;
    return {};
  };
  if (const std::string key = first(patch, fields_of_template); !key.empty()) return key;
  const Node* spec = patch.get("spec");
  const std::string key = spec == nullptr ? std::string() : first(*spec, fields_of_spec);
  return key.empty() ? key : "spec." + key;
}

// By what the items of these lists are told apart: `patchMergeKey` of the API, without which there is no merging.
constexpr std::array keys_of_items =
    std::to_array<std::pair<std::string_view, std::string_view>>({{"containers", "name"},
                                                                  {"env", "name"},
                                                                  {"ephemeralContainers", "name"},
                                                                  {"initContainers", "name"},
                                                                  {"resourceClaims", "name"},
                                                                  {"volumeMounts", "mountPath"},
                                                                  {"volumes", "name"}});

// The first list with an item that does not have its key.
std::string without_key(const Node& node) {
  for (const Node& item : node.items)
    if (std::string found = without_key(item); !found.empty()) return found;
  for (const data::Member& member : node.members) {
    const auto row = std::find_if(keys_of_items.begin(), keys_of_items.end(),
                                  [&](const auto& known) { return known.first == member.key; });
    for (const Node& item : member.value.items)
      if (row != keys_of_items.end() && item.get(row->second)->text.empty())
        return "an item of `" + member.key + "` without `" + std::string(row->second) + "`";
    if (std::string found = without_key(member.value); !found.empty()) return found;
  }
  return {};
}

// Why the API server cannot take the patch, whatever it is merged with.
std::string wrong_shape(const Node& patch) {
  const SchemaKind* pod = find_schema("v1", "Pod");
  if (pod != nullptr)
    for (const Refusal& refusal : refused(*pod, root_field(patch), most_refusals))
      if (refusal.why == Refusal::Why::wrong_type)
        return "something else than " + std::string(refusal.expected) + " for `" + printable(refusal.where.path) + "`";
  return without_key(patch);
}

void apply_to_pod(PodDraft& pod, Node& pod_template, const model::Located<std::string>& yaml, const FieldRef& field,
                  const std::string& what) {
  const Node patch = parsed(pod, yaml, field, what);
  if (!patch.is_map()) return;
  if (const std::string unknown = unknown_field(patch); !unknown.empty())
    return pod.refuse_at(yaml.span, field, what + " sets `" + printable(unknown) + "`, which pods do not have",
                         "write the patch as a pod template: `metadata` and `spec`");
  if (const std::string wrong = wrong_shape(patch); !wrong.empty())
    return pod.refuse_at(yaml.span, field, what + " has " + wrong);
  if (pod.options.one_container && adds_containers(patch, pod.options.container))
    return pod.refuse_at(yaml.span, field,
                         what + " adds a container, but target `" + std::string(pod.draft.target) +
                             "` allows only the program's container");
  apply(pod, pod_template, patch, yaml.span, field, what);
}

// The nodes of all roles that use this attachment.
std::int64_t nodes_with(const model::FabricAttachment& fabric, const plan::Plan& plan) {
  std::int64_t out = 0;
  for (const plan::RolePlan& role : plan.roles) out += find_fabric(plan, role) == &fabric ? role.total() : 0;
  return out;
}

// One ComputeDomain for the gang: its nodes' NVLink as one domain. A node alone has its own, and more nodes than a
// domain has cannot have one.
void claim_domain(PodDraft& pod, const model::FabricAttachment& fabric, Node& pod_template) {
  const std::int64_t nodes = nodes_with(fabric, pod.draft.plan);
  const std::int64_t most = pod.shape.pool == nullptr ? 1 : model::largest_nvlink_domain(*pod.shape.pool);
  if (nodes < 2 || most < 2) return;
  if (nodes > most) {
    const std::string remark = "no ComputeDomain is requested: an NVLink domain of pool " + pod.shape.pool->name +
                               " has " + counted(most, "node") + ", the gang " + std::to_string(nodes);
    auto& remarks = pod.draft.remarks;
    if (std::find(remarks.begin(), remarks.end(), remark) == remarks.end()) remarks.push_back(remark);
    return;
  }
  const std::string name = pod.draft.name + "-nvlink";
  const auto& objects = pod.draft.objects;
  const bool there =
      std::any_of(objects.begin(), objects.end(), [](const Node& o) { return o.get("kind")->text == "ComputeDomain"; });
  if (!there) {
    Node domain = pod.draft.object("resource.nvidia.com/v1beta1", "ComputeDomain", name);
    put(domain, "spec",
        map({{"numNodes", number(nodes)}, {"channel", map({{"resourceClaimTemplate", map({{"name", text(name)}})}})}}));
    pod.draft.add(std::move(domain));
  }
  append(at(pod_template, "spec"), "resourceClaims",
         map({{"name", text("nvlink")}, {"resourceClaimTemplateName", text(name)}}));
  Node& container = at(at(pod_template, "spec"), "containers").items.front();
  append(at(container, "resources"), "claims", map({{"name", text("nvlink")}}));
}

// Kubernetes lets the last of two variables of one name win, and says nothing.
void refuse_doubles(PodDraft& pod, const Node& pod_template) {
  std::set<std::string> seen;
  for (const Node& variable : pod_template.at("spec.containers")->first().get("env")->items) {
    const std::string& name = variable.get("name")->text;
    if (!seen.insert(name).second)
      pod.refuse(model::Field::env, "`" + name + "` is set by the workload and by the site or a secret",
                 "remove one of them");
  }
}

}  // namespace

void add_fabric(PodDraft& pod) {
  const auto* fabric = contract::fabric_of(pod, pod.draft.plan, pod.shape, "pods", "resource = \"…\"");
  if (fabric == nullptr) return;
  for (const model::EnvVar& variable : fabric->env) {
    if (!is_env_name(variable.name) || has_nul(variable.value.bytes))
      pod.refuse_at(variable.span, model::Field::fabric,
                    "`" + variable.name + "` of fabric `" + fabric->name + "` cannot be set");
    else
      pod.variables.push_back(map({{"name", text(variable.name)}, {"value", text(expandable(variable.value.bytes))}}));
  }
  if (fabric->prelude) {
    const model::Script& prelude = fabric->prelude->value;
    if (prelude.interpreter != "bash" && prelude.interpreter != "sh")
      return pod.refuse_at(fabric->prelude->span, model::Field::fabric,
                           "a fabric's prelude runs in the program's shell and must be `<<<bash`");
    pod.files.push_back({"fabric", "fabric", prelude.bytes, 0});
    pod.line("# shellcheck source=/dev/null");
    pod.line(". " + std::string(files_dir) + "/fabric");
  }
  pod.exact(model::Field::fabric, "attachment `" + fabric->name + "` of site `" + pod.site().name + "`");
}

void apply_site_settings(PodDraft& pod, Node& pod_template) {
  const std::vector<std::string> own = container_names(pod_template);
  if (pod.draft.pods.pod)
    apply_to_pod(pod, pod_template, *pod.draft.pods.pod, model::Field::workload,
                 "`pod` of plane `" + pod.plane().name + "`");
  const model::Queue* queue = pod.draft.plan.queue;
  if (queue != nullptr && queue->pod)
    apply_to_pod(pod, pod_template, *queue->pod, model::Field::queue, "`pod` of queue `" + queue->name + "`");
  const model::FabricAttachment* fabric = find_fabric(pod.draft.plan, pod.shape);
  if (fabric != nullptr && fabric->pod)
    apply_to_pod(pod, pod_template, *fabric->pod, model::Field::fabric, "`pod` of fabric `" + fabric->name + "`");
  leave_room_beside(pod, pod_template, own);  // what a `target` block adds is the user's own
  if (fabric != nullptr && fabric->domain_claim) claim_domain(pod, *fabric, pod_template);
  for (const model::TargetOptions& target : pod.workload.targets)
    for (const model::RawOption& option : target.options)
      if (is_own_block(pod.draft, target) && option.name == "pod") {
        const FieldRef field{model::Field::target, target.target + ".pod"};
        apply_to_pod(pod, pod_template, option.value, field, "`pod` of `target " + target.target + "`");
        pod.approximated(field, "merged into the pod template",
                         "only the fields of `spec` itself are checked; `kubectl apply --dry-run=server` checks all");
      }
  refuse_doubles(pod, pod_template);
}

namespace {

bool asks_for_host_network(const std::string& yaml) {
  Sources sources;
  const auto documents = data::read_yaml(sources, sources.add("pod", yaml)).documents;
  const Node* found =
      documents.empty() || !documents[0].root.is_map() ? nullptr : documents[0].root.at("spec.hostNetwork");
  return found != nullptr && found->is_true();
}

}  // namespace

bool uses_host_network(const PodDraft& pod) {
  if (pod.draft.pods.pod && asks_for_host_network(pod.draft.pods.pod->value)) return true;
  const model::Queue* queue = pod.draft.plan.queue;
  if (queue != nullptr && queue->pod && asks_for_host_network(queue->pod->value)) return true;
  const model::FabricAttachment* fabric = find_fabric(pod.draft.plan, pod.shape);
  if (fabric != nullptr && fabric->pod && asks_for_host_network(fabric->pod->value)) return true;
  for (const model::TargetOptions& target : pod.workload.targets)
    for (const model::RawOption& option : target.options)
      if (is_own_block(pod.draft, target) && option.name == "pod" && asks_for_host_network(option.value.value))
        return true;
  return false;
}

namespace {

// As `kubectl get -o name` says it: "jobset.jobset.x-k8s.io/pretrain-0a1b2c3d".
ObjectName name_of(const Draft& draft, const Node& object) {
  if (draft.is_generated()) return {};
  const std::string_view group = kubernetes::group_of(object.get("apiVersion")->text);
  const std::string kind = kubernetes::kind_row(group, object.get("kind")->text).kubectl_name();
  return {draft.name_space, kind, object.at("metadata.name")->text};
}

// An object that has ended goes after the plane's time. One of a kind that cannot stays, and its file says how it goes.
void add_time_to_live(Draft& draft, Node& object) {
  const auto& keep = draft.pods.keep_finished;
  const kubernetes::Kind& kind =
      kubernetes::kind_row(kubernetes::group_of(object.get("apiVersion")->text), object.get("kind")->text);
  if (!keep || draft.options.keep_finished || draft.for_digest || kind.ending.path.empty()) return;
  if (kind.policy.empty() || !kind.ttl_deletes) {
    const ObjectName name = name_of(draft, object);
    // A label would delete all runs of the workload.
    const std::string which =
        kind.kubectl_name() + " " + (name.name.empty() ? "NAME  # which `kubectl create` prints" : name.name);
    draft.remarks.push_back("to delete it after its end: kubectl" +
                            (draft.name_space.empty() ? "" : " -n " + draft.name_space) + " delete " + which);
    return;
  }
  Node* policy = &object;
  for (const std::string_view key : muster::split(kind.policy, '.')) policy = &at(*policy, std::string(key));
  policy->members.insert(policy->members.begin(), {"ttlSecondsAfterFinished", {}, number(keep->seconds_up())});
  draft.remarks.push_back("the job is deleted " + to_string(*keep) +
                          " after its end; applied after that, this file runs it again");
}

}  // namespace

void add_workload_object(Draft& draft, Node object) {
  add_time_to_live(draft, object);
  const plan::RolePlan& first = draft.plan.roles.front();
  const model::FabricAttachment* fabric = find_fabric(draft.plan, first);
  if (fabric != nullptr && fabric->job) {
    const std::string what = "`job` of fabric `" + fabric->name + "`";
    if (const Node patch = parsed(draft, *fabric->job, model::Field::fabric, what); patch.is_map())
      apply(draft, object, patch, fabric->job->span, model::Field::fabric, what);
  }
  for (const model::TargetOptions& target : draft.workload.targets)
    for (const model::RawOption& option : target.options)
      if (is_own_block(draft, target) && option.name == "object") {
        const FieldRef field{model::Field::target, target.target + ".object"};
        const std::string what = "`object` of `target " + target.target + "`";
        if (const Node patch = parsed(draft, option.value, field, what); patch.is_map())
          apply(draft, object, patch, option.value.span, field, what);
        draft.approximated(field, "merged into the object",
                           "its fields are not checked; `kubectl apply --dry-run=server` checks them");
      }
  draft.main = name_of(draft, object);
  draft.add(std::move(object));
}

bool is_own_block(const Draft& draft, const model::TargetOptions& target) {
  return target.target == "kubernetes" || target.target == draft.target;
}

}  // namespace muster::targets::kubernetes
