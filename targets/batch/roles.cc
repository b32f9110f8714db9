// A job of several parts: roles, and replicas that start together. Alike ones share one plain job, whose nodes
// they take in order; roles of unlike shapes are components of a heterogeneous job.
#include <algorithm>

#include "compiler/base/order.h"
#include "plan/plan.h"
#include "targets/batch/sections.h"
#include "targets/shell.h"

namespace muster::targets::batch {
namespace {

// A role's name as part of a bash name.
std::string bash_name(const std::string& role) {
  std::string out = role;
  for (char& c : out)
    if (c == '-' || c == '.') c = '_';
  return out;
}

struct PartOf {
  const plan::RolePlan* shape;
  std::int64_t first = 0;  // node of the whole job, in a plain one
  std::size_t group = 0;   // component, in a heterogeneous one
};

std::vector<PartOf> parts_of(const Job& job) {
  std::vector<PartOf> parts;
  std::int64_t first = 0;
  for (const plan::RolePlan& role : job.plan.roles) {
    parts.push_back({&role, first, parts.size()});
    first += role.total();
  }
  return parts;
}

PartPlace place_of(const Job& job, const PartOf& part, std::string first, bool is_expression) {
  return {std::move(first), is_expression, job.het ? std::optional(part.group) : std::nullopt};
}

// The words by which a part, whose replica is $1, finds its nodes.
Part part_of(const Job& job, const PartOf& part) {
  const std::string nodes = std::to_string(part.shape->nodes);
  const bool several = part.shape->copies > 1;
  const std::int64_t first = job.het ? 0 : part.first;
  const std::string offset =
      !several ? std::to_string(first) : (first > 0 ? std::to_string(first) + " + " : "") + nodes + " * $1";
  const std::string list = job.het ? bash_name(part.shape->role->name) + "_nodes" : "all_nodes";
  Part out;
  out.hosts = "\"${" + list + "[@]:" + offset + ":" + nodes + "}\"";
  out.step = job.dialect.part_options(job, place_of(job, part, offset, several));
  out.replica = several ? "$1" : "0";
  out.first = job.dialect.part_options(job, place_of(job, part, std::to_string(first), false));
  return out;
}

Job job_of(const Job& whole, const PartOf& part) {
  Job out{{whole.workload, whole.diagnostics},
          whole.dialect,
          whole.plan,
          *part.shape,
          *part.shape->role,
          whole.plane,
          whole.batch,
          whole.site,
          whole.run};
  if (part.shape->role->span.known() || whole.plan.roles.size() > 1) out.role_name = part.shape->role->name;
  out.part = part_of(whole, part);
  out.het = whole.het;
  return out;
}

// The names by which the roles find each other.
void add_addresses(Job& job, const std::vector<PartOf>& parts) {
  if (parts.size() < 2) return;
  for (const PartOf& part : parts) {
    const std::string& role = part.shape->role->name;
    const std::string list = job.het ? bash_name(role) + "_nodes" : "all_nodes";
    const std::string first = std::to_string(job.het ? 0 : part.first), count = std::to_string(part.shape->total());
    const std::string hosts = contract_name("MUSTER_HOSTS_", role);
    job.line("export " + contract_name("MUSTER_ADDR_", role) + "=${" + list + "[" + first + "]} " + hosts +
             "=$MUSTER_DIR/hosts." + bash_name(role));
    job.line("printf '%s\\n' \"${" + list + "[@]:" + first + ":" + count + "}\" > \"$" + hosts + "\"");
  }
}

// One function a role, a shell of its own for each copy.
void add_function(Job& whole, const PartOf& part) {
  Job job = job_of(whole, part);
  plan_container(job);
  add_program(job);
  whole.line("# shellcheck disable=SC2030,SC2031  # these exports are only for this role");
  whole.line("role_" + bash_name(job.role.name) + "() (");
  whole.body += job.body;
  whole.line(")");
  whole.take_losses(job.loss);
}

const model::Role* find_role(const Job& job, const std::string& name) {
  for (const model::Role& role : job.workload.roles)
    if (role.name == name) return &role;
  return nullptr;
}

const model::Port* port_of(const model::Role& role, const model::Probe& probe) {
  for (const model::Port& port : role.ports)
    if (!probe.port || port.name == probe.port->value) return &port;
  return nullptr;
}

const model::Probe* readiness_of(const model::Role& role) {
  for (const model::Probe& probe : role.probes)
    if (probe.kind == model::ProbeKind::readiness) return &probe;
  return nullptr;
}

bool asks_a_command(const model::Probe& probe) { return !probe.http && !probe.tcp; }

std::int64_t seconds_of(const model::Probe& probe) { return probe.timeout ? probe.timeout->value.seconds_up() : 1; }

std::int64_t seconds_between(const model::Probe& probe) {
  return std::max<std::int64_t>(1, probe.every ? probe.every->value.seconds_up() : 10);
}

// The file that is there once the probe's command has ended with 0.
std::string ready_file(const model::Role& role) {
  return "\"$MUSTER_DIR/ready." + bash_name(role.name) + ".${MUSTER_ATTEMPT:-0}\"";
}

// The command that ends with 0 once a role is ready, asked from the first node.
std::string asked_by(const model::Role& role, const model::Probe& probe) {
  if (asks_a_command(probe)) return "[ -e " + ready_file(role) + " ]";
  const std::string seconds = std::to_string(seconds_of(probe));
  const std::string address = contract_name("$MUSTER_ADDR_", role.name);
  const model::Port* port = port_of(role, probe);
  const std::string number = port == nullptr ? "0" : std::to_string(port->number.value);
  if (probe.http)
    return "curl --noproxy '*' --silent --fail --output /dev/null --max-time " + seconds + " \"http://" + address +
           ":" + number + "\"" + sh_word(probe.http->value);
  return "timeout " + seconds + " bash -c ': < /dev/tcp/\"$0\"/\"$1\"' \"" + address + "\" " + number + " 2>/dev/null";
}

// How long a role may take to be ready: as its startup probe says, else an hour.
std::int64_t seconds_to_start(const model::Role& role) {
  for (const model::Probe& probe : role.probes) {
    if (probe.kind != model::ProbeKind::startup) continue;
    const std::int64_t every = probe.every ? probe.every->value.seconds_up() : 10;
    const std::int64_t after = probe.after ? probe.after->value.seconds_up() : 0;
    return after + every * (probe.failures ? probe.failures->value : 3);
  }
  return 3600;
}

// A loop that has an end: the role is ready, has ended, or takes too long.
void wait_until_ready(Job& job, const model::Role& role) {
  const model::Probe* probe = readiness_of(role);
  if (probe == nullptr) return;
  if (probe->http)
    job.line("command -v curl > /dev/null || { echo 'muster: curl is not installed on the first node' >&2; exit 1; }");
  const bool delayed = probe->after && probe->after->value.ms > 0 && !asks_a_command(*probe);
  if (delayed) job.line("sleep " + std::to_string(probe->after->value.seconds_up()));
  const std::string every = asks_a_command(*probe) ? "1" : std::to_string(seconds_between(*probe));
  const std::string most = std::to_string(seconds_to_start(role));
  job.line("end=$((SECONDS + " + most + "))");
  job.line("until " + asked_by(role, *probe) + "; do");
  job.line("  kill -0 \"$" + bash_name(role.name) + "\" 2>/dev/null || exit 1; sleep " + every);
  job.line("  ((SECONDS < end)) || { echo " +
           sh_word("muster: role " + role.name + " is not ready after " + most + " s") + " >&2; exit 1; }");
  job.line("done");
}

// Each after those it waits for; the checker has seen that there is no circle.
std::vector<PartOf> in_order(const std::vector<PartOf>& parts) {
  std::vector<std::vector<std::size_t>> waits_for(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (const model::RoleStart& start : parts[i].shape->role->depends_on)
      for (std::size_t other = 0; other < parts.size(); ++other)
        if (parts[other].shape->role->name == start.role) waits_for[i].push_back(other);
  std::vector<PartOf> out;
  for (const std::size_t i : order_of(waits_for)) out.push_back(parts[i]);
  return out;
}

// Whether the script looks at this role's process.
bool is_waited_for(const Job& job, const model::Role& role) {
  if (role.primary && role.primary->value && job.workload.roles.size() > 1) return true;
  return std::any_of(job.workload.roles.begin(), job.workload.roles.end(), [&](const model::Role& other) {
    return std::any_of(other.depends_on.begin(), other.depends_on.end(), [&](const model::RoleStart& start) {
      return start.role == role.name && start.on != model::StartOn::started;
    });
  });
}

void start_role(Job& job, const PartOf& part) {
  Job own = job_of(job, part);
  const std::string logs = role_redirections(own);
  job.take_losses(own.loss);
  const model::Role& role = *part.shape->role;
  for (const model::RoleStart& start : role.depends_on) {
    const model::Role* other = find_role(job, start.role);
    if (other == nullptr) continue;
    if (start.on == model::StartOn::complete) job.line("wait \"$" + bash_name(other->name) + "\"");
    if (start.on != model::StartOn::ready) continue;
    wait_until_ready(job, *other);
  }
  const std::string name = bash_name(role.name);
  const std::string end = " & " + (is_waited_for(job, role) ? name + "=$! " : std::string()) + "pids+=($!)";
  if (part.shape->copies == 1) return job.line("role_" + name + logs + end);
  job.line("for ((replica = 0; replica < " + std::to_string(part.shape->copies) + "; replica++)); do");
  job.line("  role_" + name + " \"$replica\"" + end);
  job.line("done" + logs);
}

// The end of the primary role is the end, or that of all; the first failure always is.
void wait_for_end(Job& job, const std::vector<PartOf>& parts) {
  const auto primary = std::find_if(parts.begin(), parts.end(), [](const PartOf& p) {
    return p.shape->role->primary && p.shape->role->primary->value;
  });
  const bool one = primary != parts.end() && primary->shape->copies == 1;
  const std::string alive = one ? "kill -0 \"$" + bash_name(primary->shape->role->name) + "\" 2>/dev/null && " : "";
  job.line("while " + alive + "wait -n; do :; done  # until one fails, or " +
           (one ? "the primary role ends" : "all have ended"));
  job.line("for pid in \"${pids[@]}\"; do kill -0 \"$pid\" 2>/dev/null || wait \"$pid\" || exit; done");
}

// What no job of several parts can do. False: refused.
bool can_share(Job& job, const std::vector<PartOf>& parts) {
  const std::size_t before = job.diagnostics.size();
  for (const PartOf& part : parts) {
    Job one = job_of(job, part);
    const model::Runner runner = one.runner();
    if (runner == model::Runner::ray)
      one.refuse(Field::launch_runner,
                 "target `" + std::string(job.dialect.ray_target) +
                     "` starts one Ray cluster on all nodes of a job, but this job has several parts",
                 "write one role with all machines as `nodes`, or use target `kuberay` on a Kubernetes plane");
    if (runner == model::Runner::batch_script)
      one.refuse(Field::launch_runner, "runner `batch-script` uses all nodes of a job, but this job has several parts",
                 "make it a separate workload");
    if (runner == model::Runner::mpi && job.batch.mpi == model::Mpi::mpirun)
      one.refuse(Field::launch_runner, "mpirun uses all nodes of a job, but this job has several parts",
                 "set `mpi = pmix` in the site if " + job.system() + " supports it");
    if (parts.size() > 1 && one.copies_in_array())
      one.refuse(Field::replicas, "independent replicas next to other roles would each be a separate job",
                 "set `gang = all`, or make the role a separate workload");
    job.take_losses(one.loss);
  }
  const auto& retry = job.workload.retry;
  if (retry && !retry->exit_codes.empty())
    job.refuse(Field::retry_exit_codes, "the exit code of a job with several parts is not that of one program",
               "remove `exit-codes`, or use `on = [failure]`");
  if (job.het && job.dialect.next_component.empty())
    job.refuse(Field::role, job.system() + " cannot run roles of different shapes in one job",
               "give all roles the same shape");
  if (job.het && job.workload.sweep)
    job.refuse(Field::sweep, job.system() + " cannot run an array of jobs with roles of different shapes",
               "give all roles the same shape");
  return job.diagnostics.size() == before;
}

// The directives of the other components, and what became of each part's shape.
void add_components(Job& whole, const std::vector<PartOf>& parts) {
  for (const PartOf& part : parts) {
    Job job = job_of(whole, part);
    plan::RolePlan shape = whole.het ? *part.shape : whole.shape;
    if (whole.het) shape.nodes = part.shape->total();
    Job sized{{job.workload, job.diagnostics},
              job.dialect,
              job.plan,
              shape,
              job.role,
              job.plane,
              job.batch,
              job.site,
              job.run};
    sized.role_name = job.role_name;
    add_component(sized);
    whole.take_losses(sized.loss);
    if (!whole.het || part.group == 0) continue;
    whole.directives.emplace_back(job.dialect.next_component);
    whole.directives.insert(whole.directives.end(), sized.directives.begin(), sized.directives.end());
  }
}

void add_node_lists(Job& job, const std::vector<PartOf>& parts) {
  if (!job.het) return job.line("mapfile -t all_nodes < <(" + std::string(job.dialect.variables.hosts) + ")");
  for (const PartOf& part : parts)
    job.line("mapfile -t " + bash_name(part.shape->role->name) + "_nodes < <(" +
             job.dialect.component_hosts(part.group) + ")");
}

// Whether one plain job keeps the nodes of both roles near each other: in domains of equal size, one after the other.
bool same_domains(const plan::RolePlan& a, const plan::RolePlan& b, bool sized) {
  const auto &one = a.role->topology, &other = b.role->topology;
  if (!one || !other) return !one && !other;
  const auto segment = [](const model::Topology& t) { return t.segment ? t.segment->value : 0; };
  return one->within.value == other->within.value && one->required == other->required &&
         segment(*one) == segment(*other) && one->segment_within.value == other->segment_within.value &&
         (!sized || one->segment || a.nodes == b.nodes);
}

}  // namespace

bool is_waited_until_ready(const Job& job) {
  if (!job.part.is_part() || readiness_of(job.role) == nullptr) return false;
  return std::any_of(job.workload.roles.begin(), job.workload.roles.end(), [&](const model::Role& other) {
    return std::any_of(other.depends_on.begin(), other.depends_on.end(), [&](const model::RoleStart& start) {
      return start.role == job.role.name && start.on == model::StartOn::ready;
    });
  });
}

// The role asks itself, beside its program, in the same container and with the same environment.
void add_command_probe(Job& job) {
  if (!is_waited_until_ready(job)) return;
  const model::Probe& probe = *readiness_of(job.role);
  if (!asks_a_command(probe)) return;
  std::string words = "timeout -s KILL " + std::to_string(seconds_of(probe));
  for (const auto& word : probe.command) words += " " + sh_word(word.value);
  if (job.container.runtime == model::Containers::enroot && !job.container.workdir.empty())
    words = "sh -c 'cd \"$0\" && exec \"$@\"' " + job.container.workdir + " " + words;
  const std::int64_t after = probe.after ? probe.after->value.seconds_up() : 0;
  const std::string guard = job.part.replica == "0" ? "" : "[ \"$1\" != 0 ] || ";
  job.line(guard + "{  # its probe, until it is ready");
  if (after > 0) job.line("  sleep " + std::to_string(after));
  job.line("  until " + start_with(job.dialect.parallel_step(job, job.part.first), container_prefix(job) + words) +
           "; do sleep " + std::to_string(seconds_between(probe)) + "; done");
  job.line("  : > " + ready_file(job.role));
  job.line("} < /dev/null &");
}

bool has_parts(const plan::Plan& plan) { return plan.roles.size() > 1 || plan.roles.front().copies > 1; }

bool shapes_differ(const plan::Plan& plan) {
  const plan::RolePlan& first = plan.roles.front();
  const bool blocks = plan.plane->batch()->topology == model::SlurmTopology::block;
  return !std::all_of(plan.roles.begin(), plan.roles.end(), [&](const plan::RolePlan& r) {
    return r.gpus == first.gpus && r.cpus == first.cpus && r.memory == first.memory && r.exclusive == first.exclusive &&
           r.all_cpus == first.all_cpus && r.all_memory == first.all_memory && r.pool == first.pool &&
           r.only_nodes == first.only_nodes && r.not_nodes == first.not_nodes && same_domains(r, first, blocks);
  });
}

void write_parts(Job& job) {
  const std::vector<PartOf> parts = parts_of(job);
  if (!can_share(job, parts)) return;
  add_directives(job);
  add_components(job, parts);
  job.line("set -eo pipefail");
  add_attempt_guard(job);
  add_node_lists(job, parts);
  if (const std::string restarts(job.dialect.variables.restarts); !restarts.empty())
    job.line("export MUSTER_ATTEMPT=" + restarts);
  job.line("export MUSTER_DIR=" + folder_word(job) + "; mkdir -p \"$MUSTER_DIR\"");
  add_addresses(job, parts);
  for (const PartOf& part : parts) add_function(job, part);
  job.line("roles() (");
  job.line("pids=()");
  for (const PartOf& part : in_order(parts)) start_role(job, part);
  wait_for_end(job, parts);
  job.line(")");
  add_run(job, "roles", true);
}

}  // namespace muster::targets::batch
