// The tables of `site`: how a fleet is run. Inside compiler/sema only.
#pragma once

#include <array>

#include "compiler/model/plane_traits.h"
#include "compiler/sema/schema/schema_common.h"

namespace muster::sema::tables {

inline constexpr auto plane_kinds = [] {
  std::array<std::string_view, model::plane_kinds.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = model::plane_kinds[i].name;
  return names;
}();
inline constexpr std::string_view gangs[] = {"none", "kueue", "volcano", "kai", "yunikorn", "coscheduling"};
inline constexpr std::string_view container_symbols[] = {"none", "pyxis", "enroot", "apptainer", "shifter"};
inline constexpr std::string_view gpu_requests[] = {"gpus-per-node", "gres", "device-plugin", "dra"};
inline constexpr std::string_view topologies[] = {"none", "tree", "block"};
inline constexpr std::string_view mpis[] = {"pmix", "pmi2", "mpirun"};
inline constexpr std::string_view exports[] = {"all", "none"};
inline constexpr std::string_view code_by[] = {"shared-path", "image", "git"};

inline constexpr std::string_view gpu_labels[] = {"gfd", "gke", "eks", "aks", "amd"};
inline constexpr std::string_view training_kinds[] = {"jobset", "trainjob", "pytorchjob", "volcano"};
inline constexpr std::string_view serving_symbols[] = {"kubernetes", "kserve"};
inline constexpr std::string_view mpi_kinds[] = {"mpijob", "volcano"};
inline constexpr std::string_view scalers[] = {"none", "hpa", "keda"};
inline constexpr std::string_view exposures[] = {"cluster", "ingress", "gateway"};
inline constexpr std::string_view securities[] = {"baseline", "restricted", "privileged"};
inline constexpr std::string_view operator_names[] = {"training-operator", "trainer",      "jobset", "lws",
                                                      "kuberay",           "mpi-operator", "kserve", "keda"};

inline constexpr KeySchema operator_keys[] = {
    {"version", Type::version, "its version"},
    {"flags", Type::texts, "features that are switched on"},
};
inline constexpr KeySchema level_keys[] = {
    {"label", Type::text, "label of nodes that bears it"},
    {"tier", Type::integer, "its number, where the plane counts tiers from below", "", {}, false, 1, 16},
};

inline constexpr KeySchema plane_keys[] = {
    {"kind", Type::symbol, "the control plane", "", plane_kinds, true},
    {"version", Type::version, "its version; options it lacks are refused", "22.05; Kubernetes: 1.36"},
    {"pools", Type::names, "pools it owns", "all"},
    {"containers", Type::symbol, "container runtime", "none", container_symbols},
    {"gpu-request", Type::symbol, "how GPUs are asked for", "gpus-per-node; Kubernetes: device-plugin", gpu_requests},
    {"topology", Type::symbol, "topology plugin", "none", topologies},
    {"mpi", Type::symbol, "how MPI ranks are started", "pmix", mpis},
    {"export", Type::symbol, "whether jobs inherit the submitter's environment", "all", exports},
    {"smt", Type::boolean, "whether cpus of a job may be hardware threads of one core", "true"},
    {"login-shell", Type::boolean, "job scripts start as a login shell", "false"},
    {"user-signal", Type::boolean, "a job's own signal is also sent at preemption", "false"},
    {"scratch", Type::text, "node-local scratch: a path or a \"$VARIABLE\"", "$TMPDIR, else /tmp"},
    {"directives", Type::texts, "options that every job gets: \"--mail-type=FAIL\""},
    {"array-max", Type::integer, "largest task id of a job array", "not checked", {}, false, 0},
    {"accounting", Type::boolean, "jobs of an account that the site does not know are refused", "false"},
    {"namespace", Type::text, "Kubernetes: where workloads go whose tenant has none"},
    {"gang", Type::symbol, "Kubernetes: who starts the pods of a gang together", "none", gangs},
    {"gpu-labels", Type::symbol, "Kubernetes: dialect of the GPU labels of nodes", "gfd", gpu_labels},
    {"runtime-class", Type::text, "Kubernetes: runtime class of pods with GPUs"},
    {"service-account", Type::text, "Kubernetes: service account of pods"},
    {"training-kind", Type::symbol, "Kubernetes: object of coupled training", "jobset", training_kinds},
    {"serving", Type::symbol, "Kubernetes: object of services on one node", "kubernetes", serving_symbols},
    {"mpi-kind", Type::symbol, "Kubernetes: object of MPI", "mpijob", mpi_kinds},
    {"wait-for-pods", Type::boolean, "Kubernetes: the gang provider waits until all pods are ready", "false"},
    {"scaler", Type::symbol, "Kubernetes: who scales services", "none", scalers},
    {"expose", Type::symbol, "Kubernetes: how public ports are reached", "cluster", exposures},
    {"metrics", Type::text, "Kubernetes: address of Prometheus, where a scaler asks: \"http://prometheus:9090\""},
    {"security", Type::symbol, "Kubernetes: pod security standard", "baseline", securities},
    {"pod", Type::document, "Kubernetes: YAML that every pod gets"},
    {"address", Type::text, "Ray: the cluster's address"},
};

inline constexpr KeySchema queue_keys[] = {
    {"name", Type::text, "the plane's word: a partition; \"\" is the cluster's default", "the queue's own name"},
    {"qos", Type::text, "quality of service"},
    {"reservation", Type::text, "reservation"},
    {"constraint", Type::text, "node features that its jobs ask for, in the plane's words"},
    {"pools", Type::names, "pools it reaches", "all of the plane"},
    {"nodes", Type::hosts, "nodes it reaches, where that is not whole pools", "all of its pools"},
    {"max-time", Type::duration, "longest job", "", {}, false, 60'000},
    {"max-nodes", Type::integer, "most nodes of a job", "", {}, false, 1},
    {"max-gpus", Type::integer, "most GPUs of a job", "", {}, false, 1},
    {"max-jobs", Type::integer, "most jobs of one user at a time", "", {}, false, 1},
    {"default-time", Type::duration, "time of a job that sets no time limit", "max-time", {}, false, 1000},
    {"tolerates", Type::names, "taints of pools that it passes"},
    {"preemptible", Type::boolean, "what runs here can be taken back", "false"},
    {"default", Type::boolean, "where jobs go that name no queue", "false"},
};

inline constexpr KeySchema tenant_keys[] = {
    {"accounts", Type::texts, "accounts of the team"},
    {"namespace", Type::text, "Kubernetes: where its workloads run"},
    {"queues", Type::names, "queues it may use", "all"},
    {"share", Type::number, "its weight where teams compete", "1"},
    {"borrow", Type::boolean, "it may use what other teams leave idle", "true"},
};

inline constexpr KeySchema quota_keys[] = {
    {"gpus", Type::integer, "most GPUs of the pool", "", {}, false, 0},
    {"nodes", Type::integer, "most nodes of the pool", "", {}, false, 0},
};

inline constexpr BlockSchema tenant_blocks[] = {
    {"quota", "the most it can have of a pool", LabelRule::required, true, quota_keys},
};

inline constexpr KeySchema storage_keys[] = {
    {"path", Type::text, "where every node has it; Slurm needs it"},
    {"pvc", Type::text, "Kubernetes: persistent volume claim"},
    {"host-path", Type::text, "Kubernetes: folder of the node"},
    {"class", Type::text, "Kubernetes: storage class of new claims"},
    {"bucket", Type::text, "object store: s3://NAME or gs://NAME"},
    {"csi", Type::text, "Kubernetes: driver of the volume"},
    {"mode", Type::symbol, "rw or ro", "rw", modes},
};

inline constexpr KeySchema dialect_keys[] = {
    {"gres", Type::text, "type in --gres and --gpus-per-node", "the model"},
    {"feature", Type::text, "node feature, where types are not declared"},
    {"label", Type::text, "Kubernetes: value of the nodes' GPU label"},
    {"resource", Type::text, "Kubernetes: resource of a whole GPU; Slurm: of a part, `mps` or `shard:N` (N a GPU)"},
    {"slice-resource", Type::text, "resource of a MIG slice, `{slice}` filled in: \"gpu:{slice}\""},
};

inline constexpr KeySchema priority_keys[] = {
    {"class", Type::text, "Kubernetes: priority class of pods"},
    {"queue-class", Type::text, "Kubernetes: priority class of the queue"},
    {"qos", Type::text, "Slurm: quality of service"},
    {"nice", Type::integer, "Slurm: adjustment; higher is less urgent", "", {}, false, -2'147'483'645, 2'147'483'645},
};

inline constexpr KeySchema image_keys[] = {{"ref", Type::text, "the image that the name means", "", {}, true}};

inline constexpr KeySchema registry_keys[] = {
    {"mirror", Type::text, "host that has the same images"},
    {"pull-secret", Type::text, "Kubernetes: secret for pulling"},
    {"squash-dir", Type::text, "folder with the images as files: `.sqsh`, for Apptainer `.sif`"},
};

inline constexpr KeySchema site_secret_keys[] = {
    {"name", Type::text, "Kubernetes: the Secret", "the secret's own name"},
    {"key", Type::text, "Kubernetes: key in the Secret"},
    {"file", Type::text, "Slurm: file that jobs read; `~` is the user's home"},
    {"env", Type::text, "Slurm: variable of the submitter that jobs inherit"},
};

inline constexpr KeySchema fabric_keys[] = {
    {"pools", Type::names, "pools that are joined so", "all with this fabric"},
    {"resource", Type::text, "Kubernetes: resource of the network devices"},
    {"per-node", Type::integer, "Kubernetes: how many of them", "", {}, false, 1, 64},
    {"prelude", Type::script, "shell text run before the program"},
    {"pod", Type::document, "Kubernetes: YAML that pods get"},
    {"job", Type::document, "Kubernetes: YAML that jobs get"},
    {"domain-claim", Type::boolean, "Kubernetes: one ComputeDomain a gang", "false"},
};
inline constexpr BlockSchema fabric_blocks[] = {
    {"env", "environment of the program", LabelRule::none, false, {}, {}, open_scalars},
};

inline constexpr KeySchema identity_keys[] = {
    {"uid", Type::integer, "user", "", {}, false, 0, 4'294'967'294},
    {"gid", Type::integer, "group", "", {}, false, 0, 4'294'967'294},
    {"groups", Type::integers, "further groups", "", {}, false, 0, 4'294'967'294},
};

inline constexpr KeySchema site_notify_keys[] = {{"domain", Type::text, "mail goes here where an address has none"}};

inline constexpr KeySchema access_keys[] = {
    {"jupyter", Type::document, "how people reach a notebook; {host} and {port} are filled in"},
    {"vscode", Type::document, "how people reach an editor; {host} and {port} are filled in"},
};

inline constexpr KeySchema filter_keys[] = {
    {"requires", Type::texts, "options that every job must have: \"--account\""},
    {"refuses", Type::texts, "options that no job may have: \"--exclusive\""},
};

inline constexpr KeySchema site_code_keys[] = {
    {"by", Type::symbol, "how the program's files arrive", "", code_by, true},
    {"path", Type::text, "the shared folder that holds the root"},
};

inline constexpr KeySchema site_log_keys[] = {{"dir", Type::text, "folder of log files"}};

inline constexpr BlockSchema queue_block{"queue", "a logical queue in the plane's words", LabelRule::required, true,
                                         queue_keys};
inline constexpr BlockSchema storage_block{"storage", "a place that mounts name", LabelRule::required, true,
                                           storage_keys};
inline constexpr BlockSchema software_block{"software", "a software environment that workloads name",
                                            LabelRule::required, true, keys_of("software")};
inline constexpr BlockSchema secret_block{"secret", "where a secret that workloads name is kept", LabelRule::required,
                                          true, site_secret_keys};
inline constexpr BlockSchema image_block{"image", "an image that workloads name", LabelRule::required, true,
                                         image_keys};
inline constexpr BlockSchema fabric_block{
    "fabric", "what a job must have to use a fast network", LabelRule::required, true, fabric_keys, fabric_blocks};
inline constexpr BlockSchema priority_block{"priority", "urgency in the plane's words", LabelRule::required, true,
                                            priority_keys};
inline constexpr BlockSchema dialect_block{"gpu", "the plane's words for a GPU model", LabelRule::required, true,
                                           dialect_keys};

// In the site they hold for every plane; in a plane they hold there and win.
inline constexpr BlockSchema plane_blocks[] = {
    queue_block,
    storage_block,
    software_block,
    secret_block,
    image_block,
    fabric_block,
    priority_block,
    dialect_block,
    {"operator", "an operator that is installed", LabelRule::required, true, operator_keys},
    {"level", "the plane's word for a domain: leaf, block, zone, nvlink-domain", LabelRule::required, true, level_keys},
};

inline constexpr BlockSchema site_blocks[] = {
    {"plane", "a control plane and the pools it owns", LabelRule::required, true, plane_keys, plane_blocks},
    queue_block,
    {"tenant", "a team", LabelRule::required, true, tenant_keys, tenant_blocks},
    storage_block,
    software_block,
    secret_block,
    image_block,
    {"registry", "where images of a host are to be had", LabelRule::required, true, registry_keys},
    fabric_block,
    priority_block,
    dialect_block,
    {"code", "how the program's files arrive", LabelRule::none, false, site_code_keys},
    {"logs", "where logs go", LabelRule::none, false, site_log_keys},
    {"notify", "mail", LabelRule::none, false, site_notify_keys},
    {"access", "how people reach an interactive job", LabelRule::none, false, access_keys},
    {"identity", "as whom pods run", LabelRule::none, false, identity_keys},
    {"submit-filter", "what the site wants of every job and refuses", LabelRule::none, false, filter_keys},
    allow_block,
    {"facts", "facts stated for every workload", LabelRule::none, false, {}, {}, open_facts},
};

inline constexpr KeySchema site_keys[] = {
    {"fleet", Type::name, "the hardware it runs; none: no fit is asked"},
    {"job-dir", Type::text, "shared folder for files of a job", ".muster in the submit directory"},
    {"rules", Type::text, "rule file of the site's own policy, beside this file", "the profile `default`"},
};

}  // namespace muster::sema::tables
