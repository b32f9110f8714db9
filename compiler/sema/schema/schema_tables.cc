// The tables: every noun of the language. Keys are in the order in which docs/reference/keys.md lists
// them; sources of the vocabulary are the 56 workloads and 300 scripts it was derived from.
#include <array>

#include "compiler/base/limits.h"
#include "compiler/sema/schema/schema_common.h"
#include "compiler/sema/schema/schema_fleet.h"
#include "compiler/sema/schema/schema_rules.h"
#include "compiler/sema/schema/schema_site.h"
#include "compiler/sema/schema/schema_workload.h"

namespace muster::sema {
namespace {

using namespace tables;
using model::Field;

// ---- workload ------------------------------------------------------------------------------

// The image is a key of the workload itself.
constexpr auto workload_software_keys = keys_of("software").first(keys_of("software").size() - 1);

constexpr BlockSchema code_blocks[] = {
    {"git", "a revision of a repository", LabelRule::none, false, keys_of("code.git")}};

constexpr Extras open_axes{.any_key = true, .any_type = Type::axis, .any_max = value_of(Limit::sweep_points)};
constexpr BlockSchema sweep_blocks[] = {{"axes",
                                         "values that vary; an `env` entry `NAME = $axis` passes one to the program",
                                         LabelRule::none,
                                         false,
                                         {},
                                         {},
                                         open_axes,
                                         Field::sweep_axes}};

// What may stand in an option of `any-of` as well as in a role and a workload.
constexpr KeySchema shape_keys[] = {
    short_form(Field::resources_nodes, "resources", "short for resources.nodes"),
    short_form(Field::resources_gpus, "resources", "short for resources.gpus"),
    short_form(Field::resources_gpu, "resources", "short for resources.gpu"),
    short_form(Field::resources_cpus, "resources", "short for resources.cpus"),
    short_form(Field::resources_memory, "resources", "short for resources.memory"),
};
constexpr BlockSchema shape_blocks[] = {
    {"resources", "resources per node of a replica", LabelRule::none, false, keys_of("resources")},
    {"launch", "launcher of the program", LabelRule::none, false, keys_of("launch")},
    {"topology", "how close together the nodes must be", LabelRule::none, false, keys_of("topology")},
    {"parallelism", "parallel degrees over the GPUs of a replica", LabelRule::none, false, keys_of("parallelism")},
};

constexpr BlockSchema program_blocks[] = {
    {"code", "the program's files, from a repository", LabelRule::none, false, {}, code_blocks},
    {"software", "software environment, defined in place", LabelRule::none, false, workload_software_keys},
    {"env", "environment variables of the program", LabelRule::none, false, {}, {}, open_environment, Field::env},
    {"mount", "storage that the site declares, by name; or `scratch`", LabelRule::required, true, keys_of("mount")},
    {"secret", "a secret that the site declares, by name", LabelRule::required, true, keys_of("secret")},
    {"file", "a small file for the job; the name is its path", LabelRule::required, true, keys_of("file")},
    {"port", "a port that the program listens on", LabelRule::required, true, keys_of("port")},
    {"probe", "a health check: readiness, liveness or startup", LabelRule::required, true, keys_of("probe")},
    {"preflight", "checks that run before the program", LabelRule::none, false, keys_of("preflight")},
    allow_block,
};

constexpr BlockSchema only_role_blocks[] = {
    {"depends-on", "a role that must start before this one", LabelRule::required, true, keys_of("role.depends-on")},
};
constexpr auto program_keys = to_array<keys_of("program").size()>(keys_of("program"));
constexpr auto role_keys = join(join(to_array<keys_of("role").size()>(keys_of("role")), program_keys), shape_keys);
constexpr auto role_blocks = join(join(shape_blocks, program_blocks), only_role_blocks);

// Of a workload; an option of `any-of` may have them too.
constexpr BlockSchema ending_blocks[] = {
    {"checkpoint", "where and how often checkpoints are saved", LabelRule::none, false, keys_of("checkpoint")},
    {"retry", "which failures start the whole job again; a kind of pods that restarts single pods refuses it",
     LabelRule::none, false, keys_of("retry")},
    {"stop", "how the program is stopped", LabelRule::none, false, keys_of("stop")},
};
constexpr auto option_blocks = join(shape_blocks, ending_blocks);
constexpr BlockSchema any_of_blocks[] = {
    {"option",
     "one alternative; muster uses the first that fits",
     LabelRule::required,
     true,
     shape_keys,
     option_blocks,
     {.conditions = true}},
};

constexpr BlockSchema only_workload_blocks[] = {
    {"logs", "output files", LabelRule::none, false, keys_of("logs")},
    {"sweep", "one run per point, at most 10,000 points", LabelRule::none, false, keys_of("sweep"), sweep_blocks},
    {"notify", "mail notifications", LabelRule::none, false, keys_of("notify")},
    {"target",
     "native options of one target: `target slurm { nice = 10  hold = true }`; for targets that create pods, "
     "`pod` and `object` are YAML that muster merges into the pod template and the object",
     LabelRule::required,
     true,
     keys_of("target"),
     {},
     open_options,
     Field::target},
    {"labels", "labels of your own", LabelRule::none, false, {}, {}, open_scalars, Field::labels},
    {"facts", "facts that are stated instead of derived", LabelRule::none, false, {}, {}, open_facts, Field::facts},
    {"role",
     "nodes of one shape; its keys override those of the workload",
     LabelRule::required,
     true,
     role_keys,
     role_blocks,
     {.conditions = true}},
    {"any-of", "alternative shapes", LabelRule::none, false, {}, any_of_blocks},
    {"depends-on", "a workload that must run before this one", LabelRule::required, true, keys_of("depends-on")},
    {"scale", "how the number of replicas follows the load", LabelRule::none, false, keys_of("scale")},
    {"serve", "the endpoint of a service", LabelRule::none, false, keys_of("serve")},
    {"dev", "how users connect to an interactive job", LabelRule::none, false, keys_of("dev")},
};
constexpr auto workload_blocks = join(join(join(shape_blocks, program_blocks), ending_blocks), only_workload_blocks);

constexpr auto only_workload_keys = to_array<keys_of("workload").size()>(keys_of("workload"));
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
                                             "defaults for every workload; a workload can override them",
                                             LabelRule::none,
                                             false,
                                             default_keys,
                                             default_blocks,
                                             {.conditions = true}}};
