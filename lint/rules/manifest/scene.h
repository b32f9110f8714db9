// What every manifest check takes: the file, the site, and where findings go.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lint/context.h"
#include "lint/reporter.h"
#include "targets/kubernetes/read/manifest.h"

namespace muster::lint {

namespace k8s = targets::kubernetes;
using k8s::Container;
using k8s::Field;
using k8s::Object;
using k8s::PodTemplate;

struct ManifestScene {
  const k8s::Manifest& manifest;
  const Context& context;
  Reporter report;

  // They return the finding, so that labels, notes and a fix can be added to it; the reference is valid until the next
  // one.
  Finding& wrong(RuleId rule, const k8s::Object& object, const k8s::Field& where, std::string message,
                 std::string label = {}) const;
  Finding& cannot_tell(RuleId rule, const k8s::Object& object, const k8s::Field& where, std::string message,
                       std::string label = {}) const;
  // At a word of a command.
  Finding& wrong(RuleId rule, const k8s::Object& object, const k8s::Word& where, std::string message,
                 std::string label = {}) const;
};

using k8s::is_coupled;
bool wants_gpu(const k8s::Object& object);
// Whether a comment behind the value, on its line, asks for another: `image: a  # Replace with your image`.
bool is_to_be_replaced(const Sources& sources, Span value);
// Whether a comment on one of the five lines above has the words, which are in lower case: `# They are not secret.`
bool says_above(const Sources& sources, Span value, std::string_view words);
// Ranks of one job, or pods of a group with GPUs: LeaderWorkerSet exists for models over several pods.
bool needs_gang(const k8s::Object& object);
// Whether pods request a resource of a network, the host's network, or a second interface.
bool attaches_fabric(const k8s::PodTemplate& pods);
// Whether a container has commands that start no processes on its GPUs: `sleep`, `nvidia-smi`.
bool is_idle(const k8s::Container& c);
// Whether it has no others, but for what prints and waits.
bool only_waits(const k8s::Container& c);
// Whether all that an object does is measure or try out accelerators: nccl-tests, gpu-burn, a sample of CUDA. It ends
// in minutes, and takes whole nodes.
bool is_trial(const k8s::Object& object);
// The same and is_for_tpus(), found out when first asked for and then kept: a pod may have thousands of containers.
class PodFacts {
 public:
  PodFacts(const k8s::Object& object, const k8s::PodTemplate& pods) : object_(object), pods_(pods) {}

  bool is_trial();
  bool is_for_tpus();

 private:
  const k8s::Object& object_;
  const k8s::PodTemplate& pods_;
  std::optional<bool> trial_, tpus_;
};
// Whether a container tries out its own accelerators alone, and shares no memory.
bool is_burn_in(const k8s::Container& c);
// Whether a pod is for TPUs: it has all chips of its node, so that no other one competes for CPUs and memory.
bool is_for_tpus(const k8s::PodTemplate& pods);
// GPUs of one pod.
std::int64_t gpus_of(const k8s::PodTemplate& pods);
// Whether a gang with GPUs is on several nodes: of one that fits a node of the site is not known, so it is not.
bool spans_nodes(const Context& context, const k8s::Object& object);
// The place that says how many pods there are: of the role with the most.
k8s::Field counted_at(const k8s::Object& object);
// The Kubernetes plane of the site; nullptr without one.
const model::Plane* kubernetes_plane(const Context& context);
// The pools that the plane owns; none without a fleet.
std::vector<const model::Pool*> all_pools(const Context& context);
// The pools with GPUs that the plane owns; none without a fleet.
std::vector<const model::Pool*> gpu_pools(const Context& context);

void check_images(const ManifestScene& scene);
void check_resources(const ManifestScene& scene);
void check_shared_memory(const ManifestScene& scene);
void check_volumes(const ManifestScene& scene);
void check_gang(const ManifestScene& scene);
void check_gang_minimum(const ManifestScene& scene);
void check_scheduler_names(const ManifestScene& scene);
void check_elastic_bounds(const ManifestScene& scene);
void check_spread(const ManifestScene& scene);
void check_arithmetic(const ManifestScene& scene);
void check_server_degrees(const ManifestScene& scene);
void check_readiness(const ManifestScene& scene);
void check_autoscalers(const ManifestScene& scene);
void check_exposure(const ManifestScene& scene);
void check_secrets(const ManifestScene& scene);
void check_quotas(const ManifestScene& scene);
void check_kueue_guarantee(const ManifestScene& scene);
void check_ray_gang(const ManifestScene& scene);
void check_topology(const ManifestScene& scene);
void check_pools(const ManifestScene& scene);
void check_tenancy(const ManifestScene& scene);
void check_surge(const ManifestScene& scene);
void check_fabric(const ManifestScene& scene);
void check_cleanup(const ManifestScene& scene);
void check_memory_volumes(const ManifestScene& scene);
void check_single_replica(const ManifestScene& scene);
void check_privileges(const ManifestScene& scene);
void check_architecture(const ManifestScene& scene);
void check_releases(const ManifestScene& scene);
void check_kinds(const ManifestScene& scene);            // K8S016, K8S019
void check_schema(const ManifestScene& scene);           // K8S017, K8S018
void check_contradictions(const ManifestScene& scene);   // K8S020, K8S021, K8S022, K8S023
void check_gpu_names(const ManifestScene& scene);        // K8S024, K8S027, K8S028
void check_storage(const ManifestScene& scene);          // K8S025, K8S026, CKP002
void check_native_group(const ManifestScene& scene);     // SCH016
void check_devices(const ManifestScene& scene);          // K8S009, K8S010, K8S011
void check_lifetime(const ManifestScene& scene);         // K8S013, K8S014, K8S015, SRV008
void check_pod_network(const ManifestScene& scene);      // K8S012, NET004, NET005, NET006
void check_environment(const ManifestScene& scene);      // K8S029, K8S031, SEC004
void check_idle(const ManifestScene& scene);             // K8S030, K8S035
void check_container_texts(const ManifestScene& scene);  // the rules of lint/rules/body
void check_ranges(const ManifestScene& scene);           // SCH017, SRV009
void check_launch_options(const ManifestScene& scene);   // NET007
void check_overwritten(const ManifestScene& scene);      // K8S032, K8S033, K8S036, IMG002
void check_fit(const ManifestScene& scene);              // SCH013; after check_taints

}  // namespace muster::lint
