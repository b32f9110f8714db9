// The tables: every noun of the language. Keys stand in the order in which docs/language.md lists
// them; sources of the vocabulary are the 56 workloads and 300 scripts it was derived from.
#include <array>

#include "compiler/sema/schema.h"
#include "compiler/sema/words.h"

namespace muster::sema {
namespace {

// ---- workload ------------------------------------------------------------------------------

constexpr std::string_view kinds[] = {"train", "serve", "batch", "sweep", "rl", "mpi", "dev"};
constexpr std::string_view runners[] = {"none", "torchrun", "accelerate", "mpi", "ray", "processes", "batch-script"};
constexpr std::string_view compats[] = {"none", "slurm"};
constexpr std::string_view modes[] = {"rw", "ro"};
constexpr std::string_view retry_reasons[] = {"node-failure", "preemption", "failure", "timeout", "exit-codes"};
constexpr std::string_view signals[] = {"TERM", "INT", "HUP", "QUIT", "USR1", "USR2"};
constexpr std::string_view domains[] = {"node", "leaf", "fleet"};

constexpr KeySchema resource_keys[] = {
    {"nodes",
     Type::count,
     "machines of a replica; the low end of a range is the gang's minimum",
     "1",
     {},
     false,
     1,
     1'000'000},
    {"gpus", Type::integer, "GPUs a node", "0", {}, false, 0, 1024},
    {"gpu", Type::gpu, "GPU model, or models of which one serves the whole gang; `H100:8` is gpu and gpus", "any"},
    {"gpu-memory", Type::size, "least memory of a GPU", "any", {}, false, 1},
    {"cpus", Type::cpus, "cores a node", "the GPUs' share of the node", {}, false, 1, 1'000'000},
    {"memory", Type::memory, "memory a node", "the GPUs' share of the node", {}, false, 1 << 20},
    {"disk", Type::size, "node-local scratch", "", {}, false, 1},
    {"shm", Type::size, "/dev/shm", "", {}, false, 1},
    {"exclusive", Type::boolean, "nobody else on the nodes; cpus and memory are then `all` unless written", "false"},
};

constexpr KeySchema launch_keys[] = {
    {"runner", Type::symbol, "who starts how many processes", "none", runners},
    {"processes",
     Type::integer,
     "processes a node",
     "gpus, at least 1; runners none, ray, batch-script: 1",
     {},
     false,
     1,
     4096},
    {"args", Type::texts, "flags of the launcher itself"},
    {"version", Type::version, "Ray or MPI version of the software"},
    {"compat", Type::symbol, "also give the program SLURM_* names on every target", "none", compats},
};

constexpr KeySchema software_keys[] = {
    {"modules", Type::texts, "environment modules, loaded in this order"},
    {"module-use", Type::texts, "folders added to the module path"},
    {"purge", Type::boolean, "unload all modules first", "false"},
    {"conda", Type::text, "conda environment, by name or folder"},
    {"venv", Type::text, "Python virtual environment, its folder"},
    {"prelude", Type::script, "shell text run before the program"},
    {"image", Type::text, "container image that holds the software"},  // of a site only: workloads have a key for it
};
constexpr std::span<const KeySchema> workload_software_keys{software_keys, std::size(software_keys) - 1};

constexpr KeySchema git_keys[] = {
    {"url", Type::text, "repository: https://, ssh:// or git@", "", {}, true},
    {"rev", Type::text, "branch, tag or commit", "", {}, true},
};
constexpr BlockSchema code_blocks[] = {{"git", "a revision of a repository", LabelRule::none, false, git_keys}};

constexpr KeySchema mount_keys[] = {
    {"path", Type::text, "where the program sees it", "", {}, true},
    {"mode", Type::symbol, "rw or ro", "rw", modes},
    {"sub-path", Type::text, "folder below the storage"},
};

constexpr KeySchema checkpoint_keys[] = {
    {"path", Type::text, "where state is saved, below a mount"},
    {"every", Type::duration, "how often", "", {}, false, 1000},
    {"write-time", Type::duration, "how long a save stops the program", "", {}, false, 0},
};

constexpr KeySchema retry_keys[] = {
    {"limit", Type::integer, "attempts after the first", "0", {}, false, 0, 1000},
    {"on", Type::symbols, "what is retried; the whole gang restarts", "node-failure, preemption", retry_reasons},
    {"exit-codes", Type::integers, "codes that `on = [exit-codes]` means", "", {}, false, 1, 255},
    {"backoff", Type::duration, "pause before the next attempt", "", {}, false, 0},
};

constexpr KeySchema stop_keys[] = {
    {"signal", Type::symbol, "what the program is sent", "TERM", signals},
    {"lead", Type::duration, "how long before the time limit", "0s", {}, false, 0, 65'535'000},
    {"grace", Type::duration, "time to leave after the signal", "30s", {}, false, 0},
};

constexpr KeySchema topology_keys[] = {
    {"within", Type::symbol, "the domain that holds a whole replica", "fleet", domains},
    {"required", Type::boolean, "refuse rather than span more", "false"},
    {"segment", Type::integer, "every k nodes inside one leaf; divides nodes", "", {}, false, 1, 1'000'000},
};

constexpr KeySchema log_keys[] = {
    {"output", Type::text, "standard output; {name} {id} {array} {point} {host} {role} are filled in",
     "{name}-{id}.out"},
    {"error", Type::text, "standard error", "with the output"},
    {"append", Type::boolean, "keep what is there", "true with retry"},
};

constexpr KeySchema sweep_keys[] = {
    {"zip", Type::boolean, "the axes walk together instead of every combination", "false"},
    {"max-parallel", Type::integer, "points that run at a time", "all", {}, false, 1, 10'000},
};
constexpr Extras open_axes{.any_key = true, .any_type = Type::axis, .any_max = 10'000};
constexpr BlockSchema sweep_blocks[] = {{"axes",
                                         "what varies; an `env` entry `NAME = $axis` carries it to the program",
                                         LabelRule::none,
                                         false,
                                         {},
                                         {},
                                         open_axes}};

constexpr std::string_view notify_events[] = {
    "start",     "end", "fail",      "requeue", "time-50", "time-80", "time-90", "time-limit", "invalid-dependency",
    "stage-out", "all", "each-point"};
constexpr KeySchema notify_keys[] = {
    {"email", Type::texts, "addresses", "the submitter's"},
    {"on", Type::symbols, "what is told", "", notify_events},
};

constexpr Extras open_scalars{.any_key = true, .any_type = Type::scalar};
constexpr Extras open_facts{.any_key = true, .any_type = Type::fact};

constexpr BlockSchema workload_blocks[] = {
    {"resources", "what one node of one replica has", LabelRule::none, false, resource_keys},
    {"launch", "who starts the program", LabelRule::none, false, launch_keys},
    {"code", "the program's files, from a repository", LabelRule::none, false, {}, code_blocks},
    {"software", "the software environment, spelt out", LabelRule::none, false, workload_software_keys},
    {"env", "environment of the program", LabelRule::none, false, {}, {}, open_scalars},
    {"mount", "storage of the site, by name; or `scratch`", LabelRule::required, true, mount_keys},
    {"checkpoint", "where and how often state is saved", LabelRule::none, false, checkpoint_keys},
    {"retry", "what is tried again", LabelRule::none, false, retry_keys},
    {"stop", "how the program is told to end", LabelRule::none, false, stop_keys},
    {"topology", "how near its nodes must be", LabelRule::none, false, topology_keys},
    {"logs", "files of the output", LabelRule::none, false, log_keys},
    {"sweep", "one run a point, at most 10,000", LabelRule::none, false, sweep_keys, sweep_blocks},
    {"notify", "mail to people", LabelRule::none, false, notify_keys},
    {"target",
     "options in one target's own words: `target slurm { nice = 10  hold = true }`",
     LabelRule::required,
     true,
     {},
     {},
     open_scalars},
    {"labels", "free tags", LabelRule::none, false, {}, {}, open_scalars},
    {"facts", "facts stated instead of derived", LabelRule::none, false, {}, {}, open_facts},
};

constexpr KeySchema workload_keys[] = {
    {"kind", Type::symbol, "what sort of work it is", "", kinds, true},
    {"account", Type::name, "who pays", "the tenant's"},
    {"queue", Type::name, "logical queue, never a partition", "the site's default"},
    {"time-limit", Type::duration, "wall time of one attempt", "the queue's maximum", {}, false, 60'000},
    {"command", Type::texts, "the program and its arguments, one text each; or `script`"},
    {"script", Type::script, "the program as text for bash, sh, zsh or python; or `command`"},
    {"args", Type::texts, "appended to the command; $1… of the script"},
    {"code", Type::code, "folder of the program's files, below the root"},
    {"setup", Type::script, "run once a node before the program, in a process of its own"},
    {"software", Type::name, "software environment that the site resolves"},
    {"image", Type::text, "container image"},
    {"workdir", Type::text, "where the program starts", "the submit directory"},
    {"nodes", Type::count, "short for resources.nodes", "", {}, false, 1, 1'000'000, "resources"},
    {"gpus", Type::integer, "short for resources.gpus", "", {}, false, 0, 1024, "resources"},
    {"gpu", Type::gpu, "short for resources.gpu", "", {}, false, 0, 0, "resources"},
    {"cpus", Type::cpus, "short for resources.cpus", "", {}, false, 1, 1'000'000, "resources"},
    {"memory",
     Type::memory,
     "short for resources.memory",
     "",
     {},
     false,
     1 << 20,
     std::numeric_limits<std::int64_t>::max(),
     "resources"},
};

// ---- fleet ---------------------------------------------------------------------------------

constexpr KeySchema gpu_keys[] = {
    {"model", Type::name, "GPU model", "", {}, true},
    {"memory", Type::size, "memory of one GPU", "", {}, false, 1},
    {"count", Type::integer, "GPUs a node", "", {}, true, 1, 1024},
    {"link", Type::symbol, "how the GPUs of a node are joined", "", words::links},
    {"vendor", Type::symbol, "who makes it", "nvidia", words::vendors},
};

constexpr KeySchema node_keys[] = {
    {"cpus", Type::integer, "cores", "", {}, true, 1, 100'000},
    {"memory", Type::size, "main memory", "", {}, true, 1 << 20},
    {"disk", Type::size, "local disk", "", {}, false, 0},
    {"arch", Type::symbol, "processor architecture", "amd64", words::archs},
    {"reserve-cpus", Type::integer, "cores that the system keeps", "0", {}, false, 0, 100'000},
    {"reserve-memory", Type::size, "memory that the system keeps", "0B", {}, false, 0},
};

constexpr KeySchema network_keys[] = {
    {"fabric", Type::symbol, "the fast network", "", words::fabrics},
    {"bandwidth", Type::rate, "of one node", "", {}, false, 0},
};

constexpr KeySchema leaf_keys[] = {
    {"nodes", Type::hosts, "nodes on this leaf switch", "", {}, true},
};

constexpr KeySchema in_use_keys[] = {
    {"nodes", Type::hosts, "nodes that are taken", "", {}, true},
    {"gpus",
     Type::integer,
     "GPUs taken on each; cpus and memory that are not said go by their share",
     "the whole node",
     {},
     false,
     0,
     1024},
    {"cpus", Type::integer, "cores taken on each", "the GPUs' share", {}, false, 0, 100'000},
    {"memory", Type::size, "memory taken on each", "the GPUs' share", {}, false, 0},
};

constexpr BlockSchema pool_blocks[] = {
    {"gpu", "GPUs of a node", LabelRule::none, false, gpu_keys},
    {"node", "what a node has", LabelRule::none, false, node_keys},
    {"network", "the fast network", LabelRule::none, false, network_keys},
    {"leaf", "a leaf switch and its nodes", LabelRule::required, true, leaf_keys},
    {"in-use", "what is taken now", LabelRule::required, true, in_use_keys},
    {"taint", "a mark that only queues with `tolerates` pass", LabelRule::required, true},
};

constexpr KeySchema pool_keys[] = {
    {"nodes", Type::hosts_or_count, "node names, or how many there are", "", {}, true, 1, 200'000},
    {"leaf-size", Type::integer, "nodes on a leaf switch, in order; instead of leaf blocks", "", {}, false, 1, 100'000},
    {"drained", Type::hosts, "nodes that cannot be used"},
    {"spare",
     Type::hosts_or_count,
     "nodes held back for repair: names, or how many from the end",
     "",
     {},
     false,
     0,
     200'000},
    {"zone", Type::text, "placement label"},
    {"preemptible", Type::boolean, "capacity that is taken back", "false"},
};

constexpr BlockSchema fleet_blocks[] = {{"pool", "alike machines", LabelRule::required, true, pool_keys, pool_blocks}};

// ---- site ----------------------------------------------------------------------------------

constexpr std::string_view plane_kinds[] = {"slurm", "kubernetes", "k3s"};
constexpr std::string_view gangs[] = {"none", "kueue", "volcano", "kai", "yunikorn", "coscheduling"};
constexpr std::string_view container_words[] = {"none", "pyxis", "enroot", "apptainer"};
constexpr std::string_view gpu_requests[] = {"gpus-per-node", "gres"};
constexpr std::string_view topologies[] = {"none", "tree", "block"};
constexpr std::string_view mpis[] = {"pmix", "pmi2", "mpirun"};
constexpr std::string_view exports[] = {"all", "none"};
constexpr std::string_view code_by[] = {"shared-path", "image", "git"};

constexpr KeySchema plane_keys[] = {
    {"kind", Type::symbol, "the control plane", "", plane_kinds, true},
    {"version", Type::version, "its version; options it lacks are refused", "22.05; Kubernetes: 1.36"},
    {"pools", Type::names, "pools it owns", "all"},
    {"containers", Type::symbol, "container runtime", "none", container_words},
    {"gpu-request", Type::symbol, "how GPUs are asked for", "gpus-per-node", gpu_requests},
    {"topology", Type::symbol, "topology plugin", "none", topologies},
    {"mpi", Type::symbol, "how MPI ranks are started", "pmix", mpis},
    {"export", Type::symbol, "whether jobs inherit the submitter's environment", "all", exports},
    {"login-shell", Type::boolean, "job scripts start as a login shell", "false"},
    {"user-signal", Type::boolean, "a job's own signal is also sent at preemption", "false"},
    {"scratch", Type::text, "node-local scratch: a path or a \"$VARIABLE\"", "$TMPDIR, else /tmp"},
    {"directives", Type::texts, "options that every job gets: \"--mail-type=FAIL\""},
    {"array-max", Type::integer, "largest task id of a job array", "not checked", {}, false, 0},
    {"accounting", Type::boolean, "jobs of an account that the site does not know are refused", "false"},
    {"namespace", Type::text, "Kubernetes: where workloads go whose tenant has none"},
    {"gang", Type::symbol, "Kubernetes: who starts the pods of a gang together", "none", gangs},
};

constexpr KeySchema queue_keys[] = {
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
    {"default", Type::boolean, "where jobs go that name no queue", "false"},
};

constexpr KeySchema tenant_keys[] = {
    {"accounts", Type::texts, "accounts of the team"},
    {"namespace", Type::text, "Kubernetes: where its workloads run"},
    {"queues", Type::names, "queues it may use", "all"},
};

constexpr KeySchema quota_keys[] = {
    {"gpus", Type::integer, "most GPUs of the pool", "", {}, false, 0},
    {"nodes", Type::integer, "most nodes of the pool", "", {}, false, 0},
};

constexpr BlockSchema tenant_blocks[] = {
    {"quota", "the most it can have of a pool", LabelRule::required, true, quota_keys},
};

constexpr KeySchema storage_keys[] = {
    {"path", Type::text, "where every node has it", "", {}, true},
    {"mode", Type::symbol, "rw or ro", "rw", modes},
};

constexpr KeySchema dialect_keys[] = {
    {"gres", Type::text, "type in --gres and --gpus-per-node", "the model"},
    {"feature", Type::text, "node feature, where types are not declared"},
};

constexpr KeySchema site_code_keys[] = {
    {"by", Type::symbol, "how the program's files arrive", "", code_by, true},
    {"path", Type::text, "the shared folder that holds the root"},
};

constexpr KeySchema site_log_keys[] = {{"dir", Type::text, "folder of log files"}};

constexpr BlockSchema site_blocks[] = {
    {"plane", "a control plane and the pools it owns", LabelRule::required, true, plane_keys},
    {"queue", "a logical queue in the plane's words", LabelRule::required, true, queue_keys},
    {"tenant", "a team", LabelRule::required, true, tenant_keys, tenant_blocks},
    {"storage", "a place that mounts name", LabelRule::required, true, storage_keys},
    {"software", "a software environment that workloads name", LabelRule::required, true, software_keys},
    {"gpu", "the plane's words for a GPU model", LabelRule::required, true, dialect_keys},
    {"code", "how the program's files arrive", LabelRule::none, false, site_code_keys},
    {"logs", "where logs go", LabelRule::none, false, site_log_keys},
    {"facts", "facts stated for every workload", LabelRule::none, false, {}, {}, open_facts},
};

constexpr KeySchema site_keys[] = {
    {"fleet", Type::name, "the hardware it runs; none: no fit is asked"},
    {"job-dir", Type::text, "shared folder for files of a job", ".muster in the submit directory"},
};

// ---- rules ---------------------------------------------------------------------------------

constexpr std::string_view fact_types[] = {"bool", "int", "sym"};
constexpr std::string_view hits[] = {"unique", "collect", "first"};

constexpr KeySchema fact_keys[] = {
    {"type", Type::symbol, "bool, int or sym", "", fact_types, true},
    {"values", Type::names, "the symbols it can be"},
    {"min", Type::integer, "least value"},
    {"max", Type::integer, "greatest value"},
    {"default", Type::fact, "value where nobody says; without one the fact is required"},
    {"default-from", Type::name, "the fact whose value it then has"},
};

constexpr KeySchema threshold_keys[] = {
    {"value", Type::fact, "the value that conditions compare with", "", {}, true},
    {"values", Type::names, "the symbols a site may choose from"},
    {"min", Type::integer, "least value a site may set"},
    {"max", Type::integer, "greatest value a site may set"},
    {"source", Type::text, "where the value comes from", "", {}, true},
};

constexpr KeySchema row_keys[] = {
    {"reason", Type::text, "why, in one sentence", "", {}, true},
    {"cite", Type::text, "what it rests on"},
};

constexpr KeySchema table_keys[] = {{"hit", Type::symbol, "which rows count", "", hits, true}};
constexpr KeySchema invariant_keys[] = {{"locked", Type::boolean, "no layer may touch it", "false"}};

constexpr BlockSchema table_blocks[] = {
    {"row", "one rule: a condition and its outputs", LabelRule::required, true, row_keys, {}, {.conditionals = true}}};

constexpr BlockSchema rules_blocks[] = {
    {"fact", "a declared input", LabelRule::required, true, fact_keys},
    {"threshold", "a value that a site may change within bounds", LabelRule::required, true, threshold_keys},
    {"table", "rows that give one output", LabelRule::required, true, table_keys, table_blocks},
    {"invariant", "what holds in every cell", LabelRule::required, true, invariant_keys, {}, {.conditionals = true}},
};

constexpr KeySchema rules_keys[] = {{"version", Type::text, "SemVer of the policy", "", {}, true}};

// ---- test ----------------------------------------------------------------------------------

constexpr KeySchema test_keys[] = {
    {"site", Type::name, "the site to plan for", "the only site of the file, else the built-in one"}};
constexpr BlockSchema test_blocks[] = {{"set",
                                        "values for the parameters of the file",
                                        LabelRule::none,
                                        false,
                                        {},
                                        {},
                                        {.any_key = true, .any_type = Type::any}}};

constexpr BlockSchema tops[] = {
    {"workload",
     "what to run and what it needs; portable over sites",
     LabelRule::required,
     true,
     workload_keys,
     workload_blocks,
     {.conditions = true}},
    {"fleet", "hardware", LabelRule::required, true, {}, fleet_blocks},
    {"site", "how a fleet is run", LabelRule::required, true, site_keys, site_blocks},
    {"rules", "a policy: facts, thresholds, tables, invariants", LabelRule::required, true, rules_keys, rules_blocks},
    {"test",
     "what must become of the workloads of the file; run by `muster test`",
     LabelRule::required,
     true,
     test_keys,
     test_blocks,
     {.assertions = true}},
};

}  // namespace

std::span<const BlockSchema> top_level() { return tops; }

}  // namespace muster::sema
