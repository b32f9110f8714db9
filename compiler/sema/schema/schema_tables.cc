// The tables: every noun of the language. Keys stand in the order in which docs/language.md lists
// them; sources of the vocabulary are the 56 workloads and 300 scripts it was derived from.
#include <array>

#include "compiler/sema/schema/schema_common.h"
#include "compiler/sema/schema/schema_fleet.h"
#include "compiler/sema/schema/schema_rules.h"
#include "compiler/sema/schema/schema_site.h"
#include "compiler/sema/schema/schema_workload.h"

namespace muster::sema {
namespace {

using namespace tables;

// ---- workload ------------------------------------------------------------------------------

constexpr std::string_view kinds[] = {"train", "serve", "batch", "sweep", "rl", "mpi", "dev"};
constexpr std::string_view runners[] = {"none", "torchrun", "accelerate", "mpi", "ray", "processes", "batch-script"};
constexpr std::string_view compats[] = {"none", "slurm"};
constexpr std::string_view inherits[] = {"all", "none"};
constexpr std::string_view retry_reasons[] = {"node-failure", "preemption", "failure", "timeout", "exit-codes"};
constexpr std::string_view unlimited[] = {"unlimited"};
constexpr std::string_view signals[] = {"TERM", "INT", "HUP", "QUIT", "USR1", "USR2"};
constexpr std::string_view domains[] = {"node", "nvlink-domain", "leaf", "block", "zone", "fleet"};
constexpr std::string_view sizes_or_auto[] = {"auto"};

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
    {"gpu-share", Type::percent, "part of one GPU, 1% to 99%; then no gpus", "", {}, false, 1, 99},
    {"gpu-slice", Type::text, "part of one GPU, a MIG profile: \"1g.10gb\"; then no gpus"},
    {"cpus", Type::cpus, "cores a node", "the GPUs' share of the node", {}, false, 1, 1'000'000},
    {"memory", Type::memory, "memory a node", "the GPUs' share of the node", {}, false, 1 << 20},
    {"disk", Type::size, "node-local scratch", "", {}, false, 1},
    {"shm", Type::size, "/dev/shm", "auto", sizes_or_auto, false, 1},
    {"exclusive", Type::boolean, "nobody else on the nodes; cpus and memory are then `all` unless written", "false"},
    {"smt", Type::boolean, "whether its cpus may be hardware threads of one core", "the plane's"},
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
    {"export", Type::symbol, "what of the submitter's environment the job inherits", "the plane's", inherits},
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
    {"every", Type::duration, "how often the program saves; it is not told: say it in `args` too", "", {}, false, 1000},
    {"write-time", Type::duration, "how long a save stops the program", "", {}, false, 0},
    {"async", Type::boolean, "whether the program computes while it saves; it is not told", "false"},
};

constexpr KeySchema retry_keys[] = {
    {"limit", Type::integer, "attempts after the first; or `unlimited`", "0", unlimited, false, 0, 1000},
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
    {"segment", Type::integer, "every k nodes inside one smaller domain; divides nodes", "", {}, false, 1, 1'000'000},
    {"segment-within", Type::symbol, "that smaller domain", "leaf", domains},
};

constexpr KeySchema log_keys[] = {
    {"output", Type::text,
     "standard output; {name} {id} {array} {point} {host} {role} {user} {step} {job-step} {node} {task} are filled in, "
     "{point:4} with zeros in front; {{ is a brace",
     "{name}-{id}.out"},
    {"error", Type::text, "standard error", "with the output"},
    {"append", Type::boolean, "keep what is there", "true with a limit of retry"},
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

// What may stand in an option of `any-of` as well as in a role and a workload.
constexpr KeySchema shape_keys[] = {
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
constexpr BlockSchema shape_blocks[] = {
    {"resources", "what one node of one replica has", LabelRule::none, false, resource_keys},
    {"launch", "who starts the program", LabelRule::none, false, launch_keys},
    {"topology", "how near its nodes must be", LabelRule::none, false, topology_keys},
    {"parallelism", "degrees over the GPUs of a replica", LabelRule::none, false, parallelism_keys},
};

constexpr KeySchema program_keys[] = {
    {"command", Type::texts, "the program and its arguments, one text each; or `script`"},
    {"script", Type::script, "the program as text for bash, sh, zsh or python; or `command`"},
    {"script-flags", Type::texts, "flags of the script's interpreter: [\"-e\"]"},
    {"args", Type::texts, "appended to the command; $1… of the script"},
    {"code", Type::code, "folder of the program's files, below the root"},
    {"setup", Type::script, "run once a node before the program, in a process of its own"},
    {"software", Type::name, "software environment that the site resolves"},
    {"image", Type::name, "container image; or the name that the site has for one"},
    {"workdir", Type::text, "where the program starts", "the submit directory"},
    {"replicas",
     Type::count,
     "whole copies, each of `nodes` machines; 0 only under `scale`",
     "1",
     {},
     false,
     0,
     100'000},
    {"fabric", Type::symbol, "whether it wants the pool's fast network", "auto: where it is coupled over nodes",
     fabric_requests},
};
constexpr BlockSchema program_blocks[] = {
    {"code", "the program's files, from a repository", LabelRule::none, false, {}, code_blocks},
    {"software", "the software environment, spelt out", LabelRule::none, false, workload_software_keys},
    {"env", "environment of the program", LabelRule::none, false, {}, {}, open_scalars},
    {"mount", "storage of the site, by name; or `scratch`", LabelRule::required, true, mount_keys},
    {"secret", "a secret of the site, by name", LabelRule::required, true, secret_keys},
    {"file", "a small file beside the job; its path is the name", LabelRule::required, true, file_keys},
    {"port", "a port that the program listens on", LabelRule::required, true, port_keys},
    {"probe", "its health: readiness, liveness or startup", LabelRule::required, true, probe_keys},
    {"preflight", "checks before the program", LabelRule::none, false, preflight_keys},
    allow_block,
};

constexpr KeySchema only_role_keys[] = {
    {"primary", Type::boolean, "its end ends the workload", "the only role; else the end of all"},
};
constexpr BlockSchema only_role_blocks[] = {
    {"depends-on", "a role that starts before this one", LabelRule::required, true, role_start_keys},
};
constexpr auto role_keys = join(join(only_role_keys, program_keys), shape_keys);
constexpr auto role_blocks = join(join(shape_blocks, program_blocks), only_role_blocks);

// Of a workload; an option of `any-of` may have them too.
constexpr BlockSchema ending_blocks[] = {
    {"checkpoint", "where and how often state is saved", LabelRule::none, false, checkpoint_keys},
    {"retry", "what is tried again", LabelRule::none, false, retry_keys},
    {"stop", "how the program is told to end", LabelRule::none, false, stop_keys},
};
constexpr auto option_blocks = join(shape_blocks, ending_blocks);
constexpr BlockSchema any_of_blocks[] = {
    {"option",
     "one shape; the first that fits is meant",
     LabelRule::required,
     true,
     shape_keys,
     option_blocks,
     {.conditions = true}},
};

constexpr BlockSchema only_workload_blocks[] = {
    {"logs", "files of the output", LabelRule::none, false, log_keys},
    {"sweep", "one run a point, at most 10,000", LabelRule::none, false, sweep_keys, sweep_blocks},
    {"notify", "mail to people", LabelRule::none, false, notify_keys},
    {"target",
     "options in one target's own words: `target slurm { nice = 10  hold = true }`; of targets of pods `pod` and "
     "`object`, "
     "YAML that is merged into the pod template and the object",
     LabelRule::required,
     true,
     {},
     {},
     open_options},
    {"labels", "free tags", LabelRule::none, false, {}, {}, open_scalars},
    {"facts", "facts stated instead of derived", LabelRule::none, false, {}, {}, open_facts},
    {"role",
     "machines of one shape; its keys win over the workload's",
     LabelRule::required,
     true,
     role_keys,
     role_blocks,
     {.conditions = true}},
    {"any-of", "alternatives of the shape", LabelRule::none, false, {}, any_of_blocks},
    {"depends-on", "a workload that goes before this one", LabelRule::required, true, after_keys},
    {"scale", "how the number of replicas follows the load", LabelRule::none, false, scale_keys},
    {"serve", "the endpoint of a service", LabelRule::none, false, serve_keys},
    {"dev", "how people work in it", LabelRule::none, false, dev_keys},
};
constexpr auto workload_blocks = join(join(join(shape_blocks, program_blocks), ending_blocks), only_workload_blocks);

constexpr KeySchema only_workload_keys[] = {
    {"kind", Type::symbol, "what sort of work it is", "", kinds, true},
    {"title", Type::text, "name for people", "the workload's name"},
    {"account", Type::name, "who pays", "the tenant's"},
    {"queue", Type::names, "logical queue, never a partition; of a list the first that takes the job",
     "the site's default"},
    {"priority", Type::name, "urgency: low, normal, high, urgent or a name of the site", "normal"},
    {"preemptible", Type::boolean, "may use capacity that is taken back", "false"},
    {"time-limit",
     Type::duration,
     "wall time of one attempt",
     "what the queue gives a job that names none",
     {},
     false,
     60'000},
    {"gang", Type::symbol, "who must start together: all, each replica, or none", "train, mpi, rl: all; else replica",
     gangs_of_work},
};
constexpr auto workload_keys = join(join(only_workload_keys, program_keys), shape_keys);

// ---- site ----------------------------------------------------------------------------------

// What a site may say for every workload: all but what makes a workload the one it is.
constexpr std::string_view own_keys[] = {"kind",         "title", "command", "script",
                                         "script-flags", "args",  "code",    "replicas"};
constexpr std::string_view own_blocks[] = {"code",  "role",  "any-of", "depends-on", "sweep",
                                           "scale", "serve", "dev",    "facts"};
constexpr auto default_keys = without(workload_keys, own_keys);
constexpr auto default_blocks = without(workload_blocks, own_blocks);
constexpr BlockSchema only_site_blocks[] = {{"defaults",
                                             "what every workload says that does not say otherwise",
                                             LabelRule::none,
                                             false,
                                             default_keys,
                                             default_blocks,
                                             {.conditions = true}}};
constexpr auto all_site_blocks = join(site_blocks, only_site_blocks);

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
    {"site", "how a fleet is run", LabelRule::required, true, site_keys, all_site_blocks},
    {"rules", "a policy: facts, thresholds, tables, invariants", LabelRule::required, true, rules_keys, rules_blocks},
    {"case", "a named case of a policy; run by `muster rules test`", LabelRule::required, true, {}, case_blocks},
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