constexpr auto all_site_blocks = join(site_blocks, only_site_blocks);

// ---- test ----------------------------------------------------------------------------------

constexpr KeySchema test_keys[] = {
    {"site", Type::name, "the site to plan for", "the only site of the file, or else the built-in site"}};
constexpr BlockSchema test_blocks[] = {{"set",
                                        "values for the parameters of the file",
                                        LabelRule::none,
                                        false,
                                        {},
                                        {},
                                        {.any_key = true, .any_type = Type::any}}};

constexpr BlockSchema tops[] = {
    {"workload",
     "what to run and what it needs; portable between sites",
     LabelRule::required,
     true,
     workload_keys,
     workload_blocks,
     {.conditions = true}},
    {"fleet", "the hardware: pools of nodes", LabelRule::required, true, fleet_keys, fleet_blocks},
    {"site", "how a fleet is operated: planes, queues, tenants, storage", LabelRule::required, true, site_keys,
     all_site_blocks},
    {"rules", "a policy: facts, thresholds, tables, invariants", LabelRule::required, true, rules_keys, rules_blocks},
    {"case", "a named case of a policy; run by `muster rules test`", LabelRule::required, true, {}, case_blocks},
    {"test",
     "assertions about the plans of the file's workloads; run by `muster test`",
     LabelRule::required,
     true,
     test_keys,
     test_blocks,
     {.assertions = true}},
};

}  // namespace

std::span<const BlockSchema> top_level() { return tops; }

}  // namespace muster::sema
