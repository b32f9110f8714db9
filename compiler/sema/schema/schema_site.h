// The tables of `site`: how a fleet is run. Inside compiler/sema only.
#pragma once

#include <array>

#include "compiler/model/plane_traits.h"
#include "compiler/model/symbols.h"
#include "compiler/sema/schema/schema_common.h"

namespace muster::sema::tables {

inline constexpr auto plane_kinds = [] {
  std::array<std::string_view, model::plane_kinds.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = model::plane_kinds[i].name;
  return names;
}();
inline constexpr std::string_view gpu_requests[] = {"gpus-per-node", "gres", "device-plugin", "dra"};
inline constexpr std::string_view topologies[] = {"none", "tree", "block"};
inline constexpr std::string_view mpis[] = {"pmix", "pmi2", "mpirun"};
inline constexpr std::string_view pbs_dialects[] = {"openpbs", "torque"};
inline constexpr std::string_view exports[] = {"all", "none"};
inline constexpr std::string_view code_by[] = {"shared-path", "image", "git"};

inline constexpr std::string_view gpu_labels[] = {"gfd", "gke", "eks", "aks", "amd"};
inline constexpr std::string_view training_kinds[] = {"jobset", "trainjob", "pytorchjob", "volcano"};
inline constexpr std::string_view scalers[] = {"none", "hpa", "keda"};
inline constexpr std::string_view exposures[] = {"cluster", "ingress"};
inline constexpr std::string_view securities[] = {"baseline", "restricted", "privileged"};
inline constexpr std::string_view operator_names[] = {"training-operator", "trainer",      "jobset", "lws",
                                                      "kuberay",           "mpi-operator", "kserve", "keda"};

inline constexpr KeySchema operator_keys[] = {
    {"version", Type::version, "version of the operator; what it does not have is not written", "the newest"},
    {"flags", Type::texts, "flags that it runs with; of Kueue: kinds that its configuration adds to the default"},
};
inline constexpr KeySchema level_keys[] = {
    {"label", Type::text,
     "node label that names the domain; Kueue: a level of the Topology of the queues' flavors; PBS: resource of the "
     "nodes; LSF: type of compute unit"},
    {"tier",
     Type::integer,
     "Volcano: tier of the HyperNodes of the domains, counted from the lowest",
     "",
     {},
     false,
     1,
     16},
};
inline constexpr KeySchema flavor_keys[] = {
    {"pools", Type::names, "pools whose nodes are of the flavor", "", {}, true},
};

inline constexpr KeySchema plane_keys[] = {
    {"kind", Type::symbol, "type of control plane", "", plane_kinds, true},
    {"version", Type::version, "version; options that it does not support are rejected",
     "22.05; Kubernetes: 1.36; PBS: 23.06; LSF: 10.1"},
    {"dialect", Type::symbol, "PBS: whose commands and options it takes", "openpbs", pbs_dialects},
    {"pools", Type::names, "pools that it manages", "all"},
    {"containers", Type::symbol, "container runtime", "none", model::symbols::containers},
    {"gpu-request", Type::symbol, "how jobs request GPUs", "gpus-per-node; Kubernetes: device-plugin", gpu_requests},
    {"topology", Type::symbol, "topology plugin", "none", topologies},
    {"mpi", Type::symbol, "how MPI ranks are started", "pmix; PBS, LSF: mpirun", mpis},
    {"export", Type::symbol, "whether jobs inherit the submitter's environment", "all; PBS: none", exports},
    {"smt", Type::boolean, "whether CPUs of a job may be hardware threads of the same core", "true"},
    {"login-shell", Type::boolean, "whether job scripts run in a login shell", "false"},
    {"user-signal", Type::boolean, "whether a job's own signal is also sent at preemption", "false"},
    {"scratch", Type::text, "node-local scratch space: a path or a \"$VARIABLE\"", "$TMPDIR, else /tmp"},
    {"directives", Type::texts, "options that muster adds to every job: \"--mail-type=FAIL\""},
    {"array-max", Type::integer, "largest task id of a job array", "not checked", {}, false, 0},
    {"accounting", Type::boolean, "whether jobs with an account that the site does not declare are rejected", "false"},
    {"namespace", Type::text, "Kubernetes: namespace of workloads whose tenant has none"},
    {"gang", Type::symbol, "Kubernetes: gang scheduler", "none", model::symbols::gang_providers},
    {"gates", Type::symbols, "Kubernetes: feature gates that are on, for `gang = kube-scheduler`", "",
     model::symbols::feature_gates},
    {"gpu-labels", Type::symbol, "Kubernetes: convention of the GPU labels on nodes", "gfd", gpu_labels},
    {"runtime-class", Type::text, "Kubernetes: runtime class of pods with GPUs"},
    {"service-account", Type::text, "Kubernetes: service account of pods"},
    {"training-kind", Type::symbol, "Kubernetes: kind of object for coupled training", "jobset", training_kinds},
    {"wait-for-pods", Type::boolean, "Kubernetes: whether the gang scheduler waits until all pods are ready", "false"},
    {"keep-finished", Type::duration,
     "Kubernetes: how long objects that have ended are kept, where their kind has a time to live", "7d", forever},
    {"scaler", Type::symbol, "Kubernetes: autoscaler of services", "none", scalers},
    {"expose", Type::symbol, "Kubernetes: how public ports are exposed", "cluster", exposures},
    {"metrics", Type::text,
     "Kubernetes: address of the Prometheus that an autoscaler queries: \"http://prometheus:9090\""},
    {"security", Type::symbol,
     "Kubernetes: pod security standard that the namespaces of its jobs enforce; what it does not admit is refused",
     "privileged", securities},
    {"pod", Type::document, "Kubernetes: YAML that muster merges into every pod"},
    {"address", Type::text, "Ray: address of the cluster"},
    {"infra", Type::texts, "SkyPilot: where its jobs may run: [\"k8s/lab\", \"slurm/lab/gpu\", \"aws/us-east-1\"]",
     "wherever SkyPilot has machines"},
    {"backends", Type::texts, "dstack: backends on which its runs may be: [\"kubernetes\", \"aws\"]",
     "all of the project"},
    {"regions", Type::texts, "dstack: regions of the backends", "all of the backends"},
    {"fleets", Type::texts, "dstack: fleets on which its runs may be, where their queue names none",
     "all of the project"},
};

inline constexpr KeySchema queue_keys[] = {
    {"name", Type::text, "name on the plane: a partition; \"\" is the cluster's default", "the queue's own name"},
    {"qos", Type::text, "Slurm QOS"},
    {"reservation", Type::text, "Slurm reservation; LSF: advance reservation"},
    {"constraint", Type::text, "node features that its jobs require, in the syntax of the plane"},
    {"pools", Type::names, "pools that it can use", "all pools of the plane"},
    {"nodes", Type::hosts, "nodes that it can use, if not whole pools", "all nodes of its pools"},
    {"max-time", Type::duration, "maximum time limit of a job", "", {}, false, 60'000},
    {"max-nodes", Type::integer, "maximum number of nodes of a job; with 0 no job may run", "", {}, false, 0},
    {"max-gpus", Type::integer, "maximum number of GPUs of a job", "", {}, false, 0},
    {"max-cpus", Type::integer, "maximum number of CPUs of a job", "", {}, false, 1},
    {"max-memory", Type::size, "maximum memory of a job, on all its nodes", "", {}, false, 1 << 20},
    {"max-jobs", Type::integer, "maximum number of jobs of one user at a time", "", {}, false, 1},
    {"max-jobs-user", Type::integer, "the same as `max-jobs`", "", {}, false, 1},
    {"max-jobs-account", Type::integer, "maximum number of jobs of one account at a time", "", {}, false, 1},
    {"default-time",
     Type::duration,
     "time limit that muster writes for a job that sets none",
     "the partition's own",
     {},
     false,
     1000},
    {"default-memory",
     Type::size_or_all,
     "Slurm: memory of each node that a job gets if it states none",
     "not declared",
     {},
     false,
     1 << 20},
    {"default-memory-cpu", Type::size, "Slurm: the same for each CPU", "", {}, false, 1 << 20},
    {"exclusive", Type::boolean, "whether each job has its nodes alone", "false"},
    {"tolerates", Type::names, "taints of pools that its jobs tolerate"},
    {"preemptible", Type::boolean, "whether its jobs can be preempted", "false"},
    {"default", Type::boolean, "whether jobs that name no queue use this one", "false"},
    {"pod", Type::document,
     "Kubernetes: YAML that muster merges into the pods of its workloads, such as the selector of its nodes"},
};

inline constexpr KeySchema tenant_keys[] = {
    {"accounts", Type::texts, "accounts of the team"},
    {"namespace", Type::text, "Kubernetes: namespace of its workloads"},
    {"queues", Type::names, "queues that it may use", "all"},
    {"share", Type::number, "weight when tenants compete", "1"},
    {"borrow", Type::boolean, "whether it may use capacity that other tenants of its cohort leave idle", "true"},
    {"cohort", Type::name, "cohort whose members lend each other quota that they do not use"},
    {"max-time-account", Type::duration, "maximum time limit of a job of its accounts", "", {}, false, 60'000},
    {"max-nodes",
     Type::integer,
     "maximum number of nodes of a job of its accounts; with 0 none may run",
     "",
     {},
     false,
     0},
    {"max-gpus", Type::integer, "maximum number of GPUs of a job of its accounts", "", {}, false, 0},
    {"max-cpus", Type::integer, "maximum number of CPUs of a job of its accounts", "", {}, false, 1},
    {"max-memory", Type::size, "maximum memory of a job of its accounts, on all its nodes", "", {}, false, 1 << 20},
    {"max-jobs-user", Type::integer, "maximum number of jobs of one of its users at a time", "", {}, false, 1},
    {"max-jobs-account", Type::integer, "maximum number of jobs of one of its accounts at a time", "", {}, false, 1},
};

inline constexpr KeySchema limit_keys[] = {
    {"gpus", Type::integer, "number of GPUs", "", {}, false, 0},
    {"nodes", Type::integer, "number of nodes", "", {}, false, 0},
    {"cpus", Type::integer, "number of CPUs", "", {}, false, 0},
    {"memory", Type::size, "memory"},
    {"pods", Type::integer, "Kubernetes: number of pods", "", {}, false, 0},
};
inline constexpr BlockSchema quota_blocks[] = {
    {"borrow-limit", "the most that may be borrowed above the quota; without a limit all that the cohort lends",
     LabelRule::none, false, limit_keys},
    {"lend-limit", "the most of the quota that others of the cohort may borrow; without a limit all of it",
     LabelRule::none, false, limit_keys},
};

inline constexpr KeySchema quota_keys[] = {
    {"gpus", Type::integer, "maximum number of GPUs of the pool", "", {}, false, 0},
    {"nodes", Type::integer, "maximum number of nodes of the pool", "", {}, false, 0},
    {"cpus", Type::integer, "maximum number of CPUs that its workloads request of the pool", "", {}, false, 0},
    {"memory", Type::size, "maximum memory that its workloads request of the pool"},
    {"pods", Type::integer, "Kubernetes: maximum number of pods, with those that operators add", "", {}, false, 0},
    {"pools", Type::names, "pools that it counts together", "the pool or flavor of its name"},
};

inline constexpr BlockSchema quota_block{
    "quota",
    "what the tenant can use of a pool or flavor, beside what it can borrow; of the name \"*\": of all pools together",
    LabelRule::required,
    true,
    quota_keys,
    quota_blocks};
inline constexpr BlockSchema tenant_blocks[] = {quota_block};

inline constexpr KeySchema cohort_keys[] = {
    {"parent", Type::name, "cohort that it is a member of"},
};

inline constexpr KeySchema storage_keys[] = {
    {"path", Type::text, "path on every node; required on Slurm"},
    {"pvc", Type::text, "Kubernetes: persistent volume claim; dstack: network volume"},
    {"host-path", Type::text, "Kubernetes: folder on the node"},
    {"class", Type::text, "Kubernetes: storage class of new claims"},
    {"bucket", Type::text, "object store: s3://NAME or gs://NAME"},
    {"csi", Type::text, "Kubernetes: CSI driver of the volume"},
    {"mode", Type::symbol, "rw or ro", "rw", modes},
};

inline constexpr KeySchema dialect_keys[] = {
    {"gres", Type::text, "GPU type in --gres and --gpus-per-node; LSF: `gmodel` of -gpu", "the model"},
    {"feature", Type::text, "node feature, if GPU types are not configured"},
    {"label", Type::text, "Kubernetes: value of the nodes' GPU label; SkyPilot, dstack: name of the accelerator"},
    {"resource", Type::text,
     "Kubernetes: resource name of a whole GPU; Slurm: resource of a share, `mps` or `shard:N` (N per GPU)"},
    {"slice-resource", Type::text, "resource name of a MIG slice; `{slice}` is replaced: \"gpu:{slice}\""},
};

inline constexpr KeySchema priority_keys[] = {
    {"class", Type::text, "Kubernetes: priority class of pods; SkyPilot: priority class; dstack: priority, 0 to 100"},
    {"queue-class", Type::text, "Kubernetes: priority class of the queue"},
    {"qos", Type::text, "Slurm: QOS"},
    {"nice",
     Type::integer,
     "Slurm: nice value; a higher value means lower priority; LSF: -50 is `-sp 50`",
     "",
     {},
     false,
     -2'147'483'645,
     2'147'483'645},
};

inline constexpr KeySchema image_keys[] = {{"ref", Type::text, "image to which the name refers", "", {}, true}};

inline constexpr KeySchema registry_keys[] = {
    {"mirror", Type::text, "registry host with the same images"},
    {"pull-secret", Type::text, "Kubernetes: secret for pulling images"},
    {"squash-dir", Type::text, "folder with images as files: `.sqsh`, for Apptainer `.sif`"},
};

inline constexpr KeySchema site_secret_keys[] = {
    {"name", Type::text, "Kubernetes: name of the Secret", "the secret's own name"},
    {"key", Type::text, "Kubernetes: key in the Secret"},
    {"file", Type::text, "Slurm: file from which jobs read the secret; `~` is the user's home"},
    {"env", Type::text,
     "environment variable of the submitter: on Slurm jobs inherit it, SkyPilot and dstack pass it at launch"},
};

inline constexpr KeySchema fabric_keys[] = {
    {"pools", Type::names, "pools with this fabric", "all whose `network` names this fabric"},
    {"resource", Type::text, "Kubernetes: resource name of the network devices"},
    {"per-node", Type::integer, "Kubernetes: number of network devices per node", "", {}, false, 1, 64},
    {"prelude", Type::script, "shell commands that run before the program"},
    {"pod", Type::document, "Kubernetes: YAML that muster merges into pods"},
    {"job", Type::document, "Kubernetes: YAML that muster merges into jobs"},
    {"domain-claim", Type::boolean, "Kubernetes: whether a gang within an NVLink domain gets a ComputeDomain", "false"},
};
inline constexpr BlockSchema fabric_blocks[] = {
    {"env", "environment of the program", LabelRule::none, false, {}, {}, open_scalars},
};

inline constexpr KeySchema identity_keys[] = {
    {"uid", Type::integer, "user ID", "", {}, false, 0, 4'294'967'294},
    {"gid", Type::integer, "group ID", "", {}, false, 0, 4'294'967'294},
    {"groups", Type::integers, "further group IDs", "", {}, false, 0, 4'294'967'294},
};

inline constexpr KeySchema site_notify_keys[] = {{"domain", Type::text, "mail domain of addresses without one"}};

inline constexpr KeySchema access_keys[] = {
    {"jupyter", Type::document, "instructions for opening a notebook; {host} and {port} are replaced"},
    {"vscode", Type::document, "instructions for opening an editor; {host} and {port} are replaced"},
};

inline constexpr KeySchema filter_keys[] = {
    {"requires", Type::texts, "options that every job must set: \"--account\""},
    {"refuses", Type::texts, "options that no job may set: \"--exclusive\""},
};

inline constexpr KeySchema site_code_keys[] = {
    {"by", Type::symbol, "how the program's files reach the nodes", "", code_by, true},
    {"path", Type::text, "shared folder that contains the root"},
};

inline constexpr KeySchema site_log_keys[] = {{"dir", Type::text, "folder for log files"}};

inline constexpr BlockSchema queue_block{"queue", "a logical queue, with its settings on the plane",
                                         LabelRule::required, true, queue_keys};
inline constexpr BlockSchema storage_block{"storage", "storage that workloads mount by name", LabelRule::required, true,
                                           storage_keys};
inline constexpr BlockSchema software_block{"software", "a software environment that workloads refer to by name",
                                            LabelRule::required, true, keys_of("software")};
inline constexpr BlockSchema secret_block{"secret", "the location of a secret that workloads refer to by name",
                                          LabelRule::required, true, site_secret_keys};
inline constexpr BlockSchema image_block{"image", "an image that workloads refer to by name", LabelRule::required, true,
                                         image_keys};
inline constexpr BlockSchema fabric_block{
    "fabric",     "settings that a job needs to use the fabric of this name", LabelRule::required, true, fabric_keys,
    fabric_blocks};
inline constexpr BlockSchema priority_block{"priority", "a priority, with its settings on the plane",
                                            LabelRule::required, true, priority_keys};
inline constexpr KeySchema license_keys[] = {
    {"count", Type::integer, "how many jobs can have at a time, on all nodes", "", {}, true, 0},
};
inline constexpr BlockSchema license_block{"license", "a license that Slurm counts", LabelRule::required, true,
                                           license_keys};
inline constexpr BlockSchema dialect_block{"gpu", "the names of a GPU model on the plane", LabelRule::required, true,
                                           dialect_keys};

inline constexpr BlockSchema code_block{"code", "how the program's files reach the nodes", LabelRule::none, false,
                                        site_code_keys};

// In the site they hold for every plane; in a plane they hold there and win.
inline constexpr BlockSchema plane_blocks[] = {
    queue_block,
    storage_block,
    software_block,
    secret_block,
    image_block,
    fabric_block,
    priority_block,
    license_block,
    dialect_block,
    code_block,
    {"operator", "an operator that is installed", LabelRule::required, true, operator_keys},
    {"level", "the plane's name for a domain: leaf, block, zone, nvlink-domain", LabelRule::required, true, level_keys},
    {"flavor", "pools that are one ResourceFlavor of Kueue", LabelRule::required, true, flavor_keys},
};

inline constexpr BlockSchema site_blocks[] = {
    {"plane", "a control plane and the pools that it manages", LabelRule::required, true, plane_keys, plane_blocks},
    queue_block,
    {"tenant", "a team that shares the site", LabelRule::required, true, tenant_keys, tenant_blocks},
    {"cohort", "tenants that lend each other quota that they do not use", LabelRule::required, true, cohort_keys,
     tenant_blocks},
    storage_block,
    software_block,
    secret_block,
    image_block,
    {"registry", "where to get the images of a registry host", LabelRule::required, true, registry_keys},
    fabric_block,
    priority_block,
    license_block,
    dialect_block,
    code_block,
    {"logs", "where log files are written", LabelRule::none, false, site_log_keys},
    {"notify", "mail settings", LabelRule::none, false, site_notify_keys},
    {"access", "how users connect to an interactive job", LabelRule::none, false, access_keys},
    {"identity", "user and groups that pods run as", LabelRule::none, false, identity_keys},
    {"submit-filter", "options that the site requires of every job or rejects", LabelRule::none, false, filter_keys},
    allow_block,
    {"facts", "facts stated for every workload", LabelRule::none, false, {}, {}, open_facts},
};

inline constexpr KeySchema site_keys[] = {
    {"fleet", Type::name, "fleet of the site; without one muster does not check the fit"},
    {"job-dir", Type::text, "shared folder for the files of a job", ".muster in the submit directory"},
    {"rules", Type::text, "rule file of the site's own policy, beside this file", "the profile `default`"},
};

}  // namespace muster::sema::tables
