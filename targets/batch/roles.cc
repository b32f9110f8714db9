// A job of several parts: roles, and replicas that start together. Alike ones share one plain job, whose nodes
// they take in order; roles of unlike shapes are components of a heterogeneous job.
#include <algorithm>
#include <utility>

#include "compiler/base/order.h"
#include "targets/batch/parts.h"
#include "targets/shell.h"

namespace muster::targets::batch {
namespace {

// The names by which the roles find each other.
void add_addresses(Job& job, const std::vector<PartOf>& parts) {
  if (parts.size() < 2) return;
  for (const PartOf& part : parts) {
    const std::string& role = part.shape->role->name;
    const std::string hosts = contract_name("MUSTER_HOSTS_", role);
    contract::Variables names = {{contract_name("MUSTER_ADDR_", role), address_of(job, part)}};
    if (job.wanted.has(hosts)) names.push_back({hosts, job.dir() + "/hosts." + bash_name(role)});
    {
      Exports exports(job.body);
      contract::add(exports, names, job.wanted);
    }
    if (!job.wanted.has(hosts)) continue;
    const std::string first = std::to_string(job.het ? 0 : part.first), count = std::to_string(part.shape->total());
    job.line("printf '%s\\n' \"${" + list_of(job, role) + "[@]:" + first + ":" + count + "}\" > \"$" + hosts + "\"");
  }
}

// What a role runs.
struct Program {
  PartOf part;
  std::string body;
  bool one_command = false;  // and nothing around it
};

Program program_of(Job& whole, const PartOf& part, bool has_setup) {
  Job job = job_of(whole, part);
  job.has_setup = has_setup;
  begin(job);
  add_program(job);
  whole.take_losses(job.loss);
  whole.own.port |= job.own.port;
  whole.own.dir |= job.own.dir;
  whole.own.tmp |= job.own.tmp;
  whole.own.below_tmp.insert(whole.own.below_tmp.end(), job.own.below_tmp.begin(), job.own.below_tmp.end());
  whole.wanted = contract::both(whole.wanted, job.wanted);
  const std::string_view body = job.body;
  const std::size_t comment = body.starts_with("# ") ? body.find('\n') + 1 : 0;
  return {part, job.body, body.substr(comment) == job.launched + "\n"};
}

// What all roles begin with, once; "" where they differ.
std::string common_setup(const Job& whole, const std::vector<PartOf>& parts) {
  std::string common;
  for (const PartOf& part : parts) {
    Diagnostics said_later;
    const Job model = job_of(whole, part);
    Job job{{whole.workload, said_later, {}, {}, whole.written},
            model.dialect,
            model.plan,
            model.shape,
            model.role,
            model.plane,
            model.batch,
            model.site,
            model.run};
    job.part = model.part;
    const std::string own = setup_of(job);
    if (&part == &parts.front()) common = own;
    else if (own != common) return {};
  }
  return common;
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
std::string ready_file(const Job& job, const model::Role& role) {
  const std::string_view restarts = job.dialect.variables.restarts;  // else the number of the script's process
  return "\"$dir/ready." + bash_name(role.name) + "." + (restarts.empty() ? "$$" : std::string(restarts)) + "\"";
}

// The command that ends with 0 once a role is ready, asked from the first node.
std::string asked_by(const Job& job, const PartOf& part, const model::Probe& probe) {
  const model::Role& role = *part.shape->role;
  if (asks_a_command(probe)) return "[ -e " + ready_file(job, role) + " ]";
  const std::string seconds = std::to_string(seconds_of(probe));
  const std::string address = address_of(job, part);
  const model::Port* port = port_of(role, probe);
  const std::string number = port == nullptr ? "0" : std::to_string(port->number.value);
  if (probe.http)
    return "curl --noproxy '*' --silent --fail --output /dev/null --max-time " + seconds + " \"http://" + address +
           ":" + number + "\"" +
           sh_word(contract::bytes_of(contract::pieces_of({job.workload, role, *part.shape, {}}, probe.http->value)));
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
void wait_until_ready(Job& job, const PartOf& part) {
  const model::Role& role = *part.shape->role;
  const model::Probe* probe = readiness_of(role);
  if (probe == nullptr) return;
  if (probe->http)
    job.line("command -v curl > /dev/null || { echo 'curl is not installed on the first node' >&2; exit 1; }");
  const bool delayed = probe->after && probe->after->value.ms > 0 && !asks_a_command(*probe);
  if (delayed) job.line("sleep " + std::to_string(probe->after->value.seconds_up()));
  const std::string every = asks_a_command(*probe) ? "1" : std::to_string(seconds_between(*probe));
  const std::string most = std::to_string(seconds_to_start(role));
  job.line("end=$((SECONDS + " + most + "))");
  job.line("until " + asked_by(job, part, *probe) + "; do");
  job.line("  kill -0 \"$" + bash_name(role.name) + "\" 2>/dev/null || exit 1; sleep " + every);
  job.line("  ((SECONDS < end)) || { echo " + sh_word("role " + role.name + " is not ready after " + most + " s") +
           " >&2; exit 1; }");
  job.line("done");
}

// Each after those it waits for; the checker has seen that there is no circle.
std::vector<const Program*> in_order(const std::vector<Program>& programs) {
  std::vector<std::vector<std::size_t>> waits_for(programs.size());
  for (std::size_t i = 0; i < programs.size(); ++i)
    for (const model::RoleStart& start : programs[i].part.shape->role->depends_on)
      for (std::size_t other = 0; other < programs.size(); ++other)
        if (programs[other].part.shape->role->name == start.role) waits_for[i].push_back(other);
  std::vector<const Program*> out;
  for (const std::size_t i : order_of(waits_for)) out.push_back(&programs[i]);
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

const PartOf* find_part(const std::vector<Program>& programs, const std::string& role) {
  for (const Program& program : programs)
    if (program.part.shape->role->name == role) return &program.part;
  return nullptr;
}

// The role whose end is that of the job.
const PartOf* primary_of(const std::vector<Program>& programs) {
  for (const Program& program : programs) {
    const auto& primary = program.part.shape->role->primary;
    if (primary && primary->value && program.part.shape->copies == 1 && programs.size() > 1) return &program.part;
  }
  return nullptr;
}

bool runs_with_another(const Program& program) { return program.part.shape->role->with.has_value(); }

// Whether some roles end when others have ended.
bool ends_with_some(const std::vector<Program>& programs) {
  return primary_of(programs) == nullptr && std::any_of(programs.begin(), programs.end(), runs_with_another);
}

bool is_loop(const Program& program) { return program.part.shape->copies > 1 && !program.part.one_step; }

void wait_for_others(Job& job, const std::vector<Program>& programs, const model::Role& role) {
  for (const model::RoleStart& start : role.depends_on) {
    const PartOf* other = find_part(programs, start.role);
    if (other == nullptr) continue;
    if (start.on == model::StartOn::complete) job.line("wait \"$" + bash_name(start.role) + "\"");
    if (start.on == model::StartOn::ready) wait_until_ready(job, *other);
  }
}

void add_shellcheck_note(Job& job, const Program& program) {
  if (program.body.find("export ") != std::string::npos)
    job.line("# shellcheck disable=SC2030,SC2031  # these exports are only for this role");
}

// In the background: a command, or a shell of its own, for each copy.
void start_role(Job& job, const std::vector<Program>& programs, const Program& program) {
  Job own = job_of(job, program.part);
  const std::string logs = role_redirections(own);
  job.take_losses(own.loss);
  const model::Role& role = *program.part.shape->role;
  const std::string name = bash_name(role.name);
  if (programs.size() > 1) job.line("# role " + name);
  wait_for_others(job, programs, role);
  const bool some = ends_with_some(programs);
  const std::string end = std::string(" &") + (is_waited_for(job, role) ? " " + name + "=$!" : "") +
                          (some && !runs_with_another(program) ? " ends+=($!)" : "") +
                          (some || primary_of(programs) != nullptr ? " pids+=($!)" : "");
  if (program.one_command && !is_loop(program)) {
    job.body += program.body.substr(0, program.body.size() - 1) + logs + end + "\n";
  } else if (is_loop(program)) {
    add_shellcheck_note(job, program);
    job.line("role_" + name + "() (");
    job.body += program.body + ")\n";
    job.line("for ((replica = 0; replica < " + std::to_string(program.part.shape->copies) + "; replica++)); do");
    job.line("  role_" + name + " \"$replica\"" + end);
    job.line("done" + logs);
  } else {
    add_shellcheck_note(job, program);
    job.body += "(\n" + program.body + ")" + logs + end + "\n";
  }
}

// The end of the primary role is the end, or that of all but those that end with another; the first failure always is.
void wait_for_end(Job& job, const std::vector<Program>& programs) {
  const PartOf* primary = primary_of(programs);
  if (primary != nullptr || ends_with_some(programs)) {
    const std::string ends = primary != nullptr ? "$" + bash_name(primary->shape->role->name) : "${ends[@]}";
    job.line("while kill -0 \"" + ends + "\" 2>/dev/null && wait -n; do :; done  # until one fails, or " +
             (primary != nullptr ? "the primary role ends" : "none is left but what ends with another"));
    return job.line("for pid in \"${pids[@]}\"; do kill -0 \"$pid\" 2>/dev/null || wait \"$pid\" || exit; done");
  }
  std::int64_t count = 0;
  for (const Program& program : programs) count += is_loop(program) ? program.part.shape->copies : 1;
  job.line("for ((i = 0; i < " + std::to_string(count) + "; i++)); do wait -n; done  # the first that fails ends all");
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
    if (job.plan.roles.size() > 1 && one.copies_in_array())
      one.refuse(Field::replicas, "independent replicas next to other roles would each be a separate job",
                 "set `gang = all`, or make the role a separate workload");
    job.take_losses(one.loss);
  }
  if (!job.dialect.divides_nodes) refuse_shared(job, parts);
  else refuse_undivided(job, parts);
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

// Accounts for the shape of a role, and returns the directives that ask for it. `part`: for its step alone.
std::vector<std::string> ask_for_shape(Job& whole, const PartOf& of, const plan::RolePlan& shape, bool part) {
  const Job job = job_of(whole, of);
  Job sized{{job.workload, job.diagnostics, {}, {}, job.written},
            job.dialect,
            job.plan,
            shape,
            job.role,
            job.plane,
            job.batch,
            job.site,
            job.run};
  sized.role_name = job.role_name;
  if (part) sized.dialect.ask_size(sized);
  else add_component(sized);
  whole.take_losses(sized.loss);
  return std::move(sized.directives);
}

// The directives of the other components, and what became of each part's shape.
void add_components(Job& whole, const std::vector<PartOf>& parts) {
  for (const PartOf& part : parts) {
    const plan::RolePlan& group = group_of(whole, part);
    const bool unlike = whole.het || whole.dialect.unlike_parts;
    plan::RolePlan shape = unlike ? group : whole.shape, own = *part.shape;
    if (unlike) shape.nodes = group.total();
    own.nodes = shape.nodes;
    if (!group.sharing.empty()) ask_for_shape(whole, part, own, true);
    if (part.place > 0) continue;
    const std::vector<std::string> directives = ask_for_shape(whole, part, shape, false);
    if (!whole.het || part.group == 0) continue;
    whole.directives.emplace_back(whole.dialect.next_component);
    whole.directives.insert(whole.directives.end(), directives.begin(), directives.end());
  }
}

// Those that the lines of the script read.
void add_node_lists(Job& job, const std::vector<PartOf>& parts, const std::string& lines) {
  const auto is_read = [&](const std::string& list) { return lines.find("${" + list + "[") != std::string::npos; };
  if (!job.het && is_read("all_nodes"))
    job.line("mapfile -t all_nodes < <(" + std::string(job.dialect.variables.hosts) + ")");
  for (const PartOf& part : parts)
    if (const std::string list = list_of(job, part.shape->role->name); job.het && is_read(list))
      job.line("mapfile -t " + list + " < <(" + job.dialect.component_hosts(part.group) + ")");
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
  for (const auto& word : probe.command) words += " " + text_word(job, word.value, false);
  if (job.container.runtime == model::Containers::enroot && !job.container.workdir.empty())
    words = "sh -c 'cd \"$0\" && exec \"$@\"' " + job.container.workdir + " " + words;
  const std::int64_t after = probe.after ? probe.after->value.seconds_up() : 0;
  const std::string guard = job.part.replica == "0" ? "" : "[ \"$1\" != 0 ] || ";
  job.dir();
  job.line(guard + "{  # its probe, until it is ready");
  if (after > 0) job.line("  sleep " + std::to_string(after));
  job.line("  until " + start_with(job.dialect.parallel_step(job, job.part.first), container_prefix(job) + words) +
           "; do sleep " + std::to_string(seconds_between(probe)) + "; done");
  job.line("  : > " + ready_file(job, job.role));
  job.line("} < /dev/null &");
}

bool has_parts(const plan::Plan& plan) {
  const plan::RolePlan& first = plan.roles.front();
  return plan.roles.size() > 1 || first.copies > 1 || !first.sharing.empty();
}

bool shapes_differ(const plan::Plan& plan) {
  const plan::RolePlan& first = plan.roles.front();
  const bool blocks = plan.plane->batch()->topology == model::SlurmTopology::block;
  return !std::all_of(plan.roles.begin(), plan.roles.end(), [&](const plan::RolePlan& r) {
    return r.gpus == first.gpus && r.cpus == first.cpus && r.memory == first.memory && r.exclusive == first.exclusive &&
           r.all_cpus == first.all_cpus && r.all_memory == first.all_memory && r.pool == first.pool &&
           r.only_nodes == first.only_nodes && r.not_nodes == first.not_nodes && same_domains(r, first, blocks);
  });
}

// The roles side by side, in the shell of the script, or in one that is waited for with signals and attempts.
void run_roles(Job& job, const std::vector<Program>& programs) {
  const bool alone = ends_with_program(job);
  if (!alone) job.line("roles() (");
  if (primary_of(programs) != nullptr) job.line("pids=()");
  if (ends_with_some(programs)) job.line("pids=() ends=()");
  for (const Program* program : in_order(programs)) start_role(job, programs, *program);
  wait_for_end(job, programs);
  if (alone) return;
  job.line(")");
  add_run(job, "roles", true);
}

void write_parts(Job& job) {
  const std::vector<PartOf> parts = parts_of(job);
  if (!can_share(job, parts)) return;
  add_directives(job);
  add_components(job, parts);
  enter_submission(job);
  job.line("set -eo pipefail");
  add_attempt_guard(job);
  const std::string setup = common_setup(job, parts);
  const std::string before = std::exchange(job.body, {});
  std::vector<Program> programs;
  for (const PartOf& part : parts) programs.push_back(program_of(job, part, !setup.empty()));
  add_addresses(job, parts);
  run_roles(job, programs);
  const std::string rest = std::exchange(job.body, before + setup);
  add_node_lists(job, parts, rest);
  add_own_variables(job);
  job.body += rest;
}

}  // namespace muster::targets::batch
